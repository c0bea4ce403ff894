#!/usr/bin/env python3
"""Compare partition, bucket and bucket path of every row with what the reference recorded (`kind: splits` of the corpora).

  splits_test.py READER CORPUS …        (archives or directories; missing ones are named and passed over)
"""
import importlib.machinery, importlib.util, json, os, sys, tarfile, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_DUE = {"pk_dynamic_bucket/splits", "pk_dynamic_bucket/part_splits", "pk_partitioned/splits", "pk_postpone_fixed/splits"}


def load_conform():
    loader = importlib.machinery.SourceFileLoader("conform", os.path.join(HERE, "conform"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("conform", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def main():
    conform, reader_command, passed, failed = load_conform(), sys.argv[1], 0, 0
    reader = conform.Reader(reader_command)
    for corpus in sys.argv[2:]:
        if not os.path.exists(corpus):
            print(f"SKIPPED: there is no {corpus}")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            root = corpus
            if not os.path.isdir(corpus):
                with tarfile.open(corpus) as archive:
                    archive.extractall(scratch)
                root = os.path.join(scratch, os.listdir(scratch)[0])
            for name in sorted(os.listdir(root)):
                case_file = os.path.join(root, name, "case.json")
                if not os.path.exists(case_file):
                    continue
                with open(case_file, encoding="utf-8") as f:
                    case = json.load(f)
                for read in case["reads"]:
                    label = f"{name}/{read['name']}"
                    if read.get("kind") != "splits" or label in NOT_DUE:
                        continue
                    warehouse = os.path.join(root, name, "warehouse")
                    options = [f"{k}={v}" for k, v in read["options"].items()]
                    rows, end = reader.ask("splits", warehouse, read.get("db", "default"), read["table"], *options)
                    with open(os.path.join(root, name, read["file"]), encoding="utf-8") as f:
                        want = conform.multiset(f.read().split("\n"), warehouse, read)
                    problem = end.get("message") if end["_end"] != "ok" else None
                    if not problem and conform.multiset(rows, warehouse, read) != want:
                        problem = "rows, buckets or paths differ"
                    passed, failed = passed + (not problem), failed + bool(problem)
                    if problem:
                        print(f"FAIL {label}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
