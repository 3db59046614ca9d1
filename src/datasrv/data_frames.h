// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a data server for the data of gets: how long a frame may be, and which client may
// have one.
//
// An origin that computes leaves data lying in the network, and with it our buffers. A quarter of
// them is for origins that have none, in short pieces, so that many have to do so before anybody's
// get waits for another origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "datasrv/client.h"
#include "datasrv/reply_sender.h"
#include "fabric/domain.h"
#include "pipeline/buffers/registered_buffers.h"

namespace armci::datasrv {

struct ServerOptions;

// One thread at a time.
class DataFrames {
  public:
    explicit DataFrames(ReplySender& sender) : sender_(sender) {}
    bool open(const ServerOptions& options, fabric::Domain& domain, fabric::Endpoint& endpoint,
              std::string* error);
    // The endpoint must be closed before.
    void close() { buffers_.close(); }

    // nullptr when there is no buffer now that this client may have.
    OutReply* make(Client& client, uint64_t request_id, size_t wire_bytes);

    // Lengths of frames: of any, of one from the reserve, of one that travels as a message.
    size_t max_bytes() const;
    size_t max_reserved_bytes() const;
    size_t max_message_bytes() const;

    size_t used_bytes() const { return buffers_.manager().used_bytes(); }

  private:
    ReplySender& sender_;
    pipeline::RegisteredBuffers buffers_;
    bool messages_are_short_ = false;  // what is longer is written into reply buffers
};

}  // namespace armci::datasrv
