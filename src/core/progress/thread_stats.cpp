// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/thread_stats.h"

#include <memory>
#include <vector>

#include "base/mutex.h"

namespace armci::core {
namespace {

struct alignas(64) Words {
    base::Stats stats;
    bool is_taken = false;
};

struct Registry {
    base::Mutex mutex;
    std::vector<std::unique_ptr<Words>> all ARMCI_GUARDED_BY(mutex);
};

// It is never destroyed, because threads may outlive the end of main().
Registry& registry() {
    static Registry& instance = *new Registry;
    return instance;
}

class Holder {
  public:
    Holder() {
        Registry& shared = registry();
        const base::MutexLock lock(shared.mutex);
        for (const auto& words : shared.all) {
            if (!words->is_taken) {
                words_ = words.get();
            }
        }
        if (words_ == nullptr) {
            words_ = shared.all.emplace_back(std::make_unique<Words>()).get();
        }
        words_->is_taken = true;
    }
    ~Holder() {
        const base::MutexLock lock(registry().mutex);
        words_->is_taken = false;
    }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

    base::Stats& stats() { return words_->stats; }

  private:
    Words* words_ = nullptr;
};

base::Stats& mine() {
    static thread_local Holder holder;
    return holder.stats();
}

// Only the owner writes the word; other threads may read it meanwhile.
void add(uint64_t& word, uint64_t value) {
    __atomic_store_n(&word, word + value, __ATOMIC_RELAXED);
}

uint64_t load(const uint64_t& word) {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

}  // namespace

void reset_thread_stats() {
    Registry& shared = registry();
    const base::MutexLock lock(shared.mutex);
    for (const auto& words : shared.all) {
        words->stats = base::Stats{};
    }
}

void count_by_thread(base::OpKind op, int64_t bytes) {
    base::Counter& counter =
        mine().transfers[static_cast<int>(op)][static_cast<int>(base::Route::local)];
    add(counter.operations, 1);
    add(counter.bytes, static_cast<uint64_t>(bytes));
}

void count_rmw_by_thread() {
    add(mine().rmw, 1);
}

base::Stats with_thread_stats(const base::Stats& own) {
    base::Stats sum = own;
    Registry& shared = registry();
    const base::MutexLock lock(shared.mutex);
    for (const auto& words : shared.all) {
        for (int op = 0; op < base::kOpKindCount; ++op) {
            constexpr int kLocal = static_cast<int>(base::Route::local);
            const base::Counter& counter = words->stats.transfers[op][kLocal];
            sum.transfers[op][kLocal].operations += load(counter.operations);
            sum.transfers[op][kLocal].bytes += load(counter.bytes);
        }
        sum.rmw += load(words->stats.rmw);
    }
    return sum;
}

}  // namespace armci::core
