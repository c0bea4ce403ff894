#!/usr/bin/env python3
"""Random queries over Paimon tables and over native copies of them: the results must be equal.

Usage: random_queries.py BACTRIAN --corpus DIR [--merged] [--queries N] [--seed N]

Tables: `p` is partitioned by two keys with NULL among them; the schema of `e` changed between its inserts; `d` has deletion
vectors. With --merged, primary-key tables that are merged when they are read: `m` has deletes and overlapping files at level 0,
`l` files at several levels, `w` level 0 over files with deletion vectors, `o` and `t` (a key of two columns, thin mode) are ORC
and Avro. What we do not write is the reference's (the corpus). The native copies are made from the same rows, not by reading
the Paimon tables. Queries are joins (inner, outer, semi, anti, mark; NOT IN with NULLs), TopN, aggregates, windows, laterals and set
operations. Each runs over Paimon with one of DuckDB's optimisers switched off in turn and every other one without lookups by key, over the
copies with all of them on.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

# Columns by kind, for predicates and joins. Every table has a unique `id`.
TABLES = {
    "p": {"int": ["id", "k", "b"], "text": ["a", "s"], "date": ["day"], "decimal": ["m"]},
    "e": {"int": ["id", "k", "n"], "text": ["renamed"], "date": [], "decimal": ["m"]},
    "d": {"int": ["id"], "text": ["v"], "date": [], "decimal": []},
    "m": {"int": ["id"], "text": ["s"], "date": [], "decimal": ["v"]},
    "o": {"int": ["id"], "text": ["s"], "date": [], "decimal": ["v"]},
    "l": {"int": ["id"], "text": ["v"], "date": [], "decimal": []},
    "w": {"int": ["id"], "text": ["v"], "date": [], "decimal": []},
    "t": {"int": ["id"], "text": ["k2", "v"], "date": [], "decimal": []},
}
# Of the corpus: case, the expected rows, where to read them from, the copy's columns (the first is `id` here).
REFERENCE = {
    "d": ("dv_append", "t32_s4", "t32 AT (VERSION => 4)", "id INTEGER, v VARCHAR"),
    "m": ("pk_dedup", "t_parquet_snapshot_3", "t_parquet AT (VERSION => 3)", "k INTEGER, s VARCHAR, v DOUBLE"),
    "o": ("pk_dedup", "t_orc_mixed", "t_orc", "k INTEGER, s VARCHAR, v DOUBLE"),
    "l": ("pk_lsm_levels", "snap_10", "t AT (VERSION => 10)", "k INTEGER, v VARCHAR"),
    "w": ("dv_pk", "wo_merge_on_read", "wo", "k INTEGER, v VARCHAR"),
    "t": ("pk_thin_mode", "t_avro", "t_avro", "k1 INTEGER, k2 VARCHAR, v VARCHAR"),
}
ROWS = "SELECT i AS id, CASE WHEN i % 11 = 0 THEN NULL ELSE ((i * 7) % 40)::INTEGER END AS k"


def setup_p():
    columns = "(id INTEGER, k INTEGER, a VARCHAR, b INTEGER, s VARCHAR, day DATE, m DECIMAL(9, 2))"
    yield f"CREATE TABLE lake.r.p {columns} PARTITIONED BY (a, b)", f"CREATE TABLE p {columns}"
    for part in range(4):
        insert = (f"{ROWS}, CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN 'x:/%' WHEN 2 THEN '' ELSE 'y' END, CASE WHEN i % 3 = 0 THEN NULL "
                  f"ELSE (i % 3)::INTEGER END, CASE WHEN i % 13 = 0 THEN NULL ELSE 'name ' || (i % 17) END, DATE '1969-12-20' + (i % 30)::INTEGER, "
                  f"((i * 37) % 1000 - 500) / 4 FROM range({part * 60}, {part * 60 + 60}) r(i)")
        yield f"INSERT INTO lake.r.p {insert}", f"INSERT INTO p {insert}"


def setup_e():
    for prefix in ("lake.r.e", "e"):
        yield [f"CREATE TABLE {prefix} (id INTEGER, k INTEGER, old VARCHAR, m DECIMAL(9, 2), gone VARCHAR)",
               f"INSERT INTO {prefix} {ROWS}, 'old ' || (i % 9), i / 4, 'gone' FROM range(0, 80) r(i)",
               f"ALTER TABLE {prefix} RENAME COLUMN old TO renamed",
               f"ALTER TABLE {prefix} ADD COLUMN n INTEGER",
               f"ALTER TABLE {prefix} DROP COLUMN gone",
               f"INSERT INTO {prefix} {ROWS}, 'new ' || (i % 9), -i / 4, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 30 END FROM range(80, 160) r(i)",
               f"ALTER TABLE {prefix} ALTER COLUMN k TYPE BIGINT",
               f"ALTER TABLE {prefix} ALTER COLUMN m TYPE DECIMAL(12, 2)",
               f"INSERT INTO {prefix} {ROWS}, NULL, NULL, i % 30 FROM range(160, 220) r(i)"]


def literal(value):
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def setup_reference(corpus, name):
    """A view of the table, named PAIMON_name, and the copy."""
    case, expected, table, columns = REFERENCE[name]
    rows = [json.loads(line) for line in (corpus / case / f"expected.{expected}.jsonl").read_text().splitlines()]
    names = [column.split()[0] for column in columns.split(", ")]
    values = ", ".join("(" + ", ".join(literal(row[column]) for column in names) + ")" for row in rows)
    key = names[0]
    source = f"(FROM paimon_scan('{corpus}/{case}/warehouse/default.db/wo', options => MAP {{'deletion-vectors.merge-on-read': 'true'}}))" if name == "w" else f"c_{name}.default.{table}"
    return [f"ATTACH '{corpus}/{case}/warehouse' AS c_{name} (TYPE paimon, READ_ONLY)",
            f"CREATE VIEW paimon_{name} AS SELECT * RENAME ({key} AS id) FROM {source}" if key != "id" else f"CREATE VIEW paimon_{name} AS FROM {source}",
            f"CREATE TABLE {name} ({columns.replace(key + ' ', 'id ', 1)})", f"INSERT INTO {name} VALUES {values}"]


class Generator:
    def __init__(self, seed, merged):
        self.random = random.Random(seed)
        self.tables = "mmmllltwop" if merged else "ppeed"

    def pick(self, *choices):
        return self.random.choice(choices)

    def table(self):
        return self.pick(*self.tables)

    def column(self, table, *kinds):
        return self.random.choice([c for kind in kinds or TABLES[table] for c in TABLES[table][kind]])

    def predicate(self, table, alias):
        kinds = [kind for kind, columns in TABLES[table].items() if columns]
        kind = self.random.choice(kinds)
        name = f"{alias}.{self.column(table, kind)}"
        constant = {"int": lambda: str(self.random.randint(-2, 60)), "text": lambda: self.pick("'y'", "''", "'name 3'", "'old 2'", "'new 7'", "'x:/%'", "'a1%d'" % self.random.randrange(10), "'b4%d'" % self.random.randrange(10), "'v1_7'", "'k8'"),
                   "date": lambda: f"DATE '1970-01-{self.random.randint(1, 18):02}'", "decimal": lambda: f"{self.random.randint(-400, 400) / 4}"}[kind]
        shapes = [lambda: f"{name} {self.pick('=', '<>', '<', '<=', '>', '>=')} {constant()}", lambda: f"{name} IS {self.pick('', 'NOT ')}NULL",
                  lambda: f"{name} {self.pick('', 'NOT ')}IN ({constant()}, {constant()}{self.pick('', ', NULL')})",
                  lambda: f"{name} BETWEEN {constant()} AND {constant()}", lambda: f"{name} IS DISTINCT FROM {constant()}"]
        if kind == "text":
            shapes.append(lambda: f"{name} {self.pick('', 'NOT ')}LIKE {literal(self.pick('name 1%', '%d 2', 'o%', 'a2%', 'v1%', '%7'))}")
        text = self.random.choice(shapes)()
        if self.random.random() < 0.3:
            text = f"({text} {self.pick('AND', 'OR')} {self.predicate(table, alias)})"
        return text

    def where(self, table, alias, chance=0.7):
        return f" WHERE {self.predicate(table, alias)}" if self.random.random() < chance else ""

    def source(self, table):
        """A table, perhaps filtered first."""
        return f"(SELECT * FROM {{{table}}} f{self.where(table, 'f', 1)})" if self.random.random() < 0.4 else f"{{{table}}}"

    def join_condition(self, left, right):
        kind = "text" if self.random.random() < 0.2 else "int"
        return f"x.{self.column(left, kind)} = y.{self.column(right, kind)}"

    def query(self):
        return self.random.choice([self.scan, self.join, self.join, self.semi, self.semi, self.mark, self.top, self.top, self.aggregate, self.partitions,
                                   self.window, self.lateral, self.sets])()

    def scan(self):
        table = self.table()
        return f"SELECT * FROM {{{table}}} x{self.where(table, 'x')}"

    def join(self):
        left, right = self.table(), self.table()
        kind = self.pick("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")
        text = f"FROM {self.source(left)} x {kind} {self.source(right)} y ON {self.join_condition(left, right)}"
        if self.random.random() < 0.5:
            return f"SELECT x.id AS i, y.id AS j, x.{self.column(left)} AS u, y.{self.column(right)} AS w {text}{self.where(left, 'x', 0.5)}"
        return f"SELECT x.{self.column(left)} AS u, count(*) AS c, min(y.id) AS l, max(y.{self.column(right)}) AS h {text} GROUP BY ALL"

    def semi(self):
        left, right = self.table(), self.table()
        inner = f"SELECT {self.column(right, 'int')} FROM {{{right}}} y{self.where(right, 'y')}"
        condition = self.pick(f"x.{self.column(left, 'int')} IN ({inner})", f"x.{self.column(left, 'int')} NOT IN ({inner})",
                              f"EXISTS (FROM {{{right}}} y WHERE {self.join_condition(left, right)} AND {self.predicate(right, 'y')})",
                              f"NOT EXISTS (FROM {{{right}}} y WHERE {self.join_condition(left, right)} AND {self.predicate(right, 'y')})")
        return f"SELECT x.* FROM {{{left}}} x WHERE {condition}" + (f" AND {self.predicate(left, 'x')}" if self.random.random() < 0.4 else "")

    def mark(self):
        left, right = self.table(), self.table()
        inner = f"SELECT {self.column(right, 'int')} FROM {{{right}}} y{self.where(right, 'y')}"
        return f"SELECT x.id, x.{self.column(left, 'int')} {self.pick('', 'NOT ')}IN ({inner}) AS marked FROM {{{left}}} x WHERE {self.predicate(left, 'x')} OR x.id IN ({inner})"

    def top(self):
        table = self.table()
        order = f"x.{self.column(table)} {self.pick('ASC', 'DESC')} NULLS {self.pick('FIRST', 'LAST')}, x.id"
        return f"SELECT x.* FROM {self.source(table)} x{self.where(table, 'x', 0.4)} ORDER BY {order} LIMIT {self.random.randint(1, 12)} OFFSET {self.pick(0, 0, 3)}"

    def aggregate(self):
        table = self.table()
        functions = [f"{self.pick('min', 'max', 'count', 'count(DISTINCT')} ({{}})" for _ in range(2)]
        functions = [f.replace("count(DISTINCT (", "count(DISTINCT (").replace("({})", f"(x.{self.column(table)})") + (")" if "DISTINCT" in f else "")
                     for f in functions]
        select = ", ".join(f"{f} AS f{i}" for i, f in enumerate(functions + ["count(*)"]))
        group = f"x.{self.column(table)} AS g, " if self.random.random() < 0.5 else ""
        return f"SELECT {group}{select} FROM {{{table}}} x{self.where(table, 'x', 0.5)}{' GROUP BY ALL' if group else ''}"

    def partitions(self):
        keys = self.pick("a", "b", "a, b", "b, a")
        return f"SELECT {keys}, count(*) AS c FROM {{p}} x{self.pick('', ' WHERE ' + self.predicate('p', 'x'))} GROUP BY {keys}{self.pick('', ' HAVING count(*) > 5')}"

    def window(self):
        table = self.table()
        over = f"OVER (PARTITION BY x.{self.column(table)} ORDER BY x.{self.column(table)}, x.id)"
        qualify = self.pick("", f" QUALIFY row_number() {over} <= 2")
        return f"SELECT x.id, row_number() {over} AS r, sum(x.id) {over} AS t, lag(x.id) {over} AS l FROM {{{table}}} x{self.where(table, 'x', 0.5)}{qualify}"

    def lateral(self):
        left, right = self.table(), self.table()
        return (f"SELECT x.id, z.* FROM {{{left}}} x, LATERAL (SELECT y.id AS j, y.{self.column(right)} AS w FROM {{{right}}} y WHERE {self.join_condition(left, right)} "
                f"ORDER BY y.id LIMIT 2) z{self.where(left, 'x', 0.5)}")

    def sets(self):
        left, right = self.table(), self.table()
        return (f"SELECT x.{self.column(left, 'int')} AS c FROM {{{left}}} x{self.where(left, 'x')} {self.pick('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT', 'EXCEPT ALL')} "
                f"SELECT y.{self.column(right, 'int')} FROM {{{right}}} y{self.where(right, 'y')}")


def run(bactrian, warehouse, sql):
    file = warehouse.parent / "script.sql"
    file.write_text(sql)
    done = subprocess.run([bactrian, "sql", "--warehouse", warehouse, "--format", "csv", "-f", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


def script(corpus, queries, optimisers, merged):
    lines = ["CREATE SCHEMA lake.r"]
    for pair in setup_p():
        lines += pair
    for statements in setup_e():
        lines += statements
    for name in REFERENCE:
        if merged or name == "d":
            lines += setup_reference(corpus, name)
    ours_of = {name: f"paimon_{name}" if name in REFERENCE else f"lake.r.{name}" for name in TABLES}
    native_of = {name: name for name in TABLES}
    for number, query in enumerate(queries):
        ours, native = query.format(**ours_of), query.format(**native_of)
        lookups = "true" if number % 2 == 0 else "false"
        lines += [f"SET paimon_key_lookup = {lookups}", f"SET disabled_optimizers = '{optimisers[number % len(optimisers)]}'",
                  f"CREATE OR REPLACE TEMP TABLE ours AS {ours}",
                  "RESET disabled_optimizers", f"CREATE OR REPLACE TEMP TABLE native AS {native}",
                  f"SELECT 'query {number}' AS q, (SELECT count(*) FROM ours) AS ours, (SELECT count(*) FROM native) AS native, "
                  f"(SELECT count(*) FROM ((FROM ours EXCEPT ALL FROM native) UNION ALL (FROM native EXCEPT ALL FROM ours))) AS different"]
    return ";\n".join(lines) + ";\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bactrian", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--merged", action="store_true")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    generator = Generator(args.seed, args.merged)
    queries = [generator.query() for _ in range(args.queries)]
    with tempfile.TemporaryDirectory() as folder:
        warehouse = pathlib.Path(folder) / "warehouse"
        _, optimisers, _ = run(args.bactrian, warehouse, "SELECT name FROM duckdb_optimizers()")
        optimisers = [""] + optimisers.split()[1:]
        status, output, errors = run(args.bactrian, warehouse, script(args.corpus.resolve(), queries, optimisers, args.merged))
    lines = [line.split(",") for line in output.splitlines() if line.startswith("query ")]
    different = [line for line in lines if line[3] != "0"]
    for line in different:
        number = int(line[0].split()[1])
        print(f"DIFFERENT with optimiser \"{optimisers[number % len(optimisers)]}\" off: {line[1]} rows, native {line[2]}, {line[3]} differ\n  {queries[number]}")
    if status or len(lines) != len(queries):
        print(f"stopped after {len(lines)} queries: {errors}\n  {queries[len(lines)] if len(lines) < len(queries) else ''}")
    print(f"seed {args.seed}: {len(lines) - len(different)} equal ({sum(line[2] != '0' for line in lines)} with rows), {len(different)} different")
    return 1 if different or status or len(lines) != len(queries) else 0


if __name__ == "__main__":
    sys.exit(main())
