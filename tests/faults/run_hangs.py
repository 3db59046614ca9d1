#!/usr/bin/env python3
"""Waits that last: what ARMCI_HANG_SECONDS makes of them.

usage: run_hangs.py MPIEXEC HANG [CASE...]
"""

import sys
from dataclasses import dataclass, field

import faults_path  # noqa: F401
import jobs

RANKS = 4
IN_A_GROUP = {
    **{rank: ["waits for the other members of a new group, for "] for rank in "012"},
    "3": ["this rank does not wait in the library"],
}
AT_A_SPLIT = {
    "2": ["waits for other nodes at a barrier, for "],
    "3": ["this rank does not wait in the library"],
}
AT_A_CHECKED_BARRIER = {
    **{rank: ["ARMCI_Barrier: waits for the other ranks of its group, for "] for rank in "012"},
    "3": ["this rank does not wait in the library"],
}
REPORTS = {
    "0": ["this rank does not wait in the library"],
    "1": ["ARMCI_Lock: waits for a mutex of rank 0, for "],
    "2": ["waits for a barrier of all ranks, for ", "waits for other nodes at a barrier, for "],
    "3": ["this rank does not wait in the library"],
}


@dataclass
class Case:
    name: str
    what: str
    settings: dict
    ends: bool  # by the library
    reports: bool = True
    texts: dict = field(default_factory=lambda: REPORTS)

    def run(self, mpiexec, program):
        complaints, text = jobs.run_and_judge(
            mpiexec, ["-n", str(RANKS), program, self.what], self.settings, self.judge
        )
        return [(self.name, complaints, text)]

    def judge(self, status, _output, messages):
        complaints = []
        errors = [message for message in messages if message.kind == "Error"]
        warnings = [message for message in messages if message.kind == "Warning"]
        if (status != 0) != self.ends:
            complaints.append(f"exit status {status}")
        if self.ends != any("(ARMCI_HANG_SECONDS)" in message.text for message in errors):
            complaints.append("the end, or no end, by ARMCI_HANG_SECONDS")
        complaints += [f"unexpected: {m}" for m in errors if "(ARMCI_HANG_SECONDS)" not in m.text]
        for rank, texts in self.texts.items():
            told = [m for m in warnings if m.rank == rank and m.text.startswith(tuple(texts))]
            if bool(told) != self.reports:
                complaints.append(f"the report, or none, of rank {rank}")
        return complaints


ONE_NODE = {"ARMCI_NODE_SIZE": "0"}
NODES_OF_TWO = {"ARMCI_NODE_SIZE": "2"}
NODES = {"ARMCI_NODE_SIZE": "1", "ARMCI_ROUTE": "server"}

CASES = [
    Case("end,node=all", "never", {**ONE_NODE, "ARMCI_HANG_SECONDS": "1"}, True),
    Case("end,node=1", "never", {**NODES, "ARMCI_HANG_SECONDS": "1"}, True),
    Case("group,node=2", "group", {**NODES_OF_TWO, "ARMCI_HANG_SECONDS": "1"}, True, texts=IN_A_GROUP),
    Case("split,node=1", "split", {**NODES, "ARMCI_HANG_SECONDS": "1"}, True, texts=AT_A_SPLIT),
    Case("dup,node=1", "dup", {**NODES, "ARMCI_HANG_SECONDS": "1"}, True, texts=AT_A_SPLIT),
    Case(
        "check,node=1",
        "barrier",
        {**NODES, "ARMCI_HANG_SECONDS": "1", "ARMCI_CHECK": "1"},
        True,
        texts=AT_A_CHECKED_BARRIER,
    ),
    Case(
        "report,node=1",
        "late",
        {**NODES, "ARMCI_HANG_SECONDS": "1", "ARMCI_HANG_ACTION": "report"},
        False,
    ),
    Case("short enough", "soon", {**ONE_NODE, "ARMCI_HANG_SECONDS": "60"}, False, reports=False),
]


if __name__ == "__main__":
    sys.exit(jobs.main(__doc__, CASES))
