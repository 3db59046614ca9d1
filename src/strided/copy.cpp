// SPDX-License-Identifier: BSD-3-Clause
#include "strided/block_copy.h"
#include "strided/kernels.h"
#include "strided/paced_copy.h"
#include "strided/wide_copy.h"

namespace armci::strided {
namespace {

bool overlap(const char* a, const char* b, int64_t bytes) {
    const auto distance = reinterpret_cast<intptr_t>(a) - reinterpret_cast<intptr_t>(b);
    return distance < bytes && -distance < bytes;
}

template <Direction kDirection>
void copy_strided(const PairLayout& layout, char* local, char* remote) {
    constexpr bool kToRemote = kDirection == Direction::to_remote;
    const int64_t block_bytes = layout.count[0];
    const bool may_stream = kToRemote
                                ? is_worth_streaming(remote, layout.remote_stride[0], block_bytes)
                                : is_worth_streaming(local, layout.local_stride[0], block_bytes);
    CopyPace pace(kToRemote ? remote : local, total_bytes(layout), pace_unit(block_bytes),
                  may_stream);
    if (block_bytes > kLongBlockBytes) {
        for_each_block(layout, local, remote, [&](char* local_block, char* remote_block, int64_t) {
            copy_long_block(pace, kToRemote ? remote_block : local_block,
                            kToRemote ? local_block : remote_block, block_bytes);
        });
        return;
    }
    // `copy_row` copies through the cache.
    const auto copy_rows = [&](auto&& copy_row) {
        for_each_row(layout, local, remote, [&](const PairRow& row) {
            char* to = kToRemote ? row.remote : row.local;
            const char* from = kToRemote ? row.local : row.remote;
            const int64_t to_stride = kToRemote ? row.remote_stride : row.local_stride;
            const int64_t from_stride = kToRemote ? row.local_stride : row.remote_stride;
            const auto copied = [&](int64_t count) {
                to = offset_by(to, count * to_stride);
                from = offset_by(from, count * from_stride);
            };
            copy_short_blocks(
                pace, row.block_count,
                [&](int64_t count) {
                    copy_row(BlockRow{to, to_stride, from, from_stride, block_bytes, count});
                    copied(count);
                },
                [&](int64_t count) {
                    stream_row({to, to_stride, from, from_stride, block_bytes, count});
                    copied(count);
                });
        });
    };
    if (const WideKernel wide = wide_kernel(
            kToRemote ? remote : local,
            kToRemote ? layout.remote_stride[0] : layout.local_stride[0], block_bytes)) {
        copy_rows(wide);
        return;
    }
    with_block_copier(block_bytes, [&](auto copier) {
        copy_rows([copier](const BlockRow& row) {
            // The copier is kept in registers, because stores of bytes may change any other
            // variable.
            const auto copy_block = copier;
            char* to = row.to;
            const char* from = row.from;
            const int64_t to_stride = row.to_stride;
            const int64_t from_stride = row.from_stride;
            for (int64_t i = row.block_count; i > 0; --i) {
                copy_block(to, from);
                to = offset_by(to, to_stride);
                from = offset_by(from, from_stride);
            }
        });
    });
}

}  // namespace

void copy_contiguous(const void* from, void* to, int64_t bytes) {
    const auto* source = static_cast<const char*>(from);
    auto* target = static_cast<char*>(to);
    if (bytes >= min_streamed_bytes && !overlap(source, target, bytes)) {
        CopyPace pace(to, bytes, 1, kHaveStreamingStores);
        copy_long_block(pace, target, source, bytes);
    } else if (bytes > 0) {
        std::memmove(target, source, static_cast<size_t>(bytes));
    }
}

void copy(const PairLayout& layout, void* local, void* remote, Direction direction) {
    const bool to_remote = direction == Direction::to_remote;
    if (layout.levels == 0) {
        copy_contiguous(to_remote ? local : remote, to_remote ? remote : local, layout.count[0]);
    } else if (to_remote) {
        copy_strided<Direction::to_remote>(layout, static_cast<char*>(local),
                                           static_cast<char*>(remote));
    } else {
        copy_strided<Direction::to_local>(layout, static_cast<char*>(local),
                                          static_cast<char*>(remote));
    }
}

void copy_vector(void* const* from, void* const* to, int64_t segment_count, int64_t segment_bytes) {
    if (segment_bytes <= 0 || segment_count <= 0) {
        return;
    }
    CopyPace pace(to[0], segment_count * segment_bytes, pace_unit(segment_bytes),
                  is_worth_streaming(to[0], 0, segment_bytes));
    if (segment_bytes > kLongBlockBytes) {
        for (int64_t i = 0; i < segment_count; ++i) {
            copy_long_block(pace, static_cast<char*>(to[i]), static_cast<const char*>(from[i]),
                            segment_bytes);
        }
        return;
    }
    with_block_copier(segment_bytes, [&](auto copier) {
        const auto copied = [&](int64_t count) {
            to += count;
            from += count;
        };
        copy_short_blocks(
            pace, segment_count,
            [&](int64_t count) {
                void* const* segment_to = to;
                void* const* segment_from = from;
                for (int64_t i = 0; i < count; ++i) {
                    copier(static_cast<char*>(segment_to[i]),
                           static_cast<const char*>(segment_from[i]));
                }
                copied(count);
            },
            [&](int64_t count) {
                for (int64_t i = 0; i < count; ++i) {
                    stream_block(static_cast<char*>(to[i]), static_cast<const char*>(from[i]),
                                 segment_bytes);
                }
                copied(count);
            });
    });
}

void copy(const Sides& sides, Direction direction) {
    struct Copy {
        void operator()(const StridedSides& strided) const {
            copy(strided.layout, strided.local, reinterpret_cast<char*>(strided.remote), direction);
        }
        void operator()(const VectorSides& vector) const {
            auto* local = reinterpret_cast<void* const*>(vector.local);
            auto* remote = reinterpret_cast<void* const*>(vector.remote);
            const bool to_remote = direction == Direction::to_remote;
            copy_vector(to_remote ? local : remote, to_remote ? remote : local, vector.block_count,
                        vector.block_bytes);
        }
        Direction direction;
    };
    sides.visit(Copy{direction});
}

}  // namespace armci::strided
