! SPDX-License-Identifier: BSD-3-Clause
!> Makes the mistake that its argument names, which must end the job.
program mistakes
    use, intrinsic :: iso_c_binding
    use mpi
    use armci
    implicit none
    type(c_ptr) :: base(1)
    character(32) :: which
    integer :: ierr
    integer(c_int16_t) :: short(4)
    real(c_double) :: numbers(4)
    character(:), allocatable :: long
    real(c_double), allocatable :: unallocated(:)
    type(armci_group) :: group
    call get_command_argument(1, which)
    call MPI_Init(ierr)
    ierr = armci_init()
    ierr = armci_malloc(base, 64_c_int64_t)
    numbers = 0
    short = 0
    select case (which)
    case ("element_type")
        call armci_acc(1_c_int16_t, short, base(1), 0)
    case ("type_of_scale")
        call armci_acc(1.0_c_float, numbers, base(1), 0)
    case ("scale_is_array")
        call armci_acc(numbers, numbers, base(1), 0)
    case ("unknown_size")
        call pass_on(numbers)
    case ("increment")
        ierr = int(armci_fetch_add(base(1), 2_c_int64_t**33, 0))
    case ("long_element")
        allocate (character(2_c_int64_t**31) :: long)
        call armci_put(long, base(1), 0)
    case ("not_allocated")
        call armci_put(unallocated, base(1), 0)
    case ("no_domain")
        if (armci_same_node(1)) continue
    case ("no_rank")
        call armci_put(numbers, base(1), 1) ! the call
    case ("polymorphic")
        call pass_on_any(numbers)
    case ("no_group")
        ierr = armci_group_size(group)
    end select

contains

    subroutine pass_on(array)
        real(c_double), intent(in) :: array(*)
        call armci_put(array, base(1), 0)
    end subroutine pass_on

    subroutine pass_on_any(array)
        class(*), intent(in) :: array(:)
        call armci_put(array, base(1), 0)
    end subroutine pass_on_any
end program mistakes
