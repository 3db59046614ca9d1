// SPDX-License-Identifier: BSD-3-Clause
#include "base/topology.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "base/hardware.h"
#include "base/log.h"
#include "base/processor_set.h"

namespace armci::base {
std::string allowed_processors() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return {};
    }
    const ProcessorSet processors;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) {
            hwloc_bitmap_set(processors.get(), static_cast<unsigned>(cpu));
        }
    }
    return processors.text();
}

bool bind_this_thread(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
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

ProcessorBits processor_bits() {
    ProcessorBits bits{};
    cpu_set_t set;
    static_assert(CPU_SETSIZE == 64 * std::tuple_size_v<ProcessorBits>);
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
            if (CPU_ISSET(cpu, &set)) {
                bits[cpu / 64] |= uint64_t{1} << (cpu % 64);
            }
        }
    }
    return bits;
}

int count_processors(const ProcessorBits& bits) {
    int count = 0;
    for (const uint64_t word : bits) {
        count += std::popcount(word);
    }
    return std::max(count, 1);
}

}  // namespace armci::base
