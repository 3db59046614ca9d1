// SPDX-License-Identifier: BSD-3-Clause
// The configuration table as text.
#pragma once

#include <cstdio>

#include "base/config.h"

namespace armci::info {

// From the environment, with all that ARMCI_Init would complain about.
base::ConfigResult read_configuration();

// Prints what keeps a job from starting, to standard error; whether there is anything.
bool print_errors(const base::ConfigResult& configuration);

// Name, type, default, value, where the value came from, and help, of every variable.
void print_configuration(std::FILE* out, const base::ConfigResult& configuration);

// docs/tuning.md: the same table without values, which differ from machine to machine.
void print_markdown(std::FILE* out);

}  // namespace armci::info
