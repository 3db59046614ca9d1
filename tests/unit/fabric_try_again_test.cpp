// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/try_again.h"

#include <gtest/gtest.h>

namespace armci::fabric {
namespace {

TEST(TryAgain, RepeatsWhatIsRefusedForAMoment) {
    int calls = 0;
    EXPECT_EQ(try_again([&] { return ++calls < 4 ? -FI_EAGAIN : 0; }), 0);
    EXPECT_EQ(calls, 4);
}

TEST(TryAgain, ReturnsOtherErrorsAtOnce) {
    int calls = 0;
    EXPECT_EQ(try_again([&] { return ++calls > 0 ? -FI_ENOMEM : 0; }), -FI_ENOMEM);
    EXPECT_EQ(calls, 1);
}

TEST(TryAgain, ReturnsWhatCameAfterTheRefusal) {
    int calls = 0;
    EXPECT_EQ(try_again([&] { return ++calls < 3 ? -FI_EAGAIN : -FI_ENOSPC; }), -FI_ENOSPC);
    EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace armci::fabric
