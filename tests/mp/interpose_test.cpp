// SPDX-License-Identifier: BSD-3-Clause
// Profiling tools: strong definitions of the public names see exactly the calls of the program. The
// library never calls its own public names.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "armci/armcix.h"
#include "interposed_calls.h"
#include "support/global_memory.h"

namespace {

// Names of the public functions called, in order.
std::vector<std::string> g_calls;

}  // namespace

#define ARMCI_DEFINE_OVERRIDE(result, name, twin, parameters, arguments) \
    extern "C" result name parameters {                                  \
        g_calls.emplace_back(#name);                                     \
        return twin arguments;                                           \
    }
ARMCI_INTERPOSED_CALLS(ARMCI_DEFINE_OVERRIDE)
#undef ARMCI_DEFINE_OVERRIDE

namespace armci::mp {
namespace {

void expect_calls(const std::vector<std::string>& expected, const std::function<void()>& body) {
    g_calls.clear();
    body();
    EXPECT_EQ(g_calls, expected);
}

class Interpose : public testing::Test {
  protected:
    Interpose() {
        std::vector<void*> slices(static_cast<size_t>(nproc()));
        PARMCI_Malloc(slices.data(), 4096);
        mine_ = slices[static_cast<size_t>(me())];
        remote_ = slices[static_cast<size_t>(right_)];
        ARMCI_INIT_HANDLE(&handle_);
    }
    ~Interpose() override {
        PARMCI_Barrier();
        PARMCI_Free(mine_);
    }

    const int right_ = right();
    void* mine_ = nullptr;
    void* remote_ = nullptr;
    armci_hdl_t handle_{};
    char local_[4096] = {};
    int stride_[1] = {64};
    int count_[2] = {32, 10};
    int scale_ = 1;
    void* local_segment_ = local_;
    void* remote_segment_ = nullptr;

    armci_giov_t outgoing() {
        remote_segment_ = remote_;
        return {&local_segment_, &remote_segment_, 32, 1};
    }
    armci_giov_t incoming() {
        remote_segment_ = remote_;
        return {&remote_segment_, &local_segment_, 32, 1};
    }
};

// promise: profiling.weak-names
TEST_F(Interpose, Contiguous) {
    expect_calls({"ARMCI_Put", "ARMCI_Get", "ARMCI_Acc", "ARMCI_Put_flag"}, [&] {
        ARMCI_Put(local_, remote_, 100, right_);
        ARMCI_Get(remote_, local_, 100, right_);
        ARMCI_Acc(ARMCI_ACC_INT, &scale_, local_, remote_, 100, right_);
        ARMCI_Put_flag(local_, remote_, 100, static_cast<int*>(remote_) + 100, 1, right_);
    });
}

// promise: profiling.weak-names
TEST_F(Interpose, StridedThatIsContiguousInside) {
    expect_calls({"ARMCI_PutS", "ARMCI_GetS", "ARMCI_AccS", "ARMCI_PutS", "ARMCI_PutS_flag"}, [&] {
        ARMCI_PutS(local_, stride_, remote_, stride_, count_, 1, right_);
        ARMCI_GetS(remote_, stride_, local_, stride_, count_, 1, right_);
        ARMCI_AccS(ARMCI_ACC_INT, &scale_, local_, stride_, remote_, stride_, count_, 1, right_);
        ARMCI_PutS(local_, nullptr, remote_, nullptr, count_, 0, right_);
        ARMCI_PutS_flag(local_, stride_, remote_, stride_, count_, 1,
                        static_cast<int*>(remote_) + 1000, 1, right_);
    });
}

// promise: profiling.weak-names
TEST_F(Interpose, Vector) {
    expect_calls({"ARMCI_PutV", "ARMCI_GetV", "ARMCI_AccV"}, [&] {
        armci_giov_t out = outgoing();
        ARMCI_PutV(&out, 1, right_);
        armci_giov_t in = incoming();
        ARMCI_GetV(&in, 1, right_);
        out = outgoing();
        ARMCI_AccV(ARMCI_ACC_INT, &scale_, &out, 1, right_);
    });
}

// promise: profiling.weak-names
TEST_F(Interpose, NonBlocking) {
    expect_calls(
        {"ARMCI_NbPut", "ARMCI_Wait", "ARMCI_NbGet", "ARMCI_Wait", "ARMCI_NbAcc", "ARMCI_WaitProc",
         "ARMCI_NbPutS", "ARMCI_NbGetS", "ARMCI_NbAccS", "ARMCI_WaitAll"},
        [&] {
            ARMCI_NbPut(local_, remote_, 100, right_, &handle_);
            ARMCI_Wait(&handle_);
            ARMCI_NbGet(remote_, local_, 100, right_, &handle_);
            ARMCI_Wait(&handle_);
            ARMCI_NbAcc(ARMCI_ACC_INT, &scale_, local_, remote_, 100, right_, nullptr);
            ARMCI_WaitProc(right_);
            ARMCI_NbPutS(local_, stride_, remote_, stride_, count_, 1, right_, nullptr);
            ARMCI_NbGetS(remote_, stride_, local_ + 2048, stride_, count_, 1, right_, nullptr);
            ARMCI_NbAccS(ARMCI_ACC_INT, &scale_, local_, stride_, remote_, stride_, count_, 1,
                         right_, nullptr);
            ARMCI_WaitAll();
        });
}

// promise: profiling.weak-names
TEST_F(Interpose, NonBlockingVector) {
    expect_calls(
        {"ARMCI_NbPutV", "ARMCI_Wait", "ARMCI_NbGetV", "ARMCI_Wait", "ARMCI_NbAccV", "ARMCI_Test"},
        [&] {
            armci_giov_t out = outgoing();
            ARMCI_NbPutV(&out, 1, right_, &handle_);
            ARMCI_Wait(&handle_);
            armci_giov_t in = incoming();
            ARMCI_NbGetV(&in, 1, right_, &handle_);
            ARMCI_Wait(&handle_);
            out = outgoing();
            ARMCI_NbAccV(ARMCI_ACC_INT, &scale_, &out, 1, right_, &handle_);
            ARMCI_Test(&handle_);
        });
    PARMCI_Wait(&handle_);
}

// promise: profiling.weak-names
TEST_F(Interpose, Values) {
    expect_calls({"ARMCI_PutValueInt", "ARMCI_PutValueLong", "ARMCI_PutValueFloat",
                  "ARMCI_PutValueDouble", "ARMCI_NbPutValueInt", "ARMCI_NbPutValueLong",
                  "ARMCI_NbPutValueFloat", "ARMCI_NbPutValueDouble", "ARMCI_GetValueInt",
                  "ARMCI_GetValueLong", "ARMCI_GetValueFloat", "ARMCI_GetValueDouble"},
                 [&] {
                     ARMCI_PutValueInt(1, remote_, right_);
                     ARMCI_PutValueLong(1, remote_, right_);
                     ARMCI_PutValueFloat(1, remote_, right_);
                     ARMCI_PutValueDouble(1, remote_, right_);
                     ARMCI_NbPutValueInt(1, remote_, right_, nullptr);
                     ARMCI_NbPutValueLong(1, remote_, right_, nullptr);
                     ARMCI_NbPutValueFloat(1, remote_, right_, nullptr);
                     ARMCI_NbPutValueDouble(1, remote_, right_, nullptr);
                     ARMCI_GetValueInt(remote_, right_);
                     ARMCI_GetValueLong(remote_, right_);
                     ARMCI_GetValueFloat(remote_, right_);
                     ARMCI_GetValueDouble(remote_, right_);
                 });
    PARMCI_WaitAll();
}

// promise: profiling.weak-names
TEST_F(Interpose, Memory) {
    expect_calls({"ARMCI_Malloc", "ARMCI_Access_begin", "ARMCI_Access_end", "ARMCI_Free",
                  "ARMCI_Malloc_memdev", "ARMCI_Free_memdev", "ARMCI_Malloc_group_memdev",
                  "ARMCI_Malloc_local", "ARMCI_Free_local"},
                 [&] {
                     std::vector<void*> slices(static_cast<size_t>(nproc()));
                     const auto own = static_cast<size_t>(me());
                     ARMCI_Malloc(slices.data(), 64);
                     ARMCI_Access_begin(slices[own]);
                     ARMCI_Access_end(slices[own]);
                     ARMCI_Free(slices[own]);
                     ARMCI_Malloc_memdev(slices.data(), 64, "");
                     ARMCI_Free_memdev(slices[own]);
                     ARMCI_Group world;
                     ARMCI_Group_get_world(&world);
                     ARMCI_Malloc_group_memdev(slices.data(), 64, &world, "");
                     ARMCI_Free_group(slices[own], &world);
                     ARMCI_Malloc_group(slices.data(), 64, &world);
                     ARMCI_Free_group(slices[own], &world);
                     ARMCI_Free_local(ARMCI_Malloc_local(64));
                 });
}

// promise: profiling.weak-names
TEST_F(Interpose, Synchronisation) {
    expect_calls(
        {"ARMCI_Fence", "ARMCI_AllFence", "ARMCI_Barrier", "ARMCI_Rmw", "ARMCI_Create_mutexes",
         "ARMCI_Lock", "ARMCI_Unlock", "ARMCI_Destroy_mutexes", "armci_msg_barrier",
         "armci_msg_group_barrier", "armci_notify", "armci_notify_wait"},
        [&] {
            ARMCI_Fence(right_);
            ARMCI_AllFence();
            ARMCI_Barrier();
            long old = 0;
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, remote_, 1, right_);
            ARMCI_Create_mutexes(1);
            ARMCI_Lock(0, right_);
            ARMCI_Unlock(0, right_);
            ARMCI_Destroy_mutexes();
            armci_msg_barrier();
            ARMCI_Group world;
            ARMCI_Group_get_world(&world);
            armci_msg_group_barrier(&world);
            armci_notify(right_);
            int number = 0;
            armci_notify_wait(left(), &number);
        });
}

TEST_F(Interpose, SeesCallsThatHaveNoTwin) {
    expect_calls({}, [&] {
        ARMCI_Group world;
        ARMCI_Group_get_world(&world);
        ARMCI_Group group;
        ASSERT_EQ(ARMCIX_Group_dup(&world, &group), 0);
        std::vector<int> all_ranks(static_cast<size_t>(nproc()));
        for (int rank = 0; rank < nproc(); ++rank) {
            all_ranks[static_cast<size_t>(rank)] = rank;
        }
        ARMCI_Group other;
        ARMCI_Group_create(nproc(), all_ranks.data(), &other);
        armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &group);
        ARMCIX_Lock_hdl(set, 0, right_);
        ARMCIX_Unlock_hdl(set, 0, right_);
        ARMCIX_Destroy_mutexes_hdl(set);
        ARMCI_Group_free(&other);
        ARMCI_Group_free(&group);
        int one = 1;
        char plus[] = "+";
        armci_msg_igop(&one, 1, plus);
        armci_msg_bcast(&one, sizeof one, 0);
        ARMCI_GroupFence(&world);
        ARMCIX_Progress();
        ARMCI_Copy(local_, local_ + 100, 50);
    });
}

// The twins are the functions themselves and are not counted.
TEST_F(Interpose, DoesNotCountTwins) {
    expect_calls({}, [&] {
        PARMCI_Put(local_, remote_, 100, right_);
        PARMCI_PutS(local_, stride_, remote_, stride_, count_, 1, right_);
        PARMCI_NbGet(remote_, local_, 100, right_, &handle_);
        PARMCI_Wait(&handle_);
        PARMCI_AllFence();
        PARMCI_Barrier();
        parmci_msg_barrier();
    });
}

// A second start and stop is only counted.
// promise: profiling.weak-names
TEST_F(Interpose, StartAndStop) {
    expect_calls({"ARMCI_Init", "ARMCI_Init_args", "ARMCI_Init_thread", "ARMCI_Init_thread_comm",
                  "ARMCI_Init_mpi_comm", "ARMCI_Finalize", "ARMCI_Finalize", "ARMCI_Finalize",
                  "ARMCI_Finalize", "ARMCI_Initialized"},
                 [] {
                     ARMCI_Init();
                     ARMCI_Init_args(nullptr, nullptr);
                     ARMCI_Init_thread(MPI_THREAD_SINGLE);
                     ARMCI_Init_thread_comm(MPI_THREAD_SINGLE, MPI_COMM_WORLD);
                     ARMCI_Init_mpi_comm(MPI_COMM_WORLD);
                     ARMCI_Finalize();
                     ARMCI_Finalize();
                     ARMCI_Finalize();
                     ARMCI_Finalize();
                     ARMCI_Initialized();
                 });
}

}  // namespace
}  // namespace armci::mp
