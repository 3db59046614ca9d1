# SPDX-License-Identifier: BSD-3-Clause
"""Distributed NumPy arrays that every rank reads and writes alone.

An :class:`Array` is cut into blocks, one for each rank of an MPI job. Slices of it are read and
written like those of a NumPy array, wherever they are, and the owners need not do anything for it:

>>> import armci, numpy as np
>>> job = armci.init()
>>> a = armci.zeros((4, 6), float)
>>> a[1, ::2] = [1, 2, 3]
>>> a[1]
array([1., 0., 2., 0., 3., 0.])
>>> a.accumulate((1, slice(0, 3)), 10)
>>> a[0:2, 0:3]
array([[ 0.,  0.,  0.],
       [11., 10., 12.]])
>>> a.free()

Words: *rank* is a process of the job by its number. A call that is *collective* is made by all
ranks of the group, in the same order. All others need no partner. What holds for completion, order
and atomicity is in docs/semantics.md of the library.
"""

from ._signals import kept_actions

with kept_actions():
    from . import _core  # loads libfabric, if nobody has

from ._array import Array, full, zeros
from ._core import Error, mpi_version
from ._core import VERSION as __version__
from ._future import Future
from ._group import Group
from ._job import (
    Job,
    fence,
    finalize,
    init,
    is_initialized,
    node,
    node_count,
    provider,
    rank,
    route,
    size,
    stats,
    sync,
    world,
)
from ._mutexes import Mutexes

__all__ = [
    "Array",
    "Error",
    "Future",
    "Group",
    "Job",
    "Mutexes",
    "__version__",
    "fence",
    "finalize",
    "full",
    "init",
    "is_initialized",
    "mpi_version",
    "node",
    "node_count",
    "provider",
    "rank",
    "route",
    "size",
    "stats",
    "sync",
    "world",
    "zeros",
]
