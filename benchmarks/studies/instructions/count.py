#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions of small operations inside a node for several ARMCI libraries, with
callgrind and the same program (operations.c), and writes them as CSV.

    count.py --out FILE.csv LABEL=FLAGS[,OPTION...] ...

FLAGS are what compiles and links the program with a library: "-I..." and "-L... -l...". Options
follow a comma: "program=PATH" for a program that is built already (without FLAGS), "ranks=N" for a
library that keeps ranks for itself (the default is 2), "level=multiple" for one that needs
MPI_THREAD_MULTIPLE, "env=NAME:VALUE" for its environment.

    count.py --out instructions.csv \\
        "libarmci=,program=build/release/benchmarks/studies/instructions/small_operations" \\
        "ARMCI-MPI=-larmci-mpich,env=ARMCI_USE_WIN_ALLOCATE:0" \\
        "ComEx MPI-PR=-I/opt/ga/include/ga /opt/ga/lib/libarmci.a -lblas -lm,ranks=3"

It needs valgrind, its headers, and MPI's compiler wrapper ($MPICC, or mpicc). Only instructions of
the calling process count, and of all its threads. Each figure is an instruction count per call,
with the loop of the program. Where a call waits for another process, its polls count, too.
"""
import argparse
import csv
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = 1000  # kTimes of operations.c


class Library:
    def __init__(self, text):
        self.label, _, rest = text.partition("=")
        flags, *options = rest.split(",")
        self.flags = shlex.split(flags)
        self.ranks = 2
        self.arguments = []
        self.environment = {}
        self.program = ""
        for option in options:
            name, _, value = option.partition("=")
            if name == "ranks":
                self.ranks = int(value)
            elif name == "program":
                self.program = value
            elif name == "level":
                self.arguments = [value]
            elif name == "env":
                variable, _, setting = value.partition(":")
                self.environment[variable] = setting
            else:
                sys.exit(f"count.py: {text}: no option {name}; use program, ranks, level or env")
        if not self.label or bool(self.flags) == bool(self.program):
            sys.exit(f"count.py: {text}: write LABEL=FLAGS, or LABEL=,program=PATH")


def compile_program(library, directory):
    program = os.path.join(directory, "operations")
    compiler = os.environ.get("MPICC", "mpicc")
    includes = [flag for flag in library.flags if flag.startswith("-I")]
    links = [flag for flag in library.flags if not flag.startswith("-I")]
    command = [compiler, "-O2", "-g", *includes, os.path.join(HERE, "operations.c"), "-o", program,
               *links]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"count.py: {' '.join(command)} failed:\n{finished.stderr}")
    return program


def run(library, program, directory, launcher, timeout_s):
    """Rank 0 alone runs under callgrind. Returns the counts by operation, in their order."""
    output = os.path.join(directory, "callgrind")
    callgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}"]
    command = [*launcher, "-n", "1", *callgrind, program, *library.arguments, ":",
               "-n", str(library.ranks - 1), program, *library.arguments]
    environment = dict(os.environ, LD_BIND_NOW="1", **library.environment)
    try:
        finished = subprocess.run(command, env=environment, capture_output=True, text=True,
                                  timeout=timeout_s, check=False)
    except subprocess.TimeoutExpired:
        sys.exit(f"count.py: {library.label}: no end after {timeout_s} s: {' '.join(command)}")
    if finished.returncode != 0:
        sys.exit(f"count.py: {library.label}: {' '.join(command)} failed:\n{finished.stdout}"
                 f"{finished.stderr}")
    return read_dumps(output)


def read_dumps(output):
    counts = {}
    dumps = [path for path in glob.glob(output + ".*") if path.rsplit(".", 1)[1].isdigit()]
    for path in sorted(dumps, key=lambda name: int(name.rsplit(".", 1)[1])):
        with open(path, encoding="utf-8") as lines:
            text = lines.read()
        trigger = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if trigger and total:
            counts[trigger.group(1)] = counts.get(trigger.group(1), 0) + int(total.group(1))
    return {name: count / TIMES for name, count in counts.items()}


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__)
    parser.add_argument("--out", required=True, help="the CSV file to write")
    parser.add_argument("--launcher", default="mpiexec", help="starts ranks (default mpiexec)")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one library")
    parser.add_argument("libraries", nargs="+", metavar="LABEL=FLAGS")
    arguments = parser.parse_args()
    libraries = [Library(text) for text in arguments.libraries]
    columns = {}
    for library in libraries:
        print(f"{library.label}: compiles and counts ...", flush=True)
        with tempfile.TemporaryDirectory() as directory:
            program = library.program or compile_program(library, directory)
            columns[library.label] = run(library, program, directory,
                                         shlex.split(arguments.launcher), arguments.timeout)
    names = list(dict.fromkeys(name for counts in columns.values() for name in counts))
    if not names:
        sys.exit("count.py: callgrind has counted nothing; is valgrind complete?")
    with open(arguments.out, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["operation", *columns])
        for name in names:
            writer.writerow([name, *(f"{counts[name]:.0f}" if name in counts else ""
                                     for counts in columns.values())])
    for name in names:
        print(f"{name:16}" + "".join(f"{columns[label].get(name, float('nan')):12.0f}"
                                     for label in columns))


if __name__ == "__main__":
    main()
