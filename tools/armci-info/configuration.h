// The configuration table as text.
#pragma once

#include <cstdio>

namespace armci::info {

// Name, type, default, value, where the value came from, and help, of every variable.
void print_configuration(std::FILE* out);

// docs/tuning.md: the same table without values, which differ from machine to machine.
void print_markdown(std::FILE* out);

}  // namespace armci::info
