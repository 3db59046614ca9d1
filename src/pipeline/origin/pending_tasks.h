// SPDX-License-Identifier: BSD-3-Clause
// The tasks of an origin that are under way: their numbers, their ends, and which of them fences
// wait for.
#pragma once

#include <cstdint>

#include "pipeline/origin/channels.h"
#include "pipeline/origin/task.h"

namespace armci::pipeline {

class PendingTasks {
  public:
    explicit PendingTasks(Channels& channels) : channels_(channels) {}

    // Numbers a submitted task and counts it on its channel.
    void begin(Task& task, Channel& channel);
    // Is called after something of the task has ended. The task may be gone afterwards. nullptr
    // means no task.
    void finish_if_complete(Task* task);

    // From now on fences wait for it. It must be a non-blocking get.
    static void let_fences_wait(Task& task);

    // Returns the number of tasks that were begun and are not complete.
    int64_t count() const { return count_; }
    // Returns whether the non-blocking tasks up to that one are complete, of all servers or of one.
    // Tasks that other threads start meanwhile, or wait for themselves, do not count.
    uint64_t last_submitted() const { return last_submitted_; }
    bool have_ended(uint64_t last);
    bool have_ended(uint64_t last, int server) const;

    // These are about non-blocking tasks up to that one: writes that complete when delivered, and
    // gets that fences wait for. (The writes of a blocking task have arrived when it ends.)
    static bool writes_have_arrived(uint64_t last, const Channel& channel);
    static bool fenced_gets_have_ended(uint64_t last, const Channel& channel);

  private:
    Channels& channels_;
    int64_t count_ = 0;
    uint64_t last_submitted_ = 0;
};

}  // namespace armci::pipeline
