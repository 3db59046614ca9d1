// SPDX-License-Identifier: BSD-3-Clause
// Order, fences and vectors across two allocations of one target. With ARMCI_SERVERS_PER_NODE=2
// both must belong to the same data server, because servers do not communicate.
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cstring>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

constexpr int64_t kInts = 48 << 10;       // long enough that a word could overtake it
constexpr int64_t kManyBlocks = 4 << 10;  // by RMA each word is a separate operation
constexpr int64_t kFewInts = 64;
constexpr int kBytesOfAll = static_cast<int>(kInts * sizeof(int));
// The flag memory has one word for the neighbour's data, and one for a third rank to answer.
constexpr int64_t kFlags = 16;

int neighbour() {
    return right();
}

// Data in one allocation and words that announce it in another.
class TwoSegments : public ::testing::Test {
  protected:
    TwoSegments()
        : data_(kInts * static_cast<int64_t>(sizeof(int))),
          flags_(kFlags * static_cast<int64_t>(sizeof(int))) {
        std::memset(data_.mine(), 0, kBytesOfAll);
        std::memset(flags_.mine(), 0, kFlags * sizeof(int));
        ARMCI_Barrier();
    }

    int* data(int proc) const { return data_.element<int>(proc); }
    int* flag(int proc) const { return flags_.element<int>(proc); }

    // Every word of the data is `value`.
    static bool is_all(const int* words, int64_t count, int value) {
        for (int64_t i = 0; i < count; ++i) {
            if (words[i] != value) {
                ADD_FAILURE() << "word " << i << " of " << count << " is " << words[i] << ", not "
                              << value;
                return false;
            }
        }
        return true;
    }

    // Every rank sets its right neighbour's data to the number of the round and then the flag,
    // without a fence. The neighbour sees the flag by plain loads, and must see the data.
    template <class Change, class Announce>
    void check_order(int64_t count, int64_t rounds, Change change, Announce announce) {
        for (int round = 1; round <= rounds; ++round) {
            change(data(neighbour()), count, round);
            announce(flag(neighbour()), round);
            const volatile int* mine = flag(me());
            while (*mine != round) {
                sched_yield();
            }
            std::atomic_thread_fence(std::memory_order_acquire);
            is_all(data(me()), count, round);
            sync();
        }
        ARMCI_AllFence();
    }

    std::vector<int> words_ = std::vector<int>(kInts);
    GlobalMemory data_;
    GlobalMemory flags_;

    // Ways to change data, all of them blocking or waited for.
    void put(int* to, int64_t count, int value) {
        words_.assign(kInts, value);
        ARMCI_Put(words_.data(), to, static_cast<int>(count * sizeof(int)), neighbour());
    }
    void add_one(int* to, int64_t count, int) {
        words_.assign(kInts, 1);
        int scale = 1;
        ARMCI_Acc(ARMCI_ACC_INT, &scale, words_.data(), to, static_cast<int>(count * sizeof(int)),
                  neighbour());
    }
    // Every other word, and then the rest.
    void put_strided(int* to, int64_t count, int value) {
        words_.assign(kInts, value);
        int stride[] = {2 * sizeof(int)};
        int counts[] = {sizeof(int), static_cast<int>(count / 2)};
        ARMCI_PutS(words_.data(), stride, to, stride, counts, 1, neighbour());
        ARMCI_PutS(words_.data(), stride, to + 1, stride, counts, 1, neighbour());
    }
    void put_and_wait(int* to, int64_t count, int value) {
        words_.assign(kInts, value);
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(words_.data(), to, static_cast<int>(count * sizeof(int)), neighbour(), &handle);
        ARMCI_Wait(&handle);
    }
    void put_and_test(int* to, int64_t count, int value) {
        words_.assign(kInts, value);
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(words_.data(), to, static_cast<int>(count * sizeof(int)), neighbour(), &handle);
        while (ARMCI_Test(&handle) != 0) {
            sched_yield();
        }
    }
    void put_and_wait_for_target(int* to, int64_t count, int value) {
        words_.assign(kInts, value);
        ARMCI_NbPut(words_.data(), to, static_cast<int>(count * sizeof(int)), neighbour(), nullptr);
        ARMCI_WaitProc(neighbour());
    }
    void put_and_wait_for_all(int* to, int64_t count, int value) {
        words_.assign(kInts, value);
        ARMCI_NbPut(words_.data(), to, static_cast<int>(count * sizeof(int)), neighbour(), nullptr);
        ARMCI_WaitAll();
    }
    // Ways to announce it. The last two need not be waited for to be after blocking operations.
    static void announce_by_put(int* to, int round) {
        ARMCI_Put(&round, to, sizeof round, neighbour());
    }
    static void announce_by_acc(int* to, int) {
        int one = 1;
        ARMCI_Acc(ARMCI_ACC_INT, &one, &one, to, sizeof one, neighbour());
    }
    static void announce_by_rmw(int* to, int round) {
        int before = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &before, to, 1, neighbour());
        EXPECT_EQ(before, round - 1);
    }
    static void announce_by_flag(int* to, int round) {
        int nothing = 0;
        ARMCI_Put_flag(&nothing, to + 1, sizeof nothing, to, round, neighbour());
    }
    static void announce_by_nonblocking_put(int* to, int round) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(&round, to, sizeof round, neighbour(), &handle);
        ARMCI_Wait(&handle);
    }
};

