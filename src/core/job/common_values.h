// SPDX-License-Identifier: BSD-3-Clause
// Variables whose values must be equal in the whole job: all ranks take those of rank 0.
//
// Launchers do not always give all ranks the same environment, and ranks with different values
// would wait for each other in collective calls that only some of them make.
#pragma once

#include <mpi.h>

#include "base/config.h"

namespace armci::core {

// Is called collectively over comm, before anything is started by the configuration, which must be
// free of errors. Where all ranks have the same values it costs one small reduction. Otherwise
// ranks take rank 0's, and rank 0 gets a warning for each variable that differs.
void take_common_values(base::ConfigResult* configuration, MPI_Comm comm);

}  // namespace armci::core
