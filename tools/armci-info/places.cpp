// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/places.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
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
// their order. More ranks than processors are not bound.
std::vector<std::string> bind_ranks(const base::MachineParts& parts, int ranks) {
    const auto count = static_cast<size_t>(ranks);
    const std::vector<std::string>& places =
        count <= parts.cores.size() ? parts.cores : parts.processors;
    std::vector<std::string> bound(count);
    for (size_t rank = 0; rank < count && count <= places.size(); ++rank) {
        bound[rank] = places[rank * places.size() / count];
    }
    return bound;
}

std::string binding_text(const base::MachineParts& parts, int ranks) {
    const auto count = static_cast<size_t>(ranks);
    const std::string cores = std::to_string(parts.cores.size()) + " cores";
    const std::string processors = std::to_string(parts.processors.size()) + " processors";
    if (count <= parts.cores.size()) {
        return "each bound to one of " + cores;
    }
    if (count <= parts.processors.size()) {
        return "each bound to one of " + processors;
    }
    return "not bound, because there are only " + processors;
}

// As ARMCI_Init counts them.
int count_servers(const base::Config& config, const base::MachineParts& parts, int ranks) {
    if (config.servers_per_node != base::kAuto) {
        return static_cast<int>(std::min<int64_t>(config.servers_per_node, ranks));
    }
    return tools::library().default_server_count(
        {ranks, static_cast<int64_t>(parts.adapters.size()),
         static_cast<size_t>(ranks) > parts.processors.size()});
}

std::string rank_word(size_t count) {
    return count == 1 ? "rank " : "ranks ";
}

void print_adapters(std::FILE* out, const base::MachineParts& parts,
                    const base::Placement& placement) {
    if (parts.adapters.empty()) {
        std::fprintf(out, "adapters: hwloc knows none of OpenFabrics or Slingshot there\n");
    }
    for (size_t adapter = 0; adapter < parts.adapters.size(); ++adapter) {
        const std::vector<int> ranks = ranks_of_adapter(placement, adapter);
        std::fprintf(
            out, "adapter %s, next to processors %s: %s\n", parts.adapters[adapter].name.c_str(),
            parts.adapters[adapter].near_list.c_str(),
            ranks.empty() ? "no rank" : (rank_word(ranks.size()) + numbers_text(ranks)).c_str());
    }
}

void print_servers(std::FILE* out, const base::MachineParts& parts, const std::vector<int>& hosts,
                   const base::Placement& placement) {
    for (size_t server = 0; server < hosts.size(); ++server) {
        const auto host = static_cast<size_t>(hosts[server]);
        const int processor = placement.processor_of_server[server];
        const std::string nodes = nodes_text(placement.memory_of_server[server]);
        std::fprintf(
            out, "data server in rank %zu: %sthread %s, buffers in %s\n", host,
            parts.adapters.empty()
                ? ""
                : (parts.adapters[static_cast<size_t>(placement.adapter_of_rank[host])].name + ", ")
                      .c_str(),
            processor < 0 ? "not bound" : ("on processor " + std::to_string(processor)).c_str(),
            nodes.empty() ? "any NUMA node" : ("NUMA node " + nodes).c_str());
    }
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
    const base::MachineParts parts = tools::library().parts_of(request.machine);
    if (!parts.is_known) {
        const base::Machine& machine = request.machine;
        std::fprintf(stderr,
                     "armci-info: --places: hwloc cannot read \"%s\", which must be a file that "
                     "lstopo has written (lstopo node.xml), or a synthetic description "
                     "(\"package:2 numa:4 core:16 pu:1\")\n",
                     (machine.file.empty() ? machine.synthetic : machine.file).c_str());
        return 1;
    }
    const base::ConfigResult configuration = read_configuration();
    if (print_errors(configuration)) {
        return 1;
    }
    base::Machine machine = request.machine;
    machine.question.ranks = bind_ranks(parts, request.ranks);
    machine.question.server_ranks = server_ranks(
        machine.question.ranks.size(), count_servers(configuration.config, parts, request.ranks));
    for (const base::AdapterPart& adapter : parts.adapters) {
        machine.question.adapters.push_back(adapter.near);
    }
    const base::Placement placement = tools::library().place_on(machine);
    std::fprintf(out, "ranks: %d, %s\n", request.ranks, binding_text(parts, request.ranks).c_str());
    print_adapters(out, parts, placement);
    print_servers(out, parts, machine.question.server_ranks, placement);
    std::fprintf(out,
                 "(Ranks use their nearest adapter over cxi, efa, psm3 and opx. Over tcp and "
                 "verbs;ofi_rxm all use one network.)\n");
    return 0;
}

}  // namespace armci::info
