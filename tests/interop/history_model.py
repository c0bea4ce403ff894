"""What a primary-key table shows, computed from its records in the plainest way. Covers histories whose outcome does not depend
on which files were compacted when: those without deletes that count, and deduplicate without sequence fields."""


def covers(options, with_deletes):
    engine = options["merge-engine"]
    if engine == "deduplicate" and "sequence.field" not in options:
        return True
    if engine == "aggregation" and "sequence.field" in options:
        return False  # a merged row counts as new as its newest record, with all that older ones gave it
    needs_lookup = options["deletion-vectors.enabled"] == "true" or options["changelog-producer"] == "lookup"
    if needs_lookup and "fields.g.sequence-group" in options:
        return False  # the compaction that looks keys up merges lone records too: one without a sequence loses its group
    return not with_deletes or options.get("ignore-delete") == "true"


def is_retract(record):
    return record["_kind"] in ("-U", "-D")


def sequence_of(options, record):
    """Sorts records of one key: nulls first in both orders."""
    names = options["sequence.field"].split(",") if "sequence.field" in options else []
    sign = -1 if options.get("sequence.field.sort-order") == "descending" else 1
    return [(record[name] is not None, sign * (record[name] or 0)) for name in names]


def merged(options, records):
    """The row of one key, from all its records in the order in which they were written; None if there is none."""
    records = sorted(records, key=lambda record: sequence_of(options, record))  # stable: later ones win ties
    if options.get("ignore-delete") == "true":
        records = [record for record in records if not is_retract(record)]
    if not records:
        return None
    engine = options["merge-engine"]
    if engine == "deduplicate":
        return None if is_retract(records[-1]) else records[-1]
    if engine == "first-row" or len(records) == 1:
        return records[0]
    return aggregated(options, records) if engine == "aggregation" else partially_updated(options, records)


def fold(function, accumulator, value, newer=True):
    if function == "last_value":
        return value
    if accumulator is None or value is None:
        return value if accumulator is None else accumulator
    if function == "sum":
        return accumulator + value
    if function == "max":
        return max(accumulator, value)
    return value if newer else accumulator  # last_non_null_value


def aggregated(options, records):
    row = dict.fromkeys(records[-1])
    sequence = options.get("sequence.field", "").split(",")
    for record in records:
        for name, value in record.items():
            function = options.get(f"fields.{name}.aggregate-function", "last_non_null_value")
            row[name] = fold("last_value" if name == "k" or name in sequence else function, row.get(name), value)
    return row


def partially_updated(options, records):
    row = dict.fromkeys(records[-1])
    group = options.get("fields.g.sequence-group", "").split(",")
    grouped = {"g", *group} if "fields.g.sequence-group" in options else set()
    for record in records:
        newer = row.get("g") is None or (record["g"] is not None and record["g"] >= row["g"])
        for name, value in record.items():
            if name not in grouped:
                if value is not None:
                    row[name] = value
            elif record["g"] is None:
                continue
            elif f"fields.{name}.aggregate-function" in options:
                row[name] = fold(options[f"fields.{name}.aggregate-function"], row.get(name), value, newer)
            elif newer:
                row[name] = value
    return row


def rows(options, records, columns):
    """The table's rows as dicts of `columns`, pairs of (name as shown, name under which records hold it)."""
    by_key = {}
    for record in records:
        by_key.setdefault(record["k"], []).append(record)
    shown = []
    for of_key in by_key.values():
        row = merged(options, of_key)
        if row is not None:
            shown.append({name: row.get(held) for name, held in columns})
    return shown
