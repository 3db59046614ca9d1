// SPDX-License-Identifier: BSD-3-Clause
// Inside of the simulated provider: its objects, the operations under way, and what may happen to
// them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "provider.h"

namespace armci::sim::network {

// A posted multi-receive buffer, until the library has seen all of it.
struct Receive {
    char* data = nullptr;
    size_t bytes = 0;
    size_t filled = 0;
    void* context = nullptr;
    int arriving = 0;  // messages that have their place, and are not announced
    int unread = 0;    // announcements in the queue
    bool is_full = false;
};

struct Entry {
    fi_cq_data_entry data{};
    Receive* receive = nullptr;
    int error = 0;
};

struct SimEndpoint;
struct Posted;

struct SimQueue {
    fid_cq cq{};
    std::deque<Entry> entries;
    size_t size = 0;  // requested entries
    SimEndpoint* endpoint = nullptr;
    int wait_fd = -1;
    bool has_written = false;  // a write that nothing announces has come since the last look
    bool waits = false;        // can be waited for, with the descriptor or in fi_cq_sread
};

struct SimVector {
    fid_av av{};
    std::vector<uint64_t> endpoints;
};

struct SimRegion {
    fid_mr mr{};
    const fid_domain* domain = nullptr;
    char* start = nullptr;
    size_t bytes = 0;
    uint64_t access = 0;
    uint64_t key = 0;  // mr.key is it as soon as the library may know it
    uint64_t remote_base = 0;
    SimEndpoint* endpoint = nullptr;  // the endpoint that it is bound to
    bool is_enabled = false;
};

struct SimEndpoint {
    fid_ep ep{};
    const fid_domain* domain = nullptr;
    uint64_t number = 0;
    bool is_server = false;
    int owner = 0;  // number of the server, or rank
    int process = 0;
    bool is_dead = false;
    SimQueue* queue = nullptr;
    SimVector* peers = nullptr;
    size_t smallest_space = 0;  // less than this is not left free in a receive buffer
    size_t asked_space = 0;     // as fi_getopt says
    bool is_enabled = false;
    std::vector<std::unique_ptr<Receive>> receives;  // that were posted, and not seen to the end
    std::deque<Receive*> posted;                     // of these, the ones with room
    std::deque<Posted*> held;                        // in a timed run: messages that found none
    int64_t refusals_left = 0;
    int64_t under_way = 0;

    // For the record: servers below zero.
    int64_t name() const { return is_server ? -1 - owner : owner; }
};

enum class Kind : uint8_t { send, write, read };

struct Piece {
    char* local;
    char* remote;
    size_t bytes;
};

struct Posted {
    Kind kind = Kind::send;
    SimEndpoint* from = nullptr;
    SimEndpoint* to = nullptr;
    int64_t number = 0;
    void* context = nullptr;
    size_t bytes = 0;
    std::vector<Piece> pieces;  // left to be placed
    std::vector<char> buffered;
    uint64_t key = 0;
    bool is_buffered = false;  // read from the caller's memory at once, not piece by piece
    bool is_delivered_kind = false;
    bool has_immediate = false;
    uint32_t immediate = 0;
    Receive* receive = nullptr;
    char* place = nullptr;
    bool ends_receive = false;

    int64_t arrives_from = 0;    // steps before which nothing happens at the target,
    int64_t completes_from = 0;  // or is reported to the caller

    bool waits_for_sender = false;  // buffered: it leaves only while its sender is polled

    bool is_read = false;       // the caller's memory is not needed any more
    bool is_matched = false;    // a message has its place
    bool is_placed = false;     // all bytes are there
    bool is_announced = false;  // the completion at the target has been written, where there is one
    bool is_complete = false;   // the completion has been reported to the caller
    bool has_failed = false;

