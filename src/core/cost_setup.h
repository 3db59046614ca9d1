// Where the cost model's constants come from: the profile that ARMCI_PROFILE names, or measurements
// at start together with the provider table.
#pragma once

#include "core/runtime.h"

namespace armci::core {

// Adds an error when the profile is named but cannot be read. On rank 0, the only one that reads
// it.
void check_profile(base::ConfigResult* configuration);

// Collective, with the origin open: sets the network's cost model, the same on all ranks. A profile
// that does not fit is warned about and not used.
void set_up_costs(Runtime& runtime);

}  // namespace armci::core
