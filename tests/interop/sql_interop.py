#!/usr/bin/env python3
"""What SQL made, read by the reference: sql_interop.py BUILD [PATTERN]. Each function case_… runs statements through `bactrian sql` and
compares what the oracle reads with rows written down here."""
import json
import pathlib
import subprocess
import tempfile

import cases
from cases import HERE, Failure, Process


class Interop:
    def __init__(self, build):
        self.binary = pathlib.Path(build, "cli/bactrian")
        self.oracle = Process([str(HERE / "oracle" / "oracle"), "batch"])
        self.directory = tempfile.TemporaryDirectory(prefix="bactrian-sql-interop-")
        self.warehouse = str(pathlib.Path(self.directory.name, "warehouse"))
        self.sql("CREATE SCHEMA lake.db")

    def sql(self, text):
        done = subprocess.run([self.binary, "sql", "-w", self.warehouse], input=text.encode(), capture_output=True, timeout=120)
        if done.returncode != 0:
            raise Failure(done.stderr.decode())

    def rows(self, table, **options):
        self.oracle.send("\t".join(["read", self.warehouse, "db", table] + [f"{key}={value}" for key, value in options.items()]))
        lines = []
        while "_end" not in (line := self.oracle.line()):
            line.pop("_kind")
            lines.append(line)
        if line["_end"] != "ok":
            raise Failure(f"oracle read {table}: {line['message']}")
        return lines

    def check(self, table, wanted, columns=None, **options):
        got = [{key: value for key, value in row.items() if columns is None or key in columns} for row in self.rows(table, **options)]
        if sorted(map(json.dumps, got)) != sorted(map(json.dumps, wanted)):
            raise Failure(f"{table} {options}: wanted {wanted}, the reference read {got}")


def case_types_that_sql_cannot_spell(interop):
    interop.sql("""
        CREATE TABLE lake.db.types (c VARCHAR, m MAP(VARCHAR, INTEGER), t TIME, z TIMESTAMPTZ, d DECIMAL(5, 2)) WITH (
          'column-type.c' = 'CHAR(3)', 'column-type.t' = 'TIME(0)', 'column-type.z' = 'TIMESTAMP(3) WITH LOCAL TIME ZONE',
          'column-type.m' = 'MULTISET<STRING>');
        INSERT INTO lake.db.types VALUES ('abc', MAP {'q': 4}, '12:34:56', '2024-01-01 00:00:00.123+00', 1.5), (NULL, NULL, NULL, NULL, NULL);
    """)
    interop.check("types", [{"c": "abc", "m": [["q", 4]], "t": 45296000, "z": "1704067200123000000", "d": "1.50"},
                            {"c": None, "m": None, "t": None, "z": None, "d": None}])


def case_variants(interop):
    interop.sql("""
        CREATE TABLE lake.db.variants (id INTEGER, v VARIANT);
        INSERT INTO lake.db.variants VALUES (1, {'b': [1, 2.5, NULL], 'a': {'d': DATE '2024-01-01', 's': 'x'}}::VARIANT), (2, NULL),
          (3, 9223372036854775807::VARIANT), (4, repeat('long', 50)::VARIANT), (5, TIMESTAMP '2024-01-01 10:00:00.25'::VARIANT),
          (6, 1e300::DOUBLE::VARIANT), (7, true::VARIANT), (8, 'a"b'::BLOB::VARIANT);
    """)
    got = {row["id"]: row["v"] and json.loads(row["v"]["json"]) for row in interop.rows("variants")}
    wanted = {1: {"a": {"d": "2024-01-01", "s": "x"}, "b": [1, 2.5, None]}, 2: None, 3: 9223372036854775807, 4: "long" * 50,
              5: "2024-01-01 10:00:00.25", 6: 1e300, 7: True, 8: "YSJi"}
    assert got == wanted, got


