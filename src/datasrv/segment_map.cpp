// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/segment_map.h"

#include <algorithm>

namespace armci::datasrv {

bool SegmentMap::add(uint64_t begin, uint64_t bytes, fabric::Region region) {
    uint64_t end = 0;
    if (bytes == 0 || __builtin_add_overflow(begin, bytes, &end)) {
        return false;
    }
    const auto after = std::upper_bound(
        segments_.begin(), segments_.end(), begin,
        [](uint64_t address, const Segment& segment) { return address < segment.begin; });
    if ((after != segments_.end() && after->begin < end) ||
        (after != segments_.begin() && std::prev(after)->end > begin)) {
        return false;
    }
    segments_.insert(after, Segment{begin, end, std::move(region)});
    return true;
}

bool SegmentMap::remove(uint64_t begin) {
    const auto found = std::lower_bound(
        segments_.begin(), segments_.end(), begin,
        [](const Segment& segment, uint64_t address) { return segment.begin < address; });
    if (found == segments_.end() || found->begin != begin) {
        return false;
    }
    segments_.erase(found);
    return true;
}

const SegmentMap::Segment* SegmentMap::find(uint64_t address, uint64_t bytes) const {
    const auto inside = [&](const Segment& segment) {
        return address >= segment.begin && address < segment.end && bytes <= segment.end - address;
    };
    if (last_hit_ < segments_.size() && inside(segments_[last_hit_])) {
        return &segments_[last_hit_];
    }
    const auto after = std::upper_bound(
        segments_.begin(), segments_.end(), address,
        [](uint64_t value, const Segment& segment) { return value < segment.begin; });
    if (after == segments_.begin() || !inside(*std::prev(after))) {
        return nullptr;
    }
    last_hit_ = static_cast<size_t>(std::prev(after) - segments_.begin());
    return &segments_[last_hit_];
}

}  // namespace armci::datasrv
