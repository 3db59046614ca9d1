// SPDX-License-Identifier: BSD-3-Clause
// Keys for registered memory: random over their whole length, and never two alike at a time.
#include "fabric/memory_keys.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "fabric/provider.h"

namespace armci::fabric {
namespace {

TEST(MemoryKeys, CannotBePredicted) {
    MemoryKeys keys;
    MemoryKeys others;
    std::set<uint64_t> taken;
    uint64_t ones = 0;
    uint64_t zeros = 0;
    for (int i = 0; i < 100; ++i) {
        for (const uint64_t key : {keys.take(8), others.take(8)}) {
            EXPECT_TRUE(taken.insert(key).second);
            ones |= key;
            zeros |= ~key;
        }
    }
    // Every bit has been 1 and 0: that fails by chance once in 2^193 times.
    EXPECT_EQ(ones, UINT64_MAX);
    EXPECT_EQ(zeros, UINT64_MAX);
    EXPECT_FALSE(taken.contains(MemoryKeys::kNone));
}

TEST(MemoryKeys, FillTheLengthThatTheProviderGives) {
    for (const size_t key_bytes : {size_t{1}, size_t{2}, size_t{4}}) {
        MemoryKeys keys;
        uint64_t ones = 0;
        for (int i = 0; i < 200; ++i) {
            const uint64_t key = keys.take(key_bytes);
            EXPECT_LE(key, largest_key(key_bytes));
            ones |= key;
        }
        EXPECT_EQ(ones, largest_key(key_bytes));
    }
    EXPECT_EQ(largest_key(0), UINT64_MAX);
    EXPECT_EQ(largest_key(9), UINT64_MAX);
}

TEST(MemoryKeys, AreNeverTwiceInUse) {
    MemoryKeys keys;
    std::set<uint64_t> taken;
    for (int i = 0; i < 255; ++i) {
        const uint64_t key = keys.take(1);
        EXPECT_NE(key, MemoryKeys::kNone);
        EXPECT_TRUE(taken.insert(key).second);
    }
    EXPECT_EQ(keys.take(1), MemoryKeys::kNone);
    keys.release(7);
    EXPECT_EQ(keys.take(1), 7U);
    EXPECT_EQ(keys.take(1), MemoryKeys::kNone);
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

// What SECURITY.md says of the providers that run here: the library chooses their keys, of 64 bits.
TEST(MemoryKeys, AreTheLibrarysWithSoftwareProviders) {
    int found = 0;
    for (const char* name : {"tcp", "tcp;ofi_rxm", "net", "sockets", "shm"}) {
        ProviderChoice choice = choose_provider({name, "", true});
        if (!choice.info) {
            continue;
        }
        SCOPED_TRACE(name);
        ++found;
        Domain domain;
        std::string error;
        ASSERT_TRUE(domain.open(std::move(choice), 2, &error)) << error;
        EXPECT_FALSE(domain.provider_chooses_keys());
        EXPECT_EQ(domain.key_bits(), 64);
        Endpoint endpoint;
        ASSERT_TRUE(endpoint.open(domain, {}, &error)) << error;
        std::vector<char> memory(4096);
        const Region region = domain.register_memory(memory.data(), memory.size(), Access::remote,
                                                     endpoint.on_rails(), &error);
        ASSERT_TRUE(region.valid()) << error;
        EXPECT_GT(region.key(), uint64_t{1} << 32);  // fails by chance once in 2^32 times
    }
    EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace armci::fabric
