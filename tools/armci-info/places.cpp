// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/places.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "armci-info/configuration.h"
#include "armci-info/place_text.h"
#include "base/machine.h"
#include "command_line/command_line.h"
#include "library/library.h"

namespace armci::info {
namespace {

constexpr int kMostRanks = 65536;  // of a node: eight for each processor that Linux may have

struct Request {
    int ranks = 0;
    base::Machine machine;
};

// Returns whether it is one.
bool read_request(const std::string& text, Request* request) {
    const size_t comma = std::min(text.find(','), text.size());
    const char* end = text.data() + comma;
    const auto [rest, error] = std::from_chars(text.data(), end, request->ranks);
    if (error != std::errc() || rest != end || request->ranks < 1 || request->ranks > kMostRanks) {
        return false;
    }
    if (comma == text.size()) {
        return true;
    }
    std::string description = text.substr(comma + 1);
    if (description.empty()) {
        return false;
    }
    const bool is_file = access(description.c_str(), F_OK) == 0;
    base::Machine& machine = request->machine;
    (is_file ? machine.file : machine.synthetic) = std::move(description);
    return true;
}

// Binds each rank to a core, or to a processor if there are not so many cores, evenly spread in
// their order. More ranks than processors may run on all.
std::vector<std::string> bind_ranks(const base::MachineParts& parts, int ranks) {
    const auto count = static_cast<size_t>(ranks);
    const std::vector<std::string>& places =
        count <= parts.cores.size() ? parts.cores : parts.processors;
    std::vector<std::string> bound(count, parts.all_processors);
    for (size_t rank = 0; rank < count && count <= places.size(); ++rank) {
        bound[rank] = places[rank * places.size() / count];
    }
    return bound;
}

// Returns "1 core" or "2 cores".
std::string count_text(size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string binding_text(const base::MachineParts& parts, int ranks) {
    const auto count = static_cast<size_t>(ranks);
    const std::string processors = count_text(parts.processors.size(), "processor");
    if (count > parts.processors.size()) {
        return "not bound, because ranks outnumber " + processors;
    }
    const std::string cores = count_text(parts.cores.size(), "core");
    return "each bound to one of " + (count <= parts.cores.size() ? cores : processors) +
           ", evenly spread in their order (a launcher may do otherwise)";
}

// The provider that drives an adapter if none is named.
const char* usual_provider(const base::AdapterPart& adapter) {
    constexpr unsigned kHpe = 0x17db;
    constexpr unsigned kAmazon = 0x1d0f;
    const std::string_view name = adapter.name;
    if (name.starts_with("hsn") || name.starts_with("cxi") || adapter.pci_vendor == kHpe) {
        return "cxi";
    }
    if (adapter.pci_vendor == kAmazon) {
        return "efa";
    }
    return name.starts_with("hfi1") ? "opx" : "verbs;ofi_rxm";
}

bool drives(const std::string& provider, const base::AdapterPart& adapter) {
    constexpr unsigned kIntel = 0x8086;
    const std::string usual = usual_provider(adapter);
    return provider == usual ||
           (provider == "psm3" && usual == "verbs;ofi_rxm" && adapter.pci_vendor == kIntel);
}

// Returns the provider that is named, or the preferred one of those that drive an adapter there.
// Without an adapter it is empty.
std::string choose_provider(const base::Config& config, const base::MachineParts& parts) {
    if (!config.provider.empty()) {
        return config.provider;
    }
    std::string chosen;
    int preference = 0;
    for (const fabric::ProviderRow& row : tools::library().provider_table()) {
        const bool is_there = std::any_of(
            parts.adapters.begin(), parts.adapters.end(), [&](const base::AdapterPart& adapter) {
                return std::string_view(usual_provider(adapter)) == row.name;
            });
        if (is_there && row.preference > preference) {
            chosen = row.name;
            preference = row.preference;
        }
    }
    return chosen;
}

bool uses_nearest(const std::string& provider) {
    return provider == "cxi" || provider == "efa" || provider == "psm3" || provider == "opx";
}

// As ARMCI_Init counts them.
int count_servers(const base::Config& config, const base::MachineParts& parts, int ranks,
                  size_t adapters) {
    if (config.servers_per_node == base::kAuto) {
        return tools::library().default_server_count(
            {ranks, static_cast<int64_t>(adapters),
             static_cast<size_t>(ranks) > parts.processors.size()});
    }
    if (config.servers_per_node > ranks) {
        std::fprintf(stderr,
                     "armci-info: --places: ARMCI_SERVERS_PER_NODE=%lld, but the node has only %d "
                     "rank%s to run data servers in\n",
                     static_cast<long long>(config.servers_per_node), ranks, ranks == 1 ? "" : "s");
    }
    return static_cast<int>(std::min<int64_t>(config.servers_per_node, ranks));
}

void print_network(std::FILE* out, const base::Config& config, const std::string& provider) {
    if (provider.empty()) {
        std::fprintf(out,
                     "provider: one over TCP, because hwloc knows no adapter of OpenFabrics "
                     "or Slingshot there; all ranks use one network\n");
    } else if (uses_nearest(provider)) {
        std::fprintf(out, "provider: %s, each rank with the nearest adapter (names are hwloc's)\n",
                     provider.c_str());
    } else {
        std::fprintf(out, "provider: %s, all ranks with one network\n", provider.c_str());
    }
    if (!config.interface.empty()) {
        std::fprintf(out, "(not considered here: ARMCI_INTERFACE=%s)\n", config.interface.c_str());
    }
}

const char* word_for(const std::vector<int>& numbers, const char* one, const char* several) {
    return numbers.size() == 1 ? one : several;
}

void print_adapters(std::FILE* out, const std::vector<base::AdapterPart>& adapters,
                    const base::Placement& placement) {
    for (size_t number = 0; number < adapters.size(); ++number) {
        const std::vector<int> ranks = ranks_of_adapter(placement, number);
        std::fprintf(out, "adapter %s, next to processors %s: %s%s\n",
                     adapters[number].name.c_str(), adapters[number].near_list.c_str(),
                     ranks.empty() ? "no rank" : word_for(ranks, "rank ", "ranks "),
                     numbers_text(ranks).c_str());
    }
}

void print_servers(std::FILE* out, const std::vector<base::AdapterPart>& adapters,
                   const std::vector<int>& hosts, const base::Placement& placement) {
    for (size_t server = 0; server < hosts.size(); ++server) {
        const auto host = static_cast<size_t>(hosts[server]);
        const int processor = placement.processor_of_server[server];
        const auto adapter = static_cast<size_t>(placement.adapter_of_rank[host]);
        const std::string nodes = nodes_text(placement.memory_of_server[server]);
        const bool is_one = nodes.find_first_not_of("0123456789") == std::string::npos;
        std::fprintf(
            out, "data server in rank %zu: %sthread %s, buffers in NUMA node%s %s\n", host,
            adapters.empty() ? "" : (adapters[adapter].name + ", ").c_str(),
            processor < 0 ? "not bound" : ("on processor " + std::to_string(processor)).c_str(),
            is_one ? "" : "s", nodes.c_str());
    }
}

void place(std::FILE* out, const base::Config& config, const Request& request,
           const base::MachineParts& parts) {
    const std::string provider = choose_provider(config, parts);
    std::vector<base::AdapterPart> adapters;
    if (uses_nearest(provider)) {
        std::copy_if(parts.adapters.begin(), parts.adapters.end(), std::back_inserter(adapters),
                     [&](const base::AdapterPart& adapter) { return drives(provider, adapter); });
    }
    base::Machine machine = request.machine;
    machine.question.ranks = bind_ranks(parts, request.ranks);
    machine.question.server_ranks =
        server_ranks(machine.question.ranks.size(),
                     count_servers(config, parts, request.ranks, adapters.size()));
    for (const base::AdapterPart& adapter : adapters) {
        machine.question.adapters.push_back(adapter.near);
    }
    const base::Placement placement = tools::library().place_on(machine);
    std::fprintf(out, "ranks: %d, %s\n", request.ranks, binding_text(parts, request.ranks).c_str());
    print_network(out, config, provider);
    print_adapters(out, adapters, placement);
    print_servers(out, adapters, machine.question.server_ranks, placement);
}

}  // namespace

int print_places_of(std::FILE* out, const std::string& text) {
    Request request;
    if (!read_request(text, &request)) {
        std::fprintf(stderr,
                     "armci-info: --places: \"%s\" is not RANKS[,MACHINE], with 1 to %d ranks\n",
                     text.c_str(), kMostRanks);
        return tools::kExitUsage;
    }
    const base::Machine& machine = request.machine;
    const base::MachineParts parts = tools::library().parts_of(machine);
    if (!parts.is_known) {
        std::fprintf(stderr,
                     "armci-info: --places: hwloc cannot read \"%s\", which must be a file that "
                     "lstopo has written (lstopo --disallowed node.xml), or a synthetic "
                     "description (\"package:2 numa:4 core:16 pu:1\")\n",
                     (machine.file.empty() ? machine.synthetic : machine.file).c_str());
        return 1;
    }
    const base::ConfigResult configuration = read_configuration();
    if (print_errors(configuration)) {
        return 1;
    }
    if (configuration.config.node_size != 0) {
        std::fprintf(stderr,
                     "armci-info: --places: ARMCI_NODE_SIZE divides a host into nodes, on "
                     "which no thread is bound; unset it to see the places on a host\n");
        return 1;
    }
    place(out, configuration.config, request, parts);
    return 0;
}

}  // namespace armci::info
