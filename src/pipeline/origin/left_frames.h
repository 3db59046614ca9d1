// SPDX-License-Identifier: BSD-3-Clause
// Frames that have left. The server executes the frames of a channel in the order in which they
// were sent. So a frame counts as left only when all before it have left, whatever the order in
// which the provider completes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pipeline/origin/channel.h"

namespace armci::pipeline {

class Task;

class LeftFrames {
  public:
    // Records that the provider has completed a frame of that channel. Calls `end` for each frame
    // that counts as left now, with the task that waits for it, or nullptr.
    template <class End>
    void add(Channel& channel, uint64_t number, Task* task, End&& end) {
        if (number != channel.flow.left_frames + 1) {
            early_.push_back({&channel, number, task});
            return;
        }
        ++channel.flow.left_frames;
        end(task);
        while (!early_.empty()) {
            const auto next = std::find_if(early_.begin(), early_.end(), [&](const Early& one) {
                return one.channel == &channel && one.number == channel.flow.left_frames + 1;
            });
            if (next == early_.end()) {
                return;
            }
            Task* const waiting = next->task;
            early_.erase(next);
            ++channel.flow.left_frames;
            end(waiting);
        }
    }

    // Returns how many frames of the task are complete and wait for an earlier one.
    int32_t early_of(const Task& task) const {
        return static_cast<int32_t>(std::count_if(
            early_.begin(), early_.end(), [&](const Early& one) { return one.task == &task; }));
    }

  private:
    // A frame that the provider has completed before an earlier one of its channel.
    struct Early {
        Channel* channel;
        uint64_t number;
        Task* task;
    };
    std::vector<Early> early_;
};

}  // namespace armci::pipeline