// promise: order.blocking
TEST_F(TwoSegments, PutWordIsVisibleAfterTheData) {
    for (const int64_t count : {kInts, kFewInts}) {
        check_order(
            count, scaled(24), [&](int* to, int64_t n, int v) { put(to, n, v); }, announce_by_put);
        *flag(me()) = 0;
        sync();
    }
}

// promise: order.blocking
TEST_F(TwoSegments, AccumulatedWordIsVisibleAfterTheData) {
    check_order(
        kManyBlocks, scaled(16), [&](int* to, int64_t n, int v) { put_strided(to, n, v); },
        announce_by_acc);
}

// promise: order.blocking
TEST_F(TwoSegments, RmwIsVisibleAfterAccumulatedData) {
    check_order(
        kInts, scaled(16), [&](int* to, int64_t n, int v) { add_one(to, n, v); }, announce_by_rmw);
}

// promise: flag.after-earlier-puts
TEST_F(TwoSegments, FlagIsVisibleAfterTheData) {
    check_order(
        kInts, scaled(16), [&](int* to, int64_t n, int v) { put(to, n, v); }, announce_by_flag);
}

// promise: order.nonblocking-after-blocking
TEST_F(TwoSegments, NonBlockingPutIsAfterABlockingOne) {
    for (const int64_t count : {kInts, kFewInts}) {
        check_order(
            count, scaled(16), [&](int* to, int64_t n, int v) { put(to, n, v); },
            announce_by_nonblocking_put);
        *flag(me()) = 0;
        sync();
    }
}

// A notification arrives after all operations that were started before, at all servers.
// promise: notify.behind-all
TEST_F(TwoSegments, NotificationIsAfterUnwaitedOperations) {
    const GlobalMemory more(kInts * static_cast<int64_t>(sizeof(int)));
    sync();
    for (int round = 1; round <= scaled(16); ++round) {
        words_.assign(kInts, round);
        ARMCI_NbPut(words_.data(), data(neighbour()), kBytesOfAll, neighbour(), nullptr);
        ARMCI_NbPut(words_.data(), more.element<int>(neighbour()), kBytesOfAll, neighbour(),
                    nullptr);
        armci_notify(neighbour());
        int waited = 0;
        armci_notify_wait(left(), &waited);
        is_all(data(me()), kInts, round);
        is_all(more.element<int>(me()), kInts, round);
        ARMCI_WaitAll();
        sync();
    }
}

// promise: order.waited
TEST_F(TwoSegments, WaitedOperationsAreInOrder) {
    for (const int64_t count : {kInts, kFewInts}) {
        check_order(
            count, scaled(16), [&](int* to, int64_t n, int v) { put_and_wait(to, n, v); },
            announce_by_put);
        *flag(me()) = 0;
        sync();
        check_order(
            count, scaled(16), [&](int* to, int64_t n, int v) { put_and_test(to, n, v); },
            announce_by_put);
        *flag(me()) = 0;
        sync();
        check_order(
            count, scaled(16),
            [&](int* to, int64_t n, int v) { put_and_wait_for_target(to, n, v); }, announce_by_put);
        *flag(me()) = 0;
        sync();
        check_order(
            count, scaled(16), [&](int* to, int64_t n, int v) { put_and_wait_for_all(to, n, v); },
            announce_by_put);
        *flag(me()) = 0;
        sync();
    }
}

// The notification is in an allocation of the library.
TEST_F(TwoSegments, NotificationIsVisibleAfterTheData) {
    for (int round = 1; round <= scaled(16); ++round) {
        put(data(neighbour()), kInts, round);
        armci_notify(neighbour());
        int waited = 0;
        armci_notify_wait(left(), &waited);
        is_all(data(me()), kInts, round);
        sync();
    }
    ARMCI_AllFence();
}

// A rank that is neither origin nor target sees the word by get, and then gets the data.
TEST_F(TwoSegments, ThirdRankSeesTheWordAfterTheData) {
    if (nproc() < 3) {
        GTEST_SKIP() << "needs 3 ranks";
    }
    const int target = nproc() - 1;
    for (int round = 1; round <= scaled(16); ++round) {
        if (me() == 0) {
            words_.assign(kInts, round);
            ARMCI_Put(words_.data(), data(target), kBytesOfAll, target);
            ARMCI_Put(&round, flag(target), sizeof round, target);
        } else if (me() == 1) {
            int seen = 0;
            while (seen != round) {
                ARMCI_Get(flag(target), &seen, sizeof seen, target);
            }
            ARMCI_Get(data(target), words_.data(), kBytesOfAll, target);
            is_all(words_.data(), kInts, round);
        }
        sync();
    }
    ARMCI_AllFence();
}

