! SPDX-License-Identifier: BSD-3-Clause
!> Fortran interface of ARMCI. Every name does what the C function of that name does; include/armci.h
!> has its contract. The local side of a transfer is an array of any type and rank, or a section of
!> one, and needs no copy. The remote side is an address that armci_malloc has given.
!>
!> Ranks are numbered from 0. Sizes and strides are in bytes. Errors end the job with a message.
module armci
    use, intrinsic :: iso_c_binding, only: c_ptr, c_int, c_int32_t, c_int64_t, c_long, c_ptrdiff_t, &
        c_size_t, c_char, c_null_char, c_null_ptr, c_intptr_t
    implicit none
    private

    !> Non-blocking operations that a program waits for together. A new one is idle.
    type, bind(c), public :: armci_handle
        private
        integer(c_int) :: target = 0
        integer(c_int) :: aggregate = 0
    end type armci_handle

    !> A group of processes. Copies name the same group.
    type, public :: armci_group
        private
        type(c_ptr) :: group = c_null_ptr
    end type armci_group

    public :: armci_init, armci_init_thread, armci_initialized, armci_finalize, armci_error
    public :: armci_malloc, armci_free, armci_at
    public :: armci_put, armci_get, armci_acc
    public :: armci_nb_put, armci_nb_get, armci_nb_acc
    public :: armci_init_handle, armci_wait, armci_test, armci_wait_proc, armci_wait_all
    public :: armci_fetch_add, armci_swap
    public :: armci_fence, armci_all_fence, armci_barrier, armci_group_fence
    public :: armci_create_mutexes, armci_destroy_mutexes, armci_lock, armci_unlock
    public :: armci_notify, armci_notify_wait
    public :: armci_group_create, armci_group_free, armci_group_world, armci_group_rank, &
        armci_group_size, armci_absolute_id, armci_group_comm
    public :: armci_same_node

    ! ---- Start and stop ----

    interface
        !> Starts the library on MPI_COMM_WORLD; collective. MPI must be initialised.
        integer(c_int) function armci_init() bind(c, name="ARMCI_Init")
            import :: c_int
        end function armci_init

        !> The same at an MPI thread level.
        integer(c_int) function armci_init_thread(level) bind(c, name="ARMCI_Init_thread")
            import :: c_int
            integer(c_int), value :: level
        end function armci_init_thread

        !> 1 if the library has been started and not been finished, else 0.
        integer(c_int) function armci_initialized() bind(c, name="ARMCI_Initialized")
            import :: c_int
        end function armci_initialized

        !> Ends the library; collective.
        integer(c_int) function armci_finalize() bind(c, name="ARMCI_Finalize")
            import :: c_int
        end function armci_finalize
    end interface

    ! ---- Memory ----

    !> Allocates global memory; collective. `addresses` has one element for each rank of the world,
    !> or of the group: where its part is. Returns 0, or another value on all ranks if memory is short.
    !> c_f_pointer makes an array of the own part.
    interface armci_malloc
        integer(c_int) function armci_malloc_world(addresses, bytes) bind(c, name="armci_fortran_malloc")
            import :: c_int, c_ptr, c_int64_t
            type(c_ptr), intent(out) :: addresses(*)
            integer(c_int64_t), value :: bytes
        end function armci_malloc_world
        module procedure malloc_of_group
    end interface armci_malloc

    !> Frees an allocation; collective. `address` is the own part.
    interface armci_free
        integer(c_int) function armci_free_world(address) bind(c, name="ARMCI_Free")
            import :: c_int, c_ptr
            type(c_ptr), value :: address
        end function armci_free_world
        module procedure free_of_group
    end interface armci_free

    ! ---- Transfers ----

    !> Copies an array to a rank. `remote` is where its first element goes. Without `strides` the
    !> elements lie there without gaps, in Fortran's order. With them, strides(d) is the distance in
    !> bytes from an element to the next one of dimension d at the remote side.
    interface armci_put
        subroutine put_packed(local, remote, rank) bind(c, name="armci_fortran_put")
            import :: c_ptr, c_int
            type(*), dimension(..), intent(in) :: local
            type(c_ptr), value :: remote
            integer(c_int), value :: rank
        end subroutine put_packed
        subroutine put_strided(local, remote, strides, rank) bind(c, name="armci_fortran_put_strided")
            import :: c_ptr, c_int, c_ptrdiff_t
            type(*), dimension(..), intent(in) :: local
            type(c_ptr), value :: remote
            integer(c_ptrdiff_t), intent(in) :: strides(*)
            integer(c_int), value :: rank
        end subroutine put_strided
    end interface armci_put

    !> Copies from a rank into an array; otherwise as armci_put.
    interface armci_get
        subroutine get_packed(local, remote, rank) bind(c, name="armci_fortran_get")
            import :: c_ptr, c_int
            type(*), dimension(..), intent(inout) :: local
            type(c_ptr), value :: remote
            integer(c_int), value :: rank
        end subroutine get_packed
        subroutine get_strided(local, remote, strides, rank) bind(c, name="armci_fortran_get_strided")
            import :: c_ptr, c_int, c_ptrdiff_t
            type(*), dimension(..), intent(inout) :: local
            type(c_ptr), value :: remote
            integer(c_ptrdiff_t), intent(in) :: strides(*)
            integer(c_int), value :: rank
        end subroutine get_strided
    end interface armci_get

    !> Adds scale * local to the memory of a rank, atomically for each element. `local` and `scale`
    !> have the same type: integer of 4 or 8 bytes, real or complex of single or double precision.
    interface armci_acc
        subroutine acc_packed(scale, local, remote, rank) bind(c, name="armci_fortran_acc")
            import :: c_ptr, c_int
            type(*), dimension(..), intent(in) :: scale, local
            type(c_ptr), value :: remote
            integer(c_int), value :: rank
        end subroutine acc_packed
        subroutine acc_strided(scale, local, remote, strides, rank) &
                bind(c, name="armci_fortran_acc_strided")
            import :: c_ptr, c_int, c_ptrdiff_t
            type(*), dimension(..), intent(in) :: scale, local
            type(c_ptr), value :: remote
            integer(c_ptrdiff_t), intent(in) :: strides(*)
            integer(c_int), value :: rank
        end subroutine acc_strided
    end interface armci_acc

    !> The same without waiting. `local` stays as it is, and stays allocated, until armci_wait or
    !> armci_test of the handle; so it must have the attribute ASYNCHRONOUS or TARGET.
    interface armci_nb_put
        subroutine nb_put_packed(local, remote, rank, handle) bind(c, name="armci_fortran_nb_put")
            import :: c_ptr, c_int, armci_handle
            type(*), dimension(..), intent(in), asynchronous :: local
            type(c_ptr), value :: remote
            integer(c_int), value :: rank
            type(armci_handle), intent(inout) :: handle
        end subroutine nb_put_packed
        subroutine nb_put_strided(local, remote, strides, rank, handle) &
                bind(c, name="armci_fortran_nb_put_strided")
            import :: c_ptr, c_int, c_ptrdiff_t, armci_handle
            type(*), dimension(..), intent(in), asynchronous :: local
            type(c_ptr), value :: remote
            integer(c_ptrdiff_t), intent(in) :: strides(*)
            integer(c_int), value :: rank
            type(armci_handle), intent(inout) :: handle
        end subroutine nb_put_strided
    end interface armci_nb_put

    interface armci_nb_get
        subroutine nb_get_packed(local, remote, rank, handle) bind(c, name="armci_fortran_nb_get")
            import :: c_ptr, c_int, armci_handle
            type(*), dimension(..), intent(inout), asynchronous :: local
            type(c_ptr), value :: remote
            integer(c_int), value :: rank
            type(armci_handle), intent(inout) :: handle
        end subroutine nb_get_packed
        subroutine nb_get_strided(local, remote, strides, rank, handle) &
                bind(c, name="armci_fortran_nb_get_strided")
            import :: c_ptr, c_int, c_ptrdiff_t, armci_handle
            type(*), dimension(..), intent(inout), asynchronous :: local
            type(c_ptr), value :: remote
            integer(c_ptrdiff_t), intent(in) :: strides(*)
            integer(c_int), value :: rank
            type(armci_handle), intent(inout) :: handle
        end subroutine nb_get_strided
    end interface armci_nb_get

    interface armci_nb_acc
        subroutine nb_acc_packed(scale, local, remote, rank, handle) &
                bind(c, name="armci_fortran_nb_acc")
            import :: c_ptr, c_int, armci_handle
            type(*), dimension(..), intent(in) :: scale
            type(*), dimension(..), intent(in), asynchronous :: local
            type(c_ptr), value :: remote
            integer(c_int), value :: rank
            type(armci_handle), intent(inout) :: handle
        end subroutine nb_acc_packed
        subroutine nb_acc_strided(scale, local, remote, strides, rank, handle) &
                bind(c, name="armci_fortran_nb_acc_strided")
            import :: c_ptr, c_int, c_ptrdiff_t, armci_handle
            type(*), dimension(..), intent(in) :: scale
            type(*), dimension(..), intent(in), asynchronous :: local
            type(c_ptr), value :: remote
            integer(c_ptrdiff_t), intent(in) :: strides(*)
            integer(c_int), value :: rank
            type(armci_handle), intent(inout) :: handle
        end subroutine nb_acc_strided
    end interface armci_nb_acc

    interface
        !> Makes a handle idle, whatever it held.
        subroutine armci_init_handle(handle) bind(c, name="ARMCI_INIT_HANDLE")
            import :: armci_handle
            type(armci_handle), intent(out) :: handle
        end subroutine armci_init_handle
    end interface

    ! ---- Atomic operations ----

    !> Adds `increment` to an integer of a rank, and returns what it was before. ARMCI adds numbers of
    !> 4 bytes, also to an integer of 8; any other increment ends the job.
    interface armci_fetch_add
        integer(c_int32_t) function fetch_add_32(remote, increment, rank) &
                bind(c, name="armci_fortran_fetch_add_32")
            import :: c_int32_t, c_int, c_ptr
            type(c_ptr), value :: remote
            integer(c_int32_t), value :: increment
            integer(c_int), value :: rank
        end function fetch_add_32
        integer(c_int64_t) function fetch_add_64(remote, increment, rank) &
                bind(c, name="armci_fortran_fetch_add_64")
            import :: c_int64_t, c_int, c_ptr
            type(c_ptr), value :: remote
            integer(c_int64_t), value :: increment
            integer(c_int), value :: rank
        end function fetch_add_64
    end interface armci_fetch_add

    !> Stores `new` in an integer of a rank, and returns what it was before.
    interface armci_swap
        integer(c_int32_t) function swap_32(remote, new, rank) bind(c, name="armci_fortran_swap_32")
            import :: c_int32_t, c_int, c_ptr
            type(c_ptr), value :: remote
            integer(c_int32_t), value :: new
            integer(c_int), value :: rank
        end function swap_32
        integer(c_int64_t) function swap_64(remote, new, rank) bind(c, name="armci_fortran_swap_64")
            import :: c_int64_t, c_int, c_ptr
            type(c_ptr), value :: remote
            integer(c_int64_t), value :: new
            integer(c_int), value :: rank
        end function swap_64
    end interface armci_swap

    ! ---- Completion, mutexes, notifications ----

    interface
        !> Waits until the operations from this rank to `rank` are complete there.
        subroutine armci_fence(rank) bind(c, name="ARMCI_Fence")
            import :: c_int
            integer(c_int), value :: rank
        end subroutine armci_fence

        subroutine armci_all_fence() bind(c, name="ARMCI_AllFence")
        end subroutine armci_all_fence

        !> A fence to all ranks, then a barrier of all ranks.
        subroutine armci_barrier() bind(c, name="ARMCI_Barrier")
        end subroutine armci_barrier

        subroutine wait_handle(handle) bind(c, name="armci_fortran_wait")
            import :: armci_handle
            type(armci_handle), intent(inout) :: handle
        end subroutine wait_handle

        integer(c_int) function test_handle(handle) bind(c, name="ARMCI_Test")
            import :: armci_handle, c_int
            type(armci_handle), intent(inout) :: handle
        end function test_handle

        integer(c_int) function armci_create_mutexes(count) bind(c, name="ARMCI_Create_mutexes")
            import :: c_int
            integer(c_int), value :: count
        end function armci_create_mutexes

        integer(c_int) function armci_destroy_mutexes() bind(c, name="ARMCI_Destroy_mutexes")
            import :: c_int
        end function armci_destroy_mutexes

        subroutine armci_lock(mutex, rank) bind(c, name="ARMCI_Lock")
            import :: c_int
            integer(c_int), value :: mutex, rank
        end subroutine armci_lock

        subroutine armci_unlock(mutex, rank) bind(c, name="ARMCI_Unlock")
            import :: c_int
            integer(c_int), value :: mutex, rank
        end subroutine armci_unlock

        !> Notifies a rank, after all that was sent to it before, and returns how often it has done so.
        integer(c_int) function armci_notify(rank) bind(c, name="armci_notify")
            import :: c_int
            integer(c_int), value :: rank
        end function armci_notify

        integer(c_int) function notify_wait(rank, count) bind(c, name="armci_notify_wait")
            import :: c_int
            integer(c_int), value :: rank
            integer(c_int), intent(out) :: count
        end function notify_wait

        integer(c_int) function wait_proc(rank) bind(c, name="ARMCI_WaitProc")
            import :: c_int
            integer(c_int), value :: rank
        end function wait_proc

        integer(c_int) function wait_all() bind(c, name="ARMCI_WaitAll")
            import :: c_int
        end function wait_all

        integer(c_int) function same_node(rank) bind(c, name="ARMCI_Same_node")
            import :: c_int
            integer(c_int), value :: rank
        end function same_node

        subroutine c_error(message, code) bind(c, name="ARMCI_Error")
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: message(*)
            integer(c_int), value :: code
        end subroutine c_error

        ! ---- Groups ----

        type(c_ptr) function new_group(count, ranks) bind(c, name="armci_fortran_new_group")
            import :: c_ptr, c_int
            integer(c_int), value :: count
            integer(c_int), intent(in) :: ranks(*)
        end function new_group

        type(c_ptr) function world_group() bind(c, name="armci_fortran_world_group")
            import :: c_ptr
        end function world_group

        subroutine delete_group(group) bind(c, name="armci_fortran_delete_group")
            import :: c_ptr
            type(c_ptr), value :: group
        end subroutine delete_group

        integer(c_int) function rank_in_group(group) bind(c, name="armci_fortran_group_rank")
            import :: c_ptr, c_int
            type(c_ptr), value :: group
        end function rank_in_group

        integer(c_int) function size_of_group(group) bind(c, name="armci_fortran_group_size")
            import :: c_ptr, c_int
            type(c_ptr), value :: group
        end function size_of_group

        integer(c_int) function comm_of_group(group) bind(c, name="armci_fortran_group_comm")
            import :: c_ptr, c_int
            type(c_ptr), value :: group
        end function comm_of_group

        integer(c_int) function absolute_id(group, rank) bind(c, name="ARMCI_Absolute_id")
            import :: c_ptr, c_int
            type(c_ptr), value :: group
            integer(c_int), value :: rank
        end function absolute_id

        subroutine group_fence(group) bind(c, name="ARMCI_GroupFence")
            import :: c_ptr
            type(c_ptr), value :: group
        end subroutine group_fence

        integer(c_int) function c_malloc_group(addresses, bytes, group) &
                bind(c, name="armci_fortran_malloc_group")
            import :: c_int, c_ptr, c_int64_t
            type(c_ptr), intent(out) :: addresses(*)
            integer(c_int64_t), value :: bytes
            type(c_ptr), value :: group
        end function c_malloc_group

        integer(c_int) function c_free_group(address, group) bind(c, name="ARMCI_Free_group")
            import :: c_int, c_ptr
            type(c_ptr), value :: address, group
        end function c_free_group
    end interface

