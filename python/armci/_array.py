# SPDX-License-Identifier: BSD-3-Clause
"""Distributed arrays."""

from __future__ import annotations

import math
import operator
import zlib
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Optional, SupportsIndex, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._future import Future, drain, handle_for
from ._group import Group, comm_address
from ._job import current
from ._storage import Storage, reclaim

NDArray = npt.NDArray[Any]

# Accumulate adds elements of these types; unsigned ones as signed ones, which wrap the same way.
_ACCUMULATE_TYPES = {
    np.dtype(np.int32): _core.ACC_INT,
    np.dtype(np.uint32): _core.ACC_INT,
    np.dtype(np.int64): _core.ACC_LNG,
    np.dtype(np.uint64): _core.ACC_LNG,
    np.dtype(np.float32): _core.ACC_FLT,
    np.dtype(np.float64): _core.ACC_DBL,
    np.dtype(np.complex64): _core.ACC_CPL,
    np.dtype(np.complex128): _core.ACC_DCP,
}


def _checked_shape(
    shape: Union[SupportsIndex, Sequence[SupportsIndex]], name: str
) -> tuple[int, ...]:
    given = shape if isinstance(shape, Sequence) else (shape,)
    numbers = tuple(operator.index(number) for number in given)
    if any(number < 0 for number in numbers):
        raise ValueError(f"{name} {numbers}: no number can be negative")
    return numbers


def _chosen_blocks(shape: tuple[int, ...], ranks: int) -> tuple[int, ...]:
    """As many blocks as ranks, with sides that are as equal as the factors of the number allow."""
    blocks = [1] * len(shape)
    rest, factor, factors = ranks, 2, []
    while rest > 1:
        while rest % factor == 0:
            factors.append(factor)
            rest //= factor
        factor += 1
    for factor in reversed(factors):
        longest = max(range(len(shape)), key=lambda d: shape[d] / blocks[d])
        blocks[longest] *= factor
    return tuple(blocks)


