// SPDX-License-Identifier: BSD-3-Clause
// The table of providers, with what libfabric cannot be asked.
#include <iterator>

#include "fabric/provider.h"

namespace armci::fabric {
namespace {

// The costs were measured on loopback of a machine with two processors, or come from the
// documentation of present hardware (100 Gbit/s). The latter are the lowest usual ones, because a
// wrong guess costs little there.
constexpr NetworkCosts kTcpCosts = {
    .latency_us = 10,
    .block_us = 1.9,
    .single_us = 11,
    .block_byte_us = 0.0005,
    .request_us = 11,
    .chunk_us = 12,
    .chunk_byte_us = 0.0005,
    .overlap = 1,
};
constexpr NetworkCosts kSharedMemoryCosts = {
    .latency_us = 1,
    .block_us = 2.5,
    .single_us = 2.5,
    .block_byte_us = 0.00018,
    .request_us = 3,
    .chunk_us = 1.5,
    .chunk_byte_us = 0.0004,
    .overlap = 0.3,
};
constexpr NetworkCosts kSocketsCosts = {
    .latency_us = 2000,
    .block_us = 600,
    .single_us = 600,
    .block_byte_us = 0.0018,
    .request_us = 4000,
    .chunk_us = 600,
    .chunk_byte_us = 0.0018,
    .overlap = 0.5,
};
constexpr NetworkCosts kDatagramCosts = {
    .latency_us = 8,
    .block_us = 8,
    .single_us = 8,
    .block_byte_us = 0.0033,
    .request_us = 16,
    .chunk_us = 10,
    .chunk_byte_us = 0.0033,
    .overlap = 0.5,
};
constexpr NetworkCosts kAdapterCosts = {
    .latency_us = 2,
    .block_us = 0.3,
    .single_us = 0.3,
    .block_byte_us = 0.00008,
    .request_us = 3,
    .chunk_us = 0.5,
    .chunk_byte_us = 0.00008,
    .overlap = 0.9,
};

// RDMA adapters of all makers share one class and differ by their drivers.
constexpr AdapterKind kCassini = {.directory = "/sys/class/cxi"};
constexpr AdapterKind kEfa = {.directory = "/sys/class/infiniband", .driver = "efa"};
constexpr AdapterKind kIntelEthernet = {.directory = "/sys/class/infiniband", .driver = "ice"};
constexpr AdapterKind kOmniPath = {.directory = "/sys/class/infiniband", .driver = "hfi1"};

// One row for each provider; what a row does not name has the default of ProviderRow. Rows for
// hardware that the project could not run yet say so in the remark.
constexpr ProviderRow kTable[] = {
    {
        .name = "cxi",
        .preference = 90,
        .wait = WaitMode::fd,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::tried,
        .fabrics_have_names = true,
        .costs = kAdapterCosts,
        .remark = "from documentation, not run",
        .adapter = kCassini,
    },
    {
        .name = "verbs;ofi_rxm",
        .preference = 80,
        .wait = WaitMode::fd,
        .rma = true,
        .immediate_data = ImmediateData::granted,
        .ends_early = true,
        .forgets_cut = true,
        .sends_alone = true,
        .costs = kAdapterCosts,
        .remark = "from documentation, not run",
        .adapter = kVerbsAdapter,
    },
    {
        .name = "efa",
        .preference = 75,
        .wait = WaitMode::fd,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::granted,
        .fabrics_have_names = true,
        .costs = kAdapterCosts,
        .remark = "from documentation, not run",
        .adapter = kEfa,
    },
    {
        .name = "psm3",
        .preference = 70,
        // psm3 signals its descriptor only while this process polls (psmx3_cq.c:
        // psmx3_cq_enqueue_event). A data server that slept on it answered after 20 to 60 ms.
        .wait = WaitMode::nap,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::granted,
        .fabrics_have_names = true,
        .costs = kAdapterCosts,
        .remark = "run with PSM3_HAL=sockets only",
        .adapter = kIntelEthernet,
    },
    {
        .name = "opx",
        .preference = 65,
        .wait = WaitMode::nap,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::tried,
        .costs = kAdapterCosts,
        .remark = "from documentation, not run",
        .adapter = kOmniPath,
    },
    {
        .name = "tcp",
        .preference = 50,
        .wait = WaitMode::fd,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::granted,
        .ends_early = true,
        .sends_alone = true,
        .listens_by_tcp = true,
        .gathers_writes = true,
        .costs = kTcpCosts,
    },
    {
        .name = "tcp;ofi_rxm",
        .preference = 40,
        .wait = WaitMode::fd,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::granted,
        .wakes_surely = true,
        .ends_early = true,
        .forgets_cut = true,
        .sends_alone = true,
        .listens_by_tcp = true,
        .gathers_writes = true,
        .writes_in_order = true,
        .costs = kTcpCosts,
    },
    {
        .name = "sockets",
        .wait = WaitMode::fd,
        .rma = true,
        .delivery = true,
        .wakes_surely = true,
        .ends_early = true,
        .sends_alone = true,
        .listens_by_tcp = true,
        .costs = kSocketsCosts,
        .remark = "milliseconds per operation when cores are scarce",
    },
    {
        .name = "shm",
        .wait = WaitMode::nap,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::granted,
        .ends_early = true,
        .sends_alone = true,
        .costs = kSharedMemoryCosts,
        .remark = "one host only; has nothing to wait on, so the data server naps; libfabric keeps "
                  "files in /dev/shm while the job runs",
    },
    {
        .name = "net",
        .wait = WaitMode::sread,
        .rma = true,
        .delivery = true,
        .immediate_data = ImmediateData::granted,
        .ends_early = true,
        .sends_alone = true,
        .listens_by_tcp = true,
        .gathers_writes = true,
        .costs = kTcpCosts,
        .remark = "its file descriptor is always readable, so the data server waits by fi_cq_sread",
    },
    {
        .name = "udp;ofi_rxd",
        .wait = WaitMode::sread,
        .ends_early = true,
        .costs = kDatagramCosts,
        .remark = "remote access is broken in libfabric; used for messages only, which leave while "
                  "their sender polls",
    },
    {
        .name = "sm2",
        .wait = WaitMode::nap,
        .ends_early = true,
        .refused = "it offers no remote memory access",
    },
    {
        .name = "lnx",
        .wait = WaitMode::nap,
        .ends_early = true,
        .refused = "it carries tagged messages only",
    },
    {
        .name = "psm2",
        .wait = WaitMode::nap,
        .ends_early = true,
        .refused = "it is unmaintained",
    },
    {
        .name = "psm",
        .wait = WaitMode::nap,
        .ends_early = true,
        .refused = "it is unmaintained",
    },
};

constexpr ProviderRow kUnknown = {
    .name = "",
    .wait = WaitMode::nap,
    .rma = true,
    .delivery = true,
    .ends_early = true,
    .costs = kTcpCosts,
    .remark = "not in the provider table",
};

}  // namespace

const std::vector<ProviderRow>& provider_table() {
    static const std::vector<ProviderRow> table(std::begin(kTable), std::end(kTable));
    return table;
}

const ProviderRow& provider_row(const std::string& name) {
    for (const ProviderRow& row : kTable) {
        if (name == row.name) {
            return row;
        }
    }
    return kUnknown;
}

}  // namespace armci::fabric
