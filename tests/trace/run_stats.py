#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of a running job (ARMCI_STATS_TRIGGER): at its end, by a signal and by a timer, as text and JSON, on a node
and between nodes.

usage: run_stats.py MPIEXEC TRANSFERS SIGNALS PROVIDER
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

MPIEXEC, TRANSFERS, SIGNALS, PROVIDER = sys.argv[1:5]
BYTES = 8 << 20  # of a transfer of TRANSFERS
RANKS = 4  # of SIGNALS
complaints = []
case = ""


def expect(condition, what):
    if not condition:
        complaints.append(f"{case}: {what}")


def environment(**settings):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    return {**kept, "ARMCI_PROVIDER": PROVIDER, **settings}


def run_transfers(directory, what="move", ranks=2, **settings):
    """Exit status and standard error of a job whose rank 0 puts, accumulates and gets once each, or something else."""
    command = ["timeout", "--kill-after=5", "1200", MPIEXEC, "-n", str(ranks), TRANSFERS, *what.split()]
    done = subprocess.run(command, env=environment(**settings), cwd=directory, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def reports_in(path):
    """The complete lines of a file, which may be just being written."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines()]


def check_report(report, rank, ranks, trigger):
    expect((report["rank"], report["ranks"], report["trigger"]) == (rank, ranks, trigger), f"{report}")
    expect(report["seconds"] > 0 and report["host"] != "", f"{report}")
    for call in report["calls"]:
        expect(call["min_ns"] <= call["mean_ns"] <= call["max_ns"] and call["min_ns"] >= 0, f"{call}")
        buckets = call["histogram"]
        expect(sum(bucket["count"] for bucket in buckets) == call["count"] > 0, f"{call}")
        lowest, highest = buckets[0]["from_ns"], buckets[-1]["from_ns"]
        expect(lowest <= call["min_ns"] < 2 * max(lowest, 1), f"the shortest is in the first bucket: {call}")
        expect(highest <= call["max_ns"] < 2 * max(highest, 1), f"the longest is in the last bucket: {call}")


def check_exit(node_size, route):
    global case
    case = f"exit, nodes of {node_size}"
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run_transfers(directory, ARMCI_STATS_TRIGGER="exit", ARMCI_STATS_FILE="s", ARMCI_STATS_FORMAT="json",
                                       ARMCI_NODE_SIZE=str(node_size), ARMCI_ROUTE="server")
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        expect(sorted(os.listdir(directory)) == ["s.0.json", "s.1.json"], f"{os.listdir(directory)}")
        reports = [reports_in(os.path.join(directory, f"s.{rank}.json")) for rank in (0, 1)]
    expect([len(of_rank) for of_rank in reports] == [1, 1], f"one report each: {reports}")
    for rank, of_rank in enumerate(reports):
        for report in of_rank:
            check_report(report, rank, 2, "exit")
    for report in reports[0]:
        rows = {(row["op"], row["route"]): (row["operations"], row["bytes"]) for row in report["operations"]}
        expect(rows == {(op, route): (1, BYTES) for op in ("put", "get", "acc")}, f"{rows}")
        calls = {(call["function"], call.get("route")): call["count"] for call in report["calls"]}
        for function in "ARMCI_PutS", "ARMCI_AccS", "ARMCI_GetS":
            expect(calls.get((function, None if route == "local" else route)) == 1, f"{function}: {calls}")
    for report in reports[1]:
        expect(report["operations"] == [], f"{report}")
        expect((report["server_busy_ns"] > 0) == (route == "server"), f"{report}")


def check_text(**settings):
    global case
    case = f"text {settings}"
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run_transfers(directory, ARMCI_STATS_TRIGGER="exit", ARMCI_NODE_SIZE="2", **settings)
        expect(status == 0, f"status {status}\n{errors}")
        texts = [errors, errors]
        if settings:
            expect("ARMCI" not in errors, errors)
            texts = []
            for rank in 0, 1:
                with open(os.path.join(directory, f"s.{rank}.txt"), encoding="utf-8") as file:
                    texts.append(file.read())
    for rank, text in enumerate(texts):
        expect(f"armci-ofi statistics, rank {rank} of 2 on " in text and "s after the start (exit)\n" in text, text)
    rows = [line.split() for line in texts[0].splitlines()]
    expect(["put", "local", "1", str(BYTES)] in rows, f"{rows}")
    puts = [row for row in rows if row[:1] == ["ARMCI_PutS"]]
    expect(len(puts) == 1 and puts[0][1] == "1" and puts[0][-1] == "1", f"one call in one bucket: {puts}")


def check_learned_costs():
    """Each rank reports what it has learned itself."""
    global case
    case = "learned costs"
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run_transfers(directory, "learn", ARMCI_STATS_TRIGGER="exit", ARMCI_STATS_FILE="s",
                                       ARMCI_NODE_SIZE="1")
        expect(status == 0, f"status {status}\n{errors}")
        learned = []
        for rank in 0, 1:
            with open(os.path.join(directory, f"s.{rank}.txt"), encoding="utf-8") as file:
                learned.append([line for line in file if "learned" in line])
    expect(learned[0] == [] and len(learned[1]) == 1 and "  costs learned by rank 1, to nodes of its host: " in learned[1][0],
           f"{learned}")


def check_tables_of_ranks():
    """Which node each rank is on is in the node's memory once, also where nodes have different numbers of ranks."""
    global case
    case = "tables of ranks"
    of_node = []
    for ranks in 3, 4:  # the last node has one rank, or two
        with tempfile.TemporaryDirectory() as directory:
            status, errors = run_transfers(directory, ranks=ranks, ARMCI_STATS="1", ARMCI_NODE_SIZE="2")
        expect(status == 0, f"status {status}\n{errors}")
        found = re.search(r"nodes of ranks (\d+),.*; of a node: (\d+) bytes", errors)
        expect(found is not None and found[1] == "0", errors)
        of_node.append(int(found[2]) if found is not None else 0)
    # Of each of three ranks: the numbers of its node and its data server, and its slice of the library's own allocation.
    expect(of_node[0] == of_node[1] + 3 * (4 + 4 + 16), f"{of_node}")


def check_two_starts():
    """Reports of both starts of the library stay, and those of an earlier job do not. SIGUSR2 that comes after an end
    does not end the process, and the second start does not take it for the program's."""
    global case
    case = "two starts"
    with tempfile.TemporaryDirectory() as directory:
        for rank in 0, 1:
            with open(os.path.join(directory, f"s.{rank}.json"), "w", encoding="utf-8") as file:
                file.write("{}\n")
        status, errors = run_transfers(directory, "twice", ARMCI_STATS_TRIGGER="exit,signal:USR2", ARMCI_STATS_FILE="s",
                                       ARMCI_STATS_FORMAT="json", ARMCI_NODE_SIZE="2")
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        for rank in 0, 1:
            triggers = [report.get("trigger") for report in reports_in(os.path.join(directory, f"s.{rank}.json"))]
            expect(triggers == ["exit", "exit"], f"rank {rank}: {triggers}")


def check_two_directories():
    """A relative path is of the directory in which the library starts. There, too, the report of an earlier job goes."""
    global case
    case = "two directories"
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "d"))
        with open(os.path.join(directory, "d", "s.0.json"), "w", encoding="utf-8") as file:
            file.write("{}\n")
        status, errors = run_transfers(directory, "twice d", ARMCI_STATS_TRIGGER="exit,signal:USR2", ARMCI_STATS_FILE="s",
                                       ARMCI_STATS_FORMAT="json", ARMCI_NODE_SIZE="2")
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        for path in "s.0.json", "s.1.json", "d/s.0.json", "d/s.1.json":
            triggers = [report.get("trigger") for report in reports_in(os.path.join(directory, path))]
            expect(triggers == ["exit"], f"{path}: {triggers}")


