/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NGA_Read_inc as task counter: every ticket is drawn exactly once, whichever rank owns the counter
 * and however many ranks draw at the same time.
 */
#include <ga.h>
#include <limits.h>
#include <macdecls.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

enum { kDraws = 200 }; /* per rank */

/* Gathers all ranks' tickets, on every rank; sorted. */
static int compare(const void* a, const void* b) {
    const long x = *(const long*)a;
    const long y = *(const long*)b;
    return (x > y) - (x < y);
}

static long* all_tickets(const long* mine, int count) {
    long* all = allocate((size_t)(count * rank_count()) * sizeof *all);
    MPI_Allgather(mine, count, MPI_LONG, all, count, MPI_LONG, checks_comm());
    qsort(all, (size_t)(count * rank_count()), sizeof *all, compare);
    return all;
}

/* All ranks draw from one counter that lies on rank `owner`; every draw adds `step`. */
static void verify_one_counter(int type, int owner, long start, long step) {
    begin_section("tickets of one %s counter on rank %d, step %ld from %ld", type_name(type), owner,
                  step, start);
    const int dims[1] = {8 * rank_count()};
    const int g_a = NGA_Create(type, 1, (int*)dims, "counter", NULL);
    int lo;
    int hi;
    NGA_Distribution(g_a, owner, &lo, &hi);
    int place[1] = {hi}; /* the last element of the owner's slice */
    GA_Zero(g_a);
    if (my_rank() == 0) {
        scalar_t value = scalar(type, (double)start);
        NGA_Put(g_a, place, place, &value, NULL);
    }
    GA_Sync();

    long mine[kDraws];
    for (int i = 0; i < kDraws; i++) {
        mine[i] = NGA_Read_inc(g_a, place, step);
        check(i == 0 || (mine[i] - mine[i - 1]) * (step < 0 ? -1 : 1) > 0,
              "ticket %ld came after %ld", mine[i], mine[i - 1]);
    }
    long* all = all_tickets(mine, kDraws);
    const int total = kDraws * rank_count();
    const long lowest = step < 0 ? start + (total - 1) * step : start;
    for (int i = 0; i < total; i++) {
        check(all[i] == lowest + i * labs(step), "ticket %d of %d is %ld", i, total, all[i]);
    }
    free(all);

    GA_Sync();
    /* The last value of the counter, and its neighbours in memory. */
    image_t image = create_image(type, 1, dims);
    *image_at(&image, place) = (double)(start + total * step);
    check_array(&image, g_a, "all draws done");
    destroy_image(&image);
    GA_Destroy(g_a);
}

/* Many counters, on all ranks at once; each rank draws from them in turn. */
static void verify_all_counters(void) {
    begin_section("tickets of a counter on every rank, drawn from in turn");
    const int counter_count = 3 * rank_count();
    const int g_a = NGA_Create(C_LONG, 1, (int*)&counter_count, "counters", NULL);
    GA_Zero(g_a);
    long* drawn = allocate((size_t)counter_count * sizeof *drawn); /* the highest ticket + 1 */
    memset(drawn, 0, (size_t)counter_count * sizeof *drawn);
    for (int i = 0; i < kDraws; i++) {
        int place[1] = {(i * 7 + my_rank()) % counter_count};
        const long ticket = NGA_Read_inc(g_a, place, 1);
        check(ticket >= drawn[place[0]], "counter %d gave %ld after %ld", place[0], ticket,
              drawn[place[0]] - 1);
        drawn[place[0]] = ticket + 1;
    }
    GA_Sync();
    long* ends = allocate((size_t)counter_count * sizeof *ends);
    int first[1] = {0};
    int last[1] = {counter_count - 1};
    NGA_Get(g_a, first, last, ends, NULL);
    long sum = 0;
    for (int i = 0; i < counter_count; i++) {
        sum += ends[i];
    }
    check(sum == (long)kDraws * rank_count(), "%ld tickets counted, %d drawn", sum,
          kDraws * rank_count());
    MPI_Allreduce(MPI_IN_PLACE, drawn, counter_count, MPI_LONG, MPI_MAX, checks_comm());
    for (int i = 0; i < counter_count; i++) {
        check(drawn[i] == ends[i], "counter %d ends at %ld, its highest ticket is %ld", i, ends[i],
              drawn[i] - 1);
    }
    free(ends);
    free(drawn);
    GA_Destroy(g_a);
}

/* Tickets as a task list: ranks add into the element that their ticket names. */
static void verify_task_list(void) {
    begin_section("every task of a shared list is done once");
    const int task_count = 300;
    const int g_counter = NGA_Create(C_INT, 1, (int[]){1}, "next task", NULL);
    const int g_done = NGA_Create(C_INT, 1, (int*)&task_count, "done", NULL);
    GA_Zero(g_counter);
    GA_Zero(g_done);
    int zero[1] = {0};
    for (;;) {
        int task[1] = {(int)NGA_Read_inc(g_counter, zero, 1)};
        if (task[0] >= task_count) {
            break;
        }
        int one = 1;
        int weight = task[0] + 1;
        NGA_Acc(g_done, task, task, &weight, NULL, &one);
    }
    GA_Sync();
    int* done = allocate((size_t)task_count * sizeof *done);
    int last[1] = {task_count - 1};
    NGA_Get(g_done, zero, last, done, NULL);
    for (int i = 0; i < task_count; i++) {
        check(done[i] == i + 1, "task %d: %d instead of %d", i, done[i], i + 1);
    }
    free(done);
    GA_Destroy(g_done);
    GA_Destroy(g_counter);
}

void test_counters(void) {
    const int last = rank_count() - 1;
    verify_one_counter(C_LONG, 0, 0, 1);
    verify_one_counter(C_LONG, last, (long)INT_MAX - 100, 3);
    verify_one_counter(C_INT, last, 5, -2);
    verify_one_counter(C_INT, 0, -1000, 7);
    verify_all_counters();
    verify_task_list();
}
