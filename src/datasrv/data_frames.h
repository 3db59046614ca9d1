// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a data server for the data of gets. They determine how long a frame may be, and
// which client may have one.
//
// An origin that computes leaves data in the network, and so keeps our buffers in use. A quarter of
// them is for origins that have none, in short pieces. Many origins have to do so before a get
// waits for another origin.
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

// Only one thread may use it at a time.
class DataFrames {
  public:
    explicit DataFrames(ReplySender& sender) : sender_(sender) {}
    bool open(const ServerOptions& options, fabric::Domain& domain, fabric::Endpoint& endpoint,
              std::string* error);
    // The endpoint must be closed before.
    void close() { buffers_.close(); }

    // Returns nullptr when no buffer that this client may have is free now.
    OutReply* make(Client& client, uint64_t request_id, size_t wire_bytes);

    // Return the lengths in bytes of the longest frame, of the longest from the reserve, and of the
    // longest that travels as a message.
    size_t max_bytes() const;
    size_t max_reserved_bytes() const;
    size_t max_message_bytes() const;

    size_t used_bytes() const { return buffers_.manager().used_bytes(); }

  private:
    ReplySender& sender_;
    pipeline::RegisteredBuffers buffers_;
    bool messages_are_short_ = false;  // longer frames are written into reply buffers
};

}  // namespace armci::datasrv
