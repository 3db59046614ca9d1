// SPDX-License-Identifier: BSD-3-Clause
#include "base/hardware.h"

#include <hwloc.h>

#include <cstdlib>
#include <utility>

#include "base/processor_set.h"

namespace armci::base {

void Hardware::Destroy::operator()(hwloc_topology* topology) const {
    hwloc_topology_destroy(topology);
}

// `choose` says where the description comes from, and returns false if it cannot be had.
template <class Choose>
Hardware Hardware::load(Choose&& choose) {
    Hardware hardware;
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) {
        return hardware;
    }
    Handle owner(topology);
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    // Without the processors that a control group withholds, a device next to them would be next to
    // all others.
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (choose(topology) && hwloc_topology_load(topology) == 0) {
        hardware.topology_ = std::move(owner);
    }
    return hardware;
}

Hardware Hardware::of_this_host() {
    return load([](hwloc_topology_t) { return true; });
}

Hardware Hardware::from_synthetic(const std::string& text) {
    return load([&](hwloc_topology_t topology) {
        return hwloc_topology_set_synthetic(topology, text.c_str()) == 0;
    });
}

Hardware Hardware::from_xml(const std::string& path) {
    return load([&](hwloc_topology_t topology) {
        return hwloc_topology_set_xml(topology, path.c_str()) == 0;
    });
}

bool Hardware::restrict_to(const std::string& processors) {
    const ProcessorSet kept(processors);
    return is_known() &&
           hwloc_topology_allow(topology_.get(), kept.get(), nullptr, HWLOC_ALLOW_FLAG_CUSTOM) == 0;
}

std::string Hardware::processors_near(const std::string& bus_id) const {
    if (!is_known() || bus_id.empty()) {
        return {};
    }
    hwloc_obj_t device = hwloc_get_pcidev_by_busidstring(topology_.get(), bus_id.c_str());
    hwloc_obj_t near =
        device != nullptr ? hwloc_get_non_io_ancestor_obj(topology_.get(), device) : nullptr;
    return near != nullptr && near->cpuset != nullptr ? ProcessorSet(near->cpuset).text()
                                                      : std::string();
}

}  // namespace armci::base
