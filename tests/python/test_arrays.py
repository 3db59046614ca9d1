# SPDX-License-Identifier: BSD-3-Clause
"""Distribution, own blocks, memory, groups, mutexes and the order of ranks."""

import gc

import numpy as np
import pytest

import armci


@pytest.mark.parametrize("shape", [(10,), (3, 11), (1, 1, 40), (0, 4)])
def test_distribution_covers_each_element_once(job, shape):
    with armci.Array(shape, "u1") as array:
        owners = np.full(shape, -1)
        for rank in range(job.size):
            block = array.distribution(rank)
            assert (owners[block] == -1).all()
            owners[block] = rank
        assert (owners >= 0).all()
        for element in np.ndindex(*shape):
            assert array.owner(element) == owners[element]
        assert array.local.shape == owners[array.distribution()].shape


def test_blocks(job):
    with armci.Array((7, job.size), blocks=(1, job.size)) as array:
        assert array.blocks == (1, job.size)
        assert array.distribution() == (slice(0, 7), slice(job.rank, job.rank + 1))
    with armci.Array(9, blocks=1) as array:
        assert array.local.shape == ((9,) if job.rank == 0 else (0,))
    with armci.Array((64, 64)) as array:
        assert np.prod(array.blocks) == job.size


def test_what_numpy_functions_do(job):
    with armci.full((2, 3), 4) as array:
        assert (array.shape, array.ndim, array.size, array.nbytes, len(array)) == (
            (2, 3),
            2,
            6,
            48,
            2,
        )
        assert array.dtype == np.int64
        assert np.asarray(array, dtype="f4").tolist() == [[4.0] * 3] * 2
        assert [row.tolist() for row in array] == [[4] * 3] * 2
        with pytest.raises(TypeError):
            array + np.ones(3)
        with pytest.raises(TypeError):
            np.add(array, 1)
        array.sync()


# More ranks than elements, and blocks of different sizes.
@pytest.mark.parametrize("shape", [(7, 3), (2, 3), (0, 3)], ids=str)
@pytest.mark.parametrize(
    "value", [2, [1, 2, 3], [[[4, 5, 6]]], np.arange(3.0), [[2.5]]], ids=lambda value: str(value)
)
def test_fill_broadcasts_to_the_whole_array(job, shape, value):
    expected = np.full(shape, value, "i4")
    for blocks in (None, (job.size, 1), (1, job.size)):
        with armci.full(shape, value, "i4", blocks) as array:
            assert (array.get() == expected).all()
            array.fill(np.arange(expected.size).reshape(shape))
            assert (array.get() == np.arange(expected.size).reshape(shape)).all()
            array.fill(value)
            assert (array.get() == expected).all()
            array.sync()


def test_fill_refuses_other_shapes(job):
    storages = len(armci.init().storages)
    for value in ([1, 2], np.zeros((1, 4)), np.zeros(0)):
        with pytest.raises(ValueError, match="could not broadcast"):
            armci.full((4, 3), value)
    assert len(armci.init().storages) == storages
    with armci.zeros((4, 3), blocks=(1, 1)) as array:
        # As large as the block of a rank without elements, or of that with all.
        for value in (np.zeros(0), np.zeros((0, 0)), np.zeros((2, 4, 3))):
            with pytest.raises(ValueError, match="could not broadcast"):
                array.fill(value)
        array.sync()


def test_local_is_the_memory_itself(job):
    with armci.zeros(4 * job.size, "i4", blocks=job.size) as array:
        assert array.local is array.local
        left = (job.rank - 1) % job.size
        array[4 * left + 1] = job.rank
        array.sync()
        assert array.local[1] == (job.rank + 1) % job.size
        array.local[2] = 7
        array.sync()
        assert array[4 * left + 2] == 7
        array.sync()


def test_memory_stays_while_a_rank_looks_at_it(job):
    with armci.zeros(1000 * job.size, "i8", blocks=job.size) as array:
        part = array.local[10:20] if job.rank == 0 else None
    assert array.is_freed
    with armci.full(1000 * job.size, 5, blocks=job.size) as other:
        if part is not None:
            assert (part == 0).all()
            part[:] = 1
        other.sync()
        assert (other.local == 5).all()
    del part
    armci.zeros(1).free()  # reclaims it
    assert array._storage not in armci.init().storages


