// SPDX-License-Identifier: BSD-3-Clause
// When receive buffers are posted again, and what takes the places of those that a provider keeps
// for messages that are too long or never arrive completely.
#include "pipeline/buffers/receive_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/strangers.h"
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

// The endpoint's completion queue, and the one error that it reports.
fid_cq* g_queue = nullptr;
int (*g_open_queue)(fid_domain*, fi_cq_attr*, fid_cq**, void*) = nullptr;
fi_cq_err_entry g_error{};

int keep_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** queue, void* context) {
    const int result = g_open_queue(domain, attributes, queue, context);
    g_queue = *queue;
    return result;
}

ssize_t say_error(fid_cq*, void*, size_t) {
    return -FI_EAVAIL;
}

ssize_t read_error(fid_cq*, fi_cq_err_entry* entry, uint64_t) {
    *entry = g_error;
    return 1;
}

class ReceivePoolTest : public ::testing::Test {
  protected:
    void SetUp() override { open(true); }
    void open(bool ends_early) {
        g_posted.clear();
        std::string error;
        row_ = fabric::provider_row("a name that no provider has");
        row_.ends_early = ends_early;
        ASSERT_TRUE(armci::test::open_default_domain(&domain_, 2, &error, &row_)) << error;
        domain_ops_ = *domain_.domain()->ops;
        g_open_queue = domain_ops_.cq_open;
        domain_ops_.cq_open = keep_queue;
        domain_.domain()->ops = &domain_ops_;
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
    // A message that is too long arrives in that buffer, or one is broken off.
    static void cut(fabric::Operation* buffer) {
        base::forget_strangers();
        const armci::test::StderrCapture captured;
        buffer->complete(buffer, {.cut = true});
        EXPECT_THAT(captured.text(),
                    ::testing::HasSubstr("dropped a message of more than 8192 bytes"));
    }
    static void break_off(fabric::Operation* buffer) {
        base::forget_strangers();
        const armci::test::StderrCapture captured;
        buffer->complete(buffer, {.broken = true});
        EXPECT_THAT(captured.text(),
                    ::testing::HasSubstr("dropped a message that did not arrive completely"));
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

    // The provider reports that a message for that buffer is lost.
    void report_error(fabric::Operation* buffer, int error) {
        g_error = {};
        g_error.op_context = buffer;
        g_error.flags = FI_RECV;
        g_error.err = error;
        queue_ops_ = *g_queue->ops;
        queue_ops_.read = say_error;
        queue_ops_.readerr = read_error;
        const fi_ops_cq* before = std::exchange(g_queue->ops, &queue_ops_);
        base::forget_strangers();
        const armci::test::StderrCapture captured;
        endpoint_.poll();
        EXPECT_THAT(captured.text(),
                    ::testing::HasSubstr("dropped a message that did not arrive completely"));
        g_queue->ops = const_cast<fi_ops_cq*>(before);
    }

    static constexpr size_t kLargestBytes = 8192;
    static constexpr size_t kMessageBytes = 64;
    fabric::ProviderRow row_{};
    fabric::Domain domain_;
    fi_ops_domain domain_ops_{};
    fi_ops_cq queue_ops_{};
    fi_ops_msg message_ops_{};
    fabric::Endpoint endpoint_;
    ReceivePool pool_;
};

// Others take the places of buffers that a provider keeps, or does not say it has forgotten.
TEST_F(ReceivePoolTest, ReplacesBuffersThatAreAway) {
    cut(g_posted[0]);
    cut(g_posted[0]);
    EXPECT_EQ(g_posted.size(), 2U);
    break_off(g_posted[1]);
    ASSERT_EQ(g_posted.size(), 4U);
    EXPECT_NE(g_data[g_posted[2]], g_data[g_posted[0]]);
    EXPECT_NE(g_data[g_posted[3]], g_data[g_posted[1]]);
    receive(g_posted[2], 0);
}

// The memory for them has a limit, however many messages are broken off.
TEST_F(ReceivePoolTest, MemoryHasALimit) {
    for (size_t i = 0; i < g_posted.size(); ++i) {
        break_off(g_posted[i]);
    }
    EXPECT_EQ(g_posted.size(), 8U);
}

TEST_F(ReceivePoolTest, ReleasedBufferIsPostedAgain) {
    cut(g_posted[0]);
    release(g_posted[0]);
    ASSERT_EQ(g_posted.size(), 3U);
    EXPECT_EQ(g_posted[2], g_posted[0]);
    break_off(g_posted[1]);
    EXPECT_EQ(g_posted.size(), 3U);  // the other one is there
}

// A provider that forgets a buffer without a word gets it back at once.
TEST_F(ReceivePoolTest, ForgottenBufferIsPostedAtOnce) {
    row_.forgets_cut = true;
    const bool forgets = FI_VERSION_LT(fi_version(), FI_VERSION(2, 0));
    EXPECT_EQ(domain_.forgets_cut(), forgets);
    if (!forgets) {
        GTEST_SKIP() << "this libfabric says when it releases a buffer";
    }
    for (int i = 0; i < 100; ++i) {
        cut(g_posted[0]);
        ASSERT_EQ(g_posted.back(), g_posted[0]);
    }
    EXPECT_EQ(g_posted.size(), 102U);
    // But not before earlier messages in it have come.
    receive(g_posted[0], kMessageBytes);
    cut(g_posted[0]);
    EXPECT_EQ(g_posted.size(), 102U);
    receive(g_posted[0], 0);
    EXPECT_EQ(g_posted.size(), 103U);
}

TEST_F(ReceivePoolTest, RepostsOnlyAfterAllEarlierMessages) {
    receive(g_posted[0], kMessageBytes, true);
    EXPECT_EQ(g_posted.size(), 2U);
    receive(g_posted[0], 0);
    ASSERT_EQ(g_posted.size(), 3U);
    EXPECT_EQ(g_posted[2], g_posted[0]);
}

// The sender of a long message disappears after later messages have filled the buffer.
TEST_F(ReceivePoolTest, MessageIsLostAfterTheEndOfItsBuffer) {
    receive(g_posted[0], kMessageBytes, true);
    report_error(g_posted[0], FI_ENOTCONN);
    EXPECT_EQ(g_posted.size(), 2U);
    report_error(g_posted[0], FI_ECANCELED);
    EXPECT_EQ(g_posted.size(), 2U);
    receive(g_posted[0], 0);
    EXPECT_EQ(g_posted.size(), 3U);
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
