"""Tables that Bactrian writes, read by the reference: write_interop.py BUILD_DIRECTORY [PATTERN]

Each case is a function `case_…`. A case writes through the public API (writer/bactrian_writer.cc), asks the oracle for the rows, and compares
multisets of rows; where it says so, also what the reference's own writer records of the same rows."""

import collections
import decimal
import json
import os
import pathlib
import random
import re
import tempfile

import pyarrow as pa
import pyarrow.ipc

import cases
import values
from cases import HERE, Failure, Process
from values import Kind, Rows

class Interop:
    def __init__(self, build):
        self.writer = Process([os.path.join(build, "tests/interop/bactrian_writer")])
        self.reader = Process([os.path.join(build, "tests/interop/bactrian_reader")])
        self.oracle = Process([str(HERE / "oracle" / "oracle"), "batch"])
        self.directory = tempfile.TemporaryDirectory(prefix="bactrian-interop-")
        self.warehouse = os.path.join(self.directory.name, "warehouse")
        self.files = 0

    def path(self, suffix):
        self.files += 1
        return os.path.join(self.directory.name, f"{self.files}.{suffix}")

    # Bactrian.

    def ours(self, op, table, refuse=None, **arguments):
        self.writer.send(json.dumps({"op": op, "warehouse": self.warehouse, "table": table, **arguments}))
        answer = self.writer.line()
        if refuse is not None:
            if not re.search(refuse, answer.get("error", "")):
                raise Failure(f"{op} {table}: wanted an error with '{refuse}', got {answer}")
            return None
        if "error" in answer:
            raise Failure(f"{op} {table}: {answer['error']}")
        return answer["ok"]

    def create(self, table, rows, partition_keys=(), **options):
        self.ours("create", table, fields=rows.fields(), partition_keys=list(partition_keys), options=options)

    def write(self, table, rows, batch_rows=50, **arguments):
        data = rows if isinstance(rows, pa.Table) else rows.arrow()
        path = self.path("arrow")
        with pa.ipc.new_file(path, data.schema) as out:
            for batch in data.to_batches(max_chunksize=batch_rows):
                out.write_batch(batch)
        return self.ours("write", table, ipc=path, **arguments)

    # The reference.

    def reference(self, command, table, **options):
        return self._ask("oracle", self.oracle, command, table, options)

    def our_rows(self, table, **options):
        return self._ask("our reader", self.reader, "read", table, options)

    def _ask(self, who, process, command, table, options):
        words = [command, self.warehouse, "db", table] + [f"{key}={value}" for key, value in options.items()]
        process.send("\t".join(words))
        lines = []
        while "_end" not in (line := process.line()):
            lines.append(line)
        if line["_end"] != "ok":
            raise Failure(f"{who} {command} {table}: {line['message']}")
        return lines

    def reference_alter(self, table, changes):
        path = self.path("json")
        pathlib.Path(path).write_text(json.dumps(changes), encoding="utf-8")
        self.reference("alter", table, **{"@changes": path})

    def reference_write(self, table, rows):
        path = self.path("jsonl")
        pathlib.Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows.json()), encoding="utf-8")
        self.reference("write", table, **{"@rows": path})

    # Comparisons.

    def check_rows(self, table, *parts, **options):
        kinds = parts[0].kinds
        wanted = collections.Counter(values.canonical(row, kinds) for part in parts for row in part.json())
        got = collections.Counter(values.canonical(row, kinds) for row in self.reference("read", table, **options))
        if wanted != got:
            raise Failure(f"{table} {options}: missing {list((wanted - got))[:2]}, unexpected {list((got - wanted))[:2]} "
                          f"({sum(wanted.values())} rows wanted, {sum(got.values())} read)")

    def check_both_read_alike(self, table):
        """The reference and we read the same rows; how many there are."""
        def plain(value):
            # One prints the double 7.0 as 7.
            if isinstance(value, dict):
                return {key: plain(item) for key, item in value.items()}
            return int(value) if isinstance(value, float) and value.is_integer() else value

        count = lambda rows: collections.Counter(json.dumps(plain(row), sort_keys=True) for row in rows)
        ours, theirs = count(self.our_rows(table)), count(self.reference("read", table))
        if ours != theirs:
            raise Failure(f"{table}: only we read {list(ours - theirs)[:2]}, only the reference {list(theirs - ours)[:2]}")
        return sum(ours.values())

    def check_files_like(self, ours, theirs, columns):
        """$files of two tables, one row a file, agree on the columns."""
        def files(table):
            rows = self.reference("read", table + "$files")
            return sorted(tuple(str(row[column]) for column in columns) for row in rows)
        if files(ours) != files(theirs):
            raise Failure(f"$files differ: ours {files(ours)}, the reference's {files(theirs)}")


