// SPDX-License-Identifier: BSD-3-Clause
// Contiguous put, get and accumulate: sizes, alignments, ways of completion, local memories.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "support/check.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

// Around every power of two where implementations change their method.
std::vector<int64_t> interesting_sizes(int64_t largest) {
    std::vector<int64_t> sizes = {1, 2, 3, 5, 7, 9, 12, 24, 33, 63, 100};
    for (int64_t power = 4; power <= largest; power *= 2) {
        for (const int64_t size : {power - 1, power, power + 1, power + power / 2}) {
            if (size <= largest) {
                sizes.push_back(size);
            }
        }
    }
    return sizes;
}

constexpr int64_t kSmallArea = 20000;

// promise: transfer.any-alignment
TEST(Contiguous, EverySizeAtOddAddresses) {
    Playground ground(kSmallArea, kSmallArea, kRawBytes);
    Rng rng = rank_rng();
    for (int64_t round = 0; round < scaled(2); ++round) {
        for (const int64_t bytes : interesting_sizes(16384)) {
            const int target = static_cast<int>(rng.between(0, nproc() - 1));
            for (const Verb verb : {Verb::put, Verb::get}) {
                Transfer transfer;
                transfer.verb = verb;
                transfer.shape = contiguous_shape(rng.between(0, kSmallArea - bytes),
                                                  rng.between(0, kSmallArea - bytes), bytes);
                ground.perform(transfer, target, rng.pick(all_completions()));
            }
            ground.check_by_get(target, "put of " + std::to_string(bytes) + " bytes");
        }
    }
    ground.check_by_owner("contiguous puts");
}

// promise: transfer.put-get, transfer.to-oneself, calls.return-zero
TEST(Contiguous, EveryTargetByEveryCompletion) {
    Playground ground(4096, 4096, kRawBytes);
    Rng rng = rank_rng();
    for (int target = 0; target < nproc(); ++target) {
        for (const Completion completion : all_completions()) {
            for (const Verb verb : {Verb::put, Verb::get}) {
                Transfer transfer;
                transfer.verb = verb;
                transfer.shape = random_contiguous(rng, room_for(verb, ground, kRawBytes, 2048));
                ground.perform(transfer, target, completion);
            }
            ground.check_by_get(target, name_of(completion));
        }
    }
    ground.check_by_owner("puts to every target");
}

// promise: acc.complex-alignment, acc.types, acc.scaled
TEST(Contiguous, AccumulateEveryTypeAndSize) {
    constexpr int64_t kElements = 2050;
    for (const ElementType& type : element_types()) {
        Playground ground(kElements * type.bytes, kElements * type.bytes, type.code);
        Rng rng = rank_rng(static_cast<uint64_t>(type.code));
        for (const int64_t count : {1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 257, 1024, 2049}) {
            for (int64_t round = 0; round < scaled(2); ++round) {
                Transfer transfer;
                transfer.verb = Verb::acc;
                transfer.type = type.code;
                transfer.scale = rng.chance(30) ? unit_scale(type) : random_scale(type, rng);
                const int64_t bytes = count * type.bytes;
                // Complex numbers need only the alignment of their parts.
                const int64_t places = (ground.area_bytes() - bytes) / type.align_bytes;
                transfer.shape = contiguous_shape(type.align_bytes * rng.between(0, places),
                                                  type.align_bytes * rng.between(0, places), bytes);
                const int target = static_cast<int>(rng.between(0, nproc() - 1));
                ground.perform(transfer, target, rng.pick(all_completions()));
                ground.check_by_get(target, transfer.describe());
            }
        }
        ground.check_by_owner(std::string("accumulates of ") + type.name);
    }
}

TEST(Contiguous, Megabytes) {
    constexpr int64_t kLargest = (3 << 20) + 77;
    constexpr int64_t kMargin = 300;
    Playground ground(kLargest + kMargin, kLargest + kMargin, ARMCI_ACC_INT);
    Rng rng = rank_rng();
    for (const int64_t bytes : {int64_t{65535}, int64_t{65536}, int64_t{65537}, int64_t{1} << 18,
                                (int64_t{1} << 20) - 3, int64_t{1} << 20, kLargest}) {
        const int target = static_cast<int>(rng.between(0, nproc() - 1));
        for (const Verb verb : {Verb::put, Verb::acc, Verb::get}) {
            Transfer transfer;
            transfer.verb = verb;
            transfer.type = ARMCI_ACC_INT;
            transfer.scale = random_scale(element_type(ARMCI_ACC_INT), rng);
            const int64_t grain = verb == Verb::acc ? 4 : 1;
            transfer.shape =
                contiguous_shape(grain * rng.between(0, kMargin / 4 - 1),
                                 grain * rng.between(0, kMargin / 4 - 1), bytes / grain * grain);
            ground.perform(transfer, target, rng.pick(all_completions()));
        }
        ground.check_by_get(target, std::to_string(bytes) + " bytes");
    }
    ground.check_by_owner("large contiguous transfers");
}

