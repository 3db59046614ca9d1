// SPDX-License-Identifier: BSD-3-Clause
// Endpoints with two rails, both on loopback: which operations take which rail, and that all of
// them arrive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "fabric/faults.h"
#include "fabric/provider.h"
#include "raw_client.h"

namespace armci::fabric::test {
namespace {

using ::testing::HasSubstr;

constexpr size_t kBytes = 64 << 10;
constexpr size_t kBlocks = 64;
// Attempts to write to a peer, until both rails have a connection. A thread of the provider makes
// it; so many attempts take most of a minute if one rail takes them, and seconds if none does.
constexpr size_t kMostToConnect = 1'000'000;

ProviderChoice choose_loopback(const Domain& domain) {
    return choose_provider({domain.provider_name(), "127.0.0.1", true});
}

// An operation that counts its completion.
struct Counted {
    Operation operation{};
    int* completed = nullptr;

    explicit Counted(int* count) : completed(count) {
        operation.complete = [](Operation* self, const Completion&) {
            ++*reinterpret_cast<Counted*>(self)->completed;
        };
    }
};

class RailsTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        for (Domain* domain : {&domain_, &target_domain_}) {
            ASSERT_TRUE(armci::test::open_default_domain(domain, 4, &error)) << error;
            if (!domain->notifies_writes()) {
                GTEST_SKIP() << "the provider has no immediate data";
            }
            ASSERT_TRUE(domain->add_rail(choose_loopback(*domain), 4, &error)) << error;
        }
        Endpoint::Options options;
        options.on_immediate = [](void* context, uint64_t immediate) {
            static_cast<RailsTest*>(context)->arrived_.push_back(immediate);
        };
        options.immediate_context = this;
        options.immediate_entries = kBlocks;
        ASSERT_TRUE(origin_.open(domain_, {}, &error)) << error;
        ASSERT_TRUE(target_.open(target_domain_, options, &error)) << error;
        peer_ = origin_.insert_peer(target_.address().data());
        ASSERT_NE(peer_, FI_ADDR_UNSPEC);
        region_ = target_domain_.register_memory(remote_.data(), remote_.size(), Access::remote,
                                                 target_.on_rails(), &error);
        ASSERT_TRUE(region_.valid()) << error;
        for (size_t i = 0; i < local_.size(); ++i) {
            local_[i] = static_cast<char>(i * 7 + i / kBytes);
        }
    }
    void TearDown() override {
        region_ = {};
        origin_.close();
        target_.close();
    }

    const Domain& second() const { return *domain_.rails().front(); }
    RemoteMemory remote_block(size_t block) const {
        return {region_.remote_base() + block * kBytes, region_.key(),
                further_keys_.empty() ? nullptr : further_keys_.data()};
    }
    bool post_write(size_t block, size_t bytes, Counted* counted) {
        const RmaBlock piece{&local_[block * kBytes], bytes, remote_block(block)};
        return origin_.post_write(peer_, &piece, 1, local_region_.descriptors(),
                                  Endpoint::WriteCompletion::delivered, &counted->operation);
    }
    template <class Condition>
    void poll_until(Condition&& condition) {
        while (!condition()) {
            origin_.poll();
            target_.poll();
        }
    }
    // A provider may take no operation with a peer before there is a connection. Of two writes
    // under way, each takes another rail.
    void connect() {
        const auto is_connected = [&] {
            return domain_.carried_bytes() > 0 && second().carried_bytes() > 0;
        };
        for (size_t round = 0; round < kMostToConnect && !is_connected(); ++round) {
            int posted = 0;
            int completed = 0;
            std::array<Counted, 2> operations{Counted(&completed), Counted(&completed)};
            for (Counted& operation : operations) {
                posted += post_write(0, kBytes, &operation) ? 1 : 0;
            }
            origin_.poll();
            target_.poll();
            poll_until([&] { return completed == posted; });
        }
        ASSERT_EQ(origin_.outstanding(), 0U);
        ASSERT_TRUE(is_connected()) << "a rail carries nothing";
    }

