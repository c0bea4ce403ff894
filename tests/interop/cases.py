"""What the interop scripts share: programs that answer line by line, and a script's cases run one after the other."""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


class Process:
    """A program that answers requests on its standard output."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args[0]} died")
        return json.loads(line)


class Failure(Exception):
    """What a case found wrong."""


def main(interop, functions):
    """The command line of a script: BUILD [PATTERN]. Runs every `case_…` of `functions` on one `interop(BUILD)`; exits with 1 if one failed."""
    build, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    ground = interop(build)
    failed = ran = 0
    for name, case in functions.items():
        if not name.startswith("case_") or not re.search(pattern, name):
            continue
        ran += 1
        try:
            case(ground)
            print("ok   ", name[5:].replace("_", " "), flush=True)
        except (Failure, AssertionError) as failure:
            failed += 1
            print("FAILED", name[5:].replace("_", " "), "\n   ", str(failure)[:2000], flush=True)
    print(f"{ran} cases, {failed} failed")
    sys.exit(1 if failed or ran == 0 else 0)
