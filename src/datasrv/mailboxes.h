// SPDX-License-Identifier: BSD-3-Clause
// The mailboxes of a data server: memory into which an origin writes a single frame that nothing
// announces. The server looks there whenever it has polled, and before it sleeps.
//
// Over TCP that saves the receiver a completion, for which libfabric writes to a descriptor and
// reads it (two system calls). An origin has at most one mailbox, and uses it again when the frame
// in it is executed. A server looks at all that it has given, so there are few: the first origins
// have them. docs/design/flow-control.md
#pragma once

#include <cstdint>
#include <vector>

#include "datasrv/client.h"
#include "datasrv/clients.h"
#include "datasrv/granted_buffers.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Only one thread may use it at a time.
class Mailboxes {
  public:
    Mailboxes(GrantedBuffers& granted, Clients& clients) : granted_(granted), clients_(clients) {}
    void clear() { owners_.clear(); }

    // Gives the client one if there is one left.
    void give(Client& client) {
        if (client.mailbox == 0 && owners_.size() < granted_.mailbox_count()) {
            owners_.push_back(&client);
            client.mailbox = static_cast<uint8_t>(owners_.size());
        }
    }

    // Calls take(Client&, const void* frame, size_t frame_bytes) for each frame that has come. The
    // client may write the next one there as soon as it has the answer. Returns whether there was
    // one.
    template <class Take>
    bool collect(Take&& take) {
        bool moved = false;
        for (uint32_t i = 0; i < owners_.size(); ++i) {
            char* const memory = granted_.mailbox(i);
            if (wire::has_token(memory)) [[unlikely]] {
                Client* sender = nullptr;
                const size_t bytes =
                    clients_.take_written(memory, pipeline::kMailboxBytes, &sender);
                if (bytes > 0 && sender == owners_[i]) {
                    take(*sender, memory, bytes);
                    moved = true;
                }
            }
        }
        return moved;
    }

  private:
    GrantedBuffers& granted_;
    Clients& clients_;
    std::vector<Client*> owners_;  // by mailbox
};

}  // namespace armci::datasrv
