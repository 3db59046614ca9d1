// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/data_frames.h"

#include <algorithm>
#include <bit>

#include "datasrv/server_options.h"
#include "pipeline/buffers/chunk_sizes.h"

namespace armci::datasrv {

bool DataFrames::open(const ServerOptions& options, fabric::Domain& domain,
                      fabric::Endpoint& endpoint, std::string* error) {
    messages_are_short_ = options.write_chunks;
    return buffers_.open(options.buffer_count, options.buffer_bytes, domain, endpoint.on_rails(),
                         fabric::Access::local, error);
}

OutReply* DataFrames::make(Client& client, uint64_t request_id, size_t wire_bytes) {
    const pipeline::BufferManager& manager = buffers_.manager();
    const size_t piece_bytes = std::bit_ceil(OutReply::kOverheadBytes + wire_bytes);
    const bool is_from_reserve =
        manager.used_bytes() + piece_bytes > manager.arena_bytes() - manager.arena_bytes() / 4;
    if (is_from_reserve && (client.data_under_way > 0 || wire_bytes > max_reserved_bytes())) {
        return nullptr;
    }
    OutReply* reply = sender_.make(buffers_, wire::FrameKind::data, request_id, wire_bytes);
    if (reply != nullptr) {
        reply->data_client = &client;
        ++client.data_under_way;
    }
    return reply;
}

// A data frame takes at most half of the memory, so that one fits beside the reserve.
size_t DataFrames::max_bytes() const {
    return std::min(buffers_.buffer_bytes(), buffers_.manager().arena_bytes() / 2) -
           OutReply::kOverheadBytes;
}

size_t DataFrames::max_reserved_bytes() const {
    return std::min(pipeline::kLargestMessagePiece, buffers_.manager().arena_bytes() / 4) -
           OutReply::kOverheadBytes;
}

size_t DataFrames::max_message_bytes() const {
    return messages_are_short_ ? std::min(pipeline::kLargestMessagePiece, max_bytes())
                               : max_bytes();
}

}  // namespace armci::datasrv
