// SPDX-License-Identifier: BSD-3-Clause
// All ranks to all ranks at once, over few and small buffers. No rank waits before everything is
// issued, so no rank can rely on another one's buffers, and a protocol in which buffers wait for
// each other deadlocks.
//
// The time limit of the job detects a deadlock.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int kRecvBuffers = 4;
constexpr int64_t kRecvBufferBytes = 20 * 1024;  // several of the smallest buffers
constexpr int kType = ARMCI_ACC_LNG;

// A part of memory for each operation under way: of the local buffer, by target and slot, and of
// this rank's area at the target, by slot.
class Flood {
  public:
    explicit Flood(uint64_t stream)
        : ground_(kRecvBuffers * kRecvBufferBytes, nproc() * kRecvBuffers * kRecvBufferBytes,
                  kType),
          rng_(rank_rng(stream)) {}

    Playground& ground() { return ground_; }

    // One operation for each slot of each target. The targets alternate, from the next rank to the
    // one before, so that all targets are in use at any time. All are complete on return.
    void all_ranks_at_once() {
        std::vector<armci_hdl_t> handles;
        handles.reserve(static_cast<size_t>(kRecvBuffers * nproc()));
        for (int recv_buffer = 0; recv_buffer < kRecvBuffers; ++recv_buffer) {
            for (int step = 1; step < nproc(); ++step) {
                const int target = (me() + step) % nproc();
                armci_hdl_t* handle = nullptr;
                if (rng_.chance(50)) {
                    handle = &handles.emplace_back();
                    ARMCI_INIT_HANDLE(handle);
                }
                start(rng_.pick(std::vector<Verb>{Verb::put, Verb::get, Verb::acc}), target,
                      recv_buffer, handle);
            }
        }
        rng_.shuffle(handles);
        for (armci_hdl_t& handle : handles) {
            ARMCI_Wait(&handle);
        }
        ARMCI_WaitAll();
    }

    // Starts an operation in its slot, and applies it to the expected contents; `handle` is as in
    // the C interface.
    void start(Verb verb, int target, int recv_buffer, armci_hdl_t* handle) {
        start(in_recv_buffer(verb, target, recv_buffer), target, handle);
    }

    // A get, in rows, of everything that this rank has at the target.
    void start_large_get(int target) {
        constexpr int kRowBytes = 512;
        constexpr int kRows = static_cast<int>(kRecvBuffers * kRecvBufferBytes / (2 * kRowBytes));
        Transfer transfer;
        transfer.verb = Verb::get;
        transfer.shape = strided_shape(target * kRecvBuffers * kRecvBufferBytes, {2 * kRowBytes}, 0,
                                       {2 * kRowBytes}, {kRowBytes, kRows});
        start(transfer, target, nullptr);
    }

    void blocking(Verb verb, int target, int recv_buffer) {
        ground_.perform(in_recv_buffer(verb, target, recv_buffer), target, Completion::blocking);
    }

  private:
    void start(const Transfer& transfer, int target, armci_hdl_t* handle) {
        EXPECT_EQ(issue(transfer, ground_.local(), ground_.remote(target), target, false, handle),
                  0);
        ground_.expect(transfer, target);
    }

    Transfer in_recv_buffer(Verb verb, int target, int recv_buffer) {
        Transfer transfer;
        transfer.verb = verb;
        transfer.type = kType;
        transfer.scale = random_scale(element_type(kType), rng_);
        transfer.shape =
            random_patch().shifted((target * kRecvBuffers + recv_buffer) * kRecvBufferBytes,
                                   recv_buffer * kRecvBufferBytes);
        return transfer;
    }

    // Fills between a third of a slot and nearly all of it: a patch of two or three dimensions, or
    // a vector.
    Shape random_patch() {
        const int64_t block_bytes = 8 * rng_.between(1, rng_.chance(30) ? 600 : 40);
        const int64_t local_step = block_bytes + 8 * rng_.between(0, 1);
        const int64_t remote_step = block_bytes + 8 * rng_.between(0, 1);
        const int64_t fitting = kRecvBufferBytes / std::max(local_step, remote_step);
        const int64_t blocks = rng_.between((fitting + 2) / 3, fitting);
        if (rng_.chance(40)) {
            std::vector<Piece> pieces;
            for (int64_t i = 0; i < blocks; ++i) {
                pieces.push_back({i * local_step, (blocks - 1 - i) * remote_step, block_bytes});
            }
            return vector_shape(pieces);
        }
        const int64_t rows = rng_.between(1, blocks);
        return strided_shape(0, {static_cast<int>(local_step), static_cast<int>(rows * local_step)},
                             0,
                             {static_cast<int>(remote_step), static_cast<int>(rows * remote_step)},
                             {static_cast<int>(block_bytes), static_cast<int>(rows),
                              static_cast<int>(blocks / rows)});
    }

