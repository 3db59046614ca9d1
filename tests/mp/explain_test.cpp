// SPDX-License-Identifier: BSD-3-Clause
// What armci-info --explain prints is what happens. Unlike the other tests, this one uses internals
// of the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "armci/armcix.h"
#include "core/routing/explain.h"
#include "core/runtime/runtime.h"
#include "support/job.h"

namespace armci::mp {
namespace {

constexpr int kBlocks[] = {8, 96, 1024, 4096, 10000, 20000, 50000};
constexpr int kCounts[] = {1, 2, 20};
constexpr int64_t kLargest = int64_t{2} * 20 * 50000;

struct Memory {
    Memory() : remote(nproc()) {
        ARMCI_Malloc(remote.data(), kLargest);
        std::memset(remote[me()], 0, kLargest);
        local.resize(kLargest);
        ARMCI_Barrier();
    }
    ~Memory() {
        ARMCI_Barrier();
        ARMCI_Free(remote[me()]);
    }
    std::vector<void*> remote;
    std::vector<char> local;
};

enum class Habit { fences, does_not_fence };

// Makes the library expect that a fence follows the next put, or that none does. Nothing is under
// way afterwards.
void take_up(Habit habit, Memory& memory, int target) {
    void* local = memory.local.data();
    void* remote = memory.remote[target];
    ARMCI_Put(local, remote, 8, target);
    if (habit == Habit::fences) {
        ARMCI_Fence(target);
    } else {
        ARMCI_Put(local, remote, 8, target);
        ARMCI_Get(remote, local, kLargest, target);
    }
}

// Returns how many puts were copied and written from the copy.
uint64_t copied_puts() {
    uint64_t count = 0;
    if (const core::Network* network = core::running()->network.get(); network != nullptr) {
        network->origin.channels().for_each(
            [&](const pipeline::Channel& channel) { count += channel.last_copy; });
    }
    return count;
}

struct Taken {
    std::string route;
    bool is_copied = false;
};

// The route of a transfer, from the counters.
Taken route_taken(base::OpKind op, Memory& memory, int block_count, int block_bytes, int target,
                  Habit habit) {
    int count[] = {block_bytes, block_count};
    int stride[] = {2 * block_bytes};
    double scale = 2;
    armcix_stats_t before;
    armcix_stats_t after;
    ARMCI_AllFence();
    take_up(habit, memory, target);
    const uint64_t copied_before = copied_puts();
    ARMCIX_Stats(&before, sizeof before);
    void* local = memory.local.data();
    void* remote = memory.remote[target];
    const armcix_counter_t* counters[] = {before.put, before.get, before.acc};
    const armcix_counter_t* counted[] = {after.put, after.get, after.acc};
    switch (op) {
        case base::OpKind::put:
            ARMCI_PutS(local, stride, remote, stride, count, 1, target);
            break;
        case base::OpKind::get:
            ARMCI_GetS(remote, stride, local, stride, count, 1, target);
            break;
        case base::OpKind::acc:
            ARMCI_AccS(ARMCI_ACC_DBL, &scale, local, stride, remote, stride, count, 1, target);
            break;
    }
    ARMCIX_Stats(&after, sizeof after);
    Taken taken;
    taken.is_copied = copied_puts() > copied_before;
    for (const base::Route route : {base::Route::local, base::Route::rma, base::Route::server}) {
        const auto index = static_cast<int>(route);
        if (counted[static_cast<int>(op)][index].operations !=
            counters[static_cast<int>(op)][index].operations) {
            taken.route += base::name_of(route);
        }
    }
    return taken;
}

bool has_line_for_fenced(const std::vector<std::string>& lines, const std::string& route) {
    const std::string begin =
        "       where each one is followed by a fence: " + route + ", because ";
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.rfind(begin, 0) == 0; });
}

// A wait that other ranks end tells nothing about the network: they may come as late as they like.
TEST(Explain, WaitsForOtherRanksAreNotLearned) {
    constexpr int kBytes = 64 << 10;
    core::Network* network = core::running()->network.get();
    const int other = nproc() - 1;
    std::vector<void*> slices(static_cast<size_t>(nproc()));
    ARMCI_Malloc(slices.data(), kBytes);
    std::vector<char> local(kBytes);
    const auto samples = [&] {
        return network == nullptr ? int64_t{0}
                                  : network->learning.learned(core::Link::host).samples() +
                                        network->learning.learned(core::Link::network).samples();
    };
    const bool measures =
        network != nullptr && me() == 0 && !core::running()->world.on_my_node(other);
    if (measures) {
        network->learning.open(network->costs, {.learns = true});
        ARMCI_AllFence();
        for (int i = 0; i < 4; ++i) {  // nothing else is under way then
            ARMCI_Put(local.data(), slices[static_cast<size_t>(other)], kBytes, other);
            ARMCI_Fence(other);
        }
    }
    for (int i = 0; i < 32; ++i) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        if (measures && i % 2 == 0) {
            ARMCI_Put(local.data(), slices[static_cast<size_t>(other)], kBytes, other);
        } else if (measures) {
            ARMCI_NbGet(slices[static_cast<size_t>(other)], local.data(), kBytes, other, &handle);
        }
        for (int k = 0; me() == other && k < 10; ++k) {  // it comes later
            ARMCI_Get(slices[0], local.data(), kBytes, 0);
        }
        const int64_t learned = samples();  // it may have ended already
        armci_msg_barrier();
        ARMCI_Wait(&handle);
        EXPECT_EQ(samples(), learned);
        ARMCI_AllFence();
    }
    ARMCI_Barrier();
    ARMCI_Free(slices[static_cast<size_t>(me())]);
}

