// SPDX-License-Identifier: BSD-3-Clause
#include "node/copy_engine.h"

#include <algorithm>
#include <atomic>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/futex.h"
#include "base/thread.h"
#include "node/accumulate.h"

namespace armci::node {
namespace {

constexpr uint64_t kSlots = 64;
constexpr int64_t kSpinNs = 20'000;                      // further requests often follow at once
constexpr int64_t kSleepUs = int64_t{3600} * 1'000'000;  // it is woken earlier

void carry_out(const CopyRequest& request) {
    if (request.stripes != nullptr) {
        accumulate(*request.stripes, request.scale, request.layout, request.local, request.remote);
    } else {
        strided::copy(request.layout, request.local, request.remote, request.direction);
    }
}

// `submitted_` and `completed_` count requests; the slot of request n is n modulo kSlots. The
// release of each count by its writer pairs with the acquire of the other thread. Both sides use
// sequentially consistent order for `is_asleep_`. So a submitter that does not see `is_asleep_` has
// made its request visible before the sleeper looks for it again.
class CopyThread final : public CopyEngine {
  public:
    ~CopyThread() override {
        stopping_.store(true);
        wake();
        thread_.join();
    }

    bool start() { return thread_.start<&CopyThread::run>(kCopyThreadName, *this); }

    int submit(const CopyRequest* requests, int count) override {
        const uint64_t begin = submitted_.load(std::memory_order_relaxed);
        const uint64_t room = kSlots - (begin - completed_.load(std::memory_order_acquire));
        const int taken = static_cast<int>(std::min<uint64_t>(room, static_cast<uint64_t>(count)));
        for (int i = 0; i < taken; ++i) {
            slots_[(begin + static_cast<uint64_t>(i)) % kSlots] = requests[i];
        }
        if (taken > 0) {
            submitted_.store(begin + static_cast<uint64_t>(taken));
            if (is_asleep_.load() != 0) {
                wake();
            }
        }
        return taken;
    }

    uint64_t completed() override { return completed_.load(std::memory_order_acquire); }

  private:
    void wake() {
        is_asleep_.store(0);
        base::futex_wake(&is_asleep_, 1);
    }

    void run() {
        int64_t idle_since_ns = 0;
        base::Backoff backoff;
        for (;;) {
            const uint64_t next = completed_.load(std::memory_order_relaxed);
            if (next != submitted_.load(std::memory_order_acquire)) {
                const CopyRequest& request = slots_[next % kSlots];
                carry_out(request);
                completed_.store(next + 1, std::memory_order_release);
                idle_since_ns = 0;
                backoff.reset();
                continue;
            }
            if (stopping_.load()) {
                return;
            }
            const int64_t now = base::now_ns();
            if (idle_since_ns == 0) {
                idle_since_ns = now;
            }
            if (now - idle_since_ns < kSpinNs) {
                backoff.pause();
                continue;
            }
            is_asleep_.store(1);
            if (submitted_.load() == next && !stopping_.load()) {
                base::futex_wait(&is_asleep_, 1, kSleepUs);
            }
            is_asleep_.store(0);
            idle_since_ns = 0;
        }
    }

    alignas(64) std::atomic<uint64_t> submitted_{0};
    std::atomic<uint32_t> is_asleep_{0};
    alignas(64) std::atomic<uint64_t> completed_{0};
    std::atomic<bool> stopping_{false};
    CopyRequest slots_[kSlots];
    base::Thread thread_;
};

}  // namespace

std::unique_ptr<CopyEngine> make_copy_thread() {
    auto engine = std::make_unique<CopyThread>();
    if (!engine->start()) {
        return nullptr;
    }
    return engine;
}

}  // namespace armci::node
