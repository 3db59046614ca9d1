// SPDX-License-Identifier: BSD-3-Clause
// Vector (generalised I/O vector) put, get and accumulate.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "armci/armcix.h"
#include "support/check.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int64_t kVectorArea = 16 * 1024;

// promise: calls.return-zero, transfer.descriptors-read
TEST(Vector, RandomBlocks) {
    for (const int type : {kRawBytes, int{ARMCI_ACC_INT}, int{ARMCI_ACC_FLT}, int{ARMCI_ACC_DCP}}) {
        Playground ground(kVectorArea, kVectorArea, type);
        Rng rng = rank_rng(static_cast<uint64_t>(type + 1));
        const std::vector<Verb> verbs = type == kRawBytes ? std::vector<Verb>{Verb::put, Verb::get}
                                                          : std::vector<Verb>{Verb::acc};
        for (int64_t i = 0; i < scaled(60) && !testing::Test::HasFailure(); ++i) {
            Transfer transfer;
            transfer.verb = rng.pick(verbs);
            transfer.shape =
                random_vector(rng, room_for(transfer.verb, ground, type, kVectorArea / 2));
            if (transfer.verb == Verb::acc) {
                transfer.type = type;
                transfer.scale = random_scale(element_type(type), rng);
            }
            const int target = static_cast<int>(rng.between(0, nproc() - 1));
            ground.perform(transfer, target, rng.pick(all_completions()));
            if (transfer.verb != Verb::get) {
                ground.check_by_get(target, transfer.describe());
            }
        }
        ground.check_by_owner("random vector transfers");
    }
}

// Repeated and overlapping destination blocks of one accumulate are all added.
// promise: vector.acc-repeated
TEST(Vector, AccumulateAddsRepeatedBlocks) {
    for (const ElementType& type : element_types()) {
        Playground ground(64 * type.bytes, 512 * type.bytes, type.code);
        Rng rng = rank_rng(static_cast<uint64_t>(type.code));
        std::vector<Piece> blocks;
        for (int i = 0; i < 500; ++i) {
            blocks.push_back({i * type.bytes, type.bytes * rng.between(0, 7), type.bytes});
        }
        Transfer transfer;
        transfer.verb = Verb::acc;
        transfer.type = type.code;
        transfer.scale = random_scale(type, rng);
        transfer.shape = vector_shape(blocks);
        for (int target = 0; target < nproc(); ++target) {
            ground.perform(transfer, target, Completion::blocking);
            ground.perform(transfer, target, Completion::handle_wait);
            ground.check_by_get(target, std::string("repeated segments of ") + type.name);
        }
        ground.check_by_owner("repeated segments");
    }
}

// 10^5 scattered blocks of 8 bytes in one call, as in a scatter of Global Arrays.
TEST(Vector, HundredThousandBlocks) {
    const int64_t segments = scaled(100000);
    constexpr int64_t kSegmentBytes = 8;
    Playground ground(2 * segments * kSegmentBytes, segments * kSegmentBytes, ARMCI_ACC_DBL);
    Rng rng = rank_rng();
    std::vector<int64_t> places(static_cast<size_t>(2 * segments));
    for (size_t i = 0; i < places.size(); ++i) {
        places[i] = static_cast<int64_t>(i) * kSegmentBytes;
    }
    rng.shuffle(places);
    std::vector<Piece> blocks;
    for (int64_t i = 0; i < segments; ++i) {
        blocks.push_back({i * kSegmentBytes, places[static_cast<size_t>(i)], kSegmentBytes});
    }
    const int target = right();
    for (const Verb verb : {Verb::put, Verb::acc, Verb::get}) {
        Transfer transfer;
        transfer.verb = verb;
        transfer.type = ARMCI_ACC_DBL;
        transfer.scale = random_scale(element_type(ARMCI_ACC_DBL), rng);
        transfer.shape = vector_shape(blocks);
        ground.refill_local(rng);
        ground.perform(transfer, target, rng.pick(all_completions()));
        ground.check_by_get(target, transfer.describe());
    }
    ground.check_by_owner("many segments");
}

