// SPDX-License-Identifier: BSD-3-Clause
// Strided put, get and accumulate with 0 to 8 levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "armci/armcix.h"
#include "support/global_memory.h"
#include "support/playground.h"

namespace armci::mp {
namespace {

constexpr int64_t kStridedArea = 24 * 1024;

Transfer make(Verb verb, const Shape& shape) {
    Transfer transfer;
    transfer.verb = verb;
    transfer.shape = shape;
    transfer.type = ARMCI_ACC_INT;
    transfer.scale = unit_scale(element_type(ARMCI_ACC_INT));
    return transfer;
}

void random_strided_transfers(Playground& ground, int type, const std::vector<Verb>& verbs,
                              int64_t count, uint64_t stream) {
    Rng rng = rank_rng(stream);
    for (int64_t i = 0; i < count && !testing::Test::HasFailure(); ++i) {
        Transfer transfer;
        transfer.verb = rng.pick(verbs);
        transfer.shape =
            random_strided(rng, room_for(transfer.verb, ground, type, kStridedArea / 2));
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
}

// promise: strided.shape, strided.eight-levels, transfer.descriptors-read, calls.return-zero
TEST(Strided, RandomPutsAndGets) {
    Playground ground(kStridedArea, kStridedArea, kRawBytes);
    random_strided_transfers(ground, kRawBytes, {Verb::put, Verb::get}, scaled(300), 0);
    ground.check_by_owner("random strided puts");
}

TEST(Strided, RandomAccumulatesOfEveryType) {
    for (const ElementType& type : element_types()) {
        Playground ground(kStridedArea, kStridedArea, type.code);
        random_strided_transfers(ground, type.code, {Verb::acc}, scaled(50),
                                 static_cast<uint64_t>(type.code));
        ground.check_by_owner(std::string("random strided accumulates of ") + type.name);
    }
}

TEST(Strided, LocalBufferMayBeInOwnSlice) {
    Playground ground(kStridedArea, kStridedArea, ARMCI_ACC_LNG, LocalMemory::own_global);
    random_strided_transfers(ground, ARMCI_ACC_LNG, {Verb::put, Verb::get, Verb::acc}, scaled(60),
                             0);
    ground.check_by_owner("strided transfers from the own slice");
}

// Shapes that broke other implementations, each in both directions and as accumulate.
// promise: strided.eight-levels, strided.no-levels, strided.any-strides
TEST(Strided, ChosenShapes) {
    const std::vector<int> none;
    const std::vector<Shape> shapes = {
        // no levels, without stride arrays
        strided_shape(4, none, 8, none, {100}),
        // one column, single elements
        strided_shape(0, {4}, 40, {400}, {4, 50}),
        // rows of a matrix patch
        strided_shape(0, {120}, 444, {440}, {120, 40}),
        // contiguous on both sides, in two levels that collapse into one block
        strided_shape(0, {64, 640}, 128, {64, 640}, {64, 10, 5}),
        // contiguous on one side only
        strided_shape(0, {64, 640}, 128, {72, 760}, {64, 10, 5}),
        // strides that are no multiples of each other (every second element of a 7-wide array)
        strided_shape(0, {8, 28, 236}, 0, {8, 28, 236}, {4, 3, 8, 9}),
        // outer stride smaller than inner stride
        strided_shape(0, {1024, 32}, 0, {32, 512}, {32, 8, 16}),
        // trailing, leading and inner levels of count 1, with absurd strides
        strided_shape(0, {64, 1 << 30, -(1 << 30)}, 0, {128, -(1 << 30), 1 << 30}, {64, 20, 1, 1}),
        strided_shape(0, {1 << 30, 64}, 0, {-(1 << 30), 96}, {64, 1, 20}),
        strided_shape(0, {8, 1 << 30, 80}, 0, {12, 7, 160}, {8, 10, 1, 5}),
        // backwards on the local side, on the remote side, on both
        strided_shape(2000, {-40}, 0, {40}, {40, 50}),
        strided_shape(0, {40}, 2000, {-40}, {40, 50}),
        strided_shape(2000, {-40}, 3000, {-60}, {40, 50}),
        strided_shape(396, {-4, 400}, 0, {4, 400}, {4, 100, 3}),
        // a transposed block
        strided_shape(0, {4, 400}, 0, {400, 4}, {4, 50, 10}),
        // eight levels
        strided_shape(0, {8, 16, 32, 64, 128, 256, 512, 1024}, 0,
                      {12, 24, 48, 100, 200, 500, 1004, 3000}, {4, 2, 2, 2, 2, 2, 2, 2, 2}),
        // long rows with a small gap: several chunks
        strided_shape(0, {4100}, 0, {4104}, {4096, 5}),
    };
    Playground ground(kStridedArea, kStridedArea, ARMCI_ACC_INT);
    for (size_t i = 0; i < shapes.size(); ++i) {
        for (int target = 0; target < nproc(); ++target) {
            for (const Verb verb : {Verb::put, Verb::acc, Verb::get}) {
                const auto& completions = all_completions();
                ground.perform(make(verb, shapes[i]), target,
                               completions[(i + static_cast<size_t>(target)) % completions.size()]);
                if (verb != Verb::get) {
                    ground.check_by_get(target,
                                        "shape " + std::to_string(i) + ", " + name_of(verb));
                }
            }
        }
    }
    ground.check_by_owner("chosen shapes");
}

// Without levels there are no strides, so both arrays may be NULL: like contiguous calls, in every
// way of completing, and at unaligned addresses.
TEST(Strided, NoLevelsIsContiguous) {
    const std::vector<int> none;
    Playground bytes(kStridedArea, kStridedArea, kRawBytes);
    Playground words(kStridedArea, kStridedArea, ARMCI_ACC_INT);
    for (const int count : {1, 3, 4, 8, 12, 100, 1023, 1024, 1028, 10000}) {
        for (int target = 0; target < nproc(); ++target) {
            for (const Completion completion : all_completions()) {
                for (const Verb verb : {Verb::put, Verb::get, Verb::acc}) {
                    const bool is_acc = verb == Verb::acc;
                    if (is_acc && count % static_cast<int>(sizeof(int)) != 0) {
                        continue;
                    }
                    Playground& ground = is_acc ? words : bytes;
                    const int place = is_acc ? 12 : 13;
                    ground.perform(make(verb, strided_shape(place, none, 3 * place, none, {count})),
                                   target, completion);
                    if (verb != Verb::get) {
                        ground.check_by_get(target, std::string(name_of(verb)) + " of " +
                                                        std::to_string(count) + " bytes, " +
                                                        name_of(completion));
                    }
                }
            }
        }
    }
    bytes.check_by_owner("puts without levels");
    words.check_by_owner("accumulates without levels");
}

// Around the limits of the fast path: blocks at any distance without overlap, including dense ones.
// The gaps between them do not change.
TEST(Strided, SmallPatchesLeaveGapsUnchanged) {
    constexpr int kBytes = 16 << 10;
    GlobalMemory memory(kBytes);
    for (const int target : {me(), right()}) {
        std::memset(memory.mine(), 0, kBytes);
        sync();
        std::vector<int> expected(kBytes / sizeof(int), 0);
        int value = 0;
        for (const int bytes : {4, 8, 12, 128, 260, 1020, 1024, 1028}) {
            for (int blocks = 1; blocks <= 10; ++blocks) {
                for (const int gap : {0, 4, 100}) {
                    SCOPED_TRACE(std::to_string(blocks) + " blocks of " + std::to_string(bytes));
                    int count[] = {bytes, blocks};
                    int local_stride[] = {bytes + 20};
                    int remote_stride[] = {bytes + gap};
                    const int words = bytes / static_cast<int>(sizeof(int));
                    const auto local_words =
                        static_cast<size_t>(blocks) * static_cast<size_t>(words + 5);
                    std::vector<int> local(local_words);
                    std::iota(local.begin(), local.end(), ++value);
                    char* remote = memory.at(target, 64);
                    int factor = 3;
                    ARMCI_PutS(local.data(), local_stride, remote, remote_stride, count, 1, target);
                    ARMCI_AccS(ARMCI_ACC_INT, &factor, local.data(), local_stride, remote,
                               remote_stride, count, 1, target);
                    for (int block = 0; block < blocks; ++block) {
                        for (int i = 0; i < words; ++i) {
                            const int there = 16 + block * remote_stride[0] / 4 + i;
                            expected[static_cast<size_t>(there)] =
                                4 * local[static_cast<size_t>(block * (words + 5) + i)];
                        }
                    }
                    std::vector<int> found(local_words, -1);
                    ARMCI_GetS(remote, remote_stride, found.data(), local_stride, count, 1, target);
                    for (size_t i = 0; i < local_words; ++i) {
                        const bool is_gap =
                            i % static_cast<size_t>(words + 5) >= static_cast<size_t>(words);
                        ASSERT_EQ(found[i], is_gap ? -1 : 4 * local[i]) << "local word " << i;
                    }
                    std::vector<int> all(expected.size());
                    ARMCI_Get(memory.at(target), all.data(), kBytes, target);
                    ASSERT_EQ(all, expected);
                }
            }
        }
        sync();
    }
}

// With a count of 0 at any level nothing happens, whatever the addresses are.
// promise: transfer.nothing
TEST(Strided, ZeroCountsChangeNothing) {
    Playground ground(kStridedArea, kStridedArea, ARMCI_ACC_INT);
    for (const std::vector<int>& count : {std::vector<int>{0, 10, 5}, std::vector<int>{64, 0, 5},
                                          std::vector<int>{64, 10, 0}, std::vector<int>{0}}) {
        const std::vector<int> stride(count.size() - 1, 1 << 20);
        const Shape shape = strided_shape(0, stride, int64_t{1} << 40, stride, count);
        for (int target = 0; target < nproc(); ++target) {
            for (const Verb verb : {Verb::put, Verb::acc, Verb::get}) {
                for (const Completion completion : all_completions()) {
                    ground.perform(make(verb, shape), target, completion);
                }
            }
        }
    }
    ground.check_by_owner("transfers of nothing");
}

// When there is nothing to transfer, no other argument is read.
// promise: transfer.nothing
TEST(Strided, NullPointersAreIgnoredForZeroCounts) {
    int count[2] = {8, 0};
    EXPECT_EQ(ARMCI_PutS(nullptr, nullptr, nullptr, nullptr, count, 1, -1), 0);
    EXPECT_EQ(ARMCI_GetS(nullptr, nullptr, nullptr, nullptr, count, 1, -1), 0);
    EXPECT_EQ(ARMCI_AccS(ARMCI_ACC_DBL, nullptr, nullptr, nullptr, nullptr, nullptr, count, 1, -1),
              0);
    EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_DBL, nullptr, nullptr, nullptr, 0, -1), 0);
    EXPECT_EQ(ARMCI_AccV(ARMCI_ACC_DBL, nullptr, nullptr, 0, -1), 0);
}

// The source of a put or accumulate may be read several times.
// promise: strided.any-strides
TEST(Strided, SourceMayOverlapItself) {
    Playground ground(kStridedArea, kStridedArea, ARMCI_ACC_INT);
    for (const int stride : {0, 4, -4, 12}) {
        const int64_t start = stride < 0 ? 400 : 0;
        const Shape shape = strided_shape(start, {stride}, 100, {40}, {40, 100});
        for (const Verb verb : {Verb::put, Verb::acc}) {
            const int target = right();
            ground.perform(make(verb, shape), target, Completion::blocking);
            ground.check_by_get(target, "source stride " + std::to_string(stride));
        }
    }
    ground.check_by_owner("overlapping sources");
}

// All repetitions are added when the destination of one accumulate overlaps itself.
// promise: strided.acc-onto-itself
TEST(Strided, SelfOverlappingAccumulateAddsAllBlocks) {
    Playground ground(kStridedArea, kStridedArea, ARMCI_ACC_INT);
    for (const int stride : {0, 4, -8}) {
        const int64_t start = stride < 0 ? 2000 : 0;
        const Shape shape = strided_shape(0, {48}, start, {stride}, {48, 200});
        for (int target = 0; target < nproc(); ++target) {
            ground.perform(make(Verb::acc, shape), target, Completion::blocking);
            ground.check_by_get(target, "destination stride " + std::to_string(stride));
        }
    }
    ground.check_by_owner("overlapping destinations");
}

// As many levels as the library supports, none contiguous with the one below.
// promise: strided.sixteen-levels
TEST(Strided, SixteenLevels) {
    const std::string provider = ARMCIX_Provider();
    if (provider == "shm" || provider == "sockets") {
        GTEST_SKIP() << "its 65536 writes by RMA take half a minute with this provider";
    }
    constexpr int kLevels = 16;
    std::vector<int> count = {4};
    std::vector<int> local_stride;
    std::vector<int> remote_stride;
    int local_step = 4;
    int remote_step = 8;
    for (int level = 0; level < kLevels; ++level) {
        count.push_back(2);
        local_stride.push_back(local_step);
        remote_stride.push_back(remote_step);
        local_step = 2 * local_step;
        remote_step = 2 * remote_step + 4;
    }
    const Shape shape = strided_shape(0, local_stride, 0, remote_stride, count);
    Playground ground(remote_step, local_step, ARMCI_ACC_INT);
    for (const Verb verb : {Verb::put, Verb::acc, Verb::get}) {
        ground.perform(make(verb, shape), right(), Completion::blocking);
        if (verb != Verb::get) {
            ground.check_by_get(right(), std::string("16 levels, ") + name_of(verb));
        }
    }
    ground.check_by_owner("16 levels");
}

// A patch as in Global Arrays: hundreds of rows, a few megabytes.
TEST(Strided, LargePatch) {
    constexpr int kRowBytes = 700 * 8;
    constexpr int kWidthBytes = 1000 * 8;
    constexpr int kRows = 350;
    Playground ground(int64_t{kWidthBytes} * kRows, int64_t{kWidthBytes} * kRows, ARMCI_ACC_DBL);
    Rng rng = rank_rng();
    for (const Verb verb : {Verb::put, Verb::acc, Verb::get}) {
        Transfer transfer;
        transfer.verb = verb;
        transfer.type = ARMCI_ACC_DBL;
        transfer.scale = random_scale(element_type(ARMCI_ACC_DBL), rng);
        transfer.shape = strided_shape(64, {kRowBytes}, 800, {kWidthBytes}, {kRowBytes, kRows});
        const int target = right();
        ground.perform(transfer, target, Completion::blocking);
        transfer.shape = strided_shape(72, {kRowBytes + 8}, 800, {kWidthBytes}, {kRowBytes, kRows});
        ground.perform(transfer, target, Completion::handle_wait);
        ground.check_by_get(target, transfer.describe());
    }
    ground.check_by_owner("large patches");
}

}  // namespace
}  // namespace armci::mp
