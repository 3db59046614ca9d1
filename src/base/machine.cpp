// SPDX-License-Identifier: BSD-3-Clause
#include "base/machine.h"

#include <hwloc.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/hardware.h"
#include "base/processor_set.h"
#include "base/topology.h"

namespace armci::base {
namespace {

Hardware describe(const Machine& machine) {
    Hardware hardware = !machine.file.empty()        ? Hardware::from_xml(machine.file)
                        : !machine.synthetic.empty() ? Hardware::from_synthetic(machine.synthetic)
                                                     : Hardware::of_this_host();
    // hwloc's variables (HWLOC_XMLFILE) may put another machine in the place of this one.
    const bool is_here = hardware.is_known() && hwloc_topology_is_thissystem(hardware.get()) != 0;
    const std::string allowed =
        is_here && machine.allowed.empty() ? processors_text(processor_bits()) : machine.allowed;
    if (!allowed.empty() && !hardware.restrict_to(allowed)) {
        hardware = {};
    }
    return hardware;
}

// Returns the processors of each object of a type, without those that a job does not get.
std::vector<std::string> allowed_of_each(hwloc_topology_t topology, hwloc_obj_type_t type) {
    const ProcessorSet allowed(hwloc_topology_get_allowed_cpuset(topology));
    std::vector<std::string> each;
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
        ProcessorSet inside(object->cpuset);
        inside.keep(allowed);
        if (!inside.is_empty()) {
            each.push_back(inside.text());
        }
    }
    return each;
}

bool has_openfabrics(hwloc_obj_t pci_device) {
    for (hwloc_obj_t child = pci_device->io_first_child; child != nullptr;
         child = child->next_sibling) {
        if (child->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS) {
            return true;
        }
    }
    return false;
}

// Says whether it stands for an adapter. Slingshot's are network devices called hsn0, hsn1, ...,
// to which some versions of hwloc add one of OpenFabrics.
bool is_adapter(hwloc_obj_t device) {
    if (device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS) {
        return true;
    }
    return device->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK && device->name != nullptr &&
           std::strncmp(device->name, "hsn", 3) == 0 &&
           (device->parent == nullptr || device->parent->type != HWLOC_OBJ_PCI_DEVICE ||
            !has_openfabrics(device->parent));
}

// Names end with numbers, so a longer one comes later.
bool comes_before(const AdapterPart& a, const AdapterPart& b) {
    return std::pair(a.name.size(), std::string_view(a.name)) <
           std::pair(b.name.size(), std::string_view(b.name));
}

std::vector<AdapterPart> adapters_of(hwloc_topology_t topology) {
    std::vector<AdapterPart> adapters;
    hwloc_obj_t device = nullptr;
    while ((device = hwloc_get_next_osdev(topology, device)) != nullptr) {
        if (!is_adapter(device)) {
            continue;
        }
        hwloc_obj_t beside = hwloc_get_non_io_ancestor_obj(topology, device);
        const ProcessorSet near(beside->cpuset);
        hwloc_obj_t pci = device->parent;
        adapters.push_back({.name = device->name != nullptr ? device->name : "?",
                            .pci_vendor = pci != nullptr && pci->type == HWLOC_OBJ_PCI_DEVICE
                                              ? pci->attr->pcidev.vendor_id
                                              : 0U,
                            .near = near.text(),
                            .near_list = near.list_text()});
    }
    std::sort(adapters.begin(), adapters.end(), comes_before);
    return adapters;
}

}  // namespace

Placement place_on(const Machine& machine) {
    return place_node(describe(machine), machine.question);
}

MachineParts parts_of(const Machine& machine) {
    const Hardware hardware = describe(machine);
    MachineParts parts;
    if (!hardware.is_known()) {
        return parts;
    }
    parts.is_known = true;
    parts.cores = allowed_of_each(hardware.get(), HWLOC_OBJ_CORE);
    parts.processors = allowed_of_each(hardware.get(), HWLOC_OBJ_PU);
    parts.all_processors = ProcessorSet(hwloc_topology_get_allowed_cpuset(hardware.get())).text();
    parts.adapters = adapters_of(hardware.get());
    return parts;
}

}  // namespace armci::base