FILE_COLUMNS = ["partition", "bucket", "file_format", "schema_id", "level", "record_count", "min_key", "max_key", "null_value_counts",
                "min_value_stats", "max_value_stats", "min_sequence_number", "max_sequence_number"]


def case_every_type(interop):
    kinds = [Kind("id", "INT", pa.int32(), list(range(100)))] + values.scalar_kinds() + values.nested_kinds()
    parts = [Rows.random(kinds, count, seed) for seed, count in enumerate([1, 120, 300])]
    interop.create("types", parts[0], **{"target-file-row-num": "100"})
    for part in parts:
        interop.write("types", part)
    interop.check_rows("types", *parts)
    snapshots = interop.reference("read", "types$snapshots")
    assert [row["snapshot_id"] for row in snapshots] == [1, 2, 3], snapshots
    assert [row["commit_kind"] for row in snapshots] == ["APPEND"] * 3
    assert [row["total_record_count"] for row in snapshots] == [1, 121, 421]


def case_files_record_what_the_reference_records(interop):
    # $files of the oracle prints BYTES bounds as object ids.
    kinds = [kind for kind in values.scalar_kinds() + values.nested_kinds() if kind.arrow != pa.binary()]
    rows = Rows.random(kinds, 200, 7)
    modes = ["none", "counts", "full", "truncate(16)", "truncate(3)"]
    tables = [(f"stats{i}", {"metadata.stats-mode": mode}) for i, mode in enumerate(modes)]
    tables.append(("stats_sparse", {"metadata.stats-dense-store": "false"}))
    tables.append(("stats_first", {"metadata.stats-keep-first-n-columns": "3", "fields.str.stats-mode": "full"}))
    tables.append(("stats_column", {"metadata.stats-mode": "full", "fields.i32.stats-mode": "none", "fields.str.stats-mode": "counts"}))
    for table, options in tables:
        interop.create(table, rows, **options)
        interop.write(table, rows)
        interop.check_rows(table, rows)
        interop.create(table + "_ref", rows, **options)
        interop.reference_write(table + "_ref", rows)
        interop.check_files_like(table, table + "_ref", FILE_COLUMNS)


def case_all_null_and_one_row(interop):
    kinds = values.scalar_kinds()
    nulls = Rows(kinds, [[None] * len(kinds)] * 3)
    interop.create("nulls", nulls)
    interop.write("nulls", nulls)
    interop.check_rows("nulls", nulls)


def case_compressions(interop):
    rows = Rows.random(values.scalar_kinds(), 200, 3)
    for codec in ["zstd", "snappy", "gzip", "lz4", "none"]:
        table = "compressed_" + codec
        interop.create(table, rows, **{"file.compression": codec, "manifest.compression": {"none": "null", "gzip": "deflate", "snappy": "snappy"}.get(codec, "zstd")})
        interop.write(table, rows)
        interop.check_rows(table, rows)
    for level in ["1", "9", "22"]:
        interop.create("compressed_zstd" + level, rows, **{"file.compression.zstd-level": level, "file.suffix.include.compression": "true"})
        interop.write("compressed_zstd" + level, rows)
        interop.check_rows("compressed_zstd" + level, rows)


