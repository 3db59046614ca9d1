// SPDX-License-Identifier: BSD-3-Clause
// Atomic read-modify-write of one word.
#pragma once

#include "core/runtime.h"
#include "node/word_atomics.h"

namespace armci::core {

// Performs the operation on rank `target`'s word at `address` and returns the old value. By native
// atomics on the own node, and by the same atomics in the data server of another: never by the
// network's, which processors do not respect. `owner` is wire::kGlobal but for attached memory,
// where the stripe locks make it atomic.
int64_t read_modify_write(Runtime& runtime, const char* function, node::WordOperation operation,
                          void* address, int64_t operand, int target, uint32_t owner);

}  // namespace armci::core
