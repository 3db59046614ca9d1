// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/environment.h"

#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "fabric/provider.h"

namespace armci::fabric::test {
namespace {

constexpr const char* kVariable = "FI_OFI_RXM_MSG_RX_SIZE";

// Sets a variable, or unsets it for nullptr, and restores it at the end.
class SetVariable {
  public:
    SetVariable(const char* name, const char* value) : name_(name) {
        const char* before = getenv(name);
        is_set_ = before != nullptr;
        before_ = is_set_ ? before : "";
        set(value);
    }
    ~SetVariable() { set(is_set_ ? before_.c_str() : nullptr); }
    SetVariable(const SetVariable&) = delete;
    SetVariable& operator=(const SetVariable&) = delete;

  private:
    void set(const char* value) const {
        value == nullptr ? unsetenv(name_) : setenv(name_, value, 1);
    }
    const char* name_;
    bool is_set_ = false;
    std::string before_;
};

// Settings of the user who runs the test are ignored in it, and are restored afterwards.
class LibfabricEnvironmentTest : public ::testing::Test {
    const SetVariable unset_{kVariable, nullptr};
};

TEST_F(LibfabricEnvironmentTest, RestoresTheEnvironment) {
    ASSERT_EQ(getenv(kVariable), nullptr);
    {
        const LibfabricEnvironment environment;
        ASSERT_NE(getenv(kVariable), nullptr);
        // A query within a query.
        { const LibfabricEnvironment inner; }
        EXPECT_NE(getenv(kVariable), nullptr);
    }
    EXPECT_EQ(getenv(kVariable), nullptr);
}

// Threads of providers look variables up, so nothing may move the environment while they run.
TEST_F(LibfabricEnvironmentTest, StaysWhereItIsWithinAnother) {
    const LibfabricEnvironment environment;
    char** const before = environ;
    unsetenv(kVariable);
    {
        const LibfabricEnvironment inner;
        EXPECT_EQ(environ, before);
        EXPECT_EQ(getenv(kVariable), nullptr);
    }
    EXPECT_EQ(environ, before);
    EXPECT_NE(getenv("FI_OFI_RXM_CM_PROGRESS_INTERVAL"), nullptr);
}

TEST_F(LibfabricEnvironmentTest, SetsTheDocumentedVariables) {
    const std::pair<const char*, const char*> settings[] = {
        {"FI_OFI_RXM_MSG_RX_SIZE", "128"},
        {"FI_OFI_RXM_BUFFER_SIZE", ofi_rxm_copies_messages() ? "8192" : "256"},
        {"FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100"},
        {"FI_CXI_ENABLE_WRITEDATA", "1"},
        {"FI_TCP_STAGING_SBUF_SIZE", "0"},
        {"FI_NET_STAGING_SBUF_SIZE", "0"},
        {"FI_TCP_MAX_RX_SIZE", "256"}};
    for (const auto& [name, value] : settings) {
        if (name != std::string(kVariable) && getenv(name) != nullptr) {
            continue;  // the user's own
        }
        const LibfabricEnvironment environment;
        EXPECT_STREQ(getenv(name), value);
    }
}

TEST_F(LibfabricEnvironmentTest, KeepsTheSettingOfTheUser) {
    ASSERT_EQ(setenv(kVariable, "77", 1), 0);
    {
        const LibfabricEnvironment environment;
        EXPECT_STREQ(getenv(kVariable), "77");
    }
    EXPECT_STREQ(getenv(kVariable), "77");
}

TEST_F(LibfabricEnvironmentTest, NamesWhatDelaysMessages) {
    const auto with = [](const char* prefix, const char* staging, const char* uring,
                         const char* provider) {
        const SetVariable unset[] = {{"FI_TCP_STAGING_SBUF_SIZE", nullptr},
                                     {"FI_TCP_IO_URING", nullptr},
                                     {"FI_NET_STAGING_SBUF_SIZE", nullptr},
                                     {"FI_NET_IO_URING", nullptr}};
        const std::string first = std::string(prefix) + "STAGING_SBUF_SIZE";
        const std::string second = std::string(prefix) + "IO_URING";
        const SetVariable given[] = {{first.c_str(), staging}, {second.c_str(), uring}};
        const LibfabricEnvironment environment;  // its own values do not delay
        return variables_that_delay(provider);
    };
    EXPECT_EQ(with("FI_TCP_", nullptr, nullptr, "tcp"), "");
    for (const char* off : {"0", "0x0", "", "-1", "none"}) {
        EXPECT_EQ(with("FI_TCP_", off, nullptr, "tcp"), "");
    }
    for (const char* off : {"0", "False", "", "2"}) {
        EXPECT_EQ(with("FI_NET_", nullptr, off, "net"), "");
    }
    EXPECT_EQ(with("FI_TCP_", "9000", nullptr, "tcp;ofi_rxm"), "FI_TCP_STAGING_SBUF_SIZE=9000");
    EXPECT_EQ(with("FI_NET_", "0x40", "Yes", "net"),
              "FI_NET_STAGING_SBUF_SIZE=0x40, FI_NET_IO_URING=Yes");
    EXPECT_EQ(with("FI_NET_", "64", nullptr, "net;ofi_rxm"), "FI_NET_STAGING_SBUF_SIZE=64");
    EXPECT_EQ(with("FI_NET_", "64", "1", "tcp"), "");
    EXPECT_EQ(with("FI_TCP_", "64", "1", "net"), "");
    EXPECT_EQ(with("FI_TCP_", "64", "1", "sockets"), "");
    // The tcp of 1.17 does not have it.
    EXPECT_EQ(with("FI_TCP_", nullptr, "1", "tcp"),
              FI_VERSION_GE(fi_version(), FI_VERSION(1, 18)) ? "FI_TCP_IO_URING=1" : "");
}

int64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    int64_t size = 0;
    int64_t resident = 0;
    file >> size >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

constexpr size_t kLongestBytes = 8192;  // of a message

struct Message {
    Operation operation;  // comes first, so that its address is the message's
    bool is_complete = false;
    size_t bytes = 0;

