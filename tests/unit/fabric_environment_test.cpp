// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/environment.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "fabric/provider.h"

namespace armci::fabric::test {
namespace {

constexpr const char* kVariable = "FI_OFI_RXM_MSG_RX_SIZE";

// Settings of the user who runs the test are ignored in it, and are restored afterwards.
class LibfabricEnvironmentTest : public ::testing::Test {
  protected:
    void SetUp() override {
        const char* value = getenv(kVariable);
        is_set_ = value != nullptr;
        before_ = is_set_ ? value : "";
        unsetenv(kVariable);
    }
    void TearDown() override {
        if (is_set_) {
            setenv(kVariable, before_.c_str(), 1);
        } else {
            unsetenv(kVariable);
        }
    }

  private:
    bool is_set_ = false;
    std::string before_;
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

TEST_F(LibfabricEnvironmentTest, SetsTheDocumentedVariables) {
    const std::pair<const char*, const char*> settings[] = {
        {"FI_OFI_RXM_MSG_RX_SIZE", "128"},
        {"FI_OFI_RXM_BUFFER_SIZE", "8192"},
        {"FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100"},
        {"FI_CXI_ENABLE_WRITEDATA", "1"}};
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

int64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    int64_t size = 0;
    int64_t resident = 0;
    file >> size >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

// The settings limit what an endpoint takes of the system.
TEST_F(LibfabricEnvironmentTest, EndpointsAreSmall) {
    ProviderChoice choice = choose_provider({"tcp", "", true});
    if (!choice.info) {
        GTEST_SKIP() << choice.error;
    }
    std::string error;
    Domain domain;
    ASSERT_TRUE(domain.open(std::move(choice), 4, &error)) << error;
    const int64_t before = resident_bytes();
    Endpoint endpoint;
    Endpoint::Options options;
    options.receive_entries = 4;
    ASSERT_TRUE(endpoint.open(domain, options, &error)) << error;
    EXPECT_LT(resident_bytes() - before, 32 << 20);
}

}  // namespace
}  // namespace armci::fabric::test
