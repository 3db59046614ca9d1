// SPDX-License-Identifier: BSD-3-Clause
// The part of checking mode (ARMCI_CHECK) that the rest of the library sees.
#pragma once

#include <memory>

#include "core/job/checking.h"
#include "core/runtime/runtime.h"

namespace armci::check {

// Makes the hooks. It is collective over world, after the library has started.
std::unique_ptr<core::CheckHooks> make_checks(core::Runtime& runtime);

}  // namespace armci::check
