// SPDX-License-Identifier: BSD-3-Clause
// When receive buffers are posted again, and which buffers a provider loses to messages longer than
// any that is expected.
#include "pipeline/buffers/receive_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "raw_client.h"
#include "stderr_capture.h"

namespace armci::pipeline::test {
namespace {

// The pool's buffers in the order in which they are posted. The provider does not get them.
std::vector<fabric::Operation*> g_posted;
std::map<fabric::Operation*, char*> g_data;

ssize_t keep_receive(fid_ep*, const fi_msg* message, uint64_t) {
    auto* operation = static_cast<fabric::Operation*>(message->context);
    g_posted.push_back(operation);
    g_data[operation] = static_cast<char*>(message->msg_iov->iov_base);
    return 0;
}

void ignore_frame(void*, const void*, size_t) {}

class ReceivePoolTest : public ::testing::Test {
  protected:
    void SetUp() override { open(true); }
    void open(bool ends_early) {
        g_posted.clear();
        std::string error;
        row_ = fabric::provider_row("a name that no provider has");
        row_.ends_early = ends_early;
        ASSERT_TRUE(armci::test::open_default_domain(&domain_, 2, &error, &row_)) << error;
        fabric::Endpoint::Options options;
        options.largest_message_bytes = kLargestBytes;
        ASSERT_TRUE(endpoint_.open(domain_, options, &error)) << error;
        message_ops_ = *endpoint_.endpoint()->msg;
        message_ops_.recvmsg = keep_receive;
        endpoint_.endpoint()->msg = &message_ops_;
        ASSERT_TRUE(pool_.open(domain_, endpoint_, 1, kLargestBytes, ignore_frame, nullptr, &error))
            << error;
        ASSERT_EQ(g_posted.size(), 2U);
    }
    void TearDown() override {
        endpoint_.close();
        pool_.close();
    }
    // A message that is too long arrives in that buffer.
    static void cut(fabric::Operation* buffer) {
        buffer->complete(buffer, {.flags = FI_RECV, .cut = true});
    }
    static void expect_ignored(fabric::Operation* buffer) {
        const armci::test::StderrCapture captured;
        cut(buffer);
        EXPECT_THAT(captured.text(),
                    ::testing::HasSubstr("ignored a message of more than 8192 bytes"));
    }
    static void release(fabric::Operation* buffer) {
        buffer->complete(buffer, {.flags = FI_MULTI_RECV});
    }

    // A message of 64 bytes arrives at that place of the buffer.
    static void receive(fabric::Operation* buffer, size_t offset, bool is_end = false) {
        fabric::Completion completion;
        completion.flags = FI_RECV | (is_end ? FI_MULTI_RECV : 0);
        completion.bytes = kMessageBytes;
        completion.data = g_data[buffer] + offset;
        buffer->complete(buffer, completion);
    }

    static constexpr size_t kLargestBytes = 8192;
    static constexpr size_t kMessageBytes = 64;
    fabric::ProviderRow row_{};
    fabric::Domain domain_;
    fi_ops_msg message_ops_{};
    fabric::Endpoint endpoint_;
    ReceivePool pool_;
};

constexpr const char* kAllLost = "have taken all 2 receive buffers";

TEST_F(ReceivePoolTest, CountsALostBufferOnce) {
    expect_ignored(g_posted[0]);
    expect_ignored(g_posted[0]);
    expect_ignored(g_posted[0]);
    EXPECT_EXIT(cut(g_posted[1]), ::testing::ExitedWithCode(1), kAllLost);
}

TEST_F(ReceivePoolTest, ReleasedBufferIsNotLost) {
    expect_ignored(g_posted[0]);
    release(g_posted[0]);
    ASSERT_EQ(g_posted.size(), 3U);
    EXPECT_EQ(g_posted[2], g_posted[0]);
    expect_ignored(g_posted[1]);
    EXPECT_EXIT(cut(g_posted[0]), ::testing::ExitedWithCode(1), kAllLost);
}

TEST_F(ReceivePoolTest, RepostsOnlyAfterAllEarlierMessages) {
    receive(g_posted[0], kMessageBytes, true);
    EXPECT_EQ(g_posted.size(), 2U);
    receive(g_posted[0], 0);
    ASSERT_EQ(g_posted.size(), 3U);
    EXPECT_EQ(g_posted[2], g_posted[0]);
}

class ReceivePoolWithGapsTest : public ReceivePoolTest {
  protected:
    void SetUp() override { open(false); }
};

// Providers may place messages as they like.
TEST_F(ReceivePoolWithGapsTest, MessagesMayLeaveGaps) {
    receive(g_posted[0], 96);
    receive(g_posted[0], 256, true);
    ASSERT_EQ(g_posted.size(), 3U);
    EXPECT_EQ(g_posted[2], g_posted[0]);
}

}  // namespace
}  // namespace armci::pipeline::test
