// SPDX-License-Identifier: BSD-3-Clause
#include "base/scheduling.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/log.h"

namespace armci::base {
namespace {

// The kernel's struct sched_attr in its first version; glibc before 2.41 does not declare it.
struct SchedulingAttributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns;
    uint64_t deadline_ns;
    uint64_t period_ns;
};

constexpr uint64_t kShortestSliceNs = 100'000;  // the kernel's own lower limit

}  // namespace

void ask_for_short_slices() {
    SchedulingAttributes attributes{};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
        attributes.policy != SCHED_OTHER) {
        return;  // this thread was given a policy on purpose
    }
    attributes.size = sizeof attributes;
    attributes.runtime_ns = kShortestSliceNs;
    if (syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) {
        ARMCI_LOG_DEBUG("the kernel does not take a wish for short time slices: %s",
                        std::strerror(errno));
    }
}

}  // namespace armci::base
