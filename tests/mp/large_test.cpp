// SPDX-License-Identifier: BSD-3-Clause
// Sizes beyond 2 and 4 GiB. Little physical memory is needed: slices are sparse, and local buffers
// map one small piece of memory repeatedly.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "support/check.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kMiB = int64_t{1} << 20;

int target() {
    return nproc() - 1;
}

std::vector<char> random_bytes(int64_t bytes, uint64_t stream) {
    Rng rng = common_rng(stream);
    std::vector<char> data(static_cast<size_t>(bytes));
    for (int64_t i = 0; i < bytes; i += 8) {
        const uint64_t word = rng.bits();
        std::memcpy(data.data() + i, &word, static_cast<size_t>(std::min<int64_t>(8, bytes - i)));
    }
    return data;
}

// `bytes` of address space that map the same tile again and again.
class TiledBuffer {
  public:
    static constexpr int64_t kTile = 64 * kMiB;

    explicit TiledBuffer(int64_t bytes) : bytes_((bytes + kTile - 1) / kTile * kTile) {
        const int file = memfd_create("tile", 0);
        if (file < 0 || ftruncate(file, kTile) != 0) {
            give_up("no memory for a tile");
        }
        void* space = mmap(nullptr, static_cast<size_t>(bytes_), PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        data_ = static_cast<char*>(space);
        for (int64_t at = 0; at < bytes_; at += kTile) {
            if (space == MAP_FAILED || mmap(data_ + at, kTile, PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
                give_up("no address space for tiles");
            }
        }
        close(file);
    }
    ~TiledBuffer() { munmap(data_, static_cast<size_t>(bytes_)); }
    TiledBuffer(const TiledBuffer&) = delete;
    TiledBuffer& operator=(const TiledBuffer&) = delete;

    char* data() { return data_; }
    // Sets the contents of all tiles.
    void fill(const std::vector<char>& tile) { std::copy(tile.begin(), tile.end(), data_); }
    void expect(const std::vector<char>& tile, const char* what) const {
        expect_same_bytes(tile.data(), data_, kTile, what);
    }

  private:
    int64_t bytes_;
    char* data_ = nullptr;
};

// The first `bytes` at `memory` map the tile again and again.
void expect_tiled(const std::vector<char>& tile, const char* memory, int64_t bytes,
                  const std::string& what) {
    const auto tile_bytes = static_cast<int64_t>(tile.size());
    for (int64_t at = 0; at < bytes; at += tile_bytes) {
        if (!expect_same_bytes(tile.data(), memory + at, std::min(tile_bytes, bytes - at),
                               what + ", from byte " + std::to_string(at))) {
            return;
        }
    }
}

// Offsets around every power of two at which 32-bit arithmetic breaks.
// promise: large.64-bit-offsets
TEST(Large, OffsetsBeyondFourGiB) {
    constexpr int64_t kSlice = 5 * kGiB;
    GlobalMemory memory(kSlice);
    const std::vector<int64_t> offsets = {
        0, 2 * kGiB - 8, 2 * kGiB, 2 * kGiB + 8, 4 * kGiB - 8, 4 * kGiB, 4 * kGiB + 8, kSlice - 8};
    for (const int64_t offset : offsets) {
        *reinterpret_cast<long*>(memory.mine() + offset) = -1;
    }
    ARMCI_Barrier();
    for (const int64_t offset : offsets) {
        if (me() == 0) {
            long value = offset + 1;
            ARMCI_Put(&value, memory.at(target(), offset), 8, target());
            long one = 1;
            long added = 10;
            ARMCI_Acc(ARMCI_ACC_LNG, &one, &added, memory.at(target(), offset), 8, target());
            long old = -1;
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.at(target(), offset), 100, target());
            EXPECT_EQ(old, offset + 11);
            long found = -1;
            ARMCI_Get(memory.at(target(), offset), &found, 8, target());
            EXPECT_EQ(found, offset + 111);
        }
    }
    ARMCI_Barrier();
    for (const int64_t offset : offsets) {
        EXPECT_EQ(*reinterpret_cast<long*>(memory.mine() + offset),
                  me() == target() ? offset + 111 : -1)
            << "offset " << offset;
    }
    ARMCI_Barrier();
}

// A few rows for which distance times number does not fit into 32 bits.
// promise: large.64-bit-offsets
TEST(Large, RowsFarApart) {
    constexpr int kRow = 100000;
    constexpr int kRows = 3;
    constexpr int kFar = 2000000000;
    constexpr int64_t kSlice = int64_t{kFar} * (kRows - 1) + kRow + 64;
    GlobalMemory memory(kSlice);
    if (me() == target()) {
        for (int row = 0; row < kRows; ++row) {
            std::memset(memory.mine() + int64_t{kFar} * row, 0x13, kRow + 64);
        }
    }
    ARMCI_Barrier();
    std::vector<char> source = random_bytes(int64_t{kRow} * kRows, 0);
    if (me() == 0) {
        int near_stride[1] = {kRow};
        int far_stride[1] = {kFar};
        int count[2] = {kRow, kRows};
        ARMCI_PutS(source.data(), near_stride, memory.at(target(), 32), far_stride, count, 1,
                   target());
        std::vector<char> readback(source.size(), 0);
        ARMCI_GetS(memory.at(target(), 32), far_stride, readback.data(), near_stride, count, 1,
                   target());
        expect_same_bytes(source.data(), readback.data(), int64_t{kRow} * kRows, "rows far apart");
        // Backwards from the last row as well.
        far_stride[0] = -kFar;
        near_stride[0] = -kRow;
        std::fill(readback.begin(), readback.end(), 0);
        ARMCI_GetS(memory.at(target(), 32 + int64_t{kFar} * (kRows - 1)), far_stride,
                   readback.data() + kRow * (kRows - 1), near_stride, count, 1, target());
        expect_same_bytes(source.data(), readback.data(), int64_t{kRow} * kRows,
                          "rows far apart, backwards");
    }
    ARMCI_Barrier();
    if (me() == target()) {
        const std::vector<char> guard(32, 0x13);
        for (int row = 0; row < kRows; ++row) {
            const char* found = memory.mine() + int64_t{kFar} * row;
            expect_same_bytes(guard.data(), found, 32, "before a row");
            expect_same_bytes(source.data() + int64_t{kRow} * row, found + 32, kRow, "a row");
            expect_same_bytes(guard.data(), found + 32 + kRow, 32, "behind a row");
        }
    }
    ARMCI_Barrier();
}

// Vectors with blocks at distances beyond 2 and 4 GiB: at one distance, and at any; of few short
// blocks, which are sent with other small operations, and of many.
TEST(Large, VectorsBeyondFourGiB) {
    constexpr int64_t kSlice = 7 * kGiB;
    constexpr int64_t kLength = 48;
    GlobalMemory memory(kSlice);
    const std::vector<std::vector<int64_t>> places = {{0, 3 * kGiB, 6 * kGiB},
                                                      {0, 2 * kGiB - 48, 2 * kGiB},
                                                      {2 * kGiB + 4096, 4096, 4 * kGiB - 48 + 4096},
                                                      {kSlice - 48, 4 * kGiB, 8192, 5 * kGiB + 16}};
    Rng rng = common_rng();
    for (const std::vector<int64_t>& far : places) {
        for (const int64_t repetitions : {1, 40}) {
            // So many blocks after or before each place, in any order.
            std::vector<int64_t> offsets;
            for (int64_t i = 0; i < repetitions; ++i) {
                for (const int64_t place : far) {
                    offsets.push_back(place + (place < kGiB ? i : -i) * 2 * kLength);
                }
            }
            if (repetitions > 1) {
                rng.shuffle(offsets);
            }
            if (me() == target()) {
                for (const int64_t offset : offsets) {
                    std::memset(memory.mine() + offset, 0, kLength);
                }
            }
            ARMCI_Barrier();
            const auto count = static_cast<int64_t>(offsets.size());
            std::vector<long> numbers(static_cast<size_t>(count * kLength) / sizeof(long));
            for (size_t i = 0; i < numbers.size(); ++i) {
                numbers[i] = static_cast<long>(i + 1);
            }
            auto* data = reinterpret_cast<char*>(numbers.data());
            if (me() == 0) {
                std::vector<long> found(numbers.size(), 0);
                std::vector<void*> local;
                std::vector<void*> local_found;
                std::vector<void*> remote;
                for (int64_t i = 0; i < count; ++i) {
                    local.push_back(data + i * kLength);
                    local_found.push_back(reinterpret_cast<char*>(found.data()) + i * kLength);
                    remote.push_back(memory.at(target(), offsets[static_cast<size_t>(i)]));
                }
                armci_giov_t out{local.data(), remote.data(), kLength, static_cast<int>(count)};
                armci_giov_t in{remote.data(), local_found.data(), kLength,
                                static_cast<int>(count)};
                long two = 2;
                ARMCI_PutV(&out, 1, target());
                ARMCI_AccV(ARMCI_ACC_LNG, &two, &out, 1, target());
                ARMCI_GetV(&in, 1, target());
                for (size_t i = 0; i < found.size(); ++i) {
                    EXPECT_EQ(found[i], 3 * numbers[i]) << "number " << i;
                }
            }
            ARMCI_Barrier();
            if (me() == target()) {
                for (int64_t i = 0; i < count; ++i) {
                    const auto* there = reinterpret_cast<const long*>(
                        memory.mine() + offsets[static_cast<size_t>(i)]);
                    const auto first = static_cast<size_t>(i * kLength) / sizeof(long);
                    for (size_t j = 0; j < kLength / sizeof(long); ++j) {
                        EXPECT_EQ(there[j], 3 * numbers[first + j])
                            << "at byte " << offsets[static_cast<size_t>(i)];
                    }
                }
            }
            ARMCI_Barrier();
        }
    }
}

// The rows of these transfers overlap in the same way on both sides. So the result is a plain copy,
// while more than 2 GiB are moved.
constexpr int kRow = 1 << 20;
constexpr int kRows = 2200;
constexpr int kStep = 4096;
constexpr int64_t kSpan = int64_t{kStep} * (kRows - 1) + kRow;

// promise: large.64-bit-totals
TEST(Large, TotalsBeyondTwoGiBOfPutAndGet) {
    GlobalMemory memory(kSpan);
    std::memset(memory.mine(), 0, kSpan);
    ARMCI_Barrier();
    std::vector<char> source = random_bytes(kSpan, 0);
    if (me() == 0) {
        int stride[1] = {kStep};
        int count[2] = {kRow, kRows};
        ARMCI_PutS(source.data(), stride, memory.at(target()), stride, count, 1, target());
        std::vector<char> readback(source.size(), 0);
        int get_stride[1] = {kStep};
        ARMCI_GetS(memory.at(target()), get_stride, readback.data(), get_stride, count, 1,
                   target());
        expect_same_bytes(source.data(), readback.data(), kSpan, "get of more than 2 GiB");
    }
    ARMCI_Barrier();
    if (me() == target()) {
        expect_same_bytes(source.data(), memory.mine(), kSpan, "put of more than 2 GiB");
    }
    ARMCI_Barrier();
}

// promise: large.64-bit-totals
TEST(Large, TotalsBeyondTwoGiBOfAccumulate) {
    constexpr int64_t kWords = kRow / 4;
    GlobalMemory memory(kRow + 64);
    std::memset(memory.mine(), 0, kRow + 64);
    ARMCI_Barrier();
    std::vector<int> source(kWords);
    for (int64_t i = 0; i < kWords; ++i) {
        source[static_cast<size_t>(i)] = static_cast<int>(i * 31 - 5000);
    }
    if (me() == 0) {
        int stride[1] = {0};  // the same row, onto the same row
        int count[2] = {kRow, kRows};
        int scale = 1;
        ARMCI_AccS(ARMCI_ACC_INT, &scale, source.data(), stride, memory.at(target()), stride, count,
                   1, target());
    }
    ARMCI_Barrier();
    if (me() == target()) {
        for (int& value : source) {
            value = static_cast<int>(static_cast<unsigned>(value) * kRows);
        }
        source.resize(kWords + 16, 0);
        expect_same_bytes(source.data(), memory.mine(), kRow + 64, "accumulate beyond 2 GiB");
    }
    ARMCI_Barrier();
}

// promise: large.64-bit-totals
TEST(Large, TotalsBeyondTwoGiBOfVector) {
    GlobalMemory memory(kSpan);
    std::memset(memory.mine(), 0, kSpan);
    ARMCI_Barrier();
    std::vector<char> source = random_bytes(kSpan, 0);
    if (me() == 0) {
        std::vector<void*> local;
        std::vector<void*> remote;
        for (int64_t row = 0; row < kRows; ++row) {
            local.push_back(source.data() + row * kStep);
            remote.push_back(memory.at(target(), row * kStep));
        }
        armci_giov_t put{local.data(), remote.data(), kRow, kRows};
        ARMCI_PutV(&put, 1, target());
        std::vector<char> readback(source.size(), 0);
        for (int64_t row = 0; row < kRows; ++row) {
            local[static_cast<size_t>(row)] = readback.data() + row * kStep;
        }
        armci_giov_t get{remote.data(), local.data(), kRow, kRows};
        ARMCI_GetV(&get, 1, target());
        expect_same_bytes(source.data(), readback.data(), kSpan, "vector get beyond 2 GiB");
    }
    ARMCI_Barrier();
    if (me() == target()) {
        expect_same_bytes(source.data(), memory.mine(), kSpan, "vector put beyond 2 GiB");
    }
    ARMCI_Barrier();
}

// The largest number of bytes that one contiguous call can name.
TEST(Large, ContiguousOfIntMaxBytes) {
    const std::vector<char> tile = random_bytes(TiledBuffer::kTile, 0);
    GlobalMemory memory(me() == target() ? 2 * kGiB : 0);
    if (me() == target()) {
        memory.mine()[INT_MAX] = 0x2a;  // the byte after the transfer
    }
    ARMCI_Barrier();
    TiledBuffer local(INT_MAX);
    if (me() == 0) {
        local.fill(tile);
        ARMCI_Put(local.data(), memory.at(target()), INT_MAX, target());
    }
    ARMCI_Barrier();
    if (me() == target()) {
        expect_tiled(tile, memory.mine(), INT_MAX, "put of INT_MAX bytes");
        EXPECT_EQ(memory.mine()[INT_MAX], 0x2a);
    }
    ARMCI_Barrier();
    if (me() == 0) {
        local.fill(std::vector<char>(TiledBuffer::kTile, 0));
        ARMCI_Get(memory.at(target()), local.data(), INT_MAX, target());
        local.expect(tile, "get of INT_MAX bytes");

        // Adds twice the contents to themselves: 3 times the contents.
        int scale = 2;
        ARMCI_Acc(ARMCI_ACC_INT, &scale, local.data(), memory.at(target()), INT_MAX - 3, target());
    }
    ARMCI_Barrier();
    if (me() == target()) {
        std::vector<unsigned> tripled(TiledBuffer::kTile / 4);
        std::memcpy(tripled.data(), tile.data(), TiledBuffer::kTile);
        for (unsigned& word : tripled) {
            word *= 3;
        }
        std::vector<char> expected(TiledBuffer::kTile);
        std::memcpy(expected.data(), tripled.data(), TiledBuffer::kTile);
        expect_tiled(expected, memory.mine(), INT_MAX - 3, "accumulate of INT_MAX - 3 bytes");
    }
    ARMCI_Barrier();
}

TEST(Large, BroadcastOfIntMaxBytes) {
    const std::vector<char> tile = random_bytes(TiledBuffer::kTile, 0);
    TiledBuffer buffer(INT_MAX);
    buffer.fill(me() == 0 ? tile : std::vector<char>(TiledBuffer::kTile, 0));
    armci_msg_bcast(buffer.data(), INT_MAX, 0);
    buffer.expect(tile, "broadcast of INT_MAX bytes");
}

}  // namespace
}  // namespace armci::mp
