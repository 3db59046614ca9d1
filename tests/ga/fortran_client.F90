! SPDX-License-Identifier: BSD-3-Clause
! Global Arrays as Fortran programs use it: started by TCGMSG like NWChem, buffers in MA's memory, indices from 1,
! column-major arrays, integers of 8 bytes.
!
! Every failed check is printed by its rank. A job with a failed check ends in ga_error, because PEND always
! ends a process with status 0.

program fortran_client
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "tcgmsg.fh"
  integer, parameter :: stack_doubles = 500000, heap_doubles = 500000
  integer :: failures, checks
  common /verdict/ failures, checks

  failures = 0
  checks = 0
  call pbeginf()
  call ga_initialize()
  if (.not. ma_init(MT_DBL, stack_doubles, heap_doubles)) call ga_error('ma_init failed', 1)
  call check(ga_nodeid() == nodeid() .and. ga_nnodes() == nnodes(), 'ranks of GA and TCGMSG')

  call verify_patches()
  call verify_irregular()
  call verify_access()
  call verify_dgemm()
  call verify_scatter()
  call verify_counters()
  call verify_collectives()

  if (checks == 0) call ga_error('nothing was checked', 1)
  if (failures > 0) call ga_error('checks have failed', 1)
  call ga_sync()
  call ga_terminate()
  if (nodeid() == 0) print '(a)', 'PASS'
  call pend()
end program fortran_client

! One check: says what is wrong on this rank unless `ok`.
subroutine check(ok, what)
  implicit none
#include "tcgmsg.fh"
  logical, intent(in) :: ok
  character(len=*), intent(in) :: what
  integer :: failures, checks
  common /verdict/ failures, checks

  checks = checks + 1
  if (ok) return
  failures = failures + 1
  if (failures <= 20) print '(a,i0,2a)', '[rank ', nodeid(), '] FAIL  ', what
end subroutine check

! Ends a section: rank 0 says how many checks it made itself.
subroutine report(what)
  implicit none
#include "tcgmsg.fh"
  character(len=*), intent(in) :: what
  integer :: failures, checks
  common /verdict/ failures, checks

  if (nodeid() == 0 .and. failures == 0) then
    print '(3a,i0,a)', 'ok    ', what, ' (', checks, ' checks of rank 0 so far)'
  end if
end subroutine report

! What element (i, j) of the arrays below holds.
double precision function value_at(i, j)
  implicit none
  integer, intent(in) :: i, j
  value_at = dble(100 * i + j)
end function value_at

! Stores value_at in all of a matrix: every rank puts every n-th column.
subroutine fill_by_columns(g_a, rows, cols)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, intent(in) :: g_a, rows, cols
  integer :: i, j
  double precision :: column(rows)
  double precision, external :: value_at

  do j = 1 + ga_nodeid(), cols, ga_nnodes()
    do i = 1, rows
      column(i) = value_at(i, j)
    end do
    call ga_put(g_a, 1, rows, j, j, column, rows)
  end do
  call ga_sync()
end subroutine fill_by_columns

! Checks that a matrix holds factor * value_at through a buffer on MA's stack.
subroutine check_matrix(g_a, rows, cols, factor, what)
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, intent(in) :: g_a, rows, cols
  double precision, intent(in) :: factor
  character(len=*), intent(in) :: what
  integer :: handle, index, i, j
  double precision, external :: value_at

  if (.not. ma_push_get(MT_DBL, rows * cols, 'matrix', handle, index)) then
    call ga_error('ma_push_get failed', 1)
  end if
  dbl_mb(index:index + rows * cols - 1) = -1d0
  call ga_get(g_a, 1, rows, 1, cols, dbl_mb(index), rows)
  do j = 1, cols
    do i = 1, rows
      call check(dbl_mb(index + (j - 1) * rows + i - 1) == factor * value_at(i, j), what)
    end do
  end do
  if (.not. ma_pop_stack(handle)) call ga_error('ma_pop_stack failed', 1)
  call ga_sync()
end subroutine check_matrix

