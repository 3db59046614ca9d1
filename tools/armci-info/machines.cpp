// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/machines.h"

#include <utility>

#include "armci-info/place_text.h"
#include "library/library.h"

namespace armci::info {
namespace {

// Returns the processors from `first` to `last` as hwloc writes a bitmap.
std::string processors(int first, int last) {
    std::vector<unsigned> words(static_cast<size_t>(last) / 32 + 1);
    for (int processor = first; processor <= last; ++processor) {
        words[static_cast<size_t>(processor) / 32] |= 1U << (processor % 32);
    }
    std::string text;
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
        char one[16];
        std::snprintf(one, sizeof one, "%s0x%08x", text.empty() ? "" : ",", *word);
        text += one;
    }
    return text;
}

// As many ranks as there are cores in [first, first + cores), each on one of them, of `units`
// processors each, without every `left_out`th one (0: none is left out).
std::vector<std::string> one_per_core(int first, int cores, int units, int left_out) {
    std::vector<std::string> ranks;
    for (int core = first; core < first + cores; ++core) {
        if (left_out == 0 || core % left_out != 0) {
            ranks.push_back(processors(core * units, core * units + units - 1));
        }
    }
    return ranks;
}

KnownMachine describe(const std::string& name, const std::string& synthetic,
                      std::vector<std::string> ranks,
                      std::vector<std::pair<std::string, std::string>> adapters,
                      const std::string& allowed = {}) {
    KnownMachine known;
    known.name = name;
    known.machine.synthetic = synthetic;
    known.machine.allowed = allowed;
    known.machine.question.server_ranks = server_ranks(
        ranks.size(),
        tools::library().default_server_count(
            {static_cast<int64_t>(ranks.size()), static_cast<int64_t>(adapters.size()), false}));
    known.machine.question.ranks = std::move(ranks);
    for (auto& [adapter, near] : adapters) {
        known.adapters.push_back(adapter);
        known.machine.question.adapters.push_back(near);
    }
    return known;
}

std::string adapters_text(const KnownMachine& known, const base::Placement& placement) {
    std::string text;
    for (size_t adapter = 0; adapter < known.adapters.size(); ++adapter) {
        const std::vector<int> ranks = ranks_of_adapter(placement, adapter);
        text += (text.empty() ? "`" : "; `") + known.adapters[adapter] +
                "`: " + (ranks.empty() ? "none" : numbers_text(ranks));
    }
    return text;
}

std::string servers_text(const KnownMachine& known, const base::Placement& placement) {
    std::string text;
    for (size_t server = 0; server < placement.processor_of_server.size(); ++server) {
        const int processor = placement.processor_of_server[server];
        const int rank = known.machine.question.server_ranks[server];
        text +=
            (text.empty() ? "rank " : "; rank ") + std::to_string(rank) + ", " +
            (known.adapters.empty()
                 ? std::string()
                 : "`" +
                       known.adapters[static_cast<size_t>(
                           placement.adapter_of_rank[static_cast<size_t>(rank)])] +
                       "`, ") +
            (processor >= 0 ? "processor " + std::to_string(processor) : std::string("not bound")) +
            ", NUMA " + nodes_text(placement.memory_of_server[server]);
    }
    return text;
}

}  // namespace

std::vector<KnownMachine> known_machines() {
    std::vector<KnownMachine> known;
    // The first core of each eight is kept for the system.
    known.push_back(describe("Frontier: 64 cores, 4 NUMA nodes, 4 adapters; 56 ranks, one per core",
                             "package:1 numa:4 core:16 pu:1", one_per_core(0, 64, 1, 8),
                             {{"cxi0", processors(0, 15)},
                              {"cxi1", processors(16, 31)},
                              {"cxi2", processors(32, 47)},
                              {"cxi3", processors(48, 63)}}));
    std::vector<std::string> of_aurora = one_per_core(1, 51, 1, 0);
    const std::vector<std::string> upper = one_per_core(53, 51, 1, 0);
    of_aurora.insert(of_aurora.end(), upper.begin(), upper.end());
    std::vector<std::pair<std::string, std::string>> of_sockets;
    for (int adapter = 0; adapter < 8; ++adapter) {
        of_sockets.emplace_back("cxi" + std::to_string(adapter),
                                adapter < 4 ? processors(0, 51) : processors(52, 103));
    }
    known.push_back(
        describe("Aurora: 2 sockets of 52 cores, 8 adapters; 102 ranks, the first core "
                 "of each socket is free",
                 "package:2 numa:1 core:52 pu:1", of_aurora, of_sockets));
    known.push_back(
        describe("Perlmutter, processors only: 2 sockets of 64 cores, 8 NUMA nodes, 1 "
                 "adapter; 128 ranks, one per core",
                 "package:2 numa:4 core:16 pu:1", one_per_core(0, 128, 1, 0),
                 {{"cxi0", processors(0, 15)}}));
    known.push_back(
        describe("Two EPYC of 32 cores, an adapter at each; 56 ranks, each eighth core "
                 "is free",
                 "package:2 numa:1 core:32 pu:1", one_per_core(0, 64, 1, 8),
                 {{"cxi0", processors(0, 31)}, {"cxi1", processors(32, 63)}}));
    known.push_back(
        describe("The same, of which a control group leaves the second socket; 28 "
                 "ranks",
                 "package:2 numa:1 core:32 pu:1", one_per_core(32, 32, 1, 8),
                 {{"cxi0", processors(0, 31)}, {"cxi1", processors(32, 63)}}, processors(32, 63)));
    known.push_back(describe("A laptop of 4 cores with 2 threads each; 3 ranks, one per core",
                             "package:1 numa:1 core:4 pu:2", one_per_core(0, 3, 2, 0), {}));
    return known;
}

void print_places(std::FILE* out) {
    std::fprintf(
        out,
        "\n## Places on a node\n\n"
        "Each rank uses the nearest adapter of its provider (from hwloc). Ranks that have\n"
        "several equally near ones take them in turn, those with a data server first.\n"
        "`ARMCI_INTERFACE` names others instead. Providers whose addresses are IP addresses,\n"
        "also `verbs;ofi_rxm`, use one network in the whole job. The thread of a data server is\n"
        "bound to a free processor, to which no rank is bound. It is near the memory of the\n"
        "server's ranks first, then near its rank's adapter. Without a free processor, and\n"
        "with `ARMCI_NODE_SIZE`, the thread is not bound: it runs where the rank may run whose\n"
        "process has it. Buffers of a server are in the NUMA nodes of that rank. The table was\n"
        "computed from descriptions of such machines, with ranks bound in order.\n"
        "`armci-info --places RANKS,node.xml` does so for a node that `lstopo --disallowed\n"
        "node.xml` has described, with ranks evenly spread over its cores.\n\n"
        "| node | ranks of each adapter | data servers |\n|---|---|---|\n");
    for (const KnownMachine& known : known_machines()) {
        const base::Placement placement = tools::library().place_on(known.machine);
        const std::string adapters = adapters_text(known, placement);
        std::fprintf(out, "| %s | %s | %s |\n", known.name.c_str(),
                     adapters.empty() ? "none" : adapters.c_str(),
                     servers_text(known, placement).c_str());
    }
}

}  // namespace armci::info
