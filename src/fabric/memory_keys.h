// SPDX-License-Identifier: BSD-3-Clause
// The keys that are requested for registered memory if the provider does not choose them itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/mutex.h"

namespace armci::fabric {

// Thread-safe. A key is used again only when there are no new ones: some providers have only 65536,
// and with any other a late access by an old key should meet no memory.
class MemoryKeys {
  public:
    static constexpr uint64_t kNone = 0;

    // Returns kNone if all keys that fit in `key_bytes` bytes (0: any number) are in use.
    uint64_t take(size_t key_bytes);
    void release(uint64_t key);

  private:
    base::Mutex mutex_;
    uint64_t next_ ARMCI_GUARDED_BY(mutex_) = 1;
    std::deque<uint64_t> returned_ ARMCI_GUARDED_BY(mutex_);  // the oldest first
};

// A RequestedKey is one key of the process. If the key is short, the destructor releases it for use
// again.
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
    RequestedKey(uint64_t value, bool is_scarce) : value_(value), is_scarce_(is_scarce) {}
    uint64_t value_ = MemoryKeys::kNone;
    bool is_scarce_ = false;  // so short that it must be used again
};

}  // namespace armci::fabric