    Domain domain_;  // the origin's
    Domain target_domain_;
    Endpoint origin_;
    Endpoint target_;
    std::vector<char> local_ = std::vector<char>(kBytes * kBlocks);
    std::vector<char> remote_ = std::vector<char>(kBytes * kBlocks);
    Region region_;
    std::vector<uint64_t> further_keys_;  // of region_, where they differ
    Region local_region_;                 // of local_, where that is needed
    PeerAddress peer_ = FI_ADDR_UNSPEC;
    std::vector<uint64_t> arrived_;
};

TEST_F(RailsTest, LongWritesAreDividedAndArrive) {
    ASSERT_NO_FATAL_FAILURE(connect());
    const uint64_t before = domain_.carried_bytes();
    const uint64_t before_second = second().carried_bytes();
    int completed = 0;
    std::vector<std::unique_ptr<Counted>> operations;
    for (size_t block = 0; block < kBlocks; ++block) {
        operations.push_back(std::make_unique<Counted>(&completed));
        poll_until([&] { return post_write(block, kBytes, operations.back().get()); });
    }
    poll_until([&] { return completed == static_cast<int>(kBlocks); });
    EXPECT_EQ(remote_, local_);
    EXPECT_EQ(origin_.outstanding(), 0U);
    EXPECT_EQ(origin_.rail(0).bytes_under_way() + origin_.rail(1).bytes_under_way(), 0U);
    EXPECT_EQ(domain_.carried_bytes() - before + second().carried_bytes() - before_second,
              kBytes * kBlocks);
    EXPECT_GT(domain_.carried_bytes(), before);
    EXPECT_GT(second().carried_bytes(), before_second);
}

TEST_F(RailsTest, ReadsAreDividedAndArrive) {
    remote_ = local_;
    std::fill(local_.begin(), local_.end(), 0);
    int completed = 0;
    std::vector<std::unique_ptr<Counted>> operations;
    for (size_t block = 0; block < kBlocks; ++block) {
        operations.push_back(std::make_unique<Counted>(&completed));
        const RmaBlock piece{&local_[block * kBytes], kBytes, remote_block(block)};
        poll_until(
            [&] { return origin_.post_read(peer_, &piece, 1, {}, &operations.back()->operation); });
    }
    poll_until([&] { return completed == static_cast<int>(kBlocks); });
    EXPECT_EQ(remote_, local_);
    EXPECT_GT(domain_.carried_bytes(), 0U);
    EXPECT_GT(second().carried_bytes(), 0U);
}

// What is not polled completes nothing, so each takes the rail with fewer bytes under way.
TEST_F(RailsTest, EachTakesTheRailWithTheFewestBytesUnderWay) {
    ASSERT_NO_FATAL_FAILURE(connect());
    int completed = 0;
    std::array<Counted, 3> operations{Counted(&completed), Counted(&completed),
                                      Counted(&completed)};
    ASSERT_TRUE(post_write(0, 2 * kBytes, &operations[0]));
    EXPECT_EQ(origin_.rail(0).bytes_under_way(), 2 * kBytes);
    ASSERT_TRUE(post_write(2, kBytes, &operations[1]));
    EXPECT_EQ(origin_.rail(1).bytes_under_way(), kBytes);
    ASSERT_TRUE(post_write(3, kBytes / 2, &operations[2]));
    EXPECT_EQ(origin_.rail(0).bytes_under_way(), 2 * kBytes);
    EXPECT_EQ(origin_.rail(1).bytes_under_way(), kBytes + kBytes / 2);
    EXPECT_EQ(origin_.outstanding(), 3U);
    poll_until([&] { return completed == 3; });
}

