// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/task.h"

#include <algorithm>

#include "base/log.h"

namespace armci::pipeline {

const char* name_of(TaskState state) {
    constexpr const char* kNames[kTaskStates] = {"created", "queued", "posting", "in flight",
                                                 "complete"};
    return kNames[static_cast<size_t>(state)];
}

const char* name_of(TaskEvent event) {
    constexpr const char* kNames[kTaskEvents] = {"submitted", "turn came", "all posted",
                                                 "nothing pending"};
    return kNames[static_cast<size_t>(event)];
}

void Task::refuse(TaskEvent event) const {
    base::fatal(function_, "error in the library: task %llu is %s and had the event \"%s\"",
                static_cast<unsigned long long>(number_), name_of(state_), name_of(event));
}

// Records the state that ends now, unless it began while tracing was off or before submission.
void Task::record_state() {
    constexpr int64_t kNsPerUs = 1000;
    const int64_t now_ns = base::now_ns();
    const auto now_us = static_cast<uint32_t>(now_ns / kNsPerUs);
    if (since_us_ != 0) {
        base::record({.kind = &base::kTraceTask,
                      .name = name_of(state_),
                      .begin_ns = now_ns - int64_t{now_us - since_us_} * kNsPerUs,
                      .end_ns = now_ns,
                      .number = static_cast<int64_t>(number_),
                      .node = channel_->node});
    }
    since_us_ = std::max(now_us, 1U);
}

}  // namespace armci::pipeline
