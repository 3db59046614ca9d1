// SPDX-License-Identifier: BSD-3-Clause
// Both sides of a transfer: the n-th byte of one goes to the n-th byte of the other. They are of
// one kind, strided or a vector; what others need to know of them they ask here, and do not ask for
// the kind.
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
    // No bytes. Not what the compiler would write, which would clear the whole layout first.
    StridedSides() { layout.count[0] = 0; }

    char* local = nullptr;
    uint64_t remote = 0;
    PairLayout layout;
    bool is_local_apart = false;  // what lies between the local blocks need not be memory
};

// Blocks of one length at any addresses on both sides. The arrays are somebody else's, or `owned`.
struct VectorSides {
    const uint64_t* local = nullptr;
    const uint64_t* remote = nullptr;
    int64_t block_count = 0;
    int64_t block_bytes = 0;
    AddressRange remote_extent;         // around the remote side; {0, 0}: not known
    std::unique_ptr<uint64_t[]> owned;  // the local addresses, then the remote ones
};

class Sides {
  public:
    // No bytes, and strided.
    Sides() = default;
    Sides(void* local, uint64_t remote, int64_t bytes) {
        StridedSides& sides = make_strided();
        sides.local = static_cast<char*>(local);
        sides.remote = remote;
        sides.layout.count[0] = bytes;
    }

    // They become sides without bytes of that kind, which the caller fills in.
    StridedSides& make_strided() { return kind_.emplace<StridedSides>(); }
    VectorSides& make_vector() { return kind_.emplace<VectorSides>(); }

    // nullptr for a vector: for what can be done with strided transfers only.
    const StridedSides* strided() const { return std::get_if<StridedSides>(&kind_); }

    bool is_contiguous() const { return strided() != nullptr && strided()->layout.levels == 0; }
    int64_t block_bytes() const {
        return strided() != nullptr ? strided()->layout.count[0] : vector().block_bytes;
    }
    int64_t block_count() const;
    // The first remote byte, in order.
    uint64_t remote_begin() const {
        return strided() != nullptr ? strided()->remote : vector().remote[0];
    }
    // Each side by itself. Those of a vector point to its arrays of addresses.
    Side local() const;
    Side remote() const;
    // Around the remote side; {0, 0} where that is not known.
    AddressRange remote_extent() const;
    // The local side with what lies between its blocks, if all of that is the caller's memory;
    // {0, 0} if not.
    AddressRange local_memory() const;

    // What others may change after the caller's return is copied. True: addresses that local() or
    // remote() have pointed to are elsewhere now.
    bool own();

    // Parts that may lie in allocations of their own: one of a strided transfer, and each block of
    // a vector. In order, with the address of each and the bytes that are certainly in it.
    int64_t part_count() const { return strided() != nullptr ? 1 : vector().block_count; }
    template <class Function>
    bool all_of_parts(Function&& f) const {
        if (strided() != nullptr) {
            return f(strided()->remote, int64_t{1});
        }
        for (int64_t i = 0; i < vector().block_count; ++i) {
            if (!f(vector().remote[i], vector().block_bytes)) {
                return false;
            }
        }
        return true;
    }
    // Those parts of several that are marked, as sides of their own, which own their addresses.
    Sides select(const std::vector<bool>& is_wanted) const;

    // Rows of equal blocks, and how many they are. Calls f(const PairRow&) for each, in order.
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
