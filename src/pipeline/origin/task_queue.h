// SPDX-License-Identifier: BSD-3-Clause
// The queues of tasks that are not posted yet, one for each channel, in program order.
#pragma once

#include <cstddef>

#include "pipeline/origin/batches.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/origin_services.h"
#include "pipeline/origin/pending_tasks.h"
#include "pipeline/origin/turn.h"

namespace armci::pipeline {

class TaskQueue {
  public:
    TaskQueue(Channels& channels, PendingTasks& tasks, Batches& batches, OriginServices& services,
              Turn& turn)
        : channels_(channels), tasks_(tasks), batches_(batches), services_(services), turn_(turn) {}

    // Posts what can be posted at once. A non-blocking task that is not posted completely keeps
    // copies of its arguments.
    void submit(Task& task, Channel& channel);
    // Posts what can be posted now, of each channel in turn, because they share the buffers.
    void post_all();

  private:
    // Returns true when nothing of the channel's next task is left to post.
    bool post(Task& task);
    void post_tasks(Channel& channel);

    Channels& channels_;
    PendingTasks& tasks_;
    Batches& batches_;
    OriginServices& services_;
    Turn& turn_;
    size_t next_ = 0;  // next one to post among the active channels
};

}  // namespace armci::pipeline
