"""Values of every type that an append table in Parquet holds: Arrow columns to write, and the JSON that the oracle prints for them."""

import decimal
import random
import struct

import pyarrow as pa


def _float_text(value, pack):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0 and struct.pack(pack, value)[-1] & 0x80:
        return "-0.0"
    return value


def _decimals(precision, scale):
    # From digits: arithmetic would round to the context's 28.
    digits = [9] * precision
    return [decimal.Decimal((sign, value, -scale)) for sign, value in [(0, digits), (1, digits), (0, [0]), (1, [5])]]


class Kind:
    """One column type. `values` are Python values that pyarrow takes; `encode` gives what the oracle prints."""

    def __init__(self, name, sql, arrow, values, encode=lambda v: v):
        self.name, self.sql, self.arrow, self.values, self.encode = name, sql, arrow, values, encode

    def pick(self, rng):
        return None if rng.random() < 0.15 else rng.choice(self.values)

    def json(self, value):
        return None if value is None else self.encode(value)


NANOS = {"ms": 1_000_000, "us": 1000, "ns": 1}


def _stamp(name, sql, unit, values, zone=None):
    # Integers of the unit: Python's datetime holds neither nanoseconds nor their range.
    return Kind(name, sql, pa.timestamp(unit, tz=zone), values, lambda v: str(v * NANOS[unit]))


MILLIS = [0, -1, 1_700_000_000_123, -62_135_596_800_000, 253_402_300_799_999]
MICROS = [0, -1, 1_700_000_000_123_456, -62_135_596_800_000_000, 253_402_300_799_999_999]
NANOSECONDS = [0, -1, 1_700_000_000_123_456_789, -(2**63) + 1_000_000_000, 2**63 - 1]
TEXTS = ["", "a", "ü€😀", "sixteen chars...", "seventeen chars..", "seventeen chars./", "\uffff" * 20, "x" * 1000, "tab\tnew\nline"]
BLOBS = [b"", b"\x00", b"\xff" * 20, bytes(range(256)), b"sixteen bytes..."]


