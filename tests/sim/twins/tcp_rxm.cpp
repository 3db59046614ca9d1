// SPDX-License-Identifier: BSD-3-Clause
// tcp;ofi_rxm: sockets, under the layer that makes datagrams of connections. Under libfabric 1.17
// it is the default on hosts without a fast network.
#include "twin.h"

namespace armci::sim {
namespace {

Twin tcp_rxm_1_17() {
    return {
        .name = "tcp-rxm",
        .provider = "tcp;ofi_rxm",
        .version = "1.17",
        .library = FI_VERSION(1, 17),
        .address_format = FI_SOCKADDR_IN,
        .offers = {{
            .memory_mode = 0,      // v1.17.0:prov/tcp/src/tcpx_attr.c:126
            .key_bytes = 8,        // v1.17.0:prov/tcp/src/tcpx_attr.c:127
            .immediate_bytes = 8,  // v1.17.0:prov/tcp/src/tcpx_attr.c:129
        }},
        .capabilities = FI_MSG | FI_SEND | FI_RECV | FI_TAGGED | FI_RMA | FI_READ | FI_WRITE |
                        FI_REMOTE_READ | FI_REMOTE_WRITE | FI_ATOMICS | FI_SOURCE |
                        FI_DIRECTED_RECV | FI_MULTI_RECV | FI_LOCAL_COMM |
                        FI_REMOTE_COMM,  // v1.17.0:prov/rxm/src/rxm_attr.c:36-43
        .mode = 0,                       // v1.17.0:prov/rxm/src/rxm_init.c:319
        .order = FI_ORDER_RAR | FI_ORDER_RMA_RAR | FI_ORDER_ATOMIC_RAR | FI_ORDER_RAW |
                 FI_ORDER_RMA_RAW | FI_ORDER_ATOMIC_RAW | FI_ORDER_RAS | FI_ORDER_WAW |
                 FI_ORDER_RMA_WAW | FI_ORDER_ATOMIC_WAW | FI_ORDER_WAS | FI_ORDER_SAW |
                 FI_ORDER_SAS,                 // v1.17.0:prov/tcp/src/tcpx_attr.c:44
        .ordered_write_bytes = SIZE_MAX,       // v1.17.0:prov/tcp/src/tcpx_attr.c:83
        .ordered_read_bytes = SIZE_MAX,        // v1.17.0:prov/tcp/src/tcpx_attr.c:82
        .completion_order = 0,                 // v1.17.0:prov/rxm/src/rxm_attr.c:55
        .threading = FI_THREAD_SAFE,           // v1.17.0:prov/rxm/src/rxm_attr.c:117
        .progress = FI_PROGRESS_MANUAL,        // v1.17.0:prov/rxm/src/rxm_init.c:493-495
        .resource_management = FI_RM_ENABLED,  // v1.17.0:prov/rxm/src/rxm_attr.c:120
        .endpoint_count = 1 << 15,             // v1.17.0:prov/rxm/src/rxm_attr.c:129
        .transmit_size = 2048,                 // v1.17.0:prov/rxm/src/rxm_init.c:54,348
        .receive_size = 2048,                  // v1.17.0:prov/rxm/src/rxm_init.c:349
        .iov_limit = 4,                        // v1.17.0:prov/tcp/src/tcpx.h:106
        .rma_iov_limit = 4,                    // v1.17.0:prov/tcp/src/tcpx_attr.c:62
        .inject_bytes = 64,              // v1.17.0:prov/rxm/src/rxm_init.c:341: 128 less a header
        .largest_bytes = SIZE_MAX,       // v1.17.0:prov/tcp/src/tcpx_attr.c:79
        .write_flags = ~uint64_t{0},     // v1.17.0:prov/rxm/src/rxm_rma.c:340-349: passed on
        .has_writedata = true,           // v1.17.0:prov/rxm/src/rxm_rma.c:514
        .delivery = true,                // v1.17.0:prov/tcp/src/tcpx_attr.c:50: an answer
        .wait_fd = WaitObject::granted,  // v1.17.0:prov/util/src/util_cq.c:513
        .wait_unspecified = WaitObject::granted,  // v1.17.0:prov/util/src/util_cq.c:512
        .default_space = 8192,           // v1.17.0:prov/rxm/src/rxm_ep.c:1251: an eager buffer
        .option_time = OptionTime::any,  // v1.17.0:prov/rxm/src/rxm_ep.c:500
        .ends_early = true,              // v1.17.0:prov/rxm/src/rxm_cq.c:173
        .separate_ends = false,
        .polling = Polling::everything,  // sockets are read while the endpoint is polled
        .sends_alone = true,             // into the socket, or into a queue before it
    };
}

Twin tcp_rxm_2(const char* version, uint32_t library) {
    Twin twin =
        tcp_rxm_1_17();  // v2.1.0 and v2.5.1:prov/rxm/src/rxm_attr.c, tcp/src/xnet_attr.c:58
    twin.version = version;
    twin.library = library;
    // v2.1.0 and v2.5.1:prov/rxm/src/rxm_ep.c:306 takes it at any time, but the receive queue has
    // been made by fi_enable.
    twin.option_time = OptionTime::before_enable;
    return twin;
}

}  // namespace

std::vector<Twin> tcp_rxm_twins() {
    return {tcp_rxm_1_17(), tcp_rxm_2("2.1", FI_VERSION(2, 1)), tcp_rxm_2("2.5", FI_VERSION(2, 5))};
}

}  // namespace armci::sim
