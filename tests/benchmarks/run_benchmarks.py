#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a benchmark briefly and checks that it works and prints all its rows. Speeds are not checked.

usage: run_benchmarks.py google COMMAND...      a program made with Google Benchmark
       run_benchmarks.py mechanisms PROGRAM     transfer_mechanisms
       run_benchmarks.py memory COMMAND...      rank_memory
"""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys

LIMIT_S = 1200
complaints = []


def run(*command):
    """Standard output of a program that must succeed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    done = subprocess.run(["timeout", "--kill-after=5", str(LIMIT_S), *command], env=environment, text=True,
                          capture_output=True, check=False)
    expect(done.returncode == 0, f"{command} ends with status {done.returncode}: {done.stderr}")
    return done.stdout


def expect(condition, what):
    if not condition:
        complaints.append(what)


def is_time(value):
    return math.isfinite(value) and value >= 0  # the clock may not advance meanwhile


def check_google(*command):
    names = run(*command, "--benchmark_list_tests").split()
    expect(names, "there are benchmarks")
    document = json.loads(run(*command, "--benchmark_min_time=0.0001", "--benchmark_format=json"))
    rows = document["benchmarks"]
    expect([row["name"] for row in rows] == names, f"a row for each of {len(names)} benchmarks, not {len(rows)}")
    for row in rows:
        expect("error_message" not in row, f"{row['name']}: no error: {row}")
        expect(row["iterations"] > 0 and is_time(row["real_time"]), f"{row['name']}: a time: {row}")


def check_mechanisms(program):
    # A mechanism that is not allowed on this machine has a row that says so.
    everywhere = {"hand-over", "mapped-put", "mapped-get", "double-buffer", "message-queue"}
    modes = {"set-up", "latency", "stream", "cache"}
    known = set(re.findall(r"^  ([a-z-]+) +\S.*$", run(program, "--help").split("Mechanisms:")[1], re.MULTILINE))
    expect(everywhere < known, f"the help names {everywhere - known}")
    rows = list(csv.DictReader(io.StringIO(
        run(program, "--smoke", "--timeout", str(LIMIT_S), "--csv", "-"))))
    expect({row["operation"] for row in rows} == known, f"rows of each mechanism: {rows}")
    for row in rows:
        if row["status"] == "ok":
            expect(row["mode"] in modes and is_time(float(row["median_us"])), f"a time: {row}")
            expect(float(row["min_us"]) <= float(row["median_us"]) <= float(row["max_us"]), f"a median: {row}")
        else:
            expect(row["operation"] not in everywhere and row["note"], f"a reason, and not everywhere: {row}")
    for name in everywhere:
        found = {row["mode"] for row in rows if row["operation"] == name}
        expect(found == modes, f"{name}: all modes, not {found}")


def check_memory(*command):
    line = re.compile(r"^(\w+) +ranks +2  RSS +(\d+) KiB  PSS +(\d+) KiB  malloc +(\d+) KiB  each$")
    took = re.compile(r"^ARMCI_Init took up to \d+\.\d ms$")
    lines = run(*command).splitlines()
    expect(sum(bool(took.match(text)) for text in lines) == 1, f"a line with the time of ARMCI_Init: {lines}")
    stages = [line.match(text) for text in lines if not took.match(text)]
    expect(all(stages) and [stage[1] for stage in stages] == ["mpi", "init", "malloc", "touched"],
           f"a line for each stage: {stages}")
    for stage in filter(None, stages):
        resident, share, heap = (int(value) for value in stage.groups()[1:])
        expect(0 < share <= resident and heap > 0, f"plausible sizes: {stage[0]}")


{"google": check_google, "mechanisms": check_mechanisms, "memory": check_memory}[sys.argv[1]](*sys.argv[2:])
for complaint in complaints:
    print(f"FAIL {complaint}")
print(f"{len(complaints)} complaints")
sys.exit(1 if complaints else 0)