def case_pages_row_groups_and_bloom_filters(interop):
    rows = Rows.random([Kind("id", "INT", pa.int32(), list(range(100)))] + values.scalar_kinds() + values.nested_kinds(), 3000, 4)
    variants = [{"parquet.page.size": "1 kb"}, {"parquet.page.row.count.limit": "10"}, {"file.block-size": "64 kb"},
                {"parquet.enable.dictionary": "false"}, {"parquet.enable.dictionary#str": "true", "parquet.dictionary.page.size": "1 kb"},
                {"parquet.writer.version": "v2"}, {"parquet.bloom.filter.enabled": "true", "parquet.bloom.filter.fpp": "0.05"},
                {"parquet.bloom.filter.enabled#i32": "true", "parquet.bloom.filter.expected.ndv#i32": "100"}]
    for number, options in enumerate(variants):
        table = f"layout{number}"
        interop.create(table, rows, **options)
        interop.write(table, rows, batch_rows=700)
        interop.check_rows(table, rows)


PARTITION_TEXTS = ["", " ", "a", "a/b", "a:b", "100%", "k=v", "ü€", "new\nline", "[x]{y}", "^#?*'\"\\", "\x7f", "__DEFAULT_PARTITION__", "..", "."]


def case_partitions_of_every_type(interop):
    for legacy in ["true", "false"]:
        for kind in values.scalar_kinds():
            if kind.arrow == pa.binary():
                continue
            texts = kind.sql == "STRING"
            partition = Kind("p", kind.sql, kind.arrow, PARTITION_TEXTS if texts else kind.values, kind.encode)
            kinds = [Kind("id", "INT", pa.int32(), list(range(1000))), partition]
            rows = Rows(kinds, [[i, value] for i, value in enumerate(partition.values + [None] + partition.values)])
            table = f"part_{kind.name}_{legacy}"
            interop.create(table, rows, ["p"], **{"partition.legacy-name": legacy})
            interop.write(table, rows)
            interop.check_rows(table, rows)


def case_partition_directories_are_the_references(interop):
    for legacy in ["true", "false"]:
        for kind in values.scalar_kinds():
            # The reference's JSON writer cannot make every value; NaN partitions of it are not equal to themselves.
            if kind.arrow == pa.binary():
                continue
            texts = kind.sql == "STRING"
            partition = Kind("p", kind.sql, kind.arrow, PARTITION_TEXTS if texts else kind.values, kind.encode)
            rows = Rows([Kind("id", "INT", pa.int32(), [1]), partition], [[1, value] for value in partition.values + [None]])
            table = f"dirs_{kind.name}_{legacy}"
            interop.create(table, rows, ["p"], **{"partition.legacy-name": legacy})
            interop.write(table, rows)
            interop.create(table + "_ref", rows, ["p"], **{"partition.legacy-name": legacy})
            interop.reference_write(table + "_ref", rows)

            def directories(name):
                root = pathlib.Path(interop.warehouse, "db.db", name)
                return sorted(path.name for path in root.iterdir() if "=" in path.name)

            if directories(table) != directories(table + "_ref"):
                raise Failure(f"{table}: {directories(table)}, the reference has {directories(table + '_ref')}")


def case_buckets_agree_with_the_reference(interop):
    ints = Kind("k", "INT", pa.int32(), [-(2**31), 2**31 - 1] + list(range(-20, 20)))
    scalars = {kind.name: kind for kind in values.scalar_kinds()}
    # What the reference's hive function takes; each type alone, and all together.
    hive = [scalars[name] for name in ["bool", "i8", "i16", "i32", "i64", "f32", "f64", "str", "vbin", "d9_2", "d38_10", "date"]]
    every = [kind for kind in values.scalar_kinds()]
    keys = [("default", [ints, Kind("s", "STRING", pa.utf8(), values.TEXTS)]), ("mod", [ints]), ("hive", hive), ("default", every)]
    keys += [("hive", [kind]) for kind in hive]
    for number, (function, bucket_key) in enumerate(keys):
        rows = Rows.random([Kind("id", "INT", pa.int32(), list(range(500)))] + bucket_key, 300, 5)
        rows.rows = [[i] + row[1:] for i, row in enumerate(rows.rows)]
        table = f"buckets{number}_{function}"
        options = {"bucket": "7", "bucket-key": ",".join(kind.name for kind in bucket_key), "bucket-function.type": function}
        interop.create(table, rows, **options)
        interop.write(table, rows)
        interop.check_rows(table, rows)
        interop.create(table + "_ref", rows, **options)
        interop.reference_write(table + "_ref", rows)
        bounds = ["min_value_stats", "max_value_stats"] if all(kind.arrow != pa.binary() for kind in bucket_key) else []
        interop.check_files_like(table, table + "_ref", ["bucket", "record_count"] + bounds)
        # A second commit goes on with the numbers of the first.
        interop.write(table, rows)
        interop.reference_write(table + "_ref", rows)
        interop.check_files_like(table, table + "_ref", ["bucket", "record_count", "min_sequence_number", "max_sequence_number"])


