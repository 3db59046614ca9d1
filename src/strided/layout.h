// SPDX-License-Identifier: BSD-3-Clause
// Memory layouts: which bytes a strided transfer touches, and in which order.
//
// A layout is a tree of repetitions over a contiguous block. Level 1 repeats the block count[1]
// times at a distance of stride[0] bytes, level 2 repeats that count[2] times at stride[1], and so
// on. The bytes are ordered with level 1 running fastest. Strides may be negative, zero, smaller
// than what they step over, and in any order of size.
//
// In canonical form no level has count 1, and no level continues the one below it, so the block is
// as long as possible. Canonical form never changes the bytes or their order.
// docs/references.md: Nieplocha 1999, Ross 2003
#pragma once

#include <cstdint>

namespace armci::strided {

inline constexpr int kMaxLevels = 16;  // stride levels left after canonical form

// A Layout is one side of a transfer, relative to a base pointer. Entries past `levels` have no
// meaning.
struct Layout {
    int levels = 0;                 // 0: one contiguous block
    int64_t count[kMaxLevels + 1];  // count[0]: bytes in a block; count[i]: repetitions at level i
    int64_t stride[kMaxLevels];     // stride[i]: bytes between repetitions at level i + 1
};

// A PairLayout is both sides of a transfer: the n-th byte of one goes to the n-th byte of the
// other.
struct PairLayout {
    int levels = 0;
    int64_t count[kMaxLevels + 1];
    int64_t local_stride[kMaxLevels];
    int64_t remote_stride[kMaxLevels];
};

// Adds to an address by integer arithmetic. Stepping past the last block must not be undefined: it
// may leave the object, and even wrap if the stride is large or negative.
inline char* offset_by(const void* base, int64_t bytes) {
    return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(base) +
                                   static_cast<uintptr_t>(bytes));
}

// An Extent is the smallest range of bytes [begin, end) around a layout, relative to its base
// pointer; begin is negative if a stride is. An empty layout has {0, 0}.
struct Extent {
    int64_t begin;
    int64_t end;
};

enum class LayoutStatus {
    ok,
    empty,            // a count is zero (or negative; the caller has checked that)
    too_many_levels,  // more than kMaxLevels in canonical form
    overflow,         // the total or the extent of a side does not fit int64_t
};

// Builds the canonical form of both sides together from the arguments of the C interface. `count`
// has stride_levels + 1 entries and each stride array stride_levels (they may be null if that is
// 0). *out is defined only after LayoutStatus::ok.
LayoutStatus make_pair(const int* local_stride, const int* remote_stride, const int* count,
                       int stride_levels, PairLayout* out);

// Builds the same from the blocks of a vector, if they lie apart at one distance on each side: then
// they are rows of a strided transfer. Returns false if they do not. No count may be below one.
bool make_pair_of_segments(const uint64_t* local, const uint64_t* remote, int64_t segment_count,
                           int64_t segment_bytes, PairLayout* out);

inline PairLayout contiguous_pair(int64_t bytes) {
    PairLayout layout;
    layout.count[0] = bytes;
    return layout;
}

// Return one side alone, in its own canonical form, which may have fewer levels than the pair.
Layout local_side(const PairLayout& layout);
Layout remote_side(const PairLayout& layout);

// Makes the layout canonical. Counts must not be negative; an empty layout becomes a block of zero
// bytes.
void canonicalize(Layout* layout);

// Return the exact number of bytes, for layouts from this file's builders or accepted by
// validate().
int64_t total_bytes(const Layout& layout);
int64_t total_bytes(const PairLayout& layout);
int64_t block_count(const Layout& layout);
int64_t block_count(const PairLayout& layout);
Extent extent(const Layout& layout);
Extent remote_extent(const PairLayout& layout);

// An AddressRange is the smallest range of bytes around the blocks of a vector. It is {0, 0} if a
// block wraps or ends with the address space. segment_count and segment_bytes are positive, and the
// addresses may have any alignment.
struct AddressRange {
    uint64_t begin = 0;
    uint64_t bytes = 0;
};
AddressRange enclose(const uint64_t* addresses, int64_t segment_count, int64_t segment_bytes);

inline int64_t block_bytes(const Layout& layout) {
    return layout.count[0];
}
inline int64_t block_bytes(const PairLayout& layout) {
    return layout.count[0];
}

// Checks layouts from outside, which may contain anything. Returns true if the number of levels is
// in range, all counts are positive, and the total and the extent fit int64_t. Only then are *total
// and *extent set.
bool validate(const Layout& layout, int64_t* total, Extent* extent);

}  // namespace armci::strided
