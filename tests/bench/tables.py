#!/usr/bin/env python3
"""Makes the tables of the manual's page about size anew, from a checkout on a quiet machine.

    tests/bench/tables.py                 all tables of src/manual/scale.md
    tests/bench/tables.py changes kept    only those of these benches

A table is the block behind one that holds the command it is made by. Each command is run, and what it prints takes the place
of the block. Everything else of the page is left as it stands.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "src" / "manual" / "scale.md"
# A block with one command, and the block that follows it.
TABLE = re.compile(r"```text\n(cargo bench --bench (\w+)[^\n]*)\n```\n\n```text\n(.*?)```", re.DOTALL)


def made(command):
    """What a command prints, without blanks at the ends of lines."""
    print(command, file=sys.stderr)
    out = subprocess.run(command.split(), cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return "".join(line.rstrip() + "\n" for line in out.splitlines() if line.strip())


def main():
    wanted = sys.argv[1:]

    def anew(found):
        command, bench, before = found.groups()
        text = made(command) if not wanted or bench in wanted else before
        return f"```text\n{command}\n```\n\n```text\n{text}```"

    PAGE.write_text(TABLE.sub(anew, PAGE.read_text()))


if __name__ == "__main__":
    main()
