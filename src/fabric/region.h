// SPDX-License-Identifier: BSD-3-Clause
// Registered memory, and what the network may do with it.
#pragma once

#include <cstdint>
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
    Region() = default;
    // `requested_key` is invalid if the provider has chosen the key.
    Region(RequestedKey requested_key, FidPtr<fid_mr> mr, uint64_t remote_base)
        : requested_key_(std::move(requested_key)),
          mr_(std::move(mr)),
          descriptor_(fi_mr_desc(mr_.get())),
          key_(fi_mr_key(mr_.get())),
          remote_base_(remote_base) {}

    bool valid() const { return mr_ != nullptr; }
    void* descriptor() const { return descriptor_; }
    uint64_t key() const { return key_; }
    // Returns the address to which remote processes add a byte offset from the region's start.
    uint64_t remote_base() const { return remote_base_; }

  private:
    RequestedKey requested_key_;  // before mr_, because the key is in use until mr_ is closed
    FidPtr<fid_mr> mr_;
    void* descriptor_ = nullptr;
    uint64_t key_ = 0;
    uint64_t remote_base_ = 0;
};

}  // namespace armci::fabric
