// SPDX-License-Identifier: BSD-3-Clause
// A setting of its own decides whether the kernel gives huge pages to memory that processes share.
#pragma once

#include <string>

namespace armci::node {

// Returns a description for the user, which says what to set if there are no huge pages. `root` is
// empty except in tests.
std::string describe_huge_pages(const std::string& root);

}  // namespace armci::node
