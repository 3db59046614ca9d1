// SPDX-License-Identifier: BSD-3-Clause
// Lists of an origin's channels that need something. A channel is at most once in each list.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/origin/channel.h"

namespace armci::pipeline {

// `kIsIn` is the channel's own note that it is in the list.
template <bool Channel::*kIsIn>
class ChannelList {
  public:
    void add(Channel& channel) {
        if (!(channel.*kIsIn)) {
            channel.*kIsIn = true;
            channels_.push_back(&channel);
        }
    }
    // Calls `stays` for each channel, in order, and removes those for which it returns false.
    template <class Stays>
    void keep_if(Stays&& stays) {
        std::erase_if(channels_, [&](Channel* channel) {
            channel->*kIsIn = stays(*channel);
            return !(channel->*kIsIn);
        });
    }
    // Removes channels from the end until one stays.
    template <class Stays>
    void trim(Stays&& stays) {
        while (!channels_.empty() && !stays(*channels_.back())) {
            channels_.back()->*kIsIn = false;
            channels_.pop_back();
        }
    }
    // Empties the list when the channels themselves are gone.
    void clear() { channels_.clear(); }

    bool empty() const { return channels_.empty(); }
    size_t size() const { return channels_.size(); }
    Channel& operator[](size_t index) const { return *channels_[index]; }
    auto begin() const { return channels_.begin(); }
    auto end() const { return channels_.end(); }
    auto rbegin() const { return channels_.rbegin(); }
    auto rend() const { return channels_.rend(); }

  private:
    std::vector<Channel*> channels_;
};

struct ChannelLists {
    ChannelList<&Channel::is_active> active;            // with queued tasks
    ChannelList<&Channel::is_busy> busy;                // with non-blocking tasks, and some without
    ChannelList<&Channel::is_dirty> dirty;              // with remote work that a fence waits for
    ChannelList<&Channel::is_batching> batching;        // that may have a batch
    ChannelList<&Channel::is_release_due> release_due;  // with receive buffers to release
};

}  // namespace armci::pipeline
