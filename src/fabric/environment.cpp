// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/environment.h"

#include <rdma/fabric.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>

#include "fabric/adapters.h"

namespace armci::fabric {
namespace {

struct Variable {
    const char* name;
    const char* value;
};

// Over tcp, ofi_rxm keeps 4096 receive buffers of 16 KiB for each endpoint, 68 MB that are written
// when it opens. That costs an eighth of a gigabyte and a quarter of a second for each data server.
// Few messages are under way at a time, because bulk data is written past these buffers; what does
// not fit in them waits in the socket.
//
// ofi_rxm looks only every 10 ms for connections that others want to make or have made, so the
// first operation between two processes takes 15 ms. One such look costs less than a microsecond.
//
// Since 2.5 cxi has writes with immediate data if this variable is set. It then does not use its
// optimized keys.
//
// Where a socket is full, tcp copies a message of up to 9000 bytes, or what is left of one, and
// completes it. The copy leaves only when the endpoint is polled again. Without this memory for
// copies, a completed message has left.
//
// Since 1.18, each endpoint over tcp has 1024 operations with 16 KiB each, for tagged messages that
// nothing was posted for, and writes to all of them. This library has no tagged messages.
constexpr Variable kVariables[] = {
    {"FI_OFI_RXM_MSG_RX_SIZE", "128"},           // receive buffers
    {"FI_OFI_RXM_CM_PROGRESS_INTERVAL", "100"},  // microseconds
    {"FI_CXI_ENABLE_WRITEDATA", "1"},            // a boolean
    {"FI_TCP_STAGING_SBUF_SIZE", "0"},           // bytes
    {"FI_NET_STAGING_SBUF_SIZE", "0"},           // bytes; 1.17 calls the newer tcp "net"
    {"FI_TCP_MAX_RX_SIZE", "256"},               // bytes; of an operation
};

// No message is larger than 8 KiB if there is remote memory access
// (pipeline/buffers/chunk_sizes.h). For 1024 sent messages and 1024 received ones ofi_rxm makes
// buffers at once, and writes to all of their memory.
constexpr Variable kWithBuffers[] = {{"FI_OFI_RXM_BUFFER_SIZE", "8192"}};

// Over tcp, libfabric 1.17 sends messages from the memory of its caller, and receives them in it,
// if these do not exceed the second limit. The buffers then hold little more than headers. With
// 8 KiB each, they took 9 MB of each endpoint when it opened, and 9 MB when it first sent
// something. Later versions copy messages through the buffers. So does ofi_rxm over verbs, for
// which there can be no value of its own.
constexpr Variable kWithoutBuffers[] = {
    {"FI_OFI_RXM_BUFFER_SIZE", "256"},
    {"FI_OFI_RXM_EAGER_LIMIT", "8192"},
};

constexpr const char* kFirstPort = "FI_TCP_PORT_LOW_RANGE";
constexpr const char* kLastPort = "FI_TCP_PORT_HIGH_RANGE";

base::PortRange g_ports;
int64_t g_link_s = 0;
int g_environments = 0;  // objects that exist

// Two kinds of values, as libfabric reads them.
bool is_positive(const char* value) {
    return std::strtol(value, nullptr, 0) > 0;
}
bool is_true(const char* value) {
    constexpr const char* kTrue[] = {"1", "true", "yes", "on"};
    return std::any_of(std::begin(kTrue), std::end(kTrue),
                       [&](const char* word) { return strcasecmp(value, word) == 0; });
}

}  // namespace

void use_ports(const base::PortRange& ports) {
    g_ports = ports;
}

void use_link_limit(int64_t seconds) {
    g_link_s = seconds;
}

const base::PortRange& ports_in_use() {
    return g_ports;
}

bool ofi_rxm_copies_messages() {
    static const bool has_verbs = !find_adapter("", kVerbsAdapter).empty();
    return has_verbs || FI_VERSION_GE(fi_version(), FI_VERSION(1, 18));
}

std::string variables_that_delay(const std::string& provider) {
    const bool is_net = provider.starts_with("net");
    if (!is_net && !provider.starts_with("tcp")) {
        return "";
    }
    std::string found;
    const auto look_at = [&](const char* setting, bool (*delays)(const char* value)) {
        const std::string name = std::string(is_net ? "FI_NET_" : "FI_TCP_") + setting;
        const char* value = std::getenv(name.c_str());
        if (value != nullptr && delays(value)) {
            found += (found.empty() ? "" : ", ") + name + "=" + value;
        }
    };
    look_at("STAGING_SBUF_SIZE", is_positive);
    // With io_uring, tcp posts a second message to the kernel when it has seen the first one's end.
    if (is_net || FI_VERSION_GE(fi_version(), FI_VERSION(1, 18))) {
        look_at("IO_URING", is_true);
    }
    return found;
}

base::PortRange ports_of_provider() {
    const char* first = std::getenv(kFirstPort);
    const char* last = std::getenv(kLastPort);
    base::PortRange ports = g_ports;
    if (!ports.is_given() && first != nullptr && last != nullptr) {
        base::parse_port_range(std::string(first) + "-" + last, &ports);
    }
    return ports;
}

LibfabricEnvironment::LibfabricEnvironment() {
    if (g_environments++ > 0) {
        return;
    }
    for (const Variable& variable : kVariables) {
        set(variable.name, variable.value);
    }
    const auto further = ofi_rxm_copies_messages() ? std::span<const Variable>(kWithBuffers)
                                                   : std::span<const Variable>(kWithoutBuffers);
    for (const Variable& variable : further) {
        set(variable.name, variable.value);
    }
    // The provider sockets waits for a connection inside calls, by default for 15 s.
    constexpr int64_t kMaxWaitMs = 5'000;
    if (g_link_s > 0) {
        set("FI_SOCKETS_CONN_TIMEOUT",
            std::to_string(std::min(kMaxWaitMs, g_link_s * 1000 / 8)).c_str());
    }
    if (g_ports.is_given()) {
        set(kFirstPort, std::to_string(g_ports.first).c_str());
        set(kLastPort, std::to_string(g_ports.last).c_str());
    }
}

LibfabricEnvironment::~LibfabricEnvironment() {
    --g_environments;
    for (const char* name : ours_) {
        unsetenv(name);
    }
}

void LibfabricEnvironment::set(const char* name, const char* value) {
    if (std::getenv(name) == nullptr && setenv(name, value, 0) == 0) {
        ours_.push_back(name);
    }
}

}  // namespace armci::fabric
