// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory_keys.h"

#include <rdma/fi_domain.h>

#include <utility>

#include "base/random.h"

namespace armci::fabric {
namespace {

// Providers want keys to be unique within a domain; a process has one domain at a time.
MemoryKeys& process_keys() {
    static MemoryKeys keys;
    return keys;
}

}  // namespace

uint64_t largest_key(size_t key_bytes) {
    return key_bytes == 0 || key_bytes >= sizeof(uint64_t) ? UINT64_MAX
                                                           : (uint64_t{1} << (8 * key_bytes)) - 1;
}

uint64_t MemoryKeys::take(size_t key_bytes) {
    const base::MutexLock lock(mutex_);
    const uint64_t largest = largest_key(key_bytes);
    uint64_t key = kNone;
    while (in_use_.size() < largest && base::draw_random(&key, sizeof key)) {
        key &= largest;  // which is one less than a power of two
        if (key != kNone && key != FI_KEY_NOTAVAIL && in_use_.insert(key).second) {
            return key;
        }
    }
    return kNone;
}

void MemoryKeys::release(uint64_t key) {
    const base::MutexLock lock(mutex_);
    in_use_.erase(key);
}

RequestedKey RequestedKey::take(size_t key_bytes) {
    return RequestedKey(process_keys().take(key_bytes));
}

RequestedKey::RequestedKey(RequestedKey&& other) noexcept
    : value_(std::exchange(other.value_, MemoryKeys::kNone)) {}

RequestedKey& RequestedKey::operator=(RequestedKey&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
}

RequestedKey::~RequestedKey() {
    if (valid()) {
        process_keys().release(value_);
    }
}

}  // namespace armci::fabric
