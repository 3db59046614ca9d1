// SPDX-License-Identifier: BSD-3-Clause
// While one accumulate is in the middle of its additions, no other one adds at that place. Rank 1
// stops there, in the handler of a page fault, as long as the test needs, so that two additions
// conflict at any speed of the machine.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "../unit/task_state.h"
#include "support/check.h"
#include "support/global_memory.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

constexpr int kOwner = 0;   // of the memory
constexpr int kHolder = 1;  // on the owner's node
constexpr int64_t kPageBytes = 4096;
constexpr int64_t kBlockBytes = 16 << 10;  // all bytes of one such block have one lock

// In memory of the owner's node, which the holder also reads and writes directly.
struct Board {
    std::atomic<int> is_held{0};
    std::atomic<int> is_released{0};
};

// The data of the handler, which may only make system calls.
struct Hold {
    char* page = nullptr;
    Board* board = nullptr;
    struct sigaction before {};
};
Hold g_hold;

// Stops in the middle of an accumulate. The access is repeated when it returns.
void stand_still(int signal, siginfo_t* info, void*) {
    const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    if (address - reinterpret_cast<uintptr_t>(g_hold.page) >= kPageBytes) {
        sigaction(signal, &g_hold.before, nullptr);  // another fault
        return;
    }
    g_hold.board->is_held.store(1);
    while (g_hold.board->is_released.load() == 0) {
        sched_yield();
    }
    mprotect(g_hold.page, kPageBytes, PROT_READ | PROT_WRITE);
}

// All are within one page. Between nodes small ones are sent in batches, the others separately.
std::vector<Shape> shapes() {
    std::vector<Piece> few;
    std::vector<Piece> many;
    std::vector<Piece> long_ones;
    for (int64_t i = 0; i < 40; ++i) {
        const Piece piece{i * 32, i * 80 + i % 3 * 16, 32};
        many.push_back(piece);
        if (i < 8) {
            few.push_back(piece);
        }
        if (i < 3) {
            long_ones.push_back({i * 1024, i * 1040 + i % 2 * 16, 1024});
        }
    }
    return {contiguous_shape(0, 0, 64),
            contiguous_shape(0, 0, kPageBytes),
            strided_shape(0, {32}, 0, {64}, {32, 8}),
            strided_shape(0, {32}, 0, {64}, {32, 60}),
            vector_shape(few),
            vector_shape(many),
            vector_shape(long_ones)};
}

Transfer addition(const ElementType& type, const Shape& shape) {
    Transfer transfer;
    transfer.verb = Verb::acc;
    transfer.type = type.code;
    transfer.scale = unit_scale(type);
    transfer.shape = shape;
    return transfer;
}

class Exclusion : public ::testing::Test {
  protected:
    void SetUp() override {
        if (nproc() <= kHolder || ARMCIX_Node(kHolder) != ARMCIX_Node(kOwner)) {
            GTEST_SKIP() << "needs two ranks on a node";
        }
    }

    // For each type and shape the holder adds `held`, and stops in the middle of it. Then another
    // rank adds `other`. All ranks except the holder call meanwhile(other), which releases the
    // holder.
    enum class Vary { held, other };
    template <class Meanwhile>
    void for_each_case(Vary vary, Meanwhile&& meanwhile) {
        GlobalMemory memory(2 * kBlockBytes, MemoryKind::allocated);
        GlobalMemory board_memory(sizeof(Board), MemoryKind::allocated);
        const auto begin = reinterpret_cast<uintptr_t>(memory.at(kOwner)) + kBlockBytes - 1;
        place_ = reinterpret_cast<char*>(begin / kBlockBytes * kBlockBytes);
        board_ = reinterpret_cast<Board*>(board_memory.at(kOwner));
        const std::vector<Shape> all = shapes();
        for (size_t i = 0; i < all.size(); ++i) {
            for (const ElementType& type : element_types()) {
                if (scaled(8) == 1 && i > 1 && (i + static_cast<size_t>(type.code)) % 6 != 0) {
                    continue;  // each shape with one type
                }
                SCOPED_TRACE(std::string(type.name) + ", " + all[i].describe());
                const Shape one = contiguous_shape(0, 0, type.bytes);
                run_case(addition(type, vary == Vary::held ? all[i] : one),
                         addition(type, vary == Vary::other ? all[i] : one), type, meanwhile);
            }
        }
    }

