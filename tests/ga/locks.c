/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GA_Lock and GA_Unlock: sections that only one rank executes at a time, and the data that the next
 * one sees.
 */
#include <ga.h>
#include <macdecls.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

enum { kTurns = 60 }; /* of each rank */

/* Get, add, put of an element that all ranks change: no addition is missing. */
static void verify_counter(int owner, bool fence) {
    begin_section("get and put under a lock, element of rank %d%s", owner,
                  fence ? ", fence before the unlock" : "");
    const int dims[1] = {8 * rank_count()};
    image_t image = create_image(C_LONG, 1, dims);
    const int g_a = NGA_Create(C_LONG, 1, (int*)dims, "counter", (int[]){8});
    GA_Zero(g_a);
    int place[1] = {owner * 8 + 3};
    for (int turn = 0; turn < kTurns; turn++) {
        long value = -1;
        GA_Lock(0);
        NGA_Get(g_a, place, place, &value, NULL);
        value += my_rank() + 1;
        if (fence) {
            GA_Init_fence();
        }
        NGA_Put(g_a, place, place, &value, NULL);
        if (fence) {
            GA_Fence();
        }
        GA_Unlock(0);
        check(value > 0, "a turn ended with %ld", value);
    }
    GA_Sync();
    *image_at(&image, place) = kTurns * rank_count() * (rank_count() + 1) / 2;
    check_array(&image, g_a, "all turns done");
    GA_Sync();
    GA_Destroy(g_a);
    destroy_image(&image);
}

/* A record that is spread over all owners: a rank that holds the lock finds it consistent. */
static void verify_spread_record(void) {
    begin_section("a record on all ranks, changed under different locks one at a time");
    const int dims[2] = {rank_count(), 40};
    const int g_a = NGA_Create(C_LONG, 2, (int*)dims, "record", (int[]){1, 40});
    GA_Zero(g_a);
    box_t all = whole_box(2, dims);
    patch_t patch = create_patch(C_LONG, &all, 0);
    long* values = patch.data;
    for (int turn = 0; turn < kTurns; turn++) {
        GA_Lock(1);
        NGA_Get(g_a, all.lo, all.hi, values, patch.ld);
        int64_t torn = 0;
        for (int64_t i = 1; i < patch.count; i++) {
            torn += values[i] != values[0] + i;
        }
        check_many(patch.count, values[0] == 0 ? 0 : torn, "%lld elements of the record differ",
                   (long long)torn);
        const long next = values[0] + 1;
        for (int64_t i = 0; i < patch.count; i++) {
            values[i] = next + i;
        }
        GA_Init_fence();
        NGA_Put(g_a, all.lo, all.hi, values, patch.ld);
        GA_Fence();
        GA_Unlock(1);
    }
    GA_Sync();
    NGA_Get(g_a, all.lo, all.hi, values, patch.ld);
    check(values[0] == (long)kTurns * rank_count(), "%ld turns, not %d", values[0],
          kTurns * rank_count());
    destroy_patch(&patch);
    GA_Sync();
    GA_Destroy(g_a);
}

void test_locks(void) {
    for (int round = 0; round < 2; round++) { /* mutexes can be made again */
        if (!GA_Create_mutexes(round + 2)) {
            give_up("GA_Create_mutexes failed");
        }
        verify_counter(0, true);
        verify_counter(rank_count() - 1, false);
        verify_spread_record();
        GA_Sync();
        check(GA_Destroy_mutexes() != 0, "GA_Destroy_mutexes failed");
    }
}
