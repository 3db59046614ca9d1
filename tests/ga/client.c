/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Global Arrays from C, everything but its start and end: many tests in one program, because a job
 * takes longer to start than most tests to run.
 *
 *     ga_client             all tests but those that take seconds by themselves
 *     ga_client NAME ...    these tests
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "tests.h"

typedef struct {
    const char* name;
    void (*run)(void);
    bool by_name_only;
} test_t;

static const test_t kTests[] = {
    {"layouts", test_layouts, false},
    {"patches", test_patches, false},
    {"strided", test_strided, false},
    {"periodic", test_periodic, false},
    {"gather_scatter", test_gather_scatter, false},
    {"nonblocking", test_nonblocking, false},
    {"ordering", test_ordering, false},
    {"counters", test_counters, false},
    {"locks", test_locks, false},
    {"elementwise", test_elementwise, false},
    {"reductions", test_reductions, false},
    {"copies", test_copies, false},
    {"matmul", test_matmul, false},
    {"ghosts", test_ghosts, false},
    {"ghost_flags", test_ghost_flags, true},
    {"groups", test_groups, false},
    {"overlapping_groups", test_overlapping_groups, false},
    {"local_memory", test_local_memory, false},
    {"read_only", test_read_only, false},
};
enum { kTestCount = sizeof kTests / sizeof *kTests };

static const test_t* find_test(const char* name) {
    for (int t = 0; t < kTestCount; t++) {
        if (strcmp(kTests[t].name, name) == 0) {
            return &kTests[t];
        }
    }
    give_up("there is no test \"%s\"", name);
}

static void run(const test_t* test) {
    const double start = MPI_Wtime();
    test->run();
    end_section();
    if (my_rank() == 0) {
        printf("--    %s: %.2f s\n", test->name, MPI_Wtime() - start);
    }
}

int main(int argc, char** argv) {
    start_program(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        run(find_test(argv[i]));
    }
    for (int t = 0; t < kTestCount && argc == 1; t++) {
        if (!kTests[t].by_name_only) {
            run(&kTests[t]);
        }
    }
    return end_program();
}
