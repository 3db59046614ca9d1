// SPDX-License-Identifier: BSD-3-Clause
// Location consistency: operations of one rank on one place take effect in program order without a
// fence, whatever the mix of operations, shapes, types and routes.
#include <gtest/gtest.h>

#include "support/check.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int64_t kConsistencyArea = 4096;  // small, so that operations conflict

// A random program of blocking operations; every get is checked against the oracle.
void blocking_program(Playground& ground, Rng& rng, int type, int target, int64_t operations) {
    const std::vector<Verb> verbs = {Verb::put, Verb::get, Verb::acc};
    for (int64_t i = 0; i < operations && !testing::Test::HasFailure(); ++i) {
        const Transfer transfer =
            random_transfer(rng, rng.pick(verbs), ground, type, kConsistencyArea / 2);
        ground.perform(transfer, target, Completion::blocking);
        if (transfer.verb == Verb::get) {
            ground.refill_local(rng);
        }
    }
}

// promise: order.blocking, completion.get-has-data
TEST(Consistency, BlockingOperationsOfEveryTypeAreInOrder) {
    for (const ElementType& type : element_types()) {
        Playground ground(kConsistencyArea, kConsistencyArea, type.code);
        Rng rng = rank_rng(static_cast<uint64_t>(type.code));
        for (int distance = 0; distance < nproc(); ++distance) {
            const int target = (me() + distance) % nproc();
            blocking_program(ground, rng, type.code, target, scaled(64));
            ground.check_by_get(target, std::string("a program on ") + type.name);
        }
        ground.check_by_owner("programs of blocking operations");
    }
}

// The same, with the targets changing from one operation to the next.
// promise: order.blocking
TEST(Consistency, BlockingOperationsToAllTargetsAreInOrder) {
    Playground ground(kConsistencyArea, kConsistencyArea, ARMCI_ACC_INT);
    Rng rng = rank_rng();
    for (int64_t i = 0; i < scaled(200) && !testing::Test::HasFailure(); ++i) {
        blocking_program(ground, rng, ARMCI_ACC_INT, static_cast<int>(rng.between(0, nproc() - 1)),
                         1);
    }
    ground.check_by_owner("a program over all targets");
}

// A put that is usually alone between two fences travels in a way of its own. Here operations of
// all kinds follow it, and the source changes at once.
// promise: order.blocking
TEST(Consistency, OperationsBehindAPutThatIsUsuallyFencedAreInOrder) {
    constexpr int64_t kArea = 65536;
    Playground ground(kArea, kArea, ARMCI_ACC_INT);
    Rng rng = rank_rng();
    const int target = right();
    for (int64_t round = 0; round < scaled(100) && !testing::Test::HasFailure(); ++round) {
        const int64_t bytes = rng.between(1, rng.pick(std::vector<int64_t>{2, 500, 8000})) * 4;
        const auto put = [&] {
            Transfer transfer;
            transfer.verb = Verb::put;
            transfer.type = ARMCI_ACC_INT;
            transfer.shape = contiguous_shape(0, 0, bytes);
            ground.perform(transfer, target, Completion::blocking);
            ground.refill_local(rng);
        };
        for (int i = 0; i < 2; ++i) {
            put();
            ARMCI_Fence(target);
        }
        put();
        for (int64_t i = rng.between(0, 3); i > 0; --i) {
            const Verb verb = rng.pick(std::vector<Verb>{Verb::put, Verb::get, Verb::acc});
            const Transfer transfer = random_transfer(rng, verb, ground, ARMCI_ACC_INT, bytes);
            ground.perform(transfer, target, rng.pick(all_completions()));
            ground.refill_local(rng);
        }
        put();
        ground.check_by_get(target, 0, kArea, "round " + std::to_string(round));
    }
    ground.check_by_owner("puts that are usually fenced");
}

// Non-blocking operations are in order after they were waited for.
// promise: order.waited
TEST(Consistency, WaitedOperationsAreInOrder) {
    Playground ground(kConsistencyArea, kConsistencyArea, ARMCI_ACC_LNG);
    Rng rng = rank_rng();
    for (int64_t i = 0; i < scaled(200) && !testing::Test::HasFailure(); ++i) {
        const Verb verb = rng.pick(std::vector<Verb>{Verb::put, Verb::get, Verb::acc});
        const Transfer transfer =
            random_transfer(rng, verb, ground, ARMCI_ACC_LNG, kConsistencyArea / 2);
        const int target = static_cast<int>(rng.between(0, nproc() - 1));
        ground.perform(transfer, target, rng.pick(all_completions()));
        if (verb == Verb::get) {
            ground.refill_local(rng);
        }
    }
    ground.check_by_owner("waited operations");
}

