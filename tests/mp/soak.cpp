// SPDX-License-Identifier: BSD-3-Clause
// The soak test: random operations of all kinds, checked against an oracle, while resources are
// made and freed (global memory, groups, mutexes, attached memory, the library itself), for a given
// time. It also checks what such a process might leak. scripts/soak.sh runs it.
//
//   SOAK_SECONDS   how long (default 3); rounds are completed, and there are at least kMinRounds
//
// The clock decides how much is done, never whether it was right.
#include <dirent.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "armci/armcix.h"
#include "stress_mix.h"
#include "support/harness.h"

namespace armci::mp {
namespace {

constexpr int kStepsOfAMix = 300;
// Lives of the library, from its start to its end: short ones first, to warm up, and then long
// ones.
constexpr uint64_t kRoundsOfAShortLife = 4;
constexpr uint64_t kRoundsOfALongLife = 32;
constexpr uint64_t kShortRounds = 2 * kRoundsOfAShortLife;
// Until then caches, pools and the memory allocator's arenas have been filled.
constexpr uint64_t kWarmUpRounds = kShortRounds + 4;
constexpr uint64_t kMinRounds = kWarmUpRounds + 4;
// The growth of a rank's memory that is allowed afterwards, however long the soak. Pools of
// libfabric grow in steps, when a burst first needs it, and stay: those of ofi_rxm by 1024 buffers,
// which are 8 MiB with the library's settings, and a process has two endpoints with some each.
// (Measured: five steps, then no more.)
constexpr int64_t kAllowedGrowthBytes = int64_t{48} << 20;
// Connections between endpoints are made when they are first used, which is random. Each is a
// socket or two at either end.
constexpr int64_t kAllowedDescriptorsPerRank = 4;

struct Footprint {
    int64_t resident_bytes = 0;
    int64_t descriptors = 0;
    int64_t threads = 0;
};

int64_t entries_of(const char* path) {
    DIR* directory = opendir(path);
    if (directory == nullptr) {
        give_up(std::string("cannot list ") + path);
    }
    int64_t count = 0;
    while (readdir(directory) != nullptr) {
        ++count;
    }
    closedir(directory);
    return count;
}

Footprint footprint_now() {
    Footprint footprint;
    FILE* statm = std::fopen("/proc/self/statm", "r");
    int64_t total_pages = 0;
    int64_t resident_pages = 0;
    if (statm == nullptr ||
        std::fscanf(statm, "%" SCNd64 " %" SCNd64, &total_pages, &resident_pages) != 2) {
        give_up("cannot read /proc/self/statm");
    }
    std::fclose(statm);
    footprint.resident_bytes = resident_pages * sysconf(_SC_PAGESIZE);
    footprint.descriptors = entries_of("/proc/self/fd");
    footprint.threads = entries_of("/proc/self/task");
    return footprint;
}

struct Total {
    uint64_t operations = 0;
    uint64_t bytes = 0;
    std::string provider = "none";

