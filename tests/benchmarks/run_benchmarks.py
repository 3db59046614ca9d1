#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a benchmark briefly and checks that it works and prints all its rows. Speeds are not checked.

usage: run_benchmarks.py google COMMAND...      a program made with Google Benchmark
       run_benchmarks.py mechanisms PROGRAM     transfer_mechanisms
       run_benchmarks.py memory COMMAND...      rank_memory
       run_benchmarks.py growth COMMAND...      the same on two nodes: how much a process grows
       run_benchmarks.py studies SCRIPT BUILD   all studies in their shortest form
       run_benchmarks.py target COMMAND...      computing_target
       run_benchmarks.py halo COMMAND...        halo_benchmark
"""

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

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
        if row.get("error_message") == "not available on this processor":
            continue  # an instruction set
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


MEMORY_LINE = re.compile(r"^(\w+) +(all|first|other) +ranks +\d+  RSS +(\d+) KiB  PSS +(\d+) KiB  "
                         r"dirty +(\d+) KiB  malloc +(\d+) KiB  each$")
# Beside MPI, by stage and rank, in KiB of PSS: about one and a half times what docs/scaling.md says,
# with all receive buffers in use.
MOST_GROWTH_KIB = {("init", "first"): 12 << 10, ("init", "other"): 6 << 10,
                   ("touched", "first"): 14 << 10, ("touched", "other"): 8 << 10,
                   ("used", "first"): 64 << 10, ("used", "other"): 9 << 10}


def check_memory(*command):
    took = re.compile(r"^ARMCI_Init took up to \d+\.\d ms$")
    lines = run(*command).splitlines()
    expect(sum(bool(took.match(text)) for text in lines) == 1, f"a line with the time of ARMCI_Init: {lines}")
    stages = [MEMORY_LINE.match(text) for text in lines if not took.match(text)]
    wanted = [(stage, of) for stage in ("mpi", "init", "malloc", "touched", "used")
              for of in ("all", "first", "other")]
    expect(all(stages) and [stage.group(1, 2) for stage in stages] == wanted,
           f"lines for each stage: {stages}")
    for stage in filter(None, stages):
        resident, share, dirty, heap = (int(value) for value in stage.groups()[2:])
        expect(0 < share <= resident and 0 < dirty <= resident and heap > 0, f"plausible sizes: {stage[0]}")


def check_growth(*command):
    lines = [MEMORY_LINE.match(text) for text in run(*command).splitlines()]
    share = {line.group(1, 2): int(line.group(4)) for line in lines if line}
    for (stage, of), most in MOST_GROWTH_KIB.items():
        if (stage, of) not in share:
            expect(False, f"no line for {stage}, {of}")
            continue
        growth = share[stage, of] - share["mpi", of]
        print(f"{stage}, {of}: {growth} KiB, of at most {most}")
        expect(0 < growth <= most, f"{of} ranks grow by {growth} KiB until {stage}, of at most {most}")


def check_studies(script, build):
    listed = [line.split()[0] for line in run(script, "--build", build, "--smoke", "--list").splitlines()]
    expect(len(listed) > 10, f"a list of parts: {listed}")
    with tempfile.TemporaryDirectory(dir=build) as folder:
        # This library also stands for another one.
        program = os.path.join(build, "tools", "armci-bench", "armci-bench")
        run(script, "--build", build, "--smoke", "--output", folder, "--peer", f"mpi={program}")
        with open(os.path.join(folder, "report.md"), encoding="utf-8") as file:
            report = file.read()
        with open(os.path.join(folder, "report.html"), encoding="utf-8") as file:
            page = file.read()
        for name in listed:
            base = os.path.join(folder, "data", name.replace("/", "."))
            with open(f"{base}.json", encoding="utf-8") as file:
                record = json.load(file)
            # Hosts need a privilege, and instructions valgrind.
            may_lack = name.endswith("-1g") or name in ("peers/network-armci", "peers/processor",
                                                        "nemesis/instructions")
            expect(record["rows"] or (may_lack and record["not_available"] in report), f"{name}: rows: {record}")
            with open(f"{base}.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            expect(len(rows) == max(1, len(record["rows"])), f"{name}: as many rows in the CSV file, not {len(rows)}")
            for row in record["rows"]:
                expect("median" not in row or (is_time(row["median"]) and row["quartile_1"] <= row["median"]
                                               <= row["quartile_3"]), f"{name}: a median: {row}")
        figures = re.findall(r"^!\[.+\]\((figures/.+)\.svg\)$", report, re.MULTILINE)
        expect(len(figures) > 10, f"figures: {figures}")
        for figure in figures:
            for ending in ("svg", "png"):
                path = os.path.join(folder, f"{figure}.{ending}")
                expect(os.path.exists(path) and os.path.getsize(path) > 1000, f"a figure {path}")
        expect(page.count('src="data:image/svg+xml;base64,') == len(figures), "all figures are inside the page")
        # What is after no paper is the last study.
        papers, others = report.split("\n## This library and others\n")
        for text in ("**The paper.**", "**Here.**", "**Why.**"):
            expect(papers.count(text) == papers.count("\n### ") > 0, f"{text} in each section")
        expect("| put 8 B |" in others and "| ratio |" in others, "a table of this library and others")
    check_digest(os.path.dirname(os.path.abspath(script)))


def check_digest(studies):
    """The table of README.md has a place, and replaces what was there."""
    sys.path.insert(0, studies)
    from library.report import replace_digest  # pylint: disable=import-outside-toplevel
    from library.study import Table  # pylint: disable=import-outside-toplevel
    with open(os.path.join(studies, os.pardir, os.pardir, "README.md"), encoding="utf-8") as file:
        page = file.read()
    once = replace_digest(page, Table("", ["a", "b"], [["one", "1"]]))
    twice = replace_digest(once, Table("", ["a", "b"], [["two", "2"]]))
    expect("\n\n| a | b |\n|---|---|\n| two | 2 |\n\n" in twice and "| one |" not in twice, f"one table: {twice}")
    expect(once.replace("| one | 1 |", "| two | 2 |") == twice, "nothing else changes")


def check_target(*command):
    line = re.compile(r"^target \d+ alone_us (\S+) during_us (\S+) round_us (\S+) misses_alone (\S+) "
                      r"misses_during (\S+) (.+)$")
    for operation in ("put", "get", "acc"):
        found = [line.match(text) for text in run(*command, operation, "4096", "4", "8192").splitlines()]
        expect(len(found) == 1 and found[0], f"{operation}: one line, not {found}")
        for match in filter(None, found):
            expect(all(float(match[i]) > 0 for i in (1, 2, 3)), f"{operation}: times: {match[0]}")
            has_misses = float(match[4]) >= 0 and float(match[5]) >= 0
            expect(has_misses != match[6].startswith("not available: "), f"{operation}: misses or why not: {match[0]}")


def check_halo(*command):
    names = ["put+notify", "put+fence+barrier", "get", "isend"]
    sizes = [8, 16, 4096]
    with tempfile.TemporaryDirectory() as folder:
        csv_path = os.path.join(folder, "halo.csv")
        json_path = os.path.join(folder, "halo.json")
        run(*command, "--sizes", "8:16,4K", "--samples", "3", "--sample-ms", "1", "--csv", csv_path,
            "--json", json_path)
        with open(csv_path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        with open(json_path, encoding="utf-8") as file:
            document = json.load(file)
    expect([(row["algorithm"], int(row["strip_bytes"])) for row in rows] ==
           [(name, size) for size in sizes for name in names], f"a row for each algorithm and size: {rows}")
    for row in rows:
        quartiles = [float(row[name]) for name in ("minimum_us", "first_quartile_us", "median_us",
                                                   "third_quartile_us", "maximum_us")]
        expect(quartiles == sorted(quartiles) and is_time(quartiles[0]), f"quartiles in order: {row}")
        expect(int(row["steps"]) > 0, f"steps: {row}")
    expect([row["algorithm"] for row in document["results"]] == [row["algorithm"] for row in rows],
           f"the same rows in both files: {document}")


{"google": check_google, "mechanisms": check_mechanisms, "memory": check_memory, "growth": check_growth,
 "studies": check_studies, "target": check_target, "halo": check_halo}[sys.argv[1]](*sys.argv[2:])
for complaint in complaints:
    print(f"FAIL {complaint}")
print(f"{len(complaints)} complaints")
sys.exit(1 if complaints else 0)
