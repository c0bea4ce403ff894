#!/usr/bin/env python3
"""The command line as a script sees it: cli_test.py BINARY. Needs pyarrow, which writes the files that `load` reads."""
import datetime
import decimal
import io
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import time
import unittest

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

BINARY = sys.argv.pop(1)


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.warehouse = self.root / "warehouse"
        self.table = pa.table({
            "id": pa.array(range(1000), pa.int64()),
            "name": pa.array([None if i % 10 == 0 else f"name {i}" for i in range(1000)]),
            "price": pa.array([decimal.Decimal(i) / 4 for i in range(1000)], pa.decimal128(10, 2)),
            "day": pa.array([datetime.date(2024, 1, 1) + datetime.timedelta(i % 30) for i in range(1000)]),
            "tags": pa.array([[f"t{i}", None] for i in range(1000)]),
        })
        self.parquet = self.root / "items.parquet"
        pq.write_table(self.table, self.parquet, row_group_size=100)

    def run_command(self, *arguments, status=0, stdin=None):
        environment = {**os.environ, "BACTRIAN_WAREHOUSE": str(self.warehouse)}
        done = subprocess.run([BINARY, *map(str, arguments)], capture_output=True, env=environment, input=stdin, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr.decode())
        self.error = done.stderr.decode()
        if status:
            self.assertEqual(done.stdout, b"")
            self.assertTrue(self.error.startswith("bactrian: "), self.error)
        return done.stdout

    def load(self, *arguments, **options):
        return self.run_command("load", "db.items", *arguments, **options).decode()

    def count(self, table="db.items"):
        return int(self.run_command("sql", "-c", f"SELECT count(*) FROM lake.{table}").decode().split()[1])

    def test_load_makes_the_table_with_the_files_rows(self):
        self.assertRegex(self.load(self.parquet), r"^db.items loaded 1000 rows \d+ ms\n$")
        stream = self.run_command("scan", "db.items", "--format", "arrow")
        rows = pa.ipc.open_stream(io.BytesIO(stream)).read_all().sort_by("id")
        self.assertEqual(rows.cast(self.table.schema).to_pylist(), self.table.to_pylist())

    def test_load_takes_folders_and_several_threads_and_commits_once(self):
        (self.root / "parts").mkdir()
        for part in range(3):
            pq.write_table(self.table.slice(part * 300, 300), self.root / "parts" / f"{part}.parquet", row_group_size=50)
        self.load(self.root / "parts", "--threads", 4)
        self.assertEqual(self.count(), 900)
        snapshots = json.loads(self.run_command("snapshots", "db.items", "--format", "json"))
        self.assertEqual([(s["snapshot_id"], s["commit_kind"], s["total_record_count"]) for s in snapshots], [(1, "APPEND", 900)])

    def test_load_into_an_existing_table_fails_skips_or_overwrites(self):
        self.load(self.parquet)
        self.load(self.parquet, status=1)
        self.assertIn("db.items exists", self.error)
        self.assertIn("skipped", self.load(self.parquet, "--if-exists", "skip"))
        pq.write_table(self.table.slice(0, 10), self.parquet)
        self.assertIn("overwritten 10 rows", self.load(self.parquet, "--if-exists", "overwrite"))
        self.assertEqual(self.count(), 10)
        self.assertEqual(self.run_command("sql", "-c", "SELECT count(*) FROM lake.db.items AT (VERSION => 1)").split()[1], b"1000")

    def test_a_failed_load_leaves_no_table(self):
        self.parquet.write_bytes(self.parquet.read_bytes()[:-1000])
        self.load(self.parquet, status=1)
        self.assertIn("items.parquet", self.error)
        pq.write_table(self.table, self.parquet, row_group_size=100)
        start = pq.read_metadata(self.parquet).row_group(7).column(1).data_page_offset
        damaged = bytearray(self.parquet.read_bytes())
        damaged[start:start + 40] = b"\xff" * 40
        self.parquet.write_bytes(damaged)
        self.load(self.parquet, status=1)
        self.assertEqual(self.run_command("tables"), b"")
        self.assertEqual(list(self.warehouse.rglob("*.parquet")), [])

    def test_load_refuses_what_a_table_cannot_hold(self):
        pq.write_table(pa.table({"d": pa.array([1], pa.duration("us"))}), self.parquet)
        self.load(self.parquet, status=1)
        self.assertIn('column "d"', self.error)
        self.load(self.root / "nothing.parquet", status=1)
        self.assertIn("nothing.parquet", self.error)
        (self.root / "empty").mkdir()
        self.load(self.root / "empty", status=1)
        self.assertIn("no *.parquet", self.error)

    def test_scan_selects_filters_and_limits(self):
        self.load(self.parquet)
        rows = self.run_command("scan", "db.items", "--select", "name,id", "--filter", "id BETWEEN 9 AND 11", "--format", "csv")
        self.assertEqual(rows.decode(), "name,id\nname 9,9\n,10\nname 11,11\n")
        rows = json.loads(self.run_command("scan", "db.items", "--limit", 1, "--snapshot", 1, "--format", "json"))
        self.assertEqual(rows, [{"id": 0, "name": None, "price": 0.0, "day": "2024-01-01", "tags": ["t0", None]}])
        self.assertIn("decimal(10,2)", self.run_command("scan", "db.items", "--limit", 1, "--format", "table").decode())
        self.run_command("scan", "db.items", "--tag", "none", status=1)
        self.run_command("scan", "db.items", "--filter", "id =", status=1)
        self.run_command("scan", "db.nothing", status=1)

    def test_paths_may_be_relative_to_the_working_directory(self):
        for command in (["load", "-w", "warehouse", "db.items", "items.parquet"], ["scan", "-w", "./warehouse/", "db.items"],
                        ["tables", "-w", "warehouse"], ["sql", "-w", "warehouse", "-c", "FROM lake.db.items"]):
            subprocess.run([BINARY, *command], cwd=self.root, check=True, capture_output=True)
        self.assertEqual(self.count(), 1000)

    def test_tables_describe_and_files(self):
        self.load(self.parquet, "--option", "file.compression=snappy")
        self.run_command("sql", "-c", "CREATE TABLE lake.db.other (a INTEGER NOT NULL, PRIMARY KEY (a))")
        self.assertEqual(self.run_command("tables").decode(), "db.items\ndb.other\n")
        self.assertEqual(self.run_command("tables", "db").decode(), "db.items\ndb.other\n")
        described = self.run_command("describe", "db.items").decode()
        self.assertIn("price  DECIMAL(10, 2)", described)
        self.assertIn("file.compression = snappy", described)
        self.assertIn("primary key     a", self.run_command("describe", "db.other").decode())
        schema = json.loads(self.run_command("describe", "db.items", "--json"))
        self.assertEqual([f["name"] for f in schema["fields"]], self.table.column_names)
        files = json.loads(self.run_command("files", "db.items", "--format", "json"))
        self.assertEqual(sum(f["record_count"] for f in files), 1000)

    def test_sql_runs_files_standard_input_and_several_statements(self):
        script = self.root / "script.sql"
        script.write_text("CREATE TABLE t AS SELECT 'a;b' AS x, NULL AS n; SELECT * FROM t;")
        expected = b'x,n\na;b,\n'
        self.assertEqual(self.run_command("sql", "-f", script), expected)
        self.assertEqual(self.run_command("sql", stdin=script.read_bytes()), expected)
        self.assertEqual(self.run_command("sql", "-c", "SELECT 1 AS a", "-c", "SELECT '\"' AS b, '' AS e"), b'a\n1\nb,e\n"""",""\n')
        self.assertEqual(json.loads(self.run_command("sql", "--format", "json", "-c", "SELECT 'NaN'::DOUBLE AS d, '\x01\n' AS s, 1.50 AS p")),
                         [{"d": "nan", "s": "\x01\n", "p": 1.5}])
        self.assertIn("│", self.run_command("sql", "--format", "box", "-c", "SELECT 1").decode())

    def json(self, *arguments):
        return json.loads(self.run_command(*arguments, "--format", "json"))

    def load_by_day(self):
        """Three snapshots of two files each: one a day."""
        day = pa.table({"id": pa.array(range(4), pa.int64()), "day": pa.array(["a", "a", "b", "b"])})
        pq.write_table(day, self.parquet)
        self.run_command("load", "db.items", self.parquet, "--partition-by", "day", "--threads", 1)
        for _ in range(2):
            self.run_command("sql", "-c", "INSERT INTO lake.db.items SELECT id + 10, day FROM lake.db.items AT (VERSION => 1)")

    def test_compact_merges_files_and_says_what_it_did(self):
        self.load_by_day()
        self.assertEqual(self.json("compact", "db.items", "--full", "--dry-run"),
                         [{"files_before": 6, "files_after": None, "snapshot_id": None}])
        self.assertEqual(self.run_command("compact", "db.items").decode(), "db.items: nothing to compact\n")
        self.assertEqual(self.json("compact", "db.items", "--full", "--partition", "day=a"),
                         [{"files_before": 3, "files_after": 1, "snapshot_id": 4}])
        self.assertEqual(self.run_command("compact", "db.items", "--full").decode(), "db.items: 3 files became 1 in snapshot 5\n")
        self.assertEqual(len(self.json("files", "db.items")), 2)
        self.assertEqual(self.count(), 12)

    def test_dry_runs_change_nothing(self):
        self.load_by_day()
        before = sorted((str(path), path.stat().st_mtime_ns) for path in self.warehouse.rglob("*"))
        for command in (["truncate"], ["drop-partition", "day=a"], ["compact", "--full"], ["expire", "--retain-max", 1, "--retain-min", 1],
                        ["remove-orphans"]):
            self.run_command(command[0], "db.items", *command[1:], "--dry-run")
        self.assertEqual(sorted((str(path), path.stat().st_mtime_ns) for path in self.warehouse.rglob("*")), before)

    def test_truncate_and_drop_partition_remove_rows(self):
        self.load_by_day()
        dropped = self.json("drop-partition", "db.items", "day=a")
        self.assertEqual([(row["files"], row["rows"], row["snapshot_id"]) for row in dropped], [(3, 6, 4)])
        self.assertEqual(self.count(), 6)
        self.run_command("truncate", "db.items")
        self.assertEqual(self.count(), 0)
        self.run_command("drop-partition", "db.items", "week=1", status=1)
        self.assertIn("week", self.error)

    def test_overwrite_replaces_partitions_or_the_table(self):
        self.load_by_day()
        self.assertEqual(self.json("overwrite", "db.items", "-c", "SELECT 100, 'a'"), [{"Count": 1}])
        self.assertEqual(self.count(), 7)
        self.run_command("overwrite", "db.items", "-c", "SELECT 200", "--partition", "day=b", "--static")
        self.assertEqual(sorted(self.json("scan", "db.items"), key=lambda row: row["id"]), [{"id": 100, "day": "a"}, {"id": 200, "day": "b"}])
        query = self.root / "query.sql"
        query.write_text("SELECT 1, 'c'")
        self.run_command("overwrite", "db.items", "-f", query, "--static")
        self.assertEqual(self.json("scan", "db.items"), [{"id": 1, "day": "c"}])
        self.run_command("overwrite", "db.items", "-c", "SELECT 'x'", status=1)
        self.assertEqual(self.count(), 1)

    def test_expire_tags_and_orphans(self):
        self.load_by_day()
        self.assertEqual(self.json("tag", "create", "db.items", "start", "--snapshot", 1), [{"tag": "start", "snapshot_id": 1}])
        self.run_command("tag", "create", "db.items", "start", status=1)
        self.run_command("tag", "create", "db.items", "start", "--snapshot", 1, "--replace", "--retain", "30 days")
        self.run_command("compact", "db.items", "--full")
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(" ")
        expired = self.json("expire", "db.items", "--retain-max", 1, "--retain-min", 1, "--older-than", now)
        self.assertEqual(expired[0]["snapshots"], 3)
        self.assertEqual([tag["tag_name"] for tag in self.json("tag", "list", "db.items")], ["start"])
        self.assertEqual(len(self.json("scan", "db.items", "--tag", "start")), 4)
        self.run_command("tag", "delete", "db.items", "start")
        self.assertEqual(self.json("tag", "list", "db.items"), [])
        self.assertEqual(self.json("remove-orphans", "db.items"), [])
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(" ")
        self.assertGreater(len(self.json("remove-orphans", "db.items", "--older-than", now)), 0)
        self.assertEqual(self.count(), 12)

    def test_branches_and_rollback(self):
        self.load_by_day()
        self.run_command("tag", "create", "db.items", "start", "--snapshot", 1)
        self.run_command("branch", "create", "db.items", "trial", "--tag", "start")
        self.assertEqual([row["branch_name"] for row in self.json("branch", "list", "db.items")], ["trial"])
        self.assertEqual(len(self.json("scan", "db.items$branch_trial")), 4)
        self.run_command("branch", "delete", "db.items", "trial")
        self.run_command("branch", "delete", "db.items", "trial", status=1)
        self.assertEqual(self.json("rollback", "db.items", "--snapshot", 2), [{"snapshot_id": 2, "snapshots_deleted": 1, "tags_deleted": 0}])
        self.assertEqual(self.count(), 8)
        self.run_command("rollback", "db.items", "--tag", "start")
        self.assertEqual(self.count(), 4)

    def test_alter_makes_one_schema_of_all_changes(self):
        self.load_by_day()
        out = self.run_command("alter", "db.items", "--add", "note=VARCHAR(10)", "--rename", "note=remark", "--set", "owner=me",
                               "--default", "remark=none", "--column-comment", "remark=free text", "--comment", "all items",
                               "--type", "id=DECIMAL(20, 0)", "--first", "remark")
        self.assertEqual(out.decode(), "db.items: schema 1\n")
        described = self.run_command("describe", "db.items").decode()
        self.assertRegex(described, r"(?s)comment\s+all items.*columns\n  remark  VARCHAR\(10\)  DEFAULT none  -- free text\n  id  DECIMAL\(20, 0\)\n")
        self.assertIn("owner = me", described)
        self.run_command("alter", "db.items", "--after", "remark=id", "--no-default", "remark", "--unset", "owner", "--comment", "")
        described = self.run_command("describe", "db.items").decode()
        self.assertRegex(described, r"columns\n  id .*\n  remark  VARCHAR\(10\)  -- free text\n")
        self.assertNotIn("owner", described)
        self.assertNotIn("all items", described)
        self.run_command("alter", "db.items", "--drop", "remark", "--drop", "day", status=1)
        self.assertIn("day", self.error)
        self.assertIn("remark", self.run_command("describe", "db.items").decode())
        for wrong in (["--set", "nothing"], ["--add", "x=WORDS"], ["--rename", "=x"], []):
            self.run_command("alter", "db.items", *wrong, status=2)

    def test_maintenance_shows_progress_on_a_terminal(self):
        self.load_by_day()
        terminal, child_side = pty.openpty()
        done = subprocess.run([BINARY, "compact", "-w", self.warehouse, "db.items", "--full"], stderr=child_side,
                              stdout=subprocess.PIPE, timeout=120)
        os.close(child_side)
        os.set_blocking(terminal, False)
        try:
            shown = os.read(terminal, 4096)
        except OSError:
            shown = b""
        os.close(terminal)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"\x1b[K", shown)

    def test_usage_errors_exit_with_2_and_failures_with_1(self):
        for arguments in ([], ["nonsense"], ["load"], ["scan"], ["scan", "db.t", "--format", "xml"], ["sql", "--threads", "0"], ["load", "db.t", "x.parquet", "--option", "nothing"],
                          ["sql", "-c", "SELECT 1", "-f", __file__], ["scan", "db.t", "--snapshot", "1", "--tag", "x"], ["drop-partition", "db.t"],
                          ["overwrite", "db.t"], ["tag"], ["tag", "create", "db.t"], ["branch", "list"], ["rollback", "db.t"], ["alter", "db.t"],
                          ["expire", "db.t", "--retain-max", "0"], ["overwrite", "db.t", "-c", "SELECT 1", "--dynamic", "--static"]):
            self.run_command(*arguments, status=2)
        for arguments in (["sql", "-c", "SELEC"], ["describe", "db.nothing"], ["describe", "nodot"], ["tables", "nothing"], ["truncate", "db.nothing"],
                          ["compact", "db.nothing"], ["alter", "db.nothing", "--set", "a=b"], ["expire", "nodot"],
                          ["sql", "--read-only", "-w", self.root / "nowhere", "-c", "SELECT 1"]):
            self.run_command(*arguments, status=1)
        for arguments in (["--help"], ["sql", "--help"], ["load", "--help"], ["scan", "--help"], ["tables", "--help"],
                          ["describe", "--help"], ["snapshots", "--help"], ["files", "--help"], ["overwrite", "--help"], ["truncate", "--help"],
                          ["drop-partition", "--help"], ["compact", "--help"], ["expire", "--help"], ["remove-orphans", "--help"],
                          ["tag", "--help"], ["tag", "create", "--help"], ["branch", "create", "--help"], ["rollback", "--help"], ["alter", "--help"]):
            self.assertIn("Usage", self.run_command(*arguments).decode())

    def test_the_shell_runs_statements_over_several_lines_and_goes_on_after_errors(self):
        self.load(self.parquet)
        terminal, child_side = pty.openpty()
        environment = {**os.environ, "HOME": str(self.root), "TERM": "dumb"}
        shell = subprocess.Popen([BINARY, "sql", "-w", self.warehouse], stdin=child_side, stdout=child_side, stderr=child_side,
                                 env=environment, close_fds=True)
        os.close(child_side)
        os.write(terminal, b"SELECT nothing;\nSELECT count(*) + 41000\nFROM lake.db.items;\n.tables\n.quit\n")
        output, deadline = b"", time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            output += piece
        self.assertEqual(shell.wait(timeout=60), 0)
        os.close(terminal)
        self.assertIn(b"42000", output)
        self.assertIn(b"Binder Error", output)
        self.assertIn(b"items", output)
        self.assertIn("FROM", (self.root / ".bactrian_history").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=1)
