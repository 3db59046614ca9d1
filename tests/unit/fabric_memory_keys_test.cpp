// SPDX-License-Identifier: BSD-3-Clause
// Keys for registered memory: new ones while there are any, then released ones.
#include "fabric/memory_keys.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace armci::fabric {
namespace {

TEST(MemoryKeys, ReusesNoKeyWhileNewOnesExist) {
    MemoryKeys keys;
    const uint64_t first = keys.take(8);
    keys.release(first);
    EXPECT_NE(keys.take(8), first);
    EXPECT_NE(keys.take(0), first);
}

TEST(MemoryKeys, ReusesReleasedOneByteKeys) {
    MemoryKeys keys;
    std::set<uint64_t> taken;
    for (int i = 0; i < 255; ++i) {
        const uint64_t key = keys.take(1);
        EXPECT_NE(key, MemoryKeys::kNone);
        EXPECT_LE(key, 255U);
        EXPECT_TRUE(taken.insert(key).second);
    }
    EXPECT_EQ(keys.take(1), MemoryKeys::kNone);
    keys.release(7);
    keys.release(3);
    EXPECT_EQ(keys.take(1), 7U);
    EXPECT_EQ(keys.take(1), 3U);
    EXPECT_EQ(keys.take(1), MemoryKeys::kNone);
}

TEST(MemoryKeys, NeverReusesLongKeysForShortOnes) {
    MemoryKeys keys;
    std::vector<uint64_t> taken;
    for (int i = 0; i < 300; ++i) {
        taken.push_back(keys.take(2));
    }
    for (size_t i = taken.size(); i-- > 0;) {  // the long ones are first in the list
        keys.release(taken[i]);
    }
    EXPECT_EQ(keys.take(1), 255U);
}

TEST(RequestedKey, IsReleasedOnce) {
    RequestedKey key = RequestedKey::take(8);
    ASSERT_TRUE(key.valid());
    const uint64_t value = key.value();
    RequestedKey other = std::move(key);
    EXPECT_EQ(other.value(), value);
    EXPECT_FALSE(key.valid());
    other = RequestedKey();
    EXPECT_FALSE(other.valid());
}

}  // namespace
}  // namespace armci::fabric
