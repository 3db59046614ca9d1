#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Waits that last long, and what ARMCI_HANG_SECONDS does about them.

usage: run_hangs.py MPIEXEC HANG [CASE...]
"""

# promise: lost.waits
import sys
from dataclasses import dataclass, field

import faults_path  # noqa: F401
import jobs

RANKS = 4
A_COLLECTIVE = "a message or a collective operation of MPI"
REPORTS = {
    "0": ["this rank does not wait in the library"],
    "1": ["ARMCI_Lock: waits for a mutex of rank 0, for "],
    "2": [
        "ARMCI_Barrier: waits for a barrier of all ranks, for ",
        "ARMCI_Barrier: waits for other nodes at a barrier, for ",
    ],
    "3": ["this rank does not wait in the library"],
}


def at(function, cause, ranks="012"):
    """Ranks that wait in a function for rank 3, which computes."""
    return {
        **{rank: [f"{function}: waits for {cause}, for "] for rank in ranks},
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
            reports = [m for m in warnings if m.rank == rank and m.text.startswith(tuple(texts))]
            if bool(reports) != self.reports:
                complaints.append(f"the report, or none, of rank {rank}")
        return complaints


ONE_NODE = {"ARMCI_NODE_SIZE": "0"}
NODES_OF_TWO = {"ARMCI_NODE_SIZE": "2"}
NODES = {"ARMCI_NODE_SIZE": "1", "ARMCI_ROUTE": "server"}

CASES = [
    Case("end,node=all", "never", {**ONE_NODE, "ARMCI_HANG_SECONDS": "1"}, True),
    Case("end,node=1", "never", {**NODES, "ARMCI_HANG_SECONDS": "1"}, True),
    Case(
        "group,node=2",
        "group",
        {**NODES_OF_TWO, "ARMCI_HANG_SECONDS": "1"},
        True,
        texts=at("ARMCI_Group_create", "the other members of a new group"),
    ),
    *(
        Case(
            f"{what},node=1",
            what,
            {**NODES, "ARMCI_HANG_SECONDS": "1"},
            True,
            texts=at(function, cause, ranks),
        )
        for what, function, cause, ranks in (
            ("split", "ARMCIX_Group_split", "the other members of a group to split", "012"),
            ("dup", "ARMCIX_Group_dup", "the other members of a new group", "012"),
            ("malloc", "ARMCI_Malloc", A_COLLECTIVE, "012"),
            ("free", "ARMCI_Free", A_COLLECTIVE, "012"),
            ("sum", "armci_msg_igop", A_COLLECTIVE, "012"),
            ("broadcast", "armci_msg_brdcst", A_COLLECTIVE, "012"),
            ("mutexes", "ARMCIX_Create_mutexes_hdl", A_COLLECTIVE, "012"),
        )
    ),
    Case(
        "put,node=1",
        "put",
        {
            "ARMCI_NODE_SIZE": "1",
            "ARMCI_HANG_SECONDS": "1",
            "ARMCI_NO_FLUSH_LOCAL": "1",
            "ARMCI_PROGRESS_THREAD": "0",
        },
        True,
        texts=at("ARMCI_Put", "a fence of rank 3"),
    ),
    Case(
        "check,node=1",
        "barrier",
        {**NODES, "ARMCI_HANG_SECONDS": "1", "ARMCI_CHECK": "1"},
        True,
        texts=at("ARMCI_Barrier", "the other ranks of its group"),
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
