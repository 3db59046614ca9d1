#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Overlap of transfers with computation, and what transfers cost a target that computes.

Writes two CSV files:
  overlap.csv  rows of armci-bench --ops overlap,overlap-strided, inside a node and between nodes, with
               and without a copy engine (Figures 4 and 5 of Gangadharappa)
  target.csv   slowdown and cache misses of a computing target, where nobody, the data server's
               thread, or a copy engine besides makes its side of the transfers (Table 1)

Misses are counted by perf_event_open where the machine has counters, or with --simulate by valgrind's
cachegrind. That one sees one cache for all threads of a process.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

PLACES = {
    "node": {},
    "network": {"ARMCI_NODE_SIZE": "1", "ARMCI_ROUTE": "server"},
}
ENGINES = {"none": {}, "thread": {"ARMCI_COPY_ENGINE": "thread"}}
# Who makes the target's side of transfers between nodes.
HELPERS = {
    "nobody": {"ARMCI_PROGRESS_THREAD": "0"},
    "thread": {},
    "engine": {"ARMCI_COPY_ENGINE": "thread", "ARMCI_COPY_ENGINE_MIN": "16K"},
}
OPERATIONS = ("put", "get", "acc")
FUNCTION = "computing_target_compute"
LINE = re.compile(r"target (?P<pid>\d+) alone_us (?P<alone_us>\S+) during_us (?P<during_us>\S+) "
                  r"round_us (?P<round_us>\S+) misses_alone (?P<misses_alone>\S+) "
                  r"misses_during (?P<misses_during>\S+) (?P<counter>.*)")
TARGET_COLUMNS = ("helper", "operation", "bytes", "alone_us", "during_us", "slowdown", "round_us",
                  "misses_alone", "misses_during", "counter")


class StudyError(Exception):
    """Something the user can put right."""


