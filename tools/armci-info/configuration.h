// SPDX-License-Identifier: BSD-3-Clause
// The configuration table as text.
#pragma once

#include <cstdio>

#include "base/config.h"

namespace armci::info {

// From the environment, with all errors that ARMCI_Init would report.
base::ConfigResult read_configuration();

// Prints the errors that keep a job from starting, to standard error; returns whether there are
// any.
bool print_errors(const base::ConfigResult& configuration);

// Prints name, type, default, value, source of the value, and help, of every variable.
void print_configuration(std::FILE* out, const base::ConfigResult& configuration);

// docs/tuning.md: the same table without values, which differ from machine to machine.
void print_markdown(std::FILE* out);

}  // namespace armci::info
