// SPDX-License-Identifier: BSD-3-Clause
// Many small accesses to a neighbour's memory, with gaps between them, and one fence: the benchmark
// "sparse" of Worringen et al. (docs/references.md).
//
// usage: mpiexec -n RANKS sparse OPERATION,... WINDOW ACCESS,... FACTOR,... SAMPLES
//
// Operations are put and get. Each rank accesses the window of the next one, WINDOW bytes long, in
// pieces of ACCESS bytes at distances of FACTOR times as many. Calls are non-blocking, as MPI's
// are. A sample ends with a barrier that includes the fence, and has the time of the slowest rank.
// Rank 0 prints JSON. The exit status is 1 if data was wrong.
#include <armci/armci.h>
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// As long as second-level caches are, and some more.
constexpr size_t kFlushBytes = 4 << 20;

struct Job {
    int rank = 0;
    int size = 1;
    bool is_put = true;
    int64_t window_bytes = 0;
    char* own = nullptr;    // this rank's window, which the rank before accesses
    char* other = nullptr;  // the window of the next rank
    std::vector<char> local;
    std::vector<char> flushed;

    int next() const { return (rank + 1) % size; }
    int previous() const { return (rank + size - 1) % size; }
};

// A byte that tells its place and its owner, and is never 0.
char byte_at(int rank, int64_t offset) {
    return static_cast<char>(1 + (offset * 7 + rank * 31) % 127);
}

std::vector<int64_t> parse_list(const char* text) {
    std::vector<int64_t> values;
    char* end = nullptr;
    for (;; text = end + 1) {
        values.push_back(std::strtoll(text, &end, 10));
        if (*end != ',') {
            return values;
        }
    }
}

void access_all(Job& job, int64_t access, int64_t stride) {
    const int bytes = static_cast<int>(access);
    for (int64_t at = 0; at + access <= job.window_bytes; at += stride) {
        if (job.is_put) {
            ARMCI_NbPut(job.local.data() + at, job.other + at, bytes, job.next(), nullptr);
        } else {
            ARMCI_NbGet(job.other + at, job.local.data() + at, bytes, job.next(), nullptr);
        }
    }
    ARMCI_WaitAll();
    ARMCI_Barrier();
}

// Local memory has this rank's bytes before puts, and nothing before gets. Windows are the reverse.
void prepare(Job& job) {
    for (int64_t i = 0; i < job.window_bytes; ++i) {
        job.local[static_cast<size_t>(i)] = job.is_put ? byte_at(job.rank, i) : 0;
        job.own[i] = job.is_put ? 0 : byte_at(job.rank, i);
    }
    ARMCI_Barrier();
}

bool is_right(const Job& job, int64_t access, int64_t stride) {
    const char* const found = job.is_put ? job.own : job.local.data();
    const int source = job.is_put ? job.previous() : job.next();
    for (int64_t i = 0; i < job.window_bytes; ++i) {
        const int64_t begin = i / stride * stride;
        const bool is_accessed = i - begin < access && begin + access <= job.window_bytes;
        if (found[i] != (is_accessed ? byte_at(source, i) : 0)) {
            return false;
        }
    }
    return true;
}

double sample_us(Job& job, int64_t access, int64_t stride) {
    std::memset(job.flushed.data(), job.rank, job.flushed.size());
    ARMCI_Barrier();
    const double begin_s = MPI_Wtime();
    access_all(job, access, stride);
    double us = (MPI_Wtime() - begin_s) * 1e6;
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return us;
}

// Whether the data was right, at all ranks.
bool measure(Job& job, int64_t access, int64_t factor, int samples, bool is_first) {
    const int64_t stride = access * factor;
    prepare(job);
    access_all(job, access, stride);
    int right = is_right(job, access, stride) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    std::string values;
    for (int i = 0; i < samples; ++i) {
        char text[32];
        std::snprintf(text, sizeof text, "%s%.6g", i == 0 ? "" : ", ",
                      sample_us(job, access, stride));
        values += text;
    }
    if (job.rank == 0) {
        const int64_t calls = (job.window_bytes - access) / stride + 1;
        std::printf(
            "%s\n{\"operation\": \"%s\", \"ranks\": %d, \"access_bytes\": %lld, "
            "\"factor\": %lld, \"calls\": %lld, \"right\": %s, \"values_us\": [%s]}",
            is_first ? "[" : ",", job.is_put ? "put" : "get", job.size,
            static_cast<long long>(access), static_cast<long long>(factor),
            static_cast<long long>(calls), right != 0 ? "true" : "false", values.c_str());
    }
    return right != 0;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    Job job;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    if (argc != 6) {
        ARMCI_Error("usage: sparse OPERATION,... WINDOW ACCESS,... FACTOR,... SAMPLES", 2);
    }
    job.window_bytes = std::atoll(argv[2]);
    const int samples = std::atoi(argv[5]);
    job.local.resize(static_cast<size_t>(job.window_bytes));
    job.flushed.resize(kFlushBytes);
    std::vector<void*> windows(static_cast<size_t>(job.size));
    ARMCI_Malloc(windows.data(), static_cast<armci_size_t>(job.window_bytes));
    job.own = static_cast<char*>(windows[static_cast<size_t>(job.rank)]);
    job.other = static_cast<char*>(windows[static_cast<size_t>(job.next())]);
    bool right = true;
    bool is_first = true;
    for (const char* operation : {"put", "get"}) {
        if (std::strstr(argv[1], operation) == nullptr) {
            continue;
        }
        job.is_put = std::strcmp(operation, "put") == 0;
        for (const int64_t factor : parse_list(argv[4])) {
            for (const int64_t access : parse_list(argv[3])) {
                if (access < 1 || factor < 1 || access > job.window_bytes) {
                    ARMCI_Error("sparse: an access does not fit the window", 2);
                }
                right &= measure(job, access, factor, samples, is_first);
                is_first = false;
            }
        }
    }
    if (job.rank == 0) {
        std::printf("]\n");
    }
    ARMCI_Free(job.own);
    ARMCI_Finalize();
    MPI_Finalize();
    return right ? 0 : 1;
}
