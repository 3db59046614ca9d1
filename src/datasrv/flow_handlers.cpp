// SPDX-License-Identifier: BSD-3-Clause
// Requests about the flow of frames: an origin has taken data of a get, or releases granted receive
// buffers that it does not use.
#include "datasrv/handlers.h"

namespace armci::datasrv {

Outcome handle_credit(const HandlerParts& parts, const Request& request,
                      const wire::CreditBody& body) {
    parts.streams.credit(request.client, request.header.request_id, body);
    return {};
}

Outcome handle_release(const HandlerParts& parts, const Request& request,
                       const wire::RecvBuffersBody& body) {
    for (uint32_t i = 0; i < body.count; ++i) {
        if (!parts.granted.use(request.client, body.recv_buffer[i])) {
            return Refusal{wire::Failure::malformed, body.recv_buffer[i], 0};
        }
        parts.granted.release(body.recv_buffer[i]);
    }
    return {};
}

}  // namespace armci::datasrv
