#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Starts a job of Python ranks and checks how it ends.

usage: run.py pytest RANKS ARGUMENT...      the tests: rank 0 reports, and all pass
       run.py script RANKS ARGUMENT...      a program: it ends with status 0 and says "right"
                                            (in both, the library writes no warning)
       run.py uncaught RANKS                exceptions and exits of one rank end the job

The environment has MPIEXEC (with its option for the number of ranks), PYTHON, and PYTHONPATH of the
package.
"""

import os
import re
import subprocess
import sys

# Rank 1 does this, and the others would wait for ever; what the job then prints.
UNCAUGHT = {
    "a[10] = 1": [
        r"IndexError: index 10 is out of bounds.*\(rank 1\)",
        "nobody has caught IndexError",
    ],
    "sys.exit(3)": [r"SystemExit\(3\) ends this rank"],
    "sys.exit('bad')": ["^bad$", r"SystemExit\('bad'\) ends this rank"],
    "raise SystemExit(True)": [r"SystemExit\(True\) ends this rank"],
    "in_thread(lambda: a[10])": ["nobody has caught IndexError in a thread"],
}
IN_WITH = """
import sys, threading, armci

def in_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    a.sync()

with armci.init() as job, armci.zeros(10) as a:
    if job.rank == 1:
        {}
    a.sync()
    armci.sync()
"""
WITHOUT_WITH = """
import sys, armci
armci.init()
a = armci.zeros(10)
if armci.rank() == 1:
    {}
a.sync()
armci.sync()
"""

# All ranks do this, in the middle and at the end, and nothing has failed.
RIGHT = """
import sys, threading, armci
job = armci.init()
a = armci.zeros(10)
try:
    with job:
        {}
except SystemExit:
    pass
thread = threading.Thread(target=lambda: sys.exit(3))
thread.start()
thread.join()
a.sync()
sys.exit({})
"""


def run(ranks, arguments):
    command = [*os.environ["MPIEXEC"].split(), ranks, os.environ["PYTHON"], "-B", *arguments]
    job = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    print(job.stdout, flush=True)
    return job.returncode, job.stdout


def check_ends(ranks):
    """How many programs end in another way than they should."""
    wrong = 0
    for program in (IN_WITH, WITHOUT_WITH):
        for action, shown in UNCAUGHT.items():
            if program is WITHOUT_WITH and not action.startswith(("sys.exit", "a[")):
                continue
            status, output = run(ranks, ["-c", program.format(action)])
            wrong += status == 0 or not all(re.search(text, output, re.MULTILINE) for text in shown)
            wrong += "called by" in output or "#0" in output  # functions of the interpreter
    for action, end in (("sys.exit(0)", 0), ("sys.exit(3)", "None"), ("sys.exit()", "False")):
        status, output = run(ranks, ["-c", RIGHT.format(action, end)])
        # Only the array that is left is worth a warning.
        wrong += status != 0 or "ends this rank" in output or "1 allocation was not" not in output
    return wrong


def main(kind, ranks, *arguments):
    if kind == "uncaught":
        return check_ends(ranks)
    if kind == "pytest":
        # Open MPI gives its ranks a terminal.
        options = ["-q", "--color=no", "-p", "no:cacheprovider"]
        status, output = run(ranks, ["-m", "pytest", *options, *arguments])
        is_right = re.search(r"^\d+ passed(, \d+ skipped)?( in .*)?$", output, re.MULTILINE)
    else:
        status, output = run(ranks, arguments)
        is_right = re.search(": right$", output, re.MULTILINE)
    has_messages = re.search(r"^(\[\d+\] )?ARMCI \w+: ", output, re.MULTILINE)
    return not (status == 0 and is_right and not has_messages)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
