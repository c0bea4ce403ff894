"""Random histories of primary-key tables, written by the reference and read by both: merge_interop.py BUILD_DIRECTORY [STEPS] [SEED]

A history is a table of one legal combination of merge engine, deletion vectors, changelog producer and further options. Its steps are
commits (inserts, updates, deletes, null sequences, overwrites), compactions and schema changes. At every snapshot both readers must give the same rows, and
so must a model in memory (history_model.py) where it knows. Row kinds, projections, filters, incremental reads, streams, the audit log and the
read-optimised table are compared between the readers at snapshots chosen at random."""

import collections
import itertools
import json
import os
import pathlib
import random
import sys
import tempfile
import time

import history_model
from cases import HERE, Failure, Process

FIELDS = [("k", "INT NOT NULL"), ("a", "INT"), ("b", "STRING"), ("g", "INT"), ("s", "STRING")]
STEPS_OF_A_HISTORY = 40
ENGINES = {
    "deduplicate": [{}, {}, {"sequence.field": "g"}, {"sequence.field": "g,a", "sequence.field.sort-order": "descending"},
                    {"ignore-delete": "true"}],
    "partial-update": [{"fields.g.sequence-group": "a,b"}, {"fields.g.sequence-group": "a", "fields.a.aggregate-function": "sum"},
                       {"partial-update.remove-record-on-delete": "true"}, {"ignore-delete": "true"}],
    "aggregation": [{"fields.a.aggregate-function": "sum", "fields.g.aggregate-function": "max", "fields.g.ignore-retract": "true"},
                    {"fields.a.aggregate-function": "sum", "sequence.field": "g", "aggregation.remove-record-on-delete": "true"}],
    "first-row": [{"ignore-delete": "true"}],
}
FORMATS = ["parquet", "parquet", "avro", "orc"]
READS = [{}, {"@project": "b"}, {"@project": "g,k"}, {"@filter": "k >= 10 and k < 20"}, {"@filter": "a > 50"}, {"@filter": "b isnull"}]


def combinations():
    """Those that the reference's schema validation accepts."""
    for engine, vectors, producer in itertools.product(ENGINES, [False, True], ["none", "input", "full-compaction", "lookup"]):
        if engine == "first-row" and (vectors or producer not in ("none", "lookup")):
            continue
        if vectors and producer == "full-compaction":
            continue
        yield engine, vectors, producer


def counted(rows):
    return collections.Counter(json.dumps(row, sort_keys=True) for row in rows)


