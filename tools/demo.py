#!/usr/bin/env python3
"""The main job on real data: TPC-DS tables loaded as Paimon tables, ten queries over them and over the Parquet files.

Usage: demo.py --bactrian BINARY --generator PYTHON [--scale N] [--directory DIR]
Leaves the warehouse in DIR (default: demo/) to play with. Exit status 1 if any result differs.
"""
import argparse
import pathlib
import subprocess
import sys
import time

QUERIES = [3, 7, 19, 27, 34, 42, 52, 55, 68, 96]


def run(command):
    """Standard output of a command and its seconds; a failure ends the demo with the command's own message."""
    start = time.perf_counter()
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"demo: failed with status {done.returncode}: {' '.join(str(c) for c in command[:3])} …")
    return done.stdout, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bactrian", type=pathlib.Path, required=True)
    parser.add_argument("--generator", type=pathlib.Path, required=True)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--directory", type=pathlib.Path, default=pathlib.Path("demo"))
    args = parser.parse_args()
    data = args.directory / f"tpcds-sf{args.scale:g}"
    warehouse = args.directory / f"warehouse-sf{args.scale:g}"
    here = pathlib.Path(__file__).parent

    print(f"==> TPC-DS data at scale {args.scale:g} in {data}", flush=True)
    _, seconds = run([args.generator, here / "make_tpcds.py", "--scale", args.scale, "--output", data])
    print(f"    {seconds:.1f} s")

    print(f"==> bactrian load: 24 tables into {warehouse}", flush=True)
    tables = sorted(p.stem for p in data.glob("*.parquet"))
    start = time.perf_counter()
    for table in tables:
        output, seconds = run([args.bactrian, "load", "--warehouse", warehouse, "--if-exists", "overwrite", f"tpcds.{table}",
                               data / f"{table}.parquet"])
        print(f"    {output.strip()}  ({seconds:.1f} s)", flush=True)
    print(f"    {len(tables)} tables in {time.perf_counter() - start:.1f} s")

    print(f"==> ten queries: over the Paimon tables and over the Parquet files", flush=True)
    views = args.directory / "views.sql"
    views.write_text("".join(f"CREATE VIEW {t} AS FROM read_parquet('{(data / t).resolve()}.parquet');\n" for t in tables))
    different, totals = 0, [0.0, 0.0]
    for number in QUERIES:
        query = (data / "queries" / f"q{number}.sql").read_text().strip().rstrip(";")
        paimon_file, parquet_file = args.directory / "paimon.sql", args.directory / "parquet.sql"
        paimon_file.write_text(f"USE lake.tpcds;\n{query};\n")
        parquet_file.write_text(f"{views.read_text()}{query};\n")
        paimon, paimon_seconds = run([args.bactrian, "sql", "--warehouse", warehouse, "--format", "csv", "-f", paimon_file])
        parquet, parquet_seconds = run([args.bactrian, "sql", "--format", "csv", "-f", parquet_file])
        equal = sorted(paimon.splitlines()) == sorted(parquet.splitlines()) and paimon.strip() != ""
        different += not equal
        totals = [totals[0] + paimon_seconds, totals[1] + parquet_seconds]
        print(f"    q{number:<3} {len(paimon.splitlines()) - 1:5} rows  Paimon {paimon_seconds:6.2f} s  Parquet "
              f"{parquet_seconds:6.2f} s  {'equal' if equal else 'DIFFERENT'}", flush=True)
    print(f"    total          Paimon {totals[0]:6.2f} s  Parquet {totals[1]:6.2f} s")
    print(f"\nThe warehouse stays in {warehouse}. Try:\n  {args.bactrian} sql --warehouse {warehouse}\n"
          f"  D SELECT * FROM lake.tpcds.\"store_sales$snapshots\";")
    print(f"{len(QUERIES) - different} passed, {different} failed")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