def numbered(count, start=0, partitions=("x", "y")):
    kinds = [Kind("id", "INT", pa.int32(), []), Kind("p", "STRING", pa.utf8(), [])]
    return Rows(kinds, [[start + i, partitions[i % len(partitions)]] for i in range(count)])


def only(rows, *partitions):
    return Rows(rows.kinds, [row for row in rows.rows if row[1] in partitions])


def case_overwrites(interop):
    first, second = numbered(20, 0, ("x", "y", "z", None)), numbered(5, 100, ("x",))
    interop.create("over", first, ["p"])
    interop.write("over", first)
    interop.write("over", second, mode="overwrite")
    interop.check_rows("over", only(first, "y", "z", None), second)
    interop.write("over", numbered(0), mode="static", partition={"p": "y"})
    interop.check_rows("over", only(first, "z", None), second)
    interop.ours("drop", "over", partition={"p": None})
    interop.check_rows("over", only(first, "z"), second)
    interop.write("over", only(first, "x"), mode="static")
    interop.check_rows("over", only(first, "x"))
    interop.ours("truncate", "over")
    interop.check_rows("over", numbered(0))
    kinds = [row["commit_kind"] for row in interop.reference("read", "over$snapshots")]
    assert kinds == ["APPEND"] + ["OVERWRITE"] * 5, kinds


def case_many_commits_merge_manifests(interop):
    interop.create("many", numbered(1), **{"manifest.merge-min-count": "4"})
    parts = [numbered(3, 3 * i) for i in range(25)]
    for part in parts:
        interop.write("many", part)
    interop.check_rows("many", *parts)
    assert len(interop.reference("read", "many$manifests")) < 8


def case_compaction_and_expiry(interop):
    interop.create("compacted", numbered(1), ["p"], **{"target-file-size": "1 mb"})
    parts = [numbered(10, 10 * i) for i in range(12)]
    for part in parts:
        interop.write("compacted", part)
    answer = interop.ours("compact", "compacted")
    assert answer == {"files_before": 24, "files_after": 2}, answer
    interop.check_rows("compacted", *parts)
    interop.check_rows("compacted", *parts[:5], **{"scan.snapshot-id": "5"})
    answer = interop.ours("expire", "compacted", retain=1)
    assert answer["snapshots"] == 12 and sum(name.endswith(".parquet") for name in answer["files"]) == 24, answer
    interop.check_rows("compacted", *parts)
    assert interop.ours("orphans", "compacted") == {"files": []}
    interop.write("compacted", numbered(4, 900))
    interop.check_rows("compacted", *parts, numbered(4, 900))


def case_writers_in_parallel(interop):
    rows = numbered(2000)
    interop.create("parallel", rows, ["p"])
    interop.write("parallel", rows, writers=4, batch_rows=100, buffer_bytes=1 << 16)
    interop.check_rows("parallel", rows)


