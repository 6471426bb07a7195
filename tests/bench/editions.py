#!/usr/bin/env python3
"""Two builds of the `cycle` bench on the same folders, alternating in one run, beside another scheduler's times.

    tests/bench/editions.py OLD NEW ROWS FOLDER...

OLD and NEW are binaries of `cargo bench --bench cycle --no-run`. ROWS is a text of lines `NAME RATIO`: how many times as
long as OLD the other scheduler took for the folder of that name; a folder without a line is compared without it. Printed is,
for each folder, the least time of building and running a cycle in each build, how many times less NEW takes, and how many
times as long as NEW the other scheduler takes; then the growth of NEW's time with vnodes and jobs, as exponents, between
folders whose names differ in one of these (KIND-SETS-VNODES-JOBS).
"""

import math
import pathlib
import re
import subprocess
import sys

ROUNDS = 5
TIME = re.compile(r"([\d.]+) (ms|s|µs)\b")
IN_MS = {"µs": 0.001, "ms": 1.0, "s": 1000.0}


def build_and_cycle(binary, folder):
    """Milliseconds for the universe and for the cycle over it."""
    out = subprocess.run([binary, folder], capture_output=True, text=True, check=True).stdout
    times = [float(number) * IN_MS[unit] for number, unit in TIME.findall(out.splitlines()[-1])]
    # The columns: read, build, cycle, seek, reference.
    return times[1], times[2]


def best(binaries, folder):
    """The least of build and of cycle for each binary, taken in turns."""
    seen = {binary: [] for binary in binaries}
    for _ in range(ROUNDS):
        for binary in binaries:
            seen[binary].append(build_and_cycle(binary, folder))
    return [tuple(min(times) for times in zip(*seen[binary])) for binary in binaries]


def exponents(totals):
    """How the time grows: pairs of rows that differ in the number of vnodes or of jobs alone."""
    for (name, (kind, sets, nodes, jobs)), total in totals.items():
        for (other, (kind2, sets2, nodes2, jobs2)), more in totals.items():
            if (kind, sets) != (kind2, sets2):
                continue
            if jobs == jobs2 and nodes < nodes2:
                yield name, other, "vnodes", math.log(more / total) / math.log(nodes2 / nodes)
            if nodes == nodes2 and jobs < jobs2:
                yield name, other, "jobs", math.log(more / total) / math.log(jobs2 / jobs)


def main():
    old, new, rows, *folders = sys.argv[1:]
    ratios = dict(line.split() for line in pathlib.Path(rows).read_text().splitlines() if line.strip())
    print(f"{'row':<26} {'old ms':>15} {'new ms':>15} {'less':>6} {'other / new':>12}")
    totals = {}
    for folder in map(pathlib.Path, folders):
        name = folder.name
        (old_build, old_run), (new_build, new_run) = best([old, new], str(folder))
        less = (old_build + old_run) / (new_build + new_run)
        other = f"{float(ratios[name]) * less:.0f}" if name in ratios else "-"
        both = f"{old_build:.1f} + {old_run:.1f}", f"{new_build:.1f} + {new_run:.1f}"
        print(f"{name:<26} {both[0]:>15} {both[1]:>15} {less:>6.2f} {other:>12}", flush=True)
        parts = name.split("-")
        if len(parts) == 4 and parts[2].isdigit() and parts[3].isdigit():
            totals[name, (parts[0], parts[1], int(parts[2]), int(parts[3]))] = new_build + new_run
    for name, other, what, exponent in exponents(totals):
        print(f"{name} to {other}: time grows as {what} to the power of {exponent:.2f}")


if __name__ == "__main__":
    main()
