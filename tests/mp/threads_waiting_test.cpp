// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: threads that wait long sleep. They neither delay other threads nor miss what
// these find in the network.
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../unit/task_state.h"
#include "armci/armcix.h"
#include "armci/message.h"
#include "support/global_memory.h"
#include "support/harness.h"
#include "support/job.h"

namespace armci::mp {
namespace {

// How the sleeps of a thread proceed.
struct Sleeps {
    std::atomic<bool> may_begin{true};  // until then they stop before they begin
    bool end_by_events_only = false;    // not by their time limit
    std::atomic<int> count{0};
    std::atomic<int> yields{0};

    void begin() {
        ++count;
        while (!may_begin) {
            syscall(SYS_sched_yield);
        }
    }
};
thread_local Sleeps* t_sleeps = nullptr;

// The sleeps of this thread, while the object exists.
class Watched {
  public:
    explicit Watched(Sleeps& sleeps) { t_sleeps = &sleeps; }
    ~Watched() { t_sleeps = nullptr; }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
};

}  // namespace
}  // namespace armci::mp

// Replaces the C library's function, also for the calls of the library under test.
extern "C" int ppoll(pollfd* descriptors, nfds_t count, const timespec* longest,
                     const sigset_t* signals) {
    using armci::mp::t_sleeps;
    timespec time{};
    if (longest != nullptr) {
        time = *longest;
    }
    if (t_sleeps != nullptr) {
        t_sleeps->begin();
        longest = t_sleeps->end_by_events_only ? nullptr : longest;
    }
    return static_cast<int>(syscall(SYS_ppoll, descriptors, count,
                                    longest != nullptr ? &time : nullptr, signals, _NSIG / 8));
}

extern "C" int sched_yield() {
    if (armci::mp::t_sleeps != nullptr) {
        ++armci::mp::t_sleeps->yields;
    }
    return static_cast<int>(syscall(SYS_sched_yield));
}

extern "C" int nanosleep(const timespec* time, timespec* left) {
    if (armci::mp::t_sleeps != nullptr) {
        armci::mp::t_sleeps->begin();
    }
    return clock_nanosleep(CLOCK_REALTIME, 0, time, left);
}

