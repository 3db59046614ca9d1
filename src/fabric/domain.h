// SPDX-License-Identifier: BSD-3-Clause
// A libfabric domain of this process with its address vector, and registration of memory in it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fabric/fid.h"
#include "fabric/provider.h"
#include "fabric/region.h"

namespace armci::fabric {

class Domain {
  public:
    // Opens fabric, domain and address vector. Returns false and sets *error on failure.
    bool open(ProviderChoice choice, size_t peer_count, std::string* error);

    const fi_info& info() const { return *choice_.info; }
    const ProviderRow& row() const { return *choice_.row; }
    std::string provider_name() const { return info().fabric_attr->prov_name; }

    bool needs_local_registration() const { return needs_local_registration_; }
    // Says whether a write can carry 32 bits of immediate data to the endpoint that it addresses.
    bool notifies_writes() const { return notifies_writes_; }
    // Says whether only a trial tells that (immediate_data.h), and keeps its result.
    bool notifies_perhaps() const {
        return has_room_for_immediate_data() && row().immediate_data == ImmediateData::tried;
    }
    void set_notifies_writes(bool works) { notifies_writes_ = works; }
    // The first function says whether a write is remotely complete once a later message or write
    // is, whatever their sizes. The second says whether a read that is posted after a write sees
    // it.
    bool orders_writes() const;
    bool orders_reads_after_writes() const;

    // Says whether the provider chooses the keys of registered memory. Otherwise this library does,
    // and they are random.
    bool provider_chooses_keys() const {
        return (info().domain_attr->mr_mode & FI_MR_PROV_KEY) != 0;
    }
    // Returns how many bits a key has.
    int key_bits() const { return std::bit_width(largest_key(info().domain_attr->mr_key_size)); }

    // As ProviderRow::forgets_cut, for the libfabric that runs here.
    bool forgets_cut() const {
        return row().forgets_cut && FI_VERSION_LT(fi_version(), FI_VERSION(2, 0));
    }

    // Ends the start, in which a registration that the provider refuses temporarily is repeated.
    // From now on such a registration fails at once.
    void end_start() { is_starting_ = false; }

    // Registers [start, start + bytes). Remote access goes to `target`, an endpoint of this domain,
    // which some providers must know. Returns an invalid region and sets *error on failure.
    // Thread-safe.
    Region register_memory(void* start, size_t bytes, Access access, fid_ep* target,
                           std::string* error);

    // Says whether a call of libfabric has failed, by its result, which is a negative error then.
    // If so, it sets *error, which names the call and the provider.
    bool has_failed(int result, const char* call, std::string* error) const;

    fid_fabric* fabric() const { return fabric_.get(); }
    fid_domain* domain() const { return domain_.get(); }
    fid_av* address_vector() const { return address_vector_.get(); }

  private:
    struct Registration {
        void* start;
        size_t bytes;
        Access access;
        fid_ep* target;
    };
    // Returns what libfabric says, and the call that says it.
    int try_to_register(const Registration& wanted, uint64_t key, FidPtr<fid_mr>* mr,
                        const char** call);
    bool has_room_for_immediate_data() const {
        return row().rma && info().domain_attr->cq_data_size >= kImmediateBytes;
    }

    // The members are declared in the order of opening, so that they are closed in the reverse
    // order.
    ProviderChoice choice_;
    bool needs_local_registration_ = false;
    bool notifies_writes_ = false;
    bool is_starting_ = true;
    FidPtr<fid_fabric> fabric_;
    FidPtr<fid_domain> domain_;
    FidPtr<fid_av> address_vector_;
};

}  // namespace armci::fabric
