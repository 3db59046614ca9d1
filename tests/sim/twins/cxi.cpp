// SPDX-License-Identifier: BSD-3-Clause
// cxi: Slingshot. It is not part of libfabric 1.17.
#include "twin.h"

namespace armci::sim {
namespace {

Twin cxi_2_1() {
    return {
        .name = "cxi",
        .provider = "cxi",
        .version = "2.1",
        .library = FI_VERSION(2, 1),
        .address_format = FI_ADDR_CXI,  // v2.1.0:prov/cxi/src/cxip_info.c:309
        .offers =
            {
                {
                    // v2.1.0:prov/cxi/src/cxip_info.c:31; neither FI_MR_LOCAL nor FI_MR_VIRT_ADDR
                    .memory_mode = FI_MR_PROV_KEY | FI_MR_ALLOCATED | FI_MR_ENDPOINT,
                    .key_bytes = 8,        // v2.1.0:prov/cxi/include/cxip.h:514
                    .immediate_bytes = 8,  // v2.1.0:prov/cxi/include/cxip.h:113
                },
                {
                    .memory_mode = FI_MR_ENDPOINT | FI_MR_ALLOCATED,  // cxip_info.c:85
                    .key_bytes = 4,        // v2.1.0:prov/cxi/include/cxip.h:466
                    .immediate_bytes = 8,  // v2.1.0:prov/cxi/src/cxip_info.c:87
                },
            },
        .capabilities = FI_RMA | FI_ATOMICS | FI_TAGGED | FI_RECV | FI_SEND | FI_READ | FI_WRITE |
                        FI_REMOTE_READ | FI_REMOTE_WRITE | FI_DIRECTED_RECV | FI_MSG |
                        FI_NAMED_RX_CTX | FI_HMEM | FI_COLLECTIVE | FI_SOURCE | FI_SOURCE_ERR |
                        FI_LOCAL_COMM | FI_REMOTE_COMM | FI_RMA_EVENT | FI_MULTI_RECV | FI_FENCE |
                        FI_TRIGGER,  // v2.1.0:prov/cxi/include/cxip.h:132-142
        .mode = 0,                   // v2.1.0:prov/cxi/src/cxip_info.c:306: none is named
        .order = FI_ORDER_SAS | FI_ORDER_WAW | FI_ORDER_RMA_WAW | FI_ORDER_RMA_RAR |
                 FI_ORDER_ATOMIC_WAW |
                 FI_ORDER_ATOMIC_RAR,          // v2.1.0:prov/cxi/include/cxip.h:143-148; no SAW
        .ordered_write_bytes = SIZE_MAX,       // v2.1.0:prov/cxi/src/cxip_info.c:254
        .ordered_read_bytes = 0,               // v2.1.0:prov/cxi/src/cxip_info.c:252
        .threading = FI_THREAD_SAFE,           // v2.1.0:prov/cxi/src/cxip_info.c:26
        .progress = FI_PROGRESS_MANUAL,        // v2.1.0:prov/cxi/src/cxip_info.c:28
        .resource_management = FI_RM_ENABLED,  // v2.1.0:prov/cxi/src/cxip_info.c:29
        .endpoint_count = 128,                 // v2.1.0:prov/cxi/src/cxip_info.c:35
        .transmit_size = 512,         // v2.1.0:prov/cxi/include/cxip.h:160, src/cxip_info.c:1365
        .receive_size = 512,          // v2.1.0:prov/cxi/include/cxip.h:173
        .iov_limit = 1,               // v2.1.0:prov/cxi/src/cxip_info.c:265
        .rma_iov_limit = 1,           // v2.1.0:prov/cxi/src/cxip_info.c:266
        .inject_bytes = 192,          // v2.1.0:prov/cxi/include/cxip.h:156; the driver's constant
        .largest_bytes = UINT32_MAX,  // v2.1.0:prov/cxi/include/cxip.h:80
        .write_flags = FI_INJECT | FI_COMPLETION | FI_MORE | FI_FENCE | FI_INJECT_COMPLETE |
                       FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE |
                       FI_MATCH_COMPLETE,  // v2.1.0:prov/cxi/include/cxip.h:100-104
        .bad_flags = FI_EBADFLAGS,         // v2.1.0:prov/cxi/src/cxip_rma.c:752-754
        .has_writedata = false,            // v2.1.0:prov/cxi/src/cxip_rma.c:884
        .delivery = true,  // v2.1.0:man/fi_cxi.7.md:289-293: a flushing read at the target
        .wait_fd = WaitObject::granted,           // v2.1.0:prov/cxi/src/cxip_cq.c:426
        .wait_unspecified = WaitObject::granted,  // v2.1.0:prov/cxi/src/cxip_cq.c:422
        .default_space = 64,                      // v2.1.0:prov/cxi/include/cxip.h:81
        .largest_space = (1 << 24) - 1,  // v2.1.0:prov/cxi/include/cxip.h:82, src/cxip_ep.c:1292
        .option_time = OptionTime::any,  // v2.1.0:prov/cxi/src/cxip_ep.c:1286-1298
        .ends_early = false,     // v2.1.0:prov/cxi/src/cxip_msg.c:219-237: with the last message
        .separate_ends = false,  // the same
        .polling = Polling::messages,  // software may match: v2.1.0:man/fi_cxi.7.md:321-325
        .sends_alone = false,          // rendezvous may need its sender: v2.1.0:man/fi_cxi.7.md:364
    };
}

Twin cxi_2_5() {
    Twin twin = cxi_2_1();
    twin.version = "2.5";
    twin.library = FI_VERSION(2, 5);
    twin.order |= FI_ORDER_ATOMIC_WAR | FI_ORDER_ATOMIC_RAW;  // v2.5.1:prov/cxi/include/cxip.h:151
    twin.transmit_size = 1024;                                // v2.5.1:prov/cxi/include/cxip.h:165
    twin.receive_size = 1024;                                 // v2.5.1:prov/cxi/include/cxip.h:178
    // fi_writemsg still refuses FI_REMOTE_CQ_DATA: v2.5.1:prov/cxi/src/cxip_rma.c:824-826.
    twin.has_writedata = true;                            // v2.5.1:prov/cxi/src/cxip_rma.c:1000
    twin.writedata_variable = "FI_CXI_ENABLE_WRITEDATA";  // v2.5.1:prov/cxi/src/cxip_info.c:961
    twin.writedata_needs_own_keys = true;                 // v2.5.1:prov/cxi/src/cxip_dom.c:2022
    return twin;
}

}  // namespace

std::vector<Twin> cxi_twins() {
    return {cxi_2_1(), cxi_2_5()};
}

}  // namespace armci::sim