def test_memory_is_used_again(job):
    for _ in range(20):
        with armci.zeros((job.size, 1 << 16), "f8", blocks=(job.size, 1)) as array:
            block = array.local  # shows the array before while the next one is made
            block[:] = 1
    assert len([s for s in armci.init().storages if s.core.is_released]) <= 2


def test_arrays_that_are_forgotten_stay(job):
    armci.zeros(10)
    gc.collect()
    assert not armci.init().storages[-1].core.is_released


def test_groups(job):
    half = range(0, job.size, 2)
    group = armci.Group(half)
    assert group.ranks == tuple(half) and group.size == len(half)
    if job.rank in half:
        assert group.rank == job.rank // 2
        with armci.zeros((group.size, 3), "i8", blocks=(group.size, 1), group=group) as array:
            array[(group.rank + 1) % group.size] = group.rank
            array.sync()
            assert (array.local == (group.rank - 1) % group.size).all()
            assert array.owner((group.size - 1, 0)) == group.size - 1
            array.fence(0)
            array.sync()
        group.free()
    else:
        assert group.rank == -1
        with pytest.raises(armci.Error, match="not a member"):
            armci.zeros(3, group=group)


def test_a_group_goes_after_its_arrays(job):
    group = armci.Group(range(job.size))
    array = armci.zeros(job.size, "i8", group=group)
    array.accumulate(..., 1)
    array.sync()
    assert (array.get() == job.size).all()
    array.sync()
    with pytest.raises(armci.Error, match="has arrays"):
        group.free()
    array.free()
    group.free()
    with pytest.raises(armci.Error, match="has been freed"):
        armci.zeros(1, group=group)


def test_mutexes(job):
    with armci.Mutexes(2 if job.rank == 0 else 0) as mutexes, armci.zeros(
        2, "i8", blocks=1
    ) as array:
        for _ in range(20):
            with mutexes.held(0, 1):
                array[1] = array[1] + 1
        array.sync()
        assert array[1] == 20 * job.size
        if job.size > 1:
            with pytest.raises(ValueError, match="has 0 mutexes"):
                mutexes.lock(1)
        array.sync()
        if job.rank == 0:
            assert mutexes.try_lock(0)
            with pytest.raises(armci.Error, match="holds mutex 0 of rank 0 already"):
                mutexes.lock(0)
        array.sync()
        if job.rank == job.size - 1 and job.size > 1:
            assert not mutexes.try_lock(0)
            with pytest.raises(armci.Error, match="does not hold"):
                mutexes.unlock(0)
        array.sync()
        if job.rank == 0:
            with pytest.raises(armci.Error, match="holds"):
                mutexes.free()
            mutexes.unlock(0)


def test_fence_and_sync_of_the_job(job):
    with armci.zeros(job.size, "i8", blocks=job.size) as array:
        right = (job.rank + 1) % job.size
        array[right] = 1
        armci.fence(right)
        armci.fence()
        array.fence()
        armci.sync()
        assert array.local[0] == 1
        assert armci.node_count() == len({armci.node(rank) for rank in range(job.size)})
        assert armci.route(job.rank) == "local"
        assert armci.provider()
        array.sync()


def test_init_again(job):
    assert armci.init() is job
    with pytest.raises(armci.Error, match="up already"):
        armci.init(comm=object())
    array = armci.zeros(3)
    view = array.local if job.rank == 0 else None
    with pytest.raises(BufferError):
        armci.finalize()
    del view
    armci.finalize()
    assert not armci.is_initialized()
    with pytest.raises(armci.Error, match="call armci.init"):
        armci.zeros(3)
    with pytest.raises(armci.Error, match="call armci.init"):
        armci._core.ranks_of(0)  # of Group.from_comm
    with armci.init() as again:
        with pytest.raises(armci.Error, match="earlier armci.init"):
            array.get()
        assert again.size == job.size
        armci.full(2, 1.5).free()
    armci.init()
