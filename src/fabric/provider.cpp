// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/interfaces.h"
#include "fabric/environment.h"
#include "fabric/ip_address.h"

namespace armci::fabric {
namespace {

// What is asked for of fi_getinfo, beside what the library always needs.
struct Wish {
    bool rma = false;
    uint64_t msg_order = 0;
    size_t immediate_bytes = 0;
};

InfoPtr make_hints(const std::string& name, const Wish& wish) {
    InfoPtr hints(fi_allocinfo());
    if (!hints) {
        return hints;
    }
    hints->caps = FI_MSG | FI_MULTI_RECV | (wish.rma ? FI_RMA : 0);
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->domain_attr->threading = FI_THREAD_SAFE;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->domain_attr->cq_data_size = wish.immediate_bytes;
    hints->tx_attr->msg_order = wish.msg_order;
    hints->rx_attr->msg_order = wish.msg_order;
    if (!name.empty()) {
        hints->fabric_attr->prov_name = strdup(name.c_str());
    }
    return hints;
}

InfoPtr query(const std::string& name, const Wish& wish) {
    const LibfabricEnvironment environment;
    const InfoPtr hints = make_hints(name, wish);
    fi_info* list = nullptr;
    if (!hints || fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &list) != 0) {
        return nullptr;
    }
    return InfoPtr(list);
}

base::IpAddress source_of(const fi_info& info) {
    return ip_of(info.addr_format, info.src_addr);
}

// Says whether this entry of fi_getinfo's list is on the network that the request wants.
bool suits(const fi_info& info, const ProviderRequest& request) {
    if (!is_ip_format(info.addr_format)) {
        return request.interface.empty() ||
               (info.domain_attr->name != nullptr && request.interface == info.domain_attr->name);
    }
    const base::IpAddress source = source_of(info);
    if (!source.is_given() || base::is_link_local(source)) {
        return false;  // an address without its interface is not enough to reach another host
    }
    if (!request.interface.empty()) {
        return request.interface == base::text_of(source) ||
               request.interface == base::interface_of(source);
    }
    // On one host loopback of IPv4 is always there.
    return request.single_host ? source.family == AF_INET : !base::is_loopback(source);
}

// The entries of fi_getinfo's list that suit a request.
struct Suitable {
    const fi_info* best = nullptr;
    std::vector<base::IpAddress> addresses;  // as in ProviderChoice
    std::vector<Adapter> adapters;           // the same
};

std::string bus_id_of(const fi_info& info) {
    if (info.nic == nullptr || info.nic->bus_attr == nullptr ||
        info.nic->bus_attr->bus_type != FI_BUS_PCI) {
        return {};
    }
    const fi_pci_attr& pci = info.nic->bus_attr->attr.pci;
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", pci.domain_id, pci.bus_id, pci.device_id,
                  pci.function_id);
    return text;
}

// psm3 lists an entry that lets itself choose one of several adapters, in turn and not the nearest
// (psmx3_init.c), before those of the adapters.
bool leaves_choice_to_provider(const fi_info& info) {
    const char* name = info.domain_attr->name;
    return name != nullptr && std::strncmp(name, "autoselect", 10) == 0;
}

// Adapters of one fabric reach each other. libfabric may list one several times.
void add_adapter(const fi_info& info, const fi_info& first, std::vector<Adapter>* adapters) {
    const char* fabric = info.fabric_attr->name;
    const char* wanted = first.fabric_attr->name;
    const char* name = info.domain_attr->name;
    if (name == nullptr || fabric == nullptr || wanted == nullptr ||
        std::strcmp(fabric, wanted) != 0 ||
        std::any_of(adapters->begin(), adapters->end(),
                    [&](const Adapter& known) { return known.name == name; })) {
        return;
    }
    adapters->push_back({name, bus_id_of(info)});
}

// Takes entries with exactly that provider name. The best is the first one of the most likely kind.
Suitable find_suitable(const fi_info* list, const std::string& name,
                       const ProviderRequest& request) {
    Suitable found;
    std::vector<const fi_info*> suitable;
    std::vector<InterfaceKind> kinds;
    const fi_info* any_adapter = nullptr;
    for (const fi_info* info = list; info != nullptr; info = info->next) {
        if (name != info->fabric_attr->prov_name || !suits(*info, request)) {
            continue;
        }
        if (request.interface.empty() && leaves_choice_to_provider(*info)) {
            any_adapter = info;
            continue;
        }
        const base::IpAddress source = source_of(*info);
        suitable.push_back(info);
        if (!source.is_given()) {
            add_adapter(*info, *suitable.front(), &found.adapters);
            kinds.push_back(InterfaceKind::ordinary);
            continue;
        }
        kinds.push_back(kind_of(base::interface_of(source), source));
        if (source.is_given() && !request.single_host) {
            found.addresses.push_back(source);
        } else if (kinds.back() == InterfaceKind::ordinary) {
            break;  // none is more likely, and each further check takes 0.1 ms
        }
    }
    found.best = suitable.empty() ? any_adapter : suitable[most_likely(kinds)];
    return found;
}

