#!/usr/bin/env python3
"""The packaged extension in stock DuckDB, as people have it: hosts_test.py --packages DIR --hosts DIR --runner FILE --corpus DIR
--pyarrow DIR. HOSTS has a virtual environment host-<version> a DuckDB version, PYARROW is a folder with another `pyarrow`."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
VERSIONS = ("1.5.6", "2.0.1")
SETTINGS = None


def python(version):
    return SETTINGS.hosts / f"host-{version}/bin/python"


def python_host(version):
    return [str(python(version)), "-B", str(HERE / "python_host.py")]


def shell_host(version):
    """The shell's own program: the one on the path is a script that starts it."""
    [program] = (SETTINGS.hosts / f"host-{version}").glob("lib/python*/site-packages/duckdb_cli/**/duckdb")
    return [sys.executable, "-B", str(HERE / "shell_host.py"), str(program)]


HOSTS = {
    "Python 1.5.6": ("1.5.6", python_host),
    "Python 2.0.1": ("2.0.1", python_host),
    "command line 1.5.6": ("1.5.6", shell_host),
}


def extension(version):
    return SETTINGS.packages / f"paimon-duckdb-{version}/paimon.duckdb_extension"


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)


class Host:
    """A stock DuckDB that answers statements."""

    def __init__(self, name, library=None):
        version, command = HOSTS[name]
        self.process = subprocess.Popen(command(version), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=os.environ | {"TZ": "UTC"}, cwd="/")
        self.query(f"LOAD '{library or extension(version)}'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def answer(self, sql):
        self.process.stdin.write(json.dumps(sql) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def query(self, sql):
        answer = self.answer(sql)
        if "error" in answer:
            raise AssertionError(f"{sql}: {answer['error']}")
        return answer["rows"]


class Hosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_python(self, version, script, *arguments):
        result = run([python(version), "-B", "-c", textwrap.dedent(script), *arguments], cwd=tempfile.mkdtemp(dir=self.folder))
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_all_scripts_pass_in_every_host(self):
        scripts = sorted(HERE.glob("*.test"))
        self.assertGreater(len(scripts), 5)
        for name, (version, command) in HOSTS.items():
            with self.subTest(name):
                result = run([SETTINGS.runner, "--corpus", SETTINGS.corpus, "--extension", extension(version), "--host",
                              *command(version), "--", *scripts])
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                print(f"{name}: {result.stdout.splitlines()[-1]}", file=sys.stderr)

    def test_the_walk_of_the_documentation_gives_the_results_it_shows(self):
        text = (ROOT / "docs/duckdb.md").read_text()
        steps = re.findall(r"^```sql\n(.*?)^```\n(?:```result\n(.*?)^```\n)?", text, re.S | re.M)
        self.assertGreater(len(steps), 10)
        for version in re.findall(r"duckdb==([\d.]+)", text):
            self.assertIn(f"duckdb=={version} ", (ROOT / f"requirements/host-{version}.txt").read_text())
        for name in HOSTS:
            folder = self.folder / name.replace(" ", "_")
            folder.mkdir()
            with self.subTest(name), Host(name) as host:
                for sql, expected in steps:
                    rows = host.query(sql.replace("${FOLDER}", str(folder)))
                    if expected:
                        self.assertEqual("\n".join(" | ".join(row) for row in rows), expected.rstrip("\n"), sql)

    def test_the_folder_works_wherever_it_lies(self):
        for name, (version, _) in HOSTS.items():
            moved = self.folder / f"elsewhere {name}"
            shutil.copytree(extension(version).parent, moved)
            with self.subTest(name), Host(name, moved / "paimon.duckdb_extension") as host:
                host.query(f"ATTACH '{self.folder}/w {name}' AS lake (TYPE paimon)")
                host.query("CREATE TABLE lake.default.t AS SELECT i FROM range(1000) r(i)")
                self.assertEqual(host.query("SELECT sum(i) FROM lake.default.t"), [["499500"]])
                opened = pathlib.Path(f"/proc/{self.loader_of(host)}/maps").read_text()
                ours = {line.split(maxsplit=5)[-1] for line in opened.splitlines() if "libpaimon_" in line}
                self.assertTrue(ours)
                self.assertEqual({str(pathlib.Path(path).parent) for path in ours}, {str(moved)})

    @staticmethod
    def loader_of(host):
        """The process with the DuckDB in it: the host's program, or the shell that it has started."""
        children = pathlib.Path(f"/proc/{host.process.pid}/task/{host.process.pid}/children").read_text().split()
        return children[0] if children else host.process.pid

    def test_loads_beside_json_icu_and_parquet(self):
        for name in HOSTS:
            with self.subTest(name), Host(name) as host:
                for other in ("json", "icu", "parquet"):
                    host.query(f"LOAD {other}")
                host.query(f"ATTACH '{self.folder}/{name}' AS lake (TYPE paimon)")
                host.query("""CREATE TABLE lake.default.t AS SELECT '{"a": 5}' AS j, TIMESTAMPTZ '2026-01-01 00:30:00+00' AS t""")
                self.assertEqual(
                    host.query("SELECT json_extract(j, '$.a'), strftime(t AT TIME ZONE 'Asia/Tokyo', '%H:%M') FROM lake.default.t"),
                    [["5", "09:30"]])

    def test_another_version_is_refused_by_name(self):
        for built, host in (("1.5.6", "2.0.1"), ("2.0.1", "1.5.6")):
            out = self.run_python(
                host, """
                import duckdb, sys
                try:
                    duckdb.connect(config={"allow_unsigned_extensions": "true"}).execute(f"LOAD '{sys.argv[1]}'")
                except duckdb.Error as error:
                    print(error)
                """, extension(built))
            self.assertIn(f"built specifically for DuckDB version 'v{built}'", out)

    def test_any_pyarrow_before_or_after(self):
        script = """
            import duckdb, sys
            extension, order, other = sys.argv[1:]
            if other: sys.path.insert(0, other)  # the environment has an older one
            def use_pyarrow():
                import pyarrow as pa, pyarrow.compute as pc, pyarrow.parquet as pq
                pq.write_table(pa.table({"a": range(100000)}), "x.parquet", compression="zstd")
                assert pc.sum(pq.read_table("x.parquet")["a"]).as_py() == 4999950000
                return pa.__version__
            if order == "before": use_pyarrow()
            connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
            connection.execute(f"LOAD '{extension}'")
            connection.execute(f"ATTACH 'w' AS lake (TYPE paimon)")
            connection.execute("CREATE TABLE lake.default.t WITH ('file.format' = 'avro') AS SELECT i, 'n' || i AS s FROM range(100000) r(i)")
            version = use_pyarrow()
            assert connection.execute("SELECT sum(i) FROM lake.default.t WHERE s LIKE 'n9%'").fetchall() == [(959590404,)]
            assert connection.sql("SELECT i FROM lake.default.t").fetch_arrow_table().num_rows == 100000
            print(version)
        """
        for version in VERSIONS:
            for other in ("", str(SETTINGS.pyarrow)):
                for order in ("before", "after"):
                    with self.subTest(f"DuckDB {version}, {order}, {other or 'the older'}"):
                        out = self.run_python(version, script, extension(version), order, other)
                        self.assertTrue(out.startswith("26.0." if other else "19.0."), out)

    def test_databases_of_many_threads_in_one_process(self):
        script = """
            import duckdb, sys, threading
            sums, refused = [], []
            def use(i):
                connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
                connection.execute(f"LOAD '{sys.argv[1]}'")
                connection.execute(f"ATTACH 'w{i}' AS lake (TYPE paimon)")
                connection.execute("CREATE TABLE lake.default.t AS SELECT i FROM range(1000) r(i)")
                connection.execute("DETACH lake")
                connection.execute(f"ATTACH 'w{i}' AS lake (TYPE paimon, READ_ONLY)")
                sums.append(connection.execute("SELECT sum(i) FROM lake.default.t").fetchone()[0])
                try:
                    connection.execute("INSERT INTO lake.default.t VALUES (1)")
                except duckdb.Error as error:
                    refused.append("read-only" in str(error))
                connection.close()
            threads = [threading.Thread(target=use, args=(i,)) for i in range(4)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            print(sums, refused)
        """
        for version in VERSIONS:
            with self.subTest(version):
                self.assertEqual(self.run_python(version, script, extension(version)).strip(),
                                 "[499500, 499500, 499500, 499500] [True, True, True, True]")

    def test_a_folder_that_lacks_a_library_gives_an_error_that_names_it(self):
        for name, (version, _) in HOSTS.items():
            broken = self.folder / name
            shutil.copytree(extension(version).parent, broken)
            (broken / "libpaimon_parquet.so.2600").unlink()
            with self.subTest(name):
                host = Host.__new__(Host)
                host.process = subprocess.Popen(HOSTS[name][1](version), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                with host:
                    error = host.answer(f"LOAD '{broken}/paimon.duckdb_extension'")["error"]
                self.assertIn("libpaimon_parquet.so.2600", error)


def main():
    global SETTINGS
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("packages", "hosts", "runner", "corpus", "pyarrow"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    SETTINGS, rest = parser.parse_known_args()
    for name, value in vars(SETTINGS).items():
        setattr(SETTINGS, name, pathlib.Path(os.path.abspath(value)))
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
