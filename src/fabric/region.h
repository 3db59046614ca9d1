// SPDX-License-Identifier: BSD-3-Clause
// Registered memory, and what the network may do with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "fabric/fid.h"
#include "fabric/memory_keys.h"

namespace armci::fabric {

// Says what the network may do with registered memory: read and write, only read, only write, only
// what peers write, or everything that peers request.
enum class Access : uint8_t { local, local_source, local_sink, remote_sink, remote };

// The endpoints of libfabric on which memory is registered: those on all rails of an Endpoint, or
// on the first one alone.
using Targets = std::span<fid_ep* const>;

// The registration of memory on one rail. The requested key is in use until the memory, which comes
// after it, is closed. It is invalid if the provider has chosen the key, or the rail has the first
// one's.
struct Registration {
    RequestedKey requested_key;
    FidPtr<fid_mr> memory;
};

// What posts need that name registered memory of this process: its descriptor on each rail. It
// stays valid as long as the registration.
class Descriptors {
  public:
    Descriptors() = default;
    Descriptors(void* first, const Registration* further) : first_(first), further_(further) {}

    bool are_on_all_rails() const { return further_ != nullptr; }
    // Returns nullptr where the memory is not registered.
    void* on_rail(size_t number) const {
        if (number == 0) {
            return first_;
        }
        return further_ == nullptr ? nullptr : fi_mr_desc(further_[number - 1].memory.get());
    }

  private:
    void* first_ = nullptr;
    const Registration* further_ = nullptr;
};

// A Region is registered memory. Remote processes name an address in it by (address_of(pointer),
// key). Domain::register_memory() makes it, and its end is that of the registration.
class Region {
  public:
    struct OnRails {
        Registration first;
        std::unique_ptr<Registration[]> further;  // null if it is registered on the first only
    };

    Region() = default;
    Region(OnRails registrations, size_t further_key_count, uint64_t remote_base)
        : registrations_(std::move(registrations)),
          descriptor_(fi_mr_desc(registrations_.first.memory.get())),
          key_(fi_mr_key(registrations_.first.memory.get())),
          remote_base_(remote_base),
          further_key_count_(further_key_count) {}

    bool valid() const { return registrations_.first.memory != nullptr; }
    Descriptors descriptors() const { return {descriptor_, registrations_.further.get()}; }
    uint64_t key() const { return key_; }
    // Writes its keys on the further rails, if these differ (Domain::further_key_count()) and it is
    // registered there.
    void copy_further_keys(uint64_t* keys) const {
        for (size_t i = 0; registrations_.further != nullptr && i < further_key_count_; ++i) {
            keys[i] = fi_mr_key(registrations_.further[i].memory.get());
        }
    }
    // Returns the address to which remote processes add a byte offset from the region's start.
    uint64_t remote_base() const { return remote_base_; }

  private:
    OnRails registrations_;
    void* descriptor_ = nullptr;
    uint64_t key_ = 0;
    uint64_t remote_base_ = 0;
    size_t further_key_count_ = 0;
};

}  // namespace armci::fabric
