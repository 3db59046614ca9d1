// SPDX-License-Identifier: BSD-3-Clause
// The twins of tests/sim say what the installed libfabric says, as far as its providers run here.
#include <gtest/gtest.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include "../sim/twins/twin.h"
#include "fabric/provider.h"

namespace armci::fabric::test {
namespace {

bool is_installed(const sim::Twin& twin) {
    return FI_MAJOR(twin.library) == FI_MAJOR(fi_version()) &&
           FI_MINOR(twin.library) == FI_MINOR(fi_version());
}

void compare(const sim::Twin& twin, const fi_info& info) {
    const sim::Offer& offer = twin.offers.back();
    const fi_domain_attr& domain = *info.domain_attr;
    const fi_tx_attr& transmit = *info.tx_attr;
    EXPECT_EQ(domain.mr_mode, offer.memory_mode | twin.adopted_memory_mode);
    EXPECT_EQ(domain.mr_key_size, offer.key_bytes);
    EXPECT_EQ(domain.cq_data_size, offer.immediate_bytes);
    EXPECT_EQ(domain.data_progress, twin.progress);
    EXPECT_EQ(domain.resource_mgmt, twin.resource_management);
    EXPECT_EQ(domain.ep_cnt, twin.endpoint_count);
    EXPECT_EQ(info.caps & ~twin.capabilities, 0u);
    EXPECT_EQ(info.mode, twin.mode);
    EXPECT_EQ(info.addr_format, twin.address_format);
    EXPECT_EQ(transmit.msg_order, twin.order);
    EXPECT_EQ(transmit.comp_order, twin.completion_order);
    EXPECT_EQ(transmit.size, twin.transmit_size);
    EXPECT_EQ(transmit.iov_limit, twin.iov_limit);
    EXPECT_EQ(transmit.rma_iov_limit, twin.rma_iov_limit);
    EXPECT_EQ(transmit.inject_size, twin.inject_bytes);
    EXPECT_EQ(info.rx_attr->size, twin.receive_size);
    EXPECT_EQ(info.ep_attr->max_msg_size, twin.largest_bytes);
    EXPECT_EQ(info.ep_attr->max_order_waw_size, twin.ordered_write_bytes);
    EXPECT_EQ(info.ep_attr->max_order_raw_size, twin.ordered_read_bytes);
}

TEST(Twins, SayWhatTheInstalledLibfabricSays) {
    bool has_twin = false;
    bool has_compared = false;
    for (const sim::Twin& twin : sim::all_twins()) {
        if (!is_installed(twin)) {
            continue;
        }
        has_twin = true;
        const ProviderChoice choice = choose_provider({twin.provider, "", true});
        if (choice.info) {
            SCOPED_TRACE(twin.full_name());
            compare(twin, *choice.info);
            has_compared = true;
        }
    }
    if (!has_twin) {
        GTEST_SKIP() << "there is no twin of libfabric " << FI_MAJOR(fi_version()) << '.'
                     << FI_MINOR(fi_version());
    }
    EXPECT_TRUE(has_compared) << "sockets are everywhere";
}

}  // namespace
}  // namespace armci::fabric::test