def case_external_paths(interop):
    strategies = {"round-robin": {}, "weight-robin": {"data-file.external-paths.weights": "10,15"}, "entropy-inject": {},
                  "specific-fs": {"data-file.external-paths.specific-fs": "file"}}
    for strategy, options in strategies.items():
        table = "external_" + strategy.replace("-", "_")
        rows, more = numbered(10), numbered(6, 50)
        root = os.path.join(interop.directory.name, table)
        interop.create(table, rows, ["p"], **{"data-file.external-paths": f"file:{root}/a,file:{root}/b",
                                              "data-file.external-paths.strategy": strategy, **options})
        interop.write(table, rows)
        interop.check_rows(table, rows)
        ours = list(pathlib.Path(root).rglob("*.parquet"))
        assert ours and not list(pathlib.Path(interop.warehouse, "db.db", table).rglob("*.parquet")), strategy
        interop.reference_write(table, more)
        assert interop.check_both_read_alike(table) == 16
        theirs = set(pathlib.Path(root).rglob("*.parquet")) - set(ours)
        depth = lambda files: {len(file.relative_to(root).parts) for file in files}
        assert depth(ours) == depth(theirs), (strategy, sorted(map(str, ours)), sorted(map(str, theirs)))
        # Orphans there go on request, files of either writer stay.
        orphan = ours[0].with_name("data-orphan-0.parquet")
        orphan.write_bytes(b"x")
        assert interop.ours("orphans", table) == {"files": []}
        assert len(interop.ours("orphans", table, external=True)["files"]) == 1 and not orphan.exists()
        assert interop.check_both_read_alike(table) == 16


def case_mixed_writers(interop):
    parts = [numbered(10, 10 * i) for i in range(6)]
    interop.create("mixed", parts[0], **{"compaction.min.file-num": "2"})
    for i, part in enumerate(parts):
        interop.write("mixed", part) if i % 2 else interop.reference_write("mixed", part)
    interop.check_rows("mixed", *parts)
    interop.reference("compact", "mixed")
    interop.check_rows("mixed", *parts)
    interop.write("mixed", numbered(3, 500))
    interop.check_rows("mixed", *parts, numbered(3, 500))
    interop.ours("compact", "mixed", full=True)
    interop.check_rows("mixed", *parts, numbered(3, 500))


def case_rows_that_the_reference_deleted_stay_deleted(interop):
    rows = numbered(40)
    interop.create("deleted", rows, **{"deletion-vectors.enabled": "true"})
    interop.write("deleted", Rows(rows.kinds, rows.rows[:20]))
    interop.write("deleted", Rows(rows.kinds, rows.rows[20:]))
    interop.reference("delete", "deleted", **{"@filter": "id >= 15"})
    kept = Rows(rows.kinds, rows.rows[:15])
    interop.check_rows("deleted", kept)
    interop.ours("compact", "deleted", full=True)
    interop.check_rows("deleted", kept)
    interop.write("deleted", numbered(5, 100))
    interop.check_rows("deleted", kept, numbered(5, 100))


