// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server_fixture.h"
#include "stderr_capture.h"

namespace armci::fabric::test {
namespace {

using armci::test::NetworkOptions;
using armci::test::StderrCapture;
using armci::test::TestNetwork;
using ::testing::HasSubstr;

// Faults that a test sets are removed afterwards.
class FaultsTest : public ::testing::Test {
  protected:
    void TearDown() override { set_faults(Faults{}); }
};

TEST_F(FaultsTest, ParsesEveryKeyword) {
    Faults faults;
    std::string error;
    ASSERT_TRUE(
        parse_faults("eagain=3/4,burst=5,seed=-6,mr_local,mr_count=7,mr_bytes=8K,"
                     "mr_refused=local,rail_keys,rails_short,no_delivery",
                     &faults, &error))
        << error;
    EXPECT_EQ(faults.refused_posts, 3);
    EXPECT_EQ(faults.of_posts, 4);
    EXPECT_EQ(faults.posts_in_burst, 5);
    EXPECT_EQ(faults.seed, -6);
    EXPECT_TRUE(faults.local_registration_needed);
    EXPECT_EQ(faults.registrations, 7);
    EXPECT_EQ(faults.registration_bytes, 8192);
    EXPECT_TRUE(faults.limit_local);
    EXPECT_FALSE(faults.limit_remote);
    EXPECT_TRUE(faults.rail_keys_differ);
    EXPECT_TRUE(faults.divides_short);
    EXPECT_TRUE(faults.without_delivery);
}

TEST_F(FaultsTest, EmptyListSetsNoFault) {
    Faults faults;
    faults.refused_posts = 9;
    std::string error;
    ASSERT_TRUE(parse_faults("", &faults, &error));
    EXPECT_EQ(faults.refused_posts, 0);
    EXPECT_FALSE(faults.local_registration_needed);
    EXPECT_EQ(faults.registrations, INT64_MAX);
}

TEST_F(FaultsTest, RefusesMalformedLists) {
    for (const char* text :
         {"x", "eagain", "eagain=", "eagain=1", "eagain=4/4", "eagain=0/4", "eagain=1/", "burst=0",
          "seed=x", "mr_local=1", "rail_keys=1", "mr_count=-1", "mr_bytes=1X", "mr_refused=all",
          ",", "mr_local,", ",mr_local", " mr_local", "mr_local mr_count=1"}) {
        Faults faults;
        faults.seed = 42;
        std::string error;
        EXPECT_FALSE(parse_faults(text, &faults, &error)) << text;
        EXPECT_THAT(error, HasSubstr(std::string("ARMCI_FAULTS=\"") + text + "\" is not"));
        EXPECT_EQ(faults.seed, 42) << text;
    }
}

TEST_F(FaultsTest, RefusesPostsInBurstsAtTheRequestedRate) {
    Faults faults;
    faults.refused_posts = 3;
    faults.of_posts = 4;
    faults.posts_in_burst = 5;
    set_faults(faults);
    ASSERT_TRUE(has_post_faults());
    int refused = 0;
    for (int burst = 0; burst < 10000; ++burst) {
        const bool fate = post_is_refused();
        refused += fate ? 1 : 0;
        for (int i = 1; i < 5; ++i) {
            ASSERT_EQ(post_is_refused(), fate) << "post " << i << " of burst " << burst;
        }
    }
    EXPECT_NEAR(refused, 7500, 300);  // seven standard deviations
}

TEST_F(FaultsTest, SeedDeterminesThePattern) {
    const auto pattern = [](int64_t seed) {
        Faults faults;
        faults.refused_posts = 1;
        faults.of_posts = 2;
        faults.seed = seed;
        set_faults(faults);
        uint64_t bits = 0;
        for (int i = 0; i < 64; ++i) {
            bits = 2 * bits + (post_is_refused() ? 1 : 0);
        }
        return bits;
    };
    const uint64_t first = pattern(1);
    EXPECT_NE(pattern(2), first);
    EXPECT_EQ(pattern(1), first);
}

TEST_F(FaultsTest, RefusesRegistrationsBeyondTheirNumberOrSize) {
    Faults faults;
    faults.registrations = 2;
    faults.registration_bytes = 100;
    faults.limit_remote = false;
    set_faults(faults);
    EXPECT_FALSE(registration_is_refused(1000, Access::remote));
    EXPECT_FALSE(registration_is_refused(100, Access::local));
    EXPECT_TRUE(registration_is_refused(101, Access::local));
    EXPECT_TRUE(registration_is_refused(1, Access::local));
    EXPECT_TRUE(registration_is_refused(1, Access::local_source));
    EXPECT_TRUE(registration_is_refused(1, Access::local_sink));
    EXPECT_FALSE(registration_is_refused(1, Access::remote));
}

TEST_F(FaultsTest, MemoryIsRegisteredOnlyInsideItsRegistration) {
    char memory[64] = {};
    int descriptor = 0;
    EXPECT_TRUE(is_registered(memory, 64, nullptr)) << "no provider wants it";
    Faults faults;
    faults.local_registration_needed = true;
    set_faults(faults);
    remember_registration(memory + 8, 32, &descriptor);
    EXPECT_TRUE(is_registered(memory + 8, 32, &descriptor));
    EXPECT_FALSE(is_registered(memory + 7, 32, &descriptor));
    EXPECT_FALSE(is_registered(memory + 9, 32, &descriptor));
    EXPECT_FALSE(is_registered(memory + 8, 32, nullptr));
}

// --- What they do to the layers above ------------------------------------------------------------

TEST_F(FaultsTest, StartFailsWithAReasonWhenNothingCanBeRegistered) {
    Faults faults;
    faults.local_registration_needed = true;
    faults.registrations = 0;
    set_faults(faults);
    const TestNetwork network{NetworkOptions{}};
    EXPECT_THAT(network.error(), HasSubstr("fi_mr_reg"));
    EXPECT_THAT(network.error(), HasSubstr("Cannot allocate memory"));
}

// Global memory exceeds the limit, not what the library itself needs.
TEST_F(FaultsTest, ReachesUnregisteredMemoryThroughTheServer) {
    Faults faults;
    faults.registrations = 0;
    faults.limit_local = false;
    set_faults(faults);
    StderrCapture captured;
    NetworkOptions options;
    options.write_chunks = false;
    const TestNetwork network{options};
    EXPECT_EQ(network.error(), "");
    EXPECT_FALSE(network.is_registered(0));
    EXPECT_THAT(captured.text(), HasSubstr("cannot be registered for direct access"));
    EXPECT_THAT(captured.text(), HasSubstr("ulimit -l"));
}

}  // namespace
}  // namespace armci::fabric::test
