// SPDX-License-Identifier: BSD-3-Clause
// Lists of an origin's channels that need something. A channel is at most once in each list.
#pragma once

#include <cstddef>
#include <vector>

#include "pipeline/origin/channel.h"

namespace armci::pipeline {

// `kIsIn` is the channel's own note that it is in the list.
template <bool InLists::*kIsIn>
class ChannelList {
  public:
    void add(Channel& channel) {
        if (!(channel.in_lists.*kIsIn)) {
            channel.in_lists.*kIsIn = true;
            channels_.push_back(&channel);
        }
    }
    // Calls `stays` for each channel, in order, and removes those for which it returns false.
    template <class Stays>
    void keep_if(Stays&& stays) {
        std::erase_if(channels_, [&](Channel* channel) {
            channel->in_lists.*kIsIn = stays(*channel);
            return !(channel->in_lists.*kIsIn);
        });
    }
    // Removes channels from the end until one stays.
    template <class Stays>
    void trim(Stays&& stays) {
        while (!channels_.empty() && !stays(*channels_.back())) {
            channels_.back()->in_lists.*kIsIn = false;
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
    ChannelList<&InLists::active> active;            // with queued tasks
    ChannelList<&InLists::busy> busy;                // with non-blocking tasks, and some without
    ChannelList<&InLists::dirty> dirty;              // with remote work that a fence waits for
    ChannelList<&InLists::batching> batching;        // that may have a batch
    ChannelList<&InLists::release_due> release_due;  // with receive buffers to release

    void note_release(Channel& channel) {
        if (channel.has_recv_buffers_to_release()) {
            release_due.add(channel);
        }
    }
};

}  // namespace armci::pipeline