// One call may name blocks in several allocations of the target.
// promise: vector.several-allocations
TEST(Vector, BlocksInDifferentAllocations) {
    constexpr int kAllocations = 5;
    constexpr int64_t kBytes = 1000;
    std::vector<std::unique_ptr<GlobalMemory>> memories;
    for (int i = 0; i < kAllocations; ++i) {
        memories.push_back(std::make_unique<GlobalMemory>(kBytes));
        std::fill_n(memories.back()->mine(), kBytes, static_cast<char>(i));
    }
    ARMCI_Barrier();
    const int target = right();
    constexpr int kSegmentBytes = 37;
    std::vector<char> source(kAllocations * kSegmentBytes * 2);
    Rng rng = rank_rng();
    for (char& byte : source) {
        byte = static_cast<char>(rng.bits());
    }
    std::vector<void*> local;
    std::vector<void*> remote;
    for (int i = 0; i < 2 * kAllocations; ++i) {
        local.push_back(source.data() + i * kSegmentBytes);
        remote.push_back(memories[static_cast<size_t>(i % kAllocations)]->at(
            target, 100 + 300 * (i / kAllocations)));
    }
    armci_giov_t put{};
    put.src_ptr_array = local.data();
    put.dst_ptr_array = remote.data();
    put.bytes = kSegmentBytes;
    put.ptr_array_len = 2 * kAllocations;
    EXPECT_EQ(ARMCI_PutV(&put, 1, target), 0);

    std::vector<char> readback(source.size());
    for (int i = 0; i < 2 * kAllocations; ++i) {
        local[static_cast<size_t>(i)] = readback.data() + i * kSegmentBytes;
    }
    armci_giov_t get{};
    get.src_ptr_array = remote.data();
    get.dst_ptr_array = local.data();
    get.bytes = kSegmentBytes;
    get.ptr_array_len = 2 * kAllocations;
    EXPECT_EQ(ARMCI_GetV(&get, 1, target), 0);
    expect_same_bytes(source.data(), readback.data(), static_cast<int64_t>(source.size()),
                      "segments in different allocations");

    // The owner finds exactly these blocks changed.
    const int origin = left();
    std::vector<char> sent_to_me(source.size());
    ARMCI_Fence(target);
    exchange(source.data(), target, sent_to_me.data(), origin, static_cast<int64_t>(source.size()));
    for (int i = 0; i < kAllocations; ++i) {
        std::vector<char> expected(kBytes, static_cast<char>(i));
        for (int half = 0; half < 2; ++half) {
            std::copy_n(sent_to_me.data() + (i + half * kAllocations) * kSegmentBytes,
                        kSegmentBytes, expected.data() + 100 + 300 * half);
        }
        expect_same_bytes(expected.data(), memories[static_cast<size_t>(i)]->mine(), kBytes,
                          "allocation " + std::to_string(i));
    }
    sync();
    while (!memories.empty()) {
        memories.pop_back();
    }
}

// Nothing to do: no pointer is read.
// promise: transfer.nothing
TEST(Vector, EmptyDescriptorsChangeNothing) {
    Playground ground(256, 256, kRawBytes);
    Scale scale = unit_scale(element_type(ARMCI_ACC_INT));
    void* segment = ground.local();
    const std::vector<armci_giov_t> empty = {
        {nullptr, nullptr, 8, 0}, {nullptr, nullptr, 0, 0}, {&segment, &segment, 0, 1}};
    for (int target = 0; target < nproc(); ++target) {
        for (armci_giov_t descriptor : empty) {
            EXPECT_EQ(ARMCI_PutV(&descriptor, 1, target), 0);
            EXPECT_EQ(ARMCI_GetV(&descriptor, 1, target), 0);
            EXPECT_EQ(ARMCI_AccV(ARMCI_ACC_INT, scale.data(), &descriptor, 1, target), 0);
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            EXPECT_EQ(ARMCI_NbPutV(&descriptor, 1, target, &handle), 0);
            EXPECT_EQ(ARMCI_Wait(&handle), 0);
            EXPECT_EQ(ARMCI_NbGetV(&descriptor, 1, target, nullptr), 0);
        }
        EXPECT_EQ(ARMCI_PutV(nullptr, 0, target), 0);
        EXPECT_EQ(ARMCI_GetV(nullptr, 0, target), 0);
        EXPECT_EQ(ARMCI_AccV(ARMCI_ACC_INT, scale.data(), nullptr, 0, target), 0);
    }
    EXPECT_EQ(ARMCI_WaitAll(), 0);
    ground.check_by_owner("empty vector transfers");
}

