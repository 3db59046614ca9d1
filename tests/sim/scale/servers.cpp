// SPDX-License-Identifier: BSD-3-Clause
#include "servers.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <numeric>
#include <vector>

#include "armci/armci.h"
#include "job.h"
#include "machine.h"
#include "plan.h"
#include "simulation.h"
#include "studies.h"
#include "timeline.h"

namespace armci::sim {
namespace {

constexpr int kOrigins = 8;
constexpr int kRanksOfNode = 4;  // the most servers of one
constexpr int64_t kArrayPartBytes = 64 << 10;
// That each origin adds in all: so much that the first round trips hardly count.
constexpr int64_t kOriginBytes = 4 << 20;
constexpr int64_t kAddedBytes[] = {1 << 10, 16 << 10, 64 << 10};
constexpr double kLeastGain = 1.8;  // of two servers
// With one server, because short accumulates share frames while it is busy.
constexpr double kMostOfLonger = 1.1;
constexpr int kAddedCount = std::size(kAddedBytes);

struct ServerTimes {
    double us[kAddedCount] = {};
};

Plan make_plan(const Machine& machine, int servers) {
    Plan plan = make_study_plan(machine, kOrigins + 1);
    plan.ranks_of_node.assign(kOrigins + 1, kRanksOfNode);
    plan.servers_per_node = servers;
    plan.buffer_bytes = 256 << 10;
    plan.buffer_count = 16;
    plan.receive_count = 16;
    return plan;
}

class ServerStudy {
  public:
    ServerStudy(const Machine& machine, int servers)
        : job_(make_plan(machine, servers)), slices_(kRanks) {}

    ServerTimes run() {
        job_.run([this](int rank, int) { study(rank); }, [] {});
        return times_;
    }

  private:
    static constexpr int kRanks = (kOrigins + 1) * kRanksOfNode;

    static bool is_target(int rank) { return rank < kRanksOfNode; }
    static bool is_origin(int rank) { return !is_target(rank) && rank % kRanksOfNode == 0; }
    double* slice(int rank) { return static_cast<double*>(slices_[static_cast<size_t>(rank)]); }

    // The simulator lets all ranks meet, in no time.
    void meet() {
        const uint64_t number = meetings_;
        last_ns_ = std::max(last_ns_, timed_ns());
        if (++arrived_ == kRanks) {
            arrived_ = 0;
            ++meetings_;
            for (int rank = 0; rank < kRanks; ++rank) {
                wake({rank, false}, last_ns_);
            }
        }
        while (meetings_ == number) {
            wait_for_event(kForever);
        }
        spend(std::max<int64_t>(last_ns_ - timed_ns(), 0));
    }

    // Adds one to each number of a piece, one piece after the other. Each origin begins with
    // another rank.
    void accumulate(int me, int64_t bytes) {
        std::vector<double> ones(static_cast<size_t>(bytes) / sizeof(double), 1);
        double scale = 1;
        int count = static_cast<int>(bytes);
        const int pieces = static_cast<int>(kArrayPartBytes / bytes);
        for (int64_t i = 0; i < kOriginBytes / bytes; ++i) {
            const int64_t number = i + me / kRanksOfNode;
            const int target = static_cast<int>(number % kRanksOfNode);
            const int64_t piece = number / kRanksOfNode % pieces;
            ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, ones.data(), nullptr,
                         slice(target) + piece * bytes / static_cast<int64_t>(sizeof(double)),
                         nullptr, &count, 0, target, nullptr);
        }
        ARMCI_WaitAll();
        ARMCI_AllFence();
    }

    void study(int me) {
        ARMCI_Malloc(slices_.data(), is_target(me) ? kArrayPartBytes : 8);
        std::memset(slice(me), 0, is_target(me) ? kArrayPartBytes : 8);
        ARMCI_Barrier();
        for (int size = 0; size < kAddedCount; ++size) {
            if (size == 0 && is_origin(me)) {
                accumulate(me, kAddedBytes[size]);  // it introduces itself
            }
            meet();
            const int64_t begin_ns = last_ns_;
            if (is_origin(me)) {
                accumulate(me, kAddedBytes[size]);
            }
            meet();
            times_.us[size] = 1e-3 * static_cast<double>(last_ns_ - begin_ns);
        }
        ARMCI_Barrier();
        if (is_target(me)) {
            check(me);
        }
        ARMCI_Barrier();
        ARMCI_Free(slice(me));
    }

    void check(int me) {
        const double added = std::accumulate(slice(me), slice(me) + kArrayPartBytes / 8, 0.0);
        sum_ += added;
        if (++checked_ == kRanksOfNode &&
            sum_ != (1.0 + kAddedCount) * kOrigins * kOriginBytes / sizeof(double)) {
            violation("the numbers of the array add up to %g", sum_);
        }
    }

    Job job_;
    std::vector<void*> slices_;  // one list for all ranks: they have the same addresses
    uint64_t meetings_ = 0;
    int arrived_ = 0;
    int64_t last_ns_ = 0;
    int checked_ = 0;
    double sum_ = 0;
    ServerTimes times_;
};

}  // namespace

bool check_servers() {
    constexpr int kServers[] = {1, 2, 4};
    bool is_right = true;
    std::printf("| servers of the node |");
    for (const int64_t bytes : kAddedBytes) {
        std::printf(" %lld KiB each, us |  |", static_cast<long long>(bytes >> 10));
    }
    std::printf("\n");
    ServerTimes first;
    for (const int servers : kServers) {
        begin_run(1, false, "");
        const ServerTimes times = ServerStudy(guessed_machine("cxi"), servers).run();
        if (servers == 1) {
            first = times;
            is_right = is_right && times.us[0] <= kMostOfLonger * times.us[1];
        }
        std::printf("| %d |", servers);
        for (int size = 0; size < kAddedCount; ++size) {
            const double gain = first.us[size] / times.us[size];
            std::printf(" %.0f | %.2f |", times.us[size], gain);
            is_right = is_right && (servers != 2 || gain >= kLeastGain);
        }
        std::printf("\n");
    }
    return is_right;
}

}  // namespace armci::sim
