// SPDX-License-Identifier: BSD-3-Clause
// Operations without a handle: every fence completes those that it covers, including gets. The
// caller reads its buffer as soon as the fence returns, and makes no other call before.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/global_memory.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

constexpr int64_t kLargest = 1 << 20;
constexpr int64_t kRemoteBytes = 2 * kLargest + 1024;
constexpr char kScribble = 0x5a;
const std::vector<int64_t> kSizes = {8, 1 << 10, 64 << 10, kLargest};
const std::vector<Form> kForms = {Form::contiguous, Form::strided, Form::vector};

const char* name_of(Form form) {
    switch (form) {
        case Form::contiguous:
            return "contiguous";
        case Form::strided:
            return "strided";
        case Form::vector:
            return "vector";
    }
    return "";
}

// Blocks are at distances of twice their length on the remote side, and have gaps of 8 bytes on the
// local one.
Shape make_shape(Form form, int64_t bytes) {
    if (form == Form::contiguous) {
        return contiguous_shape(0, 0, bytes);
    }
    const int64_t block_bytes = std::max<int64_t>(8, bytes / 64);
    const int64_t count = bytes / block_bytes;
    if (form == Form::strided) {
        return strided_shape(0, {static_cast<int>(block_bytes) + 8}, 0,
                             {2 * static_cast<int>(block_bytes)},
                             {static_cast<int>(block_bytes), static_cast<int>(count)});
    }
    std::vector<Piece> pieces;
    for (int64_t i = 0; i < count; ++i) {
        pieces.push_back({i * (block_bytes + 8), i * 2 * block_bytes, block_bytes});
    }
    return vector_shape(pieces);
}

// The contents of the memory of rank `proc`, known to all.
std::vector<char> contents_of(int proc) {
    std::vector<char> contents(kRemoteBytes);
    Rng rng = common_rng(static_cast<uint64_t>(proc) + 1);
    for (size_t i = 0; i < contents.size(); i += sizeof(uint64_t)) {
        const uint64_t bits = rng.bits();
        std::memcpy(&contents[i], &bits, sizeof bits);
    }
    return contents;
}

// A call that completes operations, and the ranks whose operations it completes.
struct FenceCall {
    const char* name;
    std::function<void(int target)> call;
    std::function<bool(int proc, int target)> covers;
};

bool covers_all(int, int) {
    return true;
}
bool covers_target(int proc, int target) {
    return proc == target;
}

// Memory of all ranks, and gets from it without handles.
class Gets {
  public:
    Gets() : memory_(kRemoteBytes + 64), rng_(rank_rng()) {
        for (int proc = 0; proc < nproc(); ++proc) {
            contents_.push_back(contents_of(proc));
        }
        std::memcpy(memory_.mine(), contents_[static_cast<size_t>(me())].data(), kRemoteBytes);
        ARMCI_Barrier();
    }
    ~Gets() { ARMCI_Barrier(); }
    Gets(const Gets&) = delete;
    Gets& operator=(const Gets&) = delete;

    // Starts gets from the target and some others, calls the fence, and checks the buffers.
    void check(const FenceCall& fence, Form form, int64_t bytes, int target) {
        Transfer get;
        get.verb = Verb::get;
        get.shape = make_shape(form, bytes);
        const std::vector<char> untouched(static_cast<size_t>(2 * bytes), kScribble);
        // There is also a put, so that the fence has to ask the target, and once there is none.
        long word = me();
        if (rng_.chance(50)) {
            ARMCI_NbPut(&word, memory_.at(target, kRemoteBytes), sizeof word, target, nullptr);
        }
        // The target's get is the last: it is under way when the fence begins.
        std::vector<int> procs;
        for (int i = std::min(nproc(), 3); i > 0; --i) {
            procs.push_back((target + i - 1) % nproc());
        }
        std::vector<std::vector<char>> found(procs.size(), untouched);
        for (size_t i = 0; i < procs.size(); ++i) {
            EXPECT_EQ(issue(get, found[i].data(), memory_.at(procs[i]), procs[i], false, nullptr),
                      0);
        }
        fence.call(target);
        for (size_t i = 0; i < procs.size(); ++i) {
            if (fence.covers(procs[i], target)) {
                std::vector<char> expected = untouched;
                std::vector<char>& contents = contents_[static_cast<size_t>(procs[i])];
                apply(get, expected.data(), contents.data());
                expect_same_bytes(
                    expected.data(), found[i].data(), static_cast<int64_t>(expected.size()),
                    std::string(name_of(form)) + " get of " + std::to_string(bytes) +
                        " bytes from rank " + std::to_string(procs[i]) + ", then " + fence.name);
            }
        }
        ARMCI_WaitAll();
    }

    // Every form and size. All ranks call it with fences that are collective.
    void check_all(const FenceCall& fence) {
        for (const Form form : kForms) {
            for (const int64_t bytes : kSizes) {
                const int64_t rounds = scaled(bytes < kLargest ? 8 : 2);
                for (int64_t round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
                    check(fence, form, bytes, static_cast<int>((me() + 1 + round) % nproc()));
                }
                // Ranks that have found a failure wait for the others here.
                sync();
            }
        }
    }

  private:
    GlobalMemory memory_;
    std::vector<std::vector<char>> contents_;
    Rng rng_;
};

// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByFence) {
    Gets gets;
    gets.check_all({"ARMCI_Fence", [](int target) { ARMCI_Fence(target); }, covers_target});
}

// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByAllFence) {
    Gets gets;
    gets.check_all({"ARMCI_AllFence", [](int) { ARMCI_AllFence(); }, covers_all});
}