unsigned long long operations_done() {
    armcix_stats_t stats;
    EXPECT_EQ(ARMCIX_Stats(&stats, sizeof stats), 0);
    unsigned long long all = 0;
    for (int route = 0; route < 3; ++route) {
        all +=
            stats.put[route].operations + stats.get[route].operations + stats.acc[route].operations;
    }
    return all;
}

// Each one alone would take a round trip.
// promise: stats.vector-lengths
TEST(Vector, DescriptorsOfOneLengthShareAFrame) {
    constexpr int kDescriptors = 200;
    constexpr int kBytes[] = {8, 24};
    constexpr int64_t kSlot = 32;
    GlobalMemory memory(kDescriptors * kSlot);
    const int target = right();
    std::vector<char> source(kDescriptors * kSlot);
    std::vector<char> readback(source.size());
    std::vector<char> expected(source.size());
    Rng rng = rank_rng();
    for (char& byte : source) {
        byte = static_cast<char>(rng.bits());
    }
    std::vector<void*> from(kDescriptors);
    std::vector<void*> remote(kDescriptors);
    std::vector<void*> back(kDescriptors);
    std::vector<armci_giov_t> put(kDescriptors);
    std::vector<armci_giov_t> get(kDescriptors);
    for (size_t i = 0; i < kDescriptors; ++i) {
        const int64_t offset = static_cast<int64_t>(i) * kSlot;
        const int bytes = kBytes[i % 2];
        std::copy_n(source.data() + offset, bytes, expected.data() + offset);
        from[i] = source.data() + offset;
        remote[i] = memory.at(target, static_cast<int64_t>(kDescriptors - 1 - i) * kSlot);
        back[i] = readback.data() + offset;
        put[i] = {&from[i], &remote[i], bytes, 1};
        get[i] = {&remote[i], &back[i], bytes, 1};
    }
    sync();
    const unsigned long long before = operations_done();
    EXPECT_EQ(ARMCI_PutV(put.data(), kDescriptors, target), 0);
    EXPECT_EQ(operations_done() - before, 2U);
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    EXPECT_EQ(ARMCI_NbGetV(get.data(), kDescriptors, target, &handle), 0);
    EXPECT_EQ(ARMCI_Wait(&handle), 0);
    EXPECT_EQ(operations_done() - before, 4U);
    expect_same_bytes(expected.data(), readback.data(), static_cast<int64_t>(expected.size()),
                      "joined descriptors");
    sync();
}

// An empty descriptor between others does not hide them.
TEST(Vector, EmptyDescriptorsHideNoOthers) {
    Playground ground(256, 256, kRawBytes);
    Transfer transfer;
    transfer.verb = Verb::put;
    transfer.shape.form = Form::vector;
    transfer.shape.blocks = {{0, 64, 10}, {16, 0, 10}, {32, 128, 31}};
    transfer.shape.first = {0, 0, 2, 2, 3, 3};
    const int target = right();
    ground.perform(transfer, target, Completion::blocking);
    ground.check_by_get(target, "empty descriptors among others");
    ground.check_by_owner("empty descriptors among others");
}

}  // namespace
}  // namespace armci::mp
