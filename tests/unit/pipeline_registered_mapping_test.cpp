// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/buffers/registered_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "fabric/faults.h"
#include "pipeline/buffers/registered_buffers.h"
#include "raw_client.h"

namespace armci::pipeline::test {
namespace {

using fabric::Access;
using ::testing::HasSubstr;

constexpr size_t kBytes = 64 << 10;
constexpr size_t kTooManyBytes = size_t{1} << 54;

// A network whose domain wants local memory registered, and takes so many registrations.
class RegistrationTest : public ::testing::Test {
  protected:
    void SetUp() override {
        allow(1);
        ASSERT_TRUE(armci::test::open_default_domain(&domain_, 2, &error_)) << error_;
        ASSERT_TRUE(endpoint_.open(domain_, {}, &error_)) << error_;
    }
    void TearDown() override { fabric::set_faults({}); }
    static void allow(int64_t registrations) {
        fabric::set_faults({.registrations = registrations, .local_registration_needed = true});
    }

    std::string error_;
    fabric::Domain domain_;
    fabric::Endpoint endpoint_;
};

class RegisteredMappingTest : public RegistrationTest {
  protected:
    bool make_accessible(Access access) {
        return mapping_.make_accessible(domain_, endpoint_.on_rails(), access, &error_);
    }
    RegisteredMapping mapping_;
};

TEST_F(RegisteredMappingTest, HoldsZeros) {
    ASSERT_TRUE(mapping_.map(kBytes));
    EXPECT_EQ(mapping_.bytes(), kBytes);
    EXPECT_TRUE(std::all_of(mapping_.data(), mapping_.data() + kBytes,
                            [](char byte) { return byte == 0; }));
}

TEST_F(RegisteredMappingTest, RegistersAllOfIt) {
    ASSERT_TRUE(mapping_.map(kBytes));
    ASSERT_TRUE(make_accessible(Access::local)) << error_;
    EXPECT_TRUE(fabric::is_registered(mapping_.data(), kBytes, mapping_.descriptors().on_rail(0)));
    EXPECT_FALSE(
        fabric::is_registered(mapping_.data(), kBytes + 1, mapping_.descriptors().on_rail(0)));
}

TEST_F(RegisteredMappingTest, RemoteAddressesAreAsFarApartAsPlaces) {
    ASSERT_TRUE(mapping_.map(kBytes));
    ASSERT_TRUE(make_accessible(Access::remote)) << error_;
    EXPECT_EQ(
        mapping_.remote_address(mapping_.data() + 4711) - mapping_.remote_address(mapping_.data()),
        4711U);
}

TEST_F(RegisteredMappingTest, KeepsTheMappingWhenRegistrationIsRefused) {
    allow(0);
    ASSERT_TRUE(mapping_.map(kBytes));
    EXPECT_FALSE(make_accessible(Access::local));
    EXPECT_THAT(error_, HasSubstr("fi_mr_reg"));
    EXPECT_NE(mapping_.data(), nullptr);
    EXPECT_EQ(mapping_.descriptors().on_rail(0), nullptr);
    allow(1);
    EXPECT_TRUE(make_accessible(Access::local)) << error_;
}

TEST_F(RegisteredMappingTest, FailsWithoutMemory) {
    EXPECT_FALSE(mapping_.map(kTooManyBytes));
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(mapping_.data(), nullptr);
}

TEST_F(RegisteredMappingTest, CloseEndsRegistrationAndMapping) {
    ASSERT_TRUE(mapping_.map(kBytes));
    ASSERT_TRUE(make_accessible(Access::remote)) << error_;
    mapping_.close();
    EXPECT_EQ(mapping_.data(), nullptr);
    EXPECT_EQ(mapping_.bytes(), 0U);
    EXPECT_EQ(mapping_.descriptors().on_rail(0), nullptr);
    EXPECT_EQ(mapping_.key(), 0U);
    mapping_.close();
}

class RegisteredBuffersTest : public RegistrationTest {
  protected:
    bool open(size_t buffer_count, size_t buffer_bytes) {
        return buffers_.open(buffer_count, buffer_bytes, domain_, endpoint_.on_rails(),
                             Access::local, &error_);
    }
    void* descriptor_of(const void* piece) const { return buffers_.descriptors(piece).on_rail(0); }
    RegisteredBuffers buffers_;
};

TEST_F(RegisteredBuffersTest, RegistersEachBufferWhenItIsNeeded) {
    allow(4);
    ASSERT_TRUE(open(4, 4096)) << error_;
    auto* first = static_cast<char*>(buffers_.acquire(4096));
    EXPECT_EQ(buffers_.manager().ready_count(), 1U);
    buffers_.release(first);
    for (size_t i = 0; i < 16; ++i) {
        void* piece = buffers_.acquire(1024);
        ASSERT_NE(piece, nullptr);
        EXPECT_TRUE(fabric::is_registered(piece, 1024, descriptor_of(piece)));
        EXPECT_FALSE(fabric::is_registered(piece, 4097, descriptor_of(piece)));
        EXPECT_EQ(buffers_.manager().ready_count(), i / 4 + 1);
    }
    EXPECT_EQ(buffers_.acquire(1), nullptr);
    EXPECT_EQ(descriptor_of(first), descriptor_of(first + 4095));
    EXPECT_NE(descriptor_of(first), descriptor_of(first + 4096));
    buffers_.close();
    EXPECT_EQ(descriptor_of(first), nullptr);
    buffers_.close();
    EXPECT_FALSE(open(2, 8192)) << "the registrations that were allowed have been made";
    allow(1);
    ASSERT_TRUE(open(2, 8192)) << error_;
    EXPECT_EQ(buffers_.manager().used_bytes(), 0U);
    EXPECT_EQ(buffers_.manager().high_water_bytes(), 0U);
}

TEST_F(RegisteredBuffersTest, TooLongRequestsTakeNoBuffer) {
    allow(4);
    ASSERT_TRUE(open(4, 4096)) << error_;
    EXPECT_EQ(buffers_.acquire(4097), nullptr);
    EXPECT_EQ(buffers_.manager().ready_count(), 1U);
}

TEST_F(RegisteredBuffersTest, MakesDoWithTheBuffersThatCouldBeRegistered) {
    allow(2);
    ASSERT_TRUE(open(4, 4096)) << error_;
    void* first = buffers_.acquire(4096);
    ASSERT_NE(buffers_.acquire(4096), nullptr);
    testing::internal::CaptureStderr();
    EXPECT_EQ(buffers_.acquire(4096), nullptr);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("2 of the pipeline's buffers are registered, and no more can be"));
    allow(1);
    EXPECT_EQ(buffers_.acquire(4096), nullptr) << "it warns once, and does not try again";
    buffers_.release(first);
    EXPECT_EQ(buffers_.acquire(4096), first);
}

TEST_F(RegisteredBuffersTest, FailsWhenRegistrationIsRefused) {
    allow(0);
    EXPECT_FALSE(open(4, 4096));
    EXPECT_THAT(error_, HasSubstr("fi_mr_reg"));
    buffers_.close();
    allow(1);
    EXPECT_TRUE(open(4, 4096)) << error_;
    EXPECT_NE(buffers_.acquire(4096), nullptr);
}

TEST_F(RegisteredBuffersTest, FailsWithoutMemory) {
    EXPECT_FALSE(open(size_t{1} << 30, size_t{1} << 24));
    EXPECT_THAT(error_, HasSubstr("no memory for 1073741824 pipeline buffers of 16777216 bytes"));
    EXPECT_TRUE(open(4, 4096)) << "nothing was registered before: " << error_;
}

}  // namespace
}  // namespace armci::pipeline::test
