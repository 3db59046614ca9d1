// SPDX-License-Identifier: BSD-3-Clause
// ARMCI_Malloc_local: private memory of one process, as source or destination of transfers.
#pragma once

#include "core/job/checking.h"

namespace armci::core {

// nullptr when there is none, or for 0 bytes. Aligned to 64 bytes.
void* allocate_local(int64_t bytes);
// Ends the job on a pointer that is not from allocate_local(); null is allowed.
void free_local(Checking& checking, const char* function, void* pointer);

}  // namespace armci::core
