// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/domain.h"

#include "base/log.h"
#include "fabric/environment.h"
#include "fabric/faults.h"
#include "fabric/try_again.h"

namespace armci::fabric {
namespace {

constexpr int kKeyTries = 16;

uint64_t flags_of(Access access) {
    if (access == Access::remote_sink) {
        return FI_REMOTE_WRITE;
    }
    uint64_t flags = 0;
    if (access != Access::local_sink) {
        flags |= FI_SEND | FI_WRITE;
    }
    if (access != Access::local_source) {
        flags |= FI_RECV | FI_READ;
    }
    if (access == Access::remote) {
        flags |= FI_REMOTE_READ | FI_REMOTE_WRITE;
    }
    return flags;
}

}  // namespace

bool Domain::open(ProviderChoice choice, size_t peer_count, std::string* error) {
    choice_ = std::move(choice);
    fi_info* info = choice_.info.get();
    needs_local_registration_ =
        (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0 || faults().local_registration_needed;

    const LibfabricEnvironment environment;  // sockets reads its variables only here
    fid_fabric* fabric = nullptr;
    if (has_failed(fi_fabric(info->fabric_attr, &fabric, nullptr), "fi_fabric", error)) {
        return false;
    }
    fabric_.reset(fabric);

    fid_domain* domain = nullptr;
    if (has_failed(try_again([&] { return fi_domain(fabric, info, &domain, nullptr); }),
                   "fi_domain", error)) {
        return false;
    }
    domain_.reset(domain);

    fi_av_attr attributes{};
    attributes.type = FI_AV_TABLE;
    attributes.count = peer_count;
    fid_av* address_vector = nullptr;
    if (has_failed(
            try_again([&] { return fi_av_open(domain, &attributes, &address_vector, nullptr); }),
            "fi_av_open", error)) {
        return false;
    }
    address_vector_.reset(address_vector);
    notifies_writes_ =
        has_room_for_immediate_data() && row().immediate_data == ImmediateData::granted;
    ARMCI_LOG_INFO(
        "keys of registered memory have %d bits; %s chooses them", key_bits(),
        provider_chooses_keys() ? ("provider " + provider_name()).c_str() : "the library");
    return true;
}

std::string Domain::why_no_rail(const ProviderChoice& choice) const {
    const fi_info& other = *choice.info;
    const auto& mine = *info().domain_attr;
    const auto& its = *other.domain_attr;
    if (provider_name() != other.fabric_attr->prov_name) {
        return "the other rail uses provider " + provider_name() + ", this one " +
               other.fabric_attr->prov_name;
    }
    if (mine.mr_mode != its.mr_mode || mine.mr_key_size != its.mr_key_size) {
        return "the other rail has other rules for registered memory than this one";
    }
    if (info().addr_format != other.addr_format || other.addr_format == FI_ADDR_STR) {
        return "the rails have addresses of different kinds";
    }
    return row().rma && (delivers_writes() || is_ordered())
               ? ""
               : "provider " + provider_name() + " does not say when a remote write is complete";
}

bool Domain::add_rail(ProviderChoice choice, size_t peer_count, std::string* error) {
    *error = why_no_rail(choice);
    auto rail = std::make_unique<Domain>();
    if (!error->empty() || !rail->open(std::move(choice), peer_count, error)) {
        return false;
    }
    rails_.push_back(std::move(rail));
    return true;
}

void Domain::end_start() {
    is_starting_ = false;
    for (const std::unique_ptr<Domain>& rail : rails_) {
        rail->end_start();
    }
}

RequestedKey Domain::take_key() const {
    return RequestedKey::take(info().domain_attr->mr_key_size);
}

bool Domain::has_key_for_each_rail() const {
    return provider_chooses_keys() || faults().rail_keys_differ;
}

int Domain::try_to_register(const Wanted& wanted, uint64_t key, fid_ep* target, FidPtr<fid_mr>* mr,
                            const char** call) {
    fid_mr* opened = nullptr;
    *call = "fi_mr_reg";
    const auto try_once = [&] {
        return fi_mr_reg(domain_.get(), wanted.start, wanted.bytes, flags_of(wanted.access), 0, key,
                         0, &opened, nullptr);
    };
    int result = -FI_ENOMEM;
    if (!registration_is_refused(wanted.bytes, wanted.access)) {
        result = is_starting_ ? try_again(try_once) : try_once();
    }
    mr->reset(opened);
    if (result != 0 || (info().domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) {
        return result;
    }
    *call = "fi_mr_bind";
    result = fi_mr_bind(opened, &target->fid, 0);
    if (result == 0) {
        *call = "fi_mr_enable";
        result = fi_mr_enable(opened);
    }
    return result;
}

int Domain::try_on_all_rails(const Wanted& wanted, Region::OnRails* opened, const char** call) {
    const bool is_remote = wanted.access == Access::remote || wanted.access == Access::remote_sink;
    const uint64_t key = opened->first.requested_key.value();
    int result = try_to_register(wanted, key, wanted.targets.front(), &opened->first.memory, call);
    const size_t further_count = wanted.targets.size() - 1;
    if (result != 0 || further_count == 0 || !(is_remote || needs_local_registration_)) {
        return result;
    }
    opened->further = std::make_unique<Registration[]>(further_count);
    for (size_t i = 0; result == 0 && i < further_count; ++i) {
        Registration& there = opened->further[i];
        const bool has_own_key = !provider_chooses_keys() && has_key_for_each_rail();
        if (has_own_key) {
            there.requested_key = take_key();
            if (!there.requested_key.valid()) {
                return -FI_ENOKEY;
            }
        }
        result = rails_[i]->try_to_register(wanted, has_own_key ? there.requested_key.value() : key,
                                            wanted.targets[i + 1], &there.memory, call);
    }
    return result;
}

Region Domain::register_memory(void* start, size_t bytes, Access access, Targets targets,
                               std::string* error) {
    Region::OnRails opened;
    const char* call = "";
    int result = -FI_ENOKEY;
    // A provider may have given a key to memory of its own.
    for (int i = 0; result == -FI_ENOKEY && i < kKeyTries; ++i) {
        opened = {};
        if (!provider_chooses_keys()) {
            opened.first.requested_key = take_key();
            if (!opened.first.requested_key.valid()) {
                *error = "provider " + provider_name() + " has keys of " +
                         std::to_string(info().domain_attr->mr_key_size) +
                         " bytes, and none can be chosen: all are in use, or the system refuses "
                         "random numbers (getrandom)";
                return {};
            }
        }
        result = try_on_all_rails({start, bytes, access, targets}, &opened, &call);
    }
    if (has_failed(result, call, error)) {
        return {};
    }
    const uint64_t remote_base = (info().domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0
                                     ? reinterpret_cast<uint64_t>(start)
                                     : 0;
    Region region(std::move(opened), further_key_count(), remote_base);
    for (size_t number = 0; number < targets.size(); ++number) {
        remember_registration(start, bytes, region.descriptors().on_rail(number));
    }
    return region;
}

bool Domain::has_failed(int result, const char* call, std::string* error) const {
    if (result == 0) {
        return false;
    }
    *error = std::string(call) + " on provider " + provider_name() + ": " + fi_strerror(-result);
    return true;
}

bool Domain::is_ordered() const {
    const fi_tx_attr& granted = *info().tx_attr;
    return (granted.msg_order & FI_ORDER_SAW) != 0 &&
           (granted.msg_order & (FI_ORDER_WAW | FI_ORDER_RMA_WAW)) != 0 &&
           info().ep_attr->max_order_waw_size >= info().ep_attr->max_msg_size;
}

bool Domain::delivers_writes() const {
    return row().delivery && !faults().without_delivery;
}

bool Domain::orders_writes() const {
    return is_ordered() && (rails_.empty() || !delivers_writes());
}

bool Domain::shows_writes() const {
    return row().writes_in_order && FI_VERSION_LT(fi_version(), FI_VERSION(1, 18)) &&
           info().domain_attr->data_progress != FI_PROGRESS_AUTO;
}

bool Domain::orders_reads_after_writes() const {
    return rails_.empty() && (info().tx_attr->msg_order & (FI_ORDER_RAW | FI_ORDER_RMA_RAW)) != 0 &&
           info().ep_attr->max_order_raw_size >= info().ep_attr->max_msg_size;
}

}  // namespace armci::fabric
