// SPDX-License-Identifier: BSD-3-Clause
// What every multi-rank test knows about its job: ranks, amount of work, random numbers.
//
// Nothing here calls ARMCI except where a comment says so. The harness synchronises through a
// communicator of its own, so that it neither supports nor hides the library's own synchronisation.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace armci::mp {

// Rank and number of ranks in MPI_COMM_WORLD, which is also the library's world.
int me();
int nproc();
// The neighbours in the ring of all ranks.
int right();
int left();

// A duplicate of MPI_COMM_WORLD that only the harness and the tests' own checks use.
MPI_Comm harness_comm();

// Waits for an MPI request and yields the processor meanwhile: there may be more ranks than cores.
void finish(MPI_Request request);

// A plain MPI barrier on harness_comm(): orders ranks, completes nothing.
void sync();

// Sends bytes to one rank and receives as many from another.
void exchange(const void* sent, int to, void* received, int from, int64_t bytes);

// Replaces each number by its sum over the ranks. Collective.
void sum_over_ranks(std::vector<long>& numbers);

// Scales a loop count by TEST_EFFORT: low = 1/8 (at least 1), normal = 1, high = 8.
int64_t scaled(int64_t normal_count);

// Whether the library looks for mistakes (ARMCI_CHECK). It then reports some calls that are allowed
// without it; tests/errors has them.
bool is_checking();

// Reports an impossible situation (not a finding of a test) and ends the job.
[[noreturn]] void give_up(const std::string& why);

// Pseudo-random numbers that depend only on the seed, the running test and `stream`, on every
// machine.
class Rng {
  public:
    explicit Rng(uint64_t seed) : engine_(seed) {}

    uint64_t bits() { return engine_(); }
    // Uniform in lowest..highest, both included.
    int64_t between(int64_t lowest, int64_t highest) {
        const uint64_t width = static_cast<uint64_t>(highest - lowest) + 1;
        return lowest + static_cast<int64_t>(bits() % width);
    }
    bool chance(int percent) { return between(1, 100) <= percent; }

    template <typename T>
    const T& pick(const std::vector<T>& choices) {
        return choices[bits() % choices.size()];
    }

    template <typename T>
    void shuffle(std::vector<T>& items) {
        for (size_t left = items.size(); left > 1; --left) {
            std::swap(items[left - 1], items[bits() % left]);
        }
    }

  private:
    std::mt19937_64 engine_;
};

// The same numbers on every rank; different streams are independent.
Rng common_rng(uint64_t stream = 0);
// Different numbers on every rank.
Rng rank_rng(uint64_t stream = 0);

// The seed everything derives from: TEST_SEED or a constant.
uint64_t base_seed();

// Called by the harness only.
void begin_job();
void end_job();

}  // namespace armci::mp
