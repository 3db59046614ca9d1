// SPDX-License-Identifier: BSD-3-Clause
// The tasks of an origin that are under way: their numbers, their ends, and who may go on when.
#pragma once

#include <cstdint>

#include "pipeline/origin/channels.h"
#include "pipeline/origin/task.h"

namespace armci::pipeline {

class PendingTasks {
  public:
    explicit PendingTasks(Channels& channels) : channels_(channels) {}

    // Numbers a task that is submitted, and counts it on its channel.
    void begin(Task& task, Channel& channel);
    // After something of the task has ended. The task may be gone afterwards; nullptr is none.
    void finish_if_complete(Task* task);

    // Tasks begun and not complete.
    int64_t count() const { return count_; }
    // Whether non-blocking ones up to that one are complete, all or those to a node. (What other
    // threads start meanwhile, or wait for themselves, is not waited for.)
    uint64_t last_submitted() const { return last_submitted_; }
    bool have_ended(uint64_t last);
    bool have_ended(uint64_t last, int node) const;

    // Of non-blocking tasks up to that one: of writes that complete when delivered (a blocking one
    // has arrived when it ends), and of gets that fences wait for.
    static bool writes_have_arrived(uint64_t last, const Channel& channel);
    static bool fenced_gets_have_ended(uint64_t last, const Channel& channel);

  private:
    Channels& channels_;
    int64_t count_ = 0;
    uint64_t last_submitted_ = 0;
};

}  // namespace armci::pipeline
