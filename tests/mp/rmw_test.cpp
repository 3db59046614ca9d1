// SPDX-License-Identifier: BSD-3-Clause
// Read-modify-write: fetch-and-add and swap on int and long words that all ranks use at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/global_memory.h"

namespace armci::mp {
namespace {

// Every rank's values, concatenated in rank order, on every rank. Counts may differ.
std::vector<long> gather(const std::vector<long>& mine) {
    const int count = static_cast<int>(mine.size());
    std::vector<int> counts(static_cast<size_t>(nproc()));
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, harness_comm());
    std::vector<int> starts(counts.size(), 0);
    std::partial_sum(counts.begin(), counts.end() - 1, starts.begin() + 1);
    std::vector<long> all(static_cast<size_t>(starts.back() + counts.back()));
    MPI_Allgatherv(mine.data(), count, MPI_LONG, all.data(), counts.data(), starts.data(), MPI_LONG,
                   harness_comm());
    return all;
}

template <typename T>
constexpr int kAdd = std::is_same_v<T, int> ? ARMCI_FETCH_AND_ADD : ARMCI_FETCH_AND_ADD_LONG;
template <typename T>
constexpr int kSwap = std::is_same_v<T, int> ? ARMCI_SWAP : ARMCI_SWAP_LONG;

template <typename T>
T fetch_add(T* remote, int value, int target) {
    T old = -12345;
    EXPECT_EQ(ARMCI_Rmw(kAdd<T>, &old, remote, value, target), 0);
    return old;
}

template <typename T>
T swap(T* remote, T value, int target) {
    EXPECT_EQ(ARMCI_Rmw(kSwap<T>, &value, remote, 0, target), 0);
    return value;
}

constexpr int kWords = 3;  // the middle one is used, its neighbours must not change
constexpr long kGuard = 0x5a5a5a5a;

template <typename T>
void store_word(const GlobalMemory& memory, T value) {
    T* words = memory.element<T>(me());
    words[0] = words[2] = static_cast<T>(kGuard);
    words[1] = value;
    ARMCI_Barrier();
}

template <typename T>
void expect_word(const GlobalMemory& memory, T value) {
    ARMCI_Barrier();
    const volatile T* words = memory.element<T>(me());
    EXPECT_EQ(words[0], static_cast<T>(kGuard));
    EXPECT_EQ(words[1], value);
    EXPECT_EQ(words[2], static_cast<T>(kGuard));
    ARMCI_Barrier();
}

// A shared counter returns every number exactly once.
template <typename T>
void check_counter() {
    GlobalMemory memory(kWords * sizeof(T));
    for (int target = 0; target < nproc(); ++target) {
        store_word<T>(memory, 0);
        std::vector<long> tickets;
        const int64_t count = scaled(200);
        for (int64_t i = 0; i < count; ++i) {
            tickets.push_back(fetch_add(memory.element<T>(target, 1), 1, target));
            if (i > 0) {
                EXPECT_GT(tickets.back(), tickets[tickets.size() - 2])
                    << "tickets of one rank grow";
            }
        }
        std::vector<long> all = gather(tickets);
        std::sort(all.begin(), all.end());
        for (size_t i = 0; i < all.size(); ++i) {
            ASSERT_EQ(all[i], static_cast<long>(i)) << "a ticket was given twice or never";
        }
        expect_word<T>(memory, me() == target ? static_cast<T>(count * nproc()) : T{0});
    }
}

// promise: rmw.atomic, rmw.types
TEST(Rmw, CounterOfIntReturnsEachValueOnce) {
    check_counter<int>();
}

// promise: rmw.atomic, rmw.types
TEST(Rmw, CounterOfLongReturnsEachValueOnce) {
    check_counter<long>();
}

// Increments of both signs by all ranks at once, over all targets.
template <typename T>
void check_signed_sums() {
    GlobalMemory memory(kWords * sizeof(T));
    store_word<T>(memory, T{1000});
    Rng rng = rank_rng();
    std::vector<long> added(static_cast<size_t>(nproc()), 0);
    for (int64_t i = 0; i < scaled(300); ++i) {
        const int target = static_cast<int>(rng.between(0, nproc() - 1));
        const int value = static_cast<int>(rng.between(-1000, 1000));
        fetch_add(memory.element<T>(target, 1), value, target);
        added[static_cast<size_t>(target)] += value;
    }
    sum_over_ranks(added);
    expect_word<T>(memory, static_cast<T>(1000 + added[static_cast<size_t>(me())]));
}

// promise: rmw.atomic
TEST(Rmw, SignedSumsOfIntLoseNothing) {
    check_signed_sums<int>();
}

// promise: rmw.atomic
TEST(Rmw, SignedSumsOfLongLoseNothing) {
    check_signed_sums<long>();
}

// Swaps lose no value: every value that was put in comes out exactly once, or is still there.
template <typename T>
void check_swap_chain() {
    GlobalMemory memory(kWords * sizeof(T));
    for (int target = 0; target < nproc(); ++target) {
        store_word<T>(memory, -1);
        std::vector<long> put_in;
        std::vector<long> taken_out;
        const int64_t count = scaled(200);
        for (int64_t i = 0; i < count; ++i) {
            put_in.push_back(me() * count + i);
            taken_out.push_back(
                swap(memory.element<T>(target, 1), static_cast<T>(put_in.back()), target));
        }
        ARMCI_Barrier();
        if (me() == target) {
            taken_out.push_back(*memory.element<T>(me(), 1));
            put_in.push_back(-1);
        }
        std::vector<long> all_in = gather(put_in);
        std::vector<long> all_out = gather(taken_out);
        std::sort(all_in.begin(), all_in.end());
        std::sort(all_out.begin(), all_out.end());
        EXPECT_EQ(all_in, all_out);
    }
}

// promise: rmw.atomic, rmw.types
TEST(Rmw, SwapsOfIntLoseNoValue) {
    check_swap_chain<int>();
}

// promise: rmw.atomic, rmw.types
TEST(Rmw, SwapsOfLongLoseNoValue) {
    check_swap_chain<long>();
}

// The value added to a long is sign-extended; the whole 64-bit word takes part.
TEST(Rmw, LongIsSixtyFourBitsWide) {
    GlobalMemory memory(kWords * sizeof(long));
    constexpr long kStart = (1L << 40) + 3;
    store_word<long>(memory, kStart);
    const int target = right();
    EXPECT_EQ(fetch_add(memory.element<long>(target, 1), -5, target), kStart);
    EXPECT_EQ(fetch_add(memory.element<long>(target, 1), 2147483647, target), kStart - 5);
    EXPECT_EQ(swap(memory.element<long>(target, 1), -(1L << 50), target), kStart - 5 + 2147483647);
    expect_word<long>(memory, -(1L << 50));
}

// An int operation leaves the other half of an aligned 8-byte word unchanged, in both halves.
TEST(Rmw, IntLeavesTheOtherHalfOfAWordUnchanged) {
    GlobalMemory memory(8 * sizeof(int));
    std::fill_n(memory.element<int>(me()), 8, -1);
    ARMCI_Barrier();
    const int target = right();
    EXPECT_EQ(fetch_add(memory.element<int>(target, 2), 1, target), -1);
    EXPECT_EQ(fetch_add(memory.element<int>(target, 5), 8, target), -1);
    ARMCI_Barrier();
    const int expected[8] = {-1, -1, 0, -1, -1, 7, -1, -1};
    for (int i = 0; i < 8; ++i) {
        EXPECT_EQ(memory.element<int>(me())[i], expected[i]) << "word " << i;
    }
    ARMCI_Barrier();
}

// The local operand may itself be global memory.
TEST(Rmw, LocalOperandMayBeInOwnSlice) {
    GlobalMemory memory(4 * sizeof(long));
    long* mine = memory.element<long>(me());
    mine[0] = 100 + me();
    mine[1] = -7;
    ARMCI_Barrier();
    const int target = right();
    EXPECT_EQ(
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &mine[1], memory.element<long>(target), 1000, target),
        0);
    EXPECT_EQ(mine[1], 100 + target);
    ARMCI_Barrier();
    EXPECT_EQ(mine[0], 1100 + me());
    ARMCI_Barrier();
    mine[1] = 5000 + me();
    EXPECT_EQ(ARMCI_Rmw(ARMCI_SWAP_LONG, &mine[1], memory.element<long>(target), 0, target), 0);
    EXPECT_EQ(mine[1], 1100 + target);
    ARMCI_Barrier();
    EXPECT_EQ(mine[0], 5000 + left());
    ARMCI_Barrier();
}

// The owner sees the counter change by plain loads, without calling the library.
TEST(Rmw, OwnerSeesTheCounterByPlainLoads) {
    GlobalMemory memory(sizeof(long));
    volatile long* mine = memory.element<long>(me());
    *mine = 0;
    ARMCI_Barrier();
    const int target = right();
    constexpr int kCount = 20;
    for (int i = 0; i < kCount; ++i) {
        fetch_add(memory.element<long>(target), 1, target);
    }
    long last = 0;
    while (last != kCount) {
        const long now = *mine;
        EXPECT_GE(now, last);
        last = now;
    }
    sync();
}

}  // namespace
}  // namespace armci::mp
