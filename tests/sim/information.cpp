// SPDX-License-Identifier: BSD-3-Clause
#include "information.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "network.h"
#include "simulation.h"

namespace armci::sim {
namespace network {
namespace {

// "^a,b" names what is not wanted. A name without its layers means any stack above it.
bool is_named(const char* wanted, const char* provider) {
    const std::string name = provider;
    const std::string base = name.substr(0, name.find(';'));
    if (wanted == nullptr) {
        return true;
    }
    return wanted[0] == '^' ? wanted + 1 != base : wanted == name || wanted == base;
}

// As libfabric's prov/util/src/util_attr.c compares hints with what there is.
bool suits(const Twin& twin, const Offer& offer, const fi_info& hints) {
    const fi_domain_attr& domain = *hints.domain_attr;
    const bool has_modes = (domain.mr_mode & offer.memory_mode) == offer.memory_mode;
    const bool has_context = !twin.needs_mode || (hints.mode & twin.mode) == twin.mode;
    const bool has_order =
        twin.order_hint != OrderHint::checked ||
        ((hints.tx_attr->msg_order | hints.rx_attr->msg_order) & ~twin.order) == 0;
    return is_named(hints.fabric_attr->prov_name, twin.provider) &&
           (hints.caps & ~twin.capabilities) == 0 && has_context && has_modes && has_order &&
           (hints.ep_attr->type == FI_EP_UNSPEC || hints.ep_attr->type == FI_EP_RDM) &&
           domain.cq_data_size <= offer.immediate_bytes &&
           !(offer.is_without_data && domain.cq_data_size > 0) &&
           (domain.threading == FI_THREAD_UNSPEC || domain.threading == twin.threading ||
            twin.threading == FI_THREAD_SAFE) &&
           (domain.resource_mgmt != FI_RM_ENABLED || twin.resource_management == FI_RM_ENABLED) &&
           hints.tx_attr->inject_size <= twin.inject_bytes &&
           hints.tx_attr->size <= twin.transmit_size &&
           hints.tx_attr->iov_limit <= twin.iov_limit &&
           hints.tx_attr->rma_iov_limit <= twin.rma_iov_limit &&
           hints.ep_attr->max_msg_size <= twin.largest_bytes;
}

fi_info* make_info(const Twin& twin, const Offer& offer, const fi_info& hints, int adapter) {
    fi_info* info = fi_allocinfo();
    info->caps = hints.caps != 0 ? hints.caps : twin.capabilities;
    info->mode = twin.mode;
    info->addr_format = twin.address_format;
    if (twin.address_format == FI_SOCKADDR_IN) {
        auto* source = static_cast<sockaddr_in*>(std::calloc(1, sizeof(sockaddr_in)));
        source->sin_family = AF_INET;
        source->sin_addr.s_addr = htonl(0xc0000201);  // 192.0.2.1, of no interface
        info->src_addr = source;
        info->src_addrlen = sizeof *source;
    }
    info->fabric_attr->prov_name = strdup(twin.provider);
    const std::string choice = adapter < 0 ? "autoselect_one:" : "";
    info->fabric_attr->name = strdup((choice + twin.name).c_str());
    fi_domain_attr& domain = *info->domain_attr;
    domain.name = strdup((choice + adapter_name(twin, std::max(adapter, 0))).c_str());
    domain.mr_mode = offer.memory_mode | (hints.domain_attr->mr_mode & twin.adopted_memory_mode);
    domain.mr_key_size = offer.key_bytes;
    domain.cq_data_size = offer.immediate_bytes;
    domain.threading = hints.domain_attr->threading != FI_THREAD_UNSPEC
                           ? hints.domain_attr->threading
                           : twin.threading;
    domain.data_progress = twin.progress;
    domain.resource_mgmt = twin.resource_management;
    domain.av_type = hints.domain_attr->av_type;
    domain.ep_cnt = twin.endpoint_count;
    const uint64_t order =
        twin.order_hint == OrderHint::masked ? twin.order & hints.tx_attr->msg_order : twin.order;
    info->tx_attr->caps = info->rx_attr->caps = info->caps;
    info->tx_attr->mode = info->rx_attr->mode = twin.mode;
    info->tx_attr->msg_order = info->rx_attr->msg_order = order;
    info->tx_attr->comp_order = twin.completion_order;
    info->tx_attr->size = twin.transmit_size;
    info->rx_attr->size = twin.receive_size;
    info->tx_attr->iov_limit = info->rx_attr->iov_limit = twin.iov_limit;
    info->tx_attr->rma_iov_limit = twin.rma_iov_limit;
    info->tx_attr->inject_size = twin.inject_bytes;
    info->ep_attr->type = FI_EP_RDM;
    info->ep_attr->max_msg_size = twin.largest_bytes;
    info->ep_attr->max_order_waw_size = twin.ordered_write_bytes;
    info->ep_attr->max_order_raw_size = twin.ordered_read_bytes;
    return info;
}

// Providers read their variables once, at the first fi_getinfo.
void read_environment(const Twin& twin) {
    const char* value =
        twin.writedata_variable != nullptr ? std::getenv(twin.writedata_variable) : "1";
    provider().has_writedata =
        twin.has_writedata && value != nullptr && std::strcmp(value, "1") == 0;
}

}  // namespace

void keep_offer(const fi_info& info) {
    ProviderPlan& plan = rules();
    plan.memory_mode = info.domain_attr->mr_mode;
    plan.key_bytes = info.domain_attr->mr_key_size;
    plan.message_order = info.tx_attr->msg_order;
    plan.immediate_bytes = info.domain_attr->cq_data_size;
    if (plan.twin->writedata_needs_own_keys && (plan.memory_mode & FI_MR_PROV_KEY) == 0) {
        provider().has_writedata = false;
    }
}

}  // namespace network
}  // namespace armci::sim

// These replace the functions of libfabric, as fi_fabric in provider.cpp.

uint32_t fi_version() {
    const armci::sim::Twin* twin = armci::sim::network::rules().twin;
    return twin != nullptr ? twin->library : FI_VERSION(1, 17);
}

int fi_getinfo(uint32_t version, const char*, const char*, uint64_t, const fi_info* hints,
               fi_info** list) {
    using namespace armci::sim;
    const Twin* twin = network::rules().twin;
    if (twin == nullptr || hints == nullptr || FI_VERSION_LT(twin->library, version)) {
        return -FI_ENODATA;
    }
    if (!network::provider().has_started) {
        network::provider().has_started = true;
        network::read_environment(*twin);
    }
    if (const int error = network::refuse(StartCall::information); error != 0) {
        return -error;
    }
    *list = nullptr;
    fi_info** end = list;
    for (const Offer& offer : twin->offers) {
        const int adapters = network::rules().adapters;
        for (int i = twin->lists_own_choice && adapters > 1 ? -1 : 0; i < adapters; ++i) {
            if (network::suits(*twin, offer, *hints)) {
                *end = network::make_info(*twin, offer, *hints, i);
                end = &(*end)->next;
            }
        }
    }
    return *list != nullptr ? 0 : -FI_ENODATA;
}
