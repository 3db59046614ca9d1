// SPDX-License-Identifier: BSD-3-Clause
// verbs;ofi_rxm: InfiniBand and RoCE, and iWARP, whose queues have no immediate data.
#include "twin.h"

namespace armci::sim {
namespace {

Twin verbs_1_17() {
    return {
        .name = "verbs",
        .provider = "verbs;ofi_rxm",
        .version = "1.17",
        .library = FI_VERSION(1, 17),
        .address_format = FI_SOCKADDR_IN,
        .offers = {{
            // v1.17.0:prov/verbs/src/verbs_info.c:84, rxm/src/rxm_init.c:373
            .memory_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
            .key_bytes = 4,        // v1.17.0:prov/verbs/src/verbs_info.c:85, rxm/src/rxm_init.c:376
            .immediate_bytes = 4,  // v1.17.0:prov/verbs/src/verbs_info.c:86, rxm/src/rxm_init.c:374
        }},
        .capabilities = FI_MSG | FI_SEND | FI_RECV | FI_TAGGED | FI_RMA | FI_READ | FI_WRITE |
                        FI_REMOTE_READ | FI_REMOTE_WRITE | FI_ATOMICS | FI_SOURCE |
                        FI_DIRECTED_RECV | FI_MULTI_RECV | FI_LOCAL_COMM |
                        FI_REMOTE_COMM,  // v1.17.0:prov/rxm/src/rxm_attr.c:36-43
        .mode = 0,  // v1.17.0:prov/rxm/src/rxm_init.c:319: FI_RX_CQ_DATA stays inside ofi_rxm
        .order = FI_ORDER_RAR | FI_ORDER_RMA_RAR | FI_ORDER_ATOMIC_RAR | FI_ORDER_RAW |
                 FI_ORDER_RMA_RAW | FI_ORDER_ATOMIC_RAW | FI_ORDER_RAS | FI_ORDER_WAW |
                 FI_ORDER_RMA_WAW | FI_ORDER_ATOMIC_WAW | FI_ORDER_WAS | FI_ORDER_SAW |
                 FI_ORDER_SAS,  // v1.17.0:prov/verbs/src/verbs_info.c:64, rxm/src/rxm_init.c:323
        .ordered_write_bytes = size_t{1} << 30,  // device: v1.17.0:prov/verbs/src/verbs_info.c:637
        .ordered_read_bytes = size_t{1} << 30,   // device: v1.17.0:prov/verbs/src/verbs_info.c:636
        .completion_order = 0,                   // v1.17.0:prov/rxm/src/rxm_attr.c:55
        .threading = FI_THREAD_SAFE,             // v1.17.0:prov/rxm/src/rxm_attr.c:117
        .progress = FI_PROGRESS_MANUAL,          // v1.17.0:prov/rxm/src/rxm_init.c:493-495
        .resource_management = FI_RM_ENABLED,    // v1.17.0:prov/rxm/src/rxm_attr.c:120
        .endpoint_count = 1 << 15,               // v1.17.0:prov/rxm/src/rxm_attr.c:129
        .transmit_size = 2048,                   // v1.17.0:prov/rxm/src/rxm_init.c:54,348
        .receive_size = 2048,                    // v1.17.0:prov/rxm/src/rxm_init.c:349
        .iov_limit = 4,        // v1.17.0:prov/rxm/src/rxm_init.c:351, verbs/src/verbs_info.c:1463
        .rma_iov_limit = 1,    // v1.17.0:prov/verbs/src/verbs_info.c:131
        .inject_bytes = 8192,  // v1.17.0:prov/rxm/src/rxm_init.c:337-339,429: a bounce buffer,
                               // whose size the library sets (FI_OFI_RXM_BUFFER_SIZE)
        .largest_bytes = size_t{1} << 30,  // device: v1.17.0:prov/verbs/src/verbs_info.c:635
        .write_flags = ~uint64_t{0},       // v1.17.0:prov/rxm/src/rxm_rma.c:340-349: passed on
        .has_writedata = true,             // v1.17.0:prov/rxm/src/rxm_rma.c:514
        // Taken for ofi_rxm's own sake (rxm.h:136), and unknown to verbs (verbs_info.c:60).
        .delivery = false,
        .wait_fd = WaitObject::granted,           // v1.17.0:prov/util/src/util_cq.c:513
        .wait_unspecified = WaitObject::granted,  // v1.17.0:prov/util/src/util_cq.c:512
        .default_space = 8192,           // v1.17.0:prov/rxm/src/rxm_init.c:56: an eager buffer
        .option_time = OptionTime::any,  // v1.17.0:prov/rxm/src/rxm_ep.c:500
        .ends_early = true,  // v1.17.0:prov/rxm/src/rxm_cq.c:173: with the message that fills it
        .separate_ends = false,
        .polling = Polling::messages,  // remote accesses are the adapter's, messages ofi_rxm's
        .sends_alone = true,  // up to FI_OFI_RXM_BUFFER_SIZE: v1.17.0:prov/rxm/src/rxm_rma.c:240
    };
}

Twin verbs_2(const char* version, uint32_t library) {
    Twin twin = verbs_1_17();
    twin.version = version;
    twin.library = library;
    // v2.1.0 and v2.5.1:prov/rxm/src/rxm_ep.c:306 takes it at any time, but the receive queue has
    // been made by fi_enable.
    twin.option_time = OptionTime::before_enable;
    return twin;
}

// v2.5.1:prov/verbs/src/verbs_info.c:898-904: no immediate data.
Twin iwarp_2_5() {
    Twin twin = verbs_2("2.5", FI_VERSION(2, 5));
    twin.name = "iwarp";
    twin.offers[0].immediate_bytes = 0;
    return twin;
}

}  // namespace

std::vector<Twin> verbs_twins() {
    return {verbs_1_17(), verbs_2("2.1", FI_VERSION(2, 1)), verbs_2("2.5", FI_VERSION(2, 5)),
            iwarp_2_5()};
}

}  // namespace armci::sim
