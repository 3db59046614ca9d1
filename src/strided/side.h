// SPDX-License-Identifier: BSD-3-Clause
// One side of a transfer, of either kind: strided, or a vector.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "strided/layout.h"

namespace armci::strided {

struct StridedSide {
    // Makes an empty side. The compiler's own constructor would first clear the whole layout.
    StridedSide() { layout.count[0] = 0; }
    StridedSide(uint64_t base_address, const Layout& blocks) : base(base_address), layout(blocks) {}

    uint64_t base = 0;
    Layout layout;
};

// Blocks of one length at any addresses. The array may have any alignment (it may lie in a message)
// and must outlive the side. block_count * block_bytes must fit int64_t.
struct VectorSide {
    const uint64_t* addresses = nullptr;
    int64_t block_count = 0;
    int64_t block_bytes = 0;
};

using Side = std::variant<StridedSide, VectorSide>;

inline int64_t block_bytes(const Side& side) {
    const auto* vector = std::get_if<VectorSide>(&side);
    return vector != nullptr ? vector->block_bytes
                             : std::get_if<StridedSide>(&side)->layout.count[0];
}

// Returns the same side. If it is a vector, its addresses are copied to *copies.
inline Side copy_addresses(const Side& side, std::vector<uint64_t>* copies) {
    const auto* vector = std::get_if<VectorSide>(&side);
    if (vector == nullptr) {
        return side;
    }
    copies->assign(vector->addresses, vector->addresses + vector->block_count);
    return VectorSide{copies->data(), vector->block_count, vector->block_bytes};
}

// Calls f(uint64_t address, int64_t bytes) for each part that may lie in an allocation of its own,
// until f returns false. The parts are all of a strided side together, or each block of a vector.
// Returns whether f never returned false. The addresses of a vector must be aligned.
template <class Function>
bool all_of_parts(const Side& side, Function&& f) {
    if (const auto* vector = std::get_if<VectorSide>(&side)) {
        for (int64_t i = 0; i < vector->block_count; ++i) {
            if (!f(vector->addresses[i], vector->block_bytes)) {
                return false;
            }
        }
        return true;
    }
    const auto& strided = *std::get_if<StridedSide>(&side);
    const Extent range = extent(strided.layout);
    return f(strided.base + static_cast<uint64_t>(range.begin), range.end - range.begin);
}

}  // namespace armci::strided
