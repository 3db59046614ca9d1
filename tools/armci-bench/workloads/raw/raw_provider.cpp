// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/raw/raw_provider.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstring>

namespace armci::bench {

namespace {

InfoPtr query(const std::string& provider) {
    const InfoPtr hints(fi_allocinfo());
    if (hints == nullptr) {
        return nullptr;
    }
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->av_type = FI_AV_TABLE;
    if (!provider.empty()) {
        hints->fabric_attr->prov_name = strdup(provider.c_str());
    }
    fi_info* list = nullptr;
    if (fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &list) != 0) {
        return nullptr;
    }
    return InfoPtr(list);
}

bool has_ip_address(const fi_info& info) {
    return info.addr_format == FI_SOCKADDR || info.addr_format == FI_SOCKADDR_IN ||
           info.addr_format == FI_SOCKADDR_IN6;
}

// Null for IPv6, which the library passes over.
const sockaddr_in* ipv4_address(const fi_info& info) {
    return info.addr_format == FI_SOCKADDR_IN ? static_cast<const sockaddr_in*>(info.src_addr)
                                              : nullptr;
}

bool is_loopback(const sockaddr_in& address) {
    return (ntohl(address.sin_addr.s_addr) >> 24) == 127;
}

bool has_interface_name(const sockaddr_in& address, const std::string& name) {
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0) {
        return false;
    }
    bool found = false;
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
            name == one->ifa_name) {
            found |= reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr ==
                     address.sin_addr.s_addr;
        }
    }
    freeifaddrs(all);
    return found;
}

bool is_on(const fi_info& info, const std::string& interface) {
    const char* domain = info.domain_attr->name;
    if (!has_ip_address(info)) {
        return interface.empty() || (domain != nullptr && interface == domain);
    }
    const sockaddr_in* address = ipv4_address(info);
    if (address == nullptr || interface.empty()) {
        return address != nullptr;
    }
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
    return interface == text || has_interface_name(*address, interface);
}

}  // namespace

InfoPtr choose_raw_provider(const std::string& provider, const std::string& interface,
                            std::string* error) {
    const InfoPtr list = query(provider);
    if (list == nullptr) {
        *error = "libfabric offers no provider " +
                 (provider.empty() ? "" : "\"" + provider + "\" ") +
                 "with remote memory access here";
        return nullptr;
    }
    // A name can stand for several stacks of providers; the one that has exactly this name, or else
    // the first, is meant.
    std::string name = list->fabric_attr->prov_name;
    for (const fi_info* info = list.get(); info != nullptr; info = info->next) {
        if (provider == info->fabric_attr->prov_name) {
            name = provider;
        }
    }
    const fi_info* chosen = nullptr;
    for (const fi_info* info = list.get(); info != nullptr; info = info->next) {
        if (name != info->fabric_attr->prov_name || !is_on(*info, interface)) {
            continue;
        }
        const sockaddr_in* address = ipv4_address(*info);
        if (address == nullptr || !is_loopback(*address)) {
            chosen = info;
            break;
        }
        chosen = chosen == nullptr ? info : chosen;
    }
    if (chosen == nullptr) {
        *error = "provider " + name + " has no usable interface" +
                 (interface.empty() ? "" : " \"" + interface + "\"") + " here";
        return nullptr;
    }
    return InfoPtr(fi_dupinfo(chosen));
}

}  // namespace armci::bench
