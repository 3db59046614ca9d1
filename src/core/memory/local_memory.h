// SPDX-License-Identifier: BSD-3-Clause
// ARMCI_Malloc_local: private memory of one process, as source or destination of transfers.
#pragma once

#include "core/job/checking.h"

namespace armci::core {

// Returns nullptr when there is no memory, or for 0 bytes. The memory is aligned to 64 bytes.
void* allocate_local(int64_t bytes);
// Ends the job if the pointer is not from allocate_local(). A null pointer is allowed.
void free_local(Checking& checking, const char* function, void* pointer);

}  // namespace armci::core
