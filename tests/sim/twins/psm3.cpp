// SPDX-License-Identifier: BSD-3-Clause
// psm3: Intel Ethernet, and any RoCE or UDP adapter.
#include "twin.h"

namespace armci::sim {
namespace {

Twin psm3_1_17() {
    return {
        .name = "psm3",
        .provider = "psm3",
        .version = "1.17",
        .library = FI_VERSION(1, 17),
        .address_format = FI_ADDR_PSMX3,  // v1.17.0:prov/psm3/src/psmx3_attr.c:124
        .lists_own_choice = true,         // v1.17.0:prov/psm3/src/psmx3_init.c:421
        // FI_MR_SCALABLE and FI_MR_BASIC are not required (psmx3_attr.c:95): offsets, own keys.
        .offers =
            {
                {
                    .memory_mode = 0,
                    .key_bytes = 8,           // v1.17.0:prov/psm3/src/psmx3_attr.c:96
                    .immediate_bytes = 0,     // v1.17.0:prov/psm3/src/psmx3_attr.c:97,432-440
                    .is_without_data = true,  // v1.17.0:prov/psm3/src/psmx3_attr.c:430
                },
                {
                    .memory_mode = 0,
                    .key_bytes = 8,
                    .immediate_bytes = 4,  // v1.17.0:prov/psm3/src/psmx3_attr.c:423
                },
            },
        .capabilities = FI_MSG | FI_SEND | FI_RECV | FI_TAGGED | FI_RMA | FI_READ | FI_WRITE |
                        FI_REMOTE_READ | FI_REMOTE_WRITE | FI_ATOMICS | FI_NAMED_RX_CTX |
                        FI_TRIGGER | FI_SOURCE | FI_SOURCE_ERR | FI_RMA_EVENT | FI_DIRECTED_RECV |
                        FI_MULTI_RECV | FI_SHARED_AV | FI_LOCAL_COMM |
                        FI_REMOTE_COMM,  // v1.17.0:prov/psm3/src/psmx3.h:92-98
        .mode = FI_CONTEXT,              // v1.17.0:prov/psm3/src/psmx3_attr.c:50,123
        .order = FI_ORDER_SAS | FI_ORDER_RAR | FI_ORDER_RMA_RAR | FI_ORDER_ATOMIC_RAR |
                 FI_ORDER_RAW | FI_ORDER_RMA_RAW | FI_ORDER_ATOMIC_RAW | FI_ORDER_WAR |
                 FI_ORDER_RMA_WAR | FI_ORDER_ATOMIC_WAR | FI_ORDER_WAW | FI_ORDER_RMA_WAW |
                 FI_ORDER_ATOMIC_WAW,          // v1.17.0:prov/psm3/src/psmx3.h:111; no SAW
        .ordered_write_bytes = 4096,           // v1.17.0:prov/psm3/src/psmx3.h:110
        .ordered_read_bytes = 4096,            // the same
        .completion_order = 0,                 // v1.17.0:prov/psm3/src/psmx3.h:113
        .threading = FI_THREAD_SAFE,           // v1.17.0:prov/psm3/src/psmx3_attr.c:90
        .progress = FI_PROGRESS_MANUAL,        // v1.17.0:prov/psm3/src/psmx3_attr.c:688-691
        .resource_management = FI_RM_ENABLED,  // v1.17.0:prov/psm3/src/psmx3_attr.c:93
        .endpoint_count = 65535,               // v1.17.0:prov/psm3/src/psmx3_attr.c:99
        .transmit_size = SIZE_MAX,             // v1.17.0:prov/psm3/src/psmx3_attr.c:55
        .receive_size = SIZE_MAX,              // v1.17.0:prov/psm3/src/psmx3_attr.c:67
        .iov_limit = 13,                       // v1.17.0:prov/psm3/src/psmx3.h:420-421
        .rma_iov_limit = 1,                    // v1.17.0:prov/psm3/src/psmx3_attr.c:57
        .inject_bytes = 64,                    // v1.17.0:prov/psm3/src/psmx3_init.c:55
        .largest_bytes = 0xfffff000,           // v1.17.0:prov/psm3/src/psmx3.h:109, psmx3_attr.c:75
        .write_flags = ~uint64_t{0},           // v1.17.0:prov/psm3/src/psmx3_rma.c: not looked at
        .has_writedata = true,                 // v1.17.0:prov/psm3/src/psmx3_rma.c:1451
        .delivery = true,                      // v2.5.1:prov/psm3/src/psmx3_rma.c:1032: an answer
        .wait_fd = WaitObject::unsignalled,    // v1.17.0:prov/psm3/src/psmx3_cq.c:1227
        .wait_unspecified = WaitObject::unsignalled,  // v1.17.0:prov/psm3/src/psmx3_cq.c:1226
        .holds_when_full = false,        // v1.17.0:prov/psm3/src/psmx3_cq.c:1283-1296: lists
        .default_space = 0,              // v1.17.0:prov/psm3/src/psmx3.h:766: not set
        .option_time = OptionTime::any,  // v1.17.0:prov/psm3/src/psmx3_ep.c:187
        .ends_early = false,             // v1.17.0:prov/psm3/src/psmx3_cq.c:625-627: with the last
        .separate_ends = false,
        .polling = Polling::everything,  // v1.17.0:prov/psm3/src/psmx3_rma.c: active messages
        .sends_alone = false,            // a rendezvous needs its sender
    };
}

Twin psm3_2(const char* version, uint32_t library) {
    Twin twin = psm3_1_17();  // v2.1.0 and v2.5.1:prov/psm3/src/psmx3_attr.c:48-111 say the same
    twin.version = version;
    twin.library = library;
    return twin;
}

}  // namespace

std::vector<Twin> psm3_twins() {
    return {psm3_1_17(), psm3_2("2.1", FI_VERSION(2, 1)), psm3_2("2.5", FI_VERSION(2, 5))};
}

}  // namespace armci::sim
