#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends jobs by signals and judges what ARMCI_TRACE and ARMCI_STATS leave: files that can be read, with the events until
then, the statistics of a rank that the signal has ended, and the end that the signal has by itself.

usage: run_signals.py MPIEXEC SIGNALS PROVIDER
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

MPIEXEC, SIGNALS, PROVIDER = sys.argv[1:4]
RANKS = 4
BYTES = 1 << 20
complaints = []
case = ""


def expect(condition, what):
    if not condition:
        complaints.append(f"{case}: {what}")


def use_default_actions():
    """Sets the default actions of the signals, because the parent process may ignore them."""
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGXCPU:
        signal.signal(number, signal.SIG_DFL)


def send_to_all(job, number):
    """A rank may have ended already, because another one has."""
    for pid in job.pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def number_in(path):
    try:
        with open(path, encoding="utf-8") as file:
            return int(file.read())
    except FileNotFoundError:
        return None


# Each rank writes messages to a file of its own: of a pipe a launcher may leave some unread. A launcher that ends the job
# because rank 0 has ended does not reach the shell that keeps rank 0's status, which has a session of its own.
SCRIPT = """
rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK}
exec 2>"$0/errors.$rank"
if [ "$KEEPS_STATUS" = 1 ] && [ "$rank" = 0 ]; then
    exec setsid --wait sh -c 'echo $$ >"$0/keeper.part"; mv "$0/keeper.part" "$0/keeper"
        "$@"; echo $? >"$0/status.part"; mv "$0/status.part" "$0/status"' "$0" "$@"
fi
exec "$@"
"""


class Job:
    """A job that does what its argument says."""

    def __init__(self, what, directory, **settings):
        self.directory = directory
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
        environment.update({"ARMCI_PROVIDER": PROVIDER, "ARMCI_TRACE": os.path.join(directory, "t"), "ARMCI_STATS": "1"})
        environment.update(settings)
        with open(os.path.join(directory, "launcher"), "wb") as out:
            self.process = subprocess.Popen([MPIEXEC, "-n", str(RANKS), "sh", "-c", SCRIPT, directory, SIGNALS, what,
                                             directory], env=environment, stdin=subprocess.DEVNULL, stdout=out,
                                            stderr=out, preexec_fn=use_default_actions)
        self.pids = [None] * RANKS
        while None in self.pids and self.process.poll() is None:
            time.sleep(0.01)
            self.pids = [number_in(os.path.join(directory, f"ready.{rank}")) for rank in range(RANKS)]
        expect(None not in self.pids, f"the job has begun\n{self.errors()}")

    def end(self):
        """Of the job, with rank 0's status where that is kept."""
        self.process.wait()
        # A launcher may be gone before its ranks are.
        for pid in self.pids + [number_in(os.path.join(self.directory, "keeper"))]:
            while pid is not None and os.path.exists(f"/proc/{pid}/exe"):
                time.sleep(0.01)
        return number_in(os.path.join(self.directory, "status"))

    def errors(self):
        text = ""
        for name in ["launcher"] + [f"errors.{rank}" for rank in range(RANKS)]:
            try:
                with open(os.path.join(self.directory, name), encoding="utf-8", errors="replace") as file:
                    text += file.read()
            except FileNotFoundError:
                pass
        return text

    def events(self, rank, whole=True):
        """Of the rank's file. One that is not whole is being written, or was when its rank was killed: it may end anywhere."""
        path = os.path.join(self.directory, f"t.{rank}.json")
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if not whole and not text.endswith("\n]\n"):
                text = text[:max(text.rfind(",\n"), 0)] + "]" if ",\n" in text else "[]"
            return json.loads(text)
        except (OSError, ValueError) as error:
            expect(False, f"{path}: {error}, {os.path.getsize(path)} bytes")
            return []


def check_files(job, whole=True):
    """All files can be read and belong to their ranks; no others are left."""
    for rank in range(RANKS):
        names = [e["args"]["name"] for e in job.events(rank, whole) if e["name"] == "process_name"]
        expect(len(names) == 1 and names[0].startswith(f"rank {rank} on "), f"rank {rank}: {names}")
    left = sorted(f for f in os.listdir(job.directory) if f.startswith("t."))
    expect(left == [f"t.{rank}.json" for rank in range(RANKS)], f"{left}")


