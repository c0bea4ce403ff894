#!/usr/bin/env python3
"""Runs statements in Python's DuckDB for bactrian_sql_test: a JSON string a line in, {"rows": …} or {"error": …} a line out."""
import json
import sys

import duckdb


def rows_of(connection, sql):
    """The last statement's rows as DuckDB spells them, not as Python would."""
    *first, last = connection.extract_statements(sql)
    for statement in first:
        connection.execute(statement)
    if last.type == duckdb.StatementType.SELECT:
        text = last.query.strip().rstrip(";")
        return connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM (\n{text}\n)").fetchall()
    rows = connection.execute(last).fetchall()
    return [[None if value is None else str(value) for value in row] for row in rows]


def main():
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "autoinstall_known_extensions": "false"})
    for line in sys.stdin:
        try:
            answer = {"rows": rows_of(connection, json.loads(line))}
        except Exception as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
