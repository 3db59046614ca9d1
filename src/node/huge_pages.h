// SPDX-License-Identifier: BSD-3-Clause
// Whether the kernel gives huge pages to memory that processes share, which is a setting of its
// own.
#pragma once

#include <string>

namespace armci::node {

// In words for the user, with what to set if there are none. `root` is empty but in tests.
std::string describe_huge_pages(const std::string& root);

}  // namespace armci::node
