// SPDX-License-Identifier: BSD-3-Clause
// Random mixes of everything, many operations under way at once, to all targets.
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

// Integers wrap, so any number of accumulates of what was got before stays exact.
TEST(Stress, MixOfInts) {
    check_mix(ARMCI_ACC_INT);
}

TEST(Stress, MixOfLongs) {
    check_mix(ARMCI_ACC_LNG);
}

}  // namespace
}  // namespace armci::mp
