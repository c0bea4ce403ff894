#!/usr/bin/env python3
"""One timed write by a peer, as bench/writing.py calls it. Prints {"seconds":…,"cpu":…,"rows":…,"bytes":…}.

Usage: write_peers.py duckdb|pypaimon|rust write SOURCE FOLDER [--partition COLUMN]
       write_peers.py pypaimon|rust commit FOLDER [--commits N]
       write_peers.py duckdb compact FILES_BELOW FOLDER
FOLDER is made anew; the paimon peers keep a warehouse with db.t in it.
"""
import argparse
import glob
import json
import os
import time


def parquet_bytes(folder):
    files = [folder] if os.path.isfile(folder) else glob.glob(os.path.join(folder, "**", "*.parquet"), recursive=True)
    return sum(os.path.getsize(file) for file in files)


def duckdb_copy(source, folder, partition):
    import duckdb
    connection = duckdb.connect(config={"threads": 2})
    connection.execute("SET enable_progress_bar = false")
    os.makedirs(folder, exist_ok=True)
    target, options = (folder, f", PARTITION_BY ({partition}), OVERWRITE_OR_IGNORE") if partition else (os.path.join(folder, "rows.parquet"), "")
    return connection.execute(f"COPY (SELECT * FROM read_parquet({source})) TO '{target}' (FORMAT parquet, COMPRESSION zstd{options})").fetchone()[0]


def paimon_table(peer, folder, schema, partition):
    os.makedirs(folder, exist_ok=True)
    if peer == "pypaimon":
        from pypaimon import CatalogFactory, Schema
        catalog = CatalogFactory.create({"warehouse": folder})
        catalog.create_database("db", True)
        catalog.create_table("db.t", Schema.from_pyarrow_schema(schema, partition_keys=[partition] if partition else None), True)
        return catalog.get_table("db.t")
    from pypaimon_rust.datafusion import PaimonCatalog, SQLContext
    context = SQLContext()
    context.register_catalog("paimon", {"warehouse": folder})
    context.sql("CREATE SCHEMA IF NOT EXISTS paimon.db")
    names = {"int64": "BIGINT", "int32": "INT", "string": "STRING", "double": "DOUBLE"}
    columns = ", ".join(f"{field.name} {names.get(str(field.type), str(field.type).upper().replace('128', ''))}" for field in schema)
    context.sql(f"CREATE TABLE IF NOT EXISTS paimon.db.t ({columns}){f' PARTITIONED BY ({partition})' if partition else ''}")
    return PaimonCatalog({"warehouse": folder}).get_table("db.t")


def commit_batches(table, batches):
    builder = table.new_batch_write_builder()
    writer, rows = builder.new_write(), 0
    for batch in batches:
        (writer.write_arrow_batch if hasattr(writer, "write_arrow_batch") else writer.write_arrow)(batch)
        rows += batch.num_rows
    builder.new_commit().commit(writer.prepare_commit())
    writer.close()
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["duckdb", "pypaimon", "rust"])
    parser.add_argument("what", choices=["write", "commit", "compact"])
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--partition")
    parser.add_argument("--commits", type=int, default=100)
    args = parser.parse_args()
    import pyarrow
    import pyarrow.parquet
    if args.peer == "duckdb":
        import duckdb  # imports are not what is timed
    folder = args.paths[-1]
    if args.what == "commit":
        schema = pyarrow.schema([("id", pyarrow.int64())])
        batch = pyarrow.record_batch([pyarrow.array([1])], schema=schema)
        table = paimon_table(args.peer, folder, schema, None)
    elif args.peer != "duckdb":
        schema = pyarrow.parquet.read_schema(args.paths[0])
    start, cpu = time.perf_counter(), time.process_time()
    if args.what == "commit":
        rows = sum(commit_batches(table, [batch]) for _ in range(args.commits))
    elif args.peer == "duckdb":
        files = [args.paths[0]] if os.path.isfile(args.paths[0]) else sorted(glob.glob(os.path.join(args.paths[0], "**", "*.parquet"), recursive=True))
        rows = duckdb_copy(files, folder, args.partition)
    else:
        source = pyarrow.parquet.ParquetFile(args.paths[0])
        rows = commit_batches(paimon_table(args.peer, folder, schema, args.partition), source.iter_batches(batch_size=65536))
    print(json.dumps({"seconds": time.perf_counter() - start, "cpu": time.process_time() - cpu, "rows": rows, "bytes": parquet_bytes(folder)}))


if __name__ == "__main__":
    main()
