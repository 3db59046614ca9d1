// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/call_times.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>
#include <numeric>

#include "base/per_thread.h"

namespace armci::core {
namespace {

constexpr size_t kRows = 64;
constexpr const char* kOthers = "further functions";

// The owner publishes a row by its function, which it writes last and once.
struct Row {
    std::atomic<const char*> function{nullptr};
    base::Route route = base::Route::local;
    std::atomic<uint64_t> total_ns{0};
    std::atomic<uint64_t> min_ns{UINT64_MAX};
    std::atomic<uint64_t> max_ns{0};
    std::atomic<uint64_t> buckets[CallTimes::kBuckets]{};
};
using Rows = std::array<Row, kRows>;
using AllRows = base::PerThread<Rows>;

constexpr auto kRelaxed = std::memory_order_relaxed;

// Only the owner writes the word.
void add(std::atomic<uint64_t>& word, uint64_t value) {
    word.store(word.load(kRelaxed) + value, kRelaxed);
}

// Returns the row of the function. What has no room shares the last row.
Row& row_of(Rows& rows, const char* function, base::Route route) {
    for (Row& row : rows) {
        const char* owner = row.function.load(kRelaxed);
        if (owner == function && row.route == route) {
            return row;
        }
        if (owner == nullptr) {
            const bool is_last = &row == &rows.back();
            row.route = is_last ? base::Route::local : route;
            row.function.store(is_last ? kOthers : function, std::memory_order_release);
            return row;
        }
    }
    return rows.back();
}

bool is_same(const CallTimes& times, const char* function, base::Route route) {
    return times.route == route && std::strcmp(times.function, function) == 0;
}

void add_row(const Row& row, std::vector<CallTimes>* all) {
    const char* function = row.function.load(std::memory_order_acquire);
    if (function == nullptr) {
        return;
    }
    uint64_t buckets[CallTimes::kBuckets];
    std::transform(std::begin(row.buckets), std::end(row.buckets), buckets,
                   [](const auto& bucket) { return bucket.load(std::memory_order_acquire); });
    const uint64_t count = std::accumulate(std::begin(buckets), std::end(buckets), uint64_t{0});
    if (count == 0) {
        return;
    }
    auto found = std::find_if(all->begin(), all->end(), [&](const CallTimes& times) {
        return is_same(times, function, row.route);
    });
    if (found == all->end()) {
        CallTimes times;
        times.function = function;
        times.route = row.route;
        times.min_ns = UINT64_MAX;
        found = all->insert(found, times);
    }
    found->count += count;
    found->total_ns += row.total_ns.load(kRelaxed);
    found->min_ns = std::min(found->min_ns, row.min_ns.load(kRelaxed));
    found->max_ns = std::max(found->max_ns, row.max_ns.load(kRelaxed));
    for (int bucket = 0; bucket < CallTimes::kBuckets; ++bucket) {
        found->buckets[bucket] += buckets[bucket];
    }
}

}  // namespace

// A row keeps its function, so that its thread finds it again.
void reset_call_times() {
    AllRows::for_each([](Rows& rows) {
        for (Row& row : rows) {
            row.total_ns.store(0, kRelaxed);
            row.min_ns.store(UINT64_MAX, kRelaxed);
            row.max_ns.store(0, kRelaxed);
            for (std::atomic<uint64_t>& bucket : row.buckets) {
                bucket.store(0, kRelaxed);
            }
        }
    });
}

void count_call(const char* function, base::Route route, int64_t ns) {
    const auto time_ns = static_cast<uint64_t>(std::max<int64_t>(ns, 0));
    Row& row = row_of(AllRows::mine(), function, route);
    add(row.total_ns, time_ns);
    row.min_ns.store(std::min(row.min_ns.load(kRelaxed), time_ns), kRelaxed);
    row.max_ns.store(std::max(row.max_ns.load(kRelaxed), time_ns), kRelaxed);
    const int bucket = static_cast<int>(std::bit_width(time_ns | 1)) - 1;
    // A reader that sees the call here sees the rest of it, too.
    std::atomic<uint64_t>& word = row.buckets[std::min(bucket, CallTimes::kBuckets - 1)];
    word.store(word.load(kRelaxed) + 1, std::memory_order_release);
}

std::vector<CallTimes> call_times() {
    std::vector<CallTimes> all;
    AllRows::for_each([&](const Rows& rows) {
        for (const Row& row : rows) {
            add_row(row, &all);
        }
    });
    std::sort(all.begin(), all.end(), [](const CallTimes& a, const CallTimes& b) {
        const int order = std::strcmp(a.function, b.function);
        return order != 0 ? order < 0 : a.route < b.route;
    });
    return all;
}

}  // namespace armci::core