def make_comma_locale(directory):
    """Makes a locale "comma" with a decimal comma, of the one that every system has. Returns whether that was possible."""
    try:
        with open("/usr/lib/locale/C.utf8/LC_NUMERIC", "rb") as file:
            numeric = file.read()
    except FileNotFoundError:
        return False
    os.mkdir(os.path.join(directory, "comma"))
    with open(os.path.join(directory, "comma", "LC_NUMERIC"), "wb") as file:
        file.write(numeric.replace(b".", b","))
    settings = {**os.environ, "LOCPATH": directory, "LC_NUMERIC": "comma", "LC_ALL": ""}
    shown = subprocess.run(["locale", "decimal_point"], env=settings, capture_output=True, text=True, check=False)
    return shown.stdout == ",\n"


def check_decimal_comma():
    """Numbers of settings and of JSON have a point in each locale of the program."""
    global case
    case = "decimal comma"
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryDirectory() as locales:
        if not make_comma_locale(locales):
            print("skipped: the decimal comma, because this system's locales are of another form")
            return
        status, errors = run_transfers(directory, ARMCI_STATS_TRIGGER="exit,timer:1000.5", ARMCI_STATS_FILE="s",
                                       ARMCI_STATS_FORMAT="json", LOCPATH=locales, LC_NUMERIC="comma", LC_ALL="")
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        for rank in 0, 1:
            reports = reports_in(os.path.join(directory, f"s.{rank}.json"))
            expect(len(reports) == 1, f"rank {rank}: {reports}")
            for report in reports:
                check_report(report, rank, 2, "exit")


