// SPDX-License-Identifier: BSD-3-Clause
// Sets the cost model's constants, from the profile that ARMCI_PROFILE names, or from measurements
// at start together with the provider table.
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"
#include "core/progress/network.h"
#include "pipeline/costs/cost_model.h"

namespace armci::core {

// Adds an error when the profile is named but cannot be read. Only rank 0 reads it and adds the
// error.
void check_profile(base::ConfigResult* configuration);

// What a job knows about the costs of its network. It travels between ranks as these bytes.
struct TransferCosts {
    pipeline::CostConstants constants;
    char source[256] = "";
};

// One rank calls this for all. A profile that does not fit is not used, with a warning.
TransferCosts find_costs(const base::Config& config, const std::string& provider,
                         const fabric::NetworkCosts& table);

// Returns the configured sizes. A size that is "auto" follows from the costs of a large strided
// put, except that of the receive buffers.
BufferPlan plan_buffers(const base::Config& config, const pipeline::CostConstants& constants);

// Sets the number of receive buffers of a data server if it is "auto". Written ones have memory of
// their own, of which only what is used costs anything where nothing is pinned. Otherwise they are
// posted memory for messages, in each rank, too.
void plan_receive_buffers(bool are_written, BufferPlan* plan);

// Sets the network's cost model. The origin must be open.
void set_up_costs(Network& network, const base::Config& config, const TransferCosts& costs,
                  const BufferPlan& buffers);

}  // namespace armci::core
