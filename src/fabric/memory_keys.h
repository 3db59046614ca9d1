// SPDX-License-Identifier: BSD-3-Clause
// The keys that are requested for registered memory if the provider does not choose them itself.
//
// Who has a key may read and write the memory by RMA. So keys are random over the whole length that
// the provider gives them: a stranger can only guess.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "base/mutex.h"

namespace armci::fabric {

// Returns the largest key of that length; 0 bytes mean any length.
uint64_t largest_key(size_t key_bytes);

// Thread-safe.
class MemoryKeys {
  public:
    static constexpr uint64_t kNone = 0;

    // Returns a random key that is not in use. Returns kNone if all that fit in `key_bytes` bytes
    // (0: any number) are in use, or the system refuses random numbers.
    uint64_t take(size_t key_bytes);
    void release(uint64_t key);

  private:
    base::Mutex mutex_;
    std::unordered_set<uint64_t> in_use_ ARMCI_GUARDED_BY(mutex_);
};

// A RequestedKey is one key of the process. Its destructor releases the key.
class RequestedKey {
  public:
    RequestedKey() = default;
    static RequestedKey take(size_t key_bytes);
    RequestedKey(RequestedKey&& other) noexcept;
    RequestedKey& operator=(RequestedKey&& other) noexcept;
    ~RequestedKey();

    bool valid() const { return value_ != MemoryKeys::kNone; }
    uint64_t value() const { return value_; }

  private:
    explicit RequestedKey(uint64_t value) : value_(value) {}
    uint64_t value_ = MemoryKeys::kNone;
};

}  // namespace armci::fabric