// Every second rank is in the group, so that it has members on several nodes.
// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByGroupFence) {
    Gets gets;
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    ARMCI_Group group;
    ARMCIX_Group_split(&world, me() % 2, me(), &group);
    gets.check_all({"ARMCI_GroupFence", [&](int) { ARMCI_GroupFence(&group); },
                    [](int proc, int) { return proc % 2 == me() % 2; }});
    gets.check_all(
        {"ARMCI_GroupFence of world", [&](int) { ARMCI_GroupFence(&world); }, covers_all});
    ARMCI_Group_free(&group);
}

// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByBarrier) {
    Gets gets;
    for (const Form form : kForms) {
        for (const int64_t bytes : kSizes) {
            for (int64_t round = 0; round < scaled(8); ++round) {
                gets.check({"ARMCI_Barrier", [](int) { ARMCI_Barrier(); }, covers_all}, form, bytes,
                           static_cast<int>((me() + 1 + round) % nproc()));
            }
        }
    }
}

// The mutex may be on any rank.
// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByUnlock) {
    Gets gets;
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    for (const int owner : {0, nproc() - 1}) {
        gets.check_all({"ARMCI_Unlock",
                        [&](int) {
                            ARMCI_Lock(0, owner);
                            ARMCI_Unlock(0, owner);
                        },
                        covers_all});
    }
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByUnlockOfASet) {
    Gets gets;
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
    gets.check_all({"ARMCIX_Unlock_hdl",
                    [&](int target) {
                        ARMCIX_Lock_hdl(set, 0, target);
                        ARMCIX_Unlock_hdl(set, 0, target);
                    },
                    covers_all});
    EXPECT_EQ(ARMCIX_Destroy_mutexes_hdl(set), 0);
}

// The memory that is freed is another allocation.
// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByFree) {
    Gets gets;
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    std::vector<void*> bases(static_cast<size_t>(nproc()));
    const std::vector<FenceCall> calls = {
        {"ARMCI_Free", [&](int) { ARMCI_Free(bases[static_cast<size_t>(me())]); }, covers_all},
        {"ARMCI_Free_memdev", [&](int) { ARMCI_Free_memdev(bases[static_cast<size_t>(me())]); },
         covers_all},
        {"ARMCI_Free_group",
         [&](int) { ARMCI_Free_group(bases[static_cast<size_t>(me())], &world); }, covers_all}};
    for (const FenceCall& call : calls) {
        for (const Form form : kForms) {
            for (const int64_t bytes : kSizes) {
                ASSERT_EQ(ARMCI_Malloc_group(bases.data(), 64, &world), 0);
                gets.check(call, form, bytes, right());
            }
        }
    }
}

// Gets from one rank after the other, each with a fence of its own, while the others are under way.
// promise: implicit.fenced-gets
TEST(ImplicitGet, CompletedByFencesOfOneTargetAfterTheOther) {
    GlobalMemory memory(64 << 10);
    const auto words = static_cast<int64_t>((64 << 10) / sizeof(long));
    std::fill_n(memory.element<long>(me()), words, 1000 + me());
    ARMCI_Barrier();
    for (int64_t round = 0; round < scaled(32); ++round) {
        std::vector<std::vector<long>> found(static_cast<size_t>(nproc()),
                                             std::vector<long>(static_cast<size_t>(words), -1));
        for (int proc = 0; proc < nproc(); ++proc) {
            ARMCI_NbGet(memory.at(proc), found[static_cast<size_t>(proc)].data(), 64 << 10, proc,
                        nullptr);
        }
        for (int i = 1; i <= nproc(); ++i) {
            const int proc = (me() + i) % nproc();
            ARMCI_Fence(proc);
            const std::vector<long> expected(static_cast<size_t>(words), 1000 + proc);
            EXPECT_EQ(found[static_cast<size_t>(proc)], expected) << "rank " << proc;
        }
    }
    ARMCI_Barrier();
}

// The source of a put belongs to the caller again when a fence returns, with a handle and without.
// promise: fence.frees-source
TEST(ImplicitPut, SourceMayBeReusedAfterAFence) {
    GlobalMemory memory(kRemoteBytes);
    for (const bool is_explicit : {false, true}) {
        for (const Form form : kForms) {
            for (const int64_t bytes : kSizes) {
                Transfer put;
                put.verb = Verb::put;
                put.shape = make_shape(form, bytes);
                std::vector<char> source(static_cast<size_t>(2 * bytes));
                for (int64_t round = 0; round < scaled(4); ++round) {
                    std::memset(memory.mine(), 0, kRemoteBytes);
                    ARMCI_Barrier();
                    const auto value = static_cast<char>(1 + (me() + round) % 100);
                    std::fill(source.begin(), source.end(), value);
                    armci_hdl_t handle;
                    ARMCI_INIT_HANDLE(&handle);
                    EXPECT_EQ(issue(put, source.data(), memory.at(right()), right(), false,
                                    is_explicit ? &handle : nullptr),
                              0);
                    if (round % 2 == 0) {
                        ARMCI_Fence(right());
                    } else {
                        ARMCI_AllFence();
                    }
                    std::fill(source.begin(), source.end(), kScribble);
                    ARMCI_Wait(&handle);
                    sync();
                    std::vector<char> expected(kRemoteBytes, 0);
                    std::vector<char> sent(source.size(),
                                           static_cast<char>(1 + (left() + round) % 100));
                    apply(put, sent.data(), expected.data());
                    expect_same_bytes(
                        expected.data(), memory.mine(), kRemoteBytes,
                        std::string(name_of(form)) + " put of " + std::to_string(bytes) + " bytes");
                    sync();
                }
            }
        }
    }
}

}  // namespace
}  // namespace armci::mp
