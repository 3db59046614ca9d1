// SPDX-License-Identifier: BSD-3-Clause
#include "strided/sides.h"

#include <algorithm>
#include <cassert>

namespace armci::strided {
namespace {

// Copies the addresses for whose index `is_wanted` returns true.
template <class Wanted>
void own_addresses(const VectorSides& from, int64_t count, Wanted&& is_wanted, VectorSides* to) {
    auto owned = std::make_unique<uint64_t[]>(2 * static_cast<size_t>(count));
    uint64_t* next = owned.get();
    for (int64_t i = 0; i < from.block_count; ++i) {
        if (is_wanted(i)) {
            next[0] = from.local[i];
            next[count] = from.remote[i];
            ++next;
        }
    }
    to->owned = std::move(owned);
    to->local = to->owned.get();
    to->remote = to->owned.get() + count;
    to->block_count = count;
}

}  // namespace

int64_t Sides::block_count() const {
    return strided() != nullptr ? strided::block_count(strided()->layout) : vector().block_count;
}

Side Sides::local() const {
    if (const StridedSides* sides = strided()) {
        return StridedSide(reinterpret_cast<uint64_t>(sides->local), local_side(sides->layout));
    }
    return VectorSide{vector().local, vector().block_count, vector().block_bytes};
}

Side Sides::remote() const {
    if (const StridedSides* sides = strided()) {
        return StridedSide(sides->remote, remote_side(sides->layout));
    }
    return VectorSide{vector().remote, vector().block_count, vector().block_bytes};
}

AddressRange Sides::remote_extent() const {
    if (const StridedSides* sides = strided()) {
        const Extent range = strided::remote_extent(sides->layout);
        return {sides->remote + static_cast<uint64_t>(range.begin),
                static_cast<uint64_t>(range.end - range.begin)};
    }
    return vector().remote_extent;
}

AddressRange Sides::local_memory() const {
    const StridedSides* sides = strided();
    if (sides == nullptr) {
        return {};
    }
    const Extent range = extent(local_side(sides->layout));
    if (sides->is_local_apart && range.end - range.begin > total_bytes(sides->layout)) {
        return {};
    }
    return {reinterpret_cast<uint64_t>(sides->local) + static_cast<uint64_t>(range.begin),
            static_cast<uint64_t>(range.end - range.begin)};
}

bool Sides::own() {
    auto* sides = std::get_if<VectorSides>(&kind_);
    if (sides == nullptr || sides->owned != nullptr) {
        return false;
    }
    own_addresses(
        *sides, sides->block_count, [](int64_t) { return true; }, sides);
    return true;
}

Sides Sides::select(const std::vector<bool>& is_wanted) const {
    assert(strided() == nullptr);
    Sides chosen;
    VectorSides& sides = chosen.make_vector();
    sides.block_bytes = vector().block_bytes;
    own_addresses(
        vector(), std::count(is_wanted.begin(), is_wanted.end(), true),
        [&](int64_t i) { return is_wanted[static_cast<size_t>(i)]; }, &sides);
    if (sides.block_count > 0) {
        sides.remote_extent = enclose(sides.remote, sides.block_count, sides.block_bytes);
    }
    return chosen;
}

int64_t Sides::row_count() const {
    if (strided() == nullptr) {
        return vector().block_count;
    }
    const PairLayout& layout = strided()->layout;
    int64_t rows = 1;
    for (int level = 2; level <= layout.levels; ++level) {
        rows *= layout.count[level];
    }
    return rows;
}

}  // namespace armci::strided
