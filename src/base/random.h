// SPDX-License-Identifier: BSD-3-Clause
// Random numbers of the system, for what a stranger must not be able to guess.
#pragma once

#include <cstddef>

namespace armci::base {

// Fills the memory with random bytes. Returns false with errno set if the system refuses.
bool draw_random(void* data, size_t bytes);

}  // namespace armci::base
