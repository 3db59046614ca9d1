// SPDX-License-Identifier: BSD-3-Clause
#include "base/topology.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/hardware.h"
#include "base/log.h"
#include "base/processor_set.h"

namespace armci::base {
// The system takes sets of any size, whose bits are in words of this type.
static_assert(sizeof(unsigned long) == sizeof(ProcessorBits::value_type));

bool bind_this_thread(int processor) {
    ProcessorBits bits{};
    const auto number = static_cast<size_t>(processor);
    if (number / 64 >= bits.size()) {
        return false;
    }
    bits[number / 64] = uint64_t{1} << (number % 64);
    return sched_setaffinity(0, sizeof bits, reinterpret_cast<cpu_set_t*>(bits.data())) == 0;
}

void place_memory(void* start, size_t bytes) {
    // Loading a topology takes milliseconds. Most machines of tests, and many of users, have one
    // NUMA node, so this file is looked at first.
    if (access("/sys/devices/system/node/node1", F_OK) != 0) {
        return;
    }
    static const Hardware hardware = Hardware::of_this_host();
    if (!hardware.is_known()) {
        return;
    }
    const ProcessorSet here;
    if (hwloc_get_cpubind(hardware.get(), here.get(), HWLOC_CPUBIND_PROCESS) != 0 ||
        hwloc_set_area_membind(hardware.get(), start, bytes, here.get(), HWLOC_MEMBIND_BIND, 0) !=
            0) {
        ARMCI_LOG_INFO("the system places pipeline memory as it likes: %s", std::strerror(errno));
    }
}

// The system refuses a set that has no room for all processors that its host could have.
ProcessorBits processor_bits(decltype(&sched_getaffinity) ask) {
    ProcessorBits bits{};
    if (ask(0, sizeof bits, reinterpret_cast<cpu_set_t*>(bits.data())) != 0) {
        return {};
    }
    return bits;
}

std::string processors_text(const ProcessorBits& bits) {
    const ProcessorSet processors;
    for (unsigned cpu = 0; cpu < 64 * bits.size(); ++cpu) {
        if ((bits[cpu / 64] >> (cpu % 64) & 1) != 0) {
            hwloc_bitmap_set(processors.get(), cpu);
        }
    }
    return processors.is_empty() ? std::string() : processors.text();
}

int count_processors(const ProcessorBits& bits) {
    int count = 0;
    for (const uint64_t word : bits) {
        count += std::popcount(word);
    }
    return std::max(count, 1);
}

}  // namespace armci::base
