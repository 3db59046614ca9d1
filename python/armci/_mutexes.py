# SPDX-License-Identifier: BSD-3-Clause
"""Mutexes that any rank may lock."""

from __future__ import annotations

import contextlib
import operator
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Optional

from . import _core
from ._group import Group


class Mutexes:
    """count mutexes of the caller, which all ranks of the group may lock.

    Collective over the group; count may differ between ranks. Waiting ranks are served in order.

    >>> import armci
    >>> job = armci.init()
    >>> with armci.Mutexes() as mutexes:
    ...     with mutexes.held(rank=0):
    ...         pass  # no other rank is here meanwhile
    """

    def __init__(self, count: int = 1, group: Optional[Group] = None) -> None:
        from ._job import world

        own = operator.index(count)
        if own < 0:
            raise ValueError(f"count is {own}, and cannot be negative")
        self._group = world() if group is None else group
        self._group._core.check_member()
        counts = [0] * self._group.size
        counts[self._group.rank] = own
        self._counts = self._group._reduce(counts, "+")
        self._core = _core.Mutexes(own, self._group._core)
        self._held: dict[tuple[int, int], int] = {}  # the thread that holds a mutex

    def lock(self, rank: int, mutex: int = 0) -> None:
        """Waits until the caller holds a mutex of this rank of the group."""
        key = self._key(rank, mutex)
        if self._held.get(key) == threading.get_ident():
            raise _core.Error(f"lock: the caller holds mutex {mutex} of rank {rank} already")
        self._core.lock(mutex, self._group.ranks[rank])
        self._held[key] = threading.get_ident()

    def try_lock(self, rank: int, mutex: int = 0) -> bool:
        """Whether the caller holds the mutex now. Does not wait for others."""
        key = self._key(rank, mutex)
        if self._held.get(key) == threading.get_ident():
            raise _core.Error(f"try_lock: the caller holds mutex {mutex} of rank {rank} already")
        if not self._core.try_lock(mutex, self._group.ranks[rank]):
            return False
        self._held[key] = threading.get_ident()
        return True

    def unlock(self, rank: int, mutex: int = 0) -> None:
        """Completes the caller's operations, and releases the mutex."""
        key = self._key(rank, mutex)
        if self._held.get(key) != threading.get_ident():
            raise _core.Error(f"unlock: the caller does not hold mutex {mutex} of rank {rank}")
        del self._held[key]
        self._core.unlock(mutex, self._group.ranks[rank])

    @contextlib.contextmanager
    def held(self, rank: int, mutex: int = 0) -> Iterator[None]:
        """Holds the mutex in a ``with`` statement."""
        self.lock(rank, mutex)
        try:
            yield
        finally:
            self.unlock(rank, mutex)

    def free(self) -> None:
        """Ends the mutexes, none of which may be held; collective."""
        if self._held:
            raise _core.Error(f"free: the caller holds (rank, mutex) {sorted(self._held)}")
        self._core.free()

    def _key(self, rank: int, mutex: int) -> tuple[int, int]:
        owner = self._group._checked_rank(rank)
        number = operator.index(mutex)
        if not 0 <= number < self._counts[owner]:
            raise ValueError(
                f"rank {owner} has {self._counts[owner]} mutexes, and none is number {number}"
            )
        return owner, number

    def __enter__(self) -> Mutexes:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if error is None:
            self.free()
        elif self._group.size == 1:
            with contextlib.suppress(_core.Error):  # the program has to see its own exception
                self.free()
