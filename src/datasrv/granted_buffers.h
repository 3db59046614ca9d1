// SPDX-License-Identifier: BSD-3-Clause
// The receive buffers of a data server: their memory, the record of which origin may use which of
// them, and the grants that are sent.
//
// Origins write chunks into them where a write can carry immediate data. Otherwise a grant permits
// one message as long as a buffer, and the memory is that posted for messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/trace.h"
#include "datasrv/answers.h"
#include "datasrv/buffer_grants.h"
#include "datasrv/client.h"
#include "datasrv/server_options.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/recv_area.h"

namespace armci::datasrv {

// Only one thread may use it at a time.
class GrantedBuffers {
  public:
    // If memory or its registration is refused there are none, and it warns. All chunks are short
    // messages then.
    void open(fabric::Domain& domain, fabric::Endpoint& endpoint, const ServerOptions& options);
    // Must be called before the endpoint is closed, because some providers bind memory that others
    // write into to the endpoint.
    void close();

    const pipeline::RecvAreaAddress& address() const { return address_; }
    // pipeline::RecvArea::further_keys()
    const std::vector<uint64_t>& further_keys() const { return area_.further_keys(); }
    // Returns where a write with that immediate data begins.
    pipeline::RecvArea::Place find(uint64_t place) { return area_.find(place); }

    // Mailboxes lie behind the receive buffers.
    uint32_t mailbox_count() const { return area_.mailbox_count(); }
    char* mailbox(uint32_t number) { return area_.mailbox(number); }

    // Returns whether the client may write into that buffer.
    bool is_held(const Client& client, uint32_t recv_buffer) const {
        return grants_.is_held(client, recv_buffer);
    }
    // The client will not use the buffer any more. Returns false when it was not granted to this
    // client. The buffer is not free yet.
    bool use(Client& client, uint32_t recv_buffer) { return grants_.use(client, recv_buffer); }
    // Frees the buffer, whose contents are not needed any more.
    void release(uint32_t recv_buffer) {
        grants_.release(recv_buffer);
        trace_free();
    }
    // Notes a client's demand (wire::OriginFlow), which replaces what it said before.
    void want(Client& client, uint32_t demand) {
        if (grants_.is_open()) {
            const auto more = static_cast<int32_t>(demand - client.granted);
            grants_.want(client, static_cast<uint32_t>(std::max(0, more)));
        }
    }
    // Grants what is free to the clients that want it. Returns true when there was something to
    // grant.
    bool send_grants(Answers& answers);

    uint32_t free_count() const { return grants_.free_count(); }

  private:
    // The free ones are a counter of the timeline.
    void trace_free() const {
        if (base::is_tracing()) [[unlikely]] {
            base::record_counter(base::kTraceFreeRecvBuffers, free_count());
        }
    }

    pipeline::RecvArea area_;
    pipeline::RecvAreaAddress address_;
    BufferGrants grants_;
};

}  // namespace armci::datasrv
