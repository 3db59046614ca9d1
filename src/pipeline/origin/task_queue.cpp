// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/task_queue.h"

namespace armci::pipeline {

void TaskQueue::submit(Task& task, Channel& channel) {
    tasks_.begin(task, channel);
    if (channel.tasks.first == nullptr && post(task)) {
        tasks_.finish_if_complete(&task);
        return;
    }
    if (!task.is_blocking()) {
        task.keep_arguments();
    }
    if (channel.tasks.last != nullptr) {
        channel.tasks.last->links().next = &task;
    } else {
        channel.tasks.first = &task;
    }
    channel.tasks.last = &task;
    channels_.lists().active.add(channel);
}

bool TaskQueue::post(Task& task) {
    if (!task.joins_batch() && !batches_.flush(task.channel())) {
        return false;
    }
    task.note_turn();
    if (!task.post(services_)) {
        return false;
    }
    task.note_posted();
    return true;
}

// Posts the channel's tasks in order, as far as that is possible now.
void TaskQueue::post_tasks(Channel& channel) {
    while (Task* task = channel.tasks.first) {
        if (!post(*task)) {
            return;
        }
        channel.tasks.first = task->links().next;
        if (channel.tasks.first == nullptr) {
            channel.tasks.last = nullptr;
        }
        turn_.moved = true;
        tasks_.finish_if_complete(task);
    }
}

void TaskQueue::post_all() {
    // Each call begins with another channel, and a long task posts one chunk in its turn.
    auto& active = channels_.lists().active;
    const size_t count = active.size();
    for (size_t i = 0; i < count; ++i) {
        post_tasks(active[(next_ + i) % count]);
    }
    next_ = count > 0 ? (next_ + 1) % count : 0;
    active.keep_if([](const Channel& channel) { return channel.tasks.first != nullptr; });
}

}  // namespace armci::pipeline
