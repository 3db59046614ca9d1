// Kernels: everything that moves or adds the bytes of a layout.
//
// All of them work on memory of this process at any alignment, may be called by any thread, and
// take no lock: what is concurrent and must not be is the caller's business. Bytes of a layout are
// read and written in its order, so that of overlapping destination runs the last one wins.
#pragma once

#include <cstdint>

#include "strided/cursor.h"
#include "strided/layout.h"

namespace armci::strided {

// --- Packing -------------------------------------------------------------------------------------

// Moves exactly `bytes` bytes, at most cursor.remaining(), between the cursor and a contiguous
// buffer, and the cursor with them. The buffer must not overlap the layout.
void pack(StridedCursor& from, void* buffer, int64_t bytes);
void pack(VectorCursor& from, void* buffer, int64_t bytes);
void unpack(StridedCursor& to, const void* buffer, int64_t bytes);
void unpack(VectorCursor& to, const void* buffer, int64_t bytes);

// --- Straight copies -----------------------------------------------------------------------------

enum class Direction { to_remote, to_local };

// Copies one side to the other without a buffer between. The sides may overlap when the layout is
// contiguous (as memmove); otherwise an overlap gives an unspecified result.
void copy(const PairLayout& layout, void* local, void* remote, Direction direction);

// from[i] to to[i] for each segment; nothing is read when either number is zero.
void copy_vector(void* const* from, void* const* to, int64_t segment_count, int64_t segment_bytes);

// Calls f(char* local_run, char* remote_run, int64_t run_bytes) for each run, level 1 fastest.
template <class Function>
void for_each_run(const PairLayout& layout, char* local, char* remote, Function&& f) {
    const int64_t run_bytes = layout.count[0];
    if (layout.levels == 0) {
        if (run_bytes > 0) {
            f(local, remote, run_bytes);
        }
        return;
    }
    const int64_t row_length = layout.count[1];
    const int64_t local_stride = layout.local_stride[0];
    const int64_t remote_stride = layout.remote_stride[0];
    int64_t index[kMaxLevels] = {};
    for (;;) {
        char* local_run = local;
        char* remote_run = remote;
        for (int64_t i = 0; i < row_length; ++i) {
            f(local_run, remote_run, run_bytes);
            local_run = offset_by(local_run, local_stride);
            remote_run = offset_by(remote_run, remote_stride);
        }
        int level = 1;
        for (; level < layout.levels; ++level) {
            if (index[level] + 1 < layout.count[level + 1]) {
                ++index[level];
                local = offset_by(local, layout.local_stride[level]);
                remote = offset_by(remote, layout.remote_stride[level]);
                break;
            }
            local = offset_by(local, -index[level] * layout.local_stride[level]);
            remote = offset_by(remote, -index[level] * layout.remote_stride[level]);
            index[level] = 0;
        }
        if (level == layout.levels) {
            return;
        }
    }
}

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

// For numbers from outside, before they are made an AccType.
constexpr bool is_acc_type(int64_t value) {
    return value >= 0 && value < kAccTypeCount;
}

int64_t element_bytes(AccType type);  // 4, 8, or 16
int64_t basic_bytes(AccType type);    // of a component: 4 or 8

struct AccScale {
    AccType type = AccType::int32;
    bool is_one = true;  // exactly one (and no imaginary part): the product is left out
    alignas(16) unsigned char value[16] = {};
};

// Copies the scale (one element of `type`, at any alignment).
AccScale make_scale(AccType type, const void* scale);

// target[i] += scale * source[i] for `bytes` bytes, a multiple of the element size (a remainder is
// left alone). Integers wrap. Floating-point products are rounded before they are added, so that
// all processors give the same result. The two sides may be equal or apart; if they overlap
// otherwise, the result is unspecified. Elements are not updated atomically.
void accumulate(const AccScale& scale, void* target, const void* source, int64_t bytes);

// Equal runs that are dense at the source and target_stride bytes apart at the target.
struct AccRow {
    void* target = nullptr;
    int64_t target_stride = 0;
    const void* source = nullptr;
    int64_t run_bytes = 0;
    int64_t run_count = 0;
};
// accumulate() for each run of the row, in order.
void accumulate_row(const AccScale& scale, const AccRow& row);

}  // namespace armci::strided