TEST(Explain, NamesTheRouteThatATransferTakes) {
    Memory memory;
    // Learned costs have the other route tried now and then.
    if (core::Network* network = core::running()->network.get(); network != nullptr) {
        network->learning.open(network->costs, {.learns = false});
    }
    bool has_fenced_line = false;
    bool has_copied = false;
    for (int target = 0; target < nproc() && me() == 0; ++target) {
        for (const base::OpKind op : {base::OpKind::put, base::OpKind::get, base::OpKind::acc}) {
            for (const int block_count : kCounts) {
                for (const int block_bytes : kBlocks) {
                    const std::vector<std::string> lines = core::explain_transfer(
                        core::running()->progress, op, block_count, block_bytes, target);
                    ASSERT_GE(lines.size(), 2U);
                    const std::string taken = route_taken(op, memory, block_count, block_bytes,
                                                          target, Habit::does_not_fence)
                                                  .route;
                    EXPECT_EQ(lines[1].rfind("route: " + taken + ", because ", 0), 0U)
                        << lines[0] << "\n"
                        << lines[1] << "\ntaken: " << taken;
                    const Taken fenced =
                        route_taken(op, memory, block_count, block_bytes, target, Habit::fences);
                    const bool has_line = has_line_for_fenced(lines, fenced.route);
                    EXPECT_EQ(has_line, fenced.is_copied || fenced.route != taken)
                        << lines[0] << "\n"
                        << "taken before a fence: " << fenced.route;
                    has_fenced_line |= has_line;
                    has_copied |= fenced.is_copied;
                }
            }
        }
    }
    core::Network* network = core::running()->network.get();
    if (me() == 0 && network != nullptr) {
        const base::RouteChoice choice = core::running()->config().route_choice();
        const bool takes_frames = network->origin.fences().take_messages() &&
                                  choice == base::RouteChoice::automatic &&
                                  network->costs.max_fenced_frame() >= 4096;
        EXPECT_EQ(has_fenced_line, network->rma_usable && (takes_frames || has_copied));
    }
}

// Where local memory must be registered, transfers of a length that are copied register now and
// then, and the data arrives either way.
TEST(Explain, SaysWhichTransfersRegisterTheirMemory) {
    constexpr int kBytes = 20000;
    Memory memory;
    const core::Network* network = core::running()->network.get();
    const int target = nproc() - 1;
    const bool is_between_nodes =
        network != nullptr && me() == 0 && !core::running()->world.on_my_node(target);
    for (int i = 0; is_between_nodes && i < 4 * pipeline::RegistrationCosts::kTrialPeriods[0];
         ++i) {
        std::memset(memory.local.data(), i, kBytes);
        ARMCI_Put(memory.local.data(), memory.remote[target], kBytes, target);
        std::memset(memory.local.data(), 0, kBytes);
        ARMCI_Get(memory.remote[target], memory.local.data(), kBytes, target);
        ASSERT_EQ(memory.local[0], static_cast<char>(i));
        ASSERT_EQ(std::memcmp(memory.local.data(), memory.local.data() + 1, kBytes - 1), 0);
    }
    if (is_between_nodes) {
        const std::vector<std::string> lines =
            core::explain_transfer(core::running()->progress, base::OpKind::put, 1, kBytes, target);
        const bool says_it = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
            return line.rfind("local memory of rma: ", 0) == 0;
        });
        EXPECT_EQ(says_it, network->domain.needs_local_registration());
        const bool registers = network->domain.needs_local_registration() && network->rma_usable &&
                               network->origin.registrations().learns();
        EXPECT_EQ(network->origin.registrations().registrations() > 0, registers);
    }
}

// All ranks choose the same route: they all use the costs of one rank.
TEST(Explain, AllRanksHaveTheSameCosts) {
    const core::Network* network = core::running()->network.get();
    if (network == nullptr) {
        EXPECT_EQ(ARMCIX_Node_count(), 1);
        return;
    }
    std::vector<long> min;
    for (const base::OpKind op : {base::OpKind::put, base::OpKind::get}) {
        for (int bits = 0; bits < 40; ++bits) {
            min.push_back(network->costs.min_rma_block(op, int64_t{1} << bits) % 1000003);
        }
    }
    std::vector<long> sums = min;
    sum_over_ranks(sums);
    for (size_t i = 0; i < min.size(); ++i) {
        EXPECT_EQ(sums[i], nproc() * min[i]) << i;
    }
}

}  // namespace
}  // namespace armci::mp