// A rank puts here and gets there, and the owner does the opposite: one of them must see the
// other's word.
TEST_F(TwoSegments, GetIsAfterAnEarlierPut) {
    const int target = nproc() - 1;
    if (ARMCIX_Node(target) == ARMCIX_Node(0)) {
        GTEST_SKIP() << "needs 2 nodes: inside one, loads and stores have the processor's order";
    }
    for (int round = 1; round <= scaled(64); ++round) {
        int seen = -1;
        sync();
        if (me() == 0) {
            words_.assign(kInts, round);
            ARMCI_Put(words_.data(), data(target), kBytesOfAll, target);
            ARMCI_Get(flag(target), &seen, sizeof seen, target);
        } else if (me() == target) {
            for (int pause = 0; pause < round % 8; ++pause) {
                sched_yield();
            }
            __atomic_store_n(flag(me()), round, __ATOMIC_SEQ_CST);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            seen = __atomic_load_n(data(me()) + kInts - 1, __ATOMIC_SEQ_CST);
        }
        std::vector<long> saw = {(me() == 0 || me() == target) && seen == round ? 1 : 0};
        sum_over_ranks(saw);
        EXPECT_GT(saw[0], 0) << "round " << round;
    }
    ARMCI_AllFence();
}

// promise: fence.every-allocation
TEST_F(TwoSegments, FencesCoverBothSegments) {
    for (int round = 1; round <= scaled(16); ++round) {
        const int few = round % kFlags;
        words_.assign(kInts, round);
        const auto put_all = [&] {
            ARMCI_NbPut(words_.data(), data(neighbour()), kBytesOfAll, neighbour(), nullptr);
            ARMCI_NbPut(words_.data(), flag(neighbour()), few * static_cast<int>(sizeof(int)),
                        neighbour(), nullptr);
        };
        if (round % 2 == 0) {
            put_all();
            ARMCI_WaitAll();
        } else {
            ARMCI_Put(words_.data(), data(neighbour()), kBytesOfAll, neighbour());
            ARMCI_Put(words_.data(), flag(neighbour()), few * static_cast<int>(sizeof(int)),
                      neighbour());
        }
        if (round % 3 == 0) {
            ARMCI_AllFence();
        } else {
            ARMCI_Fence(neighbour());
        }
        sync();
        is_all(data(me()), kInts, round);
        is_all(flag(me()), few, round);
        sync();
    }
}

// One descriptor with blocks of both allocations: put, added to, and read back.
// promise: vector.several-allocations
TEST_F(TwoSegments, VectorsSpanBothSegments) {
    constexpr int kPieces = 12;
    std::vector<int> local(kPieces);
    std::vector<int> back(kPieces);
    std::vector<void*> here;
    std::vector<void*> there;
    for (int i = 0; i < kPieces; ++i) {
        here.push_back(&local[static_cast<size_t>(i)]);
        there.push_back(i % 3 == 0 ? flag(neighbour()) + i : data(neighbour()) + 5 * i);
    }
    std::vector<void*> back_here;
    for (int& word : back) {
        back_here.push_back(&word);
    }
    armci_giov_t out{};
    out.src_ptr_array = here.data();
    out.dst_ptr_array = there.data();
    out.bytes = sizeof(int);
    out.ptr_array_len = kPieces;
    armci_giov_t in = out;
    in.src_ptr_array = there.data();
    in.dst_ptr_array = back_here.data();
    for (int round = 1; round <= scaled(16); ++round) {
        for (int i = 0; i < kPieces; ++i) {
            local[static_cast<size_t>(i)] = 100 * round + i;
        }
        int scale = 2;
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        if (round % 2 == 0) {
            ARMCI_PutV(&out, 1, neighbour());
            ARMCI_AccV(ARMCI_ACC_INT, &scale, &out, 1, neighbour());
            ARMCI_GetV(&in, 1, neighbour());
        } else {
            ARMCI_NbPutV(&out, 1, neighbour(), &handle);
            ARMCI_Wait(&handle);
            ARMCI_NbAccV(ARMCI_ACC_INT, &scale, &out, 1, neighbour(), &handle);
            ARMCI_Wait(&handle);
            ARMCI_NbGetV(&in, 1, neighbour(), &handle);
            ARMCI_Wait(&handle);
        }
        for (int i = 0; i < kPieces; ++i) {
            EXPECT_EQ(back[static_cast<size_t>(i)], 3 * (100 * round + i)) << "piece " << i;
        }
    }
    ARMCI_Barrier();
    EXPECT_EQ(*flag(me()), 3 * 100 * static_cast<int>(scaled(16)));
}

}  // namespace
}  // namespace armci::mp