std::vector<std::string> names_in(const fi_info* list) {
    std::vector<std::string> names;
    for (const fi_info* info = list; info != nullptr; info = info->next) {
        const std::string name = info->fabric_attr->prov_name;
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text.empty() ? "none" : text;
}

// Returns the names of all providers that libfabric offers here for reliable datagrams.
//
// When verbs starts, it reads the whole table of the kernel's symbols, for some 25 ms. Since
// libfabric 2.0 a provider starts when it is first asked for, so verbs is not asked for without an
// adapter.
std::vector<std::string> available_providers(const std::string& root) {
    const bool has_verbs = !find_adapter(root, provider_row("verbs;ofi_rxm").adapter).empty();
    const InfoPtr list = query(has_verbs ? "" : "^verbs", {});
    return names_in(list.get());
}

// Returns why the provider cannot be used on the network that the request wants, and the interfaces
// that could be named instead.
std::string explain_no_interface(const std::string& name, const ProviderRow& row,
                                 const ProviderRequest& request) {
    const InfoPtr list = query(name, {.rma = row.rma});
    std::vector<std::string> interfaces;
    bool is_by_ip = false;
    for (const fi_info* info = list.get(); info != nullptr; info = info->next) {
        if (name != info->fabric_attr->prov_name) {
            continue;
        }
        is_by_ip |= is_ip_format(info->addr_format);
        interfaces.push_back(interface_name(*info));
    }
    std::sort(interfaces.begin(), interfaces.end());
    interfaces.erase(std::unique(interfaces.begin(), interfaces.end()), interfaces.end());
    const std::string missing = is_by_ip ? explain_missing_address(request.interface) : "";
    return "provider " + name + " has no usable " +
           (request.interface.empty()
                ? "network interface here"
                : "interface \"" + request.interface + "\" here, but " + joined(interfaces)) +
           (missing.empty() ? "" : ": " + missing);
}

// Opens the row's provider as the library wants it, with messages of one sender in order if
// possible. Otherwise data servers sort frames by their numbers. Other orderings are kept if the
// provider gives them by itself: requesting more can switch fast paths off. Immediate data is asked
// for, because psm3 offers it only then.
void open_row(const std::string& name, const ProviderRow& row, const ProviderRequest& request,
              ProviderChoice* choice) {
    Wish wish{.rma = row.rma};
    wish.immediate_bytes = row.immediate_data != ImmediateData::no ? kImmediateBytes : 0;
    InfoPtr by_default = query(name, wish);
    Suitable found = find_suitable(by_default.get(), name, request);
    if (found.best == nullptr && wish.immediate_bytes > 0) {
        wish.immediate_bytes = 0;
        by_default = query(name, wish);
        found = find_suitable(by_default.get(), name, request);
    }
    if (found.best == nullptr) {
        return;
    }
    wish.msg_order = found.best->tx_attr->msg_order | FI_ORDER_SAS;
    const InfoPtr by_order = query(name, wish);
    Suitable ordered = find_suitable(by_order.get(), name, request);
    const Suitable& taken = ordered.best != nullptr ? ordered : found;
    choice->info = InfoPtr(fi_dupinfo(taken.best));
    choice->addresses = taken.addresses;
    choice->adapters = taken.adapters;
}

}  // namespace

std::string interface_name(const fi_info& info) {
    const base::IpAddress source = source_of(info);
    const std::string name = source.is_given() ? base::interface_of(source) : "";
    return name.empty() && info.domain_attr->name != nullptr ? info.domain_attr->name : name;
}

std::string own_address(const fi_info& info, const void* name) {
    const base::IpAddress own = ip_of(info.addr_format, name);
    return own.is_given() ? "interface " + interface_name(info) + " (" + base::text_of(own) + ")"
                          : std::string();
}

InterfaceKind kind_of(const std::string& interface, const base::IpAddress& address) {
    if (base::is_loopback(address)) {
        return InterfaceKind::loopback;
    }
    const std::string bridge = "/sys/class/net/" + interface + "/bridge";
    return !interface.empty() && access(bridge.c_str(), F_OK) == 0 ? InterfaceKind::bridge
                                                                   : InterfaceKind::ordinary;
}

size_t most_likely(const std::vector<InterfaceKind>& kinds) {
    return static_cast<size_t>(std::min_element(kinds.begin(), kinds.end()) - kinds.begin());
}

const char* exhausted_limit() {
    // The failed call has closed some descriptors already, so a few free ones still mean
    // exhaustion.
    constexpr size_t kFew = 16;
    std::vector<int> spare;
    int error = 0;
    while (spare.size() < kFew && error == 0) {
        const int descriptor = dup(STDERR_FILENO);
        if (descriptor >= 0) {
            spare.push_back(descriptor);
        } else {
            error = errno;
        }
    }
    for (const int descriptor : spare) {
        close(descriptor);
    }
    return error == EMFILE ? " (this process has nearly as many open files as it may have; raise "
                             "the limit, ulimit -n)"
                           : "";
}

