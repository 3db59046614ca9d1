/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C = A * B for matrices in global memory, the way Global Arrays programs work:
 *
 *     block_matmul N BLOCK [--seed S]
 *
 * A, B and C (N x N, double) are cut into tiles of BLOCK x BLOCK that are spread over all
 * processes. A task is one product of tiles, C(i,j) += A(i,k) * B(k,j). A process that is free
 * takes the next task number from a counter in global memory, gets the two tiles from wherever they
 * are, and adds the product to wherever C(i,j) is. No process waits for another before the last
 * task is done, and fast processes simply take more tasks.
 *
 * Afterwards every process compares every element of C that it owns with the exact value
 * (known_product.h). The exit status is 0 if all are right, 1 if not, 2 for wrong arguments.
 */
#include <armci/armci.h>
#include <armci/armcix.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known_product.h"
#include "tile_product.h"
#include "tiled_matrix.h"

enum { kMaxOrder = 500000 }; /* keeps task numbers and byte strides far from overflow */
enum { kExitUsage = 2 };

static const char kUsage[] =
    "usage: block_matmul N BLOCK [--seed S]\n"
    "  N        rows and columns of the matrices, 1 to 500000\n"
    "  BLOCK    rows and columns of a tile, 1 to N; it need not divide N\n"
    "  --seed S chooses other matrices (default 1)\n"
    "Run it under mpiexec with any number of processes.\n";

typedef struct {
    int order;
    int tile_order;
    uint64_t seed;
} options_t;

/* One task and the tiles that it needs, on their way or here. */
typedef struct {
    long number;
    int i, j, k;
    double* a;
    double* b;
    armci_hdl_t a_here;
    armci_hdl_t b_here;
} task_t;

/* What a process needs to work on tasks. */
typedef struct {
    int me;
    tiling_t tiling;
    tiled_matrix_t a, b, c;
    long** counters; /* the task counter is *counters[0], in the memory of rank 0 */
    long task_count;
    double start_s;
} work_t;

static double* local_tile(const tiling_t* tiling) {
    size_t bytes = (size_t)tiling->tile_order * (size_t)tiling->tile_order * sizeof(double);
    double* tile = ARMCI_Malloc_local((armci_size_t)bytes);
    if (tile == NULL) {
        ARMCI_Error("not enough memory for local tiles; try a smaller BLOCK", 1);
    }
    return tile;
}

/* ---- Filling the matrices ---- */

/* Every process makes its share of the tiles and puts them to their owners. */
static void fill(work_t* work, const known_product_t* known, int process_count) {
    const tiling_t* tiling = &work->tiling;
    double* tile = local_tile(tiling);
    long tiles = (long)tiling->tile_count * tiling->tile_count;
    for (long t = work->me; t < tiles; t += process_count) {
        int i = (int)(t / tiling->tile_count);
        int j = (int)(t % tiling->tile_count);
        int rows = tile_extent(tiling, i);
        int cols = tile_extent(tiling, j);
        for (int which = 0; which < 2; which++) {
            for (int r = 0; r < rows; r++) {
                for (int c = 0; c < cols; c++) {
                    int row = tile_first(tiling, i) + r;
                    int col = tile_first(tiling, j) + c;
                    tile[(size_t)r * (size_t)cols + (size_t)c] =
                        which == 0 ? known_a(known, row, col) : known_b(known, row, col);
                }
            }
            tile_put(which == 0 ? &work->a : &work->b, i, j, tile);
        }
    }
    ARMCI_Free_local(tile);
    ARMCI_Barrier(); /* completes the puts of all processes */
}

/* ---- Multiplying ---- */

/* Takes the next task number. The counter may go past the last task; that ends the work. */
static long take_number(const work_t* work) {
    long number;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, work->counters[0], 1, 0);
    return number;
}

/* A line for each tenth of the tasks, from the process that crosses it. */
static void show_progress(const work_t* work, long number) {
    long tenth = number * 10 / work->task_count;
    if (number > 0 && number < work->task_count && tenth > (number - 1) * 10 / work->task_count) {
        printf("%4ld %%  task %ld of %ld, taken by rank %d after %.2f s\n", tenth * 10, number,
               work->task_count, work->me, MPI_Wtime() - work->start_s);
        fflush(stdout);
    }
}

