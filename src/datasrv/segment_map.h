// SPDX-License-Identifier: BSD-3-Clause
// The global memory of this node that its data server knows, and that remote requests may touch.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/domain.h"

namespace armci::datasrv {

// The ranges of addresses are disjoint and sorted. Every request is looked up in them. Only one
// thread may use it at a time.
class SegmentMap {
  public:
    // Returns false when the range overlaps one that is in the map.
    bool add(uint64_t begin, uint64_t bytes, fabric::Region region);
    bool remove(uint64_t begin);
    void clear() { segments_.clear(); }

    // Returns whether [address, address + bytes) lies inside one segment. `bytes` must be positive.
    bool contains(uint64_t address, uint64_t bytes) const {
        return find(address, bytes) != nullptr;
    }
    // Returns the registration of that segment. It is nullptr if there is none, and invalid if the
    // segment is not registered.
    const fabric::Region* region_of(uint64_t address, uint64_t bytes) const {
        const Segment* segment = find(address, bytes);
        return segment == nullptr ? nullptr : &segment->region;
    }

  private:
    struct Segment {
        uint64_t begin;
        uint64_t end;
        fabric::Region region;
    };
    const Segment* find(uint64_t address, uint64_t bytes) const;

    std::vector<Segment> segments_;
    mutable size_t last_hit_ = 0;
};

}  // namespace armci::datasrv
