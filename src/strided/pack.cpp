#include <cassert>

#include "strided/kernels.h"
#include "strided/paced_copy.h"
#include "strided/run_copy.h"

namespace armci::strided {

namespace {

// Moves the next `bytes` bytes, which lie within one run, and returns how many they were.
template <bool kToBuffer, class Cursor, class Byte>
int64_t move_part(Cursor& cursor, Byte* buffer, int64_t bytes) {
    const Run run = cursor.next(bytes);
    if constexpr (kToBuffer) {
        if (run.bytes != 0) {
            std::memcpy(buffer, run.data, static_cast<size_t>(run.bytes));
        }
    } else {
        copy_contiguous(buffer, run.data, run.bytes);
    }
    return run.bytes;
}

// Whole runs in a loop made for their length. A buffer is filled through the cache, since it is
// sent from there; where it is unpacked to may be out of the cache.
template <class Cursor>
void pack_runs(Cursor& from, char* buffer, int64_t run_count) {
    const int64_t run_bytes = from.run_bytes();
    with_run_copier(run_bytes, [&](auto copier) {
        from.visit_runs(run_count, [&](const char* run) {
            copier(buffer, run);
            buffer += run_bytes;
        });
    });
}

template <class Cursor>
void unpack_runs(Cursor& to, const char* buffer, int64_t run_count) {
    const int64_t run_bytes = to.run_bytes();
    CopyPace pace(to.data(), run_count * run_bytes, pace_unit(run_bytes),
                  is_worth_streaming(to.data(), to.stride(), run_bytes));
    if (run_bytes > kLongRunBytes) {
        to.visit_runs(run_count, [&](char* run) {
            copy_long_run(pace, run, buffer, run_bytes);
            buffer += run_bytes;
        });
        return;
    }
    with_run_copier(run_bytes, [&](auto copier) {
        copy_short_runs(
            pace, run_count,
            [&](int64_t count) {
                const char* from = buffer;
                to.visit_runs(count, [&](char* run) {
                    copier(run, from);
                    from += run_bytes;
                });
                buffer = from;
            },
            [&](int64_t count) {
                for (int64_t left = count * run_bytes; left > 0;) {
                    const Row row = to.next_row(left);
                    stream_row({row.data, row.stride, buffer, run_bytes, run_bytes, row.run_count});
                    buffer += row.run_count * run_bytes;
                    left -= row.run_count * run_bytes;
                }
            });
    });
}

// The rest of a run begun earlier, then whole runs, then a beginning.
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
    if (const int64_t run_count = bytes / cursor.run_bytes(); run_count > 0) {
        if constexpr (kToBuffer) {
            pack_runs(cursor, buffer, run_count);
        } else {
            unpack_runs(cursor, buffer, run_count);
        }
        buffer += run_count * cursor.run_bytes();
        bytes -= run_count * cursor.run_bytes();
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