class Evolution:
    """A table whose schema both engines change in turn, with rows by both under each schema."""

    ADDED = [("INT", pa.int32(), [1, -5]), ("STRING", pa.utf8(), ["x", "ü"]), ("DOUBLE", pa.float64(), [0.5]), ("BIGINT", pa.int64(), [2**40])]
    WIDER = {"INT": ["BIGINT", "DOUBLE", "STRING", "DECIMAL(20, 2)"], "BIGINT": ["STRING", "DECIMAL(20, 2)"], "DOUBLE": ["STRING"]}
    ARROW = {"INT": pa.int32(), "BIGINT": pa.int64(), "DOUBLE": pa.float64(), "STRING": pa.utf8(), "DECIMAL(20, 2)": pa.decimal128(20, 2)}
    SAMPLES = {"INT": [7, None], "BIGINT": [2**50, None], "DOUBLE": [1.25, None], "STRING": ["some text", "", None],
               "DECIMAL(20, 2)": [decimal.Decimal("12345.67"), None]}

    def __init__(self, interop, table, seed):
        self.interop, self.table, self.dice, self.serial = interop, table, random.Random(seed), 0
        self.columns = {"id": "INT", "a": "INT", "b": "BIGINT", "c": "STRING", "d": "DOUBLE"}
        self.inner = {"x": "INT", "y": "STRING"}
        self.rows = 0
        fields = [{"name": name, "type": sql} for name, sql in self.columns.items()] + [{"name": "r", "type": "ROW<x INT, y STRING>"}]
        interop.ours("create", table, fields=fields, options={})

    def change(self):
        """One legal change as both engines take it; the names here follow."""
        self.serial += 1
        columns = self.inner if self.dice.random() < 0.3 else self.columns
        prefix = "r." if columns is self.inner else ""
        names = [name for name in columns if name != "id"]
        name, kind = self.dice.choice(names), self.dice.choice(["add", "add", "rename", "drop", "type", "type"])
        if kind == "add":
            sql = self.dice.choice(list(self.SAMPLES))
            new = f"n{self.serial}"
            columns[new] = sql
            place = self.dice.choice([{}, {"first": True}, {"after": name}])
            return {"op": "addColumn", "name": prefix + new, "type": sql, **place}
        if kind == "type" and columns[name] in self.WIDER:
            columns[name] = self.dice.choice(self.WIDER[columns[name]])
            return {"op": "updateType", "name": prefix + name, "type": columns[name]}
        if kind == "drop" and len(names) > 2:
            del columns[name]
            return {"op": "dropColumn", "name": prefix + name}
        columns[f"m{self.serial}"] = columns.pop(name)
        return {"op": "renameColumn", "name": prefix + name, "to": f"m{self.serial}"}

    def write(self, by_us):
        pick = lambda sql: self.dice.choice(self.SAMPLES[sql])
        encode = lambda value: format(value, "f") if isinstance(value, decimal.Decimal) else value
        rows = [({name: pick(sql) for name, sql in self.columns.items()}, {name: pick(sql) for name, sql in self.inner.items()})
                for _ in range(5)]
        self.rows += len(rows)
        if by_us:
            types = pa.schema([(name, self.ARROW[sql]) for name, sql in self.columns.items()] +
                              [("r", pa.struct([(name, self.ARROW[sql]) for name, sql in self.inner.items()]))])
            self.interop.write(self.table, pa.Table.from_pylist([{**row, "r": inner} for row, inner in rows], schema=types))
            return
        path = self.interop.path("jsonl")
        lines = [{"_kind": "+I", **{k: encode(v) for k, v in row.items()}, "r": {k: encode(v) for k, v in inner.items()}} for row, inner in rows]
        pathlib.Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        self.interop.reference("write", self.table, **{"@rows": path})

    def step(self):
        changes = [self.change() for _ in range(self.dice.randint(1, 2))]
        # The reference does not take two renames below one column in one call.
        if sum(change["name"].startswith("r.") for change in changes) > 1:
            for change in changes:
                self.alter([change])
        else:
            self.alter(changes)
        self.write(by_us=self.dice.random() < 0.5)
        if self.interop.check_both_read_alike(self.table) != self.rows:
            raise Failure(f"{self.table}: {self.rows} rows were written")

    def alter(self, changes):
        if self.dice.random() < 0.5:
            self.interop.ours("alter", self.table, changes=changes)
        else:
            self.interop.reference_alter(self.table, changes)


def case_tables_that_both_evolve(interop):
    for seed in range(8):
        evolution = Evolution(interop, f"evolved{seed}", seed)
        for by_us in [True, False]:
            evolution.write(by_us)
        for _ in range(8):
            evolution.step()
        interop.ours("compact", evolution.table, full=True)
        assert interop.check_both_read_alike(evolution.table) == evolution.rows


