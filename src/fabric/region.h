// SPDX-License-Identifier: BSD-3-Clause
// Registered memory, and what the network may do with it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "fabric/fid.h"
#include "fabric/memory_keys.h"

namespace armci::fabric {

// Says what the network may do with registered memory: read and write, only read, only write, only
// what peers write, or everything that peers request.
enum class Access : uint8_t { local, local_source, local_sink, remote_sink, remote };

// A Region is registered memory. Remote processes name an address in it by (address_of(pointer),
// key). Domain::register_memory() makes it, and its end is that of the registration.
class Region {
  public:
    struct Registrations {
        FidPtr<fid_mr> first;
        std::unique_ptr<FidPtr<fid_mr>[]> on_rails;  // with the same key; may be null
    };

    Region() = default;
    // `requested_key` is invalid if the provider has chosen the key.
    Region(RequestedKey requested_key, Registrations registrations, uint64_t remote_base)
        : requested_key_(std::move(requested_key)),
          registrations_(std::move(registrations)),
          descriptor_(fi_mr_desc(registrations_.first.get())),
          key_(fi_mr_key(registrations_.first.get())),
          remote_base_(remote_base) {}

    bool valid() const { return registrations_.first != nullptr; }
    void* descriptor() const { return descriptor_; }
    uint64_t key() const { return key_; }
    // Returns the address to which remote processes add a byte offset from the region's start.
    uint64_t remote_base() const { return remote_base_; }

  private:
    RequestedKey requested_key_;  // in use until the registrations are closed, which come after it
    Registrations registrations_;
    void* descriptor_ = nullptr;
    uint64_t key_ = 0;
    uint64_t remote_base_ = 0;
};

}  // namespace armci::fabric