TEST_F(RailsTest, OfTwoThatAreEquallyBusyTheOneThatHasCarriedMoreIsTaken) {
    ASSERT_NO_FATAL_FAILURE(connect());
    while (second().carried_bytes() <= domain_.carried_bytes()) {
        int completed = 0;
        std::array<Counted, 2> operations{Counted(&completed), Counted(&completed)};
        ASSERT_TRUE(post_write(0, kBytes / 2, &operations[0]));
        ASSERT_TRUE(post_write(1, kBytes, &operations[1]));
        poll_until([&] { return completed == 2; });
    }
    int completed = 0;
    std::array<Counted, 3> operations{Counted(&completed), Counted(&completed),
                                      Counted(&completed)};
    ASSERT_TRUE(post_write(0, kBytes / 2, &operations[0]));
    EXPECT_EQ(origin_.rail(0).bytes_under_way(), kBytes / 2);  // none is busy
    ASSERT_TRUE(post_write(1, kBytes / 2, &operations[1]));
    ASSERT_TRUE(post_write(2, kBytes / 2, &operations[2]));
    EXPECT_EQ(origin_.rail(1).bytes_under_way(), kBytes);
    poll_until([&] { return completed == 3; });
}

TEST_F(RailsTest, RemoteAccessWaitsForTheWindow) {
    ASSERT_NO_FATAL_FAILURE(connect());
    int completed = 0;
    std::vector<std::unique_ptr<Counted>> operations;
    const auto post_next = [&] {
        operations.push_back(std::make_unique<Counted>(&completed));
        return post_write(operations.size() % kBlocks, kBytes, operations.back().get());
    };
    while (post_next()) {
    }
    operations.pop_back();
    EXPECT_EQ(origin_.rail(0).bytes_under_way(), Endpoint::kWindowBytes);
    EXPECT_EQ(origin_.rail(1).bytes_under_way(), Endpoint::kWindowBytes);
    poll_until([&] { return completed == static_cast<int>(operations.size()); });
}

TEST_F(RailsTest, ShortOperationsStayOnTheFirst) {
    int completed = 0;
    std::array<Counted, 2> operations{Counted(&completed), Counted(&completed)};
    poll_until([&] { return post_write(0, Endpoint::kShortestDividedBytes - 8, &operations[0]); });
    poll_until([&] {
        return origin_.post_write_notify(peer_, local_.data(), 64, {}, remote_block(1), 5,
                                         &operations[1].operation);
    });
    poll_until([&] { return completed == 2 && arrived_.size() == 1; });
    EXPECT_EQ(arrived_.front(), 5U);
    EXPECT_EQ(domain_.carried_bytes() + second().carried_bytes(), 0U);
}

TEST_F(RailsTest, ImmediateDataArrivesOverAllRails) {
    int completed = 0;
    std::vector<std::unique_ptr<Counted>> operations;
    for (size_t block = 0; block < kBlocks; ++block) {
        operations.push_back(std::make_unique<Counted>(&completed));
        poll_until([&] {
            return origin_.post_write_notify(peer_, &local_[block * kBytes], kBytes, {},
                                             remote_block(block), static_cast<uint32_t>(block),
                                             &operations.back()->operation);
        });
    }
    poll_until(
        [&] { return completed == static_cast<int>(kBlocks) && arrived_.size() == kBlocks; });
    std::sort(arrived_.begin(), arrived_.end());
    for (size_t block = 0; block < kBlocks; ++block) {
        EXPECT_EQ(arrived_[block], block);
    }
    EXPECT_EQ(remote_, local_);
    EXPECT_GT(domain_.carried_bytes(), 0U);
    EXPECT_GT(second().carried_bytes(), 0U);
}

// Over TCP a write is complete when the socket has it, which says nothing about the speed of a
// rail.
TEST_F(RailsTest, LongWritesCompleteAtTheirTarget) {
    ASSERT_NO_FATAL_FAILURE(connect());
    int completed = 0;
    Counted counted(&completed);
    ASSERT_TRUE(origin_.post_write_notify(peer_, local_.data(), kBytes, {}, remote_block(0), 1,
                                          &counted.operation));
    constexpr int kPolls = 1000;
    for (int i = 0; i < kPolls; ++i) {
        origin_.poll();  // and not the target
    }
    if (domain_.row().listens_by_tcp) {
        EXPECT_EQ(completed, 0);
    }
    poll_until([&] { return completed == 1; });
}

