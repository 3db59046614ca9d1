# SPDX-License-Identifier: BSD-3-Clause
"""Other libraries with ARMCI's interface, and what each of them needs to be measured."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    title: str  # of its column
    about: str  # a sentence or more
    ranks_kept: int = 0  # ranks of each node that it keeps for itself
    needs_calls: str = ""  # what the target must be in to serve: "mpi", "armci", or nothing
    settings: dict = field(default_factory=dict)

    def serves(self, wait):
        """Whether a target that waits like this (--target-wait of armci-bench) serves."""
        return not self.needs_calls or wait == "armci" or wait == self.needs_calls


OURS = "ours"
PEERS = {
    OURS: Peer("this library", "This library has its default settings. Its data servers sleep when there is nothing "
               "to do."),
    "pr": Peer("ComEx PR", "ComEx PR is ComEx, of Global Arrays, with progress ranks. It keeps one more rank of each "
               "node for itself, which polls all the time.", ranks_kept=1),
    # armci-bench asks MPI for no threads, and this variant needs them.
    "mt": Peer("ComEx MT", "ComEx MT has a thread in each rank that polls.",
               settings={"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}),
    "ts": Peer("ComEx TS", "ComEx TS serves others only while a rank is in one of its calls.", needs_calls="armci"),
    # With its default it gives wrong results on MPICH.
    "mpi": Peer("ARMCI-MPI", "ARMCI-MPI serves others only while a rank is in a call of MPI, or in its own. It ran with "
                "`ARMCI_USE_WIN_ALLOCATE=0`, without which it gives wrong results on MPICH.", needs_calls="mpi",
                settings={"ARMCI_USE_WIN_ALLOCATE": "0"}),
}
