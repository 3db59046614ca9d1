// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/buffer_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <vector>

namespace armci::pipeline::test {
namespace {

constexpr size_t kSmallest = BufferManager::kSmallestPiece;

// A manager with memory of its own.
class OwningManager : public BufferManager {
  public:
    OwningManager(size_t buffer_count, size_t buffer_bytes)
        : memory_(
              static_cast<char*>(std::aligned_alloc(64, buffer_count * rounded(buffer_bytes)))) {
        open(memory_.get(), buffer_count, buffer_bytes);
        while (!has_all()) {
            add_buffer();
        }
    }
    char* start() const { return memory_.get(); }

  private:
    struct Free {
        void operator()(char* memory) const { std::free(memory); }
    };
    std::unique_ptr<char, Free> memory_;
};

// The pieces in use, and what an ideal buddy system could still allocate.
class ReferenceArena {
  public:
    ReferenceArena(const char* start, size_t buffer_count, size_t buffer_bytes)
        : start_(start), buffer_count_(buffer_count), buffer_bytes_(buffer_bytes) {}

    static size_t piece_bytes(size_t bytes) { return std::bit_ceil(std::max(bytes, kSmallest)); }
    size_t offset_of(const void* piece) const {
        return static_cast<size_t>(static_cast<const char*>(piece) - start_);
    }
    size_t buffer_of(const void* piece) const { return offset_of(piece) / buffer_bytes_; }

    void add(const void* piece, size_t bytes) {
        const size_t begin = offset_of(piece);
        const size_t length = piece_bytes(bytes);
        ASSERT_LE(begin + length, buffer_count_ * buffer_bytes_);
        ASSERT_EQ(begin % length, 0U) << "not a buddy of its size";
        const auto after = used_.lower_bound(begin);
        ASSERT_TRUE(after == used_.end() || begin + length <= after->first);
        ASSERT_TRUE(after == used_.begin() ||
                    std::prev(after)->first + std::prev(after)->second <= begin);
        used_[begin] = length;
        used_bytes_ += length;
    }
    void remove(const void* piece) {
        used_bytes_ -= used_.at(offset_of(piece));
        used_.erase(offset_of(piece));
    }

    bool is_whole(size_t buffer) const { return is_free(buffer * buffer_bytes_, buffer_bytes_); }
    bool fits(size_t buffer, size_t bytes) const {
        const size_t length = piece_bytes(bytes);
        const size_t begin = buffer * buffer_bytes_;
        for (size_t offset = begin; offset + length <= begin + buffer_bytes_; offset += length) {
            if (is_free(offset, length)) {
                return true;
            }
        }
        return false;
    }
    // Whether a buffer that is already split has room.
    bool fits_in_split(size_t bytes) const {
        for (size_t buffer = 0; buffer < buffer_count_; ++buffer) {
            if (!is_whole(buffer) && fits(buffer, bytes)) {
                return true;
            }
        }
        return false;
    }
    size_t whole_count() const {
        size_t count = 0;
        for (size_t buffer = 0; buffer < buffer_count_; ++buffer) {
            count += is_whole(buffer) ? 1 : 0;
        }
        return count;
    }
    size_t used_bytes() const { return used_bytes_; }

  private:
    bool is_free(size_t offset, size_t length) const {
        const auto after = used_.lower_bound(offset);
        return (after == used_.end() || offset + length <= after->first) &&
               (after == used_.begin() ||
                std::prev(after)->first + std::prev(after)->second <= offset);
    }

