#!/usr/bin/env python3
"""Runs statements in DuckDB's command line for bactrian_sql_test: shell_host.py DUCKDB. A JSON string a line in, {"rows": …} or
{"error": …} a line out."""
import json
import pathlib
import subprocess
import sys
import tempfile

DONE = "-- done --"


class Shell:
    def __init__(self, command, folder):
        self.output = pathlib.Path(folder) / "rows"
        self.process = subprocess.Popen([command, "-unsigned", "-batch"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.send(".bail off", ".headers off", ".mode list", '.separator "\\t" "\\n"', ".nullvalue NULL",
                  "SET autoinstall_known_extensions = false;")

    def send(self, *lines):
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()

    def run(self, sql):
        # `.output` closes the file with the rows; what the shell writes to standard error comes before the mark.
        self.send(f".output {self.output}", sql.rstrip().rstrip(";") + "\n;", ".output", f".system echo '{DONE}' >&2")
        errors = []
        for line in self.process.stderr:
            if line.rstrip("\n") == DONE:
                break
            errors.append(line)
        else:
            raise SystemExit("the shell has ended: " + "".join(errors))
        if errors:
            return {"error": "".join(errors)}
        text = self.output.read_text()
        return {"rows": [line.split("\t") for line in text.removesuffix("\n").split("\n")] if text else []}


def main():
    with tempfile.TemporaryDirectory() as folder:
        shell = Shell(sys.argv[1], folder)
        for line in sys.stdin:
            print(json.dumps(shell.run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
