// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/offloaded_puts.h"

#include <utility>
#include <vector>

#include "base/trace.h"
#include "strided/cursor.h"

namespace armci::datasrv {
namespace {

constexpr int kMaxRows = 8;  // if there are more, each is short

// Makes the copies of a chunk, one for each row. Returns how many, 0 when they are more than
// kMaxRows.
int make_requests(const wire::TransferView& view, node::CopyRequest* requests) {
    int count = 0;
    strided::Cursor cursor(view.layout.side);
    cursor.seek(static_cast<int64_t>(view.body.offset));
    auto* data = const_cast<char*>(view.data);
    auto left = static_cast<int64_t>(view.body.data_bytes);
    while (left > 0) {
        if (count == kMaxRows) {
            return 0;
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
    return count;
}

}  // namespace

void OffloadedPuts::use_engine(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes) {
    engine_ = std::move(engine);
    min_bytes_ = min_bytes;
    submitted_copies_ = 0;
}

void OffloadedPuts::close() {
    engine_.reset();
    puts_.clear();
}

bool OffloadedPuts::is_for_engine(const wire::FrameHeader& header) const {
    return engine_ != nullptr && header.kind == wire::FrameKind::put &&
           header.layout_kind == static_cast<uint8_t>(wire::LayoutKind::strided);
}

bool OffloadedPuts::start(Client& client, const wire::FrameHeader& header, const void* frame) {
    if (!is_for_engine(header)) {
        return false;
    }
    wire::TransferView view;
    std::vector<uint64_t> no_addresses;  // a strided layout has none
    if (!wire::decode_transfer(frame, header.frame_bytes, header, &view, &no_addresses) ||
        static_cast<int64_t>(view.body.data_bytes) < min_bytes_ ||
        memory_.find(view.layout, view.body.owner).kind != MemoryKind::global) {
        return false;
    }
    node::CopyRequest requests[kMaxRows];
    const int count = make_requests(view, requests);
    const int taken = count > 0 ? engine_->submit(requests, count) : 0;
    if (taken == 0) {
        return false;
    }
    for (int i = taken; i < count; ++i) {
        const node::CopyRequest& request = requests[i];
        strided::copy(request.layout, request.local, request.remote, request.direction);
    }
    submitted_copies_ += static_cast<uint64_t>(taken);
    puts_.push_back({&client, header, frame, submitted_copies_, base::trace_ns()});
    client.is_copying = true;
    are_under_way_.store(true, std::memory_order_relaxed);
    return true;
}

bool OffloadedPuts::take_finished(uint64_t completed, Put* put) {
    if (puts_.empty() || puts_.front().last_copy > completed) {
        are_under_way_.store(!puts_.empty(), std::memory_order_relaxed);
        return false;
    }
    *put = puts_.front();
    puts_.pop_front();
    put->client->is_copying = false;
    return true;
}

}  // namespace armci::datasrv
