#!/usr/bin/env python3
"""Benchmarks beside peers: each round runs everybody once, in alternating order; medians and ratios are printed as a table.

Usage: run.py scan|plan|merge|lookup|write|commit|compact --build DIR --peers PYTHON --directory DIR [--rounds N] [--rows N] [--source FILE | --generator PYTHON]
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import writing

HERE = pathlib.Path(__file__).parent
PLAN_FILES = 100_000
ROW_SQL = """COPY (SELECT i AS id, CAST(hash(i) % 1000 AS BIGINT) AS scattered, i // 100 AS a, (i * 7919) % 100000 AS b, i / 7.0 AS c,
  'name ' || (i % 5000) AS d, 'payload ' || hash(i * 31) AS e, TIMESTAMP '2024-01-01' + INTERVAL (i) SECOND AS f,
  CAST(i % 100000 AS DECIMAL(12, 2)) AS g, i % 2 = 0 AS h FROM range({rows}) t(i)) TO '{file}' (FORMAT parquet, COMPRESSION zstd)"""


def ask(command):
    """The last line of the command's output, as JSON."""
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"bench: failed: {' '.join(str(c) for c in command)}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def compare(title, contestants, rounds, same_rows=True):
    """Runs {name: command} in alternating order; the first is ours. Prints medians and ratios to ours."""
    results = {name: [] for name in contestants}
    for round_number in range(rounds):
        names = list(contestants) if round_number % 2 == 0 else list(reversed(contestants))
        for name in names:
            results[name].append(ask(contestants[name])[-1])
    rows = {name: {figures[-1]["rows"] for figures in [r]} for name, r in results.items()}
    if same_rows and len(set.union(*rows.values())) != 1:
        sys.exit(f"bench: {title}: row counts differ: {rows}")
    ours = statistics.median(r["cpu"] for r in results[next(iter(contestants))])
    for name, figures in results.items():
        wall, cpu = (statistics.median(r[key] for r in figures) for key in ("seconds", "cpu"))
        print(f"| {title} | {name} | {wall * 1000:.0f} | {cpu * 1000:.0f} | {ours / cpu:.2f} |", flush=True)


def scan(args):
    table = args.directory / "warehouse" / "bench.db" / "t"
    if not (table / "snapshot").exists():
        args.directory.mkdir(parents=True, exist_ok=True)
        source = args.directory / "rows.parquet"
        subprocess.run([args.peers, "-c", f"import duckdb; duckdb.sql('''{ROW_SQL.format(rows=args.rows, file=source)}''')"], check=True)
        subprocess.run([args.build / "cli/bactrian", "load", "--warehouse", args.directory / "warehouse", "bench.t", source],
                       check=True, stdout=subprocess.DEVNULL)
    ours, peers = args.build / "bench/bactrian_scan_bench", HERE / "peers.py"
    cases = {
        "full scan": [],
        "2 of 10 columns": ["--columns", "a,d"],
        "1 %, clustered": ["--filter", f"id<{args.rows // 100}"],
        "1 %, scattered": ["--filter", "scattered<10"],
    }
    print(f"{args.rows} rows, one thread; ratio is Bactrian's CPU time to the contestant's\n")
    print("| case | contestant | wall ms | CPU ms | ratio |\n| --- | --- | --- | --- | --- |")
    for title, options in cases.items():
        compare(title, {"Bactrian": [ours, table, *options],
                        "pyarrow": [args.arrow, peers, "pyarrow", table, *options],
                        "DuckDB": [args.peers, peers, "duckdb", table, *options]}, args.rounds)


def plan(args):
    table = args.directory / "warehouse" / "bench.db" / "files100k"
    bench = args.build / "bench/bactrian_plan_bench"
    if not (table / "snapshot").exists():
        subprocess.run([bench, "make", table, str(PLAN_FILES)], check=True)
    runs = [ask([bench, "plan", table]) for _ in range(args.rounds)]
    print("100,000 files in the manifests of one snapshot, 10 columns of statistics\n")
    print("| contestant | plan | wall ms | CPU ms | files a CPU second | bytes a file |\n| --- | --- | --- | --- | --- | --- |")
    for index, name in enumerate(["first", "again, from the session's cache"]):
        median = {key: statistics.median(r[index][key] for r in runs)
                  for key in ("seconds", "cpu", "files_per_cpu_second", "bytes_per_file")}
        print(f"| Bactrian | {name} | {median['seconds'] * 1000:.0f} | {median['cpu'] * 1000:.0f} | "
              f"{median['files_per_cpu_second']:.0f} | {median['bytes_per_file']:.0f} |", flush=True)
    for name, peer in {"pypaimon": "pypaimon-plan", "paimon-rust": "rust-plan"}.items():
        figures = ask([args.peers, HERE / "peers.py", peer, table])[-1]
        print(f"| {name} | first | {figures['seconds'] * 1000:.0f} | {figures['cpu'] * 1000:.0f} | {PLAN_FILES / figures['cpu']:.0f} | |",
              flush=True)


