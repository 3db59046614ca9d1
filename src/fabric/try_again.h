// SPDX-License-Identifier: BSD-3-Clause
// Calls of libfabric that open something may be refused for a moment (-FI_EAGAIN), for example
// until another process has given back what a card has few of.
#pragma once

#include <rdma/fi_errno.h>
#include <time.h>

#include "base/clock.h"

namespace armci::fabric {

// Repeats call() while it returns -FI_EAGAIN, for five seconds at most, and returns its last
// result.
template <class Call>
int try_again(Call&& call) {
    constexpr int64_t kPatienceNs = 5'000'000'000;
    constexpr timespec kNap{0, 1'000'000};
    const int64_t end_ns = base::now_ns() + kPatienceNs;
    int result = call();
    while (result == -FI_EAGAIN && base::now_ns() < end_ns) {
        nanosleep(&kNap, nullptr);
        result = call();
    }
    return result;
}

}  // namespace armci::fabric