subroutine verify_patches()
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: rows = 37, cols = 29
  integer :: g_a, g_b, i, j
  double precision :: patch(10, 8)
  double precision, external :: value_at

  if (.not. ga_create(MT_DBL, rows, cols, 'patches', 0, 0, g_a)) then
    call ga_error('ga_create failed', 1)
  end if
  call fill_by_columns(g_a, rows, cols)
  call check_matrix(g_a, rows, cols, 1d0, 'put by columns')

  ! A part of a larger buffer: the rest stays as it is.
  patch = -5d0
  call ga_get(g_a, 11, 17, 5, 10, patch, 10)
  do j = 1, 8
    do i = 1, 10
      if (i <= 7 .and. j <= 6) then
        call check(patch(i, j) == value_at(10 + i, 4 + j), 'get of a patch')
      else
        call check(patch(i, j) == -5d0, 'outside of the patch')
      end if
    end do
  end do
  call ga_sync()

  ! All ranks add the whole array to itself, column by column.
  do j = 1, cols
    call add_column(g_a, j)
  end do
  call ga_sync()
  call check_matrix(g_a, rows, cols, 1d0 + 2d0 * ga_nnodes(), 'accumulate')

  if (.not. ga_duplicate(g_a, g_b, 'copy')) call ga_error('ga_duplicate failed', 1)
  call ga_copy(g_a, g_b)
  call ga_scale(g_b, 2d0)
  call ga_add(1d0, g_b, -1d0, g_a, g_b)
  call check_matrix(g_b, rows, cols, 1d0 + 2d0 * ga_nnodes(), 'copy, scale and add')
  call check(ga_destroy(g_b) .and. ga_destroy(g_a), 'ga_destroy')
  call report('put, get, accumulate, copy, scale, add')

contains

  subroutine add_column(g_a, j)
    integer, intent(in) :: g_a, j
    double precision :: column(rows)
    integer :: i
    do i = 1, rows
      column(i) = value_at(i, j)
    end do
    call ga_acc(g_a, 1, rows, j, j, column, rows, 2d0)
  end subroutine add_column
end subroutine verify_patches

! One block of rows per rank, each longer than the one before.
subroutine verify_irregular()
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: cols = 11
  integer :: g_a, rank, rows, lo(2), hi(2), map(64), blocks(2)

  rows = 0
  do rank = 0, ga_nnodes() - 1
    map(rank + 1) = rows + 1
    rows = rows + 3 + 2 * rank
  end do
  map(ga_nnodes() + 1) = 1
  blocks = (/ ga_nnodes(), int(1, kind(rows)) /)
  if (.not. nga_create_irreg(MT_DBL, int(2, kind(rows)), (/ rows, int(cols, kind(rows)) /), &
                             'irregular', map, blocks, g_a)) then
    call ga_error('nga_create_irreg failed', 1)
  end if
  call nga_distribution(g_a, ga_nodeid(), lo, hi)
  call check(hi(1) - lo(1) + 1 == 3 + 2 * ga_nodeid(), 'the length of an irregular block')
  call check(lo(2) == 1 .and. hi(2) == cols, 'the width of an irregular block')
  call fill_by_columns(g_a, rows, cols)
  call check_matrix(g_a, rows, cols, 1d0, 'irregular array')
  call check(ga_destroy(g_a), 'ga_destroy')
  call report('irregular array')
end subroutine verify_irregular

