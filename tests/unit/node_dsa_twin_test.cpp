// SPDX-License-Identifier: BSD-3-Clause
// The software twin of a DSA device: what it writes into completion records.
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "node/dsa/software_queue.h"
#include "task_state.h"

namespace armci::node::dsa::test {
namespace {

constexpr uint32_t kWanted = kFlagRecordValid | kFlagRecordWanted;

uint64_t address(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

Status status_of(const CompletionRecord& record) {
    const uint8_t bits =
        std::atomic_ref(const_cast<uint8_t&>(record.status)).load(std::memory_order_acquire);
    return static_cast<Status>(bits & kStatusMask);
}

// Two areas of whole pages, and a queue without a thread.
class DsaTwin : public ::testing::Test {
  protected:
    static constexpr uint32_t kPage = 4096;
    static constexpr uint32_t kBytes = 4 * kPage;

    void SetUp() override {
        for (uint32_t i = 0; i < kBytes; ++i) {
            from()[i] = static_cast<char>(i % 251);
        }
    }
    char* from() { return areas_[0].data; }
    char* to() { return areas_[1].data; }

    Descriptor copy(uint32_t at, uint32_t bytes, CompletionRecord* record) {
        Descriptor descriptor;
        descriptor.flags_and_opcode = flags_and_opcode(Opcode::memmove, kWanted);
        descriptor.record = address(record);
        descriptor.source = address(from() + at);
        descriptor.destination = address(to() + at);
        descriptor.length = bytes;
        return descriptor;
    }
    static Descriptor batch(const std::vector<Descriptor>& list, CompletionRecord* record) {
        Descriptor descriptor;
        descriptor.flags_and_opcode = flags_and_opcode(Opcode::batch, kWanted);
        descriptor.record = address(record);
        descriptor.source = address(list.data());
        descriptor.length = static_cast<uint32_t>(list.size());
        return descriptor;
    }
    // Executes one descriptor, and returns its status.
    static Status run(SoftwareQueue& queue, const Descriptor& descriptor) {
        auto& record = *reinterpret_cast<CompletionRecord*>(descriptor.record);
        record = CompletionRecord();
        EXPECT_TRUE(queue.submit(descriptor));
        EXPECT_TRUE(queue.execute_one());
        return status_of(record);
    }
    bool has_copied(uint32_t begin, uint32_t end) {
        for (uint32_t i = 0; i < kBytes; ++i) {
            if (to()[i] != (i >= begin && i < end ? from()[i] : 0)) {
                return false;
            }
        }
        return true;
    }

    struct alignas(4096) Area {
        char data[kBytes] = {};
    };
    std::unique_ptr<Area[]> areas_ = std::make_unique<Area[]>(2);
    CompletionRecord record_;
};

TEST_F(DsaTwin, CopiesWhenItsTurnComes) {
    SoftwareQueue queue({});
    ASSERT_TRUE(queue.submit(copy(100, 5000, &record_)));
    EXPECT_EQ(status_of(record_), Status::none);
    EXPECT_TRUE(has_copied(0, 0));
    EXPECT_TRUE(queue.execute_one());
    EXPECT_EQ(status_of(record_), Status::success);
    EXPECT_TRUE(has_copied(100, 5100));
    EXPECT_FALSE(queue.execute_one());
}

TEST_F(DsaTwin, RefusesWhatADeviceRefuses) {
    SoftwareOptions options;
    options.limits.transfer_bytes = 2 * kPage;
    options.limits.batch_descriptors = 2;
    SoftwareQueue queue(options);
    const auto status = [&](const Descriptor& descriptor) { return run(queue, descriptor); };
    Descriptor bad = copy(0, 100, &record_);
    bad.flags_and_opcode = flags_and_opcode(static_cast<Opcode>(0x44), kWanted);
    EXPECT_EQ(status(bad), Status::bad_opcode);
    bad = copy(0, 100, &record_);
    bad.flags_and_opcode |= 0x800000;
    EXPECT_EQ(status(bad), Status::invalid_flags);
    bad = copy(0, 100, &record_);
    bad.reserved = 1;
    EXPECT_EQ(status(bad), Status::reserved_not_zero);
    EXPECT_EQ(status(copy(0, 0, &record_)), Status::bad_length);
    EXPECT_EQ(status(copy(0, 2 * kPage + 1, &record_)), Status::bad_length);
    bad = copy(0, 100, &record_);
    bad.destination = bad.source + 99;
    EXPECT_EQ(status(bad), Status::overlap);
    EXPECT_TRUE(has_copied(0, 0));

    std::vector<CompletionRecord> records(3);
    std::vector<Descriptor> list;
    for (CompletionRecord& record : records) {
        list.push_back(copy(0, 100, &record));
    }
    EXPECT_EQ(status(batch(list, &record_)), Status::bad_count);
    list.resize(1);
    EXPECT_EQ(status(batch(list, &record_)), Status::bad_count);
    list.resize(2, list[0]);
    bad = batch(list, &record_);
    bad.source += 32;
    EXPECT_EQ(status(bad), Status::list_misaligned);
    EXPECT_EQ(queue.lost(), 0U);

    bad = copy(0, 100, &record_);
    bad.record += 8;
    EXPECT_TRUE(queue.submit(bad));
    EXPECT_TRUE(queue.execute_one());
    EXPECT_EQ(queue.lost(), 1U);
    EXPECT_TRUE(has_copied(0, 0));
}

// The first of two faults is met by a load, the second one by a store.
TEST_F(DsaTwin, EndsEarlyAtAPageFault) {
    SoftwareOptions options;
    options.fault_every = 2;
    SoftwareQueue queue(options);
    EXPECT_EQ(run(queue, copy(0, 8, &record_)), Status::success);
    EXPECT_EQ(run(queue, copy(100, 2 * kPage, &record_)), Status::page_fault);
    EXPECT_EQ(record_.done, kPage - 100);
    EXPECT_EQ(record_.fault_address, address(from() + kPage));
    EXPECT_EQ(record_.status & kStatusWasWrite, 0);
    std::fill_n(to(), 8, 0);
    EXPECT_TRUE(has_copied(100, kPage));
    EXPECT_EQ(run(queue, copy(0, 8, &record_)), Status::success);
    EXPECT_EQ(run(queue, copy(kPage + 5, 10, &record_)), Status::page_fault);
    EXPECT_EQ(record_.done, 0U);
    EXPECT_EQ(record_.fault_address, address(to() + kPage + 5));
    EXPECT_NE(record_.status & kStatusWasWrite, 0);
    EXPECT_EQ(queue.faults(), 2U);
}

TEST_F(DsaTwin, BatchReportsEachOfItsDescriptors) {
    SoftwareOptions options;
    options.fault_every = 3;
    SoftwareQueue queue(options);
    std::vector<CompletionRecord> records(4);
    std::vector<Descriptor> list;
    for (uint32_t i = 0; i < 4; ++i) {
        list.push_back(copy(i * kPage, 100, &records[i]));
    }
    EXPECT_EQ(run(queue, batch(list, &record_)), Status::batch_failed);
    EXPECT_EQ(record_.done, 4U);
    for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(status_of(records[i]), i == 2 ? Status::page_fault : Status::success) << i;
        EXPECT_EQ(to()[i * kPage + 99] != 0, i != 2) << i;
    }
    // A batch in a batch is an error of that descriptor alone.
    CompletionRecord inner;
    std::vector<CompletionRecord> others(2);
    const std::vector<Descriptor> two = {copy(0, 8, &others[0]), batch(list, &inner)};
    EXPECT_EQ(run(queue, batch(two, &record_)), Status::batch_failed);
    EXPECT_EQ(status_of(others[0]), Status::success);
    EXPECT_EQ(status_of(inner), Status::bad_opcode);
    EXPECT_EQ(queue.batches(), 2U);
}

TEST_F(DsaTwin, SharedQueueRefusesAndDedicatedQueueLoses) {
    for (const bool is_shared : {true, false}) {
        SoftwareOptions options;
        options.limits.is_shared = is_shared;
        options.limits.descriptors = 2;
        SoftwareQueue queue(options);
        std::vector<CompletionRecord> records(3);
        EXPECT_TRUE(queue.submit(copy(0, 8, &records[0])));
        EXPECT_TRUE(queue.submit(copy(0, 8, &records[1])));
        EXPECT_EQ(queue.submit(copy(0, 8, &records[2])), !is_shared);
        EXPECT_EQ(queue.lost(), is_shared ? 0U : 1U);
        while (queue.execute_one()) {
        }
        EXPECT_EQ(status_of(records[1]), Status::success);
        EXPECT_EQ(status_of(records[2]), Status::none);
    }
}

TEST_F(DsaTwin, SeedDecidesTheOrder) {
    const auto order = [&](uint64_t seed) {
        SoftwareOptions options;
        options.order_seed = seed;
        SoftwareQueue queue(options);
        std::vector<CompletionRecord> records(12);
        for (CompletionRecord& record : records) {
            EXPECT_TRUE(queue.submit(copy(0, 8, &record)));
        }
        std::string done;
        while (queue.execute_one()) {
            for (size_t i = 0; i < records.size(); ++i) {
                if (records[i].status != 0) {
                    done += static_cast<char>('a' + i);
                    records[i].status = 0;
                }
            }
        }
        return done;
    };
    EXPECT_EQ(order(0), "abcdefghijkl");
    EXPECT_EQ(order(7).size(), 12U);
    EXPECT_NE(order(7), order(0));
    EXPECT_EQ(order(7), order(7));
}

TEST_F(DsaTwin, FailsFromACopyOn) {
    SoftwareOptions options;
    options.fail_from = 2;
    SoftwareQueue queue(options);
    EXPECT_EQ(run(queue, copy(0, 8, &record_)), Status::success);
    EXPECT_EQ(run(queue, copy(0, 100, &record_)), Status::hardware_error);
    EXPECT_TRUE(has_copied(0, 8));
}

// A missed wake-up hangs it.
TEST_F(DsaTwin, ThreadWakesUpForEachDescriptor) {
    const auto queue = start_software_queue({});
    ASSERT_NE(queue, nullptr);
    const std::string task = armci::test::task_named(SoftwareQueue::kThreadName);
    ASSERT_NE(task, "");
    for (int i = 0; i < 100; ++i) {
        record_ = CompletionRecord();
        ASSERT_TRUE(queue->submit(copy(0, 64, &record_)));
        while (status_of(record_) == Status::none) {
            sched_yield();
        }
        if (i % 4 == 0) {
            armci::test::wait_until_asleep(task);
        }
    }
    EXPECT_TRUE(has_copied(0, 64));
}

TEST_F(DsaTwin, StatusesHaveNames) {
    EXPECT_STREQ(describe(Status::bad_length), "length out of range");
    EXPECT_STREQ(describe(static_cast<Status>(0x7f)), "status unknown to this library");
}

}  // namespace
}  // namespace armci::node::dsa::test
