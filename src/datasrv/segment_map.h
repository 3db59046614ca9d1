// SPDX-License-Identifier: BSD-3-Clause
// The global memory of this node as its data server knows it: what remote requests may touch.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/domain.h"

namespace armci::datasrv {

// Disjoint ranges of addresses, sorted; looked up for every request. One thread at a time.
class SegmentMap {
  public:
    // False when the range overlaps one that is there.
    bool add(uint64_t begin, uint64_t bytes, fabric::Region region);
    bool remove(uint64_t begin);
    void clear() { segments_.clear(); }

    // Whether [address, address + bytes) lies inside one segment; bytes > 0.
    bool contains(uint64_t address, uint64_t bytes) const;

  private:
    struct Segment {
        uint64_t begin;
        uint64_t end;
        fabric::Region region;
    };
    std::vector<Segment> segments_;
    mutable size_t last_hit_ = 0;
};

}  // namespace armci::datasrv
