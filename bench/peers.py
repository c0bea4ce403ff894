#!/usr/bin/env python3
"""One timed scan of Parquet files or plan of a table by a peer, as bench/run.py calls it. Prints {"seconds":…,"cpu":…,"rows":…}.

Usage: peers.py pyarrow|duckdb FOLDER [--columns a,b] [--filter 'column<value']
       peers.py pypaimon-plan|pypaimon-read|rust-read TABLE_PATH
"""
import argparse
import glob
import importlib
import json
import os
import time


def pyarrow_scan(files, columns, bound):
    import pyarrow
    import pyarrow.compute as compute
    import pyarrow.parquet as parquet
    pyarrow.set_cpu_count(1)
    rows = 0
    for file in files:
        reader = parquet.ParquetFile(file)
        wanted = None if columns is None and bound is None else list(dict.fromkeys((columns or reader.schema_arrow.names) + ([bound[0]] if bound else [])))
        for batch in reader.iter_batches(batch_size=16384, columns=wanted, use_threads=False):
            if bound:
                batch = batch.filter(compute.less(batch.column(bound[0]), pyarrow.scalar(int(bound[1]), batch.schema.field(bound[0]).type)))
            rows += batch.num_rows
    return rows


def duckdb_scan(files, columns, bound):
    import duckdb
    connection = duckdb.connect(config={"threads": 1})
    query = f"SELECT {', '.join(columns) if columns else '*'} FROM read_parquet({files})"
    if bound:
        query += f" WHERE {bound[0]} < {bound[1]}"
    reader = connection.execute(query).to_arrow_reader(16384) if hasattr(connection, "to_arrow_reader") else connection.execute(query).fetch_record_batch(16384)
    return sum(batch.num_rows for batch in reader)


def open_table(make_catalog, path):
    database, table = os.path.split(path)
    warehouse, database = os.path.split(database)
    return make_catalog({"warehouse": warehouse}).get_table(f"{database.removesuffix('.db')}.{table}")


def pypaimon_table(path):
    from pypaimon import CatalogFactory
    return open_table(CatalogFactory.create, path)


def pypaimon_plan(path):
    splits = pypaimon_table(path).new_read_builder().new_scan().plan().splits()
    return sum(len(split.files) for split in splits)


def rust_table(path):
    from pypaimon_rust.datafusion import PaimonCatalog
    return open_table(PaimonCatalog, path)


def rust_plan(path):
    return len(rust_table(path).new_read_builder().new_scan().plan().splits())


def pypaimon_read(path):
    builder = pypaimon_table(path).new_read_builder()
    return sum(batch.num_rows for batch in builder.new_read().to_arrow_batch_reader(builder.new_scan().plan().splits()))


def rust_read(path):
    builder = rust_table(path).new_read_builder()
    return sum(batch.num_rows for batch in builder.new_read().read_arrow(builder.new_scan().plan().splits()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["pyarrow", "duckdb", "pypaimon-plan", "rust-plan", "pypaimon-read", "rust-read"])
    parser.add_argument("path")
    parser.add_argument("--columns")
    parser.add_argument("--filter")
    args = parser.parse_args()
    files = sorted(glob.glob(os.path.join(args.path, "**", "*.parquet"), recursive=True))
    columns = args.columns.split(",") if args.columns else None
    bound = args.filter.split("<") if args.filter else None
    importlib.import_module({"pyarrow": "pyarrow.parquet", "pypaimon-plan": "pypaimon", "pypaimon-read": "pypaimon",
                             "rust-plan": "pypaimon_rust.datafusion", "rust-read": "pypaimon_rust.datafusion"}.get(args.peer, "duckdb"))
    importlib.import_module("pyarrow.compute")  # imports are not what is timed
    start, cpu = time.perf_counter(), time.process_time()
    of_table = {"pypaimon-plan": pypaimon_plan, "rust-plan": rust_plan, "pypaimon-read": pypaimon_read, "rust-read": rust_read}
    if args.peer in of_table:
        rows = of_table[args.peer](args.path)
    else:
        rows = (pyarrow_scan if args.peer == "pyarrow" else duckdb_scan)(files, columns, bound)
    print(json.dumps({"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, "rows": rows}))


if __name__ == "__main__":
    main()
