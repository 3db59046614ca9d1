// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/answer_slots.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "fabric/endpoint.h"
#include "raw_client.h"

namespace armci::pipeline::test {
namespace {

class AnswerSlotsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(armci::test::open_default_domain(&domain_, 2, &error_)) << error_;
        ASSERT_TRUE(endpoint_.open(domain_, {}, &error_)) << error_;
        slots_.open(domain_, endpoint_);
        ASSERT_TRUE(slots_.are_open());
    }
    void TearDown() override {
        slots_.close();
        endpoint_.close();
    }
    // Writes the beginning of a frame into the slot that was lent as that number, as servers do,
    // and waits for it.
    void write(uint32_t number) {
        const fabric::PeerAddress self = endpoint_.insert_peer(endpoint_.address().data());
        uint64_t token = number;
        const wire::AnswerSlotsBody slots = slots_.describe();
        const fabric::RmaBlock block{
            &token,
            sizeof token,
            {slots.address + uint64_t{number - 1} * wire::kAnswerSlotBytes, slots.key}};
        fabric::Operation operation;
        operation.complete = [](fabric::Operation*, const fabric::Completion&) {};
        while (!endpoint_.post_write(self, &block, 1, {}, fabric::Endpoint::WriteCompletion::local,
                                     &operation)) {
            endpoint_.poll();
        }
        const auto has_come = [&] {
            bool found = false;
            slots_.collect([&](int, const void* memory) {
                uint64_t first = 0;
                std::memcpy(&first, memory, sizeof first);
                found |= first == token;
                return false;
            });
            return found;
        };
        while (!has_come() || endpoint_.outstanding() > 0) {
            endpoint_.poll();
        }
    }

    std::string error_;
    fabric::Domain domain_;
    fabric::Endpoint endpoint_;
    AnswerSlots slots_;
};

TEST_F(AnswerSlotsTest, ServerHasOneAtATime) {
    const uint32_t slot = slots_.lend(7);
    EXPECT_GE(slot, 1U);
    EXPECT_LE(slot, wire::kAnswerSlots);
    EXPECT_EQ(slots_.lend(7), 0U);
    slots_.take_back();
    EXPECT_EQ(slots_.lend(7), slot);
}

TEST_F(AnswerSlotsTest, EachServerHasAnother) {
    std::set<uint32_t> slots;
    for (uint32_t server = 0; server < wire::kAnswerSlots; ++server) {
        slots.insert(slots_.lend(static_cast<int>(server)));
    }
    EXPECT_EQ(slots.size(), wire::kAnswerSlots);
    EXPECT_EQ(slots.count(0), 0U);
    EXPECT_EQ(slots_.lend(100), 0U);
    slots_.take_back();
    EXPECT_NE(slots_.lend(100), 0U);
}

TEST_F(AnswerSlotsTest, NothingIsTakenFromEmptySlots) {
    slots_.lend(1);
    slots_.lend(2);
    EXPECT_FALSE(slots_.collect([](int, void*) { return true; }));
}

TEST_F(AnswerSlotsTest, OneIsFreeWhenItsAnswerIsTaken) {
    const uint32_t first = slots_.lend(1);
    const uint32_t second = slots_.lend(2);
    const uint32_t third = slots_.lend(3);
    write(second);
    std::vector<int> asked;
    EXPECT_FALSE(slots_.collect([&](int server, void*) {
        asked.push_back(server);
        return false;  // it is not complete
    }));
    EXPECT_EQ(asked, std::vector<int>{2});
    EXPECT_EQ(slots_.lend(2), 0U);
    write(first);
    asked.clear();
    EXPECT_TRUE(slots_.collect([&](int server, void* memory) {
        asked.push_back(server);
        std::memset(memory, 0, sizeof(uint64_t));
        return true;
    }));
    EXPECT_EQ(std::set<int>(asked.begin(), asked.end()), (std::set<int>{1, 2}));
    EXPECT_EQ(slots_.lend(3), 0U);
    const std::set<uint32_t> again = {slots_.lend(4), slots_.lend(5)};
    EXPECT_EQ(again, (std::set<uint32_t>{first, second}));
    EXPECT_NE(third, first);
    EXPECT_NE(third, second);
}

}  // namespace
}  // namespace armci::pipeline::test
