// SPDX-License-Identifier: BSD-3-Clause
// This file says what is known about each libfabric provider, and chooses one.
//
// Provider names are compared nowhere else. Everything that depends on the provider is a column of
// the table or an attribute that the provider granted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ip.h"
#include "fabric/adapters.h"
#include "fabric/fid.h"

namespace armci::fabric {

// Says how a thread waits for a completion queue of this provider without using the processor.
enum class WaitMode : uint8_t {
    fd,     // a file descriptor to poll, after fi_trywait
    sread,  // fi_cq_sread with a time-out
    nap,    // no wait object works: poll, and sleep longer while nothing arrives
};

// These are rough costs of the network in microseconds. They choose routes if nothing was measured.
// armci-tune measures them, and pipeline/costs/cost_model.h says what follows from them.
struct NetworkCosts {
    double latency_us = 0;     // of a transfer by RMA, plus:
    double block_us = 0;       // one more block of a stream
    double single_us = 0;      // one more non-blocking RMA operation of a stream
    double block_byte_us = 0;  // each byte of it
    double request_us = 0;     // of a transfer by messages, plus:
    double chunk_us = 0;       // one more message of a stream
    double chunk_byte_us = 0;  // each byte of it
    double overlap = 0;        // 0..1: how much of a transmission leaves the processors to pack
};

// Says how it is known that a write with FI_REMOTE_CQ_DATA arrives with its data.
enum class ImmediateData : uint8_t {
    no,       // it does not
    granted,  // it does if domain_attr->cq_data_size says so
    tried,    // cq_data_size is about messages, too; a write to itself tells it
};

struct ProviderRow {
    const char* name = "";
    // The available provider with the highest is the default; 0: only on request.
    int preference = 0;
    WaitMode wait = WaitMode::nap;  // if the provider allows it, else the next one that it allows
    bool rma = false;       // whether RMA works; if not, everything uses messages and the server
    bool delivery = false;  // whether FI_DELIVERY_COMPLETE on a write is remote completion
    ImmediateData immediate_data = ImmediateData::no;
    // True if its descriptor was seen to wake a sleeper whenever something arrived. Some providers
    // are documented not to do so (cxi); of those that could not be run it is unknown.
    bool wakes_surely = false;
    // True if it may report a receive buffer as used up while messages still arrive in it, as
    // ofi_rxm does. Such providers leave no gaps between messages. The report of all others is
    // final, and their messages may lie anywhere.
    bool ends_early = false;
    // True if it forgets, before libfabric 2.0, a receive buffer without a word when a message is
    // too long for what is free in it (FI_ETRUNC). Others say when they release the buffer.
    bool forgets_cut = false;
    // True if a message or a write leaves after its post without further polling of the sender,
    // unless earlier operations are in its way. Some providers send packets again, or handle
    // missing buffers of the receiver, only while they are polled: they do not promise it. For them
    // only the completion of a send shows that it has left.
    bool sends_alone = false;
    // True if each endpoint listens for connections over TCP, at the address that is its name.
    bool listens_by_tcp = false;
    // True if adapters whose fabrics have one name reach each other. Some providers give all
    // fabrics one name.
    bool fabrics_have_names = false;
    // True if fi_writemsg takes immediate data, and several local pieces for one remote one.
    bool gathers_writes = false;
    // True if the bytes of a write arrive from the first to the last, and wake the target where its
    // descriptor does. A receiver that sees the last bytes has all of them.
    bool writes_in_order = false;
    NetworkCosts costs = {};
    const char* refused = nullptr;  // why the provider is not used at all, or nullptr
    const char* remark = "";        // for armci-info; may be empty
    AdapterKind adapter = {};       // the adapter that it needs, as far as the kernel shows it
};

// The immediate data of a write has so many bytes.
inline constexpr size_t kImmediateBytes = 4;

const std::vector<ProviderRow>& provider_table();

// Returns the row for a provider, or a cautious one for providers that the table does not contain.
const ProviderRow& provider_row(const std::string& name);

struct ProviderRequest {
    std::string name;          // empty: the one that the table prefers
    std::string interface;     // its name or an address of it; empty: the most likely one
    bool single_host = false;  // all ranks on one host: loopback is enough
    std::string root = {};     // for tests: where adapters are looked for
};

struct Adapter {
    std::string name;
    std::string bus_id;  // "0000:41:00.0"; empty if libfabric does not say
};

struct ProviderChoice {
    InfoPtr info;
    // Of a provider over IP in a job of several hosts: all its addresses that suit the request, in
    // libfabric's order. A request with one of them as interface gives the same with that address.
    std::vector<base::IpAddress> addresses;
    // Of a provider whose adapters are no IP interfaces: those of the same fabric that suit the
    // request, in libfabric's order. A request with one of their names as interface gives that one.
    std::vector<Adapter> adapters;
    const ProviderRow* row = nullptr;
    std::string error;  // why there is no provider
    // "name: reason" of each provider that is available or preferred to the chosen one. If the
    // request names a provider, only that one is listed.
    std::vector<std::string> passed_over;
    // The one of these that the user will miss: its adapter is here, and the chosen provider needs
    // none. Empty if there is no such provider.
    std::string idle_adapter;
};

ProviderChoice choose_provider(const ProviderRequest& request);

// The kind most likely to connect hosts comes first. A bridge made by software mostly belongs to
// containers or virtual machines; every such host has one, with the same address.
enum class InterfaceKind : uint8_t { ordinary, bridge, loopback };
InterfaceKind kind_of(const std::string& interface, const base::IpAddress& address);
// Returns the index of the first interface of the most likely kind; `kinds` has at least one.
size_t most_likely(const std::vector<InterfaceKind>& kinds);

// Returns the name that ARMCI_INTERFACE uses for it.
std::string interface_name(const fi_info& info);

// Returns "interface eth0 (192.0.2.1)" for an endpoint's own name, for messages, or an empty text
// if the provider does not use IP.
std::string own_address(const fi_info& info, const void* name);

// Returns what a message about a failure adds if the limit on open files explains it, or an empty
// text.
const char* exhausted_limit();

}  // namespace armci::fabric
