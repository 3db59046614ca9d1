# SPDX-License-Identifier: BSD-3-Clause
"""Groups of ranks."""

from __future__ import annotations

import contextlib
import operator
import sys
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Optional

from . import _core
from ._future import drain


def comm_address(comm: Any) -> int:
    """The address of the MPI_Comm in a communicator of mpi4py, whose MPI must be that of armci."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise TypeError(f"a communicator of mpi4py is needed, not {type(comm).__name__}")
    theirs = mpi.Get_library_version().rstrip("\0").split("\n")[0]
    ours = _core.mpi_version()
    if theirs != ours:
        raise _core.Error(
            f"mpi4py and armci are built with different MPIs ({theirs!r} and {ours!r}); "
            "build mpi4py with the same one (MPICC=... pip install --no-binary mpi4py mpi4py)"
        )
    if comm == mpi.COMM_NULL:
        raise ValueError("the communicator is MPI.COMM_NULL")
    return int(mpi._addressof(comm))


class Group:
    """Some ranks, on which arrays and mutexes can be made.

    Group(ranks) is called by all members, and possibly by others. ranks are numbers of
    :func:`armci.rank`, and their order is that of the group.

    >>> import armci
    >>> job = armci.init()
    >>> with armci.Group([0]) as group:
    ...     group.rank, group.size, group.ranks
    (0, 1, (0,))
    """

    _core: _core.Group
    _ranks: tuple[int, ...]

    def __init__(self, ranks: Iterable[int]) -> None:
        from ._job import world

        everyone = world()
        wanted = [everyone._checked_rank(rank) for rank in ranks]
        if not wanted:
            raise ValueError("a group has at least one rank")
        if len(set(wanted)) != len(wanted):
            raise ValueError(f"a rank is given twice: {wanted}")
        self._core = _core.Group(wanted)
        self._ranks = self._core.ranks

    @classmethod
    def from_comm(cls, comm: Any) -> Group:
        """The ranks of a communicator of mpi4py; collective over it."""
        return cls(_core.ranks_of(comm_address(comm)))

    @classmethod
    def _of_world(cls) -> Group:
        group = cls.__new__(cls)
        group._core = _core.Group()
        group._ranks = group._core.ranks
        return group

    @property
    def ranks(self) -> tuple[int, ...]:
        """The members, by their numbers in the job."""
        return self._ranks

    @property
    def rank(self) -> int:
        """The caller's number in the group, from 0; -1 if it is not a member."""
        return self._core.rank

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self._ranks)

    def fence(self) -> None:
        """Waits until the caller's puts and accumulates are complete at all members."""
        self._core.fence()

    def sync(self) -> None:
        """Completes the caller's operations on members, and waits for all members. Collective."""
        drain()
        self._core.sync()

    def free(self) -> None:
        """Frees the group; collective. Its arrays must have been freed before."""
        from ._job import current

        job = current()
        if any(storage.group is self and not storage.core.is_released for storage in job.storages):
            raise _core.Error("the group has arrays: free them first")
        self._core.free()
        if job.groups.get(self._ranks) is self:
            del job.groups[self._ranks]

    def _checked_rank(self, rank: int) -> int:
        number = operator.index(rank)
        if not 0 <= number < len(self._ranks):
            raise ValueError(
                f"rank {number} is not among the {self.size} ranks 0 to {self.size - 1}"
            )
        return number

    def _reduce(self, numbers: list[int], operation: str) -> list[int]:
        return self._core.reduce(numbers, operation)

    def __enter__(self) -> Group:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if error is None:
            self.free()
        elif self.size == 1:
            with contextlib.suppress(_core.Error):  # the program has to see its own exception
                self.free()

    def __repr__(self) -> str:
        return f"<armci.Group of ranks {list(self.ranks)}>"
