/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A first program: every process writes a line into the memory of its right neighbour, which does
 * not take part in that.
 *
 *     mpicc first_put.c $(pkg-config --cflags --libs armci) -o first_put && mpiexec -n 4
 * ./first_put
 */
#include <armci/armci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLine = 64 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    int me;
    int process_count;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &process_count);

    /* Global memory: kLine bytes in each process. lines[p] is the address of process p's part. */
    char** lines = malloc((size_t)process_count * sizeof(*lines));
    if (lines == NULL || ARMCI_Malloc((void**)lines, kLine) != 0) {
        ARMCI_Error("no memory", 1);
    }

    int right = (me + 1) % process_count;
    int left = (me + process_count - 1) % process_count;
    char text[kLine];
    snprintf(text, kLine, "hello, rank %d, from rank %d", right, me);
    ARMCI_Put(text, lines[right], kLine, right);
    ARMCI_Barrier(); /* all puts of all processes are complete */

    /* My own part of global memory is ordinary memory. */
    char expected[kLine];
    snprintf(expected, kLine, "hello, rank %d, from rank %d", me, left);
    int right_text = strcmp(lines[me], expected) == 0;
    printf("rank %d reads: %s\n", me, right_text ? lines[me] : "something wrong");

    ARMCI_Free(lines[me]);
    free(lines);
    ARMCI_Finalize();
    MPI_Finalize();
    return right_text ? 0 : 1;
}
