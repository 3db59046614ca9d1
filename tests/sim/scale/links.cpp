// SPDX-License-Identifier: BSD-3-Clause
#include "links.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "armci/armci.h"
#include "child_process.h"
#include "job.h"
#include "plan.h"
#include "simulation.h"
#include "studies.h"
#include "timeline.h"

namespace armci::sim {
namespace {

// A link, and how much more an operation costs the adapter and the processors than the prior says.
struct Link {
    const char* provider;  // whose row of the provider table is the prior
    double mbit_per_s;
    int64_t delay_us;
    double operation;

    // Returns whether it is one of the links for which a tenth is promised.
    bool is_of_goal() const { return mbit_per_s <= 10000 && operation == 1 && provider[0] == 't'; }
};
constexpr Link kLinks[] = {
    {"tcp", 100, 0, 1},      {"tcp", 100, 200, 1},   {"tcp", 100, 2000, 1}, {"tcp", 1000, 0, 1},
    {"tcp", 1000, 200, 1},   {"tcp", 1000, 2000, 1}, {"tcp", 10000, 0, 1},  {"tcp", 10000, 200, 1},
    {"tcp", 10000, 2000, 1}, {"cxi", 100000, 0, 1},  {"cxi", 10000, 10, 1}, {"cxi", 100000, 0, 6},
    {"cxi", 10000, 200, 6},  {"cxi", 1000, 200, 1},
};

struct Shape {
    int block_bytes;
    int block_count;
};
constexpr Shape kShapes[] = {{64, 1024}, {256, 256}, {1024, 64}, {4096, 64}, {16384, 32}};
constexpr int kShapeCount = std::size(kShapes);
constexpr int kOps = 2;
constexpr int64_t kSliceBytes = 2 << 20;
constexpr int kMeasuredRounds = 8;
constexpr int64_t kLearnNs = 1'000'000'000;
constexpr int kMaxLearnRounds = 40;

struct Setting {
    const char* name;
    base::RouteChoice route;
    base::CostChoice costs;
};
constexpr Setting kSettings[] = {
    {"prior", base::RouteChoice::automatic, base::CostChoice::prior},
    {"learned", base::RouteChoice::automatic, base::CostChoice::learned},
    {"rma", base::RouteChoice::rma, base::CostChoice::learned},
    {"server", base::RouteChoice::server, base::CostChoice::learned},
};
constexpr int kSettingCount = std::size(kSettings);

// By operation and shape, in nanoseconds.
using Times = std::array<int64_t, size_t{kOps} * kShapeCount>;

Machine machine_of(const Link& link) {
    Machine machine = guessed_machine(link.provider);
    machine.byte_ns = 8000 / link.mbit_per_s;
    machine.latency_ns += 1000 * link.delay_us;
    const auto scaled = [&](int64_t ns) {
        return static_cast<int64_t>(link.operation * static_cast<double>(ns));
    };
    machine.gap_ns = scaled(machine.gap_ns);
    machine.overhead_ns = scaled(machine.overhead_ns);
    return machine;
}

class Program {
  public:
    Program(const Machine& machine, const Setting& setting)
        : plan_(two_nodes(machine, setting)), job_(plan_) {}

    Times run() {
        job_.run([this](int rank, int) { play(rank); }, [] {});
        return times_;
    }

  private:
    static Plan two_nodes(const Machine& machine, const Setting& setting) {
        Plan plan = make_study_plan(machine, 2);
        plan.buffer_bytes = 256 << 10;
        plan.buffer_count = 16;
        plan.receive_count = 32;
        plan.min_get_by_put = int64_t{1} << 40;
        plan.route = setting.route;
        plan.costs = setting.costs;
        return plan;
    }

    void transfer(int op, const Shape& shape) {
        int stride = 2 * shape.block_bytes;
        int counts[2] = {shape.block_bytes, shape.block_count};
        if (op == 0) {
            ARMCI_PutS(local_.data(), &stride, slices_[1], &stride, counts, 1, 1);
            ARMCI_Fence(1);
        } else {
            ARMCI_GetS(slices_[1], &stride, local_.data(), &stride, counts, 1, 1);
        }
    }

