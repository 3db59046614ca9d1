// SPDX-License-Identifier: BSD-3-Clause
// A libfabric domain of this process with its address vector, and registration of memory in it.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fabric/fid.h"
#include "fabric/provider.h"
#include "fabric/region.h"

namespace armci::fabric {

class Domain {
  public:
    // Opens fabric, domain and address vector. Returns false and sets *error on failure.
    bool open(ProviderChoice choice, size_t peer_count, std::string* error);

    // Opens one more domain of the same provider, on another adapter or once more on the same one:
    // a rail. All processes must have equally many, in the same order. Endpoints that are opened
    // later use it for long RMA (endpoint.h). Returns false and sets *error if that is refused, or
    // if the provider cannot have several.
    bool add_rail(ProviderChoice choice, size_t peer_count, std::string* error);
    // Closes the rail that was added last.
    void drop_rail() { rails_.pop_back(); }
    // Returns the rails beside this domain itself, which is the first one.
    const std::vector<std::unique_ptr<Domain>>& rails() const { return rails_; }
    // Counts bytes of long RMA operations of this rail's endpoints, for statistics. Thread-safe.
    void count_carried(size_t bytes) { carried_bytes_.fetch_add(bytes, std::memory_order_relaxed); }
    uint64_t carried_bytes() const { return carried_bytes_.load(std::memory_order_relaxed); }

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
    // Says whether a thread that looks at its memory whenever it has polled an endpoint, and before
    // it sleeps, finds there what was written to that endpoint without immediate data. Others must
    // not take it from the network, because nothing wakes the thread then. A thread of the provider
    // may do so with FI_PROGRESS_AUTO, and since libfabric 1.18, each poll of another endpoint of
    // the domain over TCP.
    bool shows_writes() const;
    void set_notifies_writes(bool works) { notifies_writes_ = works; }
    // Says whether the completion of a write may tell that it has arrived (FI_DELIVERY_COMPLETE).
    bool delivers_writes() const;
    // The first function says whether a write is remotely complete once a later message or write
    // is, whatever their sizes. The second says whether a read that is posted after a write sees
    // it. Rails have no order among each other. Where no completion tells that a write has arrived,
    // writes without immediate data keep to the first rail, and have an order.
    bool orders_writes() const;
    bool orders_reads_after_writes() const;

    // Says whether the provider chooses the keys of registered memory. Otherwise this library does,
    // and they are random.
    bool provider_chooses_keys() const {
        return (info().domain_attr->mr_mode & FI_MR_PROV_KEY) != 0;
    }
    // Says whether memory must have its pages when it is registered. Otherwise registered memory
    // takes only the pages that are used.
    bool pins_memory() const { return (info().domain_attr->mr_mode & FI_MR_ALLOCATED) != 0; }
    // Returns on how many rails beside the first one memory has another key than on that.
    size_t further_key_count() const { return has_key_for_each_rail() ? rails_.size() : 0; }
    // Returns how many bits a key has.
    int key_bits() const { return std::bit_width(largest_key(info().domain_attr->mr_key_size)); }

    // As ProviderRow::forgets_cut, for the libfabric that runs here.
    bool forgets_cut() const {
        return row().forgets_cut && FI_VERSION_LT(fi_version(), FI_VERSION(2, 0));
    }

    // Ends the start, in which a registration that the provider refuses temporarily is repeated.
    // From now on such a registration fails at once.
    void end_start();

    // Registers [start, start + bytes) on the rails of these endpoints (Endpoint::on_rails(),
    // on_first_rail()), which some providers must know for remote access. For local access it
    // registers on the first only if that is not needed. Returns an invalid region and sets *error
    // on failure. Thread-safe.
    Region register_memory(void* start, size_t bytes, Access access, Targets targets,
                           std::string* error);

    // Says whether a call of libfabric has failed, by its result, which is a negative error then.
    // If so, it sets *error, which names the call and the provider.
    bool has_failed(int result, const char* call, std::string* error) const;

    fid_fabric* fabric() const { return fabric_.get(); }
    fid_domain* domain() const { return domain_.get(); }
    fid_av* address_vector() const { return address_vector_.get(); }

  private:
    struct Wanted {
        void* start;
        size_t bytes;
        Access access;
        Targets targets;
    };
    // Registers here and on the rails, where opened->first has the requested key. Returns as
    // try_to_register() does.
    int try_on_all_rails(const Wanted& wanted, Region::OnRails* opened, const char** call);
    // Returns what libfabric says, and the call that says it.
    int try_to_register(const Wanted& wanted, uint64_t key, fid_ep* target, FidPtr<fid_mr>* mr,
                        const char** call);
    RequestedKey take_key() const;
    bool has_key_for_each_rail() const;
    // Says the first of orders_writes() for one rail alone.
    bool is_ordered() const;
    // Returns why that choice cannot be a rail of this domain, or an empty text.
    std::string why_no_rail(const ProviderChoice& choice) const;
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
    std::vector<std::unique_ptr<Domain>> rails_;
    std::atomic<uint64_t> carried_bytes_{0};
};

}  // namespace armci::fabric
