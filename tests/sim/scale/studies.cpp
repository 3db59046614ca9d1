// SPDX-License-Identifier: BSD-3-Clause
#include "studies.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "armci/armci.h"
#include "collectives.h"
#include "counted_memory.h"
#include "job.h"
#include "plan.h"
#include "simulation.h"
#include "timeline.h"

namespace armci::sim {
namespace {

constexpr int kPatchRows = 16;
constexpr int kRowBytes = 64;
constexpr int kRowStride = 128;
constexpr int64_t kSumBytes = 1 << 10;
constexpr int kNeighbours = 16;
constexpr int kBarriers = 4;
constexpr int kUnderWay = 64;  // non-blocking puts of a rank at a time

// A rank's slice.
struct Slice {
    long counter;
    double sums[kSumBytes / sizeof(double)];
    char patch[kPatchRows * kRowStride];
    char word[8];
};

// The patch that a rank puts. Few ranks have the same one, so that it needs little memory.
const char* patch_of(int rank) {
    constexpr int kPatches = 251;
    using Patch = std::array<char, kPatchRows * kRowStride>;
    static const std::vector<Patch> patches = [] {
        std::vector<Patch> made(kPatches);
        for (size_t i = 0; i < made.size(); ++i) {
            for (size_t byte = 0; byte < made[i].size(); ++byte) {
                made[i][byte] = static_cast<char>(i + 7 * (byte / kRowStride) + 3 * byte + 1);
            }
        }
        return made;
    }();
    return patches[static_cast<size_t>(rank) % kPatches].data();
}

class Studies {
  public:
    Studies(const Machine& machine, const StudyOptions& options)
        : options_(options),
          job_(make_study_plan(machine, options.nodes)),
          slices_(static_cast<size_t>(options.nodes)) {}

    std::vector<Result> run() {
        section_.name = "start";
        job_.run([this](int rank, int) { study(rank); }, [] {});
        add("stop", to_us(timed_ns() - section_.begin_ns), "us");
        return std::move(results_);
    }

  private:
    // Between two meetings of all ranks. The simulator lets them meet, in no time.
    struct Section {
        const char* name = "";
        int times = 1;  // that the ranks do it in this section
        int64_t begin_ns = 0;
        int64_t end_ns = 0;  // of the last rank so far
        MpiUse mpi;
        int arrived = 0;
        uint64_t number = 0;
    };

    static double to_us(int64_t ns) { return 1e-3 * static_cast<double>(ns); }
    int size() const { return options_.nodes; }
    int peer_count() const { return std::min(options_.peers, size() - 1); }

    void add(const std::string& name, double value, const char* unit) {
        results_.push_back({size(), name, value, unit});
    }

    void meet() {
        const uint64_t number = section_.number;
        section_.end_ns = std::max(section_.end_ns, timed_ns());
        if (++section_.arrived == size()) {
            end_section();
            for (int rank = 0; rank < size(); ++rank) {
                wake({rank, false}, section_.begin_ns);
            }
        }
        while (section_.number == number) {
            wait_for_event(kForever);
        }
        spend(std::max<int64_t>(section_.begin_ns - timed_ns(), 0));
    }

    void end_section() {
        const std::string name = section_.name;
        const MpiUse mpi = mpi_use() - section_.mpi;
        if (!name.empty()) {
            const int64_t ns = section_.end_ns - section_.begin_ns - mpi.ns;
            add(name, to_us(ns) / section_.times, "us");
            if (mpi.ns > 0) {
                add(name + " (MPI)", to_us(mpi.ns), "us");
                add(name + " (MPI), to a rank", static_cast<double>(mpi.bytes), "bytes");
            }
            if (name == "start" || name == "malloc" || name.starts_with("exchange")) {
                add("memory after " + name, per_rank(memory_.heap_bytes()), "bytes");
                add("memory in " + name, per_rank(memory_.most_heap_bytes()), "bytes");
                add("node memory after " + name, per_rank(node_bytes()), "bytes");
            }
        }
        memory_.forget_most();
        section_ = {.begin_ns = section_.end_ns,
                    .end_ns = section_.end_ns,
                    .mpi = mpi_use(),
                    .number = section_.number + 1};
    }

    double per_rank(int64_t bytes) const { return static_cast<double>(bytes) / size(); }
    int64_t node_bytes() {
        int64_t bytes = 0;
        for (int rank = 0; rank < size(); ++rank) {
            bytes += static_cast<int64_t>(job_.runtime(rank).node.heap.used_bytes());
        }
        return bytes;
    }

    // What all ranks do between this meeting and the next one.
    template <class Body>
    void measure(const char* name, int times, Body&& body) {
        meet();
        section_.name = name;
        section_.times = times;
        for (int i = 0; i < times; ++i) {
            body();
        }
    }
    template <class Body>
    void prepare(Body&& body) {
        measure("", 1, body);
    }

    Slice& slice(int rank) { return *static_cast<Slice*>(slices_[static_cast<size_t>(rank)]); }

    void count(int target, int number) {
        long before = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, &slice(target).counter, number, target);
    }

    void accumulate() {
        std::array<double, kSumBytes / sizeof(double)> ones;
        ones.fill(1);
        double scale = 1;
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones.data(), slice(0).sums, kSumBytes, 0);
        ARMCI_Fence(0);
    }

    void put_patch(int me, int target) {
        int stride = kRowStride;
        int counts[2] = {kRowBytes, kPatchRows};
        ARMCI_NbPutS(const_cast<char*>(patch_of(me)), &stride, slice(target).patch, &stride, counts,
                     1, target, nullptr);
    }

