// SPDX-License-Identifier: BSD-3-Clause
// Which options an endpoint sets on its provider, and its error when the provider does not keep
// them; and how a process finds out that immediate data arrives.
#include "fabric/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "fabric/domain.h"
#include "fabric/immediate_data.h"
#include "fabric/provider.h"
#include "raw_client.h"

namespace armci::fabric::test {
namespace {

using ::testing::HasSubstr;

constexpr size_t kMessageBytes = 8192;
constexpr size_t kKeptBytes = 64;

// These replace the provider's own functions: the option is accepted, and changes nothing.
fi_ops_domain g_domain_ops;
fi_ops_ep g_endpoint_ops;
int (*g_open)(fid_domain*, fi_info*, fid_ep**, void*) = nullptr;
bool g_answers = false;

int take_option(fid*, int, int, const void*, size_t) {
    return 0;
}

int tell_option(fid*, int, int, void* value, size_t* bytes) {
    if (!g_answers) {
        return -FI_ENOPROTOOPT;
    }
    std::memcpy(value, &kKeptBytes, sizeof kKeptBytes);
    *bytes = sizeof kKeptBytes;
    return 0;
}

int open_deaf_endpoint(fid_domain* domain, fi_info* info, fid_ep** endpoint, void* context) {
    const int result = g_open(domain, info, endpoint, context);
    if (result == 0) {
        g_endpoint_ops = *(*endpoint)->ops;
        g_endpoint_ops.setopt = take_option;
        g_endpoint_ops.getopt = tell_option;
        (*endpoint)->ops = &g_endpoint_ops;
    }
    return result;
}

class EndpointOptionTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        ASSERT_TRUE(armci::test::open_default_domain(&domain_, 2, &error)) << error;
        g_domain_ops = *domain_.domain()->ops;
        g_open = g_domain_ops.endpoint;
        g_domain_ops.endpoint = open_deaf_endpoint;
        domain_.domain()->ops = &g_domain_ops;
    }
    bool opens(size_t largest_message_bytes, std::string* error) {
        Endpoint endpoint;
        Endpoint::Options options;
        options.largest_message_bytes = largest_message_bytes;
        return endpoint.open(domain_, options, error);
    }

    Domain domain_;
};

TEST_F(EndpointOptionTest, RefusesAProviderThatIgnoresTheOption) {
    g_answers = true;
    std::string error;
    EXPECT_FALSE(opens(kMessageBytes, &error));
    EXPECT_THAT(error, HasSubstr("does not keep room for 8192 bytes in receive buffers "
                                 "(FI_OPT_MIN_MULTI_RECV), only for 64"));
    EXPECT_THAT(error, HasSubstr("ARMCI_PROVIDER"));
    // An endpoint that receives no messages does not set the option.
    EXPECT_TRUE(opens(0, &error)) << error;
}

TEST_F(EndpointOptionTest, AcceptsAProviderThatCannotReportTheOption) {
    g_answers = false;
    std::string error;
    EXPECT_TRUE(opens(kMessageBytes, &error)) << error;
}

fi_ops_rma g_rma_ops;
bool g_takes_writes = false;

ssize_t drop_write(fid_ep*, const void*, size_t, void*, uint64_t, fi_addr_t, uint64_t, uint64_t,
                   void*) {
    return g_takes_writes ? 0 : -FI_ENOSYS;
}

fi_ops g_fid_ops;
int (*g_control)(fid*, int, void*) = nullptr;

// cxi sets its functions in fi_enable, so they are replaced after it.
int enable_without_writedata(fid* object, int command, void* argument) {
    const int result = g_control(object, command, argument);
    auto* endpoint = reinterpret_cast<fid_ep*>(object);
    g_rma_ops = *endpoint->rma;
    g_rma_ops.writedata = drop_write;
    endpoint->rma = &g_rma_ops;
    return result;
}

int open_endpoint_without_writedata(fid_domain* domain, fi_info* info, fid_ep** endpoint,
                                    void* context) {
    const int result = g_open(domain, info, endpoint, context);
    if (result == 0) {
        g_fid_ops = *(*endpoint)->fid.ops;
        g_control = g_fid_ops.control;
        g_fid_ops.control = enable_without_writedata;
        (*endpoint)->fid.ops = &g_fid_ops;
    }
    return result;
}

class ImmediateDataTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string error;
        ASSERT_TRUE(armci::test::open_default_domain(&domain_, 2, &error)) << error;
        if (domain_.row().immediate_data == ImmediateData::no) {
            GTEST_SKIP() << "the provider has no immediate data";
        }
    }
    void replace_writedata() {
        g_domain_ops = *domain_.domain()->ops;
        g_open = g_domain_ops.endpoint;
        g_domain_ops.endpoint = open_endpoint_without_writedata;
        domain_.domain()->ops = &g_domain_ops;
    }

    Domain domain_;
};

TEST_F(ImmediateDataTest, ArrivesAtTheProcessItself) {
    EXPECT_TRUE(immediate_data_works(domain_));
}

TEST_F(ImmediateDataTest, IsNotUsedIfTheProviderHasNoSuchCall) {
    replace_writedata();
    g_takes_writes = false;
    EXPECT_FALSE(immediate_data_works(domain_));
}

TEST_F(ImmediateDataTest, IsNotUsedIfItNeverArrives) {
    replace_writedata();
    g_takes_writes = true;
    EXPECT_FALSE(immediate_data_works(domain_));
}

// Opens endpoints until one has a name of another length than the first.
TEST(EndpointNameTest, AcceptsNamesOfDifferentLengths) {
    ProviderChoice choice = choose_provider({"shm", "", true});
    if (!choice.info) {
        GTEST_SKIP() << choice.error;
    }
    Domain domain;
    std::string error;
    ASSERT_TRUE(domain.open(std::move(choice), 2, &error)) << error;
    Endpoint first;
    ASSERT_TRUE(first.open(domain, {}, &error)) << error;
    for (int others = 0; others < 100; ++others) {
        Endpoint other;
        ASSERT_TRUE(other.open(domain, {}, &error)) << error;
        const size_t bytes = other.address().size();
        EXPECT_EQ(first.address_bytes(other.address().data(), bytes), bytes);
        EXPECT_EQ(first.address_bytes(other.address().data(), bytes - 1), 0u);
        EXPECT_EQ(first.address_bytes("", 1), 0u);
        if (bytes != first.address().size()) {
            EXPECT_EQ(other.address_bytes(first.address().data(), first.address().size()),
                      first.address().size());
            return;
        }
    }
    FAIL() << "all names are as long as " << first.address().data();
}

}  // namespace
}  // namespace armci::fabric::test
