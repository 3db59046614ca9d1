// SPDX-License-Identifier: BSD-3-Clause
// Puts that a copy engine moves from their granted receive buffers to global memory while the
// server goes on.
//
// Such a frame counts as executed when its copies are complete. What its origin has sent behind it
// waits until then, as frames do that come early; all others are served meanwhile.
// docs/references.md: Gangadharappa
#include "base/trace.h"
#include "datasrv/server.h"
#include "strided/cursor.h"

namespace armci::datasrv {

void Server::use_engine(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes) {
    engine_ = std::move(engine);
    engine_min_bytes_ = min_bytes;
    submitted_copies_ = 0;
}

// False: it is not one for the engine, or not right, which the ordinary way will tell.
bool Server::offload_put(Client& client, const wire::FrameHeader& header, const void* frame,
                         int64_t recv_buffer) {
    constexpr int kMaxRows = 8;  // of more, each is short
    wire::TransferView view;
    if (engine_ == nullptr || header.kind != wire::FrameKind::put || recv_buffer == kNoRecvBuffer ||
        header.layout_kind != static_cast<uint8_t>(wire::LayoutKind::strided) ||
        !wire::decode_transfer(frame, header.frame_bytes, header, &view, &addresses_)) {
        return false;
    }
    uint64_t address = 0;
    uint64_t bytes = 0;
    node::Attachment process{};
    auto left = static_cast<int64_t>(view.body.data_bytes);
    if (left < engine_min_bytes_ ||
        place_of(view.layout, view.body.owner, &address, &bytes, &process) != Place::global) {
        return false;
    }
    node::CopyRequest requests[kMaxRows];
    int count = 0;
    strided::Cursor cursor(view.layout.side);
    cursor.seek(static_cast<int64_t>(view.body.offset));
    auto* data = const_cast<char*>(view.data);
    while (left > 0) {
        if (count == kMaxRows) {
            return false;
        }
        const strided::Row row = cursor.next_row(left);
        node::CopyRequest& request = requests[count++];
        request.layout.levels = 1;
        request.layout.count[0] = row.block_bytes;
        request.layout.count[1] = row.block_count;
        request.layout.local_stride[0] = row.block_bytes;
        request.layout.remote_stride[0] = row.stride;
        request.local = data;
        request.remote = row.data;
        data += row.block_count * row.block_bytes;
        left -= row.block_count * row.block_bytes;
    }
    const int taken = engine_->submit(requests, count);
    if (taken == 0) {
        return false;
    }
    for (int i = taken; i < count; ++i) {
        const node::CopyRequest& request = requests[i];
        strided::copy(request.layout, request.local, request.remote, request.direction);
    }
    submitted_copies_ += static_cast<uint64_t>(taken);
    offloaded_puts_.push_back({&client, header, recv_buffer, submitted_copies_, base::trace_ns()});
    client.is_copying = true;
    is_copying_.store(true, std::memory_order_relaxed);
    return true;
}

bool Server::finish_offloaded_puts() {
    if (offloaded_puts_.empty()) {
        return false;
    }
    const uint64_t completed = engine_->completed();
    bool moved = false;
    while (!offloaded_puts_.empty() && offloaded_puts_.front().last_copy <= completed) {
        const OffloadedPut put = offloaded_puts_.front();
        offloaded_puts_.pop_front();
        if (put.begin_ns != 0) [[unlikely]] {
            const char* frame = recv_area_.recv_buffer(static_cast<uint32_t>(put.recv_buffer));
            base::record({.kind = &base::kTraceOffloaded,
                          .begin_ns = put.begin_ns,
                          .end_ns = base::now_ns(),
                          .bytes = wire::data_bytes(frame, put.header.frame_bytes),
                          .number = static_cast<int64_t>(put.header.sequence),
                          .rank = put.header.rank});
        }
        put.client->is_copying = false;
        ++put.client->executed_frames;
        finish_frame(*put.client, put.header, put.recv_buffer);
        handle_held_frames(*put.client);
        moved = true;
    }
    is_copying_.store(!offloaded_puts_.empty(), std::memory_order_relaxed);
    return moved;
}

}  // namespace armci::datasrv
