// SPDX-License-Identifier: BSD-3-Clause
// Kernels: the functions that move or add the bytes of a layout.
//
// They work on memory of this process at any alignment, may be called by any thread, and take no
// lock: the caller prevents conflicting calls. They read and write the bytes of a layout in its
// order, so the last of overlapping destination blocks wins.
#pragma once

#include <cstdint>
#include <cstring>

#include "strided/address_at.h"
#include "strided/cursor.h"
#include "strided/layout.h"
#include "strided/pair_rows.h"
#include "strided/sides.h"

namespace armci::strided {

// --- Packing -------------------------------------------------------------------------------------

// Move exactly `bytes` bytes, at most cursor.remaining(), between the cursor and a contiguous
// buffer, and advance the cursor. The buffer must not overlap the layout.
void pack(StridedCursor& from, void* buffer, int64_t bytes);
void pack(VectorCursor& from, void* buffer, int64_t bytes);
void unpack(StridedCursor& to, const void* buffer, int64_t bytes);
void unpack(VectorCursor& to, const void* buffer, int64_t bytes);
void pack(Cursor& from, void* buffer, int64_t bytes);
void unpack(Cursor& to, const void* buffer, int64_t bytes);

// --- Straight copies -----------------------------------------------------------------------------

enum class Direction { to_remote, to_local };

// Copies one side to the other without a buffer, and past the cache if that is faster
// (copy_pace.h). The sides may overlap if the layout is contiguous (as in memmove). Otherwise an
// overlap gives an unspecified result.
void copy(const PairLayout& layout, void* local, void* remote, Direction direction);

// Copies contiguous memory. The sides may overlap, as in memmove.
void copy_contiguous(const void* from, void* to, int64_t bytes);

// Copies a block that overlaps nothing. A word is copied at once, as a program that shares the
// memory would.
inline void copy_block(const char* from, char* to, size_t bytes) {
    if (bytes == sizeof(uint64_t)) {
        std::memcpy(to, from, sizeof(uint64_t));
    } else {
        std::memcpy(to, from, bytes);
    }
}

// Copies from[i] to to[i] for each block. Reads nothing if either number is zero.
void copy_vector(void* const* from, void* const* to, int64_t segment_count, int64_t segment_bytes);

// Copies a transfer of either kind.
void copy(const Sides& sides, Direction direction);

// --- Accumulate ----------------------------------------------------------------------------------

// The values are those of ARMCI_ACC_INT, LNG, FLT, DBL, CPL and DCP.
enum class AccType : uint8_t {
    int32 = 0,
    int64 = 1,
    float32 = 2,
    float64 = 3,
    complex64 = 4,
    complex128 = 5,
};

inline constexpr int kAccTypeCount = 6;

// Checks numbers from outside before they become an AccType.
constexpr bool is_acc_type(int64_t value) {
    return value >= 0 && value < kAccTypeCount;
}

constexpr int64_t element_bytes(AccType type) {
    constexpr int64_t kBytes[kAccTypeCount] = {4, 8, 4, 8, 8, 16};
    return kBytes[static_cast<int>(type)];
}
// Returns the bytes of a component.
constexpr int64_t basic_bytes(AccType type) {
    constexpr int64_t kBytes[kAccTypeCount] = {4, 8, 4, 8, 4, 8};
    return kBytes[static_cast<int>(type)];
}

struct AccScale {
    AccType type = AccType::int32;
    bool is_one = true;  // exactly one (without imaginary part), so no product is needed
    alignas(16) unsigned char value[16] = {};
};

// Copies the scale (one element of `type`, at any alignment).
AccScale make_scale(AccType type, const void* scale);

// Computes target[i] += scale * source[i] for `bytes` bytes, a multiple of the element size (a
// remainder is left alone). Integers wrap. Floating-point products are rounded before they are
// added, so that all processors give the same result. The two sides may be equal or apart; if they
// overlap otherwise, the result is unspecified. Elements are not updated atomically.
void accumulate(const AccScale& scale, void* target, const void* source, int64_t bytes);

// Blocks of one length, at one distance on each side.
struct AccRow {
    void* target = nullptr;
    int64_t target_stride = 0;
    const void* source = nullptr;
    int64_t source_stride = 0;
    int64_t block_bytes = 0;
    int64_t block_count = 0;
};
// Does what accumulate() does for each block of the row, in order.
void accumulate_row(const AccScale& scale, const AccRow& row);

// Blocks of one length, each at addresses of its own.
struct AccSegments {
    const uint64_t* targets = nullptr;
    const uint64_t* sources = nullptr;  // nullptr: the sources are contiguous in `dense`
    const char* dense = nullptr;
    int64_t segment_bytes = 0;
    int64_t segment_count = 0;

    const char* source(int64_t index) const {
        return sources == nullptr ? dense + index * segment_bytes : at(sources, index);
    }
    char* target(int64_t index) const { return at(targets, index); }

  private:
    // Addresses may be pointers in the caller's array.
    static char* at(const uint64_t* addresses, int64_t index) {
        return reinterpret_cast<char*>(address_at(addresses, index));
    }
};
// Does what accumulate() does for each block, in order. Blocks may overlap and repeat.
void accumulate_segments(const AccScale& scale, const AccSegments& segments);

}  // namespace armci::strided
