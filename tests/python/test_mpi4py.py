# SPDX-License-Identifier: BSD-3-Clause
"""Communicators of mpi4py, where it is installed: of the same MPI, or of another, an error."""

import numpy as np
import pytest

import armci

mpi4py = pytest.importorskip("mpi4py")
# armci has started MPI; another MPI must not be started beside it.
mpi4py.rc(initialize=False, finalize=False)
from mpi4py import MPI  # noqa: E402

IS_SAME = MPI.Get_library_version().split("\n")[0].rstrip("\0") == armci.mpi_version()


@pytest.mark.skipif(not IS_SAME, reason="mpi4py has another MPI")
def test_array_on_a_communicator(job):
    comm = MPI.COMM_WORLD.Split(job.rank % 2, -job.rank)
    with armci.zeros(comm.size, "i8", group=comm) as array:
        assert array.group.rank == comm.rank
        array.accumulate(..., np.arange(comm.size))
        array.sync()
        assert array.get().tolist() == (comm.size * np.arange(comm.size)).tolist()
        array.sync()
    with armci.zeros(comm.size, group=comm) as other:
        assert other.group is array.group
    assert armci.Group.from_comm(comm).ranks == array.group.ranks
    # Who frees the group gets another one for the same communicator.
    array.group.free()
    with armci.full(comm.size, 1, group=comm) as other:
        assert other.group is not array.group
        assert other.get().tolist() == [1] * comm.size
        other.sync()
    with pytest.raises(ValueError, match="COMM_NULL"):
        armci.zeros(3, group=MPI.COMM_NULL)
    comm.Free()


@pytest.mark.skipif(not IS_SAME, reason="mpi4py has another MPI")
def test_group_while_the_library_is_down(job):
    armci.finalize()
    with pytest.raises(armci.Error, match="call armci.init"):
        armci.Group.from_comm(MPI.COMM_WORLD)
    armci.init()


@pytest.mark.skipif(IS_SAME, reason="mpi4py has the same MPI")
def test_another_mpi_is_refused(job):
    with pytest.raises(armci.Error, match="different MPIs"):
        armci.zeros(3, group=MPI.COMM_SELF)
