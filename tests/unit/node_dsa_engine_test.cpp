// SPDX-License-Identifier: BSD-3-Clause
// The copy engine that uses a DSA work queue, on the software twin: everything that it shares with
// a device.
#include "node/dsa/engine.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "node/dsa/software_queue.h"

namespace armci::node::dsa::test {
namespace {

constexpr uint32_t kPage = 4096;

struct Rig {
    explicit Rig(const SoftwareOptions& options, int64_t min_block_bytes = 1) {
        auto twin = std::make_unique<SoftwareQueue>(options);
        queue = twin.get();
        engine = std::make_unique<Engine>(std::move(twin), min_block_bytes);
    }
    // The twin works in the destructor, too, where nobody else can let it.
    ~Rig() { finish(UINT64_MAX); }
    void finish(uint64_t count) const {
        while (engine->completed() < count && queue->execute_one()) {
        }
    }

    SoftwareQueue* queue;
    std::unique_ptr<Engine> engine;
};

CopyRequest contiguous(const std::vector<char>& from, std::vector<char>& to) {
    CopyRequest request;
    request.layout = strided::contiguous_pair(static_cast<int64_t>(from.size()));
    request.local = const_cast<char*>(from.data());
    request.remote = to.data();
    return request;
}

CopyRequest strided_request(char* local, char* remote, const std::vector<int>& count,
                            const std::vector<int>& local_stride,
                            const std::vector<int>& remote_stride,
                            strided::Direction direction = strided::Direction::to_remote) {
    CopyRequest request;
    EXPECT_EQ(strided::make_pair(local_stride.data(), remote_stride.data(), count.data(),
                                 static_cast<int>(local_stride.size()), &request.layout),
              strided::LayoutStatus::ok);
    request.local = local;
    request.remote = remote;
    request.direction = direction;
    return request;
}

std::vector<char> noise(size_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<char> data(bytes);
    std::generate(data.begin(), data.end(), [&] { return static_cast<char>(random()); });
    return data;
}

TEST(DsaEngine, CutsLongBlocksAtTheLimitOfTheQueue) {
    SoftwareOptions options;
    options.limits.transfer_bytes = 300'000;  // more than a batch holds
    const Rig rig(options);
    const std::vector<char> from = noise(1'000'001, 1);
    std::vector<char> to(from.size());
    const CopyRequest request = contiguous(from, to);
    ASSERT_EQ(rig.engine->submit(&request, 1), 1);
    EXPECT_EQ(rig.engine->completed(), 0U);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(rig.queue->execute_one());
        EXPECT_EQ(rig.engine->completed(), 0U);
    }
    ASSERT_TRUE(rig.queue->execute_one());
    EXPECT_EQ(rig.engine->completed(), 1U);
    EXPECT_EQ(to, from);
    EXPECT_EQ(rig.queue->batches(), 0U);
}

TEST(DsaEngine, PutsShortBlocksTogetherInBatches) {
    SoftwareOptions options;
    options.limits.batch_descriptors = 16;
    const Rig rig(options);
    std::vector<char> from = noise(100 * 200, 2);
    std::vector<char> to(from.size());
    const CopyRequest request = strided_request(from.data(), to.data(), {150, 100}, {200}, {200});
    ASSERT_EQ(rig.engine->submit(&request, 1), 1);
    rig.finish(1);
    EXPECT_EQ(rig.engine->completed(), 1U);
    EXPECT_EQ(rig.queue->batches(), 7U);  // 6 of 16 and one of 4
    EXPECT_EQ(rig.queue->lost(), 0U);
    for (size_t i = 0; i < to.size(); ++i) {
        ASSERT_EQ(to[i], i % 200 < 150 ? from[i] : 0) << i;
    }
}

// Strided copies in both directions, in any order of the device, with many faults.
TEST(DsaEngine, CopiesAnyLayoutThroughFaultsInAnyOrder) {
    for (const bool is_shared : {true, false}) {
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            std::mt19937 random(static_cast<unsigned>(seed));
            const auto draw = [&](int from, int to) {
                return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
            };
            SoftwareOptions options;
            options.limits = {.is_shared = is_shared,
                              .descriptors = draw(1, 5),
                              .transfer_bytes = static_cast<uint32_t>(draw(100, 20'000)),
                              .batch_descriptors = draw(1, 9)};
            options.order_seed = seed;
            options.fault_every = static_cast<uint32_t>(draw(2, 6));
            const Rig rig(options);
            const std::vector<int> count = {draw(1, 9000), draw(1, 12), draw(1, 4)};
            const auto strides = [&] {
                const int inner = count[0] + draw(0, 500);
                return std::vector<int>{inner, inner * count[1] + draw(0, 500)};
            };
            const std::vector<int> local_stride = strides();
            const std::vector<int> remote_stride = strides();
            std::vector<char> local =
                noise(static_cast<size_t>(local_stride[1]) * static_cast<size_t>(count[2]), 3);
            std::vector<char> remote =
                noise(static_cast<size_t>(remote_stride[1]) * static_cast<size_t>(count[2]), 4);
            const auto direction =
                draw(0, 1) == 0 ? strided::Direction::to_remote : strided::Direction::to_local;
            std::vector<char> local_expected = local;
            std::vector<char> remote_expected = remote;
            const CopyRequest expected =
                strided_request(local_expected.data(), remote_expected.data(), count, local_stride,
                                remote_stride, direction);
            strided::copy(expected.layout, expected.local, expected.remote, direction);
            const CopyRequest request = strided_request(local.data(), remote.data(), count,
                                                        local_stride, remote_stride, direction);
            ASSERT_EQ(rig.engine->submit(&request, 1), 1);
            rig.finish(1);
            ASSERT_EQ(rig.engine->completed(), 1U) << seed;
            ASSERT_EQ(local, local_expected) << seed;
            ASSERT_EQ(remote, remote_expected) << seed;
            ASSERT_EQ(rig.queue->lost(), 0U) << seed;
        }
    }
}

// The device would copy them in any order.
TEST(DsaEngine, RequestsThatTouchTheSameMemoryKeepTheirOrder) {
    SoftwareOptions options;
    options.order_seed = 5;
    options.fault_every = 3;
    options.limits.transfer_bytes = 1000;
    const Rig rig(options);
    constexpr size_t kSteps = 40;
    std::vector<std::vector<char>> stages(kSteps + 1, std::vector<char>(10'000, 'o'));
    std::fill(stages[0].begin(), stages[0].end(), 'n');
    std::vector<CopyRequest> requests;
    for (size_t i = 0; i < kSteps; ++i) {
        requests.push_back(contiguous(stages[i], stages[i + 1]));  // reads what was written
    }
    ASSERT_EQ(rig.engine->submit(requests.data(), kSteps), static_cast<int>(kSteps));
    rig.finish(kSteps);
    EXPECT_EQ(rig.engine->completed(), kSteps);
    EXPECT_EQ(stages[kSteps], stages[0]);

    // Writes again what was written, and writes what was read.
    const std::vector<char> a(10'000, 'a');
    const std::vector<char> b(10'000, 'b');
    std::vector<char> to(10'000);
    std::vector<char> copy(10'000);
    const CopyRequest three[] = {contiguous(a, to), contiguous(to, copy), contiguous(b, to)};
    ASSERT_EQ(rig.engine->submit(three, 3), 3);
    rig.finish(kSteps + 3);
    EXPECT_EQ(to, b);
    EXPECT_EQ(copy, a);
}

TEST(DsaEngine, IndependentRequestsAreUnderWayTogether) {
    const Rig rig({});
    const std::vector<char> from = noise(1000, 6);
    std::vector<std::vector<char>> to(3, std::vector<char>(1000));
    for (std::vector<char>& one : to) {
        const CopyRequest request = contiguous(from, one);
        ASSERT_EQ(rig.engine->submit(&request, 1), 1);
    }
    while (rig.queue->execute_one()) {  // without a look at the engine in between
    }
    EXPECT_EQ(rig.engine->completed(), 3U);
    EXPECT_EQ(to[2], from);
}

TEST(DsaEngine, CompletedCountsTheFirstRequests) {
    SoftwareOptions options;
    options.order_seed = 3;
    const Rig rig(options);
    const std::vector<char> from = noise(1000, 7);
    std::vector<std::vector<char>> to(8, std::vector<char>(1000));
    std::vector<CopyRequest> requests;
    for (std::vector<char>& one : to) {
        requests.push_back(contiguous(from, one));
    }
    ASSERT_EQ(rig.engine->submit(requests.data(), 8), 8);
    for (int i = 0; i < 8; ++i) {
        ASSERT_TRUE(rig.queue->execute_one());
        const uint64_t completed = rig.engine->completed();
        for (uint64_t k = 0; k < completed; ++k) {
            ASSERT_EQ(to[k], from) << i;
        }
    }
    EXPECT_EQ(rig.engine->completed(), 8U);
}

TEST(DsaEngine, LeavesToTheCallerWhatADeviceCannotDo) {
    const Rig rig({}, 100);
    std::vector<char> from = noise(8000, 8);
    std::vector<char> to(8000);
    const auto takes = [&](const CopyRequest& request) {
        return rig.engine->submit(&request, 1) == 1;
    };
    StripedLocks locks;
    CopyRequest sum = contiguous(from, to);
    sum.stripes = &locks;
    EXPECT_FALSE(takes(sum));
    EXPECT_FALSE(takes(strided_request(from.data(), to.data(), {99, 4}, {200}, {200})));
    // Blocks overlap in the destination: the last one must win.
    EXPECT_FALSE(takes(strided_request(from.data(), to.data(), {200, 4}, {200}, {100})));
    EXPECT_FALSE(
        takes(strided_request(from.data(), to.data(), {100, 4, 2}, {100, 800}, {200, 300})));
    EXPECT_FALSE(takes(strided_request(from.data(), from.data() + 50, {100}, {}, {})));
    // They may overlap in the source, and go backwards.
    EXPECT_TRUE(takes(strided_request(from.data(), to.data(), {200, 4}, {100}, {200})));
    EXPECT_TRUE(
        takes(strided_request(from.data() + 900, to.data() + 900, {100, 4}, {-200}, {-300})));
    rig.finish(2);
    EXPECT_EQ(rig.engine->completed(), 2U);
    EXPECT_EQ(std::memcmp(to.data() + 600, from.data() + 700, 100), 0);
}

TEST(DsaEngine, TakesNoMoreThanItHasRoomFor) {
    SoftwareOptions options;
    options.limits = {.is_shared = false, .descriptors = 2};
    const Rig rig(options);
    const std::vector<char> from = noise(1000, 9);
    std::vector<std::vector<char>> to(200, std::vector<char>(1000));
    std::vector<CopyRequest> requests;
    for (std::vector<char>& one : to) {
        requests.push_back(contiguous(from, one));
    }
    const int taken = rig.engine->submit(requests.data(), 200);
    EXPECT_GT(taken, 2);
    EXPECT_LT(taken, 200);
    EXPECT_EQ(rig.engine->submit(requests.data() + taken, 1), 0);
    rig.finish(static_cast<uint64_t>(taken));
    EXPECT_EQ(rig.engine->completed(), static_cast<uint64_t>(taken));
    EXPECT_EQ(rig.queue->lost(), 0U);
    EXPECT_EQ(to[static_cast<size_t>(taken) - 1], from);
    EXPECT_EQ(rig.engine->submit(requests.data() + taken, 1), 1);
    rig.finish(static_cast<uint64_t>(taken) + 1);
}

// Other programs fill a shared queue.
TEST(DsaEngine, TriesAgainWhenASharedQueueIsFull) {
    SoftwareOptions options;
    options.limits.descriptors = 1;
    const Rig rig(options);
    std::vector<char> elsewhere(16);
    CompletionRecord record;
    Descriptor other;
    other.flags_and_opcode = flags_and_opcode(Opcode::memmove, kFlagRecordValid);
    other.record = reinterpret_cast<uint64_t>(&record);
    other.source = reinterpret_cast<uint64_t>(elsewhere.data());
    other.destination = other.source + 8;
    other.length = 8;
    ASSERT_TRUE(rig.queue->submit(other));
    const std::vector<char> from = noise(1000, 10);
    std::vector<char> to(1000);
    const CopyRequest request = contiguous(from, to);
    ASSERT_EQ(rig.engine->submit(&request, 1), 1);
    EXPECT_EQ(rig.engine->completed(), 0U);
    ASSERT_TRUE(rig.queue->execute_one());
    EXPECT_FALSE(rig.queue->execute_one());  // the engine has not tried again yet
    EXPECT_EQ(rig.engine->completed(), 0U);
    ASSERT_TRUE(rig.queue->execute_one());
    EXPECT_EQ(rig.engine->completed(), 1U);
    EXPECT_EQ(to, from);
}

TEST(DsaEngine, ResumesWhereAPageWasMissing) {
    SoftwareOptions options;
    options.fault_every = 2;
    const Rig rig(options);
    const std::vector<char> from = noise(3 * kPage, 11);
    std::vector<char> to(from.size());
    const CopyRequest two[] = {contiguous(std::vector<char>(), to), contiguous(from, to)};
    ASSERT_EQ(rig.engine->submit(two, 1), 0);  // it is empty
    ASSERT_EQ(rig.engine->submit(two + 1, 1), 1);
    rig.finish(1);
    ASSERT_EQ(rig.engine->submit(two + 1, 1), 1);
    rig.finish(2);
    EXPECT_EQ(rig.queue->faults(), 1U);
    EXPECT_EQ(rig.engine->copied_by_processor(), 0U);
    EXPECT_EQ(to, from);
}

TEST(DsaEngine, ProcessorCopiesWhatNeverGetsOn) {
    SoftwareOptions options;
    options.fault_every = 1;  // also when the page is there
    const Rig rig(options);
    struct alignas(kPage) Page {
        char data[kPage];
    };
    const auto pages = std::make_unique<Page[]>(2);
    std::fill_n(pages[0].data, kPage, 'p');
    CopyRequest request;
    request.layout = strided::contiguous_pair(1000);
    request.local = pages[0].data;
    request.remote = pages[1].data;
    ASSERT_EQ(rig.engine->submit(&request, 1), 1);
    rig.finish(1);
    EXPECT_EQ(rig.engine->completed(), 1U);
    EXPECT_EQ(pages[1].data[999], 'p');
    EXPECT_EQ(rig.engine->copied_by_processor(), 1U);
    EXPECT_GT(rig.queue->faults(), 2U);
}

TEST(DsaEngine, SaysOnceThatADeviceFailsAndLeavesTheRestToTheProcessor) {
    for (const int batch_descriptors : {1, 4}) {
        SoftwareOptions options;
        options.limits.batch_descriptors = batch_descriptors;
        options.fail_from = 3;
        const Rig rig(options);
        std::vector<char> from = noise(20 * 200, 12);
        std::vector<char> to(from.size());
        const CopyRequest request =
            strided_request(from.data(), to.data(), {100, 20}, {200}, {200});
        testing::internal::CaptureStderr();
        ASSERT_EQ(rig.engine->submit(&request, 1), 1);
        rig.finish(1);
        const std::string output = testing::internal::GetCapturedStderr();
        EXPECT_EQ(rig.engine->completed(), 1U);
        for (size_t i = 0; i < to.size(); ++i) {
            ASSERT_EQ(to[i], i % 200 < 100 ? from[i] : 0) << i;
        }
        EXPECT_EQ(rig.engine->copied_by_processor(), 18U);
        const std::string message = "has failed with status 0x20 (hardware error)";
        const size_t at = output.find(message);
        EXPECT_NE(at, std::string::npos) << output;
        EXPECT_EQ(output.find(message, at + 1), std::string::npos) << output;
        EXPECT_NE(output.find("ARMCI_COPY_ENGINE=thread"), std::string::npos) << output;
        EXPECT_EQ(rig.engine->submit(&request, 1), 0);
    }
}

TEST(DsaEngine, DestructorWaitsForSubmittedRequests) {
    SoftwareOptions options;
    options.fault_every = 4;
    const std::vector<char> from = noise(4 << 20, 13);
    std::vector<char> to(from.size());
    {
        Engine engine(start_software_queue(options), 1);
        const CopyRequest request = contiguous(from, to);
        ASSERT_EQ(engine.submit(&request, 1), 1);
    }
    EXPECT_EQ(to, from);
}

}  // namespace
}  // namespace armci::node::dsa::test
