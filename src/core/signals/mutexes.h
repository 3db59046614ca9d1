// SPDX-License-Identifier: BSD-3-Clause
// Mutexes: sets of them on a group, each owned by one rank and queued in its node's memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory/global_memory.h"
#include "node/mutex_queue.h"
#include "wire/frame.h"

namespace armci::core {

// A mutex that this rank holds. The owner is part of it because different nodes use equal
// addresses.
using HeldMutex = std::pair<int, uint64_t>;  // owner, address

struct MutexSet {
    Segment* segment = nullptr;
    GroupRef group;
};

class Mutexes {
  public:
    Mutexes(Progress& progress, GlobalMemory& memory, Barriers& barriers, Checking& checking)
        : progress_(progress),
          threads_(progress.threads()),
          world_(progress.world()),
          memory_(memory),
          barriers_(barriers),
          checking_(checking) {}

    // Must be called before the first one is created.
    void start(const node::MutexQueue& queue) { queue_ = queue; }

    // Is collective over the group; this rank owns `count` >= 0. The set has no segment when no
    // rank owns any.
    MutexSet create(const char* function, const GroupRef& group, int count);
    void destroy(const char* function, MutexSet* set);

    // These are about `mutex` of world rank `owner`.
    void lock(const char* function, const MutexSet& set, int mutex, int owner);
    bool try_lock(const char* function, const MutexSet& set, int mutex, int owner);
    // Completes all this process's operations first, so that the next holder sees them.
    void unlock(const char* function, const MutexSet& set, int mutex, int owner);

    // The set of ARMCI_Create_mutexes.
    MutexSet& of_world() { return of_world_; }
    // The held mutexes of other nodes, or all in checking mode.
    const std::vector<HeldMutex>& held() const { return held_; }

  private:
    void check_none_held(const char* function, const MutexSet& set);
    // These are for mutexes of other nodes.
    void lock_remotely(const char* function, const MutexSet& set, int mutex, int owner);
    void unlock_remotely(const char* function, const MutexSet& set, int mutex, int owner);
    int64_t ask_server(const char* function, wire::FrameKind kind, uint64_t address, int owner);
    void wait_for_hand_over(const WaitCause& cause, uint32_t waiter);
    void wait_for_hand_over_among_threads(const WaitCause& cause, uint32_t waiter);

    Progress& progress_;
    Threads& threads_;
    const World& world_;
    GlobalMemory& memory_;
    Barriers& barriers_;
    Checking& checking_;
    node::MutexQueue queue_;
    MutexSet of_world_;
    std::vector<HeldMutex> held_;
};

}  // namespace armci::core