// A put of a value, then a get of it, repeatedly on the same few bytes: the shortest possible race.
// promise: transfer.any-local-memory
TEST(Consistency, GetSeesThePutBeforeIt) {
    GlobalMemory memory(64 * nproc());
    for (int distance = 0; distance < nproc(); ++distance) {
        const int target = (me() + distance) % nproc();
        char* remote = memory.at(target, 64 * me());
        for (int64_t i = 0; i < scaled(400); ++i) {
            int64_t sent[3] = {i, ~i, i * i};
            int64_t received[3] = {-1, -1, -1};
            ARMCI_Put(sent, remote + 8, sizeof sent, target);
            ARMCI_Get(remote + 8, received, sizeof received, target);
            ASSERT_TRUE(expect_same_bytes(sent, received, sizeof sent,
                                          "put then get, round " + std::to_string(i)));
        }
    }
}

// Put, accumulate and get alternate, with sizes that are sent in different ways.
TEST(Consistency, PutAccumulateAndGetOfGrowingSizesAreInOrder) {
    constexpr int64_t kLargest = 400000;
    Playground ground(kLargest, kLargest, ARMCI_ACC_DBL);
    Rng rng = rank_rng();
    const int target = right();
    for (int64_t bytes = 8; bytes <= kLargest; bytes *= 5) {
        for (const Verb verb : {Verb::put, Verb::acc, Verb::put, Verb::acc, Verb::acc}) {
            Transfer transfer;
            transfer.verb = verb;
            transfer.type = ARMCI_ACC_DBL;
            transfer.scale = random_scale(element_type(ARMCI_ACC_DBL), rng);
            const int64_t length = rng.between(1, bytes / 8) * 8;
            transfer.shape = contiguous_shape(rng.between(0, (kLargest - length) / 8) * 8,
                                              rng.between(0, (bytes - length) / 8) * 8, length);
            ground.perform(transfer, target, Completion::blocking);
        }
        ground.check_by_get(target, 0, bytes, "put and accumulate up to " + std::to_string(bytes));
    }
    ground.check_by_owner("put, accumulate, get");
}

// A read-modify-write is in the order, too.
// promise: order.blocking
TEST(Consistency, RmwIsInOrderWithPutsAndGets) {
    GlobalMemory memory(64 * nproc());
    for (int distance = 0; distance < nproc(); ++distance) {
        const int target = (me() + distance) % nproc();
        auto* remote = reinterpret_cast<long*>(memory.at(target, 64 * me()));
        for (int64_t i = 0; i < scaled(100); ++i) {
            long start = 1000 * i;
            ARMCI_Put(&start, remote, sizeof start, target);
            long old = -1;
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, remote, 7, target);
            EXPECT_EQ(old, start);
            long now = -1;
            ARMCI_Get(remote, &now, sizeof now, target);
            ASSERT_EQ(now, start + 7);
            long one = 1;
            long added = 5;
            ARMCI_Acc(ARMCI_ACC_LNG, &one, &added, remote, sizeof added, target);
            long swapped = -3;
            ARMCI_Rmw(ARMCI_SWAP_LONG, &swapped, remote, 0, target);
            ASSERT_EQ(swapped, start + 12);
        }
    }
}

// A get that follows puts and accumulates waits for them even if they are large and it is small.
// promise: order.blocking
TEST(Consistency, SmallGetSeesTheLargePutBeforeIt) {
    constexpr int64_t kBytes = 1 << 20;
    Playground ground(kBytes, kBytes, ARMCI_ACC_INT);
    Rng rng = rank_rng();
    const int target = right();
    for (int64_t round = 0; round < scaled(8); ++round) {
        ground.refill_local(rng);
        Transfer large;
        large.verb = round % 2 == 0 ? Verb::put : Verb::acc;
        large.type = ARMCI_ACC_INT;
        large.scale = random_scale(element_type(ARMCI_ACC_INT), rng);
        large.shape = contiguous_shape(0, 0, kBytes);
        ground.perform(large, target, Completion::blocking);
        ground.check_by_get(target, kBytes - 8, 8, "last bytes after a large transfer");
        ground.check_by_get(target, 4 * rng.between(0, kBytes / 4 - 2), 8,
                            "some bytes after a large transfer");
    }
    ground.check_by_owner("large transfers");
}

}  // namespace
}  // namespace armci::mp
