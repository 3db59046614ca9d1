// SPDX-License-Identifier: BSD-3-Clause
#include "node/heap_keeper.h"

#include <algorithm>

#include "base/clock.h"
#include "base/futex.h"
#include "base/log.h"

namespace armci::node {

uint64_t keep_limit(uint64_t max_bytes, int64_t spare_bytes, uint64_t kept_on_host_bytes,
                    uint64_t kept_bytes) {
    constexpr uint64_t kShareOfSpare = 4;
    if (spare_bytes <= 0) {
        return 0;
    }
    const uint64_t spare = static_cast<uint64_t>(spare_bytes) + kept_on_host_bytes;
    const uint64_t on_host = std::min(max_bytes, spare / kShareOfSpare);
    // The nodes change what they keep while these numbers are read.
    const uint64_t by_others =
        kept_on_host_bytes > kept_bytes ? kept_on_host_bytes - kept_bytes : 0;
    return on_host > by_others ? on_host - by_others : 0;
}

void HeapKeeper::start(const NodeHeap& heap, const KeeperOptions& options) {
    heap_ = heap;
    options_ = options;
}

void HeapKeeper::stop() {
    if (thread_.is_started()) {
        state_.store(kEnds);
        base::futex_wake(&state_, 1);
        thread_.join();
    }
}

bool HeapKeeper::has_thread() {
    if (!thread_.is_started() && !is_refused_) {
        is_refused_ = !thread_.start<&HeapKeeper::run>(kThreadName, *this);
        if (is_refused_) {
            ARMCI_LOG_DEBUG("freed memory is not kept, because the system refuses a thread");
        }
    }
    return !is_refused_;
}

void HeapKeeper::release(uint32_t record) {
    if (options_.max_bytes == 0 || !has_thread()) {
        heap_.release(record);
        return;
    }
    look();
    heap_.release(record, NodeHeap::Pages::keep);
    heap_.give_back(heap_.control().keeping.limit.load());
    uint32_t sleeps = kSleeps;
    if (state_.compare_exchange_strong(sleeps, kLooks)) {
        base::futex_wake(&state_, 1);
    }
}

// Finds out how much may be kept, if that is not known from a moment ago.
void HeapKeeper::look() {
    Keeping& keeping = heap_.control().keeping;
    const int64_t now_ns = base::now_ns();
    int64_t due_ns = keeping.next_look_ns.load();
    if (now_ns >= due_ns &&
        keeping.next_look_ns.compare_exchange_strong(due_ns, now_ns + options_.look_ns)) {
        const uint64_t kept_bytes = heap_.kept_bytes();
        keeping.limit.store(keep_limit(options_.max_bytes, spare_memory(options_.files),
                                       heap_.kept_on_host_bytes(), kept_bytes));
    }
}

void HeapKeeper::run() {
    constexpr int64_t kLongUs = int64_t{3600} * 1'000'000;  // it is woken earlier
    while (state_.load() != kEnds) {
        uint32_t looks = kLooks;
        if (heap_.kept_bytes() > 0) {
            base::futex_wait(&state_, kLooks, options_.look_ns / 1000);
            look();
            heap_.give_back(heap_.control().keeping.limit.load(),
                            base::now_ns() - options_.kept_ns);
        } else if (state_.compare_exchange_strong(looks, kSleeps)) {
            // Memory that was kept since the look above did not wake this thread, as it was not
            // asleep yet.
            if (heap_.kept_bytes() == 0) {
                base::futex_wait(&state_, kSleeps, kLongUs);
            }
            uint32_t sleeps = kSleeps;
            state_.compare_exchange_strong(sleeps, kLooks);
        }
    }
}

}  // namespace armci::node
