// SPDX-License-Identifier: BSD-3-Clause
// How the tools find out that what they have printed is lost: on a full disk, for example.
#pragma once

namespace armci::tools {

// To be called before any file is opened. Where the caller has closed standard output, the first
// file would take its place, and get what is printed. Afterwards printing fails instead.
void reserve_standard_output();

// Writes what has been printed. Returns the status, or 1 with a message if the status is 0 and
// something is lost. A pipe whose reader has ended gives no message.
int finish_standard_output(const char* program, int status);

}  // namespace armci::tools
