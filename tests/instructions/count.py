# SPDX-License-Identifier: BSD-3-Clause
"""Counts instructions of small operations inside a node with callgrind, and compares them with the
limits in a file.

    count.py PROGRAM LIMITS [ARGUMENT...]

The exit status is 1 when an operation takes more than its limit.

PROGRAM is linked statically with the library and is given the arguments. A limit that is far above what is counted is a fault,
too: it would let the path grow unseen.
"""
import os
import re
import subprocess
import sys
import tempfile

TIMES = 1001  # calls of each operation in the program
SLACK = 1.25  # by how much a limit may exceed the count


def read_limits(path):
    limits = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                limits[words[0]] = int(words[1])
    return limits


def run_callgrind(program, directory):
    output = os.path.join(directory, "callgrind.out")
    command = ["valgrind", "--tool=callgrind", "--separate-callers=1",
               f"--callgrind-out-file={output}", *program]
    environment = dict(os.environ, LD_BIND_NOW="1")
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"count.py: {' '.join(command)} failed:\n{finished.stderr}")
    return output


def inclusive_costs(output):
    """Instructions by name, from callgrind's own report: those within each function of the library that
    the program's main() calls, and, by the name of each other function of the program, within all
    functions of the library that this one calls."""
    report = subprocess.run(
        ["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", output],
        capture_output=True, text=True, check=True).stdout
    costs = {}
    for line in report.splitlines():
        match = re.match(r"\s*([\d,]+)(?:\s*\(.*?\))?\s+\S*?:P?(ARMCI_\w+)'(\w+)", line)
        if match:
            # A function has a line for each file whose code it contains; the largest is the whole function.
            cost = int(match.group(1).replace(",", ""))
            call = match.group(2), match.group(3)
            costs[call] = max(cost, costs.get(call, 0))
    sums = {}
    for (function, caller), cost in costs.items():
        name = function if caller == "main" else caller
        sums[name] = sums.get(name, 0) + cost
    return sums


def main():
    program, limits_path, *arguments = sys.argv[1:]
    limits = read_limits(limits_path)
    with tempfile.TemporaryDirectory() as directory:
        costs = inclusive_costs(run_callgrind([program, *arguments], directory))
    bad = False
    print(f"{'function or case':24} {'counted':>8} {'limit':>6}   instructions per call")
    for function, limit in limits.items():
        if function not in costs:
            sys.exit(f"count.py: callgrind saw no call of the library for {function}")
        counted = costs[function] / TIMES
        remark = ""
        if counted > limit:
            remark = "more than allowed"
        elif counted * SLACK + 2 < limit:
            remark = "the limit is too generous: lower it"
        bad = bad or remark != ""
        print(f"{function:24} {counted:8.1f} {limit:6}   {remark}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