    char* place_ = nullptr;
    Board* board_ = nullptr;
    std::vector<char> source_;

  private:
    template <class Meanwhile>
    void run_case(const Transfer& held, const Transfer& other, const ElementType& type,
                  Meanwhile&& meanwhile) {
        Rng rng = common_rng(static_cast<uint64_t>(type.code));
        source_.resize(kPageBytes);
        fill_elements(type, rng, source_.data(), kPageBytes);
        if (me() == kOwner) {
            std::memset(place_, 0, kPageBytes);
            board_->is_held = 0;
            board_->is_released = 0;
        }
        sync();
        if (me() == kHolder) {
            g_hold.page = place_;
            g_hold.board = board_;
            struct sigaction action {};
            action.sa_sigaction = stand_still;
            action.sa_flags = SA_SIGINFO;
            sigaction(SIGSEGV, &action, &g_hold.before);
            if (mprotect(place_, kPageBytes, PROT_NONE) != 0) {
                give_up("mprotect failed");
            }
            EXPECT_EQ(issue(held, source_.data(), place_, kOwner, true, nullptr), 0);
            sigaction(SIGSEGV, &g_hold.before, nullptr);
        } else {
            if (me() == kOwner) {
                while (board_->is_held.load() == 0) {
                    sched_yield();
                }
            }
            meanwhile(other);
        }
        sync();
        if (me() == kOwner) {
            std::vector<char> sum(kPageBytes, 0);
            apply(held, source_.data(), sum.data());
            apply(other, source_.data(), sum.data());
            expect_same_bytes(sum.data(), place_, kPageBytes, "both additions");
        }
        sync();
    }
};

// The owner adds, and sleeps until the lock is free.
TEST_F(Exclusion, AccumulatesInsideANodeExcludeEachOther) {
    for_each_case(Vary::held, [&](const Transfer& other) {
        if (me() != kOwner) {
            return;
        }
        const std::string self = test::task_of(gettid());
        std::atomic<bool> is_over{false};
        std::thread watcher([&] {
            while (!is_over.load() && !test::is_asleep(self)) {
                sched_yield();
            }
            board_->is_released.store(1);
        });
        EXPECT_EQ(issue(other, source_.data(), place_, kOwner, true, nullptr), 0);
        EXPECT_EQ(board_->is_released.load(), 1) << "it did not wait for rank 1";
        is_over.store(true);
        watcher.join();
    });
}

// A rank of another node adds, and the data server sleeps until the lock is free.
TEST_F(Exclusion, AccumulatesBetweenNodesExcludeEachOther) {
    const int origin = nproc() - 1;
    const char* servers = std::getenv("ARMCI_SERVERS_PER_NODE");
    if (ARMCIX_Node(origin) == ARMCIX_Node(kOwner) ||
        (servers != nullptr && std::string(servers) != "1")) {
        GTEST_SKIP() << "needs two nodes, and one data server on each";
    }
    for_each_case(Vary::other, [&](const Transfer& other) {
        int done = 0;
        MPI_Request message = MPI_REQUEST_NULL;
        if (me() == origin) {
            MPI_Request called = MPI_REQUEST_NULL;  // the holder has stopped
            MPI_Irecv(nullptr, 0, MPI_BYTE, kOwner, 0, harness_comm(), &called);
            finish(called);
            EXPECT_EQ(issue(other, source_.data(), place_, kOwner, true, nullptr), 0);
            ARMCI_Fence(kOwner);
            MPI_Isend(nullptr, 0, MPI_BYTE, kOwner, 0, harness_comm(), &message);
            finish(message);
        } else if (me() == kOwner) {
            MPI_Request call = MPI_REQUEST_NULL;
            MPI_Isend(nullptr, 0, MPI_BYTE, origin, 0, harness_comm(), &call);
            finish(call);
            MPI_Irecv(nullptr, 0, MPI_BYTE, origin, 0, harness_comm(), &message);
            const std::string server = test::task_named("armci-server");
            if (server.empty()) {
                give_up("this process has no data server");
            }
            while (done == 0 && !test::is_blocked_in(server, SYS_clock_nanosleep)) {
                sched_yield();
                MPI_Test(&message, &done, MPI_STATUS_IGNORE);
            }
            EXPECT_EQ(done, 0) << "the data server did not wait for rank 1";
            board_->is_released.store(1);
            if (done == 0) {
                finish(message);
            }
        }
    });
}

}  // namespace
}  // namespace armci::mp