    const char* start_;
    size_t buffer_count_;
    size_t buffer_bytes_;
    std::map<size_t, size_t> used_;
    size_t used_bytes_ = 0;
};

struct Piece {
    void* data;
    size_t bytes;
    unsigned char mark;
};

void fill(const Piece& piece) {
    std::memset(piece.data, piece.mark, piece.bytes);
}

bool is_intact(const Piece& piece) {
    const auto* data = static_cast<const unsigned char*>(piece.data);
    return std::all_of(data, data + piece.bytes, [&](unsigned char c) { return c == piece.mark; });
}

TEST(BufferManager, SizesAreRoundedUpToAPowerOfTwo) {
    struct Case {
        size_t asked;
        size_t got;
    };
    for (const Case& one : {Case{1, kSmallest}, Case{kSmallest, kSmallest}, Case{257, 512},
                            Case{4096, 4096}, Case{5000, 8192}, Case{65537, 131072}}) {
        OwningManager manager(3, one.asked);
        EXPECT_EQ(manager.buffer_bytes(), one.got);
        EXPECT_EQ(manager.arena_bytes(), 3 * one.got);
        EXPECT_EQ(manager.acquire(one.got + 1), nullptr);
        for (int i = 0; i < 3; ++i) {
            EXPECT_NE(manager.acquire(one.got), nullptr);
        }
        EXPECT_EQ(manager.acquire(1), nullptr);
    }
}

TEST(BufferManager, PiecesLieInTheArena) {
    OwningManager manager(4, 4096);
    for (int i = 0; i < 16; ++i) {
        auto* piece = static_cast<char*>(manager.acquire(1024));
        ASSERT_NE(piece, nullptr);
        EXPECT_GE(piece, manager.start());
        EXPECT_LE(piece + 1024, manager.start() + manager.arena_bytes());
    }
    manager.open(manager.start(), 2, 8192);
    EXPECT_EQ(manager.used_bytes(), 0U);
    EXPECT_EQ(manager.high_water_bytes(), 0U);
}

TEST(BufferManager, RandomUseAgreesWithTheReference) {
    struct Shape {
        size_t buffer_count;
        size_t buffer_bytes;
    };
    for (const Shape& shape : {Shape{1, 256}, Shape{2, 4096}, Shape{3, 1024}, Shape{8, 65536}}) {
        SCOPED_TRACE(shape.buffer_bytes);
        std::mt19937_64 random(shape.buffer_bytes);
        OwningManager manager(shape.buffer_count, shape.buffer_bytes);
        ReferenceArena reference(manager.start(), shape.buffer_count, shape.buffer_bytes);
        std::vector<Piece> pieces;
        size_t high_water = 0;
        for (int step = 0; step < 6000; ++step) {
            const bool filling = step / 300 % 2 == 0;
            if (pieces.empty() || random() % 8 < (filling ? 6U : 2U)) {
                // Sizes of all magnitudes are equally frequent.
                const size_t bytes = random() % ((kSmallest << random() % 9) + 1);
                const bool fits_in_split = reference.fits_in_split(bytes);
                const size_t whole_before = reference.whole_count();
                const bool fits =
                    bytes <= shape.buffer_bytes && (fits_in_split || whole_before > 0);
                const Piece piece{manager.acquire(bytes), bytes,
                                  static_cast<unsigned char>(random())};
                ASSERT_EQ(piece.data != nullptr, fits) << bytes;
                if (!fits) {
                    continue;
                }
                ASSERT_EQ(reinterpret_cast<uintptr_t>(piece.data) % 64, 0U);
                ASSERT_NO_FATAL_FAILURE(reference.add(piece.data, bytes));
                // A whole buffer is split only for pieces that fit into no other.
                ASSERT_EQ(reference.whole_count(), whole_before - (fits_in_split ? 0 : 1));
                fill(piece);
                pieces.push_back(piece);
            } else {
                std::swap(pieces[random() % pieces.size()], pieces.back());
                ASSERT_TRUE(is_intact(pieces.back()));
                reference.remove(pieces.back().data);
                manager.release(pieces.back().data);
                pieces.pop_back();
            }
            high_water = std::max(high_water, reference.used_bytes());
            ASSERT_EQ(manager.used_bytes(), reference.used_bytes());
            ASSERT_EQ(manager.high_water_bytes(), high_water);
        }
        std::shuffle(pieces.begin(), pieces.end(), random);
        for (const Piece& piece : pieces) {
            manager.release(piece.data);
        }
        EXPECT_EQ(manager.used_bytes(), 0U);
        EXPECT_EQ(manager.high_water_bytes(), high_water);
        // Everything has merged: all buffers are whole.
        for (size_t i = 0; i < shape.buffer_count; ++i) {
            EXPECT_NE(manager.acquire(shape.buffer_bytes), nullptr);
        }
    }
}

// The bound on external fragmentation: a request is refused only when each aligned place of its
// size in the arena overlaps a piece in use. However the pieces were freed, few pieces never make
// much memory useless.
TEST(BufferManager, FailsOnlyWhenNoFreeBlockOfThatSize) {
    constexpr size_t kBufferBytes = 64 << 10;
    constexpr size_t kBuffers = 6;
    int refusals = 0;
    for (unsigned seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        OwningManager manager(kBuffers, kBufferBytes);
        std::vector<size_t> sizes;
        std::vector<void*> pieces;
        for (int step = 0; step < 2000; ++step) {
            const bool filling = step / 200 % 2 == 0;
            if (!pieces.empty() && random() % 8 >= (filling ? 6U : 2U)) {
                const size_t victim = random() % pieces.size();
                manager.release(pieces[victim]);
                pieces[victim] = pieces.back();
                pieces.pop_back();
                sizes[victim] = sizes.back();
                sizes.pop_back();
                continue;
            }
            const size_t place = kSmallest << random() % 9;
            void* piece = manager.acquire(place);
            if (piece != nullptr) {
                pieces.push_back(piece);
                sizes.push_back(place);
                continue;
            }
            ++refusals;
            size_t touched = 0;
            for (const size_t bytes : sizes) {
                touched += std::max<size_t>(1, bytes / place);
            }
            ASSERT_GE(touched, kBuffers * kBufferBytes / place) << "refused " << place;
        }
    }
    EXPECT_GT(refusals, 100) << "the test refused too little to mean anything";
}

TEST(BufferManager, SmallPiecesShareFewBuffers) {
    OwningManager manager(8, 4096);
    std::vector<void*> small;
    for (size_t i = 0; i < 2 * 4096 / kSmallest; ++i) {
        small.push_back(manager.acquire(1));
        ASSERT_NE(small.back(), nullptr);
    }
    // Two buffers full of small pieces leave six whole ones.
    std::vector<void*> whole;
    for (int i = 0; i < 6; ++i) {
        whole.push_back(manager.acquire(4096));
        ASSERT_NE(whole.back(), nullptr);
    }
    EXPECT_EQ(manager.acquire(1), nullptr);
    EXPECT_EQ(manager.used_bytes(), manager.arena_bytes());
    for (void* piece : small) {
        manager.release(piece);
    }
    EXPECT_NE(manager.acquire(4096), nullptr);
    EXPECT_NE(manager.acquire(4096), nullptr);
}

TEST(BufferManager, ReusesFreedPiecesInAnyOrder) {
    std::mt19937_64 random(4);
    OwningManager manager(2, 4096);
    std::vector<void*> pieces;
    for (void* piece = manager.acquire(600); piece != nullptr; piece = manager.acquire(600)) {
        pieces.push_back(piece);
    }
    ASSERT_EQ(pieces.size(), 8U) << "600 bytes take 1024";
    for (int turn = 0; turn < 200; ++turn) {
        void*& one = pieces[random() % pieces.size()];
        manager.release(one);
        void* again = manager.acquire(1024);
        EXPECT_EQ(again, one) << "the only free piece";
        one = again;
        EXPECT_EQ(manager.acquire(1), nullptr);
    }
}

}  // namespace
}  // namespace armci::pipeline::test
