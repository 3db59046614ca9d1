// SPDX-License-Identifier: BSD-3-Clause
// Where the cost model's constants come from: the profile that ARMCI_PROFILE names, or measurements
// at start together with the provider table.
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"
#include "core/progress/network.h"
#include "pipeline/costs/cost_model.h"

namespace armci::core {

// Adds an error when the profile is named but cannot be read. On rank 0, the only one that reads
// it.
void check_profile(base::ConfigResult* configuration);

// What a job knows about the costs of its network; travels between ranks as it is.
struct TransferCosts {
    pipeline::CostConstants constants;
    char source[256] = "";
};

// On one rank, for all. A profile that does not fit is warned about and not used.
TransferCosts find_costs(const base::Config& config, const std::string& provider,
                         const fabric::NetworkCosts& table);

// As configured, or where that says auto, by the costs of a large strided put.
BufferPlan plan_buffers(const base::Config& config, const pipeline::CostConstants& constants);

// With the origin open: sets the network's cost model.
void set_up_costs(Network& network, const base::Config& config, const TransferCosts& costs,
                  const BufferPlan& buffers);

}  // namespace armci::core
