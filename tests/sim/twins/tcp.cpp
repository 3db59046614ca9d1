// SPDX-License-Identifier: BSD-3-Clause
// tcp: the reliable datagrams of the tcp provider itself, which libfabric 1.18 brought. They are
// the default on hosts without a fast network.
#include "twin.h"

namespace armci::sim {
namespace {

Twin tcp_2_1() {
    return {
        .name = "tcp",
        .provider = "tcp",
        .version = "2.1",
        .library = FI_VERSION(2, 1),
        .address_format = FI_SOCKADDR_IN,
        .offers = {{
            .memory_mode = 0,      // v2.1.0:prov/tcp/src/xnet_attr.c:175
            .key_bytes = 8,        // v2.1.0:prov/tcp/src/xnet_attr.c:176
            .immediate_bytes = 8,  // v2.1.0:prov/tcp/src/xnet_attr.c:178
        }},
        .capabilities = FI_MSG | FI_RMA | FI_RMA_PMEM | FI_TAGGED | FI_SEND | FI_WRITE | FI_READ |
                        FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE | FI_RMA_EVENT |
                        FI_DIRECTED_RECV | FI_SOURCE | FI_MULTI_RECV | FI_LOCAL_COMM |
                        FI_REMOTE_COMM,  // v2.1.0:prov/tcp/src/xnet_attr.c:36-44,195
        .mode = 0,                       // v2.1.0:prov/tcp/src/xnet_attr.c:194
        .order = FI_ORDER_RAR | FI_ORDER_RMA_RAR | FI_ORDER_ATOMIC_RAR | FI_ORDER_RAW |
                 FI_ORDER_RMA_RAW | FI_ORDER_ATOMIC_RAW | FI_ORDER_WAW | FI_ORDER_RMA_WAW |
                 FI_ORDER_ATOMIC_WAW | FI_ORDER_RAS | FI_ORDER_WAS | FI_ORDER_SAW |
                 FI_ORDER_SAS,            // v2.1.0:prov/tcp/src/xnet_attr.c:46-49
        .ordered_write_bytes = SIZE_MAX,  // v2.1.0:prov/tcp/src/xnet_attr.c:143
        .ordered_read_bytes = SIZE_MAX,   // v2.1.0:prov/tcp/src/xnet_attr.c:142
        .threading = FI_THREAD_SAFE,      // v2.1.0:prov/tcp/src/xnet_attr.c:171
        .progress = FI_PROGRESS_AUTO,     // v2.1.0:prov/tcp/src/xnet_attr.c:173: not true of data
        .resource_management = FI_RM_ENABLED,  // v2.1.0:prov/tcp/src/xnet_attr.c:174
        .endpoint_count = 256,                 // v2.1.0:prov/tcp/src/xnet_attr.c:180
        .transmit_size = 256,                  // v2.1.0:prov/tcp/src/xnet_init.c:64
        .receive_size = 256,                   // v2.1.0:prov/tcp/src/xnet_init.c:65
        .iov_limit = 4,                        // v2.1.0:prov/tcp/src/xnet_attr.c:123
        .rma_iov_limit = 4,                    // v2.1.0:prov/tcp/src/xnet_attr.c:124
        .inject_bytes = 128,                   // v2.1.0:prov/tcp/src/xnet.h:95
        .largest_bytes = SIZE_MAX,             // v2.1.0:prov/tcp/src/xnet_attr.c:139
        .write_flags = ~uint64_t{0},           // v2.5.1:prov/tcp/src/xnet_rma.c:202: not looked at
        .has_writedata = true,                 // v2.1.0:prov/tcp/src/xnet_rdm.c:580
        .delivery = true,                      // v2.1.0:prov/tcp/src/xnet_proto.h:96: an answer
        .wait_fd = WaitObject::granted,        // v2.1.0:prov/tcp/src/xnet_cq.c:290
        .wait_unspecified = WaitObject::granted,  // v2.1.0:prov/tcp/src/xnet_cq.c:288
        .default_space = 16384,                   // v2.1.0:prov/tcp/src/xnet.h:98, xnet_srx.c:918
        .option_time = OptionTime::any,           // v2.1.0:prov/tcp/src/xnet_rdm.c:672
        .ends_early = true,                       // v2.1.0:prov/tcp/src/xnet_srx.c:80
        .separate_ends = false,
        .polling = Polling::everything,  // sockets are read while the endpoint is polled
        .sends_alone = true,             // into the socket, or into a queue before it
    };
}

Twin tcp_2_5() {
    Twin twin = tcp_2_1();  // v2.5.1:prov/tcp/src/xnet_attr.c:117-201 says the same
    twin.version = "2.5";
    twin.library = FI_VERSION(2, 5);
    return twin;
}

}  // namespace

std::vector<Twin> tcp_twins() {
    return {tcp_2_1(), tcp_2_5()};
}

}  // namespace armci::sim
