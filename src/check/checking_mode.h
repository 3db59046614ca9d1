// SPDX-License-Identifier: BSD-3-Clause
// Checking mode (ARMCI_CHECK), as the rest of the library sees it.
#pragma once

#include <memory>

#include "core/job/checking.h"
#include "core/runtime/runtime.h"

namespace armci::check {

// Collective over world, with the library up.
std::unique_ptr<core::CheckHooks> make_checks(core::Runtime& runtime);

}  // namespace armci::check
