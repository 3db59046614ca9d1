#!/usr/bin/env python3
"""Ends jobs in every way, and checks that nothing of them stays.

usage: run_leftovers.py MPIEXEC LEFTOVER [CASE...]

The environment (ARMCI_NODE_SIZE, ARMCI_ROUTE) tells where the ranks are and how they communicate.
Nothing stays: no process, no file in /dev/shm or /tmp, no System V segment, semaphore or queue, no
socket with a name. What others have on the machine does not count: only what was not there before and
belongs to no living process.
"""

import os
import signal
import sys
import tempfile

import jobs
import left_behind

RANKS = 2
OF_A_LOSS = ("is lost: its process has ended", "may have died")


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
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "record")
            with open(path, "x", encoding="ascii"):
                pass
            before = left_behind.everything()
            job = jobs.Job(
                mpiexec,
                ["-n", str(RANKS), program, self.how],
                {**jobs.SETTINGS, "TEST_RECORD": path},
            )
            complaints = self.watch(job, path) if self.kill else []
            status = job.finish()
            if status is None:
                complaints.append(f"the job did not end within {jobs.TIME_LIMIT_S} s")
            elif not self.good_status(status):
                complaints.append(f"exit status {status}")
            expected = [self.message] if self.message else []
            messages = jobs.messages_in(job.err)
            if self.kill:
                # A survivor that notices before it is ended may say so, and nothing else.
                messages = [m for m in messages if not any(word in m.text for word in OF_A_LOSS)]
            complaints += jobs.compare(expected, messages)
            complaints += [f"left behind: {pid} {name}" for pid, name in job.survivors().items()]
            complaints += [f"left behind: {name}" for name in left_behind.since(before)]
        return [(self.name, complaints, job.err)]

    def watch(self, job, path):
        """Waits until all ranks communicate, then kills."""

        def ranks():
            with open(path, encoding="ascii") as file:
                return [int(line) for line in file.read().split()]

        if not jobs.wait_until(lambda: len(ranks()) == RANKS, jobs.TIME_LIMIT_S):
            job.kill()
            return ["the ranks did not begin to communicate"]
        complaints = [f"has a file while it runs: {name}" for name in left_behind.held_files(job)]
        for pid in self.kill(job, ranks()):
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


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    mpiexec, program, *wanted = sys.argv[1:]
    failures = 0
    chosen = [case for case in CASES if not wanted or case.name in wanted]
    # One after the other: what is left behind could not be told apart otherwise.
    for case in chosen:
        failures += sum(not jobs.report(*result) for result in case.run(mpiexec, program))
    print(f"{len(chosen) - failures} of {len(chosen)} cases passed")
    return 0 if chosen and failures == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
