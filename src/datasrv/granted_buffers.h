// SPDX-License-Identifier: BSD-3-Clause
// The receive buffers of a data server: their memory, which origin may write into which of them,
// and the grants that tell it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datasrv/answers.h"
#include "datasrv/buffer_grants.h"
#include "datasrv/client.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/recv_area.h"

namespace armci::datasrv {

// One thread at a time.
class GrantedBuffers {
  public:
    // Where memory or its registration is refused there are none, which is warned about: all chunks
    // travel as messages then.
    void open(fabric::Domain& domain, fabric::Endpoint& endpoint, uint32_t count, size_t bytes);
    // Before the endpoint: some providers bind memory for others to write into to the endpoint.
    void close();

    const pipeline::RecvAreaAddress& address() const { return area_.address(); }
    uint32_t buffer_bytes() const { return area_.recv_buffer_bytes(); }
    // nullptr when there is no buffer of that number.
    const char* memory(uint64_t recv_buffer) {
        return recv_buffer < area_.recv_buffer_count()
                   ? area_.recv_buffer(static_cast<uint32_t>(recv_buffer))
                   : nullptr;
    }

    // The client has written into a buffer, or releases it unused: false when it was not granted
    // to this client. The buffer is not free yet.
    bool use(Client& client, uint32_t recv_buffer) { return grants_.use(client, recv_buffer); }
    // What was in the buffer is not needed any more.
    void release(uint32_t recv_buffer) { grants_.release(recv_buffer); }
    // The client could use that many beyond those it holds; replaces what it said before.
    void want(Client& client, uint64_t count) {
        if (grants_.is_open()) {
            grants_.want(client, count);
        }
    }
    // Grants what is free to those who want it; true when there was something to grant.
    bool send_grants(Answers& answers);

    uint32_t free_count() const { return grants_.free_count(); }

  private:
    pipeline::RecvArea area_;
    BufferGrants grants_;
};

}  // namespace armci::datasrv
