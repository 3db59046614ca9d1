// SPDX-License-Identifier: BSD-3-Clause
// opx: Omni-Path.
#include "twin.h"

namespace armci::sim {
namespace {

Twin opx_1_17() {
    return {
        .name = "opx",
        .provider = "opx",
        .version = "1.17",
        .library = FI_VERSION(1, 17),
        .address_format = FI_ADDR_OPX,  // v1.17.0:prov/opx/src/fi_opx_init.c:161
        .offers = {{
            .memory_mode = 0,      // v1.17.0:prov/opx/src/fi_opx_domain.c:172: scalable
            .key_bytes = 8,        // v1.17.0:prov/opx/src/fi_opx_domain.c:129
            .immediate_bytes = 4,  // v1.17.0:prov/opx/include/rdma/opx/fi_opx.h:116: of messages
        }},
        .capabilities = FI_MSG | FI_TAGGED | FI_LOCAL_COMM | FI_REMOTE_COMM | FI_SOURCE |
                        FI_NAMED_RX_CTX | FI_RMA | FI_ATOMIC | FI_SEND | FI_READ | FI_WRITE |
                        FI_REMOTE_WRITE | FI_RECV | FI_DIRECTED_RECV | FI_MULTI_RECV |
                        FI_REMOTE_READ,      // v1.17.0:prov/opx/include/rdma/opx/fi_opx.h:141-152
        .mode = FI_ASYNC_IOV | FI_CONTEXT2,  // v1.17.0:prov/opx/src/fi_opx_init.c:158-159
        .needs_mode = false,  // v1.17.0:prov/opx/src/fi_opx_init.c:64: hints are not checked
        .order = FI_ORDER_ATOMIC_RAR | FI_ORDER_ATOMIC_RAW | FI_ORDER_ATOMIC_WAR |
                 FI_ORDER_ATOMIC_WAW,          // v1.17.0:prov/opx/include/rdma/opx/fi_opx.h:138
        .order_hint = OrderHint::ignored,      // v1.17.0:prov/opx/src/fi_opx_ep.c:1674-1691
        .ordered_write_bytes = SIZE_MAX,       // v1.17.0:prov/opx/include/rdma/opx/fi_opx.h:115
        .ordered_read_bytes = SIZE_MAX,        // v1.17.0:prov/opx/src/fi_opx_ep.c:1710
        .completion_order = 0,                 // v1.17.0:prov/opx/src/fi_opx_ep.c:1660
        .threading = FI_THREAD_SAFE,           // v1.17.0:prov/opx/src/fi_opx_domain.c:189: as asked
        .progress = FI_PROGRESS_MANUAL,        // v1.17.0:prov/opx/src/fi_opx_domain.c:125
        .resource_management = FI_RM_ENABLED,  // v1.17.0:prov/opx/src/fi_opx_domain.c:191: as asked
        .endpoint_count = 160,                 // v1.17.0:prov/opx/src/fi_opx_domain.c:132: contexts
        .transmit_size = SIZE_MAX,             // v1.17.0:prov/opx/src/fi_opx_ep.c:1662
        .receive_size = SIZE_MAX,              // v1.17.0:prov/opx/src/fi_opx_ep.c:1621
        .iov_limit = 1,                        // v1.17.0:prov/opx/src/fi_opx_ep.c:56,1663
        .rma_iov_limit = 1,                    // v1.17.0:prov/opx/src/fi_opx_ep.c:1664
        .inject_bytes = 16,         // v1.17.0:prov/opx/include/rdma/opx/fi_opx_hfi1_packet.h:50
        .largest_bytes = SIZE_MAX,  // v1.17.0:prov/opx/include/rdma/opx/fi_opx.h:111
        .write_flags = FI_COMPLETION | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE,
        .bad_flags = 0,          // v1.17.0:prov/opx/src/fi_opx_rma.c:488: immediate data is dropped
        .has_writedata = false,  // v1.17.0:prov/opx/src/fi_opx_rma.c:945,981
        .delivery = true,  // v1.17.0:prov/opx/src/fi_opx_rma.c:45,473: when all was acknowledged
        .wait_fd = WaitObject::overlooked,           // v1.17.0:prov/opx/src/fi_opx_cq.c:155,232
        .wait_unspecified = WaitObject::overlooked,  // the same
        .holds_when_full = false,                    // v1.17.0:prov/opx/src/fi_opx_cq.c:267: lists
        .default_space = 8192,  // v1.17.0:prov/opx/src/fi_opx_msg.c:276: the payload of a packet
        .option_time = OptionTime::after_enable,  // fi_opx_ep.c:987,1272: called by fi_enable
        .ends_early = false,    // v1.17.0:prov/opx/include/rdma/opx/fi_opx_endpoint.h:2242
        .separate_ends = true,  // v1.17.0:prov/opx/include/rdma/opx/fi_opx_eq.h:339-351
        .alignment = 8,         // v1.17.0:prov/opx/include/rdma/opx/fi_opx_endpoint.h:733
        .gap = 64,  // v1.17.0:prov/opx/include/rdma/opx/fi_opx_endpoint.h:722: a context lies there
        .polling = Polling::everything,  // the processor moves the data
        .sends_alone = false,            // v1.17.0:prov/opx/src/fi_opx_hfi1.c: deferred work
    };
}

Twin opx_2(const char* version, uint32_t library) {
    Twin twin = opx_1_17();
    twin.version = version;
    twin.library = library;
    twin.mode = FI_ASYNC_IOV;                      // v2.1.0:prov/opx/src/fi_opx_init.c:194
    twin.adopted_memory_mode = FI_MR_VIRT_ADDR;    // v2.1.0:prov/opx/src/fi_opx_domain.c:201-205
    twin.write_flags |= FI_REMOTE_CQ_DATA;         // v2.1.0:prov/opx/src/fi_opx_rma.c:590
    twin.has_writedata = true;                     // v2.1.0:prov/opx/src/fi_opx_rma.c:1318
    twin.own_writedata_flags = FI_REMOTE_CQ_DATA;  // v2.1.0:prov/opx/src/fi_opx_rma.c:369,593
    twin.gap = 192;  // v2.1.0:prov/opx/include/rdma/opx/fi_opx_internal.h:96: three cache lines
    return twin;
}

Twin opx_2_5() {
    Twin twin = opx_2("2.5", FI_VERSION(2, 5));
    twin.capabilities &=
        ~uint64_t{FI_NAMED_RX_CTX};  // v2.5.1:prov/opx/include/rdma/opx/fi_opx.h:315
    twin.default_space = 10240;      // v2.5.1:prov/opx/include/rdma/opx/fi_opx_hfi1_packet.h:65
    return twin;
}

}  // namespace

std::vector<Twin> opx_twins() {
    return {opx_1_17(), opx_2("2.1", FI_VERSION(2, 1)), opx_2_5()};
}

}  // namespace armci::sim
