! SPDX-License-Identifier: BSD-3-Clause
!> Each rank has some rows of a matrix. All add the sums of their columns to one vector on rank 0,
!> and none waits for another.
!>
!>     mpifort column_sums.f90 $(pkg-config --cflags --libs armci-fortran) -o column_sums
!>     mpiexec -n 4 ./column_sums
program column_sums
    use, intrinsic :: iso_c_binding, only: c_ptr, c_double, c_int64_t, c_f_pointer
    use mpi
    use armci
    implicit none

    integer, parameter :: rows = 100, columns = 8
    real(c_double) :: matrix(rows, columns)
    real(c_double), pointer :: sums(:)
    type(c_ptr), allocatable :: base(:)
    integer :: me, ranks, ierr, i, j
    logical :: is_right

    call MPI_Init(ierr)
    ierr = armci_init()
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    matrix = reshape([((real(me * rows + i + j, c_double), i=1, rows), j=1, columns)], [rows, columns])

    ! Only rank 0 has memory for the sums.
    allocate (base(0:ranks - 1))
    if (armci_malloc(base, merge(8_c_int64_t * columns, 0_c_int64_t, me == 0)) /= 0) then
        call armci_error("no memory for the sums", 1)
    end if
    if (me == 0) then
        call c_f_pointer(base(0), sums, [columns])
        sums = 0
    end if
    call armci_barrier()

    call armci_acc(1.0_c_double, sum(matrix, dim=1), base(0), 0)
    call armci_barrier()

    is_right = .true.
    if (me == 0) then
        is_right = all(sums == [(rows * ranks * (rows * ranks + 1) / 2.0d0 + rows * ranks * j, &
            j=1, columns)])
        print '(a, *(f10.0))', "sums of columns:", sums
    end if
    ierr = armci_free(base(me))
    ierr = armci_finalize()
    call MPI_Finalize(ierr)
    if (.not. is_right) error stop "the sums are wrong"
end program column_sums