    Playground ground_;
    Rng rng_;
};

TEST(Flood, AllToAll) {
    Flood flood(1);
    for (int64_t round = 0; round < scaled(16); ++round) {
        flood.all_ranks_at_once();
        flood.ground().check_local("round " + std::to_string(round) + " of a flood");
    }
    flood.ground().check_by_owner("a flood from all ranks to all");
}

// Every rank floods the same one, which floods them.
TEST(Flood, AllToOneAndOneToAll) {
    Flood flood(2);
    const std::vector<Verb> verbs = {Verb::put, Verb::get, Verb::acc};
    for (int64_t round = 0; round < scaled(8); ++round) {
        for (int recv_buffer = 0; recv_buffer < kRecvBuffers; ++recv_buffer) {
            const Verb verb = verbs[static_cast<size_t>(recv_buffer + round) % verbs.size()];
            for (int other = 1; other < nproc(); ++other) {
                if (me() == 0 || other == 1) {
                    flood.start(verb, me() == 0 ? other : 0, recv_buffer, nullptr);
                }
            }
        }
        ARMCI_WaitAll();
        flood.ground().check_local("round " + std::to_string(round) + " around one rank");
    }
    flood.ground().check_by_owner("a flood from all ranks to one and back");
}

// Half of the ranks get data from all others and then do not call the library until the other half
// has done all its work, with the same servers. The slow ones check their data afterwards.
TEST(Flood, RanksThatDoNotCallDelayNoOtherRank) {
    if (nproc() < 3) {
        GTEST_SKIP() << "needs 3 ranks";
    }
    const bool slow = me() < nproc() / 2;
    Flood flood(3);
    flood.all_ranks_at_once();  // all are connected, so that the gets are sent at once
    sync();
    if (slow) {
        for (int step = 1; step < nproc(); ++step) {
            flood.start_large_get((me() + step) % nproc());
        }
        sync();  // all have started their gets
        sync();  // the others are done
        ARMCI_WaitAll();
    } else {
        sync();
        for (int64_t round = 0; round < scaled(8); ++round) {
            for (int step = 1; step < nproc(); ++step) {
                for (const Verb verb : {Verb::get, Verb::put, Verb::acc, Verb::get}) {
                    flood.blocking(verb, (me() + step) % nproc(), 0);
                }
            }
        }
        ARMCI_AllFence();
        sync();
    }
    flood.ground().check_local("after a wait without the library");
    flood.ground().check_by_owner("after a wait without the library");
}

// Memory of rank 0 and local memory of the same size, for few and large operations.
class LargeMemory {
  public:
    explicit LargeMemory(int64_t bytes) : bases_(static_cast<size_t>(nproc())) {
        ARMCI_Malloc(bases_.data(), me() == 0 ? bytes : 0);
        local_.assign(static_cast<size_t>(bytes), static_cast<char>(me() + 1));
        if (me() == 0) {
            std::memset(bases_[0], 0, static_cast<size_t>(bytes));
        }
        ARMCI_Barrier();
    }
    ~LargeMemory() {
        ARMCI_Barrier();
        ARMCI_Free(me() == 0 ? bases_[0] : nullptr);
    }
    LargeMemory(const LargeMemory&) = delete;
    LargeMemory& operator=(const LargeMemory&) = delete;

    char* remote(int64_t offset) const { return static_cast<char*>(bases_[0]) + offset; }
    char* local(int64_t offset) { return local_.data() + offset; }
    // Bytes of remote memory that are not `value`; on rank 0.
    int64_t others(int64_t offset, int64_t bytes, int value) const {
        return bytes - std::count(remote(offset), remote(offset + bytes), static_cast<char>(value));
    }

  private:
    std::vector<void*> bases_;
    std::vector<char> local_;
};

// A rank that has started a large put does something else. The buffers that the server has granted
// it must not stop another rank, even one that has just used up its own share.
TEST(Flood, IdleOriginOfAPutDelaysNoOtherRank) {
    if (nproc() < 3) {
        GTEST_SKIP() << "needs 3 ranks";
    }
    constexpr int kLarge = 24 << 20;
    for (const int kib : {120, 190, 260}) {
        LargeMemory memory(2 * kLarge);
        const int small = kib << 10;
        if (me() == 2) {
            ARMCI_Put(memory.local(0), memory.remote(kLarge), small, 0);
        }
        sync();
        if (me() == 1) {
            ARMCI_NbPut(memory.local(0), memory.remote(0), kLarge, 0, nullptr);
        }
        sync();
        if (me() == 2) {
            ARMCI_Put(memory.local(0), memory.remote(kLarge + small), small, 0);
        }
        sync();
        if (me() == 1) {
            ARMCI_WaitAll();
        }
        ARMCI_Barrier();
        if (me() == 0) {
            EXPECT_EQ(memory.others(0, kLarge, 2), 0);
            EXPECT_EQ(memory.others(kLarge, 2 * small, 3), 0);
        }
    }
}

