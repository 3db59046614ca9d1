// SPDX-License-Identifier: BSD-3-Clause
// Sets the cost model's constants, from the profile that ARMCI_PROFILE names, or from measurements
// at start together with the provider table.
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"
#include "core/progress/network.h"
#include "pipeline/costs/cost_model.h"
#include "pipeline/costs/registration_costs.h"

namespace armci::core {

// Adds an error when the profile is named but cannot be read. Only rank 0 reads it and adds the
// error.
void check_profile(base::ConfigResult* configuration);

// What a job knows about the costs of its network. It travels between ranks as these bytes.
struct TransferCosts {
    pipeline::CostConstants constants;
    char source[256] = "";
    bool are_of_profile = false;
};

// One rank calls this for all. A profile that does not fit is not used, with a warning.
TransferCosts find_costs(const base::Config& config, const std::string& provider,
                         const fabric::NetworkCosts& table);

// Returns the configured sizes. A size that is "auto" follows from the costs of a large strided
// put, up to `largest_bytes`, but the number of receive buffers stays base::kAuto.
BufferPlan plan_buffers(const base::Config& config, const pipeline::CostConstants& constants,
                        int64_t largest_bytes);

// Returns which transfers register their local memory.
pipeline::RegistrationCosts plan_registrations(const base::Config& config,
                                               const pipeline::CostConstants& constants);

// Sets the number of receive buffers if it is base::kAuto. There are up to twice as many if they
// take memory only when they are used. That is so if chunks are written and the provider pins no
// memory.
void plan_receive_buffers(bool cost_when_used, BufferPlan* plan);

// Sets the network's cost model. The origin must be open.
void set_up_costs(Network& network, const base::Config& config, const TransferCosts& costs,
                  const BufferPlan& buffers);

}  // namespace armci::core
