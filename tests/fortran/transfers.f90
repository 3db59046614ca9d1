! SPDX-License-Identifier: BSD-3-Clause
!> Every name of the Fortran module on several ranks: each puts to, gets from and adds to the next.
program transfers
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, error_unit
    use mpi
    use armci
    implicit none

    integer, parameter :: rows = 6, columns = 5
    integer :: me, ranks, right, ierr
    type(c_ptr), allocatable :: base(:)
    real(real64), pointer :: own(:, :)

    call MPI_Init(ierr)
    if (armci_init() /= 0) call armci_error("armci_init failed", 1)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    right = mod(me + 1, ranks)
    call check(armci_initialized() == 1, "armci_initialized")

    allocate (base(0:ranks - 1))
    call check(armci_malloc(base, int(rows * columns * 8, c_int64_t)) == 0, "armci_malloc")
    call c_f_pointer(base(me), own, [rows, columns])

    call whole_arrays()
    call sections()
    call remote_sections()
    call types_of_accumulate()
    call without_waiting()
    call counters()
    call exclusion()
    call notifications()
    call groups()

    call armci_barrier()
    call check(armci_free(base(me)) == 0, "armci_free")
    call check(armci_finalize() == 0, "armci_finalize")
    call MPI_Finalize(ierr)

contains

    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        if (.not. holds) then
            write (error_unit, '(a, i0, 2a)') "rank ", me, ": wrong: ", what
            call armci_error("the test fails", 2)
        end if
    end subroutine check

    !> A number that is another one for each element and rank.
    elemental real(real64) function value_of(rank, row, column)
        integer, intent(in) :: rank, row, column
        value_of = 1000 * rank + 10 * row + column
    end function value_of

    subroutine clear()
        call armci_barrier()  ! others may still read
        own = 0
        call armci_barrier()
    end subroutine clear

    subroutine whole_arrays()
        real(real64) :: sent(rows, columns), received(rows, columns), scalar
        integer :: i, j
        sent = reshape([((value_of(me, i, j), i=1, rows), j=1, columns)], [rows, columns])
        call clear()
        call armci_put(sent, base(right), right)
        call armci_barrier()
        call check(all(own == sent + 1000 * (modulo(me - 1, ranks) - me)), "put of an array")
        call armci_get(received, base(right), right)
        call check(all(received == sent), "get of an array")
        scalar = -1
        call armci_get(scalar, armci_at(base(right), int(8 * (rows + 2), c_int64_t)), right)
        call check(scalar == sent(3, 2), "get of a scalar, armci_at")
        call armci_put(sent(:, 1:0), base(right), right)
        call armci_fence(right)
        call armci_all_fence()
    end subroutine whole_arrays

    !> Local sections with steps, also backwards, and a dimension that is left out.
    subroutine sections()
        real(real64) :: sent(2 * rows, 3, 2 * columns), received(rows, columns)
        real(real64), pointer :: empty(:, :)
        sent = -1
        sent(2 * rows:1:-2, 2, 1:2 * columns:2) = value_of(me, spread([1, 2, 3, 4, 5, 6], 2, columns), &
            spread([1, 2, 3, 4, 5], 1, rows))
        call clear()
        call armci_put(sent(2 * rows:1:-2, 2, 1:2 * columns:2), base(right), right)
        call armci_get(received, base(right), right)
        call check(all(received == sent(2 * rows:1:-2, 2, 1:2 * columns:2)), "put of a section")
        sent = -1
        call armci_get(sent(1:2 * rows:2, 3, columns:1:-1), base(right), right)
        call check(all(sent(1:2 * rows:2, 3, columns:1:-1) == received), "get into a section")
        call check(count(sent /= -1) == rows * columns, "get touches the section only")
        call c_f_pointer(c_null_ptr, empty, [0, columns])
        call armci_put(empty, base(right), right) ! transfers nothing
    end subroutine sections

    !> Rows 2 and 4 of columns 1, 3 and 5 at the remote side.
    subroutine remote_sections()
        real(real64) :: sent(2, 3), received(2, 3)
        integer(c_ptrdiff_t) :: strides(2)
        type(c_ptr) :: first
        strides = [16, 16 * rows]
        sent = reshape([1, 2, 3, 4, 5, 6], [2, 3]) + 100 * me
        call clear()
        first = armci_at(base(right), 8_c_int64_t)
        call armci_put(sent, first, strides, right)
        call armci_acc(2.0_real64, sent, first, strides, right)
        call armci_get(received, first, strides, right)
        call check(all(received == 3 * sent), "put, acc and get with remote strides")
        call armci_barrier()
        call check(count(own /= 0) == 6, "put touches the remote section only")
        call check(all(own(2:4:2, 1:5:2) == 3 * (sent + 100 * (modulo(me - 1, ranks) - me))), &
            "the remote section")
    end subroutine remote_sections

    subroutine types_of_accumulate()
        integer(int32) :: i4(3)
        integer(int64) :: i8(3)
        real(real32) :: r4(3)
        complex(real32) :: c4(3)
        complex(real64) :: c8(3), sum8(3)
        i4 = [1, 2, 3]
        i8 = i4
        r4 = i4
        c4 = cmplx(i4, -i4)
        c8 = cmplx(i4, -i4, real64)
        call clear()
        call armci_acc(3_int32, i4, base(right), right)
        call armci_acc(3_int32, i4, base(right), right)
        call armci_get(i4, base(right), right)
        call check(all(i4 == [6, 12, 18]), "accumulate of int32")
        call clear()
        call armci_acc(3_int64, i8, base(right), right)
        call armci_get(i8, base(right), right)
        call check(all(i8 == [3, 6, 9]), "accumulate of int64")
        call clear()
        call armci_acc(0.5_real32, r4, base(right), right)
        call armci_get(r4, base(right), right)
        call check(all(r4 == [0.5, 1.0, 1.5]), "accumulate of real32")
        call clear()
        call armci_acc((0.0_real32, 1.0_real32), c4, base(right), right)
        call armci_get(c4, base(right), right)
        call check(all(c4 == cmplx([1, 2, 3], [1, 2, 3])), "accumulate of complex")
        call clear()
        call armci_acc((0.0_real64, 1.0_real64), c8(3:1:-1), base(right), right)
        call armci_get(sum8, base(right), right)
        call check(all(sum8 == cmplx([3, 2, 1], [3, 2, 1], real64)), "accumulate of double complex")
    end subroutine types_of_accumulate

    subroutine without_waiting()
        real(real64), asynchronous :: sent(rows, columns), received(rows, columns)
        type(armci_handle) :: handle, other
        sent = me + 1
        call clear()
        call armci_nb_put(sent, base(right), right, handle)
        call armci_wait(handle)
        call armci_nb_acc(1.0_real64, sent, base(right), right, other)
        do while (.not. armci_test(other))
        end do
        call armci_fence(right)
        call armci_init_handle(handle)
        call armci_nb_get(received, base(right), right, handle)
        call armci_wait_proc(right)
        call armci_wait(handle)
        call check(all(received == 2 * (me + 1)), "put, acc and get without waiting")
        received = 0
        call armci_nb_get(received(1:2, :), base(right), [8_c_ptrdiff_t, int(8 * rows, c_ptrdiff_t)], &
            right, handle)
        call armci_wait_all()
        call check(all(received(1:2, :) == 2 * (me + 1)) .and. all(received(3:, :) == 0), &
            "get with strides without waiting")
    end subroutine without_waiting

    subroutine counters()
        integer(int64) :: last8
        integer(int32) :: last4
        integer :: i
        call clear()
        do i = 1, 10
            last4 = armci_fetch_add(base(0), 2_int32, 0)
            last8 = armci_fetch_add(armci_at(base(0), 8_c_int64_t), 3_int64, 0)
        end do
        call check(mod(last4, 2) == 0 .and. mod(last8, 3_int64) == 0, "fetch and add")
        call armci_barrier()
        call armci_get(last4, base(0), 0)
        call armci_get(last8, armci_at(base(0), 8_c_int64_t), 0)
        call check(last4 == 20 * ranks .and. last8 == 30 * ranks, "sums of fetch and add")
        call armci_barrier()
        if (me == 0) then
            call check(armci_swap(base(right), 7_int32, right) == merge(20 * ranks, 0, right == 0), &
                "swap of int32")
            call check(armci_swap(armci_at(base(right), 16_c_int64_t), 2_int64**40, right) == 0, &
                "swap of int64")
            call check(armci_swap(armci_at(base(right), 16_c_int64_t), 1_int64, right) == 2_int64**40, &
                "swap of int64, twice")
        end if
    end subroutine counters

    subroutine exclusion()
        real(real64) :: sum
        integer :: i
        call clear()
        call check(armci_create_mutexes(merge(1, 0, me == 0)) == 0, "armci_create_mutexes")
        do i = 1, 20
            call armci_lock(0, 0)
            call armci_get(sum, base(0), 0)
            call armci_put(sum + 1, base(0), 0)
            call armci_fence(0)
            call armci_unlock(0, 0)
        end do
        call armci_barrier()
        call armci_get(sum, base(0), 0)
        call check(sum == 20 * ranks, "sum under a mutex")
        call check(armci_destroy_mutexes() == 0, "armci_destroy_mutexes")
    end subroutine exclusion

    subroutine notifications()
        real(real64) :: sent
        integer(c_int) :: count
        sent = 5
        call clear()
        call armci_put(sent, base(right), right)
        count = armci_notify(right)
        call check(armci_notify_wait(modulo(me - 1, ranks)) == count, "armci_notify_wait")
        call check(own(1, 1) == 5, "a put before a notification")
    end subroutine notifications

    !> Even and odd ranks.
    subroutine groups()
        type(armci_group) :: group, world
        type(c_ptr), allocatable :: part(:)
        integer :: i, size, rank, next
        real(real64) :: received
        real(real64), pointer :: mine
        call armci_barrier()
        world = armci_group_world()
        call check(armci_group_size(world) == ranks .and. armci_group_rank(world) == me, "the world")
        group = armci_group_create([(i, i=mod(me, 2), ranks - 1, 2)])
        size = armci_group_size(group)
        rank = armci_group_rank(group)
        call check(rank == me / 2 .and. armci_absolute_id(group, rank) == me, "armci_absolute_id")
        allocate (part(0:size - 1))
        call check(armci_malloc(part, 8_c_int64_t, group) == 0, "armci_malloc of a group")
        call c_f_pointer(part(rank), mine)
        mine = me
        call armci_group_fence(group)
        call MPI_Barrier(armci_group_comm(group), ierr)
        next = mod(rank + 1, size)
        call armci_get(received, part(next), armci_absolute_id(group, next))
        call check(received == armci_absolute_id(group, next), "get in a group")
        call MPI_Barrier(armci_group_comm(group), ierr)
        call check(armci_free(part(rank), group) == 0, "armci_free of a group")
        call armci_group_free(group)
        call check(armci_same_node(me), "armci_same_node")
    end subroutine groups

end program transfers
