// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/api_lock.h"

#include <sched.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"

namespace armci::core {

void ApiLock::yield() {
    wake_sleepers();
    mutex_.unlock();
    sched_yield();
    mutex_.lock();
}

void ApiLock::set_event() {
    is_event_set_ = event_.set();
    if (!is_event_set_) {
        ARMCI_LOG_DEBUG("waking threads that wait: %s", std::strerror(errno));
    }
}

void ApiLock::take_event() {
    if (!event_.take()) {
        ARMCI_LOG_DEBUG("no event for threads that wait: %s", std::strerror(errno));
    }
}

}  // namespace armci::core
