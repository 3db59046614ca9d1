// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/pending_tasks.h"

#include <algorithm>

namespace armci::pipeline {

void PendingTasks::begin(Task& task, Channel& channel) {
    ++channel.tasks.count;
    ++count_;
    Task::Links& links = task.begin(channel, ++last_submitted_);
    if (!task.is_blocking()) {
        links.older = channel.tasks.newest;
        (links.older != nullptr ? links.older->links().newer : channel.tasks.oldest) = &task;
        channel.tasks.newest = &task;
        channel.tasks.fenced_gets += task.fences_wait() ? 1 : 0;
        channels_.lists().busy.add(channel);
    }
    channel.recv_buffers.queued_bytes += task.chunk_bytes();
}

void PendingTasks::let_fences_wait(Task& task) {
    if (!task.fences_wait()) {
        task.let_fences_wait();
        ++task.channel().tasks.fenced_gets;
    }
}

void PendingTasks::finish_if_complete(Task* task) {
    if (task == nullptr || !task->completes()) {
        return;
    }
    Channel& channel = task->channel();
    --channel.tasks.count;
    --count_;
    channels_.lists().note_release(channel);
    if (!task->is_blocking()) {
        const Task::Links& links = task->links();
        channel.tasks.fenced_gets -= task->fences_wait() ? 1 : 0;
        (links.older != nullptr ? links.older->links().newer : channel.tasks.oldest) = links.newer;
        (links.newer != nullptr ? links.newer->links().older : channel.tasks.newest) = links.older;
        task->call_completion();  // the task may be gone now
    }
}

bool PendingTasks::have_ended(uint64_t last) {
    auto& busy = channels_.lists().busy;
    busy.trim([](const Channel& channel) { return channel.tasks.oldest != nullptr; });
    // The last channel is asked first, because its task is mostly not complete.
    return std::all_of(busy.rbegin(), busy.rend(), [last](const Channel* channel) {
        return channel->tasks.oldest == nullptr || channel->tasks.oldest->number() > last;
    });
}

bool PendingTasks::have_ended(uint64_t last, int server) const {
    const Channel* channel = channels_.find(server);
    return channel == nullptr || channel->tasks.oldest == nullptr ||
           channel->tasks.oldest->number() > last;
}

bool PendingTasks::writes_have_arrived(uint64_t last, const Channel& channel) {
    if (channel.tasks.first == nullptr && channel.writes_in_flight == 0) {
        return true;
    }
    for (Task* task = channel.tasks.oldest; task != nullptr && task->number() <= last;
         task = task->links().newer) {
        if (!task->is_posted() || task->writes_in_flight() > 0) {
            return false;
        }
    }
    return true;
}

bool PendingTasks::fenced_gets_have_ended(uint64_t last, const Channel& channel) {
    if (channel.tasks.fenced_gets == 0) {
        return true;
    }
    Task* task = channel.tasks.oldest;
    while (task != nullptr && task->number() <= last && !task->fences_wait()) {
        task = task->links().newer;
    }
    return task == nullptr || task->number() > last;
}

}  // namespace armci::pipeline