TEST_F(RailsTest, HaveNoOrderAmongEachOther) {
    EXPECT_FALSE(domain_.orders_writes());
    EXPECT_FALSE(domain_.orders_reads_after_writes());
    origin_.close();
    region_ = {};
    target_.close();
    domain_.drop_rail();
    Domain one;
    std::string error;
    ASSERT_TRUE(armci::test::open_default_domain(&one, 4, &error)) << error;
    EXPECT_EQ(domain_.orders_writes(), one.orders_writes());
}

TEST_F(RailsTest, HaveTheSameRulesForMemory) {
    ProviderChoice choice = choose_loopback(domain_);
    choice.info->domain_attr->mr_mode |= FI_MR_PROV_KEY;
    std::string error;
    EXPECT_FALSE(domain_.add_rail(std::move(choice), 4, &error));
    EXPECT_THAT(error, HasSubstr("other rules for registered memory"));
    EXPECT_EQ(domain_.rails().size(), 1U);
}

// A post without the rail's descriptor of its memory would end the test.
class RailsWithLocalRegistrationTest : public RailsTest {
  protected:
    void SetUp() override {
        Faults faults;
        faults.local_registration_needed = true;
        set_faults(faults);
        RailsTest::SetUp();
        std::string error;
        local_region_ = domain_.register_memory(local_.data(), local_.size(), Access::local_source,
                                                origin_.on_rails(), &error);
        ASSERT_TRUE(local_region_.valid()) << error;
    }
    void TearDown() override {
        local_region_ = {};
        RailsTest::TearDown();
        set_faults({});
    }
};

TEST_F(RailsWithLocalRegistrationTest, MemoryOfTheFirstIsAccessedThere) {
    std::string error;
    local_region_ = domain_.register_memory(local_.data(), local_.size(), Access::local_source,
                                            origin_.on_first_rail(), &error);
    ASSERT_TRUE(local_region_.valid()) << error;
    EXPECT_FALSE(local_region_.descriptors().are_on_all_rails());
    int completed = 0;
    std::array<Counted, 2> operations{Counted(&completed), Counted(&completed)};
    for (Counted& operation : operations) {
        poll_until([&] { return post_write(0, kBytes, &operation); });
    }
    poll_until([&] { return completed == 2; });
    EXPECT_EQ(second().carried_bytes(), 0U);
}

TEST_F(RailsWithLocalRegistrationTest, EachRailHasADescriptorOfItsOwn) {
    const Descriptors local = local_region_.descriptors();
    EXPECT_NE(local.on_rail(0), local.on_rail(1));
    EXPECT_TRUE(is_registered(local_.data(), local_.size(), local.on_rail(0)));
    EXPECT_TRUE(is_registered(local_.data(), local_.size(), local.on_rail(1)));
    ASSERT_NO_FATAL_FAILURE(connect());
    EXPECT_TRUE(std::equal(local_.begin(), local_.begin() + kBytes, remote_.begin()));
}

// A provider that chooses keys gives memory another one on each rail.
class RailsWithKeysTest : public RailsTest {
  protected:
    void SetUp() override {
        Faults faults;
        faults.rail_keys_differ = true;
        set_faults(faults);
        RailsTest::SetUp();
        further_keys_.resize(target_domain_.further_key_count());
        region_.copy_further_keys(further_keys_.data());
    }
    void TearDown() override {
        RailsTest::TearDown();
        set_faults({});
    }
};

