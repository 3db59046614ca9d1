// SPDX-License-Identifier: BSD-3-Clause
// A machine that is described: its parts, and how a job would be placed on a node of that kind.
#pragma once

#include <string>
#include <vector>

#include "base/placement.h"

namespace armci::base {

// hwloc reads the file or the synthetic description. If both are empty, it is the machine on which
// this process runs, with the processors that it may use, or what hwloc's variables name instead.
struct Machine {
    std::string synthetic;  // "package:2 numa:4 core:16 pu:1"
    std::string file;       // as lstopo writes XML
    std::string allowed;    // the processors that a job gets; empty: as described
    PlacementQuestion question;
};

// Places the ranks of the question.
Placement place_on(const Machine& machine);

// An adapter for networks with RMA.
struct AdapterPart {
    std::string name;         // hwloc's
    unsigned pci_vendor = 0;  // 0: not known
    std::string near;         // the processors next to it, as hwloc writes bitmaps
    std::string near_list;    // the same for people: "0-15,64-79"
};

struct MachineParts {
    bool is_known = false;  // false: hwloc cannot read the description
    // The processors of each core, and each processor, of those that a job may use.
    std::vector<std::string> cores;
    std::vector<std::string> processors;
    std::string all_processors;
    std::vector<AdapterPart> adapters;  // by name
};

MachineParts parts_of(const Machine& machine);

}  // namespace armci::base
