// SPDX-License-Identifier: BSD-3-Clause
// Random mixes of all operations, many under way at once, to all targets.
#include <gtest/gtest.h>

#include "stress_mix.h"

namespace armci::mp {
namespace {

void check_mix(int type) {
    for (int64_t round = 0; round < 2; ++round) {
        Mix mix(type, static_cast<uint64_t>(round));
        for (int64_t step = 0; step < scaled(600) && !testing::Test::HasFailure(); ++step) {
            mix.step();
        }
        mix.check();
    }
}

// Integers wrap around, so any number of accumulates of values that were fetched before stays
// exact.
TEST(Stress, MixOfInts) {
    check_mix(ARMCI_ACC_INT);
}

TEST(Stress, MixOfLongs) {
    check_mix(ARMCI_ACC_LNG);
}

}  // namespace
}  // namespace armci::mp
