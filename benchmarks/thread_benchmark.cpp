// SPDX-License-Identifier: BSD-3-Clause
// Throughput of operations inside the node when 1, 2, 4 … threads of one rank make them at once
// (MPI_THREAD_MULTIPLE), each on memory of its own. One rank is enough: `mpiexec -n 1`.
//
// `items_per_second` counts the operations of all threads. Threads with a common lock would
// together do no more than one of them alone, and less for small operations.
#include <benchmark/benchmark.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "armci/armci.h"

namespace {

constexpr int kMaxThreads = 8;
constexpr int kLargestBytes = 1 << 20;
constexpr int kRoomBytes = kLargestBytes + 64;  // of a thread

char* g_memory = nullptr;
int g_rank = 0;

char* memory_of(const benchmark::State& state) {
    return g_memory + static_cast<int64_t>(state.thread_index()) * kRoomBytes;
}

void report(benchmark::State& state, int bytes) {
    state.SetItemsProcessed(state.iterations());
    state.SetBytesProcessed(state.iterations() * bytes);
}

// The operation gets the largest number of bytes to move, and returns how many it has moved.
template <class Operation>
void repeat(benchmark::State& state, Operation&& operation) {
    const auto bytes = static_cast<int>(state.range(0));
    std::vector<double> local(static_cast<size_t>(bytes) / sizeof(double), 1.0);
    char* remote = memory_of(state);
    int moved_bytes = 0;
    for (auto _ : state) {
        moved_bytes = operation(local.data(), remote, bytes);
    }
    report(state, moved_bytes);
}

void Put(benchmark::State& state) {
    repeat(state, [](void* local, void* remote, int bytes) {
        ARMCI_Put(local, remote, bytes, g_rank);
        return bytes;
    });
}

void Get(benchmark::State& state) {
    repeat(state, [](void* local, void* remote, int bytes) {
        ARMCI_Get(remote, local, bytes, g_rank);
        return bytes;
    });
}

void Accumulate(benchmark::State& state) {
    repeat(state, [](void* local, void* remote, int bytes) {
        double scale = 1.0;
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, remote, bytes, g_rank);
        return bytes;
    });
}

void PutStrided(benchmark::State& state) {
    repeat(state, [](void* local, void* remote, int bytes) {
        int stride = 16;  // every other word
        int count[2] = {8, (bytes + 8) / 16};
        ARMCI_PutS(local, &stride, remote, &stride, count, 1, g_rank);
        return count[0] * count[1];
    });
}

void FetchAndAdd(benchmark::State& state) {
    long value = 0;
    char* remote = memory_of(state);
    for (auto _ : state) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, remote, 1, g_rank);
    }
    report(state, sizeof value);
}

void LockAndUnlock(benchmark::State& state) {
    const int mutex = state.thread_index();
    for (auto _ : state) {
        ARMCI_Lock(mutex, g_rank);
        ARMCI_Unlock(mutex, g_rank);
    }
    report(state, 0);
}

void register_all() {
    using Function = void (*)(benchmark::State&);
    const struct {
        const char* name;
        Function function;
    } sized[] = {
        {"Put", Put}, {"Get", Get}, {"Accumulate", Accumulate}, {"PutStrided", PutStrided}};
    for (const auto& entry : sized) {
        benchmark::RegisterBenchmark(entry.name, entry.function)
            ->Arg(8)
            ->Arg(kLargestBytes)
            ->ThreadRange(1, kMaxThreads)
            ->UseRealTime();
    }
    benchmark::RegisterBenchmark("FetchAndAdd", FetchAndAdd)
        ->ThreadRange(1, kMaxThreads)
        ->UseRealTime();
    benchmark::RegisterBenchmark("LockAndUnlock", LockAndUnlock)
        ->ThreadRange(1, kMaxThreads)
        ->UseRealTime();
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        std::fprintf(stderr, "thread_benchmark: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ARMCI_Init_thread(MPI_THREAD_MULTIPLE);
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<void*> slices(static_cast<size_t>(size));
    ARMCI_Malloc(slices.data(), int64_t{kMaxThreads} * kRoomBytes);
    g_memory = static_cast<char*>(slices[static_cast<size_t>(g_rank)]);
    ARMCI_Create_mutexes(kMaxThreads);
    register_all();
    benchmark::RunSpecifiedBenchmarks();
    ARMCI_Destroy_mutexes();
    ARMCI_Free(g_memory);
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
