// SPDX-License-Identifier: BSD-3-Clause
// A lock in shared memory, and the stripe locks that make accumulate atomic.
//
// The word is 0 if the lock is free, and 1 if it is held. Acquire pairs with the release in
// unlock(), so the next holder sees what one holder wrote. A waiter spins briefly, because the
// holder mostly keeps the lock for at most a stripe's worth of arithmetic. Then it yields its
// processor, because the holder may need it if there are more ranks than cores. No waiter has to be
// woken, so unlock() is a plain store, and a short accumulate costs little more than these two
// operations. No owner is recorded: a process that dies while it holds a lock ends the job, and the
// memory with it.
#pragma once

#include <atomic>
#include <cstdint>

namespace armci::node {

class SharedLock {
  public:
    void lock() {
        if (!try_lock()) [[unlikely]] {
            wait();
        }
    }

    bool try_lock() {
        uint32_t expected = 0;
        return state_.compare_exchange_strong(expected, 1, std::memory_order_acquire);
    }

    void unlock() { state_.store(0, std::memory_order_release); }

  private:
    void wait();

    std::atomic<uint32_t> state_{0};
};

// There is one lock for each granule of 16 KiB, by address modulo the number of stripes. All ranks
// of a node see the node heap at the same address, so an address alone names the stripe.
class StripedLocks {
  public:
    static constexpr int kStripes = 1024;
    static constexpr int64_t kGranuleBytes = 16 << 10;

    static uint32_t stripe_of(const void* address) {
        return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(address) / kGranuleBytes) %
               kStripes;
    }
    // Returns the bytes from `address` to the end of its granule.
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