class RunningJob:
    """Rank 0 puts all the time, the others sleep."""

    def __init__(self, directory, **settings):
        self.directory = directory
        settings.update(ARMCI_STATS_FILE=os.path.join(directory, "s"), ARMCI_STATS_FORMAT="json")
        with open(os.path.join(directory, "messages"), "wb") as out:
            self.process = subprocess.Popen([MPIEXEC, "-n", str(RANKS), SIGNALS, "serve", directory],
                                            env=environment(**settings), stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.pids = [int(self.wait_for(lambda rank=rank: self.text(f"ready.{rank}")) or 0) for rank in range(RANKS)]
        expect(0 not in self.pids, f"the job has begun\n{self.text('messages')}")

    def text(self, name):
        try:
            with open(os.path.join(self.directory, name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def wait_for(self, condition):
        """What the condition returns as soon as that is true, or when the job has ended."""
        while not condition() and self.process.poll() is None:
            time.sleep(0.01)
        return condition()

    def reports(self, rank):
        return reports_in(os.path.join(self.directory, f"s.{rank}.json"))

    def end(self):
        for pid in self.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


def check_signal(node_size):
    """To two ranks, twice. The others write nothing, and the job goes on. MPICH has an action of its own for USR1."""
    global case
    case = f"signal, nodes of {node_size}"
    with tempfile.TemporaryDirectory() as directory:
        job = RunningJob(directory, ARMCI_STATS_TRIGGER="signal:USR2", ARMCI_NODE_SIZE=str(node_size))
        for time_of_signal in 1, 2:
            for rank in 0, RANKS - 1:
                os.kill(job.pids[rank], signal.SIGUSR2)
                expect(job.wait_for(lambda rank=rank, count=time_of_signal: len(job.reports(rank)) >= count),
                       f"report {time_of_signal} of rank {rank}\n{job.text('messages')}")
        reports = {rank: job.reports(rank) for rank in range(RANKS)}
        expect(job.process.poll() is None, "the job goes on")
        job.end()
    for rank, of_rank in reports.items():
        expect(len(of_rank) == (2 if rank in (0, RANKS - 1) else 0), f"rank {rank}: {of_rank}")
        for report in of_rank:
            check_report(report, rank, RANKS, "signal")
    if len(reports[0]) == 2:
        first, second = [sum(row["operations"] for row in report["operations"]) for report in reports[0]]
        expect(1 <= first <= second, f"{first} operations, later {second}")


def check_timer(node_size):
    global case
    case = f"timer, nodes of {node_size}"
    with tempfile.TemporaryDirectory() as directory:
        job = RunningJob(directory, ARMCI_STATS_TRIGGER="timer:0.05", ARMCI_NODE_SIZE=str(node_size))
        for rank in range(RANKS):
            expect(job.wait_for(lambda rank=rank: len(job.reports(rank)) >= 3), f"rank {rank}\n{job.text('messages')}")
        reports = [job.reports(rank) for rank in range(RANKS)]
        job.end()
    for rank, of_rank in enumerate(reports):
        times = [report["seconds"] for report in of_rank]
        expect(times == sorted(times) and times[:1] >= [0.05], f"rank {rank}: {times}")
        for report in of_rank:
            check_report(report, rank, RANKS, "timer")


def check_errors():
    global case
    case = "errors"
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run_transfers(directory, ARMCI_STATS_TRIGGER="exit,signal:KILL")
        expect(status != 0 and 'ARMCI_Init: ARMCI_STATS_TRIGGER="exit,signal:KILL": "KILL" is none of the signals' in errors and
               "unset it" in errors, errors)
        os.mkdir(os.path.join(directory, "s.1.txt"))
        status, errors = run_transfers(directory, ARMCI_STATS_TRIGGER="exit", ARMCI_STATS_FILE="s")
        expect(status != 0 and '[1] ARMCI Error: ARMCI_Init: ARMCI_STATS_FILE="s": ' in errors and
               f"{os.path.realpath(directory)}/s.1.txt cannot be written (Is a directory)" in errors, errors)


def check_off():
    global case
    case = "off"
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run_transfers(directory, ARMCI_STATS_FILE="s", ARMCI_NODE_SIZE="1")
        lines = [line for line in errors.splitlines() if "ARMCI" in line or "armci-ofi" in line]
        expect(status == 0 and len(lines) == 1 and "ARMCI_STATS_FILE=s has no effect without ARMCI_STATS_TRIGGER" in lines[0],
               f"status {status}\n{errors}")
        expect(os.listdir(directory) == [], f"{os.listdir(directory)}")


check_exit(1, "server")
check_exit(2, "local")
check_text()
check_text(ARMCI_STATS_FILE="s")
check_learned_costs()
check_tables_of_ranks()
check_two_starts()
check_two_directories()
check_decimal_comma()
for ranks_of_node in 1, RANKS:
    check_signal(ranks_of_node)
    check_timer(ranks_of_node)
check_errors()
check_off()
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
