#include <cassert>

#include "strided/kernels.h"
#include "strided/run_copy.h"

namespace armci::strided {

namespace {

// Moves the next `bytes` bytes, which lie within one run, and returns how many they were.
template <bool kToBuffer, class Cursor, class Byte>
int64_t move_part(Cursor& cursor, Byte* buffer, int64_t bytes) {
    const Run run = cursor.next(bytes);
    if (run.bytes == 0) {
        return 0;
    }
    if constexpr (kToBuffer) {
        std::memcpy(buffer, run.data, static_cast<size_t>(run.bytes));
    } else {
        std::memcpy(run.data, buffer, static_cast<size_t>(run.bytes));
    }
    return run.bytes;
}

// The rest of a run begun earlier, then whole runs in a loop made for their length, then a
// beginning.
template <bool kToBuffer, class Cursor, class Byte>
void move(Cursor& cursor, Byte* buffer, int64_t bytes) {
    assert(bytes <= cursor.remaining());
    if (bytes <= 0) {
        return;
    }
    if (!cursor.is_at_run_start()) {
        const int64_t moved = move_part<kToBuffer>(cursor, buffer, bytes);
        buffer += moved;
        bytes -= moved;
    }
    const int64_t run_bytes = cursor.run_bytes();
    if (bytes >= run_bytes) {
        with_run_copier(run_bytes, [&](auto copier) {
            Byte* end = buffer;
            cursor.visit_runs(bytes / run_bytes, [&](char* run) {
                if constexpr (kToBuffer) {
                    copier(end, run);
                } else {
                    copier(run, end);
                }
                end += run_bytes;
            });
            bytes -= end - buffer;
            buffer = end;
        });
    }
    if (bytes > 0) {
        move_part<kToBuffer>(cursor, buffer, bytes);
    }
}

}  // namespace

void pack(StridedCursor& from, void* buffer, int64_t bytes) {
    move<true>(from, static_cast<char*>(buffer), bytes);
}

void pack(VectorCursor& from, void* buffer, int64_t bytes) {
    move<true>(from, static_cast<char*>(buffer), bytes);
}

void unpack(StridedCursor& to, const void* buffer, int64_t bytes) {
    move<false>(to, static_cast<const char*>(buffer), bytes);
}

void unpack(VectorCursor& to, const void* buffer, int64_t bytes) {
    move<false>(to, static_cast<const char*>(buffer), bytes);
}

}  // namespace armci::strided
