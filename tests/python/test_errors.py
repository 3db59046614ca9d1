# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes are exceptions, of the types that NumPy uses, and the job goes on."""

import signal
import threading

import numpy as np
import pytest

import armci


@pytest.fixture
def array(job):
    with armci.zeros((4, 6), "i4") as array:
        yield array
        array.sync()
        assert (array.get() == 0).all()
        array.sync()


@pytest.mark.parametrize(
    "index",
    [
        4,
        -5,
        (0, 6),
        (0, 0, 0),
        (..., ...),
        None,
        [0, 1],
        np.array([True] * 4),
        True,
        1.0,
        "a",
        2**70,
        (0, None),
    ],
    ids=repr,
)
def test_index(array, index):
    for call in (
        lambda: array[index],
        lambda: array.put(index, 1),
        lambda: array.accumulate(index, 1),
    ):
        with pytest.raises(IndexError):
            call()


def test_index_errors_name_the_rank(array):
    for call in (lambda: array[4], lambda: array[None], lambda: array.fetch_add(0)):
        with pytest.raises(IndexError, match=rf"\(rank {armci.rank()}\)$"):
            call()


@pytest.mark.parametrize("index", [slice(0, 2, 0), slice("a"), slice(1.5)], ids=repr)
def test_slice_fails_as_that_of_numpy(array, index):
    with pytest.raises((ValueError, TypeError)) as expected:
        np.zeros((4, 6))[index]
    with pytest.raises(type(expected.value)):
        array[index]


@pytest.mark.parametrize(
    "value", [np.zeros(5), np.zeros((2, 4, 6)), [1, 2], np.zeros(0)], ids=lambda v: str(np.shape(v))
)
def test_shape_of_value(array, value):
    with pytest.raises(ValueError, match="could not broadcast"):
        array[...] = value
    with pytest.raises(ValueError):
        np.zeros((4, 6))[...] = value


@pytest.mark.parametrize("rank", [-1, 10**6, 2**70, -(2**70), np.int64(10**6)])
def test_fence_of_a_rank_that_is_not_there(array, rank):
    with pytest.raises(ValueError, match="is not among the"):
        array.fence(rank)
    with pytest.raises(TypeError):
        array.fence(0.0)
    array.fence(np.int64(0))


def test_values_that_cannot_be_converted(array):
    with pytest.raises((ValueError, TypeError)):
        array[0, 0] = "word"
    with pytest.raises(TypeError):
        array.accumulate((0, 0), 1.5)
    with pytest.raises(TypeError):
        array.accumulate((0, 0), 1, scale=0.5)
    with pytest.raises(ValueError, match="one number"):
        array.accumulate((0, 0), 1, scale=[1, 2])


def test_out(array):
    with pytest.raises(TypeError, match="int32"):
        array.get(0, out=np.zeros(6))
    with pytest.raises(ValueError, match="shape"):
        array.get(0, out=np.zeros(5, "i4"))
    read_only = np.zeros(6, "i4")
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        array.get_async(0, out=read_only)
    with pytest.raises(ValueError, match="use get, which copies"):
        array.get_async(0, out=np.zeros((6, 2), "i4")[:, 0])
    if array.local.size > 0:
        own = tuple(slice(s.start, s.start + 1) for s in array.distribution())
        with pytest.raises(ValueError, match="own block"):
            array.get_async(own, out=array.local[:1, :1])


def test_elements(array):
    for call in (array.fetch_add, array.owner):
        with pytest.raises(IndexError, match="one element is needed here: give 2 integers"):
            call(0)
    with pytest.raises(OverflowError):
        array.fetch_add((0, 0), 2**31)
    for value in (2**31, -(2**31) - 1):
        with pytest.raises(OverflowError, match="does not fit in int32"):
            array.swap((0, 0), value)
    with pytest.raises(TypeError):
        array.fetch_add((0, 0), 0.5)


@pytest.mark.parametrize("rank", [-1, 1000])
def test_rank(array, rank):
    for call in (
        array.distribution,
        array.fence,
        armci.fence,
        armci.node,
        armci.route,
        lambda r: armci.Group([r]),
    ):
        with pytest.raises(ValueError, match="ranks 0 to"):
            call(rank)