/* Takes a task and starts to fetch its tiles. Returns 0 when there are no more tasks. */
static int begin_task(work_t* work, task_t* task) {
    long tiles = work->tiling.tile_count;
    task->number = take_number(work);
    show_progress(work, task->number);
    if (task->number >= work->task_count) {
        return 0;
    }
    /* k varies slowest, so that tasks which run at the same time add to different tiles of C. */
    task->k = (int)(task->number / (tiles * tiles));
    task->i = (int)(task->number / tiles % tiles);
    task->j = (int)(task->number % tiles);
    tile_get_begin(&work->a, task->i, task->k, task->a, &task->a_here);
    tile_get_begin(&work->b, task->k, task->j, task->b, &task->b_here);
    return 1;
}

static void finish_task(work_t* work, task_t* task, double* product, double* scratch) {
    const tiling_t* tiling = &work->tiling;
    ARMCI_Wait(&task->a_here);
    ARMCI_Wait(&task->b_here);
    tile_product(tile_extent(tiling, task->i), tile_extent(tiling, task->j),
                 tile_extent(tiling, task->k), task->a, task->b, product, scratch);
    tile_add(&work->c, task->i, task->j, product);
}

/* Returns how many tasks this process has done. */
static long multiply(work_t* work) {
    task_t tasks[2];
    for (int t = 0; t < 2; t++) {
        tasks[t].a = local_tile(&work->tiling);
        tasks[t].b = local_tile(&work->tiling);
    }
    double* product = local_tile(&work->tiling);
    double* scratch =
        aligned_alloc(TILE_PRODUCT_ALIGNMENT, TILE_PRODUCT_SCRATCH_BYTES(work->tiling.tile_order));
    if (scratch == NULL) {
        ARMCI_Error("not enough memory for local tiles; try a smaller BLOCK", 1);
    }

    /* While one task is computed, the tiles of the next are on their way. */
    long done = 0;
    int current = 0;
    int more = begin_task(work, &tasks[current]);
    while (more) {
        more = begin_task(work, &tasks[1 - current]);
        finish_task(work, &tasks[current], product, scratch);
        current = 1 - current;
        done++;
    }

    for (int t = 0; t < 2; t++) {
        ARMCI_Free_local(tasks[t].a);
        ARMCI_Free_local(tasks[t].b);
    }
    ARMCI_Free_local(product);
    free(scratch);
    return done;
}

/* ---- Checking and reporting ---- */

/* Number of wrong elements in the tiles of C that this process owns; describes the first. */
static long long count_wrong(const work_t* work, const known_product_t* known) {
    const tiling_t* tiling = &work->tiling;
    long long wrong = 0;
    for (int i = 0; i < tiling->tile_count; i++) {
        for (int j = 0; j < tiling->tile_count; j++) {
            if (tile_owner(tiling, i, j) != work->me) {
                continue;
            }
            int row_length;
            const double* tile = tile_own(&work->c, i, j, &row_length);
            for (int r = 0; r < tile_extent(tiling, i); r++) {
                for (int c = 0; c < tile_extent(tiling, j); c++) {
                    int row = tile_first(tiling, i) + r;
                    int col = tile_first(tiling, j) + c;
                    double found = tile[(size_t)r * (size_t)row_length + (size_t)c];
                    double expected = known_c(known, row, col);
                    if (found != expected && ++wrong == 1) {
                        printf("rank %d: C(%d,%d) is %.17g and should be %.17g\n", work->me, row,
                               col, found, expected);
                        fflush(stdout);
                    }
                }
            }
        }
    }
    return wrong;
}

