// SPDX-License-Identifier: BSD-3-Clause
#include "support/shape.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>

namespace armci::mp {
namespace {

// The places of the blocks of one side of a strided transfer.
struct Side {
    int64_t start = 0;
    std::vector<int> stride;
};

int64_t random_offset(Rng& rng, int64_t room_bytes, int64_t align_bytes) {
    return align_bytes * rng.between(0, room_bytes / align_bytes);
}

// Strides under which no two blocks overlap: levels are nested in a random order, each stepping
// over all that is inside it, with random gaps and directions. Returns nothing if it does not fit.
std::optional<Side> disjoint_side(Rng& rng, const std::vector<int>& count, int64_t room_bytes,
                                  int64_t align_bytes) {
    const size_t levels = count.size() - 1;
    std::vector<size_t> order(levels);
    std::iota(order.begin(), order.end(), size_t{0});
    if (rng.chance(50)) {
        rng.shuffle(order);
    }
    Side side;
    side.stride.resize(levels);
    const bool dense = rng.chance(20);
    const bool mirrored = rng.chance(30);
    int64_t extent = (count[0] + align_bytes - 1) / align_bytes * align_bytes;
    int64_t below = 0;
    for (const size_t level : order) {
        const int64_t gap = dense || rng.chance(30) ? 0 : align_bytes * rng.between(0, 9);
        const int64_t step = extent + gap;
        const int64_t reach = step * (count[level + 1] - 1);
        if (extent + reach > room_bytes) {
            return std::nullopt;
        }
        const bool negative = mirrored && rng.chance(50);
        side.stride[level] = static_cast<int>(negative ? -step : step);
        below += negative ? reach : 0;
        extent += reach;
    }
    side.start = below + random_offset(rng, room_bytes - extent, align_bytes);
    return side;
}

// Any strides at all, also zero, negative and smaller than the block.
std::optional<Side> any_side(Rng& rng, const std::vector<int>& count, int64_t room_bytes,
                             int64_t align_bytes) {
    const size_t levels = count.size() - 1;
    const int64_t widest = std::max<int64_t>(1, 2 * count[0] / align_bytes);
    Side side;
    int64_t below = 0;
    int64_t above = count[0];
    for (size_t level = 0; level < levels; ++level) {
        const int64_t step = align_bytes * rng.between(-widest, widest);
        const int64_t reach = step * (count[level + 1] - 1);
        side.stride.push_back(static_cast<int>(step));
        below -= std::min<int64_t>(0, reach);
        above += std::max<int64_t>(0, reach);
    }
    if (below + above > room_bytes) {
        return std::nullopt;
    }
    side.start = (below + align_bytes - 1) / align_bytes * align_bytes;
    if (side.start + above > room_bytes) {
        return std::nullopt;
    }
    side.start += random_offset(rng, room_bytes - side.start - above, align_bytes);
    return side;
}

std::optional<Side> random_side(Rng& rng, const std::vector<int>& count, int64_t room_bytes,
                                int64_t align_bytes, bool overlap) {
    return overlap && rng.chance(40) ? any_side(rng, count, room_bytes, align_bytes)
                                     : disjoint_side(rng, count, room_bytes, align_bytes);
}

std::vector<int> random_counts(Rng& rng, const Room& room, int levels) {
    int64_t left = std::max<int64_t>(1, room.total_bytes / room.unit_bytes);
    const int64_t longest = rng.chance(30) ? left : std::min<int64_t>(left, 64);
    const int64_t units = rng.between(1, longest);
    std::vector<int> count{static_cast<int>(units * room.unit_bytes)};
    left /= units;
    for (int level = 0; level < levels; ++level) {
        const int64_t max = std::min<int64_t>(left, levels <= 2 ? 40 : 6);
        const int64_t repeat = rng.chance(20) ? 1 : rng.between(1, max);
        count.push_back(static_cast<int>(repeat));
        left /= repeat;
    }
    return count;
}

// Records which bytes of a side are in use, so that vector blocks do not overlap.
class Occupancy {
  public:
    explicit Occupancy(int64_t bytes) : taken_(static_cast<size_t>(bytes), false) {}

