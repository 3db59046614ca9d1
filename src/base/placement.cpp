// SPDX-License-Identifier: BSD-3-Clause
#include "base/placement.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/processor_set.h"

namespace armci::base {
namespace {

// Returns whether the node is local to the processors of another one and to further ones, as memory
// behind CXL may be to a socket or to all.
bool is_wide(hwloc_topology_t topology, hwloc_obj_t node) {
    hwloc_obj_t other = nullptr;
    while ((other = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, other)) != nullptr) {
        if (hwloc_bitmap_iszero(other->cpuset) == 0 &&
            hwloc_bitmap_isincluded(other->cpuset, node->cpuset) != 0 &&
            hwloc_bitmap_isequal(other->cpuset, node->cpuset) == 0) {
            return true;
        }
    }
    return false;
}

// Returns these NUMA nodes, which do not say what is near.
ProcessorSet find_wide_memory(hwloc_topology_t topology) {
    ProcessorSet nodes;
    hwloc_obj_t node = nullptr;
    while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
        if (is_wide(topology, node)) {
            hwloc_bitmap_set(nodes.get(), node->os_index);
        }
    }
    return nodes;
}

class Placer {
  public:
    Placer(const Hardware& hardware, const PlacementQuestion& question)
        : topology_(hardware.get()),
          wide_memory_(find_wide_memory(topology_)),
          question_(question) {}

    std::vector<int> place_ranks() const;
    std::vector<int> place_servers(const std::vector<int>& adapter_of_rank) const;
    std::vector<std::string> find_memory() const;

  private:
    static constexpr int kNearMemory = 4;  // in scores

    bool share_memory(const ProcessorSet& a, const ProcessorSet& b) const;
    bool share_package(const ProcessorSet& a, const ProcessorSet& b) const;
    int distance(const ProcessorSet& rank, const std::string& adapter) const;
    std::vector<int> nearest_adapters(const std::string& rank) const;
    ProcessorSet processors_of_block(size_t server) const;
    ProcessorSet used_processors(bool* are_all_known) const;
    int best_processor(const ProcessorSet& spare, const ProcessorSet& used,
                       const ProcessorSet& block, const std::string& adapter,
                       bool must_be_near) const;

    hwloc_topology_t topology_;
    ProcessorSet wide_memory_;
    const PlacementQuestion& question_;
};

// Returns whether some memory is local to both.
bool Placer::share_memory(const ProcessorSet& a, const ProcessorSet& b) const {
    ProcessorSet nodes_of_a;
    const ProcessorSet nodes_of_b;
    hwloc_cpuset_to_nodeset(topology_, a.get(), nodes_of_a.get());
    hwloc_cpuset_to_nodeset(topology_, b.get(), nodes_of_b.get());
    nodes_of_a.remove(wide_memory_);
    return nodes_of_a.intersects(nodes_of_b);
}

bool Placer::share_package(const ProcessorSet& a, const ProcessorSet& b) const {
    hwloc_obj_t package = nullptr;
    while ((package = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, package)) !=
           nullptr) {
        const ProcessorSet inside(package->cpuset);
        if (inside.intersects(a) && inside.intersects(b)) {
            return true;
        }
    }
    return false;
}

int Placer::distance(const ProcessorSet& rank, const std::string& adapter) const {
    const ProcessorSet near(adapter);
    if (near.is_empty() || rank.is_empty() || share_memory(rank, near)) {
        return 0;
    }
    return share_package(rank, near) ? 1 : 2;
}

std::vector<int> Placer::nearest_adapters(const std::string& rank) const {
    const ProcessorSet processors(rank);
    std::vector<int> nearest;
    int shortest = 0;
    for (int adapter = 0; adapter < static_cast<int>(question_.adapters.size()); ++adapter) {
        const int this_distance =
            distance(processors, question_.adapters[static_cast<size_t>(adapter)]);
        if (nearest.empty() || this_distance < shortest) {
            nearest.clear();
            shortest = this_distance;
        }
        if (this_distance == shortest) {
            nearest.push_back(adapter);
        }
    }
    return nearest;
}

// Ranks with a data server are the first to have a turn. All that other nodes send to this one
// comes to them, so of equally near adapters they take different ones.
std::vector<int> Placer::place_ranks() const {
    std::vector<int> order = question_.server_ranks;
    for (int rank = 0; rank < static_cast<int>(question_.ranks.size()); ++rank) {
        if (!std::binary_search(question_.server_ranks.begin(), question_.server_ranks.end(),
                                rank)) {
            order.push_back(rank);
        }
    }
    std::vector<int> adapter_of_rank(question_.ranks.size());
    std::map<std::vector<int>, size_t> turns;
    for (const int rank : order) {
        const std::vector<int> nearest =
            nearest_adapters(question_.ranks[static_cast<size_t>(rank)]);
        if (!nearest.empty()) {
            adapter_of_rank[static_cast<size_t>(rank)] = nearest[turns[nearest]++ % nearest.size()];
        }
    }
    return adapter_of_rank;
}