// Local buffers may also be in memory of the library.
// promise: transfer.any-local-memory, malloc-local.buffer
TEST(Contiguous, LocalBufferInMallocLocalAndOwnSlice) {
    for (const LocalMemory local_memory : {LocalMemory::malloc_local, LocalMemory::own_global}) {
        Playground ground(kSmallArea, kSmallArea, ARMCI_ACC_INT, local_memory);
        Rng rng = rank_rng(static_cast<uint64_t>(local_memory));
        for (int64_t i = 0; i < scaled(40) && !testing::Test::HasFailure(); ++i) {
            Transfer transfer;
            transfer.verb = rng.pick(std::vector<Verb>{Verb::put, Verb::get, Verb::acc});
            transfer.type = ARMCI_ACC_INT;
            transfer.scale = random_scale(element_type(ARMCI_ACC_INT), rng);
            transfer.shape = random_contiguous(
                rng, room_for(transfer.verb, ground, ARMCI_ACC_INT, kSmallArea / 2));
            const int target = static_cast<int>(rng.between(0, nproc() - 1));
            ground.perform(transfer, target, rng.pick(all_completions()));
            ground.check_by_get(target, transfer.describe());
        }
        ground.check_by_owner("transfers from own memory");
    }
}

// promise: transfer.any-local-memory
TEST(Contiguous, ConstantSource) {
    static const char kText[] = "read-only source of a put";
    GlobalMemory memory(64);
    const int target = right();
    ARMCI_Put(const_cast<char*>(kText), memory.at(target), sizeof kText, target);
    ARMCI_Barrier();
    EXPECT_STREQ(memory.mine(), kText);
    ARMCI_Barrier();
}

// Source and destination on the same rank may overlap in any way, as for memmove.
TEST(Contiguous, OverlappingCopyWithinOwnSliceIsAMemmove) {
    constexpr int64_t kBytes = 10000;
    GlobalMemory memory(kBytes);
    Rng rng = rank_rng();
    std::vector<char> expected(kBytes);
    for (int64_t i = 0; i < kBytes; ++i) {
        expected[static_cast<size_t>(i)] = static_cast<char>(rng.bits());
    }
    std::memcpy(memory.mine(), expected.data(), kBytes);
    for (int round = 0; round < 50; ++round) {
        const int64_t bytes = rng.between(1, kBytes / 2);
        const int64_t from = rng.between(0, kBytes - bytes);
        const int64_t to = rng.between(0, kBytes - bytes);
        if (rng.chance(50)) {
            ARMCI_Put(memory.mine() + from, memory.mine() + to, static_cast<int>(bytes), me());
        } else {
            ARMCI_Get(memory.mine() + from, memory.mine() + to, static_cast<int>(bytes), me());
        }
        std::memmove(expected.data() + to, expected.data() + from, static_cast<size_t>(bytes));
        ASSERT_TRUE(expect_same_bytes(expected.data(), memory.mine(), kBytes,
                                      "overlapping copy of " + std::to_string(bytes) +
                                          " bytes from " + std::to_string(from) + " to " +
                                          std::to_string(to)));
    }
}

// A transfer of zero bytes changes nothing, and no pointer is read, whatever its value.
// promise: transfer.nothing
TEST(Contiguous, ZeroBytesChangeNothing) {
    constexpr int64_t kBytes = 256;
    Playground ground(kBytes, kBytes, kRawBytes);
    auto* nowhere = reinterpret_cast<void*>(8);
    // The end of the last rank's area is one past the end of the slice.
    for (int target = 0; target < nproc(); ++target) {
        char* slice = ground.remote(target) - me() * ground.area_bytes();
        char* end = slice + nproc() * ground.area_bytes();
        for (char* remote : {static_cast<char*>(nullptr), slice, end}) {
            for (char* local : {static_cast<char*>(nullptr), ground.local()}) {
                armci_hdl_t handle;
                ARMCI_INIT_HANDLE(&handle);
                EXPECT_EQ(ARMCI_Put(local, remote, 0, target), 0);
                EXPECT_EQ(ARMCI_Get(remote, local, 0, target), 0);
                EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_DBL, nowhere, local, remote, 0, target), 0);
                EXPECT_EQ(ARMCI_NbPut(local, remote, 0, target, &handle), 0);
                EXPECT_EQ(ARMCI_Wait(&handle), 0);
                EXPECT_EQ(ARMCI_NbGet(remote, local, 0, target, &handle), 0);
                EXPECT_EQ(ARMCI_Test(&handle), 0);
                EXPECT_EQ(ARMCI_NbAcc(ARMCI_ACC_DBL, nowhere, local, remote, 0, target, nullptr),
                          0);
            }
        }
    }
    EXPECT_EQ(ARMCI_WaitAll(), 0);
    ground.check_by_owner("transfers of nothing");
}

}  // namespace
}  // namespace armci::mp
