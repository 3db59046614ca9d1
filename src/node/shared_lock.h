// A lock in shared memory, and the stripes of them that make accumulate atomic.
//
// State of the word: 0 free, 1 held, 2 held and somebody may sleep. Acquire pairs with the release
// in unlock(), so what one holder wrote the next one sees. A waiter spins briefly, because the
// holder keeps the lock for at most a stripe's worth of arithmetic, and then sleeps on the word:
// with more ranks than cores the holder may need this core. No owner is recorded: a process that
// dies inside ends the job, and the memory with it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/backoff.h"
#include "base/futex.h"

namespace armci::node {

class SharedLock {
  public:
    void lock() {
        uint32_t expected = 0;
        if (state_.compare_exchange_strong(expected, 1, std::memory_order_acquire)) {
            return;
        }
        for (int turn = 0; turn < kSpinTurns; ++turn) {
            base::cpu_pause();
            expected = 0;
            if (state_.load(std::memory_order_relaxed) == 0 &&
                state_.compare_exchange_weak(expected, 1, std::memory_order_acquire)) {
                return;
            }
        }
        while (state_.exchange(2, std::memory_order_acquire) != 0) {
            base::futex_wait(&state_, 2, kSleepUs);
        }
    }

    void unlock() {
        if (state_.exchange(0, std::memory_order_release) == 2) {
            base::futex_wake(&state_, 1);
        }
    }

  private:
    static constexpr int kSpinTurns = 100;
    static constexpr int64_t kSleepUs = 100'000;

    std::atomic<uint32_t> state_{0};
};

// One lock per 16 KiB of address, modulo the number of stripes. All ranks of a node see the node
// heap at the same address, so an address alone names the stripe.
class StripedLocks {
  public:
    static constexpr int kStripes = 1024;
    static constexpr int64_t kGranuleBytes = 16 << 10;

    static uint32_t stripe_of(const void* address) {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) / kGranuleBytes) %
               kStripes;
    }
    // Bytes from `address` to the end of its granule.
    static int64_t bytes_to_boundary(const void* address) {
        return kGranuleBytes -
               static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) % kGranuleBytes);
    }

    SharedLock& operator[](uint32_t stripe) { return stripes_[stripe].lock; }

  private:
    struct alignas(64) Stripe {
        SharedLock lock;
    };
    Stripe stripes_[kStripes];
};

static_assert((StripedLocks::kStripes & (StripedLocks::kStripes - 1)) == 0);

}  // namespace armci::node
