#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what armci-bench writes for several series. The figures may be any, but must be consistent.

usage: run_bench.py MPIEXEC ARMCI_BENCH
"""

import csv
import io
import json
import os
import pty
import statistics
import subprocess
import sys

MPIEXEC, BENCH = sys.argv[1:3]
SERIES = 5
ROWS = ["--ops", "put,acc-strided,fetch-add,lock,flag-barrier,overlap-put", "--sizes", "1K", "--runs", "8",
        "--modes", "latency", "--repeat", "3", "--min-time", "0"]
complaints = []


def run(*arguments, ranks=2, **settings):
    """Exit status, standard output, standard error of a job."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment.update(settings)
    done = subprocess.run(["timeout", "--kill-after=5", "1200", MPIEXEC, "-n", str(ranks), BENCH, *ROWS, *arguments], env=environment,
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(condition, what):
    if not condition:
        complaints.append(what)


def equal(a, b):
    return abs(a - b) <= 1e-4 * max(abs(a), abs(b))


def check_json(**settings):
    status, output, errors = run("--series", str(SERIES), "--quartiles-within", "15", "--json", "-", **settings)
    document = json.loads(output)
    rows = document["rows"]
    expect(len(rows) == 7, f"7 rows, not {len(rows)}")
    for row in rows:
        what = f"{row['operation']} {row['mode']} {row}"
        values = row["values_us"]
        expect(row["status"] == "ok", f"{what}: right")
        expect(row["series"] == SERIES and len(values) == SERIES, f"{what}: a value for each series")
        expect(row["samples"] >= 3 * SERIES and row["samples"] % SERIES == 0, f"{what}: samples of all series")
        expect(equal(row["median_us"], statistics.median(values)), f"{what}: median of the values")
        expect(row["min_us"] == min(values) and row["max_us"] == max(values), f"{what}: extremes of the values")
        lower, upper = sorted(values)[1], sorted(values)[3]
        expect(equal(row["quartile_1_us"], lower) and equal(row["quartile_3_us"], upper), f"{what}: quartiles")
        expect(row["p95_us"] is None and row["p99_us"] is None, f"{what}: no percentiles of {SERIES} values")
        distance = max(upper - row["median_us"], row["median_us"] - lower)
        far = distance / row["median_us"] if row["median_us"] else 0
        if not equal(far, 0.15):
            expect(row["noisy"] == (far > 0.15), f"{what}: noisy or not")
        expect("two_speeds" not in row, f"{what}: {SERIES} values show nothing of two speeds")
    noisy = sum(row["noisy"] for row in rows)
    expect(status == (3 if noisy else 0), f"status {status} with {noisy} noisy rows: {errors}")
    expect(not noisy or f"of {noisy} of 7 rows a quartile" in errors, f"says what is wrong: {errors}")
    expect(document["settings"]["series"] == SERIES, "the number of series among the settings")


def check_one_target(**settings):
    """Two of five ranks accumulate into the last one, which checks the sum of both."""
    status, output, errors = run("--pattern", "half", "--ops", "acc,acc-strided", "--json", "-", ranks=5, **settings)
    expect(status == 0, f"status {status} {errors}")
    rows = json.loads(output)["rows"]
    expect([row["status"] for row in rows] == ["ok", "ok"] and all(row["actors"] == 2 for row in rows), f"{rows}")


def check_csv():
    status, output, errors = run("--series", str(SERIES), "--csv", "-")
    expect(status == 0, f"without --quartiles-within noise does not matter: {status} {errors}")
    lines = list(csv.DictReader(io.StringIO(output)))
    expect(len(lines) == 7, f"7 lines: {output}")
    for line in lines:
        values = [float(value) for value in line["values_us"].split()]
        expect(None not in line and None not in line.values(), f"a value for each column: {line}")
        expect(line["series"] == str(SERIES) and len(values) == SERIES, f"a value for each series: {line}")
        expect(float(line["quartile_1_us"]) <= float(line["quartile_3_us"]), f"quartiles: {line}")
        expect(line["p95_us"] == line["p99_us"] == "", f"no percentiles of {SERIES} values: {line}")
        expect(line["marks"] in ("", "noisy"), f"marks: {line}")


def check_table():
    status, output, errors = run("--series", str(SERIES))
    expect(status == 0, f"status {status}: {errors}")
    expect(output.count(f"    {SERIES} series: quartiles ") == 7, f"a line for the series of each row: {output}")
    marked = any(line.endswith("  noisy") for line in output.splitlines())
    expect(marked == ("# noisy: a quartile lies more than 15 %" in output), f"a legend if it is needed: {output}")
    status, output, errors = run()
    expect(status == 0 and " series: " not in output, f"no such line for one series: {output}")
    expect("p95 needs 20 values of a row and p99 needs 100" in output, f"why there are no percentiles: {output}")


def check_heading():
    """TCP's congestion control is of interest only where nodes use TCP."""
    path = "/proc/sys/net/ipv4/tcp_congestion_control"
    if not os.path.exists(path):
        return
    with open(path, encoding="ascii") as file:
        name = file.read().strip()
    for settings, is_shown in (
        ({"ARMCI_NODE_SIZE": "1", "ARMCI_PROVIDER": "sockets"}, True),
        ({"ARMCI_NODE_SIZE": "1", "ARMCI_PROVIDER": "shm"}, False),
        ({}, False),
    ):
        status, output, errors = run("--ops", "put", **settings)
        expect(status == 0 and (f", TCP congestion control {name}\n" in output) == is_shown,
               f"congestion control or not, {settings}: {output}{errors}")
    output = run("--ops", "put", "--json", "-")[1]
    expect(json.loads(output)["machine"]["tcp_congestion_control"] == name, f"in the document, too: {output}")


def check_progress():
    """On a terminal that does not show the results."""
    terminal, end = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    # A launcher passes output on, so the program is started alone.
    done = subprocess.run([BENCH, *ROWS, "--ops", "put,get", "--csv", "-"], env=environment, stdout=subprocess.PIPE,
                          stderr=end, text=True, check=False)
    os.close(end)
    shown = os.read(terminal, 65536).decode()
    os.close(terminal)
    expect(done.returncode == 0 and "armci-bench: 50 %, " in shown and " left" in shown, f"progress: {shown!r}")
    status, _, errors = run("--ops", "put", "--csv", "-", "--repeat", "2", "--min-time", "1000")
    expect(status == 0 and errors == "armci-bench: 1 row; takes at least 5 s\n", f"how long it takes: {errors}")


def check_percentiles():
    """Of 100 samples, of which quantile p is at the place 99 p among them in ascending order."""
    def quantile(values, part):
        place = part * (len(values) - 1)
        below = sorted(values)[int(place):][:2]
        return below[0] + (place - int(place)) * (below[-1] - below[0])

    status, output, errors = run("--repeat", "100", "--json", "-")
    expect(status == 0, f"status {status}: {errors}")
    for row in json.loads(output)["rows"]:
        for name, part in (("quartile_1_us", 0.25), ("median_us", 0.5), ("quartile_3_us", 0.75), ("p95_us", 0.95),
                           ("p99_us", 0.99)):
            expect(len(row["values_us"]) == 100 and equal(row[name], quantile(row["values_us"], part)),
                   f"{name} of {row}")
    status, output, errors = run("--repeat", "100", "--ops", "put")
    columns = output.split("1000 op/s\n")[1].split()
    expect(columns[:4] == ["put", "latency", "1", "KiB"] and "-" not in columns, f"all percentiles: {output}")
    expect("p99 needs" not in output, f"nothing is missing: {output}")


def check_lost_output():
    """What cannot be printed is an error, also where standard output is closed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    for arguments in (), ("--csv", "-"), ("--json", "-"), ("--list",), ("--help",):
        for redirection in ">/dev/full", ">&-":
            # A launcher passes output on, so the program is started alone.
            done = subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", BENCH, *ROWS, "--ops", "put", *arguments],
                                  env=environment, capture_output=True, text=True, check=False)
            expect(done.returncode == 1 and done.stderr.startswith("armci-bench: ") and done.stderr.count("\n") == 1,
                   f"{arguments} {redirection}: {done.returncode} {done.stderr}")


check_json()
check_json(ARMCI_NODE_SIZE="1")
check_one_target()
check_one_target(ARMCI_NODE_SIZE="2")
check_csv()
check_table()
check_heading()
check_percentiles()
check_progress()
check_lost_output()
for complaint in complaints:
    print(f"FAIL {complaint}")
print(f"{len(complaints)} complaints")
sys.exit(1 if complaints else 0)
