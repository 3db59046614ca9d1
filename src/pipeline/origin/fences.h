// SPDX-License-Identifier: BSD-3-Clause
// Fences, and other waits until data servers have executed what was sent: RMA that must not
// overtake frames, and frames that must not overtake RMA.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stats.h"
#include "pipeline/origin/batches.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/frame_sender.h"
#include "pipeline/origin/pending_tasks.h"

namespace armci::pipeline {

// What a fence waits for. After each poll it looks at the servers that it could not ask yet, and at
// the answer that it waits for next. So its cost does not grow with the square of the number of
// servers.
struct Fence {
    std::vector<FencePoint> points;
    size_t asked = 0;  // the servers of the first so many need not be asked any more
    size_t over = 0;   // the first so many are over

    bool empty() const { return over == points.size(); }
};

class Fences {
  public:
    Fences(FrameSender& frames, Channels& channels, const PendingTasks& tasks, Batches& batches)
        : frames_(frames), channels_(channels), tasks_(tasks), batches_(batches) {}

    void open(const Ordering& ordering, base::Stats* stats) {
        ordering_ = ordering;
        stats_ = stats;
    }

    // Starts a fence for one server or for all. It covers remote completion of everything this
    // origin has done to memory there, and the end of gets without a handle. If the result is
    // empty, there is nothing to wait for. Otherwise poll is_done(), which asks the servers for
    // what is missing.
    Fence start(int server);
    Fence start_all();
    // Does the same, but leaves out what a frame that is sent to that server from now on follows
    // anyway. *is_left_out tells whether there is any of that.
    Fence start_all_before(int server, bool* is_left_out);
    bool is_done(Fence* fence);
    // Returns whether the last is_done() had no room to ask one of them.
    bool has_to_repeat() const { return has_to_repeat_; }

    // Prepares the fence that is likely to follow. Where writes are ordered, it asks the server now
    // to acknowledge all that is posted.
    void ask_early(Channel& channel) {
        if (ordering_.ordered_writes) {
            frames_.ask_acknowledge(channel, channel.last_effect());
        }
    }

    // Return true when RMA of that kind may be posted now without overtaking earlier operations.
    // Otherwise they ask the server, and the caller tries again later.
    bool may_write(Channel& channel);
    bool may_read(Channel& channel);
    // Returns whether RMA posted now would first have to wait for an acknowledgement.
    bool has_unacknowledged_requests(int server) const {
        const Channel* channel = channels_.find(server);
        return channel != nullptr &&
               (channel->tasks.first != nullptr || channel->batch_changes_memory ||
                channel->mutations_pending());
    }
    // Returns whether a fence after RMA takes a message. It takes none where a write completes when
    // it is delivered.
    bool take_messages() const { return ordering_.ordered_writes; }
    // Returns whether a put there would be followed by such a message, if it were RMA now.
    bool message_will_follow(int server) const {
        const Channel* channel = take_messages() ? channels_.find(server) : nullptr;
        return channel != nullptr && channel->fence_habit.will_be_fenced_alone();
    }
    // Returns whether a frame sent now is executed after the writes of all tasks up to that one.
    bool writes_are_ordered_or_done(uint64_t last, int server) const {
        const Channel* channel = channels_.find(server);
        return ordering_.ordered_writes || channel == nullptr ||
               PendingTasks::writes_have_arrived(last, *channel);
    }

  private:
    bool add_point(Channel& channel, Fence* fence) const;
    // Returns whether the server has been asked for what is missing. It must be called again if
    // not.
    bool ask(FencePoint* point);
    static bool is_over(const FencePoint& point);

    FrameSender& frames_;
    Channels& channels_;
    const PendingTasks& tasks_;
    Batches& batches_;
    Ordering ordering_;
    base::Stats* stats_ = nullptr;
    bool has_to_repeat_ = false;
};

}  // namespace armci::pipeline
