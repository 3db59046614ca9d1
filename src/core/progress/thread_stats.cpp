// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/thread_stats.h"

#include "base/per_thread.h"

namespace armci::core {
namespace {

using ThreadStats = base::PerThread<base::Stats>;

// Only the owner writes the word; other threads may read it meanwhile.
void add(uint64_t& word, uint64_t value) {
    __atomic_store_n(&word, word + value, __ATOMIC_RELAXED);
}

uint64_t load(const uint64_t& word) {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

}  // namespace

void reset_thread_stats() {
    ThreadStats::for_each([](base::Stats& stats) { stats = {}; });
}

void count_by_thread(base::OpKind op, int64_t bytes) {
    base::Counter& counter =
        ThreadStats::mine().transfers[static_cast<int>(op)][static_cast<int>(base::Route::local)];
    add(counter.operations, 1);
    add(counter.bytes, static_cast<uint64_t>(bytes));
}

void count_rmw_by_thread() {
    add(ThreadStats::mine().rmw, 1);
}

base::Stats with_thread_stats(const base::Stats& own) {
    base::Stats sum = own;
    ThreadStats::for_each([&](const base::Stats& stats) {
        for (int op = 0; op < base::kOpKindCount; ++op) {
            constexpr int kLocal = static_cast<int>(base::Route::local);
            const base::Counter& counter = stats.transfers[op][kLocal];
            sum.transfers[op][kLocal].operations += load(counter.operations);
            sum.transfers[op][kLocal].bytes += load(counter.bytes);
        }
        sum.rmw += load(stats.rmw);
    });
    return sum;
}

}  // namespace armci::core
