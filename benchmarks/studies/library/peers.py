# SPDX-License-Identifier: BSD-3-Clause
"""Other libraries with ARMCI's interface, and what each of them needs to be measured."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    title: str  # of its column
    ranks_kept: int = 0  # ranks of each node that it keeps for itself
    needs_calls: str = ""  # what the target must be in to serve: "mpi", "armci", or nothing
    settings: dict = field(default_factory=dict)

    def serves(self, wait):
        """Whether a target that waits like this (--target-wait of armci-bench) serves."""
        return not self.needs_calls or wait == "armci" or wait == self.needs_calls


OURS = "ours"
PEERS = {
    OURS: Peer("this library"),
    "pr": Peer("ComEx PR", ranks_kept=1),
    # armci-bench asks MPI for no threads, and this variant needs them.
    "mt": Peer("ComEx MT", settings={"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}),
    "ts": Peer("ComEx TS", needs_calls="armci"),
    # With its default it gives wrong results on MPICH.
    "mpi": Peer("ARMCI-MPI", needs_calls="mpi", settings={"ARMCI_USE_WIN_ALLOCATE": "0"}),
}
