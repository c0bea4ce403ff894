"""Random histories of primary-key tables, written by the reference, read by both: merge_interop.py BUILD_DIRECTORY [STEPS] [SEED]

Each history is a table of one legal combination of merge engine, deletion vectors, changelog producer and further options. Steps are commits
(inserts, updates, deletes, null sequences), compactions and added columns. Afterwards both readers read several snapshots, whole, projected and
filtered, and must give the same rows with the same row kinds."""

import collections
import itertools
import json
import os
import pathlib
import random
import sys
import tempfile

from write_interop import Failure, Process

HERE = pathlib.Path(__file__).parent
FIELDS = [("k", "INT NOT NULL"), ("a", "INT"), ("b", "STRING"), ("g", "INT"), ("s", "STRING")]
ENGINES = {
    "deduplicate": [{}, {"sequence.field": "g"}, {"sequence.field": "g,a", "sequence.field.sort-order": "descending"},
                    {"ignore-delete": "true"}],
    "partial-update": [{"fields.g.sequence-group": "a,b"}, {"fields.g.sequence-group": "a", "fields.a.aggregate-function": "sum"},
                       {"partial-update.remove-record-on-delete": "true"}, {"ignore-delete": "true"}],
    "aggregation": [{"fields.a.aggregate-function": "sum", "fields.g.aggregate-function": "max", "fields.g.ignore-retract": "true"},
                    {"fields.a.aggregate-function": "sum", "sequence.field": "g", "aggregation.remove-record-on-delete": "true"}],
    "first-row": [{"ignore-delete": "true"}],
}
FORMATS = ["parquet", "avro"]
READS = [{}, {"@project": "b"}, {"@project": "s,k"}, {"@filter": "k >= 10 and k < 20"}, {"@filter": "a > 50"}, {"@filter": "b isnull"}]


def combinations():
    """Those that the reference's schema validation accepts."""
    for engine, vectors, producer in itertools.product(ENGINES, [False, True], ["none", "input", "full-compaction", "lookup"]):
        if engine == "first-row" and (vectors or producer not in ("none", "lookup")):
            continue
        if vectors and producer == "full-compaction":
            continue
        yield engine, vectors, producer


class History:
    def __init__(self, oracle, reader, directory, name, dice, engine, vectors, producer):
        self.oracle, self.reader, self.directory, self.name, self.dice = oracle, reader, directory, name, dice
        self.engine, self.options = engine, dict(dice.choice(ENGINES[engine]))
        self.options |= {"merge-engine": engine, "deletion-vectors.enabled": str(vectors).lower(), "changelog-producer": producer,
                         "bucket": dice.choice(["1", "2"]), "file.format": dice.choice(FORMATS)}
        if dice.random() < 0.3:
            self.options["data-file.thin-mode"] = "true"
        if vectors and dice.random() < 0.4:
            self.options["deletion-vectors.merge-on-read"] = "true"
        self.fields = list(FIELDS)
        schema = {"fields": [{"name": n, "type": t} for n, t in FIELDS], "partitionKeys": [], "primaryKeys": ["k"], "options": self.options}
        self.ask(oracle, "create", **{"@schema": self.file(schema)})

    def file(self, *lines):
        path = os.path.join(self.directory, "input.json")
        pathlib.Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def ask(self, process, command, **options):
        warehouse = os.path.join(self.directory, "warehouse")
        process.send("\t".join([command, warehouse, "db", self.name] + [f"{key}={value}" for key, value in options.items()]))
        rows = []
        while "_end" not in (line := process.line()):
            rows.append(line)
        if line["_end"] != "ok":
            raise Failure(f"{command} {options}: {line['message']}")
        return rows

    def kinds(self):
        if self.engine == "partial-update" and "ignore-delete" not in self.options and "fields.g.sequence-group" not in self.options:
            return ["+I", "+U", "-D"]
        return ["+I", "+I", "+U", "-D", "-U"]

    def row(self):
        dice = self.dice
        row = {"_kind": dice.choice(self.kinds()), "k": dice.randrange(30), "a": dice.choice([None, dice.randrange(100)]),
               "b": dice.choice([None, "", "x", "yy", "ü" * dice.randrange(9)]), "g": dice.choice([None, dice.randrange(12)]),
               "s": f"s{dice.randrange(1000)}"}
        for name, _ in self.fields[len(FIELDS):]:
            row[name] = dice.choice([None, dice.randrange(5)])
        return row

    def step(self):
        chance = self.dice.random()
        if chance < 0.08:
            self.ask(self.oracle, "compact", **{"@full": self.dice.choice(["true", "false"])})
        elif chance < 0.12:
            name = f"c{len(self.fields)}"
            self.ask(self.oracle, "alter", **{"@changes": self.file([{"op": "addColumn", "name": name, "type": "INT"}])})
            self.fields.append((name, "INT"))
        else:
            rows = [self.row() for _ in range(self.dice.choice([1, 3, 12, 40]))]
            write_only = self.dice.choice(["true", "false"])
            self.ask(self.oracle, "write", **{"@rows": self.file(*rows), "write-only": write_only})

    def check(self):
        latest = self.ask(self.oracle, "read")
        snapshots = [row["snapshot_id"] for row in self.snapshots()]
        compared = len(latest)
        for snapshot in sorted({snapshots[-1], *self.dice.sample(snapshots, min(4, len(snapshots)))}):
            read = self.dice.choice(READS) if snapshot != snapshots[-1] else {}
            options = {"scan.snapshot-id": snapshot, **read}
            wanted, got = (collections.Counter(json.dumps(row, sort_keys=True) for row in self.ask(process, "read", **options))
                           for process in (self.oracle, self.reader))
            if wanted != got:
                raise Failure(f"{self.options} {options}: missing {list(wanted - got)[:3]}, unexpected {list(got - wanted)[:3]}")
            compared += sum(wanted.values())
        return compared

    def snapshots(self):
        name, self.name = self.name, self.name + "$snapshots"
        try:
            return self.ask(self.oracle, "read")
        finally:
            self.name = name


def main():
    build, steps, seed = sys.argv[1], int((sys.argv[2:] or ["500"])[0]), int((sys.argv[3:] or ["1"])[0])
    oracle = Process([str(HERE / "oracle" / "oracle"), "batch"])
    reader = Process([os.path.join(build, "tests/interop/bactrian_reader")])
    every = list(combinations())
    failed = compared = 0
    with tempfile.TemporaryDirectory(prefix="bactrian-merge-") as directory:
        for i, (engine, vectors, producer) in enumerate(every):
            dice = random.Random(seed * 1000 + i)
            try:
                history = History(oracle, reader, directory, f"t{i}", dice, engine, vectors, producer)
                history.step()
                for _ in range(steps // len(every)):
                    history.step()
                compared += history.check()
                print("ok    ", engine, "dv" if vectors else "", producer, flush=True)
            except Failure as failure:
                failed += 1
                print("FAILED", engine, "dv" if vectors else "", producer, "\n   ", str(failure)[:1500], flush=True)
    print(f"{len(every)} histories, {compared} rows compared, seed {seed}")
    sys.exit(1 if failed or compared == 0 else 0)


if __name__ == "__main__":
    main()