ORACLE = HERE.parent / "tests" / "interop" / "oracle" / "oracle"
SHAPES = {"one": "one run", "deltas": "base + 3 deltas of 5 %", "4": "4 interleaved runs", "64": "64 interleaved runs"}


def merge(args):
    bench, peers = args.build / "bench/bactrian_merge_bench", HERE / "peers.py"
    rows = min(args.rows, 4_000_000)
    print(f"{rows} rows of 11 columns in the base; one thread\n")
    print("| the merge alone, columns in memory | ns a row read | M rows/s |\n| --- | --- | --- |")
    for shape, title in SHAPES.items():
        rounds = ask([bench, "memory", shape, rows, args.rounds])
        print(f"| {title} | {statistics.median(r['ns'] for r in rounds):.0f} | {statistics.median(r['mrows'] for r in rounds):.1f} |", flush=True)
    print("\nWith decode; the ratio is Bactrian's CPU time, merged, to the contestant's\n")
    print("| case | contestant | wall ms | CPU ms | ratio |\n| --- | --- | --- | --- | --- |")
    warehouse = args.directory / "warehouse"
    for shape, title in SHAPES.items():
        table = warehouse / "bench.db" / f"merge_{shape}_{rows}"
        if not (table / "snapshot").exists():
            subprocess.run([bench, "make", warehouse, table.name, shape, str(rows)], check=True)
        ours = {"Bactrian": [bench, "read", table, "merged"]}
        compare(title, {**ours, "the same files unmerged": [bench, "read", table, "unmerged"]}, args.rounds, same_rows=False)
        compare(title, {**ours, "pypaimon-rust": [args.peers, peers, "rust-read", table],
                        "pypaimon": [args.peers, peers, "pypaimon-read", table]}, min(args.rounds, 3))
        if args.reference:
            os.environ["ORACLE_JIT"] = ""  # both compilers, as a server would run it
            compare(title, {**ours, "the reference (Java)": [ORACLE, "count", warehouse, "bench", table.name]}, min(args.rounds, 3))


def lookup(args):
    bench = args.build / "bench/bactrian_lookup_bench"
    table = args.directory / "warehouse" / "bench.db" / f"lookup_{args.rows}"
    if not (table / "snapshot").exists():
        subprocess.run([bench, "make", args.directory / "warehouse", table.name, str(args.rows)], check=True)
    print(f"{args.rows} keys, 4 columns, single random keys, one in ten absent\n")
    print("| contestant | case | p50 µs | p99 µs | peak memory MiB |\n| --- | --- | --- | --- | --- |")
    for budget in (512, 64):
        for figure in ask([bench, "find", table, args.rows, 200_000 if budget == 512 else 20_000, budget << 20]):
            print(f"| Bactrian, cache of {budget} MiB | {figure['what']} | {figure['p50_us']:.1f} | {figure['p99_us']:.1f} | "
                  f"{figure['peak_bytes'] / 2**20:.0f} |", flush=True)
    sql = args.build / "bench/bactrian_lookup_sql_bench"
    for figure in ask([sql, table, args.rows, 5000]):
        print(f"| {figure['contestant']} | prepared SQL | {figure['p50_us']:.0f} | {figure['p99_us']:.0f} | |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["scan", "plan", "merge", "lookup", "write", "commit", "compact"])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--arrow", type=pathlib.Path, required=True, help="Python with the pyarrow that we are built with")
    parser.add_argument("--peers", type=pathlib.Path, required=True, help="Python with requirements/peers.txt")
    parser.add_argument("--directory", type=pathlib.Path, required=True, help="for data; kept between runs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--reference", action="store_true", help="merge: beside the Java reference too (JDK and Maven)")
    parser.add_argument("--source", type=pathlib.Path, help="write, compact: TPC-DS store_sales as a Parquet file; made if not given")
    parser.add_argument("--generator", type=pathlib.Path, help="Python with requirements/tpcds.txt, to make it")
    args = parser.parse_args()
    args.directory = args.directory.resolve()
    written = {"write": writing.write, "commit": writing.commit, "compact": writing.compact}
    if args.what in written:
        written[args.what](args, ask)
    else:
        {"scan": scan, "plan": plan, "merge": merge, "lookup": lookup}[args.what](args)


if __name__ == "__main__":
    main()