namespace armci::mp {
namespace {

constexpr int kTag = 7;

bool is_one_node() {
    return ARMCIX_Node(nproc() - 1) == ARMCIX_Node(0);
}

std::string this_task() {
    return test::task_of(static_cast<int>(syscall(SYS_gettid)));
}

// The last rank does `late` when all others are in `wait` and sleep there. Hangs when one does not
// sleep.
void expect_sleep(const std::function<void()>& wait, const std::function<void()>& late) {
    const int last = nproc() - 1;
    if (me() == last) {
        for (int rank = 0; rank < last; ++rank) {
            MPI_Recv(nullptr, 0, MPI_BYTE, rank, 0, harness_comm(), MPI_STATUS_IGNORE);
        }
        late();
        return;
    }
    std::thread watcher([task = this_task(), last] {
        test::wait_until_it_stays_asleep(task);
        MPI_Send(nullptr, 0, MPI_BYTE, last, 0, harness_comm());
    });
    wait();
    watcher.join();
}

// promise: threads.waits-sleep
TEST(ThreadsWaiting, SleepsInABarrierForALateRank) {
    ARMCI_Barrier();
    expect_sleep([] { ARMCI_Barrier(); }, [] { ARMCI_Barrier(); });
}

// promise: threads.waits-sleep
TEST(ThreadsWaiting, SleepsUntilTheMessageOfALateRank) {
    ARMCI_Barrier();
    char byte = 0;
    int bytes = 0;
    expect_sleep([&] { armci_msg_rcv(kTag, &byte, 1, &bytes, nproc() - 1); },
                 [&] {
                     for (int rank = 0; rank < nproc() - 1; ++rank) {
                         armci_msg_snd(kTag, &byte, 1, rank);
                     }
                 });
    ARMCI_Barrier();
}

// promise: threads.waits-sleep
TEST(ThreadsWaiting, SleepsUntilALateRankUnlocks) {
    for (const int owner : {0, nproc() - 1}) {
        ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
        ARMCI_Barrier();
        if (me() == nproc() - 1) {
            ARMCI_Lock(0, owner);
        }
        ARMCI_Barrier();
        expect_sleep([&] { ARMCI_Lock(0, owner); }, [] {});
        ARMCI_Unlock(0, owner);
        ARMCI_Barrier();
        ASSERT_EQ(ARMCI_Destroy_mutexes(), 0);
    }
}

// A thread stays in a sleep while another one makes calls of all kinds. (If it held the lock that
// calls have in common, this would never end.)
// promise: threads.waits-sleep
TEST(ThreadsWaiting, SleepingThreadBlocksNoOtherThread) {
    constexpr int kAround = 8;
    GlobalMemory memory(64);
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    ARMCI_Barrier();
    Sleeps sleeps;
    sleeps.may_begin = false;
    std::thread waiting([&] {
        const Watched watched(sleeps);
        char byte = 0;
        int bytes = 0;
        armci_msg_rcv(kTag, &byte, 1, &bytes, left());
    });
    while (sleeps.count == 0) {
        sched_yield();
    }
    for (int target = 0; target < nproc(); ++target) {
        const std::vector<long> source(4, me());
        std::vector<long> back(4, -1);
        ARMCI_Lock(0, target);
        ARMCI_Put(const_cast<long*>(source.data()), memory.at(target), 32, target);
        ARMCI_Fence(target);
        ARMCI_Get(memory.at(target), back.data(), 32, target);
        ARMCI_Unlock(0, target);
        EXPECT_EQ(back, source);
    }
    long sent = 5;
    long got = 0;
    int bytes = 0;
    armci_msg_snd(kAround, &sent, sizeof sent, me());
    armci_msg_rcv(kAround, &got, sizeof got, &bytes, me());
    EXPECT_EQ(got, sent);
    ARMCI_AllFence();
    ARMCI_Barrier();
    char byte = 0;
    armci_msg_snd(kTag, &byte, 1, right());
    sleeps.may_begin = true;
    waiting.join();
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// A thread has polled for its get without success and is about to sleep until the network has
// something, however long that takes. Another one empties the queue first, and wakes it.
TEST(ThreadsWaiting, WakesWhenAnotherThreadReadsItsCompletion) {
    GlobalMemory memory(8);
    *memory.element<long>(me()) = 100 + me();
    ARMCI_Barrier();
    const int target = (me() + nproc() / 2) % nproc();
    // A get that is answered quickly needs no sleep, so there are as many gets as needed.
    constexpr int kRounds = 10;
    constexpr int kMaxRounds = 10'000;
    long sleeps_count = 0;
    long min_sleeps = is_one_node() ? 1 : 0;  // of any rank
    for (int round = 0; round < kRounds || (min_sleeps == 0 && round < kMaxRounds); ++round) {
        Sleeps sleeps;
        sleeps.may_begin = false;
        sleeps.end_by_events_only = true;
        std::atomic<bool> is_over{false};
        long first = -1;
        std::thread waiting([&] {
            const Watched watched(sleeps);
            ARMCI_Get(memory.at(target), &first, sizeof first, target);
            is_over = true;
        });
        while (sleeps.count == 0 && !is_over) {
            sched_yield();
        }
        long second = -1;
        ARMCI_Get(memory.at(target), &second, sizeof second, target);
        EXPECT_EQ(second, 100 + target);
        // It also finds the queue empty before a sleep of its own: then the queue has no signal.
        Sleeps of_receiver;
        std::atomic<bool> has_received{false};
        std::thread later([&] {
            while (of_receiver.yields == 0 && of_receiver.count == 0 && !has_received) {
                sched_yield();
            }
            char byte = 0;
            armci_msg_snd(kTag, &byte, 1, right());
        });
        {
            const Watched watched(of_receiver);
            char byte = 0;
            int bytes = 0;
            armci_msg_rcv(kTag, &byte, 1, &bytes, left());
        }
        has_received = true;
        later.join();
        sleeps.may_begin = true;
        waiting.join();
        EXPECT_EQ(first, 100 + target);
        sleeps_count += sleeps.count;
        if (!is_one_node()) {
            min_sleeps = sleeps_count;
            char min[] = "min";
            armci_msg_lgop(&min_sleeps, 1, min);
        }
    }
    EXPECT_GT(min_sleeps, 0);
    ARMCI_Barrier();
}

// The same at random: all threads of all ranks wait for one mutex, and sleep in between.
TEST(ThreadsWaiting, WakesEverySleepingThread) {
    constexpr int kThreads = 3;
    constexpr int kRounds = 10;
    GlobalMemory memory(8);
    *memory.element<long>(me()) = 0;
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    ARMCI_Barrier();
    std::vector<std::thread> threads;
    std::array<std::atomic<int>, kThreads> tids{};  // -1: has finished its rounds
    const auto another_sleeps = [&](int id) {
        bool is_last = true;
        for (int other = 0; other < kThreads; ++other) {
            const int tid = other == id ? -1 : tids[static_cast<size_t>(other)].load();
            if (tid > 0 && test::is_asleep(test::task_of(tid))) {
                return true;
            }
            is_last = is_last && tid < 0;
        }
        return is_last;
    };
    for (int id = 0; id < kThreads; ++id) {
        threads.emplace_back([&, id] {
            tids[static_cast<size_t>(id)] = static_cast<int>(syscall(SYS_gettid));
            Sleeps sleeps;
            sleeps.end_by_events_only = true;
            const Watched watched(sleeps);
            for (int round = 0; round < kRounds; ++round) {
                ARMCI_Lock(0, 0);
                long value = -1;
                ARMCI_Get(memory.at(nproc() - 1), &value, sizeof value, nproc() - 1);
                ++value;
                while (!another_sleeps(id)) {
                    sched_yield();
                }
                ARMCI_Put(&value, memory.at(nproc() - 1), sizeof value, nproc() - 1);
                ARMCI_Unlock(0, 0);
            }
            tids[static_cast<size_t>(id)] = -1;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    ARMCI_Barrier();
    EXPECT_EQ(*memory.element<long>(me()), me() == nproc() - 1 ? kThreads * kRounds * nproc() : 0);
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

}  // namespace
}  // namespace armci::mp

int main(int argc, char** argv) {
    armci::mp::Program program;
    program.thread_level = MPI_THREAD_MULTIPLE;
    return armci::mp::run_tests(argc, argv, program);
}
