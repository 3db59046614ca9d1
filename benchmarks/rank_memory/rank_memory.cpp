// SPDX-License-Identifier: BSD-3-Clause
// The memory of a rank: of MPI alone, after ARMCI_Init, when it has communicated with every other
// rank, and when it has transferred much. benchmarks/rank_memory/measure.sh runs it at several
// numbers of ranks.
//
//   mpiexec -n RANKS rank_memory
//
// Prints lines for each stage, with means over all ranks, over the first rank of each node, and
// over the others. Each has RSS, PSS (pages that n processes share count 1/n) and private pages
// that were written, as the kernel reports them, and the bytes that malloc has allocated for all
// callers. Also prints the time of ARMCI_Init. ARMCI_STATS=1 adds the library's own tables when it
// ends.
#include <malloc.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "armci/armci.h"
#include "armci/armcix.h"

namespace {

struct Memory {
    double rss_kib = 0;
    double pss_kib = 0;
    double dirty_kib = 0;
    double malloc_kib = 0;
};
constexpr int kFigures = 4;

struct Stage {
    const char* name;
    Memory memory;
};

Memory memory_now() {
    Memory memory;
    FILE* rollup = std::fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    while (rollup != nullptr && std::fgets(line, sizeof line, rollup) != nullptr) {
        std::sscanf(line, "Rss: %lf", &memory.rss_kib);
        std::sscanf(line, "Pss: %lf", &memory.pss_kib);
        std::sscanf(line, "Private_Dirty: %lf", &memory.dirty_kib);
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
Stage measure(const char* name) {
    MPI_Barrier(MPI_COMM_WORLD);
    const Stage stage{name, memory_now()};
    MPI_Barrier(MPI_COMM_WORLD);
    return stage;
}

void print_mean(const Stage& stage, const char* of, bool takes_part, int rank) {
    double own[kFigures + 1] = {};
    if (takes_part) {
        own[0] = stage.memory.rss_kib;
        own[1] = stage.memory.pss_kib;
        own[2] = stage.memory.dirty_kib;
        own[3] = stage.memory.malloc_kib;
        own[kFigures] = 1;
    }
    double sums[kFigures + 1] = {};
    MPI_Reduce(own, sums, kFigures + 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    const double count = sums[kFigures];
    if (rank == 0 && count > 0) {
        std::printf(
            "%-8s %-6s ranks %4.0f  RSS %9.0f KiB  PSS %9.0f KiB  dirty %9.0f KiB  malloc %9.0f "
            "KiB  each\n",
            stage.name, of, count, sums[0] / count, sums[1] / count, sums[2] / count,
            sums[3] / count);
    }
}

bool is_first_of_node(int rank) {
    for (int other = 0; other < rank; ++other) {
        if (ARMCIX_Node(other) == ARMCIX_Node(rank)) {
            return false;
        }
    }
    return true;
}

void touch_everyone(const std::vector<void*>& slices, int rank) {
    const auto size = static_cast<int>(slices.size());
    long value = rank;
    for (int i = 1; i <= size; ++i) {  // spread over all ranks
        const int target = (rank + i) % size;
        ARMCI_Put(&value, static_cast<long*>(slices[static_cast<size_t>(target)]) + rank % 512,
                  sizeof value, target);
        ARMCI_Get(slices[static_cast<size_t>(target)], &value, sizeof value, target);
    }
}

// Small and large transfers of each kind with the rank that is half the ranks away.
void transfer_much(const std::vector<void*>& slices, int slice_bytes, int rank) {
    constexpr int kRounds = 50;
    constexpr int kSmallBytes = 1024;
    const auto size = static_cast<int>(slices.size());
    const int target = (rank + (size + 1) / 2) % size;
    auto* remote = static_cast<char*>(slices[static_cast<size_t>(target)]);
    auto* local = static_cast<char*>(ARMCI_Malloc_local(slice_bytes));
    for (int byte = 0; byte < slice_bytes; ++byte) {
        local[byte] = 0;
    }
    double scale = 1;
    for (int round = 0; round < kRounds; ++round) {
        for (int begin = 0; begin + kSmallBytes <= slice_bytes; begin += kSmallBytes) {
            ARMCI_NbPut(local + begin, remote + begin, kSmallBytes, target, nullptr);
        }
        ARMCI_WaitAll();
        ARMCI_Get(remote, local, slice_bytes, target);
        ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, nullptr, remote, nullptr, &slice_bytes, 0, target);
    }
    ARMCI_Free_local(local);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int kSliceBytes = 256 << 10;
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
    std::vector<Stage> stages = {measure("mpi")};
    const double begin_s = MPI_Wtime();
    ARMCI_Init();
    double init_s = MPI_Wtime() - begin_s;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : &init_s, &init_s, 1, MPI_DOUBLE, MPI_MAX, 0,
               MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("ARMCI_Init took up to %.1f ms\n", init_s * 1e3);
    }
    stages.push_back(measure("init"));
    std::vector<void*> slices(static_cast<size_t>(size));
    ARMCI_Malloc(slices.data(), kSliceBytes);
    stages.push_back(measure("malloc"));
    touch_everyone(slices, rank);
    ARMCI_Barrier();
    stages.push_back(measure("touched"));
    transfer_much(slices, kSliceBytes, rank);
    ARMCI_Barrier();
    stages.push_back(measure("used"));
    const bool is_first = is_first_of_node(rank);
    for (const Stage& stage : stages) {
        print_mean(stage, "all", true, rank);
        print_mean(stage, "first", is_first, rank);
        print_mean(stage, "other", !is_first, rank);
    }
    ARMCI_Free(slices[static_cast<size_t>(rank)]);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