! Owners write and read their block where it is.
subroutine verify_access()
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: rows = 23, cols = 31
  integer :: g_a, lo(2), hi(2), index, ld, i, j
  double precision, external :: value_at

  if (.not. nga_create(MT_DBL, 2, (/ rows, cols /), 'access', (/ -1, -1 /), g_a)) then
    call ga_error('nga_create failed', 1)
  end if
  call nga_distribution(g_a, ga_nodeid(), lo, hi)
  if (hi(1) >= lo(1) .and. hi(2) >= lo(2)) then
    call nga_access(g_a, lo, hi, index, ld)
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        dbl_mb(index + (j - lo(2)) * ld + i - lo(1)) = value_at(i, j)
      end do
    end do
    call nga_release_update(g_a, lo, hi)
  end if
  call ga_sync()
  call check_matrix(g_a, rows, cols, 1d0, 'stored by the owners')
  call ga_scale(g_a, 3d0)
  if (hi(1) >= lo(1) .and. hi(2) >= lo(2)) then
    call nga_access(g_a, lo, hi, index, ld)
    do j = lo(2), hi(2)
      do i = lo(1), hi(1)
        call check(dbl_mb(index + (j - lo(2)) * ld + i - lo(1)) == 3d0 * value_at(i, j), &
                   'seen by the owner')
      end do
    end do
    call nga_release(g_a, lo, hi)
  end if
  call ga_sync()
  call check(ga_destroy(g_a), 'ga_destroy')
  call report('direct access')
end subroutine verify_access

subroutine verify_dgemm()
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: m = 45, n = 38, k = 51
  integer :: g_a, g_b, g_c, g_t, i, j, l
  double precision :: a(m, k), b(k, n), c(m, n), found(m, n), turned(n, m), sum

  do l = 1, k
    do i = 1, m
      a(i, l) = mod(7 * i + 3 * l, 11) - 5
    end do
    do j = 1, n
      b(l, j) = mod(5 * l + 2 * j, 13) - 6
    end do
  end do
  if (.not. ga_create(MT_DBL, m, k, 'a', 0, 0, g_a)) call ga_error('ga_create failed', 1)
  if (.not. ga_create(MT_DBL, k, n, 'b', 0, 0, g_b)) call ga_error('ga_create failed', 1)
  if (.not. ga_create(MT_DBL, m, n, 'c', 0, 0, g_c)) call ga_error('ga_create failed', 1)
  if (.not. ga_create(MT_DBL, n, m, 't', 0, 0, g_t)) call ga_error('ga_create failed', 1)
  if (ga_nodeid() == 0) then
    call ga_put(g_a, 1, m, 1, k, a, m)
    call ga_put(g_b, 1, k, 1, n, b, k)
  end if
  call ga_fill(g_c, 1d0)
  call ga_dgemm('n', 'n', m, n, k, 2d0, g_a, g_b, -3d0, g_c)
  do j = 1, n
    do i = 1, m
      sum = 0d0
      do l = 1, k
        sum = sum + a(i, l) * b(l, j)
      end do
      c(i, j) = 2d0 * sum - 3d0
    end do
  end do
  call ga_get(g_c, 1, m, 1, n, found, m)
  do j = 1, n
    do i = 1, m
      call check(found(i, j) == c(i, j), 'dgemm')
    end do
  end do
  call ga_transpose(g_c, g_t)
  call ga_get(g_t, 1, n, 1, m, turned, n)
  do j = 1, n
    do i = 1, m
      call check(turned(j, i) == c(i, j), 'transpose')
    end do
  end do
  sum = 0d0
  do j = 1, n
    do i = 1, m
      sum = sum + c(i, j)**2
    end do
  end do
  call check(ga_ddot(g_c, g_c) == sum, 'ddot')
  call ga_sync()
  call check(ga_destroy(g_a) .and. ga_destroy(g_b) .and. ga_destroy(g_c) .and. ga_destroy(g_t), &
             'ga_destroy')
  call report('dgemm, transpose, ddot')
end subroutine verify_dgemm