class History:
    def __init__(self, oracle, reader, directory, name, dice, engine, vectors, producer):
        self.oracle, self.reader, self.directory, self.name, self.dice = oracle, reader, directory, name, dice
        self.engine, self.options = engine, dict(dice.choice(ENGINES[engine]))
        merge_on_read = vectors and dice.random() < 0.4
        # Rows of level 0 are hidden until a compaction, bucket by bucket.
        self.hides = engine == "first-row" or (vectors and not merge_on_read)
        self.options |= {"merge-engine": engine, "deletion-vectors.enabled": str(vectors).lower(), "changelog-producer": producer,
                         "bucket": "1" if self.hides else dice.choice(["1", "2"]), "file.format": dice.choice(FORMATS),
                         "snapshot.time-retained": "10 d"}
        if dice.random() < 0.3:
            self.options["data-file.thin-mode"] = "true"
        if merge_on_read:
            self.options["deletion-vectors.merge-on-read"] = "true"
        self.with_deletes = dice.random() < 0.6
        self.is_modelled = history_model.covers(self.options, self.with_deletes)
        self.columns = [(name, name) for name, _ in FIELDS]  # as shown, and as records hold them
        self.widened = False
        self.records, self.shown = [], []  # all, and those that the newest snapshot shows
        self.states = {}  # snapshot: the model's rows
        self.snapshot = self.compared = 0
        schema = {"fields": [{"name": n, "type": t} for n, t in FIELDS], "partitionKeys": [], "primaryKeys": ["k"], "options": self.options}
        self.ask(oracle, "create", **{"@schema": self.file(schema)})

    def file(self, *lines):
        path = os.path.join(self.directory, "input.json")
        pathlib.Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def ask(self, process, command, system_table="", **options):
        warehouse = os.path.join(self.directory, "warehouse")
        process.send("\t".join([command, warehouse, "db", self.name + system_table] + [f"{key}={value}" for key, value in options.items()]))
        rows = []
        while "_end" not in (line := process.line()):
            rows.append(line)
        if line["_end"] != "ok":
            raise Failure(f"{command} {system_table} {options}: {line['message']}")
        return rows

    def kinds(self):
        if not self.with_deletes:
            return ["+I", "+I", "+U"]
        if self.engine == "partial-update" and "ignore-delete" not in self.options and "fields.g.sequence-group" not in self.options:
            return ["+I", "+U", "-D"]
        return ["+I", "+I", "+U", "-D", "-U"]

    def record(self):
        dice = self.dice
        record = {"_kind": dice.choice(self.kinds()), "k": dice.randrange(30), "a": dice.choice([None, dice.randrange(100)]),
                  "b": dice.choice([None, "", "x", "yy", "ü" * dice.randrange(9)]), "g": dice.choice([None, dice.randrange(12)]),
                  "s": f"s{dice.randrange(1000)}"}
        for _, held in self.columns[len(FIELDS):]:
            record[held] = dice.choice([None, dice.randrange(5)])
        return record

    def step(self):
        chance = self.dice.random()
        if chance < 0.10:
            self.ask(self.oracle, "compact", **{"@full": self.dice.choice(["true", "false"])})
        elif chance < 0.16:
            self.change_schema()
        else:
            records = [self.record() for _ in range(self.dice.choice([1, 3, 12, 40]))]
            names = {held: shown for shown, held in self.columns}
            rows = [{names.get(held, held): value for held, value in record.items()} for record in records]
            options = {"@rows": self.file(*rows), "write-only": self.dice.choice(["true", "false"])}
            if chance > 0.96:
                options["@overwrite"] = ""
                self.records = []
            self.ask(self.oracle, "write", **options)
            self.records = self.records + records
        self.note_snapshots()

    def change_schema(self):
        dice, added = self.dice, self.columns[len(FIELDS):]
        change = dice.choice(["add", "add", "drop", "rename", "widen"])
        if change == "drop" and added:
            column = dice.choice(added)
            self.columns.remove(column)
            changes = [{"op": "dropColumn", "name": column[0]}]
        elif change == "rename":
            at = next(i for i, (_, held) in enumerate(self.columns) if held == "s")
            name = f"s{dice.randrange(1000)}"
            changes = [{"op": "renameColumn", "name": self.columns[at][0], "to": name}]
            self.columns[at] = (name, "s")
        elif change == "widen" and not self.widened:
            self.widened = True
            changes = [{"op": "updateType", "name": "a", "type": "BIGINT"}]
        else:
            name = f"c{len(self.records)}_{dice.randrange(1000)}"
            self.columns.append((name, name))
            changes = [{"op": "addColumn", "name": name, "type": "INT"}]
        self.ask(self.oracle, "alter", **{"@changes": self.file(changes)})

    def note_snapshots(self):
        """What each new snapshot shows. A COMPACT one brings all that was written above level 0 where that is hidden."""
        for row in sorted(self.ask(self.reader, "read", "$snapshots"), key=lambda row: row["snapshot_id"]):
            if row["snapshot_id"] <= self.snapshot:
                continue
            self.snapshot = row["snapshot_id"]
            if row["commit_kind"] == "COMPACT" or not self.hides:
                self.shown = list(self.records)
            elif row["commit_kind"] == "OVERWRITE":
                self.shown = None  # the reference lifts the new files above level 0 where their keys allow it
            if self.is_modelled and self.shown is not None:
                self.states[self.snapshot] = history_model.rows(self.options, self.shown, self.columns)

    def compare(self, system_table="", **options):
        wanted, got = (counted(self.ask(process, "read", system_table, **options)) for process in (self.oracle, self.reader))
        if wanted != got:
            raise Failure(f"{self.options} {system_table} {options}: missing {list(wanted - got)[:3]}, unexpected {list(got - wanted)[:3]}")
        self.compared += sum(wanted.values())
        return wanted

    def check(self):
        for snapshot in range(1, self.snapshot + 1):
            rows = self.compare(**{"scan.snapshot-id": snapshot})
            plain = collections.Counter()
            for row, count in rows.items():
                plain[json.dumps({k: v for k, v in json.loads(row).items() if k != "_kind"}, sort_keys=True)] += count
            self.check_lookups(snapshot, plain)
            if snapshot in self.states:
                model = counted(self.states[snapshot])
                if plain != model:
                    raise Failure(f"{self.options} snapshot {snapshot}: the model has {list(model - plain)[:3]}, not {list(plain - model)[:3]}")
        for _ in range(4):
            self.compare_at_random()
        self.compare("$ro")
        self.compare("$audit_log")

    def check_lookups(self, snapshot, plain):
        """All keys that the histories use, and absent ones, found by key are the rows that a read gives."""
        options = {"scan.snapshot-id": snapshot, "@keys": "|".join(str(key) for key in range(-3, 40))}
        found = counted({k: v for k, v in row.items() if k != "_kind"} for row in self.ask(self.reader, "lookup", **options))
        if found != plain:
            raise Failure(f"{self.options} lookup at snapshot {snapshot}: missing {list(plain - found)[:3]}, unexpected {list(found - plain)[:3]}")

    def compare_at_random(self):
        dice = self.dice
        start, end = sorted(dice.choices(range(1, self.snapshot + 1), k=2))
        read = dice.choice(READS)
        self.compare(**{"scan.snapshot-id": end}, **read)
        mode = dice.choice(["auto", "delta", "changelog", "diff"])
        self.compare(dice.choice(["", "$audit_log"]), **{"incremental-between": f"{start},{end}", "incremental-between-scan-mode": mode})
        overwrites = dice.choice(["true", "false"]) if self.options["changelog-producer"] in ("none", "input") else "false"
        self.compare(dice.choice(["", "$audit_log"]), **{"@stream": 2 * self.snapshot + 2, "scan.mode": "from-snapshot", "scan.snapshot-id": start,
                                                         "streaming-read-overwrite": overwrites})


