#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts, with valgrind's cachegrind, how much of a working set transfers push out of the cache.

Both processes of transfer_mechanisms run in the simulator, each with a cache of its own, which is
described by --cache. What is counted is misses in the function that reads the working set again.
Mechanisms in which the kernel or streaming stores do the copying are not shown: the simulator sees
neither.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

FUNCTION = "transfer_mechanisms_read_again"
MECHANISMS = ("hand-over", "mapped-put", "mapped-get", "double-buffer", "message-queue")
COLUMNS = ("source_simulated_misses", "destination_simulated_misses")


class CountError(Exception):
    """Something the user can put right."""


def read_misses(path):
    """Misses of the last simulated level by loads in FUNCTION."""
    column = None
    inside = False
    misses = 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("events:"):
                column = line.split()[1:].index("DLmr")
            elif line.startswith("fn="):
                inside = line[3:].strip() == FUNCTION
            elif inside and line[:1].isdigit():
                misses += int(line.split()[1 + column])
    return misses


def count(program, mechanism, size, options):
    """Misses per transfer, of the source and of the destination."""
    with tempfile.TemporaryDirectory() as folder:
        command = [options.valgrind, "--tool=cachegrind", "--cache-sim=yes", "--quiet",
                   f"--LL={options.cache}", f"--cachegrind-out-file={folder}/%p", program, "--only",
                   mechanism, "--cache-sizes", str(size), "--working-set", str(options.working_set),
                   "--latency-sizes", "8", "--stream-sizes", "8", "--count", str(options.count),
                   "--timeout", "600"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise CountError(f"{options.valgrind}: {error.strerror}; Debian's package is valgrind") \
                from None
        found = re.search(r"source (\d+) destination (\d+)", done.stdout)
        if done.returncode != 0 or not found:
            raise CountError(f"{mechanism} did not run to its end:\n{done.stderr.strip()}")
        return [read_misses(os.path.join(folder, process)) / options.count
                for process in found.groups()]


def add_columns(path, results):
    """Adds what was counted to the cache rows of a CSV file of transfer_mechanisms."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise CountError(f"{path}: {error.strerror}") from None
    if not rows or "destination_misses" not in rows[0]:
        raise CountError(f"{path}: not a CSV file of transfer_mechanisms")
    names = [name for name in rows[0] if name not in COLUMNS] + list(COLUMNS)
    for row in rows:
        counted = results.get((row["operation"], int(row["bytes"])))
        if row["mode"] != "cache":
            counted = None
        row.update(zip(COLUMNS, (f"{misses:.1f}" for misses in counted) if counted else ("", "")))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="transfer_mechanisms, built")
    parser.add_argument("--sizes", default="65536,1048576", metavar="BYTES,...",
                        help="of transfers (default 65536,1048576)")
    parser.add_argument("--working-set", type=int, default=262144, metavar="BYTES")
    parser.add_argument("--cache", default="1048576,16,64", metavar="BYTES,WAYS,LINE",
                        help="the cache to simulate (default 1048576,16,64)")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="transfers (default 20)")
    parser.add_argument("--csv", metavar="FILE", help="add columns to the cache rows of this file, "
                        "which transfer_mechanisms --csv wrote for the same sizes")
    parser.add_argument("--valgrind", default="valgrind", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def run(options):
    sizes = [int(size) for size in options.sizes.split(",")]
    lines = options.working_set // 64
    print(f"misses in reading {lines} lines again, after a transfer of")
    print(" " * 16 + "".join(f"{size:>20}" for size in sizes))
    print(" " * 16 + "    source     dest." * len(sizes))
    results = {}
    for mechanism in MECHANISMS:
        text = f"{mechanism:16}"
        for size in sizes:
            misses = count(options.program, mechanism, size, options)
            # Where nothing is moved the program reports 0 bytes.
            results[mechanism, 0 if mechanism == "hand-over" else size] = misses
            text += "".join(f"{value:10.1f}" for value in misses)
        print(text, flush=True)
    if options.csv:
        add_columns(options.csv, results)


def main(arguments):
    try:
        run(parse_arguments(arguments))
    except CountError as error:
        print(f"count_misses.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
