// SPDX-License-Identifier: BSD-3-Clause
#include "strided/layout.h"

#include <algorithm>

#include "strided/address_at.h"
#include "strided/offsets.h"

namespace armci::strided {

namespace {

// Says whether a level of stride `outer_stride` continues where `inner_count` steps of
// `inner_stride` end, so that the two are one level.
bool continues(int64_t inner_stride, int64_t inner_count, int64_t outer_stride) {
    int64_t end = 0;
    return !__builtin_mul_overflow(inner_stride, inner_count, &end) && end == outer_stride;
}

// Returns the stride of a level; the block counts as a level with a stride of one byte.
int64_t stride_at(const int64_t* stride, int level) {
    return level == 0 ? 1 : stride[level - 1];
}

// Appends a level to a canonical layout or merges it into the top level. Returns false if there is
// no room.
bool append_level(PairLayout* layout, int64_t count, int64_t local_stride, int64_t remote_stride) {
    const int top = layout->levels;
    const int64_t top_count = layout->count[top];
    if (continues(stride_at(layout->local_stride, top), top_count, local_stride) &&
        continues(stride_at(layout->remote_stride, top), top_count, remote_stride)) {
        layout->count[top] = top_count * count;
        return true;
    }
    if (top == kMaxLevels) {
        return false;
    }
    layout->count[top + 1] = count;
    layout->local_stride[top] = local_stride;
    layout->remote_stride[top] = remote_stride;
    layout->levels = top + 1;
    return true;
}

// Widens the extent by `count` - 1 further repetitions at `stride`. Returns false on overflow.
bool widen(Extent* extent, int64_t count, int64_t stride) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(count - 1, stride, &reach)) {
        return false;
    }
    int64_t* edge = reach < 0 ? &extent->begin : &extent->end;
    return !__builtin_add_overflow(*edge, reach, edge);
}

bool extent_fits(const Extent& extent) {
    int64_t bytes = 0;
    return !__builtin_sub_overflow(extent.end, extent.begin, &bytes);
}

Extent extent_of(int levels, const int64_t* count, const int64_t* stride) {
    Extent extent = {0, count[0]};
    for (int i = 0; i < levels; ++i) {
        if (count[i + 1] == 0) {
            return {0, 0};
        }
        const int64_t reach = (count[i + 1] - 1) * stride[i];
        (reach < 0 ? extent.begin : extent.end) += reach;
    }
    return count[0] == 0 ? Extent{0, 0} : extent;
}

int64_t product(const int64_t* count, int first, int last) {
    int64_t result = 1;
    for (int i = first; i <= last; ++i) {
        result *= count[i];
    }
    return result;
}

Layout one_side(const PairLayout& pair, const int64_t* stride) {
    Layout layout;
    layout.levels = pair.levels;
    layout.count[0] = pair.count[0];
    for (int i = 0; i < pair.levels; ++i) {
        layout.count[i + 1] = pair.count[i + 1];
        layout.stride[i] = stride[i];
    }
    canonicalize(&layout);
    return layout;
}

}  // namespace

LayoutStatus make_pair(const int* local_stride, const int* remote_stride, const int* count,
                       int stride_levels, PairLayout* out) {
    for (int i = 0; i <= stride_levels; ++i) {
        if (count[i] <= 0) {
            return LayoutStatus::empty;
        }
    }
    out->levels = 0;
    out->count[0] = count[0];
    int64_t total = count[0];
    for (int i = 0; i < stride_levels; ++i) {
        const int64_t repetitions = count[i + 1];
        if (repetitions == 1) {
            continue;
        }
        // If the total fits, the extents fit: at most two of the counts can be near 2^31, and no
        // stride is longer than that.
        if (__builtin_mul_overflow(total, repetitions, &total)) {
            return LayoutStatus::overflow;
        }
        if (!append_level(out, repetitions, local_stride[i], remote_stride[i])) {
            return LayoutStatus::too_many_levels;
        }
    }
    return LayoutStatus::ok;
}

