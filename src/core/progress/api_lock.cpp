// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/api_lock.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/log.h"

namespace armci::core {

bool ApiLock::open() {
    event_ = node::Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    return event_.valid();
}

void ApiLock::yield() {
    wake_sleepers();
    mutex_.unlock();
    sched_yield();
    mutex_.lock();
}

void ApiLock::set_event() {
    const uint64_t one = 1;
    is_event_set_ = ::write(event_.get(), &one, sizeof one) == sizeof one;
    if (!is_event_set_) {
        ARMCI_LOG_DEBUG("waking threads that wait: %s", std::strerror(errno));
    }
}

void ApiLock::take_event() {
    uint64_t value = 0;
    if (::read(event_.get(), &value, sizeof value) != sizeof value) {
        ARMCI_LOG_DEBUG("no event for threads that wait: %s", std::strerror(errno));
    }
}

}  // namespace armci::core
