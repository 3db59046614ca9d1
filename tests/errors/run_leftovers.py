#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ends jobs in every way, and checks that they leave nothing behind.

usage: run_leftovers.py MPIEXEC LEFTOVER [CASE...]

The environment (ARMCI_NODE_SIZE, ARMCI_ROUTE) tells where the ranks are and how they communicate.
Nothing stays: no process, no file in /dev/shm or /tmp, no System V segment, semaphore or queue, no
socket with a name. What others have on the machine does not count: only what was not there before and
belongs to no living process.
"""

import contextlib
import os
import signal
import sys

import jobs
import left_behind

RANKS = 2
OF_A_LOSS = ("has failed: its process has ended", "may have died")


# ---- Ways to end ----


class Case:
    """`how` is the program's; `kill` picks the processes to kill from (job, process numbers of the
    ranks in any order)."""

    def __init__(self, name, how, good_status, kill=None, message=None):
        self.name = name
        self.how = how
        self.good_status = good_status
        self.kill = kill
        self.message = message

    def run(self, mpiexec, program):
        with jobs.Record() as record:
            before = left_behind.everything()
            job = jobs.Job(
                mpiexec,
                ["-n", str(RANKS), program, self.how],
                {**jobs.SETTINGS, "TEST_RECORD": record.path},
            )
            complaints = self.watch(job, record) if self.kill else []
            status = job.finish()
            if status is None:
                complaints.append(f"the job did not end within {jobs.TIME_LIMIT_S} s")
            elif not (self.good_status(status) or (self.kill and jobs.may_hide_kills(mpiexec))):
                complaints.append(f"exit status {status}")
            expected = [self.message] if self.message else []
            messages = jobs.messages_in(job.err)
            if self.kill:
                # A rank that notices before it is ended may report that, and nothing else.
                messages = [m for m in messages if not any(word in m.text for word in OF_A_LOSS)]
            complaints += jobs.compare(expected, messages)
            complaints += [f"left behind: {pid} {name}" for pid, name in job.survivors().items()]
            complaints += [f"left behind: {name}" for name in left_behind.since(before)]
        return [(self.name, complaints, job.err)]

    def watch(self, job, record):
        """Waits until all ranks communicate, then kills."""
        complaints = record.complaints(RANKS)
        if complaints:
            job.kill()
            return complaints
        complaints = [f"has a file while it runs: {name}" for name in left_behind.held_files(job)]
        for pid in self.kill(job, [int(line) for line in record.lines()]):
            # The launcher may have ended the others when the first one was gone.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return complaints


def failed(status):
    return status != 0


CASES = [
    Case("normal_end", "normal", lambda status: status == 0),
    Case(
        "abort",
        "abort",
        lambda status: status == 7,
        message=jobs.Expected("Error", str(RANKS - 1), "on purpose"),
    ),
    Case("kill_one_rank", "endless", failed, lambda job, ranks: [min(ranks)]),
    Case("kill_another_rank", "endless", failed, lambda job, ranks: [max(ranks)]),
    Case("kill_all_ranks", "endless", failed, lambda job, ranks: ranks),
    Case("kill_everything", "endless", failed, lambda job, ranks: list(job.processes())),
]


if __name__ == "__main__":
    # One after the other: otherwise the owner of what is left would be unknown.
    sys.exit(jobs.main(__doc__, CASES, at_a_time=1))
