# SPDX-License-Identifier: BSD-3-Clause
"""Random transfers, with a NumPy array as the oracle that every rank keeps for itself."""

import os
import random

import numpy as np
import pytest

import armci
from armci._future import _abandoned, drain

DTYPES = [
    "?",
    "i1",
    "u2",
    "i4",
    "u4",
    "i8",
    "u8",
    "f2",
    "f4",
    "f8",
    "g",
    "c8",
    "c16",
    ">i4",
    "M8[s]",
    "S5",
    np.dtype([("a", "i2"), ("b", "f8")]),  # packed
    np.dtype([("a", "i2"), ("b", "f8")], align=True),
    np.dtype({"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [8, 0]}),
]
ADDABLE = ["i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
SEEDS = range(int(os.environ.get("PYTHON_TEST_SEEDS", "12")))


def random_slice(rng, n):
    step = rng.choice([1, 1, 1, 2, 3, -1, -2, 7])
    ends = [None, rng.randint(-n - 2, n + 2), rng.randint(-n - 2, n + 2)]
    return slice(rng.choice(ends), rng.choice(ends), step)


def random_index(rng, shape):
    index = [
        rng.randint(-n, n - 1) if n > 0 and rng.random() < 0.2 else random_slice(rng, n)
        for n in shape
    ]
    if rng.random() < 0.3:
        first = rng.randint(0, len(index))
        index[first : rng.randint(first, len(index))] = [...]
    elif rng.random() < 0.2:
        del index[rng.randint(0, len(index)) :]
    return index[0] if len(index) == 1 and rng.random() < 0.5 else tuple(index)


def random_values(rng, shape, dtype):
    """Small numbers, so that sums are exact in every order."""
    count = int(np.prod(shape, dtype=int))
    numbers = np.array([rng.randint(0, 50) for _ in range(count)]).reshape(shape)
    return (
        numbers.astype("i8").astype(dtype) if np.dtype(dtype).kind == "M" else numbers.astype(dtype)
    )


def laid_out(rng, values):
    """The same values in another order in memory, or with gaps."""
    kind = rng.choice(["contiguous", "fortran", "reversed", "gaps", "rows"])
    if values.ndim == 0:
        return values
    if kind == "fortran":
        return np.asfortranarray(values)
    if kind == "reversed":
        return np.ascontiguousarray(values[(slice(None, None, -1),) * values.ndim])[
            (slice(None, None, -1),) * values.ndim
        ]
    if kind in ("gaps", "rows"):
        axis = -1 if kind == "gaps" else 0
        wider = np.repeat(values, 2, axis=axis)
        return wider[..., ::2] if axis == -1 else wider[::2]
    return values


def broadcastable(rng, values):
    """A part that NumPy broadcasts, or all of it."""
    if values.ndim == 0 or values.size == 0 or rng.random() < 0.5:
        return values
    kept = tuple(slice(0, 1) if rng.random() < 0.5 else slice(None) for _ in values.shape)
    part = values[kept]
    while part.ndim > 0 and part.shape[0] == 1 and rng.random() < 0.5:
        part = part[0]
    return part


def random_blocks(rng, ndim, ranks):
    blocks = [1] * ndim
    for _ in range(3):
        d = rng.randrange(ndim)
        if np.prod(blocks) // blocks[d] * (blocks[d] + 1) <= ranks:
            blocks[d] += 1
    return blocks


def random_shape(rng):
    ndim = rng.choice([1, 2, 2, 3, 4])
    return tuple(
        rng.choice([0, 1, 2, 5, 9, 17]) if rng.random() < 0.2 else rng.randint(1, 12)
        for _ in range(ndim)
    )


def step(rng, array, oracle, is_actor):
    """One operation, which only one rank carries out; all keep the oracle up to date."""
    index = random_index(rng, oracle.shape)
    selected = np.asarray(oracle[index])
    kinds = ["get", "get_out", "get_async", "put", "put", "put_async"]
    if oracle.dtype.str[1:] in ADDABLE and oracle.dtype.isnative:
        kinds += ["accumulate", "accumulate_async"]
    kind = rng.choice(kinds)
    values = laid_out(rng, broadcastable(rng, random_values(rng, selected.shape, oracle.dtype)))
    out = laid_out(rng, random_values(rng, selected.shape, oracle.dtype))
    scale = rng.choice([1, 2, 3])
    if kind.startswith("put"):
        oracle[index] = values
    elif kind.startswith("acc"):
        oracle[index] += (scale * values).astype(oracle.dtype)
    if not is_actor:
        return
    if kind == "get":
        got = array[index]
        assert type(got) is type(oracle[index])
        np.testing.assert_array_equal(got, selected)
    elif kind == "get_out":
        assert array.get(index, out=out) is out
        np.testing.assert_array_equal(out, selected)
    elif kind == "get_async":
        future = array.get_async(index)
        np.testing.assert_array_equal(future.result(), selected)
        assert future.done()
    elif kind == "put":
        array[index] = values
    elif kind == "put_async":
        assert array.put_async(index, values).result() is None
    elif kind == "accumulate":
        array.accumulate(index, values, scale)
    else:
        array.accumulate_async(index, values, scale).wait()


@pytest.mark.parametrize("largest", [2**31 - 1, 32], ids=["", "small_arguments"])
@pytest.mark.parametrize("seed", SEEDS)
def test_random(job, seed, largest):
    rng = random.Random(seed)
    shape = random_shape(rng)
    dtype = rng.choice(DTYPES + ADDABLE)
    blocks = rng.choice([None, random_blocks(rng, len(shape), job.size)])
    with armci.Array(shape, dtype, blocks) as array:
        array._core.largest_argument = largest
        oracle = random_values(rng, shape, dtype)
        array.local[...] = oracle[array.distribution()]
        array.sync()
        for turn in range(24):
            step(rng, array, oracle, turn % job.size == job.rank)
            array.sync()
        np.testing.assert_array_equal(array.get(), oracle)
        np.testing.assert_array_equal(array.local, oracle[array.distribution()])
        array.sync()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_types(job, dtype):
    rng = random.Random(1)
    with armci.zeros((4, 5), dtype) as array:
        oracle = np.zeros((4, 5), dtype)
        oracle[1::2, ::-1] = values = random_values(rng, (2, 5), dtype)
        if job.rank == 0:
            array[1::2, ::-1] = values
        array.sync()
        assert array.dtype == dtype
        np.testing.assert_array_equal(array[...], oracle)
        array.sync()


def test_types_that_differ_in_their_offsets(job):
    fields = {"names": ["a", "b"], "formats": ["i4", "f8"]}
    if job.size > 1:
        with pytest.raises(ValueError, match="different shapes"):
            armci.Array(3, np.dtype({**fields, "offsets": [8, 0] if job.rank == 0 else [0, 4]}))


def test_one_call_for_each_owner(job):
    with armci.zeros((6 * job.size, 8), "f8", blocks=(job.size, 1)) as array:
        counted = [sum(calls for calls, _ in armci.stats()["put"].values())]

        def calls():
            counted.append(sum(calls for calls, _ in armci.stats()["put"].values()))
            return counted[-1] - counted[-2]

        array[::2, 1:7:3] = 1
        assert calls() == job.size
        array[5, ::-2] = np.arange(4)
        assert calls() == 1
        array[4:7:9, :] = 1
        assert calls() == 1
        # Local strides are given to the library, whatever they are.
        array[0:4, :] = np.ones((8, 8))[::2]
        assert calls() == 1
        array.sync()


def test_sixteen_dimensions(job):
    shape = (2,) * 16
    oracle = np.arange(2**16, dtype="i4").reshape(shape)
    with armci.Array(shape, "i4") as array:
        array.local[...] = oracle[array.distribution()]
        array.sync()
        index = (slice(None, None, -1),) * 16
        np.testing.assert_array_equal(array[index], oracle[index])
        array.sync()


def test_assignment_converts_as_numpy(job):
    with armci.zeros(4, "i2", blocks=1) as array:
        if job.rank == job.size - 1:
            array[0] = 3.9
            array[1:3] = [True, 7]
            array[3] = np.float64(-2.5)
        array.sync()
        assert array.get().tolist() == [3, 1, 7, -2]
        array.sync()


def test_records_as_numpy(job):
    """A tuple is one record, and a list of them is as long as it is."""
    kind = np.dtype([("number", "i4"), ("name", "S3")])
    with armci.zeros(4, kind) as array:
        if job.rank == 0:
            expected = np.zeros(4, kind)
            for here in (expected, array):
                here[1] = (3, b"abc")
                here[2:] = [(1, b"x"), (2, b"y")]
                here[0] = here[1]
            assert array.get().tolist() == expected.tolist()
            with pytest.raises(ValueError):
                array[0:3] = [(1, b"x"), (2, b"y")]
        array.sync()


def test_put_of_what_overlaps_the_own_block(job):
    with armci.zeros(100 * job.size, "i8", blocks=job.size) as array:
        array.local[...] = np.arange(100)
        mine = slice(100 * job.rank + 1, 100 * job.rank + 100)
        array[mine] = array.local[:-1]
        assert array.local.tolist() == [0, *range(99)]
        array.get(mine, out=array.local[:-1])
        assert array.local.tolist() == [*range(99), 98]
        array.local[...] = np.arange(100)
        array.accumulate(mine, array.local[:-1])
        assert array.local.tolist() == [0, *range(1, 199, 2)]
        array.sync()


def test_accumulate_by_one_scale_after_another(job):
    with armci.zeros(4, "i8", blocks=1) as array:
        if job.rank == 0:
            one = np.ones(4, "i8")
            for scale in (2, 2, 300, 300, np.int64(5), np.int64(5), True, -1):
                array.accumulate(..., one, scale)
                array.accumulate_async(..., one, scale).wait()
            for scale in (None, 0.5, [2]):
                with pytest.raises((TypeError, ValueError)):
                    array.accumulate(..., one, scale)
            assert (array[...] == 2 * (2 + 2 + 300 + 300 + 5 + 5 + 1 - 1)).all()
        array.sync()


def test_accumulate_of_all_ranks(job):
    with armci.zeros((5, 7), "f8") as array:
        for _ in range(10):
            array.accumulate((slice(1, 5, 2), ...), np.arange(7.0), scale=-2)
        array.sync()
        expected = np.zeros((5, 7))
        expected[1::2] = -20.0 * job.size * np.arange(7)
        np.testing.assert_array_equal(array.get(), expected)
        array.sync()


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_fetch_add_and_swap(job, dtype):
    with armci.zeros((3, 2), dtype) as array:
        taken = [array.fetch_add((2, 1)) for _ in range(50)]
        assert taken == sorted(taken)
        array.sync()
        assert array[2, 1] == 50 * job.size
        assert array.get().sum() == 50 * job.size
        array.sync()
        if job.rank == 0:
            assert array.fetch_add((-1, -1), -1) == 50 * job.size
            largest = int(np.iinfo(dtype).max)
            assert array.swap((0, 0), largest) == 0
            assert array.swap((0, 0), 5) == largest
        array.sync()


def test_futures(job):
    n = 200_000
    with armci.zeros((job.size, n), "f8", blocks=(job.size, 1)) as array:
        right = (job.rank + 1) % job.size
        futures = [
            array.put_async((right, slice(i, None, 4)), np.full(n // 4, i)) for i in range(4)
        ]
        for future in futures:
            future.wait()
        array.sync()
        dropped = [array.get_async(...) for _ in range(3)]
        del dropped  # the library writes to the buffers yet
        got = array.get_async(right)
        while not got.done():
            pass
        np.testing.assert_array_equal(got.result(), np.tile(np.arange(4.0), n // 4))
        element = array.get_async((right, 5)).result()
        assert type(element) is np.float64 and element == 1
        out = np.zeros(())
        assert array.get((right, 5), out=out) is out
        out[...] = 0
        assert array.get_async((right, 5), out=out).result() is out and out == 1
        out = np.zeros((2, n))[1]
        assert array.get_async(right, out=out).result() is out
        assert out.sum() == n // 4 * 6
        array.accumulate_async((right, slice(0, 2)), [1.0, 1.0]).wait()
        array.sync()
        assert array.local[0, :2].tolist() == [1.0, 2.0]
        array.sync()


class Interrupted:
    """The core of an array, where the user interrupts each transfer as soon as it has started."""

    def __init__(self, core):
        self._core = core

    def __getattr__(self, name):
        method = getattr(self._core, name)

        def interrupted(*arguments):
            result = method(*arguments)
            if result is True:
                raise KeyboardInterrupt
            return result

        return interrupted


def test_buffers_stay_after_an_interrupt(job):
    with armci.zeros((job.size, 4), blocks=(job.size, 1)) as array:
        core = array._core
        values = np.ones(4)
        for call in (
            lambda: array.put_async(0, values),
            lambda: array.put_async(0, [1, 1, 1, 1]),
            lambda: array.accumulate_async(0, values),
            lambda: array.accumulate_async(0, [1, 1, 1, 1]),
            lambda: array.get_async(0),
        ):
            drain(wait=True)
            array._core = Interrupted(core)
            try:
                call()
            except KeyboardInterrupt:
                pass
            array._core = core
            (buffers,) = _abandoned.values()
            assert buffers.shape == (4,)
        drain(wait=True)
        assert not _abandoned
        array.sync()


def test_buffers_stay_while_a_thread_may_not_test(job):
    class Handle:
        def test(self):
            if is_refused:
                raise armci.Error("only the thread that has called armci.init() may call")
            return True

    drain(wait=True)
    is_refused = True
    future = armci.Future(None)
    future._handle = Handle()
    future._buffers = values = np.ones(4)
    del future
    for _ in range(2):
        with pytest.raises(armci.Error):
            drain()
        assert [buffers is values for buffers in _abandoned.values()] == [True]
    is_refused = False
    drain()
    assert not _abandoned
