// SPDX-License-Identifier: BSD-3-Clause
// Whether immediate data arrives, where a provider's attributes do not say it.
#pragma once

namespace armci::fabric {

class Domain;

// Returns whether a write with immediate data that this process sends to itself arrives, with its
// data, within a second. Opens an endpoint for it. The domain must be open.
bool immediate_data_works(Domain& domain);

}  // namespace armci::fabric