def _broadcast(value: npt.ArrayLike, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray:
    """value as an assignment to a NumPy array of this shape and type takes it."""
    is_record = dtype.names is not None and not isinstance(value, np.ndarray)
    # A tuple is one element then, and not a dimension.
    given = np.asarray(value, dtype) if is_record else np.asarray(value)
    if given.dtype != dtype:
        # An assignment, and not astype: it treats numbers of Python as NumPy's own arrays do.
        converted = np.empty(given.shape, dtype)
        converted[...] = given if isinstance(value, np.ndarray) else value
        given = converted
    while given.ndim > len(shape) and given.shape[0] == 1:
        given = given[0]
    try:
        return np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(
            f"could not broadcast input array from shape {np.shape(value)} into shape {shape}"
        ) from None


def _group_of(group: Any) -> Group:
    """The group that is given as such, as a communicator of mpi4py, or by None for all ranks."""
    job = current()
    if group is None:
        return job.world
    if isinstance(group, Group):
        return group
    ranks = tuple(_core.ranks_of(comm_address(group)))
    if ranks not in job.groups:
        job.groups[ranks] = Group(ranks)
    return job.groups[ranks]


class Array:
    """An array that is distributed over the ranks of a group. Collective over the group.

    shape   a number, or one for each of at most 16 dimensions
    dtype   any type of NumPy whose elements have a fixed size, and are no Python objects
    blocks  how many blocks each dimension is cut into; block number r, counted in the order of C,
            belongs to rank r of the group. Ranks that no block is left for own nothing. By
            default there are as many blocks as ranks, as square as possible.
    group   an :class:`armci.Group`, or a communicator of mpi4py; by default all ranks. Ranks in
            the methods are those of this group.

    The contents are undefined at first; :func:`armci.zeros` and :func:`armci.full` set them.
    Indices are integers, slices with any step, and ``...``. A transfer is one call of the library
    for each owner that the index has elements of. Operations of one rank on the same elements
    take effect in the order of the program. Those of different ranks are ordered by
    :meth:`sync` only.

    >>> import armci, numpy as np
    >>> job = armci.init()
    >>> with armci.Array((10, 10), np.int64) as a:
    ...     a[...] = np.arange(100).reshape(10, 10)
    ...     a[2:4, ::-3]
    array([[29, 26, 23, 20],
           [39, 36, 33, 30]])
    """

    # What NumPy functions would do with it is to get it all; operators say so instead.
    __array_ufunc__ = None

    def __init__(
        self,
        shape: Union[SupportsIndex, Sequence[SupportsIndex]],
        dtype: npt.DTypeLike = float,
        blocks: Union[None, SupportsIndex, Sequence[SupportsIndex]] = None,
        group: Any = None,
    ) -> None:
        job = current()
        self._shape = _checked_shape(shape, "shape")
        self._dtype = np.dtype(dtype)
        self._group = _group_of(group)
        self._group._core.check_member()
        self._check_size()
        self._blocks = self._checked_blocks(blocks)
        self._check_agreement()
        drain()
        reclaim(job.storages, self._group)
        core = _core.Elements.allocate(
            self._shape, self._blocks, self._dtype, self._group._core
        )
        if core is None:
            raise MemoryError(f"a rank has not enough memory for its part of {self.nbytes} bytes")
        self._core = core
        self._storage = Storage(core, self._group, self._dtype)
        job.storages.append(self._storage)
        self._accumulate_type = _ACCUMULATE_TYPES.get(self._dtype)
        # The last number that accumulate has scaled by, and that as an element. The same object is
        # the same number, and a constant of the program is one object.
        self._scaling: tuple[object, NDArray] = (object(), np.empty(()))

    # ---- What it is ----

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements in each dimension."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._dtype

    @property
    def blocks(self) -> tuple[int, ...]:
        """Blocks in each dimension."""
        return self._blocks

    @property
    def group(self) -> Group:
        """The group of its owners."""
        return self._group

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements, of all ranks together."""
        return math.prod(self._shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self._dtype.itemsize

    @property
    def is_freed(self) -> bool:
        """Whether :meth:`free` has been called."""
        return self._core.is_released

    def distribution(self, rank: Optional[int] = None) -> tuple[slice, ...]:
        """The index of the block that a rank owns; default: the caller. Slices may be empty.

        >>> import armci
        >>> job = armci.init()
        >>> armci.zeros((4, 6)).distribution(0)
        (slice(0, 4, None), slice(0, 6, None))
        """
        owner = self._group.rank if rank is None else self._group._checked_rank(rank)
        if owner >= math.prod(self._blocks):
            return tuple(slice(0, 0) for _ in self._shape)
        slices = []
        for d in reversed(range(self.ndim)):
            owner, block = divmod(owner, self._blocks[d])
            slices.append(slice(self._core.first_of(d, block), self._core.first_of(d, block + 1)))
        return tuple(reversed(slices))

    def owner(self, index: Any) -> int:
        """The rank that owns an element, which integers name."""
        return self._core.owner(index)

    @property
    def local(self) -> NDArray:
        """The caller's own block, not copied: what is stored in it is in the array.

        Other ranks see that after :meth:`sync`. The memory of the block stays while NumPy arrays
        show it, also after :meth:`free`.
        """
        self._core.check()
        return self._storage.local()

    # ---- Blocking transfers ----

    def __getitem__(self, index: Any) -> Any:
        return self._core.get_new(index)

    def __setitem__(self, index: Any, value: npt.ArrayLike) -> None:
        if not self._core.put(index, value, None):
            self._put_converted(index, value, None)

    def get(self, index: Any = ..., out: Optional[NDArray] = None) -> Any:
        """What the index selects: a new array or, where NumPy has one, a scalar; or out, filled."""
        if out is None:
            return self._core.get_new(index)
        if not self._core.get(index, out, None):
            self._check_out(self._core.region(index), out)
            out[...] = self._core.get_new(index)
        return out

    def put(self, index: Any, value: npt.ArrayLike) -> None:
        """Stores value, converted and broadcast as NumPy does it, in what the index selects.

        On return value may be changed. Others see the elements after :meth:`sync`, or after
        :meth:`fence` and a message.
        """
        if not self._core.put(index, value, None):
            self._put_converted(index, value, None)

    def accumulate(self, index: Any, value: npt.ArrayLike, scale: npt.ArrayLike = 1) -> None:
        """Adds scale * value, element by element, to what the index selects.

        Any number of ranks may do this to the same elements at the same time: each addition is
        atomic. (``a[index] += value`` is a get and a put, and is not.) The type of the array is
        int32, int64, uint32, uint64, float32, float64, complex64 or complex128.
        """
        kind = self._accumulate_type
        known, factor = self._scaling
        if (
            kind is None
            or scale is not known
            or not self._core.accumulate(index, value, kind, factor, None)
        ):
            self._accumulate(index, value, scale, None)

    # ---- Transfers that go on while the rank computes ----

    def get_async(self, index: Any = ..., out: Optional[NDArray] = None) -> Future[Any]:
        """Starts :meth:`get`. The future's result is what get returns; out must not be used before.

        >>> import armci
        >>> job = armci.init()
        >>> a = armci.full(8, 3)
        >>> future = a.get_async(slice(2, 4))
        >>> future.result()
        array([3, 3])
        """
        drain()
        region = self._core.region(index)
        future: Future[Any]
        if out is None:
            out = np.empty(region.shape, self._dtype)
            future = _ElementFuture(out) if region.is_element else Future(out)
        else:
            self._check_out(region, out)
            future = Future(out)
        if not self._core.get(index, out, handle_for(future, out)):
            raise ValueError(
                "get_async: out must not be part of this array's own block, and needs elements side "
                "by side where the index has neighbours; use get, which copies"
            )
        return future

    def put_async(self, index: Any, value: npt.ArrayLike) -> Future[None]:
        """Starts :meth:`put`. The array value must not change before the future is done."""
        drain()
        future = Future(None)
        if not self._core.put(index, value, handle_for(future, value)):
            self._put_converted(index, value, future)
        return future

    def accumulate_async(
        self, index: Any, value: npt.ArrayLike, scale: npt.ArrayLike = 1
    ) -> Future[None]:
        """Starts :meth:`accumulate`. The array value must not change before the future is done."""
        drain()
        future = Future(None)
        self._accumulate(index, value, scale, future)
        return future

    # ---- Atomic operations on one element ----

    def fetch_add(self, index: Any, value: SupportsIndex = 1) -> int:
        """Adds value to one element atomically, and returns what it was.

        The type is int32, int64, uint32 or uint64, and value fits in int32. This operation is
        atomic towards itself and :meth:`swap`, not towards accumulate.

        >>> import armci
        >>> job = armci.init()
        >>> counter = armci.zeros(1, "i8")
        >>> counter.fetch_add(0), counter.fetch_add(0)
        (0, 1)
        """
        added = operator.index(value)
        if not -(2**31) <= added < 2**31:
            raise OverflowError(f"fetch_add: {added} does not fit in int32")
        return self._update((_core.FETCH_AND_ADD, _core.FETCH_AND_ADD_LONG), index, 0, added)

    def swap(self, index: Any, value: SupportsIndex) -> int:
        """Stores value in one element atomically, and returns what it was. Types as fetch_add."""
        stored = operator.index(value)
        if self._dtype.kind in "iu":
            limits = np.iinfo(self._dtype)
            if not limits.min <= stored <= limits.max:
                raise OverflowError(f"swap: {stored} does not fit in {self._dtype}")
        return self._update((_core.SWAP, _core.SWAP_LONG), index, stored, 0)

    # ---- Synchronisation ----

    def fence(self, rank: Optional[int] = None) -> None:
        """Waits for the caller's puts and accumulates to be complete at an owner; default: all."""
        if rank is None:
            self._core.check()
            self._group.fence()
        elif type(rank) is not int or not self._core.fence(rank):
            self._core.fence(self._group._checked_rank(rank))

    def sync(self) -> None:
        """Completes the caller's operations, and waits for all ranks of the group. Collective."""
        self._core.check()
        self._group.sync()

    def fill(self, value: npt.ArrayLike) -> None:
        """Does ``a[...] = value``, where each rank stores its own block; collective.

        All ranks give the same value. It begins and ends with :meth:`sync`.
        """
        source = _broadcast(value, self._shape, self._dtype)
        self.sync()
        self.local[...] = source[self.distribution()]
        self.sync()

    def free(self) -> None:
        """Frees the array; collective over its group. ``with armci.Array(...) as a:`` does it, too.

        The memory goes as soon as no rank has a NumPy array that shows it (:attr:`local`), and
        the ranks of the group make or free another array, or the library ends.
        """
        self._core.check()
        drain()
        self._core.release()
        reclaim(current().storages, self._group)

    def __enter__(self) -> Array:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        # After an exception the other ranks are elsewhere. The library frees the array in the end.
        if (error is None or self._group.size == 1) and not self.is_freed:
            self.free()

    # ---- What NumPy and Python ask for ----

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray:
        if copy is False:
            raise ValueError("a distributed array cannot be a NumPy array without a copy")
        result: NDArray = np.asarray(self.get())
        return result if dtype is None else result.astype(dtype, copy=False)

    def __len__(self) -> int:
        return self._shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self.get(i) for i in range(len(self)))

    def __repr__(self) -> str:
        state = ", freed" if self.is_freed else ""
        return (
            f"<armci.Array of shape {self._shape}, {self._dtype}, "
            f"in blocks {self._blocks} on {self._group.size} ranks{state}>"
        )

    # ---- Checks and conversions ----

    def _checked_blocks(
        self, blocks: Union[None, SupportsIndex, Sequence[SupportsIndex]]
    ) -> tuple[int, ...]:
        if blocks is None:
            return _chosen_blocks(self._shape, self._group.size)
        numbers = _checked_shape(blocks, "blocks")
        if len(numbers) != self.ndim:
            raise ValueError(f"blocks {numbers}: the array is {self.ndim}-dimensional")
        if 0 in numbers:
            raise ValueError(f"blocks {numbers}: each dimension has at least one block")
        if math.prod(numbers) > self._group.size:
            raise ValueError(f"blocks {numbers}: there are only {self._group.size} ranks")
        return numbers

    def _check_size(self) -> None:
        if not 1 <= self.ndim <= _core.MAX_DIMENSIONS:
            raise ValueError(
                f"the array has {self.ndim} dimensions; 1 to {_core.MAX_DIMENSIONS} are possible"
            )
        if self._dtype.hasobject or self._dtype.itemsize == 0 or self._dtype.subdtype is not None:
            raise TypeError(
                f"dtype {self._dtype}: elements must have a fixed size and be no objects"
            )
        if self.nbytes >= 2**63:
            raise ValueError(f"shape {self._shape}: the array is too large")

    def _check_agreement(self) -> None:
        # The text of a structured type has its offsets, too. (Not all of them have a descr.)
        arguments = (self._shape, str(self._dtype), self._blocks)
        digest = zlib.crc32(repr(arguments).encode()) >> 1
        low, high = self._group._reduce([-digest, digest], "max")
        if -low != high:
            raise ValueError("the ranks have given different shapes, types or blocks")

    def _check_out(self, region: _core.Region, out: NDArray) -> None:
        if not isinstance(out, np.ndarray) or out.dtype != self._dtype:
            raise TypeError(f"out must be a NumPy array of {self._dtype}")
        if out.shape != region.shape:
            raise ValueError(f"out has shape {out.shape}, and the index selects {region.shape}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")

    def _put_converted(
        self, index: Any, value: npt.ArrayLike, future: Optional[Future[None]]
    ) -> None:
        """Puts what the library cannot take as it is."""
        source = _broadcast(value, self._core.region(index).shape, self._dtype)
        if not self._core.put(index, source, handle_for(future, source)):
            source = source.copy()
            self._core.put(index, source, handle_for(future, source))

    def _checked_addend(self, value: npt.ArrayLike, name: str) -> NDArray:
        """value as elements of the array's type, if NumPy's += takes it."""
        if type(value) is np.ndarray and value.dtype == self._dtype:
            return value
        given = np.asarray(value)
        is_number = isinstance(value, (int, float, complex)) and not isinstance(value, np.generic)
        kind = np.result_type(self._dtype, value) if is_number else given.dtype
        if not np.can_cast(kind, self._dtype, "same_kind"):
            raise TypeError(
                f"{name}: cannot add {given.dtype} to {self._dtype} (casting 'same_kind')"
            )
        if given.dtype == self._dtype:
            return given
        converted = np.empty(given.shape, self._dtype)
        converted[...] = given if isinstance(value, np.ndarray) else value
        return converted

    def _accumulate(
        self,
        index: Any,
        value: npt.ArrayLike,
        scale: npt.ArrayLike,
        future: Optional[Future[None]],
    ) -> None:
        kind = self._accumulate_type
        if kind is None:
            self._core.check()
            names = ", ".join(str(dtype) for dtype in _ACCUMULATE_TYPES)
            raise TypeError(f"accumulate: elements are {self._dtype}, and must be one of {names}")
        known, factor = self._scaling
        if scale is not known:
            factor = self._checked_addend(scale, "accumulate: scale")
            if factor.ndim > 0:
                raise ValueError("accumulate: scale is one number")
            if type(scale) in (int, float):
                self._scaling = (scale, factor)
        if self._core.accumulate(index, value, kind, factor, handle_for(future, value)):
            return
        addend = self._checked_addend(value, "accumulate")
        source = _broadcast(addend, self._core.region(index).shape, self._dtype)
        if not self._core.accumulate(index, source, kind, factor, handle_for(future, source)):
            source = source.copy()
            self._core.accumulate(index, source, kind, factor, handle_for(future, source))

    def _update(self, operations: tuple[int, int], index: Any, word: int, value: int) -> int:
        if self._accumulate_type is None or self._dtype.kind not in "iu":
            self._core.check()
            raise TypeError(
                f"elements are {self._dtype}, and must be int32, int64, uint32 or uint64"
            )
        buffer = np.array(word, self._dtype)
        self._core.update(operations[self._dtype.itemsize == 8], index, buffer, value)
        return int(buffer)


