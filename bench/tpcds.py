#!/usr/bin/env python3
"""TPC-DS over Paimon tables and over Parquet files: sources in alternating order, the same threads and memory.

Usage: tpcds.py --build DIR --generator PYTHON --directory DIR [--scale N] [--rounds N] [--threads N] [--memory-limit-gib N]
                [--sources paimon,parquet,written,snappy] [--query 1-99] [--results DIR] [--data DIR --queries DIR]
- paimon:  the Parquet files themselves, registered as data files of Paimon tables (hard links)
- parquet: read_parquet over the same files (written by DuckDB, zstd)
- written: tables that Bactrian wrote, default options (zstd)
- snappy:  read_parquet over files that DuckDB wrote with Snappy
A round runs every source once, each with a warm-up and a measured iteration of all queries. Results: one JSON a source
(tpcds-SOURCE-sfN.json) and a chart of each comparison.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, check=True):
    done = subprocess.run([str(c) for c in command])
    if check and done.returncode:
        sys.exit(f"bench: failed: {' '.join(str(c) for c in command)}")
    return done.returncode


def prepare(args, bactrian):
    """Makes what the sources read; keeps what is there. The arguments of `tpcds run` for each source."""
    data = args.data or args.directory / f"data-sf{args.scale:g}"
    queries = args.queries or data / "queries"
    if not args.data:
        run(args.generator, HERE.parent / "tools/make_tpcds.py", "--scale", args.scale, "--output", data)
    snappy = args.directory / f"snappy-sf{args.scale:g}"
    linked, written = (args.directory / f"{kind}-sf{args.scale:g}" for kind in ("linked", "written"))
    if "paimon" in args.sources:
        run(bactrian, "tpcds", "load", "--data", data, "--warehouse", linked, "--if-exists", "skip", "--link")
    if "written" in args.sources:
        run(bactrian, "tpcds", "load", "--data", data, "--warehouse", written, "--if-exists", "skip")
    if "snappy" in args.sources and not snappy.exists():
        partial = snappy.with_suffix(".partial")
        partial.mkdir(parents=True, exist_ok=True)
        for file in sorted(data.glob("*.parquet")):
            run(bactrian, "sql", "-c", f"COPY (FROM read_parquet('{file}')) TO '{partial / file.name}' (FORMAT parquet, COMPRESSION snappy)")
        partial.rename(snappy)
    common = ["--queries", queries]
    return {
        "paimon": ["--source", "paimon", "--warehouse", linked, *common],
        "parquet": ["--source", "parquet", "--data", data, *common],
        "written": ["--source", "paimon", "--warehouse", written, *common],
        "snappy": ["--source", "parquet", "--data", snappy, *common],
    }


def merge(files):
    """The outputs of several rounds as one, their measured runs side by side."""
    merged = json.loads(files[0].read_text())
    for file in files[1:]:
        by_number = {query["query"]: query for query in json.loads(file.read_text())["queries"]}
        for query in merged["queries"]:
            other = by_number.get(query["query"], {"error": "missing in a round"})
            for key in ("warmup", "runs"):
                query[key] += other.get(key, [])
            if "error" in other:
                query.setdefault("error", other["error"])
    return merged


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--generator", type=pathlib.Path, required=True, help="Python with requirements/tpcds.txt")
    parser.add_argument("--directory", type=pathlib.Path, required=True, help="for data; kept between runs")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--memory-limit-gib", type=int, default=16)
    parser.add_argument("--sources", type=lambda text: text.split(","), default=["paimon", "parquet", "written", "snappy"])
    parser.add_argument("--query", default="1-99")
    parser.add_argument("--results", type=pathlib.Path, default=HERE / "results")
    parser.add_argument("--data", type=pathlib.Path, help="the folder of <table>.parquet, instead of generating it")
    parser.add_argument("--queries", type=pathlib.Path, help="the folder of q1.sql …, with --data")
    args = parser.parse_args()
    args.directory = args.directory.resolve()
    args.directory.mkdir(parents=True, exist_ok=True)
    args.results.mkdir(parents=True, exist_ok=True)
    bactrian = args.build / "cli/bactrian"
    commands = prepare(args, bactrian)
    outputs = {source: [] for source in args.sources}
    for number in range(args.rounds):
        for source in args.sources if number % 2 == 0 else reversed(args.sources):
            output = args.directory / f"{source}-{number}.json"
            print(f"==> round {number + 1}: {source}", flush=True)
            run(bactrian, "tpcds", "run", *commands[source], "--output", output, "--query", args.query, "--warmup", 1, "--iterations", 1,
                "--threads", args.threads, "--memory-limit-gib", args.memory_limit_gib, "--spill-dir", args.directory / "spill", check=False)
            outputs[source].append(output)
    results = {}
    for source, files in outputs.items():
        results[source] = args.results / f"tpcds-{source}-sf{args.scale:g}.json"
        results[source].write_text(json.dumps(merge(files), indent=1) + "\n")
    failed = 0
    for ours, peer in (("paimon", "parquet"), ("written", "parquet"), ("written", "snappy")):
        if ours not in results or peer not in results:
            continue
        print(f"\n==> {ours} beside {peer}", flush=True)
        failed |= run(bactrian, "tpcds", "compare", results[ours], results[peer], "--svg",
                      args.results / f"tpcds-{ours}-{peer}-sf{args.scale:g}.svg", check=False)
    return failed


if __name__ == "__main__":
    sys.exit(main())