    bool is_over() const { return (is_announced && is_complete) || has_failed; }
};

// The adapter of a process in a timed run is idle from these times on.
struct Adapter {
    int64_t sends_from = 0;
    int64_t receives_from = 0;
};

enum class Move : uint8_t { read, match, place, announce, complete, fail };

struct Provider {
    ProviderPlan plan;
    fabric::ProviderRow row{};
    std::vector<SimEndpoint*> endpoints;              // by number; nullptr: closed
    std::vector<std::unique_ptr<Posted>> operations;  // in the order they were posted
    std::map<std::pair<const fid_domain*, uint64_t>, SimRegion*> regions;  // by domain and key
    std::map<const void*, SimRegion*> descriptors;
    std::map<int, int> servers;     // that open endpoints now, by process; else the rank does
    std::vector<bool> is_starting;  // by process
    int64_t calls_to_refuse = 0;    // so many of the kind have been made
    bool are_delays_suspended = false;
    int64_t open_objects = 0;  // beside endpoints and regions
    uint64_t next_key = 1000;
    int64_t posted = 0;
    int64_t refused = 0;
    bool death_is_noticed = false;
    bool has_started = false;  // fi_getinfo was called
    bool has_writedata = false;
    SimEndpoint* polled = nullptr;
    std::vector<Adapter> adapters;                     // by process
    int64_t timed_operations = 0;                      // under way
    std::vector<std::unique_ptr<SimEndpoint>> closed;  // of a timed run, where late ones find them
};
// What start_provider() made.
Provider& provider();
ProviderPlan& rules();
bool is_starting(int process);
// The error with which the acting process is refused this call, or 0.
int refuse(StartCall call);
// Whether to inject the fault on this occasion.
bool sabotages(Sabotage kind);

// Where a remote access reaches, and whether it may.
char* remote_memory(const SimEndpoint& target, uint64_t address, uint64_t key, size_t bytes,
                    uint64_t access);
// Whether memory that is posted there is registered in its domain, where the provider needs that.
void check_local(const SimEndpoint& endpoint, const void* data, size_t bytes,
                 const void* descriptor);
int register_region(fid* domain, const void* start, size_t bytes, uint64_t access, uint64_t offset,
                    uint64_t requested_key, uint64_t flags, fid_mr** mr, void* context);

// As fi_cq_open and fi_trywait.
int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** cq, void* context);
int try_wait(fid_fabric* fabric, fid** objects, int count);

// The step before which something does not happen.
int64_t draw_delay();
// In pieces of random lengths, at least one. `remote` may be nullptr.
std::vector<Piece> split(char* local, char* remote, size_t bytes);
// Takes the data of a message or write from the caller's memory.
void read_local(Posted& operation);

// Returns whether a message or write that is posted now leaves without polling of its sender. It
// does not where the sender has to be polled, and behind many bytes, which fill a socket.
bool leaves_alone(const Posted& operation);
// The memory behind the context of an operation is the provider's until its completion, where its
// mode says so (FI_CONTEXT, FI_CONTEXT2).
void take_context(void* context);
void check_context(const void* context);
// A message gets its place in a posted receive buffer.
void match(Posted& operation);
// Moves one of its pieces.
void place(Posted& operation);
// Completes the message, or the write with immediate data, at its target.
void announce(Posted& operation);
// Reports to the caller that the operation is complete.
void complete(Posted& operation, int error);
// The endpoint is closed: what has left it may still arrive, what goes to it fails.
void end_operations_of(SimEndpoint& endpoint);
// Makes one move of one operation, both chosen at random. Returns false if no move is possible.
bool move_something(bool is_local_turn);

// In a timed run (timed_network.cpp): the operation is on its way.
void start_transfer(std::unique_ptr<Posted> operation);
// The endpoint has posted a receive.
void take_held_messages(SimEndpoint& endpoint);
// Charges the caller for a look at a queue. It found `count` entries; 0 or an error: none.
void charge_completions(const SimQueue& queue, const fi_cq_data_entry* entries, ssize_t count);
// Something is in the queue.
void wake_waiter(const SimQueue& queue);

}  // namespace armci::sim::network
