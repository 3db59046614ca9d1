// SPDX-License-Identifier: BSD-3-Clause
// What is complete when a call returns: sources may be overwritten, results are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/check.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int64_t kReturnArea = 192 << 10;

// Every source is overwritten as soon as its transfer is locally complete.
// promise: completion.blocking-frees-source, wait.handle, test.result, implicit.waited
TEST(OnReturn, SourcesMayBeOverwritten) {
    Playground ground(kReturnArea, kReturnArea, ARMCI_ACC_INT);
    Rng rng = rank_rng();
    for (const int64_t max : {200, 4000, 180000}) {
        for (int64_t i = 0; i < scaled(40); ++i) {
            const Verb verb = rng.pick(std::vector<Verb>{Verb::put, Verb::acc});
            const Transfer transfer = random_transfer(rng, verb, ground, ARMCI_ACC_INT, max);
            const int target = static_cast<int>(rng.between(0, nproc() - 1));
            // Half of them blocking.
            const Completion completion =
                rng.chance(50) ? Completion::blocking : rng.pick(all_completions());
            ground.expect(transfer, target);
            run(transfer, ground.local(), ground.remote(target), target, completion);
            std::memset(ground.local(), 0x55, static_cast<size_t>(ground.local_bytes()));
            ground.refill_local(rng);
        }
        ground.check_by_owner("sources overwritten on return, at most " + std::to_string(max));
    }
}

// The owner reads by plain loads when a message reports that the rmw has returned. No fence.
// promise: rmw.complete-on-return
TEST(OnReturn, RmwIsComplete) {
    GlobalMemory memory(2 * sizeof(long));
    std::memset(memory.mine(), 0, 2 * sizeof(long));
    sync();
    for (long round = 1; round <= scaled(80); ++round) {
        long old = -1;
        int word = static_cast<int>(-round);
        EXPECT_EQ(
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.element<long>(right()), 3, right()),
            0);
        EXPECT_EQ(ARMCI_Rmw(ARMCI_SWAP, &word, memory.element<int>(right(), 2), 0, right()), 0);
        EXPECT_EQ(old, 3 * (round - 1));
        EXPECT_EQ(word, 1 - round);
        exchange(&round, right(), &old, left(), sizeof round);
        const volatile long* added = memory.element<long>(me());
        const volatile int* swapped = memory.element<int>(me(), 2);
        EXPECT_EQ(*added, 3 * round);
        EXPECT_EQ(*swapped, -round);
        sync();
    }
}

// Two's complement, in the middle of a transfer as well as alone.
// promise: acc.wraps
TEST(Arithmetic, IntegersWrapAround) {
    constexpr size_t kWords = 3000;
    GlobalMemory memory(kWords * sizeof(long));
    for (const size_t count : {size_t{1}, size_t{40}, kWords}) {
        std::fill_n(memory.element<int>(me()), count, std::numeric_limits<int>::max());
        std::fill_n(memory.element<long>(me()) + kWords / 2, count / 2,
                    std::numeric_limits<long>::min());
        ARMCI_Barrier();
        std::vector<int> ints(count, 0x40000001);
        std::vector<long> longs(count / 2, std::numeric_limits<long>::max());
        int three = 3;
        long minus_two = -2;
        ARMCI_Acc(ARMCI_ACC_INT, &three, ints.data(), memory.at(right()),
                  static_cast<int>(count * sizeof(int)), right());
        ARMCI_Acc(ARMCI_ACC_LNG, &minus_two, longs.data(),
                  memory.element<long>(right()) + kWords / 2,
                  static_cast<int>(count / 2 * sizeof(long)), right());
        ARMCI_Barrier();
        // 2^31 - 1 + 3 * (2^30 + 1) and -2^63 - 2 * (2^63 - 1)
        EXPECT_EQ(std::count(memory.element<int>(me()), memory.element<int>(me()) + count,
                             static_cast<int>(0x7fffffffU + 0xc0000003U)),
                  static_cast<long>(count));
        const long* found = memory.element<long>(me()) + kWords / 2;
        EXPECT_EQ(std::count(found, found + count / 2, std::numeric_limits<long>::min() + 2),
                  static_cast<long>(count / 2));
        ARMCI_Barrier();
    }
    *memory.element<int>(me()) = std::numeric_limits<int>::max();
    ARMCI_Barrier();
    int old = 0;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, memory.at(right()), 2, right());
    EXPECT_EQ(old, std::numeric_limits<int>::max());
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<int>(me()), std::numeric_limits<int>::min() + 1);
    ARMCI_Barrier();
}

