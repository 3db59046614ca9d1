// SPDX-License-Identifier: BSD-3-Clause
// Both sides of a transfer: the n-th byte of one goes to the n-th byte of the other. Both are of
// one kind, strided or vector. Other code calls the functions here instead of asking for the kind.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "strided/layout.h"
#include "strided/pair_rows.h"
#include "strided/side.h"

namespace armci::strided {

struct StridedSides {
    // Makes sides without bytes. The compiler's own constructor would first clear the whole layout.
    StridedSides() { layout.count[0] = 0; }

    char* local = nullptr;
    uint64_t remote = 0;
    PairLayout layout;
    bool is_local_apart = false;  // the memory between the local blocks may not exist
};

// Blocks of one length at any addresses on both sides. The arrays belong to the caller, or are
// `owned`.
struct VectorSides {
    const uint64_t* local = nullptr;
    const uint64_t* remote = nullptr;
    int64_t block_count = 0;
    int64_t block_bytes = 0;
    AddressRange remote_extent;         // around the remote side; {0, 0}: unknown
    std::unique_ptr<uint64_t[]> owned;  // the local addresses, then the remote ones
};

class Sides {
  public:
    // New sides are strided and have no bytes. These turn them into the kind named, which the
    // caller fills in.
    StridedSides& make_strided() {
        auto* sides = std::get_if<StridedSides>(&kind_);
        return sides != nullptr ? *sides : kind_.emplace<StridedSides>();
    }
    void make_contiguous(void* local, uint64_t remote, int64_t bytes) {
        StridedSides& sides = make_strided();
        sides.local = static_cast<char*>(local);
        sides.remote = remote;
        sides.layout.count[0] = bytes;
    }
    VectorSides& make_vector() { return kind_.emplace<VectorSides>(); }

    // Returns nullptr for a vector; for what only strided transfers can do.
    const StridedSides* strided() const { return std::get_if<StridedSides>(&kind_); }

    bool is_contiguous() const { return strided() != nullptr && strided()->layout.levels == 0; }
    int64_t block_bytes() const {
        return strided() != nullptr ? strided()->layout.count[0] : vector().block_bytes;
    }
    int64_t block_count() const;
    // Return one side. A side of a vector points to the arrays of addresses here.
    Side local() const;
    Side remote() const;
    // Returns the range around the remote side, or {0, 0} if that is unknown.
    AddressRange remote_extent() const;
    // Returns the range around the local side if all memory in it is the caller's, or {0, 0}.
    AddressRange local_memory() const;

    // Copies what others may change after the caller has returned. Returns true if addresses to
    // which local() or remote() pointed have moved.
    bool own();

    // Walk through the rows of equal blocks: count them, or call f(const PairRow&) for each, in
    // order.
    int64_t row_count() const;
    template <class Function>
    void for_each_row(Function&& f) const {
        if (const StridedSides* sides = strided()) {
            strided::for_each_row(sides->layout, sides->local,
                                  reinterpret_cast<char*>(sides->remote), f);
            return;
        }
        for (int64_t i = 0; i < vector().block_count; ++i) {
            f(PairRow{reinterpret_cast<char*>(vector().local[i]),
                      reinterpret_cast<char*>(vector().remote[i]), 0, 0, 1});
        }
    }
    // Calls f(char* local_block, char* remote_block, int64_t block_bytes) for each, in order.
    template <class Function>
    void for_each_block(Function&& f) const {
        const int64_t bytes = block_bytes();
        for_each_row([&](PairRow row) {
            for (int64_t i = 0; i < row.block_count; ++i) {
                f(row.local, row.remote, bytes);
                row.local = offset_by(row.local, row.local_stride);
                row.remote = offset_by(row.remote, row.remote_stride);
            }
        });
    }

    // Calls visitor(const StridedSides&) or visitor(const VectorSides&), for kernels that differ.
    template <class Visitor>
    decltype(auto) visit(Visitor&& visitor) const {
        return std::visit(visitor, kind_);
    }

  private:
    const VectorSides& vector() const { return *std::get_if<VectorSides>(&kind_); }

    std::variant<StridedSides, VectorSides> kind_;
};

}  // namespace armci::strided
