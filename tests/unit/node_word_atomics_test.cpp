// SPDX-License-Identifier: BSD-3-Clause
#include "node/word_atomics.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstring>
#include <thread>
#include <vector>

namespace armci::node::test {
namespace {

constexpr WordOperation kAll[] = {WordOperation::fetch_add_int, WordOperation::fetch_add_long,
                                  WordOperation::swap_int, WordOperation::swap_long};

TEST(WordAtomics, OperationsHaveTheirWidths) {
    EXPECT_EQ(word_bytes(WordOperation::fetch_add_int), 4);
    EXPECT_EQ(word_bytes(WordOperation::swap_int), 4);
    EXPECT_EQ(word_bytes(WordOperation::fetch_add_long), 8);
    EXPECT_EQ(word_bytes(WordOperation::swap_long), 8);
}

TEST(WordAtomics, ReturnsTheOldValue) {
    int word = 5;
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_int, &word, 7), 5);
    EXPECT_EQ(word, 12);
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_int, &word, -20), 12);
    EXPECT_EQ(word, -8);
    EXPECT_EQ(read_modify_write(WordOperation::swap_int, &word, 99), -8);
    EXPECT_EQ(word, 99);
    long wide = -1;
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_long, &wide, int64_t{1} << 40), -1);
    EXPECT_EQ(wide, (int64_t{1} << 40) - 1);
    EXPECT_EQ(read_modify_write(WordOperation::swap_long, &wide, LONG_MIN), (int64_t{1} << 40) - 1);
    EXPECT_EQ(wide, LONG_MIN);
}

TEST(WordAtomics, AdditionWrapsAround) {
    int word = INT_MAX;
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_int, &word, 1), INT_MAX);
    EXPECT_EQ(word, INT_MIN);
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_int, &word, -1), INT_MIN);
    EXPECT_EQ(word, INT_MAX);
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_int, &word, INT_MIN), INT_MAX);
    EXPECT_EQ(word, -1);
    long wide = LONG_MAX;
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_long, &wide, 2), LONG_MAX);
    EXPECT_EQ(wide, LONG_MIN + 1);
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_long, &wide, LONG_MIN), LONG_MIN + 1);
    EXPECT_EQ(wide, 1);
}

TEST(WordAtomics, IntUsesTheLowBitsOfItsOperand) {
    int word = 1;
    EXPECT_EQ(read_modify_write(WordOperation::fetch_add_int, &word, (int64_t{7} << 32) + 2), 1);
    EXPECT_EQ(word, 3);
    EXPECT_EQ(read_modify_write(WordOperation::swap_int, &word, (int64_t{7} << 32) - 4), 3);
    EXPECT_EQ(word, -4);
    EXPECT_EQ(read_modify_write(WordOperation::swap_int, &word, 0), -4) << "not extended by sign";
}

TEST(WordAtomics, LeavesNeighboursUnchanged) {
    for (const WordOperation operation : kAll) {
        alignas(8) unsigned char memory[24];
        std::memset(memory, 0xff, sizeof memory);
        read_modify_write(operation, memory + 8, 3);
        const auto bytes = static_cast<size_t>(word_bytes(operation));
        for (size_t i = 0; i < sizeof memory; ++i) {
            const bool inside = i >= 8 && i < 8 + bytes;
            EXPECT_EQ(memory[i] == 0xff, !inside) << static_cast<int>(operation) << " byte " << i;
        }
    }
}

TEST(WordAtomics, ThreadsLoseNoAddition) {
    constexpr int kThreads = 4;
    constexpr int kTimes = 5000;
    int word = 0;
    long wide = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < kTimes; ++turn) {
                read_modify_write(WordOperation::fetch_add_int, &word, 3);
                read_modify_write(WordOperation::fetch_add_long, &wide, -5);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(word, 3 * kThreads * kTimes);
    EXPECT_EQ(wide, -5 * kThreads * kTimes);
}

// Every value that was swapped in comes out exactly once.
TEST(WordAtomics, SwapsLoseNoValue) {
    constexpr int kThreads = 4;
    constexpr int kTimes = 2000;
    long word = 0;
    std::vector<int> taken(kThreads * kTimes + 1);
    std::vector<std::thread> threads;
    std::vector<long> seen[kThreads];
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            for (int turn = 0; turn < kTimes; ++turn) {
                seen[i].push_back(
                    read_modify_write(WordOperation::swap_long, &word, 1 + i * kTimes + turn));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    ++taken[static_cast<size_t>(word)];
    for (const std::vector<long>& values : seen) {
        for (const long value : values) {
            ++taken[static_cast<size_t>(value)];
        }
    }
    for (const int times : taken) {
        EXPECT_EQ(times, 1);
    }
}

}  // namespace
}  // namespace armci::node::test