    bool place(int64_t start, int64_t bytes) {
        const auto from = taken_.begin() + start;
        if (std::find(from, from + bytes, true) != from + bytes) {
            return false;
        }
        std::fill(from, from + bytes, true);
        return true;
    }

  private:
    std::vector<bool> taken_;
};

std::optional<int64_t> place_segment(Rng& rng, Occupancy& occupied, int64_t room_bytes,
                                     int64_t segment_bytes, int64_t align_bytes, bool overlap) {
    if (segment_bytes > room_bytes) {
        return std::nullopt;
    }
    constexpr int kAttempts = 12;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const int64_t start = random_offset(rng, room_bytes - segment_bytes, align_bytes);
        if (overlap || occupied.place(start, segment_bytes)) {
            return start;
        }
    }
    return std::nullopt;
}

void append_ints(std::ostringstream& out, const char* name, const std::vector<int>& values) {
    out << ' ' << name << '{';
    for (size_t i = 0; i < values.size(); ++i) {
        out << (i == 0 ? "" : ",") << values[i];
    }
    out << '}';
}

}  // namespace

int64_t Shape::total_bytes() const {
    int64_t total = 0;
    for (const Piece& block : blocks) {
        total += block.bytes;
    }
    return total;
}

Shape Shape::shifted(int64_t local_bytes, int64_t remote_bytes) const {
    Shape moved = *this;
    moved.local_start += local_bytes;
    moved.remote_start += remote_bytes;
    for (Piece& block : moved.blocks) {
        block.local += local_bytes;
        block.remote += remote_bytes;
    }
    return moved;
}

std::string Shape::describe() const {
    std::ostringstream out;
    switch (form) {
        case Form::contiguous:
            out << "contiguous local " << blocks[0].local << " remote " << blocks[0].remote
                << " bytes " << blocks[0].bytes;
            break;
        case Form::strided:
            out << "strided local " << local_start << " remote " << remote_start;
            append_ints(out, "count", count);
            append_ints(out, "local_stride", local_stride);
            append_ints(out, "remote_stride", remote_stride);
            break;
        case Form::vector:
            out << "vector of " << first.size() - 1 << " descriptors, " << blocks.size()
                << " segments, " << total_bytes() << " bytes";
            break;
    }
    return out.str();
}

Shape contiguous_shape(int64_t local, int64_t remote, int64_t bytes) {
    Shape shape;
    shape.form = Form::contiguous;
    shape.blocks = {{local, remote, bytes}};
    return shape;
}

Shape strided_shape(int64_t local_start, const std::vector<int>& local_stride, int64_t remote_start,
                    const std::vector<int>& remote_stride, const std::vector<int>& count) {
    Shape shape;
    shape.form = Form::strided;
    shape.local_start = local_start;
    shape.remote_start = remote_start;
    shape.count = count;
    shape.local_stride = local_stride;
    shape.remote_stride = remote_stride;
    const size_t levels = count.size() - 1;
    for (const int repeat : count) {
        if (repeat == 0) {
            return shape;
        }
    }
    std::vector<int> index(levels, 0);
    while (true) {
        Piece block{local_start, remote_start, count[0]};
        for (size_t level = 0; level < levels; ++level) {
            block.local += int64_t{index[level]} * local_stride[level];
            block.remote += int64_t{index[level]} * remote_stride[level];
        }
        shape.blocks.push_back(block);
        size_t level = 0;
        while (level < levels && ++index[level] == count[level + 1]) {
            index[level++] = 0;
        }
        if (level == levels) {
            return shape;
        }
    }
}

Shape vector_shape(const std::vector<Piece>& blocks) {
    Shape shape;
    shape.form = Form::vector;
    shape.blocks = blocks;
    shape.first = {0, blocks.size()};
    return shape;
}