// Zero times infinity is NaN, and minus zero plus zero is zero: both are computed.
template <typename T>
void check_nothing_is_skipped(int type) {
    constexpr size_t kElements = 3000;
    GlobalMemory memory(kElements * sizeof(T));
    const T infinity = std::numeric_limits<T>::infinity();
    for (const size_t count : {size_t{1}, size_t{30}, kElements}) {
        const auto accumulate = [&](T scale, T term, T before) {
            std::fill_n(memory.element<T>(me()), count, before);
            ARMCI_Barrier();
            std::vector<T> source(count, term);
            ARMCI_Acc(type, &scale, source.data(), memory.at(right()),
                      static_cast<int>(count * sizeof(T)), right());
            ARMCI_Barrier();
            return std::vector<T>(memory.element<T>(me()), memory.element<T>(me()) + count);
        };
        for (const T sum : accumulate(T{0}, infinity, T{1})) {
            ASSERT_TRUE(std::isnan(sum));
        }
        for (const T sum : accumulate(T{1}, T{0}, -T{0})) {
            ASSERT_FALSE(std::signbit(sum));
        }
        const T more_than_one = std::nextafter(T{1}, T{2});
        for (const T sum : accumulate(more_than_one, T{1}, T{0})) {
            ASSERT_EQ(sum, more_than_one);
        }
        for (const T sum : accumulate(T{1}, infinity, T{1})) {
            ASSERT_EQ(sum, infinity);
        }
        sync();
    }
}

// promise: acc.never-skipped
TEST(Arithmetic, ComputesInfinityAndMinusZero) {
    check_nothing_is_skipped<float>(ARMCI_ACC_FLT);
    check_nothing_is_skipped<double>(ARMCI_ACC_DBL);
}

// When a put writes several blocks to the same place, any one of them stays.
// promise: strided.put-onto-itself, vector.put-repeated
TEST(OnReturn, SelfOverlappingPutLeavesOneOfTheValues) {
    if (is_checking()) {
        GTEST_SKIP() << "such a put is reported";
    }
    constexpr int kBlocks = 60;
    constexpr int kBlockWords = 6;
    constexpr int kGuard = 4;
    GlobalMemory memory((kBlocks + kBlockWords + 2 * kGuard) * sizeof(long));
    std::vector<long> source(kBlocks * kBlockWords);
    for (size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<long>(i) + 1;
    }
    std::vector<void*> from;
    std::vector<void*> to;
    for (const int step : {0, 1, 3}) {  // words from one block to the next
        for (const bool is_vector : {false, true}) {
            std::fill_n(memory.element<long>(me()), kBlocks + kBlockWords + 2 * kGuard, -1L);
            ARMCI_Barrier();
            const int blocks = step == 0 ? kBlocks : kBlocks / step;
            long* remote = memory.element<long>(right(), kGuard);
            if (is_vector) {
                from.clear();
                to.clear();
                for (int block = 0; block < blocks; ++block) {
                    from.push_back(&source[static_cast<size_t>(block) * kBlockWords]);
                    to.push_back(remote + block * step);
                }
                armci_giov_t put{from.data(), to.data(), kBlockWords * sizeof(long), blocks};
                EXPECT_EQ(ARMCI_PutV(&put, 1, right()), 0);
            } else {
                int local_stride = kBlockWords * sizeof(long);
                int remote_stride = step * static_cast<int>(sizeof(long));
                int count[2] = {kBlockWords * sizeof(long), blocks};
                EXPECT_EQ(ARMCI_PutS(source.data(), &local_stride, remote, &remote_stride, count, 1,
                                     right()),
                          0);
            }
            ARMCI_Barrier();
            const long* found = memory.element<long>(me(), kGuard);
            const int last = (blocks - 1) * step + kBlockWords;
            for (int word = -kGuard; word < last + kGuard; ++word) {
                bool is_one = (word < 0 || word >= last) && found[word] == -1;
                for (int block = 0; block < blocks; ++block) {
                    const int at = word - block * step;
                    is_one = is_one || (at >= 0 && at < kBlockWords &&
                                        found[word] == block * kBlockWords + at + 1);
                }
                EXPECT_TRUE(is_one) << "word " << word << " is " << found[word] << ", step " << step
                                    << (is_vector ? ", vector" : ", strided");
            }
            ARMCI_Barrier();
        }
    }
}

}  // namespace
}  // namespace armci::mp
