// SPDX-License-Identifier: BSD-3-Clause
#include "base/wake_up.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace armci::base {

bool WakeUp::open() {
    event_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    return event_.valid();
}

bool WakeUp::set() const {
    const uint64_t one = 1;
    return ::write(event_.get(), &one, sizeof one) == sizeof one;
}

bool WakeUp::take() const {
    uint64_t value = 0;
    return ::read(event_.get(), &value, sizeof value) == sizeof value;
}

}  // namespace armci::base
