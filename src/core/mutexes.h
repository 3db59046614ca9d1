// SPDX-License-Identifier: BSD-3-Clause
// Mutexes: sets of them on a group, each owned by one rank and queued in its node's memory.
#pragma once

#include "core/runtime.h"

namespace armci::core {

// Collective over the group; this rank owns `count` >= 0. The set has no segment when nobody owns
// any.
MutexSet create_mutexes(Runtime& runtime, const char* function, const GroupRef& group, int count);
void destroy_mutexes(Runtime& runtime, const char* function, MutexSet* set);

// `mutex` of world rank `owner`.
void lock_mutex(Runtime& runtime, const char* function, const MutexSet& set, int mutex, int owner);
bool try_lock_mutex(Runtime& runtime, const char* function, const MutexSet& set, int mutex,
                    int owner);
// Completes all this process's operations first, so that the next holder sees them.
void unlock_mutex(Runtime& runtime, const char* function, const MutexSet& set, int mutex,
                  int owner);

}  // namespace armci::core
