// SPDX-License-Identifier: BSD-3-Clause
// Bytes that many processes of a simulated job get alike, such as the addresses of all nodes. With
// thousands of nodes, a copy for each would fill the host. So whole pages are mapped, and copied
// when one is written.
#pragma once

#include <cstddef>
#include <vector>

#include "base/descriptor.h"

namespace armci::sim {

class SharedBytes {
  public:
    // The pieces follow each other. All places must lie in their pages as `place` does.
    SharedBytes(const std::vector<std::vector<char>>& pieces, const char* place);

    // Returns false if it lies otherwise, or the system has no more mappings.
    bool put_at(char* place) const;

  private:
    base::Descriptor file_;
    size_t lead_;  // from the beginning of a page
    size_t bytes_ = 0;
};

}  // namespace armci::sim
