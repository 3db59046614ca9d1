// SPDX-License-Identifier: BSD-3-Clause
// What is known about each libfabric provider, and the choice of one.
//
// Provider names are compared nowhere else: everything that depends on the provider is either a
// column of the table or an attribute the provider granted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/adapters.h"
#include "fabric/fid.h"

namespace armci::fabric {

// How a thread waits for a completion queue of this provider without using the processor.
enum class WaitMode : uint8_t {
    fd,     // a file descriptor to poll, after fi_trywait
    sread,  // fi_cq_sread with a time-out
    nap,    // no wait object works: poll and sleep, longer while nothing comes
};

// Roughly what the network costs, in microseconds, for choosing routes where nothing was measured:
// armci-tune measures, and pipeline/cost_model.h says what follows from these.
struct NetworkCosts {
    double latency_us;     // of a transfer by RMA, besides:
    double block_us;       // one more RMA operation of a stream
    double block_byte_us;  // and each byte of it
    double request_us;     // of a transfer by messages, besides:
    double chunk_us;       // one more message of a stream
    double chunk_byte_us;  // and each byte of it
    double overlap;        // 0..1: how much of a transmission leaves the processors to pack
};

struct ProviderRow {
    const char* name;
    int preference;  // the default is the available provider with the highest; 0: only when asked
                     // for
    WaitMode wait;
    bool rma;       // whether RMA works; if not, everything goes by messages through the server
    bool delivery;  // whether FI_DELIVERY_COMPLETE on a write is remote completion
    bool immediate_data;  // whether writes with FI_REMOTE_CQ_DATA arrive with their data
    // Whether its descriptor was seen to wake a sleeper whenever something came. Some are
    // documented not to (cxi), and of those that could not be run it is not known.
    bool wakes_surely;
    // Whether it may say that a receive buffer is used up while messages are still arriving in it,
    // as ofi_rxm does. Those that may leave no gaps between messages. All others must be believed:
    // their messages may lie anywhere.
    bool ends_early;
    // Whether a message leaves after its post though the sender polls no more, unless earlier
    // operations are in its way. Providers that send packets again, or handle the receiver's lack
    // of buffers, while they are polled do not promise it. Of all others a send's completion tells.
    bool sends_alone;
    NetworkCosts costs;
    const char* refused;       // why the provider is not used at all, or nullptr
    const char* remark;        // for armci-info; may be empty
    AdapterKind adapter = {};  // what it needs, as far as the kernel tells
};

const std::vector<ProviderRow>& provider_table();

// The row for a provider, or a cautious one for providers the table does not know.
const ProviderRow& provider_row(const std::string& name);

struct ProviderRequest {
    std::string name;          // empty: the table's preference
    std::string interface;     // empty: the most likely one
    bool single_host = false;  // all ranks on one host: loopback will do
    std::string root = {};     // for tests: where adapters are looked for
};

struct ProviderChoice {
    InfoPtr info;
    const ProviderRow* row = nullptr;
    std::string error;  // why there is none
    // "name: reason" of what is available or preferred to what was taken. Where the request names a
    // provider: only of that.
    std::vector<std::string> passed_over;
    // The one of these that the user will miss: its adapter is here, and what was taken instead
    // needs none. Empty if there is none.
    std::string idle_adapter;
};

ProviderChoice choose_provider(const ProviderRequest& request);

// The most likely to connect hosts first. A bridge made by software is mostly one of containers or
// virtual machines, which every such host has, with the same address.
enum class InterfaceKind : uint8_t { ordinary, bridge, loopback };
// The index of the first of the most likely kind; `kinds` has at least one.
size_t most_likely(const std::vector<InterfaceKind>& kinds);

// What ARMCI_INTERFACE names it by.
std::string interface_name(const fi_info& info);

// For messages: "interface eth0 (192.0.2.1)" of an endpoint's own name; empty where the provider
// does not use IPv4.
std::string own_address(const fi_info& info, const void* name);

// What a message about a failure adds when the limit on open files explains it; else empty.
const char* exhausted_limit();

}  // namespace armci::fabric