def scalar_kinds():
    kinds = [
        Kind("bool", "BOOLEAN", pa.bool_(), [True, False]),
        Kind("i8", "TINYINT", pa.int8(), [-128, 127, 0]),
        Kind("i16", "SMALLINT", pa.int16(), [-(2**15), 2**15 - 1, 0]),
        Kind("i32", "INT", pa.int32(), [-(2**31), 2**31 - 1, 0]),
        Kind("i64", "BIGINT", pa.int64(), [-(2**63), 2**63 - 1, 0]),
        Kind("f32", "FLOAT", pa.float32(), [0.0, -0.0, 1.5, float("nan"), float("inf"), float("-inf"), 2.0**-149],
             lambda v: _float_text(v, "<f")),
        Kind("f64", "DOUBLE", pa.float64(), [0.0, -0.0, 0.1, float("nan"), float("inf"), float("-inf"), 5e-324, 1.7976931348623157e308],
             lambda v: _float_text(v, "<d")),
        Kind("chr", "CHAR(5)", pa.utf8(), ["abcde", "ü€😀xy"]),
        Kind("vchr", "VARCHAR(20)", pa.utf8(), ["", "ab", "ü" * 20]),
        Kind("str", "STRING", pa.utf8(), TEXTS),
        Kind("bin", "BINARY(4)", pa.binary(), [b"\x00\x01\x02\x03", b"\xff" * 4], bytes.hex),
        Kind("vbin", "VARBINARY(20)", pa.binary(), [b"", b"\xff" * 20], bytes.hex),
        Kind("byt", "BYTES", pa.binary(), BLOBS, bytes.hex),
        Kind("date", "DATE", pa.date32(), [0, -1, 19723, -719162, 2932896]),
    ]
    for precision, scale in [(1, 0), (9, 2), (10, 3), (18, 18), (19, 0), (38, 10)]:
        kinds.append(Kind(f"d{precision}_{scale}", f"DECIMAL({precision}, {scale})", pa.decimal128(precision, scale),
                          _decimals(precision, scale), lambda v: format(v, "f")))
    for precision in (0, 3, 9):
        kinds.append(Kind(f"t{precision}", f"TIME({precision})", pa.time32("ms"), [0, 1, 86_399_999]))
    for suffix, zone, prefix in [("", None, "ts"), (" WITH LOCAL TIME ZONE", "UTC", "ltz")]:
        kinds += [
            _stamp(f"{prefix}0", f"TIMESTAMP(0){suffix}", "ms", [v // 1000 * 1000 for v in MILLIS], zone),
            _stamp(f"{prefix}3", f"TIMESTAMP(3){suffix}", "ms", MILLIS, zone),
            _stamp(f"{prefix}6", f"TIMESTAMP(6){suffix}", "us", MICROS, zone),
            _stamp(f"{prefix}9", f"TIMESTAMP(9){suffix}", "ns", NANOSECONDS, zone),
        ]
    return kinds


def _pairs(value, key, item):
    return sorted(([key(k), None if v is None else item(v)] for k, v in value), key=str)


def nested_kinds():
    same = lambda v: v
    return [
        Kind("ai", "ARRAY<INT>", pa.list_(pa.int32()), [[], [1, None, 3], [None]]),
        Kind("aas", "ARRAY<ARRAY<STRING>>", pa.list_(pa.list_(pa.utf8())), [[["a", None], None, []], []]),
        Kind("ann", "ARRAY<INT NOT NULL>", pa.list_(pa.int32()), [[1, 2], []]),
        Kind("msi", "MAP<STRING, INT>", pa.map_(pa.utf8(), pa.int32()), [[], [("a", 1), ("b", None)]],
             lambda v: _pairs(v, same, same)),
        Kind("mia", "MAP<INT, ARRAY<STRING>>", pa.map_(pa.int32(), pa.list_(pa.utf8())), [[(1, ["x", None]), (2, None)]],
             lambda v: _pairs(v, same, same)),
        Kind("ms", "MULTISET<STRING>", pa.map_(pa.utf8(), pa.int32()), [[("a", 2), ("b", 1)], []], lambda v: _pairs(v, same, same)),
        Kind("row", "ROW<a INT, b ROW<c STRING NOT NULL, d DECIMAL(20, 2)>>",
             pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.utf8()), ("d", pa.decimal128(20, 2))]))]),
             [{"a": 1, "b": {"c": "x", "d": decimal.Decimal("1.50")}}, {"a": None, "b": None}, {"a": 2, "b": {"c": "", "d": None}}],
             lambda v: {"a": v["a"], "b": None if v["b"] is None else {"c": v["b"]["c"], "d": None if v["b"]["d"] is None else format(v["b"]["d"], "f")}}),
        Kind("ats", "ARRAY<TIMESTAMP(9)>", pa.list_(pa.timestamp("ns")), [[1, None, -1]],
             lambda v: [None if x is None else str(x) for x in v]),
    ]


class Rows:
    """Rows of some kinds of columns, as an Arrow table and as the oracle's JSON."""

    def __init__(self, kinds, rows):
        self.kinds, self.rows = kinds, rows

    @staticmethod
    def random(kinds, count, seed):
        rng = random.Random(seed)
        return Rows(kinds, [[kind.pick(rng) for kind in kinds] for _ in range(count)])

    def fields(self):
        return [{"name": kind.name, "type": kind.sql} for kind in self.kinds]

    def arrow(self):
        columns = [pa.array([row[i] for row in self.rows], type=kind.arrow) for i, kind in enumerate(self.kinds)]
        return pa.table(columns, names=[kind.name for kind in self.kinds])

    def json(self):
        return [dict(zip(["_kind"] + [k.name for k in self.kinds], ["+I"] + [k.json(v) for k, v in zip(self.kinds, row)]))
                for row in self.rows]


def canonical(row, kinds):
    """A hashable form of a row of JSON: floats by their bits, maps as sets."""

    def norm(value, sql):
        if value is None:
            return None
        if sql in ("FLOAT", "DOUBLE"):
            pack = "<f" if sql == "FLOAT" else "<d"
            return struct.pack(pack, float(value)).hex() if str(value) != "NaN" else "NaN"
        if sql.startswith(("MAP", "MULTISET")):
            return str(sorted(value, key=str))
        return str(value) if isinstance(value, (list, dict)) else value

    return tuple(norm(row[kind.name], kind.sql) for kind in kinds)
