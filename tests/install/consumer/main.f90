! SPDX-License-Identifier: BSD-3-Clause
program main
    use mpi
    use, intrinsic :: iso_c_binding, only: c_int
    implicit none

    interface
        integer(c_int) function ring_exchange() bind(c)
            import :: c_int
        end function
    end interface

    integer :: error
    integer(c_int) :: failed

    call MPI_Init(error)
    failed = ring_exchange()
    call MPI_Finalize(error)
    if (failed /= 0) stop 1
end program