TEST_F(RailsWithKeysTest, EachRailNamesMemoryByItsKeyThere) {
    ASSERT_EQ(further_keys_.size(), 1U);
    EXPECT_NE(further_keys_[0], region_.key());
    ASSERT_NO_FATAL_FAILURE(connect());
    const uint64_t before_second = second().carried_bytes();
    int completed = 0;
    std::vector<std::unique_ptr<Counted>> operations;
    for (size_t block = 0; block < kBlocks; ++block) {
        operations.push_back(std::make_unique<Counted>(&completed));
        const RmaBlock piece{&local_[block * kBytes], kBytes, remote_block(block)};
        Operation* operation = &operations.back()->operation;
        poll_until([&] {
            switch (block % 3) {
                case 0:
                    return post_write(block, kBytes, operations.back().get());
                case 1:
                    return origin_.post_write_notify(peer_, piece.local, kBytes, {}, piece.remote,
                                                     static_cast<uint32_t>(block), operation);
                default:
                    return origin_.post_read(peer_, &piece, 1, {}, operation);
            }
        });
    }
    poll_until([&] { return completed == static_cast<int>(kBlocks); });
    EXPECT_GT(second().carried_bytes(), before_second);
    for (size_t block = 0; block < kBlocks; ++block) {  // those that were read are zero on both
        EXPECT_EQ(std::memcmp(&remote_[block * kBytes], &local_[block * kBytes], kBytes), 0);
    }
    EXPECT_EQ(local_[2 * kBytes + 1], 0);
}

TEST_F(RailsWithKeysTest, MemoryWithoutTheFurtherKeysIsAccessedOnTheFirst) {
    further_keys_.clear();
    int completed = 0;
    std::array<Counted, 3> operations{Counted(&completed), Counted(&completed),
                                      Counted(&completed)};
    poll_until([&] { return post_write(0, kBytes, &operations[0]); });
    poll_until([&] {
        return origin_.post_write_notify(peer_, local_.data(), kBytes, {}, remote_block(1), 5,
                                         &operations[1].operation);
    });
    const RmaBlock piece{local_.data(), kBytes, remote_block(2)};
    poll_until([&] { return origin_.post_read(peer_, &piece, 1, {}, &operations[2].operation); });
    poll_until([&] { return completed == 3 && arrived_.size() == 1; });
    EXPECT_EQ(domain_.carried_bytes(), 3 * kBytes);
    EXPECT_EQ(second().carried_bytes(), 0U);
}

// A message that follows a write on the same rail arrives after it. Rails have no such order among
// each other.
TEST_F(RailsTest, WritesThatNeedAnOrderTakeTheFirst) {
    int completed = 0;
    std::array<Counted, 2> operations{Counted(&completed), Counted(&completed)};
    const RmaBlock piece{local_.data(), kBytes, remote_block(0)};
    poll_until([&] {
        return origin_.post_write(peer_, &piece, 1, {}, Endpoint::WriteCompletion::local,
                                  &operations[0].operation);
    });
    poll_until([&] {
        return origin_.post_write_notify(peer_, local_.data(), kBytes, {}, remote_block(1), 5,
                                         &operations[1].operation,
                                         Endpoint::WriteOrder::after_writes);
    });
    poll_until([&] { return completed == 2 && arrived_.size() == 1; });
    EXPECT_EQ(domain_.carried_bytes(), 2 * kBytes);
    EXPECT_EQ(second().carried_bytes(), 0U);
}

TEST_F(RailsTest, WaitTogether) {
    if (target_.wait_mode() != WaitMode::fd) {
        GTEST_SKIP() << "the provider has no descriptor to wait for";
    }
    poll_until([&] { return target_.may_sleep(); });
    // It reaches the target's second rail only.
    Endpoint other;
    std::string error;
    ASSERT_TRUE(other.open(*domain_.rails().front(), {}, &error)) << error;
    const PeerAddress peer = other.insert_peer(target_.rail(1).address().data());
    ASSERT_NE(peer, FI_ADDR_UNSPEC);
    int completed = 0;
    Counted counted(&completed);
    const RmaBlock piece{local_.data(), kBytes, remote_block(0)};
    bool is_posted = false;
    while (completed == 0) {
        is_posted =
            is_posted || other.post_write(peer, &piece, 1, {}, Endpoint::WriteCompletion::delivered,
                                          &counted.operation);
        other.poll();
        pollfd event{target_.wait_fd(), POLLIN, 0};
        if (::poll(&event, 1, 0) == 1) {  // otherwise the target sleeps
            target_.poll();
        }
    }
    EXPECT_EQ(remote_[kBytes - 1], local_[kBytes - 1]);
}

}  // namespace
}  // namespace armci::fabric::test
