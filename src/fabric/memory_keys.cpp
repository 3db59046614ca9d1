// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory_keys.h"

#include <algorithm>
#include <utility>

namespace armci::fabric {
namespace {

// Providers want keys to be unique within a domain; a process has one domain at a time.
MemoryKeys& process_keys() {
    static MemoryKeys keys;
    return keys;
}

uint64_t largest_key(size_t key_bytes) {
    return key_bytes == 0 || key_bytes >= sizeof(uint64_t) ? UINT64_MAX
                                                           : (uint64_t{1} << (8 * key_bytes)) - 1;
}

}  // namespace

uint64_t MemoryKeys::take(size_t key_bytes) {
    const base::MutexLock lock(mutex_);
    const uint64_t largest = largest_key(key_bytes);
    if (next_ <= largest) {
        return next_++;
    }
    const auto fitting = std::find_if(returned_.begin(), returned_.end(),
                                      [&](uint64_t key) { return key <= largest; });
    if (fitting == returned_.end()) {
        return kNone;
    }
    const uint64_t key = *fitting;
    returned_.erase(fitting);
    return key;
}

void MemoryKeys::release(uint64_t key) {
    const base::MutexLock lock(mutex_);
    returned_.push_back(key);
}

RequestedKey RequestedKey::take(size_t key_bytes) {
    const bool is_scarce = largest_key(key_bytes) < UINT64_MAX;
    return RequestedKey(process_keys().take(key_bytes), is_scarce);
}

RequestedKey::RequestedKey(RequestedKey&& other) noexcept
    : value_(std::exchange(other.value_, MemoryKeys::kNone)), is_scarce_(other.is_scarce_) {}

RequestedKey& RequestedKey::operator=(RequestedKey&& other) noexcept {
    std::swap(value_, other.value_);
    std::swap(is_scarce_, other.is_scarce_);
    return *this;
}

RequestedKey::~RequestedKey() {
    if (valid() && is_scarce_) {
        process_keys().release(value_);
    }
}

}  // namespace armci::fabric
