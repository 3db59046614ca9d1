// SPDX-License-Identifier: BSD-3-Clause
// The watch of this rank: which ranks have lines with each other, and what the rest of the library
// tells the watch and hears from it.
#pragma once

namespace armci::core {

struct Runtime;

// Collective. Without a watch, which is warned about, the loss of a rank is noticed by the launcher
// only.
void start_watch(Runtime& runtime);
// No rank needs this one any more, nor this one them.
void stop_watch(Runtime& runtime);

}  // namespace armci::core
