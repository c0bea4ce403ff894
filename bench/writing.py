"""The benchmarks of writing, committing and compacting that bench/run.py offers. Everybody makes a new table in each round."""
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PEERS = {"DuckDB": "duckdb", "pypaimon": "pypaimon", "pypaimon-rust": "rust"}


def _median(figures, key):
    return statistics.median(figure[key] for figure in figures)


def _alternate(contestants, rounds, folder, run):
    """run(name, fresh folder) for each name in alternating order; {name: [figures]}."""
    results = {name: [] for name in contestants}
    for number in range(rounds):
        for name in contestants if number % 2 == 0 else reversed(contestants):
            target = folder / "target"
            shutil.rmtree(target, ignore_errors=True)
            results[name].append(run(name, target))
    shutil.rmtree(folder / "target", ignore_errors=True)
    return results


def _store_sales(args):
    args.directory.mkdir(parents=True, exist_ok=True)
    given = args.source or args.directory / "tpcds-sf1" / "store_sales.parquet"
    if not given.exists():
        subprocess.run([args.generator, HERE.parent / "tools/make_tpcds.py", "--scale", "1", "--output", given.parent], check=True)
    return given


def _with_320_values(args, source):
    """The same rows with one more column."""
    target = args.directory / "store_sales_320.parquet"
    if not target.exists():
        query = f"COPY (SELECT *, CAST(ss_item_sk % 320 AS INTEGER) AS part FROM '{source}') TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
        subprocess.run([args.peers, "-c", f'import duckdb; duckdb.execute("""SET enable_progress_bar = false; {query}""")'], check=True)
    return target


def write(args, ask):
    given = _store_sales(args)
    partitioned = _with_320_values(args, given)
    ours, peers = args.build / "bench/bactrian_write_bench", HERE / "write_peers.py"

    def command(name, source, target, partition):
        tail = ["--partition", "part"] if partition else []
        if name == "Bactrian":
            return [ours, "write", source, target / "bench.db" / "t", *tail]
        return [args.peers, peers, PEERS[name], "write", source, target, *tail]

    print("| case | contestant | wall ms | CPU ms | ratio, wall | ratio, CPU | MB |\n| --- | --- | --- | --- | --- | --- | --- |")
    for title, source, partition, names in [("store_sales", given, False, ["Bactrian", *PEERS]),
                                            ("with 320 values, unpartitioned", partitioned, False, ["Bactrian"]),
                                            ("320 partitions", partitioned, True, ["Bactrian", "DuckDB"])]:
        # The peers take many times as long: once is enough.
        slow = [name for name in names if name.startswith("pypaimon")]
        results = _alternate([name for name in names if name not in slow], args.rounds, args.directory,
                             lambda name, target: ask(command(name, source, target, partition))[-1])
        results.update(_alternate(slow, 1, args.directory, lambda name, target: ask(command(name, source, target, partition))[-1]))
        if len({figure["rows"] for figures in results.values() for figure in figures}) != 1:
            sys.exit(f"bench: {title}: row counts differ: {results}")
        for name, figures in results.items():
            wall, cpu = _median(figures, "seconds"), _median(figures, "cpu")
            print(f"| {title} | {name} | {wall * 1000:.0f} | {cpu * 1000:.0f} | {_median(results['Bactrian'], 'seconds') / wall:.2f} | "
                  f"{_median(results['Bactrian'], 'cpu') / cpu:.2f} | {figures[0]['bytes'] / 1e6:.1f} |", flush=True)


def commit(args, ask):
    ours, peers = args.build / "bench/bactrian_write_bench", HERE / "write_peers.py"
    print("| where | contestant | snapshots before | commits a second | CPU ms a commit |\n| --- | --- | --- | --- | --- |")
    for where, folder in [("tmpfs", pathlib.Path("/dev/shm")), ("disk", args.directory)]:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="bactrian-bench-", dir=folder) as target:
            table = pathlib.Path(target, "bench.db", "t")
            before = 0
            for commits in [100, 900, 100]:
                figure = ask([ours, "commit", table, "--commits", str(commits)])[-1]
                print(f"| {where} | Bactrian | {before} | {commits / figure['seconds']:.0f} | {figure['cpu'] / commits * 1000:.1f} |", flush=True)
                before += commits
            for name in ["pypaimon", "pypaimon-rust"]:
                figure = ask([args.peers, peers, PEERS[name], "commit", pathlib.Path(target, name), "--commits", "50"])[-1]
                print(f"| {where} | {name} | 0 | {50 / figure['seconds']:.0f} | {figure['cpu'] / 50 * 1000:.1f} |", flush=True)


def compact(args, ask):
    given = _store_sales(args)
    ours, peers = args.build / "bench/bactrian_write_bench", HERE / "write_peers.py"
    small = args.directory / "small"
    if not small.exists():
        ask([ours, "write", given, small / "bench.db" / "t", "--option", "target-file-row-num=20000"])

    def run(name, target):
        if name == "DuckDB":
            return ask([args.peers, peers, "duckdb", "compact", small, target])[-1]
        shutil.copytree(small, target)
        return ask([ours, "compact", target / "bench.db" / "t"])[-1]

    results = _alternate(["Bactrian", "DuckDB"], args.rounds, args.directory, run)
    files = len(list(small.rglob("*.parquet")))
    print(f"{files} files of store_sales into large ones; DuckDB: COPY of the same files\n")
    print("| contestant | wall ms | CPU ms | ratio, wall | ratio, CPU |\n| --- | --- | --- | --- | --- |")
    for name, figures in results.items():
        wall, cpu = _median(figures, "seconds"), _median(figures, "cpu")
        print(f"| {name} | {wall * 1000:.0f} | {cpu * 1000:.0f} | {_median(results['Bactrian'], 'seconds') / wall:.2f} | "
              f"{_median(results['Bactrian'], 'cpu') / cpu:.2f} |", flush=True)