    Message() {
        operation.complete = [](Operation* done, const Completion& completion) {
            auto* message = reinterpret_cast<Message*>(done);
            message->is_complete = true;
            message->bytes = completion.bytes;
        };
    }
};

// The settings limit what an endpoint takes of the system when it opens, and when it first sends
// and receives.
TEST_F(LibfabricEnvironmentTest, EndpointsAreSmall) {
    ProviderChoice choice = choose_provider({"tcp", "", true});
    if (!choice.info) {
        GTEST_SKIP() << choice.error;
    }
    std::string error;
    Domain domain;
    ASSERT_TRUE(domain.open(std::move(choice), 4, &error)) << error;
    std::vector<char> sent(kLongestBytes, 'x');
    std::vector<char> buffer(4 * kLongestBytes);
    Message send;
    Message receive;
    const int64_t before = resident_bytes();
    Endpoint endpoint;
    Endpoint::Options options;
    options.receive_entries = 4;
    options.largest_message_bytes = kLongestBytes;
    ASSERT_TRUE(endpoint.open(domain, options, &error)) << error;
    const PeerAddress self = endpoint.insert_peer(endpoint.address().data());
    // It leaves although nobody waits for it.
    for (bool is_sent = false; !send.is_complete;) {
        is_sent =
            is_sent || endpoint.post_send(self, sent.data(), sent.size(), {}, &send.operation);
        endpoint.poll();
        sched_yield();
    }
    ASSERT_TRUE(endpoint.post_multi_receive(buffer.data(), buffer.size(), {}, &receive.operation));
    while (!receive.is_complete) {
        endpoint.poll();
        sched_yield();
    }
    EXPECT_EQ(receive.bytes, kLongestBytes);
    EXPECT_EQ(std::string(buffer.data(), kLongestBytes), std::string(kLongestBytes, 'x'));
    EXPECT_LT(resident_bytes() - before, ofi_rxm_copies_messages() ? 32 << 20 : 8 << 20);
}

}  // namespace
}  // namespace armci::fabric::test
