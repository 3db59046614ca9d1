/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers from MA, Global Arrays' local allocator, as local side of every kind of transfer. With
 * MA_USE_ARMCI_MEM in the environment MA takes all its memory from ARMCI_Malloc_local; the test is
 * run with and without it.
 */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/image.h"
#include "tests.h"

static const int kDims[2] = {60, 70};

static double* push(Integer count, Integer* handle) {
    MA_AccessIndex index;
    double* memory = NULL;
    char name[] = "stack";
    if (!MA_push_get(C_DBL, count, name, handle, &index) || !MA_get_pointer(*handle, &memory)) {
        give_up("MA_push_get failed");
    }
    return memory;
}

static double* take(Integer count, Integer* handle) {
    MA_AccessIndex index;
    double* memory = NULL;
    char name[] = "heap";
    if (!MA_alloc_get(C_DBL, count, name, handle, &index) || !MA_get_pointer(*handle, &memory)) {
        give_up("MA_alloc_get failed");
    }
    return memory;
}

/* Puts, adds and gets the whole array from one buffer of MA into another. */
static void use_buffers(double* from, double* to, int g_a, int round, const char* what) {
    image_t image = create_image(C_DBL, 2, kDims);
    fill_image(&image, (uint64_t)round);
    const int64_t count = image_count(&image);
    for (int64_t i = 0; i < count; i++) {
        from[i] = creal(image.values[i]);
        to[i] = -1;
    }
    int lo[2] = {0, 0};
    int hi[2] = {kDims[0] - 1, kDims[1] - 1};
    int ld[1] = {kDims[1]};
    if (my_rank() == round % rank_count()) {
        NGA_Put(g_a, lo, hi, from, ld);
    }
    GA_Sync();
    double two = 2.0;
    NGA_Acc(g_a, lo, hi, from, ld, &two);
    GA_Sync();
    ga_nbhdl_t handle;
    NGA_NbGet(g_a, lo, hi, to, ld, &handle);
    NGA_NbWait(&handle);
    int64_t wrong = 0;
    for (int64_t i = 0; i < count; i++) {
        wrong += to[i] != from[i] * (1 + 2 * rank_count());
    }
    check_many(count, wrong, "%s: %lld elements wrong", what, (long long)wrong);

    int subscripts[50][2];
    int* list[50];
    for (int i = 0; i < 50; i++) {
        subscripts[i][0] = (i * 7 + round) % kDims[0];
        subscripts[i][1] = (i * 11 + round) % kDims[1];
        list[i] = subscripts[i];
    }
    NGA_Gather(g_a, to, list, 50);
    wrong = 0;
    for (int i = 0; i < 50; i++) {
        wrong += to[i] != creal(*image_at(&image, list[i])) * (1 + 2 * rank_count());
    }
    check_many(50, wrong, "%s: %lld gathered elements wrong", what, (long long)wrong);
    GA_Sync();
    check(MA_verify_allocator_stuff() != 0, "%s: the guards of a block are overwritten", what);
    destroy_image(&image);
}

void test_local_memory(void) {
    const char* armci = getenv("MA_USE_ARMCI_MEM");
    begin_section("transfers with buffers of MA, memory from %s", armci ? "ARMCI" : "the system");
    const int g_a = NGA_Create(C_DBL, 2, (int*)kDims, "array", NULL);
    const Integer count = kDims[0] * kDims[1];
    const Integer stack_before = MA_inquire_stack(C_DBL);
    for (int round = 0; round < 5; round++) {
        Integer handles[4];
        double* first = push(count, &handles[0]);
        double* second = push(count, &handles[1]);
        double* third = take(count, &handles[2]);
        double* fourth = take(count, &handles[3]);
        use_buffers(first, second, g_a, round, "stack to stack");
        use_buffers(third, fourth, g_a, round + 1, "heap to heap");
        use_buffers(second, third, g_a, round + 2, "stack to heap");
        check(MA_pop_stack(handles[1]) && MA_pop_stack(handles[0]), "the stack cannot be popped");
        check(MA_free_heap(handles[2]) && MA_free_heap(handles[3]), "the heap cannot be freed");
    }
    check(MA_inquire_stack(C_DBL) == stack_before, "%ld doubles left on the stack, not %ld",
          (long)MA_inquire_stack(C_DBL), (long)stack_before);
    GA_Destroy(g_a);
}