ProcessorSet Placer::processors_of_block(size_t server) const {
    const auto begin = static_cast<size_t>(question_.server_ranks[server]);
    const size_t end = server + 1 < question_.server_ranks.size()
                           ? static_cast<size_t>(question_.server_ranks[server + 1])
                           : question_.ranks.size();
    ProcessorSet processors;
    for (size_t rank = begin; rank < end; ++rank) {
        processors.add(ProcessorSet(question_.ranks[rank]));
    }
    return processors;
}

// A rank whose binding is not known may run anywhere.
ProcessorSet Placer::used_processors(bool* are_all_known) const {
    ProcessorSet used;
    *are_all_known = true;
    for (const std::string& rank : question_.ranks) {
        const ProcessorSet processors(rank);
        *are_all_known &= !processors.is_empty();
        used.add(processors);
    }
    return used;
}

// Returns the best of the spare processors for a server, or -1. Memory counts most, because a
// server copies all that it serves. Then the adapter counts, and then a core that no rank shares.
int Placer::best_processor(const ProcessorSet& spare, const ProcessorSet& used,
                           const ProcessorSet& block, const std::string& adapter,
                           bool must_be_near) const {
    const ProcessorSet near_adapter(adapter);
    int best = -1;
    int best_score = must_be_near ? kNearMemory - 1 : -1;
    hwloc_obj_t unit = nullptr;
    while ((unit = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_PU, unit)) != nullptr) {
        const ProcessorSet one(unit->cpuset);
        if (!spare.intersects(one)) {
            continue;
        }
        hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_CORE, unit);
        const bool is_core_idle = core != nullptr && !used.intersects(ProcessorSet(core->cpuset));
        const int score = (share_memory(one, block) ? kNearMemory : 0) +
                          (one.intersects(near_adapter) ? 2 : 0) + (is_core_idle ? 1 : 0);
        if (score > best_score) {
            best = static_cast<int>(unit->os_index);
            best_score = score;
        }
    }
    return best;
}

std::vector<int> Placer::place_servers(const std::vector<int>& adapter_of_rank) const {
    std::vector<int> processor_of_server(question_.server_ranks.size(), -1);
    bool are_all_known = false;
    const ProcessorSet used = used_processors(&are_all_known);
    if (!are_all_known) {
        return processor_of_server;
    }
    ProcessorSet spare(hwloc_topology_get_allowed_cpuset(topology_));
    spare.remove(used);
    // What is near one server's memory is not given to another that is far from it.
    for (const bool must_be_near : {true, false}) {
        for (size_t server = 0; server < processor_of_server.size(); ++server) {
            int& processor = processor_of_server[server];
            if (processor >= 0 || spare.is_empty()) {
                continue;
            }
            const auto host = static_cast<size_t>(question_.server_ranks[server]);
            processor =
                best_processor(spare, used, processors_of_block(server),
                               question_.adapters.empty()
                                   ? std::string()
                                   : question_.adapters[static_cast<size_t>(adapter_of_rank[host])],
                               must_be_near);
            if (processor >= 0) {
                hwloc_bitmap_clr(spare.get(), static_cast<unsigned>(processor));
            }
        }
    }
    return processor_of_server;
}

std::vector<std::string> Placer::find_memory() const {
    std::vector<std::string> memory;
    for (const int rank : question_.server_ranks) {
        const ProcessorSet nodes;
        hwloc_cpuset_to_nodeset(
            topology_, ProcessorSet(question_.ranks[static_cast<size_t>(rank)]).get(), nodes.get());
        memory.push_back(nodes.text());
    }
    return memory;
}

}  // namespace

Placement place_node(const Hardware& hardware, const PlacementQuestion& question) {
    Placement placement;
    if (!hardware.is_known()) {
        placement.adapter_of_rank.assign(question.ranks.size(), 0);
        placement.processor_of_server.assign(question.server_ranks.size(), -1);
        placement.memory_of_server.resize(question.server_ranks.size());
        return placement;
    }
    const Placer placer(hardware, question);
    placement.adapter_of_rank = placer.place_ranks();
    placement.processor_of_server = placer.place_servers(placement.adapter_of_rank);
    placement.memory_of_server = placer.find_memory();
    return placement;
}

// A server is rarely the bottleneck of fewer ranks, and each origin keeps a channel to every server
// that it uses. Servers that sleep cost no processor time, so that ranks leave no core free is no
// reason for fewer: more of them then share the time that a busy one takes from its rank. But where
// threads must take turns already, a second server only takes turns with the first. Each is in
// another process, so there are not more than ranks.
int default_server_count(const ServerDemand& demand) {
    constexpr int64_t kRanksOfOne = 16;
    constexpr int64_t kMost = 8;
    if (demand.ranks_outnumber_processors) {
        return 1;
    }
    const int64_t by_ranks = (demand.ranks + kRanksOfOne / 2) / kRanksOfOne;
    const int64_t wanted = std::max({by_ranks, demand.adapters, int64_t{1}});
    return static_cast<int>(std::min({wanted, demand.ranks, kMost}));
}

}  // namespace armci::base
