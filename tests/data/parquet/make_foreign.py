#!/usr/bin/env python3
"""Writes foreign/*.parquet: the same 420 rows by pyarrow and DuckDB, in encodings, codecs and page layouts of all kinds.

The unit tests read them all and expect equal rows. Run it only to change the files; they are committed.
Needs pyarrow 26 and duckdb 1.5.
"""
import datetime
import decimal
import pathlib
import random

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 420
OUT = pathlib.Path(__file__).parent / "foreign"


def maybe(rng, share, value):
    return None if rng.random() < share else value


def rows():
    rng = random.Random(7)
    epoch = datetime.datetime(1970, 1, 1)
    special = [float("nan"), -0.0, 0.0, float("inf"), float("-inf"), 1.5]
    out = []
    for k in range(ROWS):
        stamp = epoch + datetime.timedelta(milliseconds=rng.randrange(-10**10, 10**10, 250))
        out.append({
            "id": k,
            "i": maybe(rng, 0.1, k // 7 - 40),
            "f": maybe(rng, 0.1, rng.choice(special) if k < 140 else float(rng.randrange(20))),
            "d": maybe(rng, 0.1, rng.choice(special) if 140 <= k < 210 else k / 4),
            "s": maybe(rng, 0.1, f"k{k // 15:03}" + ("x" * 90 if k % 61 == 0 else "")),
            "dec": maybe(rng, 0.1, decimal.Decimal(rng.randrange(-500, 500)).scaleb(-2)),
            "big": maybe(rng, 0.1, decimal.Decimal((k - 210) * 10**20).scaleb(-5)),
            "ts3": maybe(rng, 0.1, stamp),
            "ts6": maybe(rng, 0.1, stamp + datetime.timedelta(microseconds=k % 3)),
            "dt": maybe(rng, 0.1, datetime.date(1969, 12, 1) + datetime.timedelta(days=k // 4)),
            "b": maybe(rng, 0.1, k % 5 == 0),
            "bin": maybe(rng, 0.1, bytes([k % 256, 255 - k % 7])),
            "l": maybe(rng, 0.2, [maybe(rng, 0.2, j) for j in range(rng.randrange(4))]),
            "r": maybe(rng, 0.2, {"a": maybe(rng, 0.2, k % 50), "t": maybe(rng, 0.2, f"t{k % 8}")}),
            "m": maybe(rng, 0.2, [(f"m{j}", maybe(rng, 0.2, j)) for j in range(rng.randrange(3))]),
        })
    return out


SCHEMA = pa.schema([
    pa.field("id", pa.int64(), nullable=False), ("i", pa.int32()), ("f", pa.float32()), ("d", pa.float64()), ("s", pa.string()),
    ("dec", pa.decimal128(9, 2)), ("big", pa.decimal128(30, 5)), ("ts3", pa.timestamp("ms")), ("ts6", pa.timestamp("us")),
    ("dt", pa.date32()), ("b", pa.bool_()), ("bin", pa.binary()), ("l", pa.list_(pa.int32())),
    ("r", pa.struct([("a", pa.int32()), ("t", pa.string())])), ("m", pa.map_(pa.string(), pa.int32())),
])


def main():
    OUT.mkdir(exist_ok=True)
    table = pa.Table.from_pylist(rows(), schema=SCHEMA)
    # Small pages that do not align between columns, and several row groups.
    pq.write_table(table, OUT / "pyarrow_dictionary.parquet", compression="zstd", row_group_size=210, data_page_size=200,
                   write_batch_size=25, write_page_index=True)
    pq.write_table(table, OUT / "pyarrow_v2_delta.parquet", compression="snappy", row_group_size=420, data_page_size=400,
                   write_batch_size=33, write_page_index=True, data_page_version="2.0", use_dictionary=False,
                   column_encoding={"id": "DELTA_BINARY_PACKED", "i": "DELTA_BINARY_PACKED", "f": "BYTE_STREAM_SPLIT",
                                    "d": "BYTE_STREAM_SPLIT", "s": "DELTA_BYTE_ARRAY", "bin": "DELTA_LENGTH_BYTE_ARRAY",
                                    "b": "RLE", "l.list.element": "DELTA_BINARY_PACKED"})
    pq.write_table(table, OUT / "pyarrow_int96_no_index.parquet", row_group_size=420, write_page_index=False,
                   use_deprecated_int96_timestamps=True, store_decimal_as_integer=True, use_dictionary=["s"],
                   compression={"id": "gzip", "i": "brotli", "f": "lz4", "d": "none", "s": "gzip"})
    pq.write_table(table, OUT / "pyarrow_legacy.parquet", version="1.0", compression="gzip", write_statistics=False,
                   use_compliant_nested_type=False, data_page_size=500, write_batch_size=25, write_page_index=True)
    con = duckdb.connect()
    con.register("source", table)
    for version in ("V1", "V2"):
        con.sql(f"COPY (FROM source) TO '{OUT}/duckdb_{version.lower()}.parquet' "
                f"(FORMAT parquet, PARQUET_VERSION {version}, COMPRESSION zstd)")
    far = pa.table({"t": pa.array([datetime.datetime(2000, 1, 1), datetime.datetime(9999, 1, 1)], pa.timestamp("us"))})
    pq.write_table(far, OUT / "far_int96.parquet", use_deprecated_int96_timestamps=True)
    print({p.name: p.stat().st_size for p in sorted(OUT.iterdir())})


if __name__ == "__main__":
    main()
