// SPDX-License-Identifier: BSD-3-Clause
// A libfabric domain of this process with its address vector, and registration of memory in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/fid.h"
#include "fabric/memory_keys.h"
#include "fabric/provider.h"

namespace armci::fabric {

class Endpoint;

// A Region is registered memory. Remote processes name an address in it by (address_of(pointer),
// key).
class Region {
  public:
    Region() = default;
    bool valid() const { return mr_ != nullptr; }
    void* descriptor() const { return descriptor_; }
    uint64_t key() const { return key_; }
    // Returns the address to which remote processes add a byte offset from the region's start.
    uint64_t remote_base() const { return remote_base_; }

  private:
    friend class Domain;
    RequestedKey requested_key_;  // before mr_, because the key is in use until mr_ is closed
    FidPtr<fid_mr> mr_;
    void* descriptor_ = nullptr;
    uint64_t key_ = 0;
    uint64_t remote_base_ = 0;
};

// Says what the network may do with registered memory: read and write, only read, only write, or
// everything that peers request.
enum class Access : uint8_t { local, local_source, local_sink, remote };

class Domain {
  public:
    // Opens fabric, domain and address vector. Returns false and sets *error on failure.
    bool open(ProviderChoice choice, size_t peer_count, std::string* error);

    const fi_info& info() const { return *choice_.info; }
    const ProviderRow& row() const { return *choice_.row; }
    std::string provider_name() const { return info().fabric_attr->prov_name; }

    bool needs_local_registration() const { return needs_local_registration_; }
    // Says whether a write can carry 32 bits of immediate data to the endpoint that it addresses.
    bool notifies_writes() const {
        return row().rma && row().immediate_data && info().domain_attr->cq_data_size >= 4;
    }
    // The first function says whether a write is remotely complete once a later message or write
    // is, whatever their sizes. The second says whether a read that is posted after a write sees
    // it.
    bool orders_writes() const;
    bool orders_reads_after_writes() const;

    // Registers [start, start + bytes). Remote access goes to `target`, which some providers must
    // know. Returns an invalid region and sets *error on failure. Thread-safe.
    Region register_memory(void* start, size_t bytes, Access access, Endpoint* target,
                           std::string* error);

    fid_fabric* fabric() const { return fabric_.get(); }
    fid_domain* domain() const { return domain_.get(); }
    fid_av* address_vector() const { return address_vector_.get(); }

  private:
    // The members are declared in the order of opening, so that they are closed in the reverse
    // order.
    ProviderChoice choice_;
    bool needs_local_registration_ = false;
    FidPtr<fid_fabric> fabric_;
    FidPtr<fid_domain> domain_;
    FidPtr<fid_av> address_vector_;
};

}  // namespace armci::fabric
