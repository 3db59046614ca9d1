// SPDX-License-Identifier: BSD-3-Clause
// Registered memory, and what the network may do with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "fabric/fid.h"
#include "fabric/memory_keys.h"

namespace armci::fabric {

// Says what the network may do with registered memory: read and write, only read, only write, only
// what peers write, or everything that peers request.
enum class Access : uint8_t { local, local_source, local_sink, remote_sink, remote };

// What posts need that name registered memory of this process: its descriptor on each rail. It
// stays valid as long as the registration.
class Descriptors {
  public:
    Descriptors() = default;
    Descriptors(void* first, const FidPtr<fid_mr>* on_rails) : first_(first), on_rails_(on_rails) {}

    // Returns nullptr where the memory is not registered.
    void* on_rail(size_t number) const {
        if (number == 0) {
            return first_;
        }
        return on_rails_ == nullptr ? nullptr : fi_mr_desc(on_rails_[number - 1].get());
    }

  private:
    void* first_ = nullptr;
    const FidPtr<fid_mr>* on_rails_ = nullptr;  // of the further ones
};

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
    Descriptors descriptors() const { return {descriptor_, registrations_.on_rails.get()}; }
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
