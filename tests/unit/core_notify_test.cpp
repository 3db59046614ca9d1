// SPDX-License-Identifier: BSD-3-Clause
#include "core/signals/notify.h"

#include <gtest/gtest.h>

namespace armci::core::test {
namespace {

TEST(Notify, ComparesCountsAcrossWrapAround) {
    for (const uint32_t wanted : {1U, 0x7fffffffU, 0x80000000U, 0xffffffffU, 0U}) {
        EXPECT_FALSE(has_arrived(wanted - 1, wanted)) << wanted;
        EXPECT_TRUE(has_arrived(wanted, wanted)) << wanted;
        EXPECT_TRUE(has_arrived(wanted + 1, wanted)) << wanted;
        EXPECT_TRUE(has_arrived(wanted + 1000000000, wanted)) << wanted;
    }
}

}  // namespace
}  // namespace armci::core::test
