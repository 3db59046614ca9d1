// SPDX-License-Identifier: BSD-3-Clause
// Where an error was found: the program's call, and the functions that led to it.
#pragma once

namespace armci::base {

// Whether write_backtrace() writes anything. Until this is called ARMCI_BACKTRACE decides, because
// errors may come before the configuration.
void set_backtrace(bool wanted);

// Writes the place of the program's call of the library and the calling functions to standard
// error, each line with the rank in front (unless it is -1).
void write_backtrace(int rank);

}  // namespace armci::base