Shape random_contiguous(Rng& rng, const Room& room) {
    const int64_t max = std::min({room.total_bytes, room.local_bytes, room.remote_bytes});
    const int64_t units = max / room.unit_bytes;
    const int64_t longest = rng.chance(50) ? units : std::min<int64_t>(units, 64);
    const int64_t bytes = room.unit_bytes * rng.between(1, longest);
    return contiguous_shape(random_offset(rng, room.local_bytes - bytes, room.align_bytes),
                            random_offset(rng, room.remote_bytes - bytes, room.align_bytes), bytes);
}

Shape random_strided(Rng& rng, const Room& room) {
    constexpr int kAttempts = 200;
    Room smaller = room;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const int levels = static_cast<int>(rng.between(0, room.max_levels));
        const std::vector<int> count = random_counts(rng, smaller, levels);
        const auto local =
            random_side(rng, count, room.local_bytes, room.align_bytes, room.local_overlap);
        const auto remote =
            random_side(rng, count, room.remote_bytes, room.align_bytes, room.remote_overlap);
        if (local && remote) {
            return strided_shape(local->start, local->stride, remote->start, remote->stride, count);
        }
        smaller.total_bytes = std::max(room.unit_bytes, smaller.total_bytes * 9 / 10);
    }
    give_up("no strided shape fits the room");
}

// The places of blocks at one distance, as those of a row.
std::optional<int64_t> place_row(Rng& rng, Occupancy& occupied, int64_t room_bytes,
                                 int64_t segment_bytes, int64_t segments, int64_t align_bytes,
                                 bool overlap, int64_t* distance) {
    const int64_t gap = rng.chance(30) ? 0 : align_bytes * rng.between(1, 8);
    *distance = (segment_bytes + align_bytes - 1) / align_bytes * align_bytes + gap;
    const int64_t span = (segments - 1) * *distance + segment_bytes;
    return place_segment(rng, occupied, room_bytes, span, align_bytes, overlap);
}

Shape random_vector(Rng& rng, const Room& room) {
    Shape shape;
    shape.form = Form::vector;
    shape.first = {0};
    Occupancy local_taken(room.local_bytes);
    Occupancy remote_taken(room.remote_bytes);
    int64_t left = room.total_bytes;
    const int64_t descriptors = rng.chance(50) ? 1 : rng.between(1, 5);
    for (int64_t descriptor = 0; descriptor < descriptors && left >= room.unit_bytes;
         ++descriptor) {
        const int64_t longest =
            std::min<int64_t>(left / room.unit_bytes, rng.chance(20) ? 400 : 20);
        const int64_t bytes = room.unit_bytes * rng.between(1, longest);
        const int64_t wanted = std::min<int64_t>(left / bytes, rng.between(1, 100));
        if (rng.chance(30)) {
            int64_t local_distance = 0;
            int64_t remote_distance = 0;
            const auto local = place_row(rng, local_taken, room.local_bytes, bytes, wanted,
                                         room.align_bytes, room.local_overlap, &local_distance);
            const auto remote = place_row(rng, remote_taken, room.remote_bytes, bytes, wanted,
                                          room.align_bytes, room.remote_overlap, &remote_distance);
            for (int64_t segment = 0; local && remote && segment < wanted; ++segment) {
                shape.blocks.push_back({*local + segment * local_distance,
                                        *remote + segment * remote_distance, bytes});
                left -= bytes;
            }
            shape.first.push_back(shape.blocks.size());
            continue;
        }
        for (int64_t segment = 0; segment < wanted; ++segment) {
            const auto local = place_segment(rng, local_taken, room.local_bytes, bytes,
                                             room.align_bytes, room.local_overlap);
            const auto remote = place_segment(rng, remote_taken, room.remote_bytes, bytes,
                                              room.align_bytes, room.remote_overlap);
            if (!local || !remote) {
                break;
            }
            shape.blocks.push_back({*local, *remote, bytes});
            left -= bytes;
        }
        shape.first.push_back(shape.blocks.size());
    }
    return shape;
}

Shape random_shape(Rng& rng, const Room& room) {
    switch (rng.between(0, 2)) {
        case 0:
            return random_contiguous(rng, room);
        case 1:
            return random_strided(rng, room);
        default:
            return random_vector(rng, room);
    }
}

}  // namespace armci::mp