namespace {

// Says whether libfabric was built with the provider and could start it. Of a stack, the lowest
// provider counts; the others only complement it.
bool is_registered(const std::string& name) {
    const LibfabricEnvironment environment;
    fi_info* list = nullptr;
    if (fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, FI_PROV_ATTR_ONLY, nullptr, &list) != 0) {
        return false;
    }
    const InfoPtr owner(list);
    const std::vector<std::string> names = names_in(list);
    return std::find(names.begin(), names.end(), name.substr(0, name.find(';'))) != names.end();
}

// Returns why libfabric does not offer the row's provider. libfabric is asked only if there is an
// adapter.
std::string absence_of(const ProviderRow& row, const std::string& adapter) {
    return explain_absence(
        row.adapter, {adapter, locked_memory_limit(), !adapter.empty() && is_registered(row.name)});
}

ProviderChoice refuse_unknown(const ProviderRequest& request) {
    ProviderChoice choice;
    choice.error = "libfabric has no provider \"" + request.name +
                   "\" with reliable datagrams here; it offers " +
                   joined(available_providers(request.root));
    for (const ProviderRow& row : provider_table()) {
        const bool is_meant =
            request.name == row.name || std::string(row.name).starts_with(request.name + ";");
        if (is_meant && row.adapter.directory != nullptr) {
            const std::string adapter = find_adapter(request.root, row.adapter);
            choice.error += ". " + request.name + ": " + absence_of(row, adapter);
        }
    }
    return choice;
}

// Returns what libfabric means by the name that the user gave. It resolves names to stacks of
// providers ("tcp" to "tcp;ofi_rxm" before 1.18).
std::vector<std::string> candidates_for(const std::string& name) {
    const InfoPtr list = query(name, {});
    const std::vector<std::string> stacks = names_in(list.get());
    const bool is_exact = std::find(stacks.begin(), stacks.end(), name) != stacks.end();
    return is_exact ? std::vector{name} : stacks;
}

// Returns the offered providers that may be used without being named, best first.
std::vector<std::string> candidates_among(const std::vector<std::string>& offered,
                                          ProviderChoice* choice) {
    std::vector<std::string> candidates;
    for (const std::string& name : offered) {
        const ProviderRow& row = provider_row(name);
        if (row.preference > 0) {
            candidates.push_back(name);
            continue;
        }
        choice->passed_over.push_back(
            name + ": " +
            (row.refused != nullptr ? row.refused : "used only when ARMCI_PROVIDER names it"));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const std::string& a, const std::string& b) {
                         return provider_row(a).preference > provider_row(b).preference;
                     });
    return candidates;
}

// Opens the first of the candidates that can be opened.
void open_first(const std::vector<std::string>& candidates, const ProviderRequest& request,
                ProviderChoice* choice) {
    for (const std::string& name : candidates) {
        const ProviderRow& row = provider_row(name);
        if (row.refused != nullptr) {
            choice->error = "provider " + name + " is not used because " + row.refused;
            choice->passed_over.push_back(name + ": " + row.refused);
            continue;
        }
        open_row(name, row, request, choice);
        if (choice->info) {
            choice->row = &row;
            choice->error.clear();
            return;
        }
        choice->error = explain_no_interface(name, row, request);
        choice->passed_over.push_back(choice->error);
    }
    if (choice->error.empty()) {
        choice->error = "libfabric offers no provider that this library can use; it has " +
                        joined(available_providers(request.root));
    }
}

// Reports what would have been preferred to the choice, and whether an adapter is idle because of
// it.
void explain_better_ones(const std::vector<std::string>& offered, const ProviderRequest& request,
                         ProviderChoice* choice) {
    const ProviderRow& taken = choice->row != nullptr ? *choice->row : provider_row("");
    for (const ProviderRow& row : provider_table()) {
        if (row.preference <= taken.preference) {
            continue;
        }
        const std::string adapter = find_adapter(request.root, row.adapter);
        const bool is_offered =
            std::find(offered.begin(), offered.end(), row.name) != offered.end();
        std::string line = std::string(row.name) + ": ";
        if (is_offered) {
            line += "adapter " + adapter +
                    " is here, but the provider has no usable network interface; "
                    "give the adapter's an IP address";
        } else {
            line += absence_of(row, adapter);
            choice->passed_over.push_back(line);
        }
        // A user who names an interface has chosen among the networks that are offered.
        const bool is_wanted = !is_offered || request.interface.empty();
        if (!adapter.empty() && is_wanted && taken.adapter.directory == nullptr &&
            choice->idle_adapter.empty()) {
            choice->idle_adapter = line;
        }
    }
}

}  // namespace

ProviderChoice choose_provider(const ProviderRequest& request) {
    ProviderChoice choice;
    if (!request.name.empty()) {
        const std::vector<std::string> candidates = candidates_for(request.name);
        if (candidates.empty()) {
            return refuse_unknown(request);
        }
        open_first(candidates, request, &choice);
        return choice;
    }
    const std::vector<std::string> offered = available_providers(request.root);
    open_first(candidates_among(offered, &choice), request, &choice);
    explain_better_ones(offered, request, &choice);
    return choice;
}

}  // namespace armci::fabric
