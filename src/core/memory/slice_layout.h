// SPDX-License-Identifier: BSD-3-Clause
// Where the slices of an allocation lie in the memory that each node allocates for it. They are
// sorted by data server, so each server has one part, and then by their numbers in the group.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/job/world.h"
#include "core/memory/segments.h"
#include "core/progress/network.h"

namespace armci::core {

class SliceLayout {
  public:
    // All members get so many bytes. `network` is nullptr in a job of one node.
    SliceLayout(const World& world, const Network* network, const Group& group, int64_t equal_bytes)
        : world_(world), network_(network), group_(group), equal_bytes_(equal_bytes) {}
    // Each member gets its own, by group rank.
    SliceLayout(const World& world, const Network* network, const Group& group,
                std::vector<int64_t> bytes)
        : world_(world), network_(network), group_(group), bytes_(std::move(bytes)) {}

    // Returns the lowest group rank on this node.
    int first_member_here() const;
    // What one data server gets of this node's memory.
    struct Range {
        int server = 0;
        int64_t begin = 0;
        int64_t end = 0;
    };
    // Returns those of this node that are not empty, by server. The last one's end is the length of
    // all. Returns nothing if that has more than 63 bits.
    std::optional<std::vector<Range>> ranges_here() const;
    // Returns how many further keys each part has.
    size_t further_key_count() const {
        return network_ != nullptr ? network_->domain.further_key_count() : 0;
    }
    int servers_per_node() const { return network_ != nullptr ? network_->servers.per_node : 1; }
    // Returns what the tables need, with parts of all nodes that have members.
    size_t tables_bytes() const;
    // Makes the header of tables in memory of that size.
    SegmentTables* make_tables(void* memory) const;
    // Completes tables that have their parts, sorted by server.
    void fill_slices(SegmentTables* tables) const;

  private:
    int64_t bytes_of(int member) const { return bytes_.empty() ? equal_bytes_ : bytes_[member]; }
    int node_of(int member) const { return world_.node_of[group_.world_rank(member)]; }
    int server_of(int member) const {
        return network_ != nullptr ? network_->rank_servers.of(group_.world_rank(member)) : 0;
    }
    // Return group ranks, in their order.
    std::vector<int> members_here() const;
    std::vector<int> all_members() const;
    std::vector<int> sorted_by_server(std::vector<int> members) const;
    // Whether all slices follow from the parts.
    bool is_regular() const {
        return bytes_.empty() && group_.is_world() && world_.has_regular_nodes();
    }
    int slice_count() const { return is_regular() ? 0 : group_.size(); }  // in the tables
    int node_count() const;

    const World& world_;
    const Network* network_;
    const Group& group_;
    int64_t equal_bytes_ = 0;
    std::vector<int64_t> bytes_;  // empty if they are equal
};

}  // namespace armci::core
