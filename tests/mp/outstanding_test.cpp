// SPDX-License-Identifier: BSD-3-Clause
// A million non-blocking operations under way from one rank: their number is not limited.
#include <gtest/gtest.h>

#include "support/global_memory.h"

namespace armci::mp {
namespace {

int64_t operation_count() {
    return scaled(1000000);
}

// Rank 0 operates on the words of the last rank. All ranks take part in set-up and checks.
class Outstanding : public testing::Test {
  protected:
    Outstanding() : count_(operation_count()), memory_(me() == target() ? count_ * 8 : 8) {
        if (me() == target()) {
            for (int64_t i = 0; i < count_; ++i) {
                *memory_.element<long>(me(), i) = start(i);
            }
        }
        ARMCI_Barrier();
    }

    static int target() { return nproc() - 1; }
    static long start(int64_t i) { return 3 * i + 1; }
    static bool active() { return me() == 0; }

    long* remote(int64_t i) const { return memory_.element<long>(target(), i); }

    // Collective. The words must be what `expected` returns; the owner counts wrong ones.
    template <typename Expected>
    void check(Expected expected) {
        ARMCI_Barrier();
        if (me() == target()) {
            int64_t wrong = 0;
            for (int64_t i = 0; i < count_; ++i) {
                wrong += *memory_.element<long>(me(), i) != expected(i) ? 1 : 0;
            }
            EXPECT_EQ(wrong, 0) << "of " << count_ << " words";
        }
        ARMCI_Barrier();
    }

    int64_t count_;
    GlobalMemory memory_;
};

// promise: nonblocking.no-limit
TEST_F(Outstanding, PutsWithHandles) {
    if (active()) {
        std::vector<long> source(static_cast<size_t>(count_));
        std::vector<armci_hdl_t> handles(source.size());
        for (int64_t i = 0; i < count_; ++i) {
            const auto at = static_cast<size_t>(i);
            source[at] = -i;
            ARMCI_INIT_HANDLE(&handles[at]);
            ARMCI_NbPut(&source[at], remote(i), 8, target(), &handles[at]);
        }
        for (armci_hdl_t& handle : handles) {
            ARMCI_Wait(&handle);
        }
    }
    check([](int64_t i) { return -i; });
}

// promise: nonblocking.no-limit
TEST_F(Outstanding, GetsWithHandles) {
    if (active()) {
        std::vector<long> destination(static_cast<size_t>(count_), -1);
        std::vector<armci_hdl_t> handles(destination.size());
        for (int64_t i = 0; i < count_; ++i) {
            const auto at = static_cast<size_t>(i);
            ARMCI_INIT_HANDLE(&handles[at]);
            ARMCI_NbGet(remote(i), &destination[at], 8, target(), &handles[at]);
        }
        // Backwards, so that the first wait is for the last operation.
        int64_t wrong = 0;
        for (int64_t i = count_ - 1; i >= 0; --i) {
            const auto at = static_cast<size_t>(i);
            ARMCI_Wait(&handles[at]);
            wrong += destination[at] != start(i) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0) << "of " << count_ << " words";
    }
    check(start);
}

// promise: nonblocking.no-limit
TEST_F(Outstanding, ImplicitAccumulates) {
    if (active()) {
        std::vector<long> source(static_cast<size_t>(count_));
        long scale = 2;
        for (int64_t i = 0; i < count_; ++i) {
            source[static_cast<size_t>(i)] = i;
            ARMCI_NbAcc(ARMCI_ACC_LNG, &scale, &source[static_cast<size_t>(i)], remote(i), 8,
                        target(), nullptr);
        }
        ARMCI_WaitAll();
    }
    check([](int64_t i) { return start(i) + 2 * i; });
}

// Puts, accumulates and gets of disjoint words alternate, all on one aggregate handle.
// promise: nonblocking.no-limit
TEST_F(Outstanding, MixOnAggregateHandle) {
    if (active()) {
        std::vector<long> buffer(static_cast<size_t>(count_));
        long scale = 1;
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        for (int64_t i = 0; i < count_; ++i) {
            long* local = &buffer[static_cast<size_t>(i)];
            *local = 7 * i;
            switch (i % 3) {
                case 0:
                    ARMCI_NbPut(local, remote(i), 8, target(), &handle);
                    break;
                case 1:
                    ARMCI_NbAcc(ARMCI_ACC_LNG, &scale, local, remote(i), 8, target(), &handle);
                    break;
                default:
                    ARMCI_NbGet(remote(i), local, 8, target(), &handle);
                    break;
            }
        }
        ARMCI_Wait(&handle);
        int64_t wrong = 0;
        for (int64_t i = 0; i < count_; ++i) {
            wrong += buffer[static_cast<size_t>(i)] != (i % 3 == 2 ? start(i) : 7 * i) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0) << "of " << count_ << " words";
    }
    check([](int64_t i) {
        switch (i % 3) {
            case 0:
                return static_cast<long>(7 * i);
            case 1:
                return static_cast<long>(start(i) + 7 * i);
            default:
                return start(i);
        }
    });
}

}  // namespace
}  // namespace armci::mp
