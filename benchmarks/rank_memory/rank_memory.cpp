// SPDX-License-Identifier: BSD-3-Clause
// The memory of a rank: of MPI alone, after ARMCI_Init, and when it has communicated with every
// other rank. benchmarks/rank_memory/measure.sh runs it at several numbers of ranks.
//
//   mpiexec -n RANKS rank_memory
//
// Prints a line for each stage with means over the ranks: RSS and PSS (pages that n processes share
// count 1/n) as the kernel reports them, and the bytes that malloc has allocated for all callers.
// Also prints the time of ARMCI_Init. ARMCI_STATS=1 adds the library's own tables when it ends.
#include <malloc.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "armci/armci.h"

namespace {

struct Memory {
    double rss_kib = 0;
    double pss_kib = 0;
    double malloc_kib = 0;
};

Memory memory_now() {
    Memory memory;
    FILE* rollup = std::fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    while (rollup != nullptr && std::fgets(line, sizeof line, rollup) != nullptr) {
        std::sscanf(line, "Rss: %lf", &memory.rss_kib);
        std::sscanf(line, "Pss: %lf", &memory.pss_kib);
    }
    if (rollup == nullptr || memory.rss_kib == 0) {
        std::fprintf(stderr, "rank_memory: /proc/self/smaps_rollup cannot be read\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::fclose(rollup);
    const struct mallinfo2 heap = mallinfo2();
    memory.malloc_kib = static_cast<double>(heap.uordblks + heap.hblkhd) / 1024;
    return memory;
}

// All ranks are at the same stage when it is measured.
void report(const char* stage, int rank, int size) {
    MPI_Barrier(MPI_COMM_WORLD);
    const Memory mine = memory_now();
    const double own[] = {mine.rss_kib, mine.pss_kib, mine.malloc_kib};
    double sums[3] = {};
    MPI_Reduce(own, sums, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("%-10s ranks %4d  RSS %9.0f KiB  PSS %9.0f KiB  malloc %9.0f KiB  each\n",
                    stage, size, sums[0] / size, sums[1] / size, sums[2] / size);
        std::fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1) {
        if (rank == 0) {
            std::fprintf(stderr, "rank_memory: it takes no arguments, such as %s\n", argv[1]);
        }
        MPI_Finalize();
        return 2;
    }
    report("mpi", rank, size);
    const double begin_s = MPI_Wtime();
    ARMCI_Init();
    double init_s = MPI_Wtime() - begin_s;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &init_s, &init_s, 1, MPI_DOUBLE, MPI_MAX, 0,
               MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("ARMCI_Init took up to %.1f ms\n", init_s * 1e3);
    }
    report("init", rank, size);
    std::vector<void*> slices(static_cast<size_t>(size));
    ARMCI_Malloc(slices.data(), 4096);
    report("malloc", rank, size);
    long value = rank;
    for (int i = 1; i <= size; ++i) {  // spread over all ranks
        const int target = (rank + i) % size;
        ARMCI_Put(&value, static_cast<long*>(slices[static_cast<size_t>(target)]) + rank % 512,
                  sizeof value, target);
        ARMCI_Get(slices[static_cast<size_t>(target)], &value, sizeof value, target);
    }
    ARMCI_Barrier();
    report("touched", rank, size);
    ARMCI_Free(slices[static_cast<size_t>(rank)]);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
