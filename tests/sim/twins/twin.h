// SPDX-License-Identifier: BSD-3-Clause
// Twins: the exact terms of real libfabric providers, for the simulated provider to keep.
//
// A twin is data, with the line of libfabric's source beside each term (tag:path:line, paths from
// prov/ on). What a device decides, the twin says for a common device, and marks it "device". A
// later version repeats only what has changed.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armci::sim {

// What fi_getinfo does with an order that the user asks for and the provider does not have.
enum class OrderHint : uint8_t {
    checked,  // it offers nothing then
    masked,   // it grants what it has of it, and nothing that was not asked for
    ignored,  // it grants what it always grants
};

// Which data moves into an endpoint only while that endpoint is polled.
enum class Polling : uint8_t { none, messages, everything };

// When FI_OPT_MIN_MULTI_RECV must be set to be kept.
enum class OptionTime : uint8_t {
    any,
    before_enable,  // later it is taken, and has no effect
    after_enable,   // fi_enable sets it back to the default
};

// What becomes of FI_WAIT_FD or FI_WAIT_UNSPEC in fi_cq_open.
enum class WaitObject : uint8_t {
    granted,
    refused,
    overlooked,   // taken, but there is nothing to wait for: FI_GETWAIT fails
    unsignalled,  // granted, but only polls of the same process signal it
};

// One of the entries that fi_getinfo returns; other terms are common to all of them.
struct Offer {
    int memory_mode = 0;           // mr_mode bits that the user must offer
    size_t key_bytes = 8;          // mr_key_size
    size_t immediate_bytes = 0;    // cq_data_size
    bool is_without_data = false;  // left out if the user's cq_data_size is not 0
};

struct Twin {
    const char* name = "";      // for --twin
    const char* provider = "";  // as fi_getinfo names it
    const char* version = "";
    uint32_t library = 0;  // what fi_version() returns
    uint32_t address_format = 0;
    // With several adapters, an entry comes first that leaves the choice to the provider.
    bool lists_own_choice = false;

    // What fi_getinfo reports.
    std::vector<Offer> offers;
    uint64_t capabilities = 0;
    uint64_t mode = 0;            // of fi_info
    bool needs_mode = true;       // whether hints without that mode are refused
    int adopted_memory_mode = 0;  // bits that it requires if the user offers them, not otherwise
    uint64_t order = 0;           // msg_order
    OrderHint order_hint = OrderHint::checked;
    size_t ordered_write_bytes = 0;  // max_order_waw_size
    size_t ordered_read_bytes = 0;   // max_order_raw_size
    uint64_t completion_order = 0;   // comp_order; gone since 2.0
    fi_threading threading = FI_THREAD_SAFE;
    fi_progress progress = FI_PROGRESS_MANUAL;  // of data, if the hints do not ask
    fi_resource_mgmt resource_management = FI_RM_ENABLED;
    size_t endpoint_count = 0;  // ep_cnt of a domain; each process has a domain of its own
    size_t transmit_size = 0;
    size_t receive_size = 0;
    size_t iov_limit = 1;
    size_t rma_iov_limit = 1;
    size_t inject_bytes = 0;
    size_t largest_bytes = 0;  // max_msg_size

    // What operations exist.
    uint64_t write_flags = 0;  // that fi_writemsg takes
    int bad_flags = 0;         // how it answers others; 0: it ignores them
    bool has_writedata = false;
    const char* writedata_variable = nullptr;  // that must be 1 when libfabric starts
    bool writedata_needs_own_keys = false;     // keys that the provider chose (FI_MR_PROV_KEY)
    uint64_t own_writedata_flags = 0;  // added to the completion of fi_writedata at its origin
    bool delivery = false;             // whether FI_DELIVERY_COMPLETE on a write is kept

    // How completion queues wait.
    WaitObject wait_fd = WaitObject::granted;
    WaitObject wait_unspecified = WaitObject::granted;
    bool holds_when_full = true;  // a full completion queue holds operations up; else it grows

    // How messages arrive. The provider writes the gap, and may do so until the message is read.
    size_t default_space = 0;         // FI_OPT_MIN_MULTI_RECV before it is set
    size_t largest_space = SIZE_MAX;  // fi_setopt refuses more
    OptionTime option_time = OptionTime::any;
    bool ends_early = false;     // the end of a buffer may be reported before its last message
    bool separate_ends = false;  // ... or on its own
    size_t alignment = 1;
    size_t gap = 0;

    Polling polling = Polling::none;
    bool sends_alone = false;  // short messages leave without polling of their sender

    // Returns whether the library is to use immediate data here.
    bool immediate_data() const;
    // Returns "name@version".
    std::string full_name() const;
};

std::vector<Twin> cxi_twins();
std::vector<Twin> verbs_twins();
std::vector<Twin> efa_twins();
std::vector<Twin> psm3_twins();
std::vector<Twin> opx_twins();
std::vector<Twin> tcp_rxm_twins();
std::vector<Twin> tcp_twins();

// All of them; they live as long as the program.
const std::vector<Twin>& all_twins();
// Those that `text` means: "all", a name, or a name and a version ("cxi@2.5").
std::vector<const Twin*> find_twins(std::string_view text);

// Returns the name of an adapter of a host: "cxi0", "cxi1", …
std::string adapter_name(const Twin& twin, int number);

}  // namespace armci::sim