contains

    !> Returns the address that is `bytes` behind `base`, which may be of another rank's memory.
    pure type(c_ptr) function armci_at(base, bytes) result(address)
        type(c_ptr), intent(in) :: base
        integer(c_int64_t), intent(in) :: bytes
        address = transfer(transfer(base, 0_c_intptr_t) + bytes, base)
    end function armci_at

    !> Waits until the operations of a handle are complete here; the handle is idle then.
    subroutine armci_wait(handle)
        type(armci_handle), intent(inout) :: handle
        call wait_handle(handle)
    end subroutine armci_wait

    !> Says whether they are, without waiting.
    logical function armci_test(handle)
        type(armci_handle), intent(inout) :: handle
        armci_test = test_handle(handle) == 0
    end function armci_test

    !> Waits until all non-blocking operations on one rank are complete here.
    subroutine armci_wait_proc(rank)
        integer(c_int), intent(in) :: rank
        integer(c_int) :: ignored
        ignored = wait_proc(rank)
    end subroutine armci_wait_proc

    !> Waits until all non-blocking operations are complete here.
    subroutine armci_wait_all()
        integer(c_int) :: ignored
        ignored = wait_all()
    end subroutine armci_wait_all

    !> Waits for a notification of a rank, and returns how many have come from it.
    integer(c_int) function armci_notify_wait(rank) result(count)
        integer(c_int), intent(in) :: rank
        integer(c_int) :: ignored
        ignored = notify_wait(rank, count)
    end function armci_notify_wait

    !> Says whether a rank belongs to the domain of this one. By default each rank is a domain of its
    !> own; with ARMCI_DOMAINS=node the ranks of a node are one.
    logical function armci_same_node(rank)
        integer(c_int), intent(in) :: rank
        armci_same_node = same_node(rank) /= 0
    end function armci_same_node

    !> Prints a message and ends the job with that exit status.
    subroutine armci_error(message, code)
        character(*), intent(in) :: message
        integer(c_int), intent(in) :: code
        call c_error(message // c_null_char, code)
    end subroutine armci_error

    !> Makes a group of these ranks of the world; the ranks in it call.
    function armci_group_create(ranks) result(group)
        integer(c_int), intent(in) :: ranks(:)
        type(armci_group) :: group
        group%group = new_group(size(ranks, kind=c_int), ranks)
    end function armci_group_create

    !> Returns the group of all ranks, which is not freed.
    function armci_group_world() result(group)
        type(armci_group) :: group
        group%group = world_group()
    end function armci_group_world

    !> Frees a group; its members call. Other copies of it end, too.
    subroutine armci_group_free(group)
        type(armci_group), intent(inout) :: group
        call delete_group(group%group)
        group%group = c_null_ptr
    end subroutine armci_group_free

    !> Returns the own rank in a group, -1 where the caller is no member.
    integer(c_int) function armci_group_rank(group)
        type(armci_group), intent(in) :: group
        armci_group_rank = rank_in_group(group%group)
    end function armci_group_rank

    integer(c_int) function armci_group_size(group)
        type(armci_group), intent(in) :: group
        armci_group_size = size_of_group(group%group)
    end function armci_group_size

    !> Returns the Fortran handle of the group's MPI communicator.
    integer function armci_group_comm(group)
        type(armci_group), intent(in) :: group
        armci_group_comm = int(comm_of_group(group%group))
    end function armci_group_comm

    !> Returns the rank in the world of a rank of a group.
    integer(c_int) function armci_absolute_id(group, rank)
        type(armci_group), intent(in) :: group
        integer(c_int), intent(in) :: rank
        armci_absolute_id = absolute_id(group%group, rank)
    end function armci_absolute_id

    !> A fence to all ranks of a group.
    subroutine armci_group_fence(group)
        type(armci_group), intent(in) :: group
        call group_fence(group%group)
    end subroutine armci_group_fence

    integer(c_int) function malloc_of_group(addresses, bytes, group) result(status)
        type(c_ptr), intent(out) :: addresses(*)
        integer(c_int64_t), intent(in) :: bytes
        type(armci_group), intent(in) :: group
        status = c_malloc_group(addresses, bytes, group%group)
    end function malloc_of_group

    integer(c_int) function free_of_group(address, group) result(status)
        type(c_ptr), intent(in) :: address
        type(armci_group), intent(in) :: group
        status = c_free_group(address, group%group)
    end function free_of_group

end module armci