def main():
    build, steps, seed = sys.argv[1], int((sys.argv[2:] or ["500"])[0]), int((sys.argv[3:] or ["1"])[0])
    oracle = Process([str(HERE / "oracle" / "oracle"), "batch"])
    reader = Process([os.path.join(build, "tests/interop/bactrian_reader")])
    every = list(combinations())
    length = min(STEPS_OF_A_HISTORY, -(-steps // len(every)))
    failed = compared = snapshots = modelled = taken = 0
    for i in itertools.count():
        if taken >= steps and i >= len(every):
            break
        engine, vectors, producer = every[i % len(every)]
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="bactrian-merge-") as directory:
            history = None
            try:
                history = History(oracle, reader, directory, f"t{i}", random.Random(seed * 100000 + i), engine, vectors, producer)
                for _ in range(length):
                    history.step()
                history.check()
                outcome = "ok    "
            except Failure as failure:
                failed += 1
                outcome = f"FAILED {str(failure)[:1500]}\n      "
            taken += length
            if history:
                compared += history.compared
                snapshots += history.snapshot
                modelled += history.snapshot if history.is_modelled else 0
            print(outcome, i, engine, "dv" if vectors else "", producer, f"{time.monotonic() - began:.1f} s", flush=True)
    print(f"{i} histories, {taken} steps, {snapshots} snapshots ({modelled} modelled), {compared} rows compared, {failed} failed, seed {seed}")
    sys.exit(1 if failed or compared == 0 else 0)


if __name__ == "__main__":
    main()
