// SPDX-License-Identifier: BSD-3-Clause
#include "transfer_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>

namespace armci::test {
namespace {

using strided::AccType;

int64_t drawn_gap(Random& random, int64_t unit_bytes) {
    return unit_bytes * draw(random, 0, 3);
}

// Appends the blocks of one level and those inside it.
void append_blocks(Pattern* pattern, int level, Block at) {
    if (level == 0) {
        pattern->blocks.push_back(at);
        return;
    }
    const auto index = static_cast<size_t>(level);
    for (int i = 0; i < pattern->count[index]; ++i) {
        append_blocks(pattern, level - 1, at);
        at.local += pattern->local_stride[index - 1];
        at.remote += pattern->remote_stride[index - 1];
    }
}

template <class Element>
void add_block(int factor, const char* local, char* remote, int64_t bytes) {
    const auto step = static_cast<int64_t>(sizeof(Element));
    for (int64_t at = 0; at < bytes; at += step) {
        Element from;
        Element to;
        std::memcpy(&from, local + at, sizeof from);
        std::memcpy(&to, remote + at, sizeof to);
        to += static_cast<Element>(factor) * from;
        std::memcpy(remote + at, &to, sizeof to);
    }
}

void add_block(AccType type, int factor, const char* local, char* remote, int64_t bytes) {
    switch (type) {
        case AccType::int32:  // unsigned: wrapping is meant
            return add_block<uint32_t>(factor, local, remote, bytes);
        case AccType::int64:
            return add_block<uint64_t>(factor, local, remote, bytes);
        case AccType::float32:
            return add_block<float>(factor, local, remote, bytes);
        case AccType::float64:
            return add_block<double>(factor, local, remote, bytes);
        case AccType::complex64:
            return add_block<std::complex<float>>(factor, local, remote, bytes);
        case AccType::complex128:
            return add_block<std::complex<double>>(factor, local, remote, bytes);
    }
}

template <class Element>
strided::AccScale scale_of(AccType type, int factor) {
    const auto value = static_cast<Element>(factor);
    return strided::make_scale(type, &value);
}

strided::AccScale make_scale(AccType type, int factor) {
    switch (type) {
        case AccType::int32:
            return scale_of<int32_t>(type, factor);
        case AccType::int64:
            return scale_of<int64_t>(type, factor);
        case AccType::float32:
            return scale_of<float>(type, factor);
        case AccType::float64:
            return scale_of<double>(type, factor);
        case AccType::complex64:
            return scale_of<std::complex<float>>(type, factor);
        case AccType::complex128:
            break;
    }
    return scale_of<std::complex<double>>(type, factor);
}

template <class Element>
void fill_whole_numbers(Random& random, char* memory, int64_t bytes) {
    for (int64_t at = 0; at + static_cast<int64_t>(sizeof(Element)) <= bytes;
         at += static_cast<int64_t>(sizeof(Element))) {
        const auto value = static_cast<Element>(draw(random, -1000, 1000));
        std::memcpy(memory + at, &value, sizeof value);
    }
}

}  // namespace

int64_t Pattern::local_end() const {
    int64_t end = 0;
    for (const Block& block : blocks) {
        end = std::max(end, block.local + block_bytes);
    }
    return end;
}

int64_t Pattern::remote_end() const {
    int64_t end = 0;
    for (const Block& block : blocks) {
        end = std::max(end, block.remote + block_bytes);
    }
    return end;
}

Pattern Pattern::shifted(int64_t local_bytes, int64_t remote_bytes) const {
    Pattern result = *this;
    for (Block& block : result.blocks) {
        block.local += local_bytes;
        block.remote += remote_bytes;
    }
    return result;
}

std::ostream& operator<<(std::ostream& out, const Pattern& pattern) {
    if (pattern.is_vector) {
        return out << "vector of " << pattern.blocks.size() << " x " << pattern.block_bytes;
    }
    out << "strided count";
    for (const int count : pattern.count) {
        out << ' ' << count;
    }
    out << ", local stride";
    for (const int stride : pattern.local_stride) {
        out << ' ' << stride;
    }
    out << ", remote stride";
    for (const int stride : pattern.remote_stride) {
        out << ' ' << stride;
    }
    return out;
}

Pattern strided_pattern(Random& random, int levels, int64_t block_bytes, int64_t total_bytes,
                        int64_t unit_bytes) {
    Pattern pattern;
    pattern.block_bytes = block_bytes;
    pattern.count.push_back(static_cast<int>(block_bytes));
    int64_t left = std::max<int64_t>(1, total_bytes / block_bytes);
    int64_t local_block = block_bytes;
    int64_t remote_block = block_bytes;
    for (int level = 1; level <= levels; ++level) {
        const int64_t count = level == levels ? left : std::min(left, draw(random, 2, 9));
        left = std::max<int64_t>(1, left / count);
        pattern.count.push_back(static_cast<int>(count));
        local_block += drawn_gap(random, unit_bytes);
        remote_block += drawn_gap(random, unit_bytes);
        pattern.local_stride.push_back(static_cast<int>(local_block));
        pattern.remote_stride.push_back(static_cast<int>(remote_block));
        local_block *= count;
        remote_block *= count;
    }
    append_blocks(&pattern, levels, {0, 0});
    return pattern;
}

Pattern vector_pattern(Random& random, int64_t block_bytes, int64_t total_bytes,
                       int64_t unit_bytes) {
    Pattern pattern;
    pattern.is_vector = true;
    pattern.block_bytes = block_bytes;
    Block at{0, 0};
    for (int64_t i = 0; i < std::max<int64_t>(1, total_bytes / block_bytes); ++i) {
        at.local += drawn_gap(random, unit_bytes);
        at.remote += drawn_gap(random, unit_bytes);
        pattern.blocks.push_back(at);
        at.local += block_bytes;
        at.remote += block_bytes;
    }
    // Both sides in a random order each.
    std::shuffle(pattern.blocks.begin(), pattern.blocks.end(), random);
    for (size_t i = pattern.blocks.size(); i > 1; --i) {
        const auto other = static_cast<size_t>(draw(random, 0, static_cast<int64_t>(i) - 1));
        std::swap(pattern.blocks[i - 1].local, pattern.blocks[other].local);
    }
    return pattern;
}

Pattern spaced_pattern(int64_t block_bytes, int64_t count, int64_t local_stride,
                       int64_t remote_stride) {
    Pattern pattern;
    pattern.block_bytes = block_bytes;
    pattern.count = {static_cast<int>(block_bytes), static_cast<int>(count)};
    pattern.local_stride = {static_cast<int>(local_stride)};
    pattern.remote_stride = {static_cast<int>(remote_stride)};
    for (int64_t i = 0; i < count; ++i) {
        pattern.blocks.push_back({i * local_stride, i * remote_stride});
    }
    return pattern;
}

Pattern contiguous_pattern(int64_t bytes, int64_t local, int64_t remote) {
    Pattern pattern;
    pattern.block_bytes = bytes;
    pattern.count = {static_cast<int>(bytes)};
    pattern.blocks = {{local, remote}};
    return pattern;
}

std::string describe(const Operation& operation) {
    std::string text = base::name_of(operation.kind);
    if (operation.kind == base::OpKind::acc) {
        text += " of type " + std::to_string(static_cast<int>(operation.type)) + " times " +
                std::to_string(operation.factor);
    }
    return text;
}

int64_t unit_bytes(const Operation& operation) {
    return operation.kind == base::OpKind::acc ? strided::basic_bytes(operation.type) : 1;
}

int64_t element_bytes(const Operation& operation) {
    return operation.kind == base::OpKind::acc ? strided::element_bytes(operation.type) : 1;
}

pipeline::Transfer make_transfer(const Operation& operation, const Pattern& pattern, char* local,
                                 char* remote) {
    pipeline::Transfer transfer;
    transfer.function = "test";
    transfer.op = operation.kind;
    transfer.total_bytes = pattern.total_bytes();
    if (operation.kind == base::OpKind::acc) {
        transfer.scale = make_scale(operation.type, operation.factor);
    }
    if (!pattern.is_vector) {
        strided::StridedSides& sides = transfer.sides.make_strided();
        sides.local = local + pattern.blocks.front().local;
        sides.remote = reinterpret_cast<uint64_t>(remote + pattern.blocks.front().remote);
        EXPECT_EQ(strided::make_pair(pattern.local_stride.data(), pattern.remote_stride.data(),
                                     pattern.count.data(),
                                     static_cast<int>(pattern.count.size()) - 1, &sides.layout),
                  strided::LayoutStatus::ok);
        return transfer;
    }
    std::vector<uint64_t> local_addresses;
    std::vector<uint64_t> remote_addresses;
    for (const Block& block : pattern.blocks) {
        local_addresses.push_back(reinterpret_cast<uint64_t>(local + block.local));
        remote_addresses.push_back(reinterpret_cast<uint64_t>(remote + block.remote));
    }
    strided::VectorSides& sides = transfer.sides.make_vector();
    sides.local = local_addresses.data();
    sides.remote = remote_addresses.data();
    sides.block_count = static_cast<int64_t>(pattern.blocks.size());
    sides.block_bytes = pattern.block_bytes;
    // Without a common extent the addresses are sent as they are, as for blocks that are far from
    // each other.
    if (sides.block_count % 3 != 0) {
        sides.remote_extent =
            strided::enclose(remote_addresses.data(), sides.block_count, pattern.block_bytes);
    }
    transfer.sides.own();
    return transfer;
}

void apply(const Operation& operation, const Pattern& pattern, char* local, char* remote) {
    for (const Block& block : pattern.blocks) {
        switch (operation.kind) {
            case base::OpKind::put:
                std::copy_n(local + block.local, pattern.block_bytes, remote + block.remote);
                break;
            case base::OpKind::get:
                std::copy_n(remote + block.remote, pattern.block_bytes, local + block.local);
                break;
            case base::OpKind::acc:
                add_block(operation.type, operation.factor, local + block.local,
                          remote + block.remote, pattern.block_bytes);
                break;
        }
    }
}

void fill(Random& random, AccType type, char* memory, int64_t bytes) {
    switch (type) {
        case AccType::float32:
        case AccType::complex64:
            return fill_whole_numbers<float>(random, memory, bytes);
        case AccType::float64:
        case AccType::complex128:
            return fill_whole_numbers<double>(random, memory, bytes);
        case AccType::int32:
        case AccType::int64:
            break;
    }
    for (int64_t at = 0; at + 8 <= bytes; at += 8) {
        const uint64_t value = random();
        std::memcpy(memory + at, &value, sizeof value);
    }
}

bool expect_equal(const std::vector<char>& expected, const char* actual, const char* side) {
    if (std::memcmp(expected.data(), actual, expected.size()) == 0) {
        return true;
    }
    const auto [wanted, found] = std::mismatch(expected.begin(), expected.end(), actual);
    int64_t wrong = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        wrong += expected[i] != actual[i] ? 1 : 0;
    }
    ADD_FAILURE() << side << " memory: " << wrong << " wrong bytes, the first at offset "
                  << wanted - expected.begin() << ": " << +static_cast<unsigned char>(*found)
                  << " instead of " << +static_cast<unsigned char>(*wanted);
    return false;
}

}  // namespace armci::test