def check_statistics(job, rank, number):
    title = f"armci-ofi statistics, rank {rank} of {RANKS}, ended by signal {number} ("
    lines = job.errors().splitlines()
    places = [i for i, line in enumerate(lines) if line.startswith(title)]
    expect(len(places) == 1, f"statistics of rank {rank}\n{job.errors()}")
    for place in places:
        rows = [line.split() for line in lines[place + 1:place + 9]]
        if rank == 0:
            puts = [row for row in rows if row[:1] == ["put"]]
            # A put may be in the middle of its count.
            expect(len(puts) == 1 and int(puts[0][2]) >= 1 and
                   abs(int(puts[0][3]) - int(puts[0][2]) * BYTES) <= BYTES, f"{rows}")
        expect(any(row[:1] == ["rmw"] for row in rows), f"{rows}")


def check_calls(job):
    """Rank 0's put between nodes came just before the signal. Inside a node only calls that last are recorded."""
    puts = [e for e in job.events(0) if e["name"] == "ARMCI_Put"]
    expect(len(puts) >= 1 and puts[0]["args"] == {"bytes": BYTES, "rank": RANKS - 1}, f"{puts[:3]}")


def check_signal(what, number, **settings):
    """To rank 0 alone."""
    global case
    case = f"{what}, {signal.Signals(number).name} {settings}"
    with tempfile.TemporaryDirectory() as directory:
        job = Job(what, directory, KEEPS_STATUS="1", **settings)
        if None in job.pids:
            return
        os.kill(job.pids[0], number)
        status = job.end()
        expect(status == 128 + number, f"status of rank 0: {status}")
        check_files(job)
        if settings["ARMCI_NODE_SIZE"] != "0":
            check_calls(job)
        check_statistics(job, 0, number)
        expect(f"this rank is ended by signal {number} (" in job.errors(), job.errors())


def check_all(number, to_launcher, **settings):
    """To all ranks, as batch systems and launchers do."""
    global case
    case = f"all, {signal.Signals(number).name} {'by the launcher' if to_launcher else ''} {settings}"
    with tempfile.TemporaryDirectory() as directory:
        job = Job("serve", directory, **settings)
        if None in job.pids:
            return
        if to_launcher:
            job.process.send_signal(number)
        else:
            send_to_all(job, number)
        job.end()
        check_files(job)
        expect(f", ended by signal {number} (" in job.errors(), job.errors())


def check_killed(**settings):
    """SIGKILL leaves what was written until then, which is at least what ARMCI_Init writes."""
    global case
    case = f"SIGKILL {settings}"
    with tempfile.TemporaryDirectory() as directory:
        job = Job("serve", directory, **settings)
        if None in job.pids:
            return
        # Until its thread has written something.
        while len(job.events(0, whole=False)) < 5 and job.process.poll() is None:
            time.sleep(0.05)
        send_to_all(job, signal.SIGKILL)
        job.end()
        check_files(job, whole=False)
        count = len(job.events(0, whole=False))
        expect(count >= 5, f"{count} events")


def check_own_handler(**settings):
    global case
    case = f"handler {settings}"
    with tempfile.TemporaryDirectory() as directory:
        job = Job("handler", directory, KEEPS_STATUS="1", **settings)
        if None in job.pids:
            return
        os.kill(job.pids[0], signal.SIGTERM)
        status = job.end()
        expect(status == 42, f"the program's handler runs: {status}")
        check_files(job)
        expect("ended by signal" not in job.errors(), job.errors())


ONE_NODE = {"ARMCI_NODE_SIZE": "0"}
for route in "server", "rma", "auto":
    between = {"ARMCI_NODE_SIZE": "1", "ARMCI_ROUTE": route}
    check_signal("serve", signal.SIGTERM, **between)
check_killed(**between)
check_signal("compute", signal.SIGTERM, **between)
between = {"ARMCI_NODE_SIZE": "2", "ARMCI_ROUTE": "auto"}
check_signal("wait", signal.SIGTERM, **between)
check_all(signal.SIGTERM, True, **between)
check_all(signal.SIGTERM, False, **between)
check_own_handler(**between)
check_signal("wait", signal.SIGTERM, **ONE_NODE)
for other in signal.SIGINT, signal.SIGXCPU, signal.SIGHUP:
    check_signal("compute", other, **ONE_NODE)
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