// The same for a get that is larger than the network can hold while the origin does not receive.
TEST(Flood, IdleOriginOfAGetDelaysNoOtherRank) {
    if (nproc() < 3) {
        GTEST_SKIP() << "needs 3 ranks";
    }
    constexpr int kLarge = 16 << 20;
    LargeMemory memory(2 * kLarge);
    if (me() == 0) {
        std::memset(memory.remote(0), 77, kLarge);
    }
    ARMCI_Barrier();
    if (me() == 1) {
        ARMCI_NbGet(memory.remote(0), memory.local(0), kLarge, 0, nullptr);
    }
    sync();
    if (me() == 2) {
        ARMCI_Get(memory.remote(0), memory.local(0), kLarge / 16, 0);
        EXPECT_EQ(std::count(memory.local(0), memory.local(kLarge / 16), 77), kLarge / 16);
    }
    sync();
    if (me() == 1) {
        ARMCI_WaitAll();
        EXPECT_EQ(std::count(memory.local(0), memory.local(kLarge), 77), kLarge);
    }
}

// Blocking calls that have returned have sent their data: it arrives though the rank makes no
// further call.
TEST(Flood, BlockingOperationsArriveWithoutFurtherCalls) {
    constexpr int kBytes = 2048;
    constexpr int kCount = 80;  // more than a server allows one origin to have under way
    LargeMemory memory(kBytes * kCount);
    const int last = nproc() - 1;
    std::vector<long> ones(kBytes / sizeof(long), 1);
    long one = 1;
    if (me() == last) {
        for (int i = 0; i < kCount; ++i) {
            ARMCI_Acc(ARMCI_ACC_LNG, &one, ones.data(), memory.remote(int64_t{i} * kBytes), kBytes,
                      0);
        }
    }
    if (me() == 0 && last != 0) {
        const auto* end = reinterpret_cast<const long*>(memory.remote(kBytes * kCount)) - 1;
        while (__atomic_load_n(end, __ATOMIC_ACQUIRE) == 0) {
            sched_yield();
        }
    }
    sync();
    if (me() == 0) {
        const auto* words = reinterpret_cast<const long*>(memory.remote(0));
        EXPECT_EQ(std::count(words, words + kBytes * kCount / sizeof(long), 1),
                  static_cast<long>(kBytes * kCount / sizeof(long)));
    }
}

// An operation that a test has found complete is under way: it arrives though no further call sends
// it. The operations are in bursts, until one finds the window closed.
TEST(Flood, TestedOperationsArriveWithoutFurtherCalls) {
    constexpr int kBurst = 200;  // mostly sent in one message
    constexpr int kCount = 40 * kBurst;
    LargeMemory memory(kCount * sizeof(long));
    const int last = nproc() - 1;
    long one = 0;
    if (me() == last) {
        ARMCI_Get(memory.remote(0), &one, sizeof one, 0);  // makes the connection
    }
    ARMCI_Barrier();
    int complete = 0;
    if (me() == last) {
        one = 1;
        for (; complete < kCount; complete += kBurst) {
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            for (int i = 0; i < kBurst; ++i) {
                ARMCI_NbPut(&one, memory.remote((complete + i) * 8), sizeof one, 0, &handle);
            }
            if (ARMCI_Test(&handle) != 0) {
                break;
            }
        }
        MPI_Send(&complete, 1, MPI_INT, 0, 0, harness_comm());
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, harness_comm(), MPI_STATUS_IGNORE);
        ARMCI_WaitAll();
    }
    if (me() == 0) {
        MPI_Recv(&complete, 1, MPI_INT, last, 0, harness_comm(), MPI_STATUS_IGNORE);
        const auto* words = reinterpret_cast<const long*>(memory.remote(0));
        for (int i = 0; i < complete; ++i) {
            while (__atomic_load_n(&words[i], __ATOMIC_ACQUIRE) == 0) {
                ARMCIX_Progress();
                sched_yield();
            }
        }
        MPI_Send(nullptr, 0, MPI_BYTE, last, 0, harness_comm());
    }
    ARMCI_Barrier();
}

}  // namespace
}  // namespace armci::mp
