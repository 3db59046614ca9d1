#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that leave by exit(), or are killed in the middle of ARMCI_Init or of ARMCI_Finalize.

usage: run_departures.py MPIEXEC LEAVE [CASE...]

The others must end, with a message that names the lost rank.
"""

# promise: lost.by-exit, lost.from-init
import sys
from dataclasses import dataclass

import faults_path  # noqa: F401
import jobs

RANKS = 4
# Keeps the launcher from noticing: the connections to it stay open in a shell that ends later, unless
# another rank has the launcher end the job before by MPI_Abort. A rank that waits in the library for
# ranks that run does so. In ARMCI_Init and ARMCI_Finalize it may be inside MPI, and then just ends.
OUTLIVED = ["sh", "-c", '"$0" "$@"; status=$?; sleep 4; exit $status']
ABORTED = ["sh", "-c", '"$0" "$@"; sleep 20; echo "FAILED: no rank has called MPI_Abort" >&2; exit 1']
LAYOUTS = {
    "node=all": {"ARMCI_NODE_SIZE": "0"},
    "node=1": {"ARMCI_NODE_SIZE": "1", "ARMCI_ROUTE": "server"},
    "node=2": {"ARMCI_NODE_SIZE": "2", "ARMCI_ROUTE": "rma"},
}


@dataclass
class Case:
    moment: str
    layout: str
    victim: int

    @property
    def name(self):
        return f"{self.moment},{self.layout},rank={self.victim}"

    def run(self, mpiexec, program):
        shell = ABORTED if self.moment == "exit" else OUTLIVED
        command = ["-n", str(RANKS), *shell, program, self.moment, str(self.victim)]
        complaints, text = jobs.run_and_judge(
            mpiexec, command, LAYOUTS[self.layout], lambda *results: self.judge(mpiexec, *results)
        )
        complaints += [line for line in text.splitlines() if line.startswith("FAILED")]
        return [(self.name, complaints, text)]

    def judge(self, mpiexec, status, _output, messages):
        complaints = []
        if status == 0 and not jobs.may_hide_kills(mpiexec):
            complaints.append("exit status 0")
        begin = f"rank {self.victim} (process "
        lost = " has failed: its process has ended without ARMCI_Finalize."
        named = [m for m in messages if m.text.startswith(begin) and lost in m.text]
        if not named:
            complaints.append(f"no message names rank {self.victim} as failed")
        return complaints + [f"unexpected: {m}" for m in messages if m not in named]


CASES = [
    Case("exit", "node=all", 0),
    Case("exit", "node=all", 2),
    Case("exit", "node=1", 3),
    Case("exit", "node=2", 2),
    Case("exit", "node=2", 3),
    Case("init", "node=1", 0),
    Case("init", "node=2", 2),
    Case("init", "node=2", 3),
    Case("late-init", "node=all", 0),
    Case("late-init", "node=all", 1),
    Case("late-init", "node=2", 2),
    Case("finalize", "node=1", 3),
    Case("finalize", "node=2", 1),
    Case("late-finalize", "node=all", 0),
    Case("late-finalize", "node=all", 3),
]


if __name__ == "__main__":
    sys.exit(jobs.main(__doc__, CASES))