    void round(Times* times) {
        for (int i = 0; i < kOps * kShapeCount; ++i) {
            const int64_t begin_ns = timed_ns();
            transfer(i / kShapeCount, kShapes[i % kShapeCount]);
            (*times)[static_cast<size_t>(i)] += timed_ns() - begin_ns;
        }
    }

    void play(int me) {
        ARMCI_Malloc(slices_.data(), kSliceBytes);
        ARMCI_Barrier();
        if (me == 0) {
            Times ignored{};
            const int64_t begin_ns = timed_ns();
            for (int i = 0; i < kMaxLearnRounds && timed_ns() - begin_ns < kLearnNs; ++i) {
                round(&ignored);
            }
            for (int i = 0; i < kMeasuredRounds; ++i) {
                round(&times_);
            }
        }
        ARMCI_Barrier();
        ARMCI_Free(slices_[static_cast<size_t>(me)]);
    }

    Plan plan_;
    Job job_;
    std::vector<void*> slices_ = std::vector<void*>(2);
    std::vector<char> local_ = std::vector<char>(kSliceBytes);
    Times times_{};
};

// In a process of its own, which gives back all memory.
Times measure(const Link& link, const Setting& setting) {
    std::FILE* out = std::tmpfile();
    const int status = test::ChildProcess([&] {
                           begin_run(1, false, "");
                           const Machine machine = machine_of(link);
                           const Times times = Program(machine, setting).run();
                           std::fwrite(times.data(), sizeof times, 1, out);
                           std::fflush(out);
                           return 0;
                       }).wait();
    Times times{};
    std::rewind(out);
    if (status != 0 || std::fread(times.data(), sizeof times, 1, out) != 1) {
        std::fprintf(stderr, "armci_scale: a job ended with status %d\n", status);
        times.fill(0);
    }
    std::fclose(out);
    return times;
}

}  // namespace

bool check_links() {
    constexpr double kMaxOfPrior = 1.2;
    bool is_right = true;
    for (const Link& link : kLinks) {
        std::array<Times, kSettingCount> times;
        std::transform(std::begin(kSettings), std::end(kSettings), times.begin(),
                       [&](const Setting& setting) { return measure(link, setting); });
        const double max_of_best = link.is_of_goal() ? 1.1 : 1.2;
        double worst_of_best = 0;
        double worst_of_prior = 0;
        double prior_of_best = 0;
        for (size_t i = 0; i < times[0].size(); ++i) {
            const auto us = [&](size_t setting) {
                return 1e-3 * static_cast<double>(times[setting][i]) / kMeasuredRounds;
            };
            const double best = std::min(us(2), us(3));
            worst_of_best = std::max(worst_of_best, us(1) / best);
            worst_of_prior = std::max(worst_of_prior, us(1) / us(0));
            prior_of_best = std::max(prior_of_best, us(0) / best);
            if (us(1) > max_of_best * best || us(1) > kMaxOfPrior * us(0)) {
                const Shape& shape = kShapes[i % kShapeCount];
                std::printf("    %s %d x %d: prior %.1f, learned %.1f, rma %.1f, server %.1f us\n",
                            i < kShapeCount ? "put" : "get", shape.block_count, shape.block_bytes,
                            us(0), us(1), us(2), us(3));
            }
        }
        const bool is_good =
            worst_of_best <= max_of_best && worst_of_prior <= kMaxOfPrior && times[1][0] > 0;
        is_right &= is_good;
        std::printf(
            "%s of %6.0f Mbit/s, %4lld us, operations x %.1f: at worst learned %.2f of the "
            "best route and %.2f of the prior, the prior %.2f of the best%s\n",
            link.provider, link.mbit_per_s, static_cast<long long>(link.delay_us), link.operation,
            worst_of_best, worst_of_prior, prior_of_best, is_good ? "" : "  <--");
    }
    return is_right;
}

}  // namespace armci::sim
