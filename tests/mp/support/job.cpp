// SPDX-License-Identifier: BSD-3-Clause
#include "support/job.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace armci::mp {
namespace {

constexpr uint64_t kDefaultSeed = 20240229;

struct Job {
    MPI_Comm comm = MPI_COMM_NULL;
    int me = -1;
    int nproc = 0;
    uint64_t seed = kDefaultSeed;
    int64_t multiply = 1;
    int64_t divide = 1;
};

Job g_job;

uint64_t read_seed() {
    const char* text = std::getenv("TEST_SEED");
    if (text == nullptr || *text == '\0') {
        return kDefaultSeed;
    }
    char* end = nullptr;
    const uint64_t seed = std::strtoull(text, &end, 0);
    if (*end != '\0') {
        give_up("TEST_SEED is not a number: " + std::string(text));
    }
    return seed;
}

void read_effort(Job& job) {
    const char* text = std::getenv("TEST_EFFORT");
    const std::string_view effort = text != nullptr ? text : "normal";
    if (effort == "low") {
        job.divide = 8;
    } else if (effort == "high") {
        job.multiply = 8;
    } else if (effort != "normal" && !effort.empty()) {
        give_up("TEST_EFFORT must be low, normal or high, not " + std::string(effort));
    }
}

// Makes nearby inputs unrelated (the finalizer of SplitMix64).
uint64_t mix(uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

uint64_t test_seed() {
    uint64_t seed = mix(g_job.seed);
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    if (test != nullptr) {
        for (const char* name : {test->test_suite_name(), test->name()}) {
            for (; *name != '\0'; ++name) {
                seed = mix(seed ^ static_cast<unsigned char>(*name));
            }
        }
    }
    return seed;
}

}  // namespace

int me() {
    return g_job.me;
}

int nproc() {
    return g_job.nproc;
}

int right() {
    return (me() + 1) % nproc();
}

int left() {
    return (me() + nproc() - 1) % nproc();
}

MPI_Comm harness_comm() {
    return g_job.comm;
}

void finish(MPI_Request request) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (done == 0) {
        sched_yield();
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

void sync() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(g_job.comm, &request);
    finish(request);
}

void exchange(const void* sent, int to, void* received, int from, int64_t bytes) {
    MPI_Request in = MPI_REQUEST_NULL;
    MPI_Request out = MPI_REQUEST_NULL;
    MPI_Irecv(received, static_cast<int>(bytes), MPI_BYTE, from, 0, g_job.comm, &in);
    MPI_Isend(sent, static_cast<int>(bytes), MPI_BYTE, to, 0, g_job.comm, &out);
    finish(in);
    finish(out);
}

void sum_over_ranks(std::vector<long>& numbers) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_LONG,
                   MPI_SUM, g_job.comm, &request);
    finish(request);
}

int64_t scaled(int64_t normal_count) {
    return std::max<int64_t>(1, normal_count * g_job.multiply / g_job.divide);
}

bool is_checking() {
    return std::getenv("ARMCI_CHECK") != nullptr;
}

void give_up(const std::string& why) {
    std::fprintf(stderr, "[rank %d] test harness: %s\n", g_job.me, why.c_str());
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

Rng common_rng(uint64_t stream) {
    return Rng(mix(test_seed() ^ mix(stream)));
}

Rng rank_rng(uint64_t stream) {
    return Rng(mix(test_seed() ^ mix(stream) ^ mix(0x1000u + static_cast<uint64_t>(g_job.me))));
}

uint64_t base_seed() {
    return g_job.seed;
}

void begin_job() {
    MPI_Comm_dup(MPI_COMM_WORLD, &g_job.comm);
    MPI_Comm_rank(g_job.comm, &g_job.me);
    MPI_Comm_size(g_job.comm, &g_job.nproc);
    g_job.seed = read_seed();
    read_effort(g_job);
}

void end_job() {
    MPI_Comm_free(&g_job.comm);
}

}  // namespace armci::mp