def case_every_kind_of_schema_change_is_taken_up_by_the_reference(interop):
    rows = numbered(10)
    interop.create("changes", rows, ["p"], **{"bucket": "-1"})
    interop.write("changes", rows)
    steps = [[{"op": "addColumn", "name": "n", "type": "INT", "default": "7"}], [{"op": "updateComment", "name": "n", "comment": "a number"}],
             [{"op": "move", "name": "n"}], [{"op": "tableComment", "comment": "text"}], [{"op": "setOption", "key": "snapshot.num-retained.max", "value": "99"}],
             [{"op": "removeOption", "key": "snapshot.num-retained.max"}], [{"op": "addColumn", "name": "m", "type": "STRING"}, {"op": "dropColumn", "name": "m"}],
             [{"op": "updateType", "name": "id", "type": "BIGINT"}]]
    for changes in steps:
        interop.ours("alter", "changes", changes=changes)
        assert interop.check_both_read_alike("changes") == 10, changes
    schema = json.loads(max(pathlib.Path(interop.warehouse, "db.db", "changes", "schema").iterdir(), key=lambda p: int(p.name[7:])).read_text())
    assert [field["name"] for field in schema["fields"]] == ["n", "id", "p"] and schema["comment"] == "text", schema
    assert schema["fields"][0]["description"] == "a number" and schema["fields"][0]["defaultValue"] == "7", schema
    interop.reference_write("changes", Rows(rows.kinds, [[100, "x"]]))
    interop.write("changes", Rows(rows.kinds, [[101, "x"]]))
    assert interop.check_both_read_alike("changes") == 12


def case_overwritten_evolved_and_compacted_by_both(interop):
    parts = [numbered(12, 20 * i, ("x", "y", "", None)) for i in range(4)]
    interop.create("turns", parts[0], ["p"], **{"compaction.min.file-num": "2"})
    wanted = []
    for number, part in enumerate(parts):
        interop.write("turns", part) if number % 2 == 0 else interop.reference_write("turns", part)
        wanted.append(part)
    interop.write("turns", numbered(3, 500, ("x",)), mode="overwrite")
    wanted = [only(part, "y", "", None) for part in wanted] + [numbered(3, 500, ("x",))]
    # An empty string and NULL share a directory, but are two partitions.
    assert interop.check_both_read_alike("turns") == sum(len(part.rows) for part in wanted)
    interop.reference("compact", "turns")
    interop.check_rows("turns", *wanted)
    interop.ours("compact", "turns", full=True)
    interop.check_rows("turns", *wanted)
    answer = interop.ours("expire", "turns", retain=1)
    assert answer["snapshots"] >= 5, answer
    assert interop.check_both_read_alike("turns") == sum(len(part.rows) for part in wanted)


def case_defaults(interop):
    kinds = [Kind("id", "INT", pa.int32(), []), Kind("c", "DECIMAL(10, 2)", pa.decimal128(10, 2), [], lambda v: format(v, "f"))]
    rows = Rows(kinds, [[1, None], [2, decimal.Decimal("2.25")]])
    fields = rows.fields()
    fields[1]["default"] = "7.5"
    interop.ours("create", "defaults", fields=fields)
    interop.write("defaults", rows)
    interop.write("defaults", pa.table({"id": pa.array([3], pa.int32())}))
    value = decimal.Decimal("7.50")
    interop.check_rows("defaults", Rows(kinds, [[1, value], [2, decimal.Decimal("2.25")], [3, value]]))


def case_bad_input_is_refused_before_anything_is_written(interop):
    rows = numbered(4)
    interop.create("bad", rows, ["p"])
    ints = pa.array([1], pa.int32())
    for table, error in [(pa.table({"id": ints, "q": ints}), "no column q"), (pa.table({"id": pa.array(["x"])}), "column id"),
                         (pa.table({"id": pa.array([2**40]), "p": pa.array(["x"])}), "column id")]:
        path = interop.path("arrow")
        with pa.ipc.new_file(path, table.schema) as out:
            out.write_table(table)
        interop.ours("write", "bad", refuse=error, ipc=path)
    path = interop.path("arrow")
    with pa.ipc.new_file(path, rows.arrow().schema) as out:
        out.write_table(rows.arrow())
    interop.ours("write", "bad", refuse="static partition", ipc=path, mode="static", partition={"p": "x"})
    interop.ours("write", "bad", refuse="target-file-size", ipc=path, dynamic_options={"target-file-size": "huge"})
    interop.ours("drop", "bad", refuse="no partition key", partition={"id": "1"})
    assert not list(pathlib.Path(interop.warehouse, "db.db", "bad").rglob("*.parquet"))
    interop.check_rows("bad", numbered(0))


if __name__ == "__main__":
    cases.main(Interop, globals())
