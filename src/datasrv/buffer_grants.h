// SPDX-License-Identifier: BSD-3-Clause
// Who may write into which slot of a server's receive area. Pure bookkeeping, no network.
//
// An origin says how many slots it could use; it gets them as they are free, up to its share: the
// zone divided by the origins that want or hold slots, and at most half of it. Origins that want
// are served in turn, so that none starves, and none can keep more than its share from the others.
// A slot is granted for one frame: it is free again when that frame has been executed, or when it
// is given back.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace armci::datasrv {

// An origin, as far as slots are concerned.
struct GrantClient {
    uint32_t wanted = 0;  // beyond those it holds
    uint32_t held = 0;    // granted and not yet written or given back
    bool is_queued = false;
};

class BufferGrants {
  public:
    void open(uint32_t recv_buffer_count);
    bool is_open() const { return recv_buffer_count_ > 0; }

    // The client could use that many more slots than it holds; replaces what it said before.
    void want(GrantClient& client, uint64_t count);
    // The client uses a slot: false when it does not hold that one. The slot is not free yet.
    bool use(GrantClient& client, uint32_t recv_buffer);
    // Nobody needs what is in the slot any more.
    void release(uint32_t recv_buffer);

    // The next grant that should be made: at most `room` slots, stored in *slots, for *client.
    // Returns how many; 0: none now.
    uint32_t next(uint32_t room, GrantClient** client, uint32_t* recv_buffers);

    // How many slots an origin without work may keep, so that its next transfer starts at once.
    uint32_t keep() const;
    uint32_t free_count() const { return static_cast<uint32_t>(free_.size()); }

  private:
    uint32_t recv_buffer_count_ = 0;
    std::vector<uint32_t> free_;
    std::vector<GrantClient*> holder_;  // by slot; nullptr: free or being read
    std::deque<GrantClient*> queue_;    // who wants, in turn
    uint32_t holding_clients_ = 0;      // with at least one slot, and not in the queue
};

}  // namespace armci::datasrv