namespace {

// Returns the distance between neighbours if it is the same for all and keeps them apart, else 0.
int64_t even_distance(const uint64_t* addresses, int64_t count, int64_t bytes) {
    const uint64_t distance = addresses[1] - addresses[0];
    if (distance < static_cast<uint64_t>(bytes) || distance > static_cast<uint64_t>(INT64_MAX)) {
        return 0;
    }
    // The addresses are compared in pieces. So most uneven ones cost little, and even ones need no
    // branch for each.
    constexpr int64_t kPiece = 32;
    for (int64_t begin = 1; begin < count; begin += kPiece) {
        const int64_t end = std::min(begin + kPiece, count);
        uint64_t difference = 0;
        for (int64_t i = begin; i < end; ++i) {
            difference |= (addresses[i] - addresses[i - 1]) ^ distance;
        }
        if (difference != 0) {
            return 0;
        }
    }
    int64_t reach = 0;
    const bool fits = !__builtin_mul_overflow(count - 1, static_cast<int64_t>(distance), &reach) &&
                      !__builtin_add_overflow(reach, bytes, &reach);
    return fits && addresses[count - 1] > addresses[0] ? static_cast<int64_t>(distance) : 0;
}

}  // namespace

bool make_pair_of_segments(const uint64_t* local, const uint64_t* remote, int64_t segment_count,
                           int64_t segment_bytes, PairLayout* out) {
    *out = contiguous_pair(segment_bytes);
    if (segment_count == 1) {
        return true;
    }
    const int64_t remote_distance = even_distance(remote, segment_count, segment_bytes);
    if (remote_distance == 0) {
        return false;
    }
    const int64_t local_distance = even_distance(local, segment_count, segment_bytes);
    return local_distance != 0 && append_level(out, segment_count, local_distance, remote_distance);
}

Layout local_side(const PairLayout& layout) {
    return one_side(layout, layout.local_stride);
}

Layout remote_side(const PairLayout& layout) {
    return one_side(layout, layout.remote_stride);
}

void canonicalize(Layout* layout) {
    const int levels = layout->levels;
    bool empty = layout->count[0] == 0;
    int top = 0;
    for (int i = 0; i < levels; ++i) {
        const int64_t count = layout->count[i + 1];
        const int64_t stride = layout->stride[i];
        empty = empty || count == 0;
        if (count == 1) {
            continue;
        }
        if (continues(stride_at(layout->stride, top), layout->count[top], stride)) {
            layout->count[top] *= count;
            continue;
        }
        layout->count[top + 1] = count;
        layout->stride[top] = stride;
        ++top;
    }
    layout->levels = empty ? 0 : top;
    if (empty) {
        layout->count[0] = 0;
    }
}

int64_t total_bytes(const Layout& layout) {
    return product(layout.count, 0, layout.levels);
}

int64_t total_bytes(const PairLayout& layout) {
    return product(layout.count, 0, layout.levels);
}

int64_t block_count(const Layout& layout) {
    return product(layout.count, 1, layout.levels);
}

int64_t block_count(const PairLayout& layout) {
    return product(layout.count, 1, layout.levels);
}

Extent extent(const Layout& layout) {
    return extent_of(layout.levels, layout.count, layout.stride);
}

Extent remote_extent(const PairLayout& layout) {
    return extent_of(layout.levels, layout.count, layout.remote_stride);
}

AddressRange enclose(const uint64_t* addresses, int64_t segment_count, int64_t segment_bytes) {
    const uint64_t base = address_at(addresses, 0);
    int32_t low = 0;
    int32_t high = 0;
    bool is_found = find_offsets(addresses, segment_count, base, &low, &high);
    uint64_t lowest = base + static_cast<uint64_t>(int64_t{low});
    uint64_t highest = base + static_cast<uint64_t>(int64_t{high});
    // Addresses at both ends of the address space are near each other as offsets.
    is_found = is_found && lowest <= highest;
    for (int64_t i = 0; !is_found && i < segment_count; ++i) {
        const uint64_t address = address_at(addresses, i);
        lowest = i == 0 ? address : std::min(lowest, address);
        highest = i == 0 ? address : std::max(highest, address);
    }
    uint64_t end = 0;
    const bool wraps = __builtin_add_overflow(highest, static_cast<uint64_t>(segment_bytes), &end);
    return wraps ? AddressRange{} : AddressRange{lowest, end - lowest};
}

bool validate(const Layout& layout, int64_t* total, Extent* extent) {
    if (layout.levels < 0 || layout.levels > kMaxLevels || layout.count[0] <= 0) {
        return false;
    }
    int64_t bytes = layout.count[0];
    Extent range = {0, bytes};
    for (int i = 0; i < layout.levels; ++i) {
        const int64_t repetitions = layout.count[i + 1];
        if (repetitions <= 0 || __builtin_mul_overflow(bytes, repetitions, &bytes) ||
            !widen(&range, repetitions, layout.stride[i])) {
            return false;
        }
    }
    if (!extent_fits(range)) {
        return false;
    }
    *total = bytes;
    *extent = range;
    return true;
}

}  // namespace armci::strided