    // To ranks that are spread over the job, each beginning with another one.
    int distance(int peers) const { return (size() - 1) / peers; }
    void exchange(int me, int peers) {
        for (int i = 1; i <= peers; ++i) {
            put_patch(me, (me + i * distance(peers)) % size());
            if (i % kUnderWay == 0) {
                ARMCI_WaitAll();
            }
        }
        ARMCI_Barrier();
    }

    void put_word(int me, int target) {
        ARMCI_Put(const_cast<char*>(patch_of(me)), slice(target).word, sizeof(Slice::word), target);
    }

    int neighbour_count() const { return std::min(kNeighbours, size() - 1); }
    void fence_neighbours(int me) {
        for (int i = 1; i <= neighbour_count(); ++i) {
            put_word(me, (me + i) % size());
        }
        ARMCI_AllFence();
    }

    void fence_to_all(int me) {
        if (me == 0) {
            for (int target = 1; target < size(); ++target) {
                put_word(me, target);
            }
            ARMCI_AllFence();
        }
    }

    // The last one of several origins may have written each row.
    bool is_row_of(const char* row, int index, int me, int peers) const {
        for (int i = 1; i <= peers; ++i) {
            const int origin = (me - i * distance(peers) + i * size()) % size();
            if (std::memcmp(row, patch_of(origin) + index * kRowStride, kRowBytes) == 0) {
                return true;
            }
        }
        return false;
    }

    void check_patch(int me, int peers) {
        for (int i = 0; i < kPatchRows; ++i) {
            const char* row = slice(me).patch + i * kRowStride;
            const char* end = row + kRowStride;
            if (!is_row_of(row, i, me, peers) ||
                std::any_of(row + kRowBytes, end, [](char byte) { return byte != 0; })) {
                violation("rank %d: row %d of the patch is of no rank that has put it", me, i);
            }
        }
    }

    // Rank 0 writes last, but not to itself.
    void check_word(int me) {
        const char* word = slice(me).word;
        const auto is_of = [&](int rank) {
            return std::memcmp(word, patch_of(rank), sizeof(Slice::word)) == 0;
        };
        bool is_right = me != 0 && is_of(0);
        for (int i = 1; me == 0 && i <= neighbour_count(); ++i) {
            is_right = is_right || is_of(size() - i);
        }
        if (!is_right) {
            violation("rank %d: the word is not what was put last", me);
        }
    }

    void check(long counted, double sum) {
        if (slice(0).counter != counted || slice(0).sums[0] != sum) {
            violation("the counter is %ld, and should be %ld; a sum is %g, and should be %g",
                      slice(0).counter, counted, slice(0).sums[0], sum);
        }
    }

    void study(int me) {
        prepare([] { ARMCI_Barrier(); });
        measure("barrier", kBarriers, [] { ARMCI_Barrier(); });
        measure("malloc", 1, [this] { ARMCI_Malloc(slices_.data(), sizeof(Slice)); });
        prepare([&] { slice(me) = {}; });
        measure("fence, nothing to wait for", 1, [] { ARMCI_AllFence(); });
        prepare([&] { count((me + 1) % size(), 0); });  // servers are awake then
        measure("counter, first use", 1, [&] { count(0, 1); });
        measure("counter", 1, [&] { count(0, 1); });
        measure("accumulate", 1, [&] { accumulate(); });
        prepare([&] { exchange(me, peer_count()); });
        measure("exchange", 1, [&] { exchange(me, peer_count()); });
        prepare([&] { check_patch(me, peer_count()); });
        prepare([&] { fence_neighbours(me); });
        measure("fence to neighbours", 1, [&] { fence_neighbours(me); });
        prepare([&] { fence_to_all(me); });
        measure("fence to all", 1, [&] { fence_to_all(me); });
        if (size() <= options_.most_with_all) {
            prepare([&] { exchange(me, size() - 1); });
            measure("exchange with all", 1, [&] { exchange(me, size() - 1); });
            prepare([&] { check_patch(me, size() - 1); });
        }
        prepare([] { ARMCI_Barrier(); });
        if (me == 0) {
            check(2L * size(), size());
        }
        check_word(me);
        measure("free", 1, [&] { ARMCI_Free(&slice(me)); });
        meet();
    }

    StudyOptions options_;
    CountedMemory memory_;
    CountedMemory::Scope counting_;
    Job job_;
    std::vector<void*> slices_;  // one list for all ranks: they have the same addresses
    Section section_;
    std::vector<Result> results_;
};

}  // namespace

Plan make_study_plan(const Machine& machine, int nodes) {
    Plan plan;
    plan.machine = &machine;
    plan.ranks_of_node.assign(static_cast<size_t>(nodes), 1);
    ProviderPlan& provider = plan.provider;
    provider.message_order = FI_ORDER_SAS | FI_ORDER_SAW | FI_ORDER_WAW | FI_ORDER_RMA_WAW;
    provider.ordered_bytes = size_t{1} << 30;
    provider.memory_mode = FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED;
    provider.transmit_size = 1024;
    provider.iov_limit = 4;
    provider.rma_iov_limit = 4;
    provider.largest_bytes = size_t{1} << 30;
    provider.wait = fabric::WaitMode::fd;
    provider.ends_early = true;
    provider.whole = 1000;
    plan.buffer_bytes = 16 << 10;
    plan.buffer_count = 4;
    plan.receive_count = 8;
    plan.register_min_bytes = 16 << 10;
    plan.min_rma_block = 0;
    plan.explicit_progress = true;
    plan.spin_ns = 100'000;
    plan.processors = 64;
    plan.settles = {false};
    return plan;
}

std::vector<Result> run_studies(const Machine& machine, const StudyOptions& options) {
    begin_run(1, false, "");
    return Studies(machine, options).run();
}

}  // namespace armci::sim
