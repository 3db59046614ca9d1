// SPDX-License-Identifier: BSD-3-Clause
// A libfabric provider that is a simulation: endpoints of one process whose operations are carried
// out piece by piece, in any order that the granted attributes allow, when the scheduler says so.
//
// libfabric's objects are structures with tables of functions, and its calls go through them. This
// provider fills in the tables, and src/fabric runs on it as on any provider. It does everything
// that fi_endpoint(3), fi_msg(3), fi_rma(3) and fi_cq(3) do not rule out. It is also strict: a run
// fails when the library posts memory that is not registered, sends more than a receive takes, or
// posts a receive buffer again while messages arrive in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fabric/provider.h"
#include "twins/twin.h"

namespace armci::sim {

// Faults that are injected on purpose, so that a test can show that the checks find them.
enum class Sabotage : uint8_t {
    none,
    lost_message,
    repeated_message,
    lost_completion,
    early_completion,  // of a send whose buffer is still to be read
    early_immediate,   // of a write whose data is not there yet
    overtaking,        // of writes and messages that have an order
    wrong_byte,
    stale_read,
    early_end,         // of a receive buffer in which messages are still arriving
    unreported_death,  // of a process: posts to it are always refused, operations with it never end
};

// The calls with which the library starts and that may be refused.
enum class StartCall : uint8_t {
    none,
    information,  // fi_getinfo: the provider is not offered
    domain,
    address_vector,
    queue,
    endpoint,
    enable,
    registration,
    address,  // fi_av_insert
};

// What one process is refused while it starts.
struct Refusal {
    StartCall call = StartCall::none;
    int process = 0;
    int64_t first = 0;  // so many such calls succeed before
    int64_t count = 0;  // so many are refused
    int error = 0;
};

// What a provider grants and how it behaves.
struct ProviderPlan {
    const Twin* twin = nullptr;  // whose terms these are; nullptr: of no real provider
    uint64_t message_order = 0;
    size_t ordered_bytes = 0;  // up to this length writes are in that order
    size_t ordered_read_bytes = 0;
    int memory_mode = 0;
    size_t key_bytes = 8;
    size_t transmit_size = 16;
    size_t iov_limit = 1;
    size_t rma_iov_limit = 1;
    size_t largest_bytes = 1 << 20;
    size_t immediate_bytes = 4;
    fabric::WaitMode wait = fabric::WaitMode::nap;
    int adapters = 1;         // of a twin that is not over IP: of one fabric, on each host
    int broken_adapter = -1;  // that the last process cannot open
    int last_process = 0;
    bool rma = true;
    bool delivery = true;
    bool immediate_data = true;
    bool tries_data = false;  // the library finds out by a trial
    bool gathers_writes = false;
    bool writes_in_order = false;  // the bytes of each write arrive in order, and wake the target

    Polling polling = Polling::none;
    bool sends_alone = true;            // else messages leave only while their sender is polled
    bool in_order_completions = false;  // of the messages of one sender
    bool separate_ends = false;  // the end of a receive buffer is announced on its own, after all
    bool ends_early = false;     // else it is with the message that fills it, or the last to come
    size_t alignment = 1;        // of messages in receive buffers; more than 1 only if !ends_early
    size_t gap = 0;              // before each of them, likewise
    int64_t refusals = 0;        // per mille of posts that begin a spell of -FI_EAGAIN
    int64_t longest_spell = 1;
    int64_t posts_at_a_time = 1 << 20;  // of one endpoint, not complete
    int64_t whole = 500;                // per mille of operations that are not split
    int64_t delays = 0;                 // per mille of moves after which the next one is late
    int64_t longest_delay = 1;          // in steps
    int64_t queue_room = 1 << 20;       // completions that may wait in a queue
    int64_t empty_polls = 0;            // per mille that find nothing though there is something
    int64_t yields = 0;  // per mille of posts before which other processes get their turn
    int64_t failed_registrations = 0;  // per mille of registrations that the library can do without

    Refusal refusal;
    int without_data = -1;  // process in which no write with immediate data arrives

    Sabotage sabotage = Sabotage::none;
    int64_t sabotages = 20;  // per mille of the occasions
};

// From here on libfabric is this provider. Objects of an earlier start are dropped.
void start_provider(const ProviderPlan& plan);
// The provider with random terms, which no row of the library's table has. The row stays valid
// until the next start. A twin is chosen by the library itself, from what fi_getinfo offers.
fabric::ProviderChoice choose_simulated_provider();

// Endpoints that the acting process opens next are those of the data server of that number, or with
// -1 of the rank.
void label_endpoints(int server);
// While a process starts, its calls may be refused, and registrations that it needs are not.
void begin_start();
// Checks that the process waits as the provider lets it.
void finish_start();
// Fails when an object of the provider is still open.
void check_nothing_is_open();
// Meanwhile nothing is delayed.
void suspend_delays(bool are_suspended);

// Carries out one possible move in the network; false when there is none.
bool step_network();
// The number of operations that are not complete.
int64_t pending_operations();
// Posts that the network has refused so far.
int64_t refused_posts();
// The process does not answer any more. Operations with it fail.
void kill_process(int process);
// Whether a live rank has had an operation with a dead process that cannot complete, or has tried
// to post one. The rank gets an error then, and the library has to end the job.
bool death_is_noticed();

std::string describe_network();

}  // namespace armci::sim
