// SPDX-License-Identifier: BSD-3-Clause
// Decides which origin may write into which receive buffer of a server. It has no network.
//
// An origin says how many receive buffers it could use. It gets them as they are free, up to its
// share: all buffers divided by the origins that want or hold some, and at most half of them.
// Origins that want buffers are served in turn, so that each gets some, and none can keep more than
// its share from the others. A buffer is granted until its origin closes it with a frame, or
// releases it. It is free again when that frame has been executed.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace armci::datasrv {

// What is kept about an origin's receive buffers.
struct GrantClient {
    uint32_t wanted = 0;   // in addition to those it holds
    uint32_t held = 0;     // granted and neither closed nor released yet
    uint32_t granted = 0;  // ever
    bool is_queued = false;
};

class BufferGrants {
  public:
    void open(uint32_t recv_buffer_count);
    bool is_open() const { return recv_buffer_count_ > 0; }

    // The client could use that many more than it holds. This replaces what it said before.
    void want(GrantClient& client, uint64_t count);
    bool is_held(const GrantClient& client, uint32_t recv_buffer) const {
        return recv_buffer < recv_buffer_count_ && holder_[recv_buffer] == &client;
    }
    // The client does not hold a buffer any more. Returns false when it never did. The buffer is
    // not free yet.
    bool use(GrantClient& client, uint32_t recv_buffer);
    // Frees the buffer, whose contents are not needed any more.
    void release(uint32_t recv_buffer);

    // Makes the next grant: at most `room` buffers, in *recv_buffers, for *client. Returns how
    // many; 0 means that there is none now.
    uint32_t next(uint32_t room, GrantClient** client, uint32_t* recv_buffers);

    // Returns how many buffers an origin without work may keep, so that its next transfer starts at
    // once.
    uint32_t keep() const;
    uint32_t free_count() const { return static_cast<uint32_t>(free_.size()); }

  private:
    uint32_t recv_buffer_count_ = 0;
    std::vector<uint32_t> free_;
    std::vector<GrantClient*> holder_;  // by buffer; nullptr: free or being read
    std::deque<GrantClient*> queue_;    // those that want buffers, in turn
    uint32_t holding_clients_ = 0;      // those with at least one buffer that are not in the queue
};

}  // namespace armci::datasrv
