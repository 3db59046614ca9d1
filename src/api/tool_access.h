// SPDX-License-Identifier: BSD-3-Clause
// The interface that armci-info and armci-tune use in libarmci.so, which exports no C++ names. It
// is no part of the public interface: a tool uses it only if the version is its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/config.h"
#include "base/machine.h"
#include "core/runtime/runtime.h"
#include "fabric/faults.h"
#include "fabric/provider.h"
#include "pipeline/costs/cost_model.h"

namespace armci::api {

struct ToolAccess {
    const char* version;  // first, in every version

    core::Runtime* (*running)();
    base::ConfigResult (*read_config)(const char* const* environment,
                                      const base::FileSettings& files);
    base::FileSettings (*read_settings)(const char* const* environment, const char* site_file);
    void (*check_profile)(base::ConfigResult* configuration);
    bool (*parse_faults)(std::string_view text, fabric::Faults* faults, std::string* error);
    const std::vector<fabric::ProviderRow>& (*provider_table)();
    fabric::ProviderChoice (*choose_provider)(const fabric::ProviderRequest& request);
    std::string (*interface_name)(const fi_info& info);
    std::string (*describe_huge_pages)(const std::string& root);
    std::vector<std::string> (*explain_transfer)(const core::Progress& progress, base::OpKind op,
                                                 int64_t block_count, int64_t block_bytes,
                                                 int target);
    int (*processor_count)();
    int (*default_server_count)(const base::ServerDemand& demand);
    base::Placement (*place_on)(const base::Machine& machine);
    base::MachineParts (*parts_of)(const base::Machine& machine);
    bool (*measure_copies)(int64_t data_bytes, int64_t budget_us,
                           pipeline::CostConstants* constants);
};

}  // namespace armci::api

extern "C" [[gnu::visibility("default")]] const armci::api::ToolAccess* armci_private_tool_access();
