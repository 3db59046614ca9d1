#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Starts a job of Python ranks and checks how it ends.

usage: run.py pytest RANKS ARGUMENT...      the tests: rank 0 reports, and all pass
       run.py script RANKS ARGUMENT...      a program: it ends with status 0 and says "right"
                                            (in both, the library writes no warning)
       run.py uncaught RANKS                an exception of one rank ends the job, and is shown

The environment has MPIEXEC (with its option for the number of ranks), PYTHON, and PYTHONPATH of the
package.
"""

import os
import re
import subprocess
import sys

# The other ranks would wait here for ever.
UNCAUGHT = """
import armci
with armci.init() as job:
    with armci.zeros(10) as a:
        if job.rank == 1:
            a[10] = 1
        a.sync()
        armci.sync()
"""


def run(ranks, arguments):
    command = [*os.environ["MPIEXEC"].split(), ranks, os.environ["PYTHON"], "-B", *arguments]
    job = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    print(job.stdout)
    return job.returncode, job.stdout


def main(kind, ranks, *arguments):
    if kind == "uncaught":
        status, output = run(ranks, ["-c", UNCAUGHT])
        is_shown = "IndexError: index 10 is out of bounds" in output
        return not (status != 0 and is_shown and "nobody has caught IndexError" in output)
    if kind == "pytest":
        status, output = run(ranks, ["-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments])
        is_right = re.search(r"^\d+ passed(, \d+ skipped)?( in .*)?$", output, re.MULTILINE)
    else:
        status, output = run(ranks, arguments)
        is_right = re.search(": right$", output, re.MULTILINE)
    has_messages = re.search(r"^(\[\d+\] )?ARMCI \w+: ", output, re.MULTILINE)
    return not (status == 0 and is_right and not has_messages)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
