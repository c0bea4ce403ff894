#!/usr/bin/env python3
"""Cases that sank other engines, each beside read_parquet over the same files; `tpcds run` times them.

Usage: sql.py --build DIR --arrow PYTHON --directory DIR [--rounds N] [--big-gb N]
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

# Case, query, what EXPLAIN ANALYZE must say of the files that Paimon opened (None: not asked).
CASES = [
    ("every column of one large file", "SELECT bit_xor(hash(big)) FROM big", 1),
    ("count(*) over 5,000 files", "SELECT count(*) FROM many", 0),
    ("LIMIT 10 over 5,000 files", "SELECT * FROM many LIMIT 10", 1),
    ("1 of 5,000 files by a filter", "SELECT sum(v) FROM many WHERE id = 2345678", 1),
    ("top 5 of 20 columns, late materialisation", "SELECT * FROM big ORDER BY v DESC, id LIMIT 5", 1),
    ("top 5 over 5,000 files in order", "SELECT * FROM many ORDER BY id DESC LIMIT 5", None),
    ("join with 10 keys", "SELECT count(*), sum(v) FROM big JOIN keys USING (id)", None),
]
ROWS_A_FILE = 1000
BIG_ROWS_A_GB = 8_000_000

TEXTS = ", ".join(f"'text {n} ' || (hash(i + {n}) % 1000000000) AS t{n}" for n in range(9))
NUMBERS = ", ".join(f"(hash(i * 31 + {n}) % 1000000007) / 1000.0 AS n{n}" for n in range(9))
BIG = f"COPY (SELECT i AS id, CAST(hash(i) % 1099511627776 AS BIGINT) AS v, {TEXTS}, {NUMBERS} FROM range({{rows}}) r(i)) TO '{{file}}' (FORMAT parquet, COMPRESSION zstd)"
KEYS = "COPY (SELECT {rows} // 2 + i * 5 AS id FROM range(10) r(i)) TO '{file}' (FORMAT parquet)"
MAKE_MANY = '''
import pathlib, sys
import pyarrow as pa, pyarrow.parquet as pq
folder, files, rows = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
folder.mkdir()
for i in range(files):
    ids = range(i * rows, (i + 1) * rows)
    pq.write_table(pa.table({"id": list(ids), "v": [(x * 2654435761) % (1 << 32) for x in ids]}), folder / f"part-{i:05}.parquet")
'''


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"bench: failed: {' '.join(str(c) for c in command[:4])} …\n{done.stdout}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--arrow", type=pathlib.Path, required=True, help="Python with pyarrow")
    parser.add_argument("--directory", type=pathlib.Path, required=True, help="for data; kept between runs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--big-gb", type=float, default=2)
    args = parser.parse_args()
    directory = args.directory.resolve() / f"sql-{args.big_gb:g}"
    data, queries, warehouse = directory / "data", directory / "queries", directory / "warehouse"
    bactrian = args.build / "cli/bactrian"
    if not (data / "keys.parquet").exists():
        data.mkdir(parents=True, exist_ok=True)
        rows = int(args.big_gb * BIG_ROWS_A_GB)
        run(bactrian, "sql", "-c", BIG.format(rows=rows, file=data / "big.parquet"))
        run(args.arrow, "-c", MAKE_MANY, data / "many.parquet", 5000, ROWS_A_FILE)
        run(bactrian, "sql", "-c", KEYS.format(rows=rows, file=data / "keys.parquet"))
    run(bactrian, "tpcds", "load", "--data", data, "--warehouse", warehouse, "--if-exists", "skip", "--link")
    queries.mkdir(exist_ok=True)
    for number, (_, sql, _) in enumerate(CASES, 1):
        (queries / f"q{number}.sql").write_text(sql)
    runs = {"paimon": [], "parquet": []}
    for number in range(args.rounds):
        for source in sorted(runs, reverse=number % 2 == 1):
            output = directory / f"{source}.json"
            run(bactrian, "tpcds", "run", "--source", source, "--data", data, "--warehouse", warehouse, "--queries", queries, "--output", output,
                "--query", f"1-{len(CASES)}", "--warmup", 1, "--iterations", 3)
            runs[source].append(json.loads(output.read_text()))
    print("| case | Paimon planning + execution ms | Parquet | ratio of execution | of CPU | MB read cold, Paimon | Parquet | files opened |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    failed = False
    for number, (title, sql, wanted) in enumerate(CASES):
        figures, cold, digests = {}, {}, set()
        for source, rounds in runs.items():
            measured = [one for r in rounds for one in r["queries"][number]["runs"]]
            digests |= {(one["rows"], one["hash"]) for one in measured}
            figures[source] = {key: statistics.median(one[key] for one in measured) for key in ("planning_ms", "execution_ms", "cpu_ms")}
            cold[source] = statistics.median(one["bytes_read"] for r in rounds for one in r["queries"][number]["warmup"]) / 1e6
        plan = run(bactrian, "sql", "--warehouse", warehouse, "--format", "csv", "-c", "USE lake.tpcds", "-c", f"EXPLAIN ANALYZE {sql}")
        opened = sum(int(count) for count in re.findall(r"Total Files Read:\s*([0-9]+)", plan))
        different = len(digests) != 1 and "LIMIT 10" not in sql
        failed |= different or (wanted is not None and opened != wanted)
        a, b = figures["paimon"], figures["parquet"]
        print(f"| {title} | {a['planning_ms']:.1f} + {a['execution_ms']:.1f} | {b['planning_ms']:.1f} + {b['execution_ms']:.1f} | "
              f"{a['execution_ms'] / max(b['execution_ms'], 0.001):.2f} | {a['cpu_ms'] / max(b['cpu_ms'], 0.001):.2f} | {cold['paimon']:.1f} | "
              f"{cold['parquet']:.1f} | {opened}{'' if wanted in (None, opened) else f' (wanted {wanted})'}{' RESULTS DIFFER' if different else ''} |")
    return failed


if __name__ == "__main__":
    sys.exit(main())