class _ElementFuture(Future[Any]):
    """Its result is a scalar, which exists when the buffer has been filled."""

    def result(self) -> Any:
        self.wait()
        return self._result[()]


def zeros(
    shape: Union[SupportsIndex, Sequence[SupportsIndex]],
    dtype: npt.DTypeLike = float,
    blocks: Union[None, SupportsIndex, Sequence[SupportsIndex]] = None,
    group: Any = None,
) -> Array:
    """An :class:`Array` of zeros; collective, and ends with a sync."""
    zero = np.zeros((), np.dtype(dtype).base)  # of strings it is "", and not "0"
    return full(shape, zero, dtype, blocks, group)


def full(
    shape: Union[SupportsIndex, Sequence[SupportsIndex]],
    value: npt.ArrayLike,
    dtype: Optional[npt.DTypeLike] = None,
    blocks: Union[None, SupportsIndex, Sequence[SupportsIndex]] = None,
    group: Any = None,
) -> Array:
    """An :class:`Array` with the same value everywhere; collective, and ends with a sync.

    value may also be an array that NumPy broadcasts to the shape; all ranks give the same. dtype is
    that of the value by default.
    """
    given = np.asarray(value)
    if given.ndim > 0:  # a wrong shape is found before the array is made, which would stay
        _broadcast(given, _checked_shape(shape, "shape"), given.dtype)
    array = Array(shape, given.dtype if dtype is None else dtype, blocks, group)
    array.fill(value)
    return array
