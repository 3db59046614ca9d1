// SPDX-License-Identifier: BSD-3-Clause
// Kinds of machines, as hwloc describes them, and how a job is placed on a node of each.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/machine.h"

namespace armci::info {

struct KnownMachine {
    std::string name;
    base::Machine machine;
    std::vector<std::string> adapters;  // names, in the order of the question
};
std::vector<KnownMachine> known_machines();

// Prints the section of docs/tuning.md about them.
void print_places(std::FILE* out);

}  // namespace armci::info
