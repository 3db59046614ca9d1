// SPDX-License-Identifier: BSD-3-Clause
#include "base/topology.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

int processor_count() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace armci::base
