#!/usr/bin/env python3
"""Makes TPC-DS data: DIR/<table>.parquet (zstd) for the 24 tables, and DIR/queries/q1.sql … q99.sql.

Usage: make_tpcds.py --scale N --output DIR. Runs in the environment of requirements/tpcds.txt. Does nothing when DIR is complete.
"""
import argparse
import pathlib
import sys
import sysconfig

import duckdb


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    done = args.output / "_SUCCESS"
    if done.exists():
        return 0
    packages = pathlib.Path(sysconfig.get_paths()["purelib"])
    extension = next(packages.rglob("tpcds.duckdb_extension"), None)
    if extension is None:
        sys.exit("make_tpcds: no tpcds.duckdb_extension in this environment: pip install -r requirements/tpcds.txt")
    (args.output / "queries").mkdir(parents=True, exist_ok=True)
    # On disk: at scale 10 the tables do not fit into the memory of a small machine.
    database = args.output / "generated.duckdb"
    database.unlink(missing_ok=True)
    connection = duckdb.connect(database, config={"allow_unsigned_extensions": "true", "memory_limit": "6GB"})
    connection.execute(f"LOAD '{extension}'")
    connection.execute(f"CALL dsdgen(sf={args.scale:g})")
    for (table,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
        connection.execute(f"COPY {table} TO '{args.output}/{table}.parquet' (FORMAT parquet, COMPRESSION zstd)")
    for number, text in connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall():
        (args.output / "queries" / f"q{number}.sql").write_text(text)
    connection.close()
    database.unlink()
    done.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
