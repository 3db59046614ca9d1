# SPDX-License-Identifier: BSD-3-Clause
"""The job: start and end of the library, and what concerns all ranks."""

from __future__ import annotations

import atexit
import contextlib
import os
from types import TracebackType
from typing import Any, Optional

from . import _core
from ._ends import EndHooks
from ._future import drain
from ._group import Group, comm_address
from ._storage import Storage


class Job:
    """What :func:`init` returns. ``with armci.init():`` ends the library at its end."""

    def __init__(self) -> None:
        self.world = Group._of_world()
        self.storages: list[Storage] = []  # in the order in which they were made
        self.groups: dict[tuple[int, ...], Group] = {}  # of communicators that arrays were made on
        self.hooks = EndHooks() if self.world.size > 1 else None

    @property
    def rank(self) -> int:
        """The caller's number, from 0."""
        return self.world.rank

    @property
    def size(self) -> int:
        """How many ranks the job has."""
        return self.world.size

    def finalize(self) -> None:
        """Same as :func:`armci.finalize`, if this job is not over."""
        if _current is self:
            finalize()

    def __enter__(self) -> Job:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if error is None:
            self.finalize()
        elif self.hooks is None:
            # One rank. The program has to see its exception, and not that an array shows a block.
            with contextlib.suppress(BufferError):
                self.finalize()
        elif isinstance(error, SystemExit):
            self.hooks.note_exit(error.code)
        # The other ranks are elsewhere after an exception, and do not take part. Who catches it may
        # go on; if nobody does, the job ends.

    def __repr__(self) -> str:
        return f"<armci.Job: rank {self.rank} of {self.size}>"


_current: Optional[Job] = None


def init(comm: Any = None) -> Job:
    """Starts the library, and MPI if nobody has; collective over the ranks of the job.

    comm is a communicator of mpi4py, whose processes are the ranks of the job then; default: all
    processes. While the library is up, a further call changes nothing and returns the same job.

    Errors that end the job show no backtrace of C, unless ARMCI_BACKTRACE=1 is in the environment.

    >>> import armci
    >>> armci.init().size
    1
    """
    global _current
    if _current is not None and _core.is_up():
        if comm is not None:
            raise _core.Error(
                "armci.init: the library is up already, on the communicator it got first"
            )
        return _current
    # Below a message these would be functions of the interpreter, not of the program.
    os.environ.setdefault("ARMCI_BACKTRACE", "0")
    _core.start(0 if comm is None else comm_address(comm))
    _current = Job()
    return _current


def current() -> Job:
    """The job; raises armci.Error if there is none."""
    _core.check_call()
    if _current is None:
        raise _core.Error("the library is not up: call armci.init() first")
    return _current


def is_initialized() -> bool:
    """Whether the library is up: between init and finalize."""
    return _current is not None and _core.is_up()


def finalize() -> None:
    """Completes all operations, frees all arrays and ends the library; collective over all ranks.

    Raises BufferError on all ranks if a rank still has an array that shows its block
    (:attr:`Array.local`), because its memory is about to go. Without this call the library ends
    with Python. :func:`init` may follow.
    """
    if not is_initialized():
        return
    job = current()
    has_views = any(storage.has_views() for storage in job.storages)
    if job.world._reduce([int(has_views)], "max")[0]:
        raise BufferError(
            "armci.finalize: a rank has arrays that show its blocks; delete them first"
        )
    _finalize(job, frees_arrays=True)


def _finalize(job: Job, frees_arrays: bool) -> None:
    global _current
    drain(wait=True)
    if frees_arrays:
        for storage in job.storages:
            storage.core.free()
    job.storages.clear()
    if job.hooks is not None:
        job.hooks.remove()
    _current = None
    _core.stop()


@atexit.register
def _at_exit() -> None:
    if is_initialized():
        job = current()
        if job.hooks is not None:
            job.hooks.check_exit()
        # To free arrays one by one, all ranks would have to come here. ARMCI_Finalize frees what is
        # left, and says which ranks are missing.
        _finalize(job, frees_arrays=job.size == 1)
    _core.stop_mpi()


def world() -> Group:
    """The group of all ranks."""
    return current().world


def rank() -> int:
    """The caller's number, from 0."""
    return current().rank


def size() -> int:
    """How many ranks the job has."""
    return current().size


def sync() -> None:
    """Completes the caller's operations everywhere, and waits for all ranks. Collective."""
    current().world.sync()


def fence(rank: Optional[int] = None) -> None:
    """Waits until the caller's puts and accumulates are complete at a rank; default: at all."""
    job = current()
    if rank is None:
        _core.all_fence()
    else:
        _core.fence(job.world._checked_rank(rank))


def node(rank: Optional[int] = None) -> int:
    """The number of the node of a rank; default: of the caller. Ranks of a node share memory."""
    world = current().world
    return _core.node(world.rank if rank is None else world._checked_rank(rank))


def node_count() -> int:
    """How many nodes the job has."""
    current()
    return _core.node_count()


def route(rank: int) -> str:
    """How a large put to a rank moves now: "local", "rma" or "server"."""
    return ("local", "rma", "server")[_core.route(current().world._checked_rank(rank))]


def provider() -> str:
    """The provider of libfabric in use, "none" when the job has one node."""
    current()
    return _core.provider()


def stats() -> dict[str, Any]:
    """What the caller has done since init.

    "put", "get" and "accumulate" have (operations, bytes) for each route, "rmw", "fences" and
    "messages_sent" are numbers.
    """
    current()
    return _core.stats()
