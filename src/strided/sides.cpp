// SPDX-License-Identifier: BSD-3-Clause
#include "strided/sides.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <utility>

namespace armci::strided {

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
    const auto count = static_cast<size_t>(sides->block_count);
    auto owned = std::make_unique<uint64_t[]>(2 * count);
    std::copy_n(sides->local, count, owned.get());
    std::copy_n(sides->remote, count, owned.get() + count);
    sides->owned = std::move(owned);
    sides->local = sides->owned.get();
    sides->remote = sides->owned.get() + count;
    return true;
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
