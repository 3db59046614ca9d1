#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills and stops ranks at random moments in the middle of a random mix of operations.

usage: run_faults.py MPIEXEC MIX [--rounds N] [--seed S] [--layout NAME] [--fault NAME] [--ranks N]

All survivors must end, with a message that names the lost rank, and nothing may stay. Without
--rounds each fault comes once, over layouts in turn; with it, N times as many, for nights. Every case
prints what repeats it.
"""

# promise: lost.ends-all, lost.stopped
import argparse
import os
import random
import signal
import sys
import time

import faults_path
import jobs
import left_behind

# The time within which the library promises to end a job after the failure of a rank; for the table of times.
PROMISED_S = 10
SILENCE_S = 1

# A node leader of the last node, for nodes of so many ranks; an origin that is none, if there is one.
LAYOUTS = {
    "node=all": {"ARMCI_NODE_SIZE": "0"},
    **{
        f"node={size},route={route}": {"ARMCI_NODE_SIZE": str(size), "ARMCI_ROUTE": route}
        for size in (1, 2)
        for route in ("rma", "server", "alternate")
    },
}


def leaders(layout, ranks):
    size = int(LAYOUTS[layout]["ARMCI_NODE_SIZE"]) or ranks
    return list(range(0, ranks, size))


VICTIMS = {
    "first": lambda layout, ranks: [0],
    "leader": leaders,
    "any": lambda layout, ranks: list(range(ranks)),
    "member": lambda layout, ranks: sorted(set(range(ranks)) - set(leaders(layout, ranks)))
    or list(range(ranks)),
}


OUTLIVED = os.path.join(faults_path.HERE, "outlived.sh")

# What the launcher does. Where it sees that a process has ended it may end the others before the
# library has reported why, and ranks that it ends first look failed, too. That goes for mpiexec with and
# without -disable-auto-cleanup; like other launchers, it does nothing if it cannot see it.
CLEANS = []
TOLD_NOT_TO = ["-disable-auto-cleanup"]
SEES_NOTHING = None
# What the launchers of MPICH and Open MPI print about a killed process.
OF_A_LAUNCHER = ("EXIT CODE: 9", "Killed (signal 9)", "exited on signal 9")


class Fault:
    def __init__(self, name, number, victim, launcher=SEES_NOTHING):
        self.name = name
        self.number = number
        self.victim = victim
        self.launcher = launcher

    def command(self, ranks, program, seed):
        outlived = [OUTLIVED] if self.launcher is SEES_NOTHING else []
        return [*(self.launcher or []), "-n", str(ranks), *outlived, program, "0", str(seed)]

    def settings(self):
        if self.number == signal.SIGSTOP:
            return {"ARMCI_LOST_RANK_SECONDS": str(SILENCE_S)}
        return {}


FAULTS = [
    Fault("kill_member", signal.SIGKILL, "member"),
    Fault("kill_leader", signal.SIGKILL, "leader"),
    Fault("kill_any,cleanup", signal.SIGKILL, "any", CLEANS),
    Fault("stop_any", signal.SIGSTOP, "any"),
    Fault("kill_first", signal.SIGKILL, "first"),
    Fault("kill_any,no_cleanup", signal.SIGKILL, "any", TOLD_NOT_TO),
    Fault("stop_leader", signal.SIGSTOP, "leader"),
    Fault("kill_any", signal.SIGKILL, "any"),
]


def judge_messages(fault, victim, messages, text):
    errors = [message for message in messages if message.kind == "Error"]
    lost = [message for message in errors if " has failed: " in message.text]
    named = [message for message in lost if message.text.startswith(f"rank {victim} (process ")]
    complaints = []
    if fault.launcher is not SEES_NOTHING:
        if not named and not any(words in text for words in OF_A_LAUNCHER):
            complaints.append("neither the library nor the launcher names the failed rank")
        return complaints
    if not named:
        complaints.append(f"no message names rank {victim}")
    complaints += [f"names another rank: {m}" for m in lost if m not in named]
    # A stopped rank may continue when the launcher ends it.
    reports = [m for m in errors if m.rank == str(victim) and "count this one as failed" in m.text]
    complaints += [f"another error: {m}" for m in errors if m not in lost and m not in reports]
    return complaints


def run_case(mpiexec, program, layout, fault, ranks, seed):
    """Returns complaints, what the job wrote, and the seconds from the fault to the end."""
    chance = random.Random(seed)
    victim = chance.choice(VICTIMS[fault.victim](layout, ranks))
    delay_s = chance.random() * 0.3
    with jobs.Record() as record:
        before = left_behind.everything()
        job = jobs.Job(
            mpiexec,
            fault.command(ranks, program, seed),
            {**LAYOUTS[layout], **fault.settings(), "TEST_RECORD": record.path},
        )
        complaints = record.complaints(ranks)
        if complaints:
            job.kill()
            job.finish()
            return complaints, job.err, 0
        processes = dict(line.split() for line in record.lines())  # by rank
        time.sleep(delay_s)  # a random moment, nothing that has to be reached
        begin = time.monotonic()
        os.kill(int(processes[str(victim)]), fault.number)
        status = job.finish()
        seconds = time.monotonic() - begin
        if status is None:
            complaints.append(f"the job did not end within {jobs.TIME_LIMIT_S} s")
        elif status == 0 and not jobs.may_hide_kills(mpiexec):
            complaints.append("exit status 0")
        complaints += judge_messages(fault, victim, jobs.messages_in(job.err), job.out + job.err)
        if "FAILED" in job.err:
            complaints.append("wrong results before the end")
        complaints += [f"left behind: {pid} {name}" for pid, name in job.survivors().items()]
        complaints += [f"left behind: {name}" for name in left_behind.since(before)]
    return complaints, job.err, seconds


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("mpiexec")
    parser.add_argument("mix")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--layout", choices=LAYOUTS)
    parser.add_argument("--fault", choices=[fault.name for fault in FAULTS])
    parser.add_argument("--ranks", type=int, choices=range(4, 9))
    arguments = parser.parse_args()
    faults = [fault for fault in FAULTS if arguments.fault in (None, fault.name)]
    if not jobs.mpich_version(arguments.mpiexec):  # others have no such option
        faults = [fault for fault in faults if fault.launcher is not TOLD_NOT_TO]
        if not faults:
            parser.error(f"--fault {arguments.fault} needs MPICH's mpiexec")
    layouts = [arguments.layout] if arguments.layout else list(LAYOUTS)
    if arguments.rounds > 0:
        cases = [(layout, fault) for layout in layouts for fault in faults] * arguments.rounds
    elif arguments.fault:
        cases = [(layout, faults[0]) for layout in layouts]
    else:
        cases = [(layouts[i % len(layouts)], fault) for i, fault in enumerate(faults)]
    print(f"seed {arguments.seed}", flush=True)
    verdicts = []
    slowest_s = 0.0
    for number, (layout, fault) in enumerate(cases):
        seed = arguments.seed + number
        ranks = arguments.ranks or random.Random(seed).choice([4, 4, 5, 6, 8])
        complaints, text, seconds = run_case(
            arguments.mpiexec, arguments.mix, layout, fault, ranks, seed
        )
        slowest_s = max(slowest_s, seconds)
        name = f"--layout {layout} --fault {fault.name} --ranks {ranks} --seed {seed}"
        verdicts.append(jobs.report(f"{name} ({seconds:.1f} s)", complaints, text))
    print(f"slowest end of a job: {slowest_s:.1f} s after the fault (promised: {PROMISED_S} s)")
    return jobs.sum_up(verdicts)


if __name__ == "__main__":
    sys.exit(main())