def test_types(job):
    with armci.zeros(3, "f2") as array:
        with pytest.raises(TypeError, match="float16"):
            array.accumulate(0, 1)
        with pytest.raises(TypeError, match="float16"):
            array.fetch_add(0)
    for dtype in (object, "V0", "S0", np.dtype("2f8")):
        with pytest.raises(TypeError, match="fixed size"):
            armci.Array(3, dtype)


@pytest.mark.parametrize(
    "arguments",
    [
        {"shape": ()},
        {"shape": -1},
        {"shape": (1,) * 17},
        {"shape": (2**40, 2**40)},
        {"shape": 3, "blocks": (1, 1)},
        {"shape": 3, "blocks": 0},
        {"shape": 3, "blocks": 1000},
    ],
    ids=str,
)
def test_arguments_of_arrays(job, arguments):
    with pytest.raises(ValueError):
        armci.Array(**arguments)


def test_group_arguments(job):
    for ranks in ([], [0, 0]):
        with pytest.raises(ValueError):
            armci.Group(ranks)
    with pytest.raises(TypeError, match="mpi4py"):
        armci.zeros(3, group="world")


def test_ranks_that_disagree(job):
    if job.size > 1:
        with pytest.raises(ValueError, match="different shapes"):
            armci.Array(3 + job.rank)


def test_too_much_memory(job):
    with pytest.raises(MemoryError, match="not enough memory"):
        armci.Array(2**50, "u1")
    armci.zeros(10).free()


def test_freed_array(job):
    array = armci.zeros(3)
    array.free()
    for call in (
        array.get,
        array.sync,
        array.fence,
        array.free,
        lambda: array.local,
        lambda: array.put(0, 1),
    ):
        with pytest.raises(armci.Error, match="has been freed"):
            call()
    assert "freed" in repr(array)


def test_exception_in_with_leaves_the_array(job):
    if job.size > 1:
        with pytest.raises(KeyError), armci.zeros(3) as array:
            raise KeyError
        assert not array.is_freed
        array.free()


@pytest.mark.parametrize("kind", ["job", "group", "mutexes"])
def test_exception_in_with_is_not_replaced(job, kind):
    """On one rank `with` also frees after an exception, where that is possible."""
    if job.size > 1:
        return
    group = armci.Group([0])
    array = armci.zeros(3, group=group)
    mutexes = armci.Mutexes()
    mutexes.lock(0)
    view = array.local
    with pytest.raises(KeyError), {"job": job, "group": group, "mutexes": mutexes}[kind]:
        raise KeyError
    assert (view == 0).all() and armci.init() is job
    mutexes.unlock(0)
    mutexes.free()
    array.free()
    del view
    armci.zeros(1, group=group).free()
    group.free()
    with pytest.raises(KeyError), job:
        raise KeyError
    assert not armci.is_initialized()
    armci.init()


def test_other_threads_run_while_a_call_waits(job):
    """Rank 0 waits for the others in sync; they come when its other thread has told them."""
    with armci.zeros(1, "i8", blocks=1) as flag:
        if job.rank == 0:
            reached = threading.Event()
            helper = threading.Thread(target=lambda: (reached.wait(), flag.put(0, 1), flag.fence()))
            helper.start()
            reached.set()
            flag.sync()
            helper.join()
        else:
            while flag[0] == 0:
                pass
            flag.sync()
        flag.sync()


def test_an_interrupt_is_an_exception():
    """The libraries that the package loads leave that to Python."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        pytest.skip("whoever has started this ignores SIGINT")
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_calls_of_the_module(array):
    """The transfers' calls check what pybind11 checks elsewhere."""
    core = array._core
    for call, needed in ((core.put, 3), (core.get, 3), (core.get_new, 1), (core.fence, 1)):
        with pytest.raises(TypeError, match=f"takes {needed} arguments, not 2"):
            call(0, 0)
    with pytest.raises(TypeError, match="takes 5 arguments, not 0"):
        core.accumulate()
    with pytest.raises(TypeError, match="descriptor 'put'"):
        type(core).put(array, 0, 0, None)
    with pytest.raises(TypeError, match="made by allocate"):
        type(core).__new__(type(core)).get_new(0)
