// SPDX-License-Identifier: BSD-3-Clause
// Sleeping on a 32-bit word that may lie in memory shared between processes.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

namespace armci::base {

// Sleeps while *word == expected, at most timeout_us, so that a lost wake-up costs no more than
// that.
inline void futex_wait(std::atomic<uint32_t>* word, uint32_t expected, int64_t timeout_us) {
    const timespec timeout{timeout_us / 1'000'000, (timeout_us % 1'000'000) * 1000};
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT, expected, &timeout, nullptr,
            0);
}

inline void futex_wake(std::atomic<uint32_t>* word, int waiters) {
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE, waiters, nullptr, nullptr, 0);
}

static_assert(sizeof(std::atomic<uint32_t>) == 4 && std::atomic<uint32_t>::is_always_lock_free);

}  // namespace armci::base
