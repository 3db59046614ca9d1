// SPDX-License-Identifier: BSD-3-Clause
// Canonical form, cursors and kernels against nested loops, for any layout of a few thousand bytes.
#include <algorithm>
#include <set>
#include <vector>

#include "fuzz.h"
#include "strided/cursor.h"
#include "strided/kernels.h"
#include "strided/layout.h"

namespace armci::strided {
namespace {

constexpr int kShapeLevels = 5;
constexpr int64_t kMaxBytes = 4096;
constexpr int64_t kMiddle = 32 << 10;  // of memory that has room for all strides

struct Shape {
    int levels = 0;
    int count[kShapeLevels + 1] = {};
    int local[kShapeLevels] = {};
    int remote[kShapeLevels] = {};
};

// Of every byte, in order, by nested loops.
std::vector<int64_t> offsets(const Shape& shape, const int* stride) {
    std::vector<int64_t> inner;
    for (int64_t byte = 0; byte < shape.count[0]; ++byte) {
        inner.push_back(byte);
    }
    for (int level = 0; level < shape.levels; ++level) {
        std::vector<int64_t> outer;
        for (int64_t turn = 0; turn < shape.count[level + 1]; ++turn) {
            for (const int64_t offset : inner) {
                outer.push_back(turn * stride[level] + offset);
            }
        }
        inner = std::move(outer);
    }
    return inner;
}

bool are_distinct(const std::vector<int64_t>& offsets) {
    return std::set<int64_t>(offsets.begin(), offsets.end()).size() == offsets.size();
}

void check_side(const Layout& layout, const std::vector<int64_t>& expected, uint32_t seed) {
    std::vector<char> memory(2 * kMiddle);
    for (size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<char>(i * 31 + i / 256);
    }
    char* base = memory.data() + kMiddle;
    FUZZ_CHECK(total_bytes(layout) == static_cast<int64_t>(expected.size()));
    for (int level = 0; level < layout.levels; ++level) {
        FUZZ_CHECK(layout.count[level + 1] > 1);
        FUZZ_CHECK(level > 0 || layout.stride[0] != layout.count[0]);
    }
    const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
    const Extent range = extent(layout);
    FUZZ_CHECK(range.begin == *low && range.end == *high + 1);
    // Walks, packs and unpacks in pieces of any length, and from any position.
    StridedCursor walker(base, layout);
    StridedCursor packer(base, layout);
    std::vector<char> packed(expected.size());
    size_t done = 0;
    while (done < expected.size()) {
        seed = seed * 1664525 + 1013904223;
        const int64_t piece = 1 + (seed >> 16) % 61;
        const Block block = walker.next(piece);
        FUZZ_CHECK(block.bytes > 0 && block.bytes <= piece);
        for (int64_t i = 0; i < block.bytes; ++i) {
            FUZZ_CHECK(block.data + i == base + expected[done + static_cast<size_t>(i)]);
        }
        pack(packer, packed.data() + done, block.bytes);
        done += static_cast<size_t>(block.bytes);
        if (seed >> 29 == 0) {
            packer.seek(packer.position());
            walker.seek(walker.position());
        }
    }
    FUZZ_CHECK(walker.next(1).bytes == 0 && packer.remaining() == 0);
    for (size_t i = 0; i < expected.size(); ++i) {
        FUZZ_CHECK(packed[i] == base[expected[i]]);
    }
    if (!are_distinct(expected)) {
        return;
    }
    std::vector<char> after = memory;
    for (size_t i = 0; i < expected.size(); ++i) {
        packed[i] = static_cast<char>(i * 7 + 1);
        after[static_cast<size_t>(kMiddle + expected[i])] = packed[i];
    }
    StridedCursor unpacker(base, layout);
    const int64_t first = static_cast<int64_t>(seed % expected.size());
    unpack(unpacker, packed.data(), first);
    unpack(unpacker, packed.data() + first, unpacker.remaining());
    FUZZ_CHECK(memory == after);
}

void check_copy(const PairLayout& pair, const std::vector<int64_t>& local,
                const std::vector<int64_t>& remote) {
    if (!are_distinct(remote)) {
        return;
    }
    std::vector<char> from(2 * kMiddle);
    std::vector<char> to(2 * kMiddle);
    for (size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<char>(i * 13 + i / 256 + 1);
    }
    std::vector<char> expected = to;
    for (size_t i = 0; i < local.size(); ++i) {
        expected[static_cast<size_t>(kMiddle + remote[i])] =
            from[static_cast<size_t>(kMiddle + local[i])];
    }
    copy(pair, from.data() + kMiddle, to.data() + kMiddle, Direction::to_remote);
    FUZZ_CHECK(to == expected);
}

// Rows of 32-bit integers, in two halves at any block.
void check_accumulate(Shape shape, uint32_t factor) {
    shape.count[0] *= 4;
    for (int level = 0; level < shape.levels; ++level) {
        shape.local[level] *= 4;
        shape.remote[level] *= 4;
    }
    const std::vector<int64_t> targets = offsets(shape, shape.remote);
    PairLayout pair;
    FUZZ_CHECK(make_pair(shape.local, shape.remote, shape.count, shape.levels, &pair) ==
               LayoutStatus::ok);
    const Layout layout = remote_side(pair);
    std::vector<uint32_t> memory(2 * kMiddle / 4);
    std::vector<uint32_t> source(targets.size() / 4);
    for (size_t i = 0; i < memory.size(); ++i) {
        memory[i] = static_cast<uint32_t>(i * 2654435761u);
    }
    for (size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<uint32_t>(i * 40503u + 7);
    }
    std::vector<uint32_t> expected = memory;
    for (size_t i = 0; i < source.size(); ++i) {
        expected[static_cast<size_t>((kMiddle + targets[4 * i]) / 4)] += factor * source[i];
    }
    const AccScale scale = make_scale(AccType::int32, &factor);
    StridedCursor cursor(reinterpret_cast<char*>(memory.data()) + kMiddle, layout);
    const char* next = reinterpret_cast<const char*>(source.data());
    while (cursor.remaining() > 0) {
        const Row row = cursor.next_row(cursor.remaining());
        FUZZ_CHECK(row.block_count > 0 && row.block_bytes > 0);
        accumulate_row(
            scale, {row.data, row.stride, next, row.block_bytes, row.block_bytes, row.block_count});
        next += row.block_count * row.block_bytes;
    }
    FUZZ_CHECK(memory == expected);
}

}  // namespace
}  // namespace armci::strided

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
    using namespace armci::strided;
    armci::fuzz::Input input(data, bytes);
    Shape shape;
    const auto head = input.take<uint8_t>();
    shape.levels = head % (kShapeLevels + 1);
    int64_t total = 1;
    for (int i = 0; i <= shape.levels; ++i) {
        shape.count[i] = input.take<uint8_t>() % (i == 0 ? 80 : 9);
        total *= shape.count[i];
    }
    if (total > kMaxBytes / 4) {
        return 0;
    }
    for (int i = 0; i < shape.levels; ++i) {
        shape.local[i] = input.take<int16_t>() % 150;
        // Often such that it is contiguous with the level below.
        shape.remote[i] = input.take<int16_t>() % 150;
        if ((head >> 3 & 1) != 0) {
            shape.local[i] = shape.remote[i] =
                i == 0 ? shape.count[0] : shape.count[i] * shape.remote[i - 1];
        }
        if (shape.local[i] > 3000 || shape.remote[i] > 3000) {
            return 0;
        }
    }
    const auto seed = input.take<uint32_t>();
    PairLayout pair;
    const LayoutStatus status =
        make_pair(shape.local, shape.remote, shape.count, shape.levels, &pair);
    FUZZ_CHECK(status == (total == 0 ? LayoutStatus::empty : LayoutStatus::ok));
    if (total == 0) {
        return 0;
    }
    const std::vector<int64_t> local = offsets(shape, shape.local);
    const std::vector<int64_t> remote = offsets(shape, shape.remote);
    check_side(local_side(pair), local, seed);
    check_side(remote_side(pair), remote, seed);
    check_copy(pair, local, remote);
    check_accumulate(shape, (head >> 4 & 1) != 0 ? 1 : seed);
    return 0;
}
