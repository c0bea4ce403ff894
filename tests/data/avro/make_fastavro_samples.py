"""Writes fastavro-*.avro and fastavro-rows.jsonl: files of another writer for every codec, with the shapes that ours does not write.

    pip install fastavro cramjam backports.zstd && python make_fastavro_samples.py

Rows stand in the encoding of the corpus (tests/interop/README.md).
"""
import json
from decimal import Decimal
from pathlib import Path

import fastavro

HERE = Path(__file__).parent
SCHEMA = {
    "type": "record", "name": "ns.Root", "fields": [
        {"name": "id", "type": "long"},
        {"name": "skipped", "type": {"type": "map", "values": ["null", "string", "double", {"type": "array", "items": "int"}]}},
        {"name": "null_last", "type": ["string", "null"]},
        {"name": "small", "type": {"type": "fixed", "name": "Four", "size": 4}},
        {"name": "again", "type": ["null", "Four"]},
        {"name": "color", "type": {"type": "enum", "name": "Color", "symbols": ["RED", "GREEN"]}},
        {"name": "nothing", "type": "null"},
        {"name": "fixed_decimal", "type": {"type": "fixed", "name": "Dec", "size": 20, "logicalType": "decimal", "precision": 30, "scale": 3}},
        {"name": "wide", "type": "float"},
        {"name": "micros", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "nested", "type": {"type": "record", "name": "Nested", "fields": [
            {"name": "flag", "type": "boolean"},
            {"name": "names", "type": {"type": "array", "items": ["null", "string"]}}]}},
        {"name": "more", "type": {"type": "array", "items": ["null", "Nested"]}},
    ],
}


def record(i):
    nested = {"flag": i % 2 == 0, "names": [None if j % 3 == 2 else f"n{j}" for j in range(i % 5)]}
    return {
        "id": i * 1_000_003 - 2**40,
        "skipped": {f"k{j}": [None, "text", 2.5, [1, 2, 3]][j % 4] for j in range(i % 6)},
        "null_last": None if i % 7 == 0 else "ä" * (i % 9),
        "small": bytes([i % 256, 1, 2, 3]),
        "again": None if i % 3 == 0 else b"same",
        "color": ["RED", "GREEN"][i % 2],
        "nothing": None,
        "fixed_decimal": Decimal(i * 7919 - 400_000).scaleb(-3),
        "wide": i / 4,
        "micros": None if i % 11 == 0 else (i - 100) * 86_400_000_123,
        "nested": nested,
        "more": [None if j % 2 else nested for j in range(i % 4)],
    }


def row(r):
    return {
        "id": r["id"], "null_last": r["null_last"], "small": r["small"].hex(), "again": r["again"] and r["again"].hex(),
        "nothing": None, "fixed_decimal": str(r["fixed_decimal"].quantize(Decimal("0.001"))), "wide": r["wide"],
        "micros": None if r["micros"] is None else str(r["micros"] * 1000), "nested": r["nested"], "more": r["more"],
    }


records = [record(i) for i in range(200)]
for codec in ("null", "deflate", "snappy", "zstandard"):
    with open(HERE / f"fastavro-{codec}.avro", "wb") as out:
        fastavro.writer(out, fastavro.parse_schema(SCHEMA), records, codec=codec, sync_interval=4000)
with open(HERE / "fastavro-rows.jsonl", "w") as out:
    for r in records:
        out.write(json.dumps(row(r), ensure_ascii=False) + "\n")
