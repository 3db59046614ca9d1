// SPDX-License-Identifier: BSD-3-Clause
// A copy engine that copies as late as it may, or at once, and has little room.
#pragma once

#include <memory>

#include "node/copy_engine.h"

namespace armci::sim {

std::unique_ptr<node::CopyEngine> make_engine();

}  // namespace armci::sim
