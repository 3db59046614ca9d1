// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/fences.h"

#include <algorithm>
#include <utility>

namespace armci::pipeline {

bool Fences::may_write(Channel& channel) {
    if (channel.mutations_pending()) {
        frames_.ask_acknowledge(channel, channel.last_effect());
        return false;
    }
    return true;
}

bool Fences::may_read(Channel& channel) {
    const bool writes_in_the_way =
        ordering_.ordered_writes && !ordering_.reads_after_writes && channel.writes_pending();
    if (channel.mutations_pending() || writes_in_the_way) {
        frames_.ask_acknowledge(channel, channel.last_effect());
        return false;
    }
    return true;
}

// Returns false when there is nothing to wait for.
bool Fences::add_point(Channel& channel, Fence* fence) const {
    channel.fence_habit.note_fence();
    channel.recv_buffers.note_fence();
    channels_.lists().note_release(channel);
    const bool has_tasks = channel.tasks.first != nullptr;
    const bool has_batch = channel.batch_changes_memory;
    if (!has_tasks && !has_batch && !channel.remote_work_pending() &&
        channel.tasks.fenced_gets == 0) {
        return false;
    }
    FencePoint point;
    point.channel = &channel;
    point.frame = channel.last_effect();
    point.last_task = has_tasks ? channel.tasks.last->number() : 0;
    point.has_batch = !has_tasks && has_batch;  // otherwise that is seen when they are posted
    point.last_writer = ordering_.ordered_writes ? 0 : tasks_.last_submitted();
    point.last_get = channel.tasks.fenced_gets > 0 ? tasks_.last_submitted() : 0;
    point.last_copy = ordering_.ordered_writes ? channel.last_copy : 0;
    fence->points.push_back(point);
    return true;
}

bool Fences::ask(FencePoint* point) {
    Channel& channel = *point->channel;
    if (point->last_task != 0) {
        if (channel.tasks.first != nullptr && channel.tasks.first->number() <= point->last_task) {
            return false;
        }
        point->last_task = 0;
        point->frame = channel.last_effect();
        point->has_batch = channel.batch_changes_memory;  // it may have joined that
    }
    if (point->has_batch) {
        if (channel.batch != nullptr) {
            channel.batch->header()->flags |= wire::kAcknowledgeNow;
        }
        if (!batches_.flush(channel)) {
            return false;
        }
        point->has_batch = false;
        point->frame = std::max(point->frame, channel.last_mutation);
    }
    if (channel.flow.acknowledged_frames >= point->frame ||
        frames_.ask_acknowledge(channel, point->frame)) {
        return true;
    }
    has_to_repeat_ = true;
    return false;
}

bool Fences::is_over(const FencePoint& point) {
    const Channel& channel = *point.channel;
    return channel.flow.acknowledged_frames >= point.frame &&
           (point.last_writer == 0 ||
            PendingTasks::writes_have_arrived(point.last_writer, channel)) &&
           (point.last_get == 0 || PendingTasks::fenced_gets_have_ended(point.last_get, channel)) &&
           (point.last_copy == 0 || channel.has_arrived(point.last_copy));
}

Fence Fences::start(int server) {
    Fence fence;
    if (Channel* channel = channels_.find(server)) {
        add_point(*channel, &fence);
    }
    stats_->fences += fence.empty() ? 0 : 1;
    return fence;
}

Fence Fences::start_all() {
    Fence fence;
    channels_.lists().dirty.keep_if([&](Channel& channel) { return add_point(channel, &fence); });
    // Channels whose tasks have not posted anything yet are not dirty, but active.
    for (Channel* channel : channels_.lists().active) {
        if (!channel->in_lists.dirty) {
            add_point(*channel, &fence);
        }
    }
    // Channels that have only gets under way are neither dirty nor active.
    channels_.lists().busy.keep_if([&](Channel& channel) {
        if (channel.tasks.fenced_gets > 0 && !channel.in_lists.dirty && !channel.in_lists.active) {
            add_point(channel, &fence);
        }
        return channel.tasks.oldest != nullptr;
    });
    stats_->fences += fence.empty() ? 0 : 1;
    return fence;
}

Fence Fences::start_all_before(int server, bool* is_left_out) {
    Fence fence = start_all();
    *is_left_out = ordering_.ordered_writes &&
                   std::erase_if(fence.points, [server](const FencePoint& point) {
                       return point.channel->server == server && point.last_get == 0;
                   }) > 0;
    return fence;
}

bool Fences::is_done(Fence* fence) {
    // All servers are asked before any answer is waited for.
    has_to_repeat_ = false;
    std::vector<FencePoint>& points = fence->points;
    for (size_t i = fence->asked; i < points.size(); ++i) {
        if (ask(&points[i])) {
            std::swap(points[i], points[fence->asked++]);
        } else if (has_to_repeat_ && !frames_.has_small_frame()) {
            break;  // no other server can be asked
        }
    }
    while (fence->over < fence->asked && is_over(points[fence->over])) {
        ++fence->over;
    }
    return fence->empty();
}

}  // namespace armci::pipeline
