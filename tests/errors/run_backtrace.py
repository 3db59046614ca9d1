#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Below an error's message are the program's call and the functions that led to it.

usage: run_backtrace.py MPIEXEC SOURCE PROGRAM...

The programs are the same one, linked in several ways.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile

MPIEXEC, SOURCE, *PROGRAMS = sys.argv[1:]
complaints = []
try:
    ctypes.CDLL("libdw.so.1")
    HAS_LINES = True
except OSError:
    HAS_LINES = False


def run(program, mode, **settings):
    """What a job of two virtual nodes writes to standard error."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment.update({"ARMCI_NODE_SIZE": "1", "ARMCI_SERVER_POLL": "wait", **settings})
    done = subprocess.run(["timeout", "--kill-after=5", "60", MPIEXEC, "-n", "2", program, mode], env=environment,
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def line_of(marker):
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if marker in line)


def place(marker, program):
    """How the report names the line with the marker."""
    if HAS_LINES:
        return rf"{os.path.basename(SOURCE)}:{line_of(marker)}"
    return rf"{os.path.basename(program)}\+0x[0-9a-f]+"


def expect(condition, what, job):
    if not condition:
        complaints.append(f"{what}; status {job[0]}\n{job[1]}")


def expect_in_order(job, what, *patterns):
    """Each pattern fits a line behind that of the one before."""
    lines = iter(job[1].splitlines())
    for pattern in patterns:
        expect(any(re.fullmatch(pattern, line) for line in lines), f"{what}: {pattern}", job)


def check(program):
    name = os.path.basename(program)
    call = place("/* the call */", program)
    with tempfile.TemporaryDirectory() as directory:
        traced = {"ARMCI_TRACE": os.path.join(directory, "trace")}
        for mode, settings in (("program", {}), ("threads", {}), ("program", {"ARMCI_CHECK": "1"}),
                               ("program", traced), ("program", {"ARMCI_STATS_TRIGGER": "exit"})):
            job = run(program, mode, **settings)
            expect(job[0] != 0, f"{name}: fails", job)
            expect_in_order(job, f"{name}, a call of the program ({mode}, {settings})",
                            r"\[1\] ARMCI Error: ARMCI_Put: argument proc = 2: .*",
                            rf"\[1\]   called by put_somewhere[^ ]* \({call}\)",
                            r"\[1\]     #0  armci::.*",
                            r"\[1\]     #\d+ +P?ARMCI_Put \(.*\)",
                            rf"\[1\]     #\d+ +put_somewhere[^ ]* \({call}\)",
                            r"\[1\]     #\d+ +main \(.*\)",
                            r"\[1\]   \(without these lines: ARMCI_BACKTRACE=0\)")
            expect("base::fatal" not in job[1], f"{name}: nothing about the report itself", job)
    job = run(program, "server")
    expect(job[0] != 0, f"{name}: fails", job)
    expect_in_order(job, f"{name}, the thread of a server",
                    r"\[0\] ARMCI Error: the server finds an error",
                    rf"\[0\]   called by epoll_wait \({place('the server finds', program)}\)",
                    r"\[0\]     #\d+ +ARMCI_Error \(.*\)",
                    r"\[0\]     #\d+ +armci::datasrv::ServerThread::.* \(.*\)",
                    r"\[0\]     #\d+ +armci::base::Thread::enter\(void\*\) \(.*\)")
    for value in ("0", "no"):
        job = run(program, "program", ARMCI_BACKTRACE=value)
        expect("ARMCI Error: ARMCI_Put: " in job[1], f"{name}: the message", job)
        expect("#0" not in job[1] and "called by" not in job[1], f"{name}: ARMCI_BACKTRACE={value}", job)


for one in PROGRAMS:
    check(one)
for complaint in complaints:
    print(f"FAIL {complaint}")
print(f"{len(complaints)} complaints")
sys.exit(1 if complaints else 0)
