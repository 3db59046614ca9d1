// SPDX-License-Identifier: BSD-3-Clause
// The ranks of the job and the nodes they form.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "core/job/node_numbers.h"
#include "node/heap.h"
#include "node/heap_keeper.h"
#include "node/node_memory.h"
#include "node/populator.h"

namespace armci::core {

struct World {
    // The caller's view is `.comm` of the world group. Programs send on it as they like, so the
    // library itself never does.
    MPI_Comm user_comm = MPI_COMM_NULL;
    // Only the library uses this one.
    MPI_Comm comm = MPI_COMM_NULL;
    // For ranks that make a group (GroupMaker); null unless MPI provides MPI_THREAD_MULTIPLE.
    MPI_Comm groups_comm = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;

    // Nodes are numbered by their first rank.
    int node = 0;
    int node_count = 1;
    NodeNumbers node_of;              // by rank
    std::vector<int32_t> node_ranks;  // ranks of this node, ascending
    int rank_in_node = 0;
    MPI_Comm node_comm = MPI_COMM_NULL;
    MPI_Comm leaders_comm = MPI_COMM_NULL;  // first ranks of all nodes; null elsewhere
    // The same ranks, for the program's calls among them, while another thread may be in others. It
    // is null unless nodes are domains and MPI provides MPI_THREAD_MULTIPLE.
    MPI_Comm masters_comm = MPI_COMM_NULL;

    bool is_single_host = false;     // all ranks run on one host, and loopback reaches them
    int processor_count = 1;         // that the ranks of this host, or node, may use together
    bool is_oversubscribed = false;  // these are more ranks than processors

    // Calls to ranks below this may take the fast paths (api/fast_path.h). It is the size, or 0 in
    // checking mode and while the timeline is kept.
    int fast_path_ranks = 0;

    bool is_leader() const { return rank_in_node == 0; }
    // Returns whether all nodes have equally many ranks, with consecutive numbers.
    bool has_regular_nodes() const { return node_of.ranks_per_node() > 0; }
    // Returns the node's lowest rank.
    int first_rank_of(int wanted_node) const { return node_of.first_rank_of(wanted_node); }
    bool on_my_node(int other) const { return node_of.is_own(other); }
};

// Identifies the host and its network. Ranks with different values share no memory.
uint64_t host_identity();
// Identifies the kernel whose monotonic clock this process reads. Equal values mean one clock.
uint64_t clock_identity();

std::string host_name();
// Returns "host name, node 2 of 4", for log and error text.
std::string describe_node(const World& world);

// Address space for a node's global memory.
struct Reservation {
    size_t data_bytes = 0;
    // If true, it takes less when there is not enough room, because the user has named no size.
    bool may_shrink = false;
};

// What the ranks of this node share after bootstrap.
struct NodeMapping {
    void* base = nullptr;
    size_t bytes = 0;
    size_t wanted_bytes = 0;  // more than `bytes` where address space was short
    base::Descriptor memory;
    uint64_t offset = node::HostAccount::kBytes;  // of the node's part in the mapping
    node::HostAccount* account = nullptr;         // of all nodes that have a part of the mapping

    node::NodeFile file() const { return {memory.get(), offset, account}; }
};

// The same mapping as this rank uses it.
struct NodeShare {
    NodeMapping mapping;
    node::NodeHeap heap;
    node::HeapKeeper keeper;    // of memory that is freed in the heap
    node::Populator populator;  // of this rank's slices
};

// Duplicates `comm` and finds out which ranks can really map memory together. It splits them into
// virtual nodes of `node_size` ranks (0: no split), and maps shared memory on each node at one
// address. It is collective over comm. Ends the job with a message when that is impossible.
void form_nodes(MPI_Comm comm, int64_t node_size, const Reservation& wanted, World* world,
                NodeMapping* mapping);
// Makes masters_comm. It is collective over the first ranks of all nodes.
void connect_masters(World* world);
// Is collective in the sense of MPI_Comm_free.
void leave_nodes(World* world, NodeMapping* mapping);

}  // namespace armci::core