def run(command, variables):
    environment = dict(os.environ, **variables)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise StudyError(f"{command[0]}: {error.strerror}") from None
    if done.returncode != 0:
        settings = " ".join(f"{name}={value}" for name, value in variables.items())
        raise StudyError(f"{settings} {' '.join(command)} ended with {done.returncode}:\n"
                         f"{done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def bytes_of(text):
    unit = {"K": 1 << 10, "M": 1 << 20}.get(text[-1], 1)
    return int(text.rstrip("KM")) * unit


def write_csv(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def measure_overlap(options):
    """Rows of armci-bench with the columns place and engine in front."""
    sizes, times = ("64K,1M", ["--repeat", "3", "--min-time", "2"]) if options.quick else \
        ("64K,256K,1M,4M", [])
    sizes = options.sizes or sizes
    rows = []
    columns = []
    for place, place_variables in PLACES.items():
        for engine, engine_variables in ENGINES.items():
            print(f"overlap: {place}, copy engine {engine}", file=sys.stderr, flush=True)
            text = run([*options.mpiexec, "-n", "2", options.bench, "--ops",
                        "overlap,overlap-strided", "--sizes", sizes, "--runs", "8K", "--target-wait",
                        "asleep", *times, "--csv", "-"], {**place_variables, **engine_variables})
            lines = [line for line in text.splitlines() if not line.startswith("#")]
            for row in csv.DictReader(lines):
                columns = ["place", "engine", *(name for name in row)]
                rows.append({"place": place, "engine": engine, **row})
    if not rows:
        raise StudyError(f"{options.bench} printed no rows")
    return columns, rows


def read_misses(path):
    """Misses of the last simulated level by loads and stores in FUNCTION."""
    columns = []
    inside = False
    misses = 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("events:"):
                names = line.split()[1:]
                columns = [names.index("DLmr"), names.index("DLmw")]
            elif line.startswith("fn="):
                inside = line[3:].strip() == FUNCTION
            elif inside and line[:1].isdigit():
                fields = line.split()
                misses += sum(int(fields[1 + column]) for column in columns)
    return misses


def simulate(options, helper, operation, size, rounds):
    """Misses of the target's computation in a round with one operation, of 0 bytes for none."""
    with tempfile.TemporaryDirectory() as folder:
        text = run([*options.mpiexec, "-n", "2", options.valgrind, "--tool=cachegrind",
                    "--cache-sim=yes", "--quiet", "--fair-sched=yes", f"--LL={options.cache}",
                    f"--cachegrind-out-file={folder}/%p", options.program, operation, str(size),
                    str(-rounds), str(options.working_set)],
                   {**PLACES["network"], **HELPERS[helper]})
        found = LINE.search(text)
        if not found:
            raise StudyError(f"{options.program} printed no result")
        return read_misses(os.path.join(folder, found["pid"])) / rounds


def measure_target(options):
    sizes = ("256K",) if options.quick else ("32K", "256K", "1M", "4M")
    sizes = [bytes_of(text) for text in (options.sizes.split(",") if options.sizes else sizes)]
    rounds = 10 if options.quick else 60
    rows = []
    for helper, variables in HELPERS.items():
        for operation in options.operations.split(","):
            for size in sizes:
                print(f"target: {helper} helps, {operation} of {size}", file=sys.stderr, flush=True)
                text = run([*options.mpiexec, "-n", "2", options.program, operation, str(size),
                            str(rounds), str(options.working_set)],
                           {**PLACES["network"], **variables})
                found = LINE.search(text)
                if not found:
                    raise StudyError(f"{options.program} printed no result")
                row = {"helper": helper, "operation": operation, "bytes": size,
                       "slowdown": f"{float(found['during_us']) / float(found['alone_us']):.3f}"}
                for name in ("alone_us", "during_us", "round_us", "misses_alone", "misses_during",
                             "counter"):
                    row[name] = found[name]
                if float(found["misses_alone"]) < 0:
                    row.update(misses_alone="", misses_during="")
                    if options.simulate:
                        add_simulated(options, row)
                rows.append(row)
    return rows


def add_simulated(options, row):
    rounds = 4
    row["misses_alone"] = f"{simulate(options, row['helper'], row['operation'], 0, rounds):.0f}"
    row["misses_during"] = \
        f"{simulate(options, row['helper'], row['operation'], row['bytes'], rounds):.0f}"
    row["counter"] = f"last-level misses in cachegrind's cache of {options.cache}"


def print_tables(overlap_rows, target_rows):
    if overlap_rows:
        print("part of the transfer that computation hides (medians)")
    for row in overlap_rows:
        if row.get("mode") == "origin" and row.get("hidden"):
            print(f"  {row['place']:8}{row['engine']:8}{row['operation']:22}{row['bytes']:>9}  "
                  f"{100 * float(row['hidden']):4.0f} %  computing x {row['compute_slowdown']}")
    if target_rows:
        print("target that computes")
    for row in target_rows:
        print(f"  {row['helper']:8}{row['operation']:5}{row['bytes']:>9}  computing x "
              f"{row['slowdown']}  round {row['round_us']} us  misses {row['misses_alone'] or '-'} "
              f"-> {row['misses_during'] or '-'}")
    if target_rows and not target_rows[0]["misses_alone"]:
        print(f"  misses: {target_rows[0]['counter']} (--simulate counts them in valgrind)")


def parse_arguments(arguments):
    build = os.path.join(os.path.dirname(__file__), "..", "..", "..", "build", "release")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.normpath(build), metavar="FOLDER",
                        help="with armci-bench and computing_target (default %(default)s)")
    parser.add_argument("--out", default=".", metavar="FOLDER", help="for the CSV files (default .)")
    parser.add_argument("--quick", action="store_true", help="few sizes and samples")
    parser.add_argument("--only", choices=("overlap", "target"), help="write that file only")
    parser.add_argument("--sizes", metavar="LIST", help="others than the usual, like 64K,1M")
    parser.add_argument("--operations", default=",".join(OPERATIONS), metavar="LIST",
                        help="on the target that computes (default %(default)s)")
    parser.add_argument("--simulate", action="store_true",
                        help="count misses by valgrind where the machine has no counters")
    parser.add_argument("--working-set", type=int, default=262144, metavar="BYTES",
                        help="that the target computes on (default 262144)")
    parser.add_argument("--cache", default="1048576,16,64", metavar="BYTES,WAYS,LINE",
                        help="the cache to simulate (default 1048576,16,64)")
    parser.add_argument("--mpiexec", default="mpiexec", metavar="COMMAND")
    parser.add_argument("--valgrind", default="valgrind", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    options.mpiexec = options.mpiexec.split()
    options.bench = os.path.join(options.build, "tools", "armci-bench", "armci-bench")
    options.program = os.path.join(options.build, "benchmarks", "studies", "overlap",
                                   "computing_target")
    return options


def main(arguments):
    options = parse_arguments(arguments)
    try:
        os.makedirs(options.out, exist_ok=True)
        overlap_rows = target_rows = ()
        if options.only != "target":
            columns, overlap_rows = measure_overlap(options)
            write_csv(os.path.join(options.out, "overlap.csv"), columns, overlap_rows)
        if options.only != "overlap":
            target_rows = measure_target(options)
            write_csv(os.path.join(options.out, "target.csv"), TARGET_COLUMNS, target_rows)
        print_tables(overlap_rows, target_rows)
    except (StudyError, OSError) as error:
        print(f"overlap.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
