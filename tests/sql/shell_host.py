#!/usr/bin/env python3
"""Runs statements in DuckDB's command line for bactrian_sql_test: shell_host.py DUCKDB. A JSON string a line in, {"rows": …} or
{"error": …} a line out."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

DONE = "--done--"


class Shell:
    def __init__(self, command, folder):
        self.output = pathlib.Path(folder) / "rows"
        self.process = subprocess.Popen([command, "-unsigned", "-batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True)
        self.send(".bail off", ".headers off", ".mode list", '.separator "\\t" "\\n"', ".nullvalue NULL",
                  "SET autoinstall_known_extensions = false;", ".changes on")

    def send(self, *lines):
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()

    def run(self, sql):
        # Rows go to a file, which the second `.output` closes; errors come through the pipe, and then another process' mark.
        self.send(f".output {self.output}", sql.rstrip().rstrip(";") + "\n;", ".output", f".system echo {DONE}")
        errors = []
        for line in self.process.stdout:
            if line.rstrip("\n") == DONE:
                break
            errors.append(line)
        else:
            raise SystemExit("the shell has ended: " + "".join(errors))
        if errors:
            return {"error": "".join(errors)}
        *rows, changes = self.output.read_text().removesuffix("\n").split("\n")
        if not rows and re.match(r"\s*(INSERT|CREATE)\b", sql):  # their count is not shown as a row
            rows = [re.match(r"changes: +(\d+)", changes).group(1)]
        return {"rows": [row.split("\t") for row in rows]}


def main():
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(sys.argv[1], folder)
        for line in sys.stdin:
            print(json.dumps(shell.run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
