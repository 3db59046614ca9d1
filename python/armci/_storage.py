# SPDX-License-Identifier: BSD-3-Clause
"""The memory of arrays, and when it may be freed."""

from __future__ import annotations

import weakref
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._group import Group


class Storage:
    """Memory of an array. It is freed when no rank has a NumPy array that shows its block."""

    def __init__(self, core: _core.Elements, group: Group, dtype: np.dtype[Any]) -> None:
        self.core = core
        self.group = group
        self.dtype = dtype
        self._view: Optional[weakref.ref[npt.NDArray[Any]]] = None

    def view(self) -> Optional[npt.NDArray[Any]]:
        """The array that shows the block, on which all other views depend, if it is in use."""
        return None if self._view is None else self._view()

    def has_views(self) -> bool:
        return self.view() is not None

    def local(self) -> npt.NDArray[Any]:
        view = self.view()
        if view is None:
            shape = self.core.block_shape(self.group.rank)
            memory = None if 0 in shape else self.core.own()
            view = np.ndarray(shape, self.dtype, buffer=memory)
            self._view = weakref.ref(view)
        return view


def reclaim(storages: list[Storage], group: Group) -> None:
    """Frees what the group's ranks have released and do not look at any more.

    Collective over the group, whose members have released the same storages in the same order.
    """
    released = [storage for storage in storages if storage.core.is_released and storage.group is group]
    if not released:
        return
    in_use = group._reduce([int(storage.has_views()) for storage in released], "max")
    for storage, is_used in zip(released, in_use):
        if not is_used:
            storage.core.free()
            storages.remove(storage)