def case_altered_tables(interop):
    interop.sql("""
        CREATE TABLE lake.db.altered (id BIGINT NOT NULL, s STRUCT(a INTEGER, b STRUCT(c INTEGER)), l STRUCT(x INTEGER)[], d DECIMAL(5, 2));
        INSERT INTO lake.db.altered VALUES (1, {'a': 1, 'b': {'c': 2}}, [{'x': 3}], 1.5);
        ALTER TABLE lake.db.altered ADD COLUMN e INTEGER DEFAULT 9;
        ALTER TABLE lake.db.altered ADD COLUMN s.z VARCHAR;
        ALTER TABLE lake.db.altered DROP COLUMN s.a;
        ALTER TABLE lake.db.altered RENAME COLUMN l.element.x TO y;
        ALTER TABLE lake.db.altered RENAME COLUMN d TO price;
        ALTER TABLE lake.db.altered ALTER price TYPE DECIMAL(10, 3);
        ALTER TABLE lake.db.altered ALTER id DROP NOT NULL;
        ALTER TABLE lake.db.altered SET ('snapshot.num-retained.max' = '20');
        COMMENT ON TABLE lake.db.altered IS 'a table';
        COMMENT ON COLUMN lake.db.altered.e IS 'a column';
        INSERT INTO lake.db.altered (s) VALUES ({'b': {'c': 7}, 'z': 'q'});
        ALTER TABLE lake.db.altered RENAME TO renamed;
    """)
    interop.check("renamed", [{"id": 1, "s": {"b": {"c": 2}, "z": None}, "l": [{"y": 3}], "price": "1.500", "e": None},
                              {"id": None, "s": {"b": {"c": 7}, "z": "q"}, "l": None, "price": None, "e": 9}])


def case_overwritten_partitions(interop):
    interop.sql("""
        CREATE TABLE lake.db.parts (id INTEGER, day DATE) PARTITIONED BY (day);
        INSERT INTO lake.db.parts VALUES (1, '2024-01-01'), (2, '2024-01-02'), (3, '2024-01-03'), (4, NULL);
        CALL lake.sys.overwrite('db.parts', 'SELECT 10, DATE ''2024-01-01''');
        CALL lake.sys.overwrite('db.parts', 'SELECT 20', partition => 'day=2024-01-02', dynamic => false);
        CALL lake.sys.drop_partition('db.parts', 'day=__DEFAULT_PARTITION__');
    """)
    interop.check("parts", [{"id": 10, "day": 19723}, {"id": 20, "day": 19724}, {"id": 3, "day": 19725}])
    interop.check("parts$snapshots", [{"commit_kind": kind} for kind in ("APPEND", "OVERWRITE", "OVERWRITE", "OVERWRITE")],
                  columns=["commit_kind"])
    interop.sql("CALL lake.sys.truncate_table('db.parts')")
    interop.check("parts", [])


def case_tags_branches_and_rollback(interop):
    interop.sql("""
        CREATE TABLE lake.db.history (id INTEGER);
        INSERT INTO lake.db.history VALUES (1);
        CALL lake.sys.create_tag('db.history', 'one');
        CALL lake.sys.create_tag('db.history', 'for a day', time_retained => INTERVAL 1 DAY);
        CALL lake.sys.create_branch('db.history', 'trial', 'one');
        CALL lake.sys.create_branch('db.history', 'fresh');
        INSERT INTO lake.db."history$branch_trial" VALUES (50);
        INSERT INTO lake.db.history VALUES (2);
        INSERT INTO lake.db.history VALUES (3);
        CALL lake.sys.rollback_to('db.history', 2);
    """)
    interop.check("history", [{"id": 1}, {"id": 2}])
    interop.check("history", [{"id": 1}], **{"scan.tag-name": "one"})
    interop.check("history$branch_trial", [{"id": 1}, {"id": 50}])
    interop.check("history$branch_fresh", [])
    interop.check("history$tags", [{"tag_name": "one", "snapshot_id": 1, "time_retained": None},
                                   {"tag_name": "for a day", "snapshot_id": 1, "time_retained": "PT24H"}],
                  columns=["tag_name", "snapshot_id", "time_retained"])
    interop.check("history$branches", [{"branch_name": "trial"}, {"branch_name": "fresh"}], columns=["branch_name"])
    interop.sql("INSERT INTO lake.db.history VALUES (4)")
    interop.check("history", [{"id": 1}, {"id": 2}, {"id": 4}])


def case_compacted_and_expired(interop):
    interop.sql("CREATE TABLE lake.db.small (id INTEGER);" + "".join(f"INSERT INTO lake.db.small VALUES ({i});" for i in range(6)) + """
        CALL lake.sys.create_tag('db.small', 'early', 2);
        CALL lake.sys.compact('db.small', compact_strategy => 'full');
        CALL lake.sys.expire_snapshots('db.small', retain_max => 1, retain_min => 1, older_than => now()::TIMESTAMPTZ);
        CALL lake.sys.remove_orphan_files('db.small', older_than => now()::TIMESTAMPTZ);
    """)
    interop.check("small", [{"id": i} for i in range(6)])
    interop.check("small", [{"id": 0}, {"id": 1}], **{"scan.tag-name": "early"})
    interop.check("small$snapshots", [{"snapshot_id": 7, "commit_kind": "COMPACT"}], columns=["snapshot_id", "commit_kind"])


if __name__ == "__main__":
    cases.main(Interop, globals())