! Single elements; those of the accumulate repeat.
subroutine verify_scatter()
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: rows = 19, cols = 17, count = 200
  integer :: g_a, k, subscripts(2, count)
  double precision :: values(count), expected(rows, cols), found(rows, cols)

  if (.not. ga_create(MT_DBL, rows, cols, 'scatter', 0, 0, g_a)) then
    call ga_error('ga_create failed', 1)
  end if
  call ga_zero(g_a)
  expected = 0d0
  do k = 1, count
    subscripts(1, k) = mod(k * k, rows) + 1
    subscripts(2, k) = mod(3 * k, cols) + 1
    values(k) = k
    expected(subscripts(1, k), subscripts(2, k)) = &
      expected(subscripts(1, k), subscripts(2, k)) + 2d0 * k * ga_nnodes()
  end do
  call nga_scatter_acc(g_a, values, subscripts, count, 2d0)
  call ga_sync()
  call ga_get(g_a, 1, rows, 1, cols, found, rows)
  do k = 1, rows * cols
    call check(found(mod(k - 1, rows) + 1, (k - 1) / rows + 1) == &
               expected(mod(k - 1, rows) + 1, (k - 1) / rows + 1), 'scatter-accumulate')
  end do
  values = -1d0
  call nga_gather(g_a, values, subscripts, count)
  do k = 1, count
    call check(values(k) == expected(subscripts(1, k), subscripts(2, k)), 'gather')
  end do
  call ga_sync()
  call check(ga_destroy(g_a), 'ga_destroy')
  call report('gather and scatter-accumulate')
end subroutine verify_scatter

! Tickets of two kinds: an element of an integer array, and NXTVAL. Each rank marks those it draws.
subroutine verify_counters()
  implicit none
#include "mafdecls.fh"
#include "global.fh"
#include "tcgmsg.fh"
  integer, parameter :: total = 240
  integer :: g_counter, g_marks, ticket, marks(total), last(1), i

  if (.not. nga_create(MT_INT, 1, (/ 1 /), 'counter', (/ 1 /), g_counter)) then
    call ga_error('nga_create failed', 1)
  end if
  if (.not. nga_create(MT_INT, 1, (/ total /), 'marks', (/ -1 /), g_marks)) then
    call ga_error('nga_create failed', 1)
  end if
  call ga_zero(g_counter)
  call ga_zero(g_marks)
  ticket = nga_read_inc(g_counter, (/ 1 /), 1)
  do while (ticket < total)
    call nga_acc(g_marks, (/ ticket + 1 /), (/ ticket + 1 /), (/ 1 /), (/ 1 /), 1)
    ticket = nga_read_inc(g_counter, (/ 1 /), 1)
  end do
  call ga_sync()
  ticket = nxtval(nnodes())
  do while (ticket < total)
    call nga_acc(g_marks, (/ ticket + 1 /), (/ ticket + 1 /), (/ 1000 /), (/ 1 /), 1)
    ticket = nxtval(nnodes())
  end do
  ticket = nxtval(-nnodes())
  call ga_sync()
  call nga_get(g_marks, (/ 1 /), (/ total /), marks, (/ total /))
  do i = 1, total
    call check(marks(i) == 1001, 'every ticket of both counters is drawn once')
  end do
  call ga_sync()
  call nga_get(g_counter, (/ 1 /), (/ 1 /), last, (/ 1 /))
  call check(last(1) == total + nnodes(), 'the end of the counter')
  call ga_sync()
  call check(ga_destroy(g_marks) .and. ga_destroy(g_counter), 'ga_destroy')
  call report('read_inc and nxtval')
end subroutine verify_counters

subroutine verify_collectives()
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: length = 500
  integer :: i, root, numbers(length), n
  double precision :: sums(length)

  n = ga_nnodes()
  do i = 1, length
    sums(i) = dble(ga_nodeid() + i)
    numbers(i) = ga_nodeid() * 10 - i
  end do
  call ga_dgop(MT_DBL, sums, length, '+')
  call ga_igop(MT_INT, numbers, length, 'max')
  do i = 1, length
    call check(sums(i) == dble(n * i + n * (n - 1) / 2), 'dgop +')
    call check(numbers(i) == (n - 1) * 10 - i, 'igop max')
  end do
  do root = 0, n - 1
    numbers = -1
    if (ga_nodeid() == root) then
      do i = 1, length
        numbers(i) = root * 1000 + i
      end do
    end if
    call ga_brdcst(MT_INT, numbers, length * 8, root)
    do i = 1, length
      call check(numbers(i) == root * 1000 + i, 'broadcast')
    end do
  end do
  call report('reductions and broadcasts')
end subroutine verify_collectives
