// SPDX-License-Identifier: BSD-3-Clause
#include "base/topology.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

#include "base/log.h"

namespace armci::base {
namespace {

struct BitmapFree {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapFree>;

class Topology {
  public:
    Topology() {
        if (hwloc_topology_init(&topology_) != 0) {
            topology_ = nullptr;
            return;
        }
        hwloc_topology_set_io_types_filter(topology_, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
        if (hwloc_topology_load(topology_) != 0) {
            hwloc_topology_destroy(topology_);
            topology_ = nullptr;
        }
    }
    ~Topology() {
        if (topology_ != nullptr) {
            hwloc_topology_destroy(topology_);
        }
    }
    Topology(const Topology&) = delete;
    Topology& operator=(const Topology&) = delete;

    hwloc_topology_t get() const { return topology_; }

  private:
    hwloc_topology_t topology_ = nullptr;
};

}  // namespace

std::string allowed_processors() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return {};
    }
    const Bitmap bitmap(hwloc_bitmap_alloc());
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &set)) {
            hwloc_bitmap_set(bitmap.get(), cpu);
        }
    }
    char* text = nullptr;
    if (hwloc_bitmap_asprintf(&text, bitmap.get()) < 0) {
        return {};
    }
    std::string result(text);
    std::free(text);
    return result;
}

int spare_processor(const std::string& rank_processors, const std::string& nic_bus_id, int number) {
    const Topology topology;
    if (topology.get() == nullptr) {
        return -1;
    }
    const Bitmap spare(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology.get())));
    std::istringstream list(rank_processors + ';');  // getline drops an empty last item
    for (std::string one; std::getline(list, one, ';');) {
        const Bitmap used(hwloc_bitmap_alloc());
        // A rank whose binding is unknown may run anywhere, so nothing is spare.
        if (one.empty() || hwloc_bitmap_sscanf(used.get(), one.c_str()) != 0) {
            return -1;
        }
        hwloc_bitmap_andnot(spare.get(), spare.get(), used.get());
    }
    if (hwloc_bitmap_iszero(spare.get())) {
        return -1;
    }
    if (!nic_bus_id.empty()) {
        hwloc_obj_t nic = hwloc_get_pcidev_by_busidstring(topology.get(), nic_bus_id.c_str());
        hwloc_obj_t near =
            nic != nullptr ? hwloc_get_non_io_ancestor_obj(topology.get(), nic) : nullptr;
        if (near != nullptr && near->cpuset != nullptr &&
            hwloc_bitmap_intersects(near->cpuset, spare.get())) {
            hwloc_bitmap_and(spare.get(), spare.get(), near->cpuset);
        }
    }
    int processor = hwloc_bitmap_first(spare.get());
    for (; number > 0 && processor >= 0; --number) {
        processor = hwloc_bitmap_next(spare.get(), processor);
    }
    return processor;
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
    static const Topology topology;
    if (topology.get() == nullptr) {
        return;
    }
    const Bitmap here(hwloc_bitmap_alloc());
    if (hwloc_get_cpubind(topology.get(), here.get(), HWLOC_CPUBIND_PROCESS) != 0 ||
        hwloc_set_area_membind(topology.get(), start, bytes, here.get(), HWLOC_MEMBIND_BIND, 0) !=
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
