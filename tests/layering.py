#!/usr/bin/env python3
"""Fails on an include that points up: base < types < expr < io < format < meta < index < merge < table < catalog < surfaces.

Usage: layering.py [ROOT]. Prints one line a violation and 'N passed, N failed' (files).
"""
import pathlib
import re
import sys

LAYERS = ["base", "types", "expr", "io", "format", "meta", "index", "merge", "table", "catalog", "c"]
RANK = {name: i for i, name in enumerate(LAYERS)}
FORBIDDEN = {("index", "meta"): False, ("merge", "meta"): True, ("merge", "format"): True}
# The lowest layer that may include a public header.
PUBLIC = {"export.h": "base", "status.h": "base", "data_type.h": "types", "value.h": "types", "variant.h": "types", "schema.h": "types",
          "predicate.h": "expr", "aggregate_function.h": "merge", "stream.h": "table", "lookup.h": "table", "schema_change.h": "meta", "scan.h": "table", "write.h": "table", "table.h": "table",
          "maintain.h": "table", "history.h": "table", "session.h": "table", "catalog.h": "table", "bactrian.h": "catalog"}
INCLUDE = re.compile(r'^\s*#\s*include\s*"bactrian/([^"]+)"', re.M)


def problem(layer, header):
    parts = header.split("/")
    if len(parts) == 1:
        if header not in PUBLIC:
            return f"public header {header} has no layer in tests/layering.py"
        target = PUBLIC[header]
    else:
        target = parts[0]
        if target not in RANK:
            return f"{target} is no layer"
    if RANK[target] > RANK[layer]:
        return f"{layer} must not include {header} ({target} lies above)"
    if FORBIDDEN.get((layer, target)):
        return f"{layer} must not see {target}"
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    passed = failed = 0
    for path in sorted((root / "src" / "bactrian").rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        layer = path.relative_to(root / "src" / "bactrian").parts[0]
        problems = [p for h in INCLUDE.findall(path.read_text()) if (p := problem(layer, h))]
        for p in problems:
            print(f"{path.relative_to(root)}: {p}")
        passed, failed = passed + (not problems), failed + bool(problems)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
