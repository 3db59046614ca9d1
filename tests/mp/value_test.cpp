// SPDX-License-Identifier: BSD-3-Clause
// Put and get of single values passed in registers.
#include <gtest/gtest.h>

#include <limits>

#include "support/global_memory.h"

namespace armci::mp {
namespace {

// The calls of one type, so that the tests are written once.
template <typename T>
struct ValueCalls {
    int (*put)(T, void*, int);
    int (*nb_put)(T, void*, int, armci_hdl_t*);
    T (*get)(void*, int);
    std::vector<T> samples;
};

template <typename T>
std::vector<T> extremes() {
    return {T{0},
            T{1},
            T{-1},
            std::numeric_limits<T>::max(),
            std::numeric_limits<T>::lowest(),
            static_cast<T>(123456.789)};
}

template <typename T>
void check_values(const ValueCalls<T>& calls) {
    constexpr int kPerOrigin = 8;
    constexpr int kGuards = 1;  // words before and after each value that must stay as they are
    constexpr int64_t kStep = 1 + 2 * kGuards;
    const T guard = static_cast<T>(77);
    GlobalMemory memory(kStep * kPerOrigin * nproc() * static_cast<int64_t>(sizeof(T)));
    std::fill_n(memory.element<T>(me()), kStep * kPerOrigin * nproc(), guard);
    ARMCI_Barrier();

    const auto place = [&](int origin, size_t sample, int target) {
        return memory.element<T>(
            target, (origin * kPerOrigin + static_cast<int64_t>(sample)) * kStep + kGuards);
    };
    for (int target = 0; target < nproc(); ++target) {
        for (size_t i = 0; i < calls.samples.size(); ++i) {
            T* remote = place(me(), i, target);
            const T value = calls.samples[i];
            EXPECT_EQ(calls.put(value, remote, target), 0);
            EXPECT_EQ(calls.get(remote, target), value);
            EXPECT_EQ(calls.put(T{42}, remote, target), 0);
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            EXPECT_EQ(calls.nb_put(value, remote, target, i % 2 == 0 ? &handle : nullptr), 0);
            EXPECT_EQ(i % 2 == 0 ? ARMCI_Wait(&handle) : ARMCI_WaitProc(target), 0);
            EXPECT_EQ(calls.get(remote, target), value);
        }
    }
    ARMCI_Barrier();
    for (int origin = 0; origin < nproc(); ++origin) {
        for (size_t i = 0; i < calls.samples.size(); ++i) {
            const T* value = place(origin, i, me());
            EXPECT_EQ(value[-1], guard);
            EXPECT_EQ(value[0], calls.samples[i]);
            EXPECT_EQ(value[1], guard);
        }
    }
    ARMCI_Barrier();
}

// promise: value.put-get, completion.get-has-data, calls.return-zero
TEST(Value, PutsAndGetsInt) {
    check_values<int>({ARMCI_PutValueInt, ARMCI_NbPutValueInt, ARMCI_GetValueInt, extremes<int>()});
}

// promise: value.put-get, completion.get-has-data
TEST(Value, PutsAndGetsLong) {
    check_values<long>(
        {ARMCI_PutValueLong, ARMCI_NbPutValueLong, ARMCI_GetValueLong, extremes<long>()});
}

// promise: value.put-get, completion.get-has-data
TEST(Value, PutsAndGetsFloat) {
    check_values<float>(
        {ARMCI_PutValueFloat, ARMCI_NbPutValueFloat, ARMCI_GetValueFloat, extremes<float>()});
}

// promise: value.put-get, completion.get-has-data
TEST(Value, PutsAndGetsDouble) {
    check_values<double>(
        {ARMCI_PutValueDouble, ARMCI_NbPutValueDouble, ARMCI_GetValueDouble, extremes<double>()});
}

// Hundreds of non-blocking value puts are under way. Each has captured its own value.
// promise: value.copied
TEST(Value, NonBlockingPutsCaptureTheirValues) {
    const int64_t count = scaled(500);
    GlobalMemory memory(count * static_cast<int64_t>(sizeof(long)) * nproc());
    const int target = right();
    for (int64_t i = 0; i < count; ++i) {
        EXPECT_EQ(ARMCI_NbPutValueLong(i * i + me(), memory.element<long>(target, me() * count + i),
                                       target, nullptr),
                  0);
    }
    EXPECT_EQ(ARMCI_WaitAll(), 0);
    ARMCI_Barrier();
    const int origin = left();
    for (int64_t i = 0; i < count; ++i) {
        ASSERT_EQ(*memory.element<long>(me(), origin * count + i), i * i + origin);
    }
}

}  // namespace
}  // namespace armci::mp
