// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/granted_buffers.h"

#include <string>

#include "base/log.h"

namespace armci::datasrv {
namespace {

// So much longer than a buffer of an origin is a receive buffer. Four chunks of a quarter each fit,
// with their heads.
constexpr uint32_t kBytesForHeads = 4 << 10;

}  // namespace

void GrantedBuffers::open(fabric::Domain& domain, fabric::Endpoint& endpoint,
                          const ServerOptions& options) {
    const uint32_t count = options.recv_buffer_count;
    const auto bytes = static_cast<uint32_t>(options.buffer_bytes);
    if (count == 0) {
        return;
    }
    // A thread that sleeps inside the provider cannot look.
    const bool shows_writes =
        domain.shows_writes() && endpoint.wait_mode() != fabric::WaitMode::sread;
    std::string error;
    if (options.write_chunks && !area_.open(domain, endpoint, count, bytes + kBytesForHeads,
                                            shows_writes ? options.mailbox_count : 0, &error)) {
        ARMCI_LOG_WARN(
            "the data server's receive buffers are not available (%s); incoming data comes in "
            "messages, which is slower",
            error.c_str());
        return;
    }
    address_ = area_.address();
    if (!options.write_chunks) {
        address_.recv_buffer_count = count;
        address_.recv_buffer_bytes = bytes;
    }
    grants_.open(count);
}

void GrantedBuffers::close() {
    area_.close();
    address_ = pipeline::RecvAreaAddress();
    grants_ = BufferGrants();
}

bool GrantedBuffers::send_grants(Answers& answers) {
    bool moved = false;
    while (true) {
        wire::RecvBuffersBody body;
        GrantClient* client = nullptr;
        body.count = grants_.next(wire::kMaxRecvBuffersPerFrame, &client, body.recv_buffer);
        if (body.count == 0) {
            return moved;
        }
        trace_free();
        body.keep = grants_.keep();
        answers.answer(static_cast<Client&>(*client), wire::FrameKind::grant, 0, body);
        moved = true;
    }
}

}  // namespace armci::datasrv