/* Bytes of user data that all processes together have moved, by operation and route. */
static void print_traffic(int me) {
    armcix_stats_t stats;
    ARMCIX_Stats(&stats, sizeof(stats));
    const char* names[3] = {"put", "get", "acc"};
    const armcix_counter_t* counters[3] = {stats.put, stats.get, stats.acc};
    if (me == 0) {
        printf("MiB moved   %12s %12s %12s\n", "local", "rma", "server");
    }
    for (int operation = 0; operation < 3; operation++) {
        unsigned long long mine[3] = {counters[operation][ARMCIX_ROUTE_LOCAL].bytes,
                                      counters[operation][ARMCIX_ROUTE_RMA].bytes,
                                      counters[operation][ARMCIX_ROUTE_SERVER].bytes};
        unsigned long long all[3] = {0};
        MPI_Reduce(mine, all, 3, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        if (me == 0) {
            printf("  %-9s %12.2f %12.2f %12.2f\n", names[operation], (double)all[0] / 1048576,
                   (double)all[1] / 1048576, (double)all[2] / 1048576);
        }
    }
}

static void print_tasks_per_rank(long done, int me, int process_count) {
    long min, max;
    MPI_Reduce(&done, &min, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&done, &max, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (me == 0 && process_count > 1) {
        printf("tasks per rank: %ld to %ld\n", min, max);
    }
}

/* The whole job. Returns 1 on every process if C is right, else 0. */
static int run(const options_t* options, int me, int process_count) {
    known_product_t known;
    if (known_product_create(&known, options->order, options->seed) != 0) {
        ARMCI_Error("not enough memory for the reference; try a smaller N", 1);
    }
    work_t work = {.me = me};
    work.tiling = tiling_create(options->order, options->tile_order, process_count);
    long tiles = work.tiling.tile_count;
    work.task_count = tiles * tiles * tiles;
    if (me == 0) {
        printf("C = A * B: N = %d, tiles of %d, %ld tasks, seed %llu\n", options->order,
               options->tile_order, work.task_count, (unsigned long long)options->seed);
        printf("%d rank%s in a %d x %d grid, %d node%s, provider %s\n", process_count,
               process_count == 1 ? "" : "s", work.tiling.grid_rows, work.tiling.grid_cols,
               ARMCIX_Node_count(), ARMCIX_Node_count() == 1 ? "" : "s", ARMCIX_Provider());
        fflush(stdout);
    }

    tiled_matrix_create(&work.a, &work.tiling);
    tiled_matrix_create(&work.b, &work.tiling);
    tiled_matrix_create(&work.c, &work.tiling);
    work.counters = calloc((size_t)process_count, sizeof(*work.counters));
    if (work.counters == NULL ||
        ARMCI_Malloc((void**)work.counters, me == 0 ? (armci_size_t)sizeof(long) : 0) != 0) {
        ARMCI_Error("not enough memory for the task counter", 1);
    }
    if (me == 0) {
        *work.counters[0] = 0;
    }
    fill(&work, &known, process_count);

    work.start_s = MPI_Wtime();
    long done = multiply(&work);
    ARMCI_Barrier(); /* completes the adds of all processes */
    double seconds = MPI_Wtime() - work.start_s;

    long long wrong = count_wrong(&work, &known);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    print_tasks_per_rank(done, me, process_count);
    print_traffic(me);
    if (me == 0) {
        double operations = 2.0 * options->order * options->order * options->order;
        printf("%.3f s, %.2f GFLOP/s\n", seconds, operations / seconds * 1e-9);
        printf("%lld of %lld elements are wrong\n", wrong,
               (long long)options->order * options->order);
        printf("%s\n", wrong == 0 ? "PASS" : "FAIL");
        fflush(stdout);
    }

    ARMCI_Free(work.counters[me]);
    free(work.counters);
    tiled_matrix_destroy(&work.c);
    tiled_matrix_destroy(&work.b);
    tiled_matrix_destroy(&work.a);
    known_product_destroy(&known);
    return wrong == 0;
}

/* ---- Arguments ---- */

/* The whole of text as a decimal number from lowest to highest. Returns 0 if it is not one. */
static int parse_number(const char* text, uint64_t lowest, uint64_t highest, uint64_t* number) {
    if (text[0] < '0' || text[0] > '9') {
        return 0; /* strtoull would take signs and blanks */
    }
    char* end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *number >= lowest && *number <= highest;
}

/* Returns 1 and fills *options, or 0 if an argument is wrong or missing. */
static int parse_arguments(int argc, char** argv, options_t* options) {
    uint64_t numbers[2] = {0, 0};
    int found = 0;
    options->seed = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0) {
            if (++i == argc || !parse_number(argv[i], 0, UINT64_MAX, &options->seed)) {
                return 0;
            }
        } else if (found == 2 || !parse_number(argv[i], 1, found == 0 ? kMaxOrder : numbers[0],
                                               &numbers[found])) {
            return 0;
        } else {
            found++;
        }
    }
    options->order = (int)numbers[0];
    options->tile_order = (int)numbers[1];
    return found == 2;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int me;
    int process_count;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &process_count);

    int status;
    options_t options;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        if (me == 0) {
            fputs(kUsage, stdout);
        }
        status = 0;
    } else if (!parse_arguments(argc, argv, &options)) {
        if (me == 0) {
            fputs(kUsage, stderr);
        }
        status = kExitUsage;
    } else {
        ARMCI_Init();
        status = run(&options, me, process_count) ? 0 : 1;
        ARMCI_Finalize();
    }
    MPI_Finalize();
    return status;
}
