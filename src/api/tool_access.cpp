// SPDX-License-Identifier: BSD-3-Clause
#include "api/tool_access.h"

#include "base/config_files.h"
#include "base/machine.h"
#include "base/topology.h"
#include "core/routing/cost_setup.h"
#include "core/routing/explain.h"
#include "node/huge_pages.h"
#include "pipeline/costs/copy_costs.h"

extern "C" const armci::api::ToolAccess* armci_private_tool_access() {
    static constexpr armci::api::ToolAccess kAccess = {
        ARMCI_VERSION,
        armci::core::running,
        armci::base::read_config,
        armci::base::read_settings,
        armci::core::check_profile,
        armci::fabric::parse_faults,
        armci::fabric::provider_table,
        armci::fabric::choose_provider,
        armci::fabric::interface_name,
        armci::node::describe_huge_pages,
        armci::core::explain_transfer,
        armci::base::processor_count,
        armci::base::default_server_count,
        armci::base::place_on,
        armci::base::parts_of,
        armci::pipeline::measure_copies,
    };
    return &kAccess;
}
