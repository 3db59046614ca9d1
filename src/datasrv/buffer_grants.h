// SPDX-License-Identifier: BSD-3-Clause
// Which origin may write into which receive buffer of a server. Bookkeeping only, no network.
//
// An origin says how many receive buffers it could use. It gets them as they are free, up to its
// share: all buffers divided by the origins that want or hold some, and at most half of them.
// Origins that want buffers are served in turn, so that none starves, and none can keep more than
// its share from the others. A buffer is granted for one frame: it is free again when that frame
// has been executed, or when its origin releases it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace armci::datasrv {

// An origin, as far as receive buffers are concerned.
struct GrantClient {
    uint32_t wanted = 0;  // beyond those it holds
    uint32_t held = 0;    // granted and neither written nor released yet
    bool is_queued = false;
};

class BufferGrants {
  public:
    void open(uint32_t recv_buffer_count);
    bool is_open() const { return recv_buffer_count_ > 0; }

    // The client could use that many more than it holds; replaces what it said before.
    void want(GrantClient& client, uint64_t count);
    // The client uses a buffer: false when it does not hold that one. The buffer is not free yet.
    bool use(GrantClient& client, uint32_t recv_buffer);
    // What is in the buffer is not needed any more.
    void release(uint32_t recv_buffer);

    // The next grant that should be made: at most `room` buffers, in *recv_buffers, for *client.
    // Returns how many; 0: none now.
    uint32_t next(uint32_t room, GrantClient** client, uint32_t* recv_buffers);

    // How many buffers an origin without work may keep, so that its next transfer starts at once.
    uint32_t keep() const;
    uint32_t free_count() const { return static_cast<uint32_t>(free_.size()); }

  private:
    uint32_t recv_buffer_count_ = 0;
    std::vector<uint32_t> free_;
    std::vector<GrantClient*> holder_;  // by buffer; nullptr: free or being read
    std::deque<GrantClient*> queue_;    // that want buffers, in turn
    uint32_t holding_clients_ = 0;      // with at least one buffer, and not in the queue
};

}  // namespace armci::datasrv
