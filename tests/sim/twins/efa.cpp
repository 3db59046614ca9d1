// SPDX-License-Identifier: BSD-3-Clause
// efa: the network of Amazon's hosts, its reliable datagrams ("efa", not "efa-direct", which has no
// multi-receive buffers).
#include "twin.h"

namespace armci::sim {
namespace {

Twin efa_1_17() {
    return {
        .name = "efa",
        .provider = "efa",
        .version = "1.17",
        .library = FI_VERSION(1, 17),
        .address_format = FI_ADDR_EFA,
        .offers = {{
            // v1.17.0:prov/efa/src/efa_prov_info.c:110,594
            .memory_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY,
            .key_bytes = 4,        // v1.17.0:prov/efa/src/efa_prov_info.c:111
            .immediate_bytes = 8,  // v1.17.0:prov/efa/src/efa_prov_info.c:598, rxr/rxr.h:497
        }},
        .capabilities = FI_MSG | FI_SEND | FI_RECV | FI_TAGGED | FI_RMA | FI_READ | FI_WRITE |
                        FI_REMOTE_READ | FI_REMOTE_WRITE | FI_ATOMIC | FI_SOURCE | FI_MULTI_RECV |
                        FI_DIRECTED_RECV | FI_LOCAL_COMM |
                        FI_REMOTE_COMM,      // v1.17.0:prov/efa/src/efa_prov_info.c:564-579
        .mode = 0,                           // v1.17.0:prov/efa/src/efa_prov_info.c:261
        .adopted_memory_mode = FI_MR_LOCAL,  // v1.17.0:prov/efa/src/efa_user_info.c:370
        // v1.17.0:prov/efa/src/efa_prov_info.c:631; nothing of remote access has an order
        .order = FI_ORDER_SAS | FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR |
                 FI_ORDER_ATOMIC_WAW,
        .order_hint = OrderHint::checked,      // v1.17.0:prov/efa/src/efa_user_info.c:301-305
        .ordered_write_bytes = 8192,           // device: v1.17.0:prov/efa/src/efa_prov_info.c:227
        .ordered_read_bytes = 0,               // v1.17.0:prov/efa/src/efa_user_info.c:304
        .completion_order = 0,                 // v1.17.0:prov/efa/src/efa_prov_info.c:264
        .threading = FI_THREAD_SAFE,           // v1.17.0:prov/efa/src/efa_prov_info.c:584
        .progress = FI_PROGRESS_AUTO,          // v1.17.0:prov/efa/src/efa_prov_info.c:108: not true
        .resource_management = FI_RM_ENABLED,  // v1.17.0:prov/efa/src/efa_prov_info.c:588
        .endpoint_count = 256,                 // device: v1.17.0:prov/efa/src/efa_prov_info.c:152
        .transmit_size = 4096,                 // device: v1.17.0:prov/efa/src/efa_prov_info.c:303
        .receive_size = 8192,                  // device: v1.17.0:prov/efa/src/efa_prov_info.c:305
        .iov_limit = 4,                        // v1.17.0:prov/efa/src/rxr/rxr_op_entry.h:39
        .rma_iov_limit = 1,                    // v1.17.0:prov/efa/src/efa_prov_info.c:266
        .inject_bytes = 3824,            // device: v1.17.0:prov/efa/src/efa_prov_info.c:650-657
        .largest_bytes = SIZE_MAX,       // v1.17.0:prov/efa/src/efa_prov_info.c:611
        .write_flags = ~uint64_t{0},     // v1.17.0:prov/efa/src/rxr/rxr_rma.c:379: not looked at
        .has_writedata = true,           // v1.17.0:prov/efa/src/rxr/rxr_rma.c:558
        .delivery = true,                // v1.17.0:prov/efa/src/efa_prov_info.c:635-640
        .wait_fd = WaitObject::refused,  // v1.17.0:prov/efa/src/rxr/rxr_cq.c:899
        .wait_unspecified = WaitObject::refused,  // the same
        .default_space = 8760,                    // device: v1.17.0:prov/efa/src/rxr/rxr_ep.c:2547
        .option_time = OptionTime::any,           // v1.17.0:prov/efa/src/rxr/rxr_ep.c:1219
        .ends_early = false,             // v1.17.0:prov/efa/src/rxr/rxr_cq.c:404,535: after all
        .separate_ends = false,          // v1.17.0:prov/efa/src/rxr/rxr_ep.c:1074
        .polling = Polling::everything,  // handshakes and emulated access: v2.1.0 says MANUAL
        .sends_alone = false,            // v1.17.0:prov/efa/src/efa_prov_info.c:585: a queue
    };
}

Twin efa_2_1() {
    Twin twin = efa_1_17();
    twin.version = "2.1";
    twin.library = FI_VERSION(2, 1);
    twin.offers[0].immediate_bytes = 4;   // v2.1.0:prov/efa/src/efa_cq.h:32
    twin.order_hint = OrderHint::masked;  // v2.1.0:prov/efa/src/efa_user_info.c:258
    twin.ordered_write_bytes = 0;         // v2.1.0:prov/efa/src/efa_user_info.c:266
    twin.progress = FI_PROGRESS_MANUAL;   // v2.1.0:prov/efa/src/efa_prov_info.c:591
    twin.wait_fd = WaitObject::refused;   // v2.1.0:prov/efa/src/rdm/efa_rdm_cq.c:660
    return twin;
}

// With transfers through shared memory inside a host, as is the default.
Twin efa_2_5() {
    Twin twin = efa_2_1();
    twin.version = "2.5";
    twin.library = FI_VERSION(2, 5);
    twin.wait_fd = WaitObject::refused;           // v2.5.1:prov/efa/src/rdm/efa_rdm_cq.c:1204
    twin.wait_unspecified = WaitObject::granted;  // v2.5.1:prov/efa/src/rdm/efa_rdm_cq.c:1199
    return twin;
}

// FI_EFA_ENABLE_SHM_TRANSFER=0.
Twin efa_2_5_without_shm() {
    Twin twin = efa_2_5();
    twin.name = "efa-noshm";
    twin.wait_fd = WaitObject::granted;  // v2.5.1:prov/efa/src/rdm/efa_rdm_cq.c:1209
    twin.inject_bytes = 8760;            // device: v2.5.1:prov/efa/src/efa_prov_info.c:656
    return twin;
}

}  // namespace

std::vector<Twin> efa_twins() {
    return {efa_1_17(), efa_2_1(), efa_2_5(), efa_2_5_without_shm()};
}

}  // namespace armci::sim
