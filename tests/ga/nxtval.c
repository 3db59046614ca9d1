/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TCGMSG, the message layer that NWChem starts instead of MPI: it is inside Global Arrays' library,
 * and its shared counter NXTVAL is an atomic increment in memory that it never frees.
 *
 *     nxtval         PBEGIN, Global Arrays, ..., PEND: the flow of NWChem
 *     nxtval alone   TCGMSG without Global Arrays
 */
#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>
#include <string.h>
#include <tcgmsg.h>

#include "support/check.h"
#include "support/image.h"

enum { kDraws = 60 }; /* per rank and round */

static int compare(const void* a, const void* b) {
    const long x = *(const long*)a;
    const long y = *(const long*)b;
    return (x > y) - (x < y);
}

/* Every ticket is drawn once; the counter starts again after all ranks have released it. */
static void verify_tickets(void) {
    begin_section("NXTVAL gives every number once, again after each reset");
    const int total = kDraws * rank_count();
    long* all = allocate((size_t)total * sizeof *all);
    for (int round = 0; round < 3; round++) {
        long mine[kDraws];
        for (int i = 0; i < kDraws; i++) {
            mine[i] = tcg_nxtval(rank_count());
        }
        tcg_nxtval(-rank_count());
        MPI_Allgather(mine, kDraws, MPI_LONG, all, kDraws, MPI_LONG, checks_comm());
        qsort(all, (size_t)total, sizeof *all, compare);
        int64_t wrong = 0;
        for (int i = 0; i < total; i++) {
            wrong += all[i] != i;
        }
        check_many(total, wrong, "round %d: %lld of %d tickets wrong", round, (long long)wrong,
                   total);
    }
    free(all);
}

static void verify_messages(void) {
    begin_section("TCGMSG messages, broadcasts and sums");
    check(tcg_nodeid() == my_rank() && tcg_nnodes() == rank_count(), "rank %ld of %ld",
          tcg_nodeid(), tcg_nnodes());
    const int next = (my_rank() + 1) % rank_count();
    const int previous = (my_rank() + rank_count() - 1) % rank_count();
    long values[200];
    for (int round = 0; round < 10 && rank_count() > 1; round++) {
        const long type = 17 + round;
        long length = 0;
        long from = -1;
        long sent[200];
        for (int i = 0; i < 200; i++) {
            sent[i] = my_rank() * 1000 + i + round;
        }
        if (my_rank() % 2 == 0) { /* the last rank of an odd number has no partner */
            tcg_snd(type, sent, sizeof sent, next, 1);
            tcg_rcv(type, values, sizeof values, &length, previous, &from, 1);
        } else {
            tcg_rcv(type, values, sizeof values, &length, previous, &from, 1);
            tcg_snd(type, sent, sizeof sent, next, 1);
        }
        check(length == sizeof values && from == previous, "%ld bytes from %ld", length, from);
        int64_t wrong = 0;
        for (int i = 0; i < 200; i++) {
            wrong += values[i] != previous * 1000 + i + round;
        }
        check_many(200, wrong, "%lld values of the message wrong", (long long)wrong);
    }
    char plus[] = "+";
    for (int root = 0; root < rank_count(); root++) {
        for (int i = 0; i < 200; i++) {
            values[i] = my_rank() == root ? root * 7 + i : -1;
        }
        tcg_brdcst(99, values, sizeof values, root);
        int64_t wrong = 0;
        for (int i = 0; i < 200; i++) {
            wrong += values[i] != root * 7 + i;
        }
        check_many(200, wrong, "%lld values of the broadcast wrong", (long long)wrong);
    }
    double sums[100];
    for (int i = 0; i < 100; i++) {
        sums[i] = my_rank() + i;
    }
    tcg_dgop(98, sums, 100, plus);
    int64_t wrong = 0;
    for (int i = 0; i < 100; i++) {
        wrong += sums[i] != rank_count() * i + rank_count() * (rank_count() - 1) / 2.0;
    }
    check_many(100, wrong, "%lld sums wrong", (long long)wrong);
    tcg_synch(97);
}

/* Blocks of a triple product: NXTVAL distributes them, and a global array adds them up. */
static void verify_task_loop(void) {
    begin_section("a task loop over NXTVAL that accumulates into a global array");
    const int dims[2] = {40, 40};
    image_t image = create_image(C_DBL, 2, dims);
    const int g_a = NGA_Create(C_DBL, 2, (int*)dims, "result", NULL);
    GA_Zero(g_a);
    long next = tcg_nxtval(rank_count());
    for (int task = 0; task < 100; task++) {
        rng_t rng = seeded((uint64_t)task);
        const box_t box = random_box(&rng, 2, dims);
        patch_t patch = create_patch(C_DBL, &box, 0);
        fill_patch(&patch, (uint64_t)task);
        image_acc(&image, &patch, 1.0);
        if (task == next) {
            double one = 1.0;
            NGA_Acc(g_a, patch.box.lo, patch.box.hi, patch.data, patch.ld, &one);
            next = tcg_nxtval(rank_count());
        }
        destroy_patch(&patch);
    }
    tcg_nxtval(-rank_count());
    GA_Sync();
    check_array(&image, g_a, "all tasks");
    GA_Sync();
    GA_Destroy(g_a);
    destroy_image(&image);
}

int main(int argc, char** argv) {
    const bool alone = argc > 1 && strcmp(argv[1], "alone") == 0;
    tcg_pbegin(argc, argv);
    start_checks();
    verify_messages();
    verify_tickets();
    if (!alone) {
        GA_Initialize();
        if (!MA_init(C_DBL, 100000, 100000)) {
            give_up("MA_init failed");
        }
        verify_task_loop();
        verify_tickets();
        GA_Terminate();
        verify_tickets(); /* the counter outlives Global Arrays */
    }
    const int status = end_checks();
    if (status != EXIT_SUCCESS) {
        MPI_Abort(MPI_COMM_WORLD, status); /* PEND would end the process with 0 */
    }
    tcg_pend();
    return EXIT_FAILURE; /* not reached */
}
