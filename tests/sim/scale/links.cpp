// SPDX-License-Identifier: BSD-3-Clause
#include "links.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <span>
#include <vector>

#include "armci/armci.h"
#include "child_process.h"
#include "core/routing/cost_setup.h"
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

    bool is_tcp() const { return provider[0] == 't'; }
    // Returns whether it is one of the links for which a tenth is promised.
    bool is_of_goal() const { return mbit_per_s <= 10000 && operation == 1 && is_tcp(); }
};
constexpr Link kLinks[] = {
    {"tcp", 10000, 2000, 1}, {"tcp", 10000, 0, 1},   {"cxi", 100000, 0, 6},  {"tcp", 1800, 2000, 1},
    {"tcp", 100, 0, 1},      {"tcp", 100, 200, 1},   {"tcp", 100, 2000, 1},  {"tcp", 1000, 0, 1},
    {"tcp", 1000, 200, 1},   {"tcp", 1000, 2000, 1}, {"tcp", 10000, 200, 1}, {"cxi", 100000, 0, 1},
    {"cxi", 10000, 10, 1},   {"cxi", 10000, 200, 6}, {"cxi", 1000, 200, 1},
};
constexpr size_t kSomeLinks = 4;

struct Shape {
    int block_bytes;
    int block_count;
    int stream = 64;  // puts to one fence, gets to one wait
};
constexpr Shape kShapes[] = {{64, 1024}, {256, 256},  {1024, 64},
                             {4096, 64}, {16384, 32}, {16384, 128, 16}};
constexpr int kShapeCount = std::size(kShapes);
constexpr int kOps = 4;
constexpr int kOpsAlone = 2;
constexpr const char* kOpNames[kOps] = {"put", "get", "puts", "gets"};
// Shorter than what is populated in the background, by a thread that is not simulated.
constexpr int64_t kSliceBytes = (4 << 20) - (16 << 10);
constexpr int kMeasuredRounds = 4;
constexpr int64_t kLearnNs = 1'000'000'000;
constexpr int kMaxLearnRounds = 40;
constexpr int kRoundsToStreams = 8;  // they take most of the study's time

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
    Program(const Link& link, const Setting& setting)
        : plan_(two_nodes(link, setting)), job_(plan_) {}

    Times run() {
        job_.run([this](int rank, int) { play(rank); }, [] {});
        return times_;
    }

  private:
    static Plan two_nodes(const Link& link, const Setting& setting) {
        // As they are by themselves.
        core::BufferPlan buffers = {.bytes = link.is_tcp() ? 512 << 10 : 256 << 10,
                                    .count = 16,
                                    .depth = 16,
                                    .receive_count = base::kAuto};
        core::plan_receive_buffers(link.is_tcp(), &buffers);
        Plan plan = make_study_plan(machine_of(link), 2);
        plan.provider.gathers_writes = link.is_tcp();
        plan.buffer_bytes = buffers.bytes;
        // On a fixed route a transfer may take all of them.
        plan.buffer_count =
            setting.route == base::RouteChoice::automatic ? base::kAuto : buffers.count;
        plan.receive_count = buffers.receive_count;
        plan.min_get_by_put = int64_t{1} << 40;
        plan.route = setting.route;
        plan.costs = setting.costs;
        return plan;
    }

    void transfer(int op, const Shape& shape) {
        int stride = 2 * shape.block_bytes;
        int counts[2] = {shape.block_bytes, shape.block_count};
        const int count = op < kOpsAlone ? 1 : shape.stream;
        for (int i = 0; i < count; ++i) {
            if (op % 2 == 0) {
                ARMCI_PutS(local_.data(), &stride, slices_[1], &stride, counts, 1, 1);
            } else {
                ARMCI_NbGetS(slices_[1], &stride, local_.data(), &stride, counts, 1, 1, nullptr);
            }
        }
        if (op % 2 == 0) {
            ARMCI_Fence(1);
        } else {
            ARMCI_WaitProc(1);
        }
    }

    void round(int ops, Times* times) {
        for (int i = 0; i < ops * kShapeCount; ++i) {
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
                round(i % kRoundsToStreams == 0 ? kOps : kOpsAlone, &ignored);
            }
            for (int i = 0; i < kMeasuredRounds; ++i) {
                round(kOps, &times_);
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
                           const Times times = Program(link, setting).run();
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

// The worst ratio of learned costs to the better route, to the prior, and of the prior to the
// better route.
struct Worst {
    double of_best = 0;
    double of_prior = 0;
    double prior_of_best = 0;
};

// Prints the rows that take longer than they may.
bool is_good(const std::array<Times, kSettingCount>& times, int first_op, double max_of_best,
             double max_of_prior, Worst* worst) {
    bool is_right = true;
    for (int i = first_op * kShapeCount; i < (first_op + kOpsAlone) * kShapeCount; ++i) {
        const auto us = [&](size_t setting) {
            return 1e-3 * static_cast<double>(times[setting][static_cast<size_t>(i)]) /
                   kMeasuredRounds;
        };
        const double best = std::min(us(2), us(3));
        worst->of_best = std::max(worst->of_best, us(1) / best);
        worst->of_prior = std::max(worst->of_prior, us(1) / us(0));
        worst->prior_of_best = std::max(worst->prior_of_best, us(0) / best);
        if (us(1) > max_of_best * best || us(1) > max_of_prior * us(0)) {
            const Shape& shape = kShapes[i % kShapeCount];
            std::printf("    %s %d x %d: prior %.1f, learned %.1f, rma %.1f, server %.1f us\n",
                        kOpNames[i / kShapeCount], shape.block_count, shape.block_bytes, us(0),
                        us(1), us(2), us(3));
            is_right = false;
        }
    }
    return is_right;
}

}  // namespace

bool check_links(bool all) {
    bool is_right = true;
    for (const Link& link : std::span(kLinks).first(all ? std::size(kLinks) : kSomeLinks)) {
        std::array<Times, kSettingCount> times;
        std::transform(std::begin(kSettings), std::end(kSettings), times.begin(),
                       [&](const Setting& setting) { return measure(link, setting); });
        Worst alone;
        Worst streams;
        const double max_of_streams = link.is_of_goal() ? 1.1 : 1.4;
        bool is_link_right = times[1][0] > 0;
        is_link_right &= is_good(times, 0, link.is_of_goal() ? 1.1 : 1.2, 1.2, &alone);
        is_link_right &= is_good(times, kOpsAlone, max_of_streams, max_of_streams, &streams);
        is_right &= is_link_right;
        std::printf(
            "%s of %6.0f Mbit/s, %4lld us, operations x %.1f: at worst learned %.2f of the "
            "best route and %.2f of the prior, the prior %.2f of the best; streams %.2f, %.2f, "
            "%.2f%s\n",
            link.provider, link.mbit_per_s, static_cast<long long>(link.delay_us), link.operation,
            alone.of_best, alone.of_prior, alone.prior_of_best, streams.of_best, streams.of_prior,
            streams.prior_of_best, is_link_right ? "" : "  <--");
    }
    return is_right;
}

}  // namespace armci::sim