    // Called before the end of a life: the next one counts from zero.
    void add_counted() {
        armcix_stats_t stats{};
        ARMCIX_Stats(&stats, sizeof stats);
        for (int route = 0; route < 3; ++route) {
            for (const armcix_counter_t& counter :
                 {stats.put[route], stats.get[route], stats.acc[route]}) {
                operations += counter.operations;
                bytes += counter.bytes;
            }
        }
        operations += stats.rmw;
        provider = ARMCIX_Provider();
    }
};

// Groups, memory on them, mutexes and attached memory are made and freed.
void exercise_resources(Rng& common, uint64_t round) {
    ARMCI_Group world;
    ARMCI_Group part;
    ARMCI_Group_get_world(&world);
    const int colors = static_cast<int>(common.between(1, 3));
    ARMCIX_Group_split(&world, me() % colors, me(), &part);
    int size = 0;
    ARMCI_Group_size(&part, &size);
    std::vector<void*> slices(static_cast<size_t>(size), nullptr);
    const int64_t words = common.between(1, 4000);
    EXPECT_EQ(ARMCI_Malloc_group(slices.data(), words * 8, &part), 0);
    int group_rank = 0;
    ARMCI_Group_rank(&part, &group_rank);
    const int neighbour = (group_rank + 1) % size;
    const auto value = static_cast<long>(round);
    ARMCI_PutValueLong(value, slices[static_cast<size_t>(neighbour)],
                       ARMCI_Absolute_id(&part, neighbour));
    ARMCI_AllFence();
    ARMCI_Barrier();
    EXPECT_EQ(*static_cast<long*>(slices[static_cast<size_t>(group_rank)]), value);
    ARMCI_Barrier();
    ARMCI_Free_group(slices[static_cast<size_t>(group_rank)], &part);
    ARMCI_Group_free(&part);

    const int mutexes = static_cast<int>(common.between(1, 5));
    GlobalMemory counter(8, common.chance(50) ? MemoryKind::attached : MemoryKind::allocated);
    *counter.element<long>(me()) = 0;
    EXPECT_EQ(ARMCI_Create_mutexes(mutexes), 0);
    ARMCI_Barrier();
    const int owner = static_cast<int>(common.between(0, nproc() - 1));
    constexpr int kTurns = 3;
    for (int turn = 0; turn < kTurns; ++turn) {
        ARMCI_Lock(mutexes - 1, owner);
        long count = -1;
        ARMCI_Get(counter.at(owner), &count, sizeof count, owner);
        ++count;
        ARMCI_Put(&count, counter.at(owner), sizeof count, owner);
        ARMCI_Unlock(mutexes - 1, owner);
    }
    ARMCI_Barrier();
    EXPECT_EQ(*counter.element<long>(me()), me() == owner ? long{kTurns} * nproc() : 0);
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

bool begins_a_life(uint64_t round) {
    return round < kShortRounds ? round % kRoundsOfAShortLife == 0
                                : (round - kShortRounds) % kRoundsOfALongLife == 0;
}

// The decision of rank 0, whose clock is used.
bool is_time_over(double end) {
    int is_over = me() == 0 && MPI_Wtime() > end ? 1 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&is_over, 1, MPI_INT, 0, harness_comm(), &request);
    finish(request);
    return is_over != 0;
}

double asked_seconds() {
    const char* text = std::getenv("SOAK_SECONDS");
    return text == nullptr ? 3.0 : std::strtod(text, nullptr);
}

TEST(Soak, RandomOperationsAndResources) {
    const double end = MPI_Wtime() + asked_seconds();
    Rng common = common_rng();
    Total total;
    Footprint first;
    uint64_t round = 0;
    bool failed = false;
    for (; !failed && (round < kMinRounds || !is_time_over(end)); ++round) {
        if (begins_a_life(round)) {
            if (round > 0) {
                total.add_counted();
                EXPECT_EQ(ARMCI_Finalize(), 0);
            }
            ASSERT_EQ(ARMCI_Init(), 0);
        }
        {
            Mix mix(round % 2 == 0 ? ARMCI_ACC_INT : ARMCI_ACC_LNG, round);
            for (int step = 0; step < kStepsOfAMix && !HasFailure(); ++step) {
                mix.step();
            }
            mix.check();
        }
        exercise_resources(common, round);
        if (round + 1 == kWarmUpRounds) {
            first = footprint_now();
        }
        std::vector<long> failures = {HasFailure() ? 1 : 0};
        sum_over_ranks(failures);
        failed = failures[0] != 0;
    }
    // Like the first one, while the library is running.
    const Footprint last = footprint_now();
    total.add_counted();
    EXPECT_EQ(ARMCI_Finalize(), 0);
    if (!failed) {
        EXPECT_LE(last.resident_bytes, first.resident_bytes + kAllowedGrowthBytes)
            << "rank " << me() << " keeps growing: " << first.resident_bytes << " bytes after "
            << kWarmUpRounds << " rounds";
        EXPECT_LE(last.descriptors, first.descriptors + kAllowedDescriptorsPerRank * nproc())
            << "descriptors of rank " << me();
        EXPECT_LE(last.threads, first.threads) << "threads of rank " << me();
    }
    // One line for each rank, and the sum.
    std::printf("soak: rank %d: resident %" PRId64 " KiB after the warm-up, %" PRId64
                " KiB at the end; %" PRId64 " descriptors, %" PRId64 " threads\n",
                me(), first.resident_bytes >> 10, last.resident_bytes >> 10, last.descriptors,
                last.threads);
    std::fflush(stdout);
    std::vector<long> sums = {static_cast<long>(total.operations), static_cast<long>(total.bytes),
                              HasFailure() ? 1 : 0};
    sum_over_ranks(sums);
    if (me() == 0) {
        std::printf("soak: provider %s: %" PRIu64
                    " rounds, %ld operations, %ld bytes, "
                    "%ld ranks with errors, seed %" PRIu64 "\n",
                    total.provider.c_str(), round, sums[0], sums[1], sums[2], base_seed());
        std::fflush(stdout);
    }
}

}  // namespace
}  // namespace armci::mp

int main(int argc, char** argv) {
    armci::mp::Program program;
    program.start_armci = false;  // it starts and stops many times
    return armci::mp::run_tests(argc, argv, program);
}
