#!/usr/bin/env python3
"""The cases of scan_bench with pyarrow and DuckDB, one thread: peers.py FILE [ROUNDS]. CPU milliseconds, best of the rounds."""
import resource
import sys

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

path, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
pa.set_cpu_count(1)
pa.set_io_thread_count(1)
con = duckdb.connect()
con.sql("SET threads = 1")
rows = pq.ParquetFile(path).metadata.num_rows


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1e3


def best(run):
    times = []
    for _ in range(rounds):
        begin = cpu()
        count = run()
        times.append(cpu() - begin)
    return min(times), count


def pyarrow_scan(columns, where):
    def run():
        if where is None:
            file = pq.ParquetFile(path, pre_buffer=False)
            return sum(b.num_rows for b in file.iter_batches(16384, columns=columns, use_threads=False))
        data = ds.dataset(path).scanner(columns=columns, filter=where, use_threads=False)
        return sum(b.num_rows for b in data.to_batches())
    return run


def duckdb_scan(columns, where):
    # Every column is consumed, none is worked on: the batches go out as Arrow.
    names = ", ".join(columns) if columns else "*"
    sql = f"SELECT {names} FROM read_parquet('{path}')" + (f" WHERE {where}" if where else "")

    def run():
        return sum(b.num_rows for b in con.sql(sql).to_arrow_reader(16384))
    return run


def duckdb_aggregate(columns, where):
    # Without Arrow at the end: an aggregate that touches the columns.
    names = columns or pq.ParquetFile(path).schema_arrow.names
    sql = f"SELECT {', '.join(f'count({n})' for n in names)} FROM read_parquet('{path}')" + (f" WHERE {where}" if where else "")
    return lambda: con.sql(sql).fetchall()[0][0]


CASES = [
    ("full", None, None, None),
    ("three columns", ["id", "price", "c"], None, None),
    ("one string column", ["cust"], None, None),
    ("low-cardinality strings", ["city"], None, None),
    ("clustered 1 %", None, pc.field("id") < rows // 100, f"id < {rows // 100}"),
    ("scattered 1 %", None, pc.field("k") < 10000, "k < 10000"),
    ("scattered 10 %", None, pc.field("k") < 100000, "k < 100000"),
    ("scattered 50 %", None, pc.field("k") < 500000, "k < 500000"),
    ("point", None, pc.field("id") == rows // 2, f"id = {rows // 2}"),
]
for name, columns, arrow_filter, where in CASES:
    print(f"{name:<24} pyarrow {best(pyarrow_scan(columns, arrow_filter))[0]:9.2f}  "
          f"duckdb to arrow {best(duckdb_scan(columns, where))[0]:9.2f}  "
          f"duckdb counting {best(duckdb_aggregate(columns, where))[0]:9.2f}", flush=True)
