// SPDX-License-Identifier: BSD-3-Clause
// Batches: small puts and accumulates to one data server that travel in one frame.
#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "pipeline/origin.h"

namespace armci::pipeline {
namespace {

// A small operation that follows the last batch sooner than this waits for company.
constexpr int64_t kIsolatedNs = 20'000;

}  // namespace

bool Origin::append(Channel& channel, const SmallBlock* blocks, int block_count, size_t block_bytes,
                    const strided::AccScale* scale, Leaving leaving, uint32_t owner) {
    if (channel.first_task != nullptr) {
        return false;  // it would overtake them
    }
    if (owner > UINT16_MAX) {
        return false;  // an entry has no room for that
    }
    if (channel.node_order != nullptr) {
        follow_other_servers(channel);
        if (!predecessors_are_acknowledged(channel)) {
            return false;
        }
    }
    const size_t entry_bytes = wire::batch_entry_bytes(block_bytes, scale != nullptr);
    const size_t all_bytes = entry_bytes * static_cast<size_t>(block_count);
    if (sizeof(wire::FrameHeader) + all_bytes > largest_request_bytes()) {
        return false;
    }
    if (channel.batch != nullptr &&
        channel.batch->wire_bytes + all_bytes > largest_request_bytes() && !flush_batch(channel)) {
        return false;
    }
    bool is_isolated = false;
    if (channel.batch == nullptr) {
        if (!ensure_handshake(channel)) {
            return false;
        }
        channel.batch = new_frame(wire::FrameKind::batch, largest_request_bytes());
        if (channel.batch == nullptr) {
            return false;
        }
        channel.batch->wire_bytes = sizeof(wire::FrameHeader);
        channel.batch->batch = ++last_batch_;
        is_isolated = base::now_ns() - channel.last_batch_ns > kIsolatedNs;
        lists().batching.add(channel);
        lists().dirty.add(channel);
    }
    char* out = channel.batch->wire() + channel.batch->wire_bytes;
    wire::BatchEntry entry;
    entry.data_bytes = static_cast<uint32_t>(block_bytes);
    entry.is_accumulate = scale != nullptr ? 1 : 0;
    entry.acc_type = scale != nullptr ? static_cast<uint8_t>(scale->type) : 0;
    entry.owner = static_cast<uint16_t>(owner);
    for (int i = 0; i < block_count; ++i) {
        entry.address = blocks[i].address;
        char* at = out + static_cast<size_t>(i) * entry_bytes;
        std::memcpy(at, &entry, sizeof entry);
        at += sizeof entry;
        if (scale != nullptr) {
            std::memcpy(at, scale->value, wire::kScaleBytes);
            at += wire::kScaleBytes;
        }
        if (block_bytes == sizeof(uint64_t)) {
            std::memcpy(at, blocks[i].data, sizeof(uint64_t));
        } else {
            std::memcpy(at, blocks[i].data, block_bytes);
        }
    }
    channel.batch->wire_bytes += static_cast<uint32_t>(all_bytes);
    if (is_isolated && leaving == Leaving::when_due) {
        flush_batch(channel);
    }
    return true;
}

// True when no batch is left open.
bool Origin::flush_batch(Channel& channel) {
    OutFrame* batch = channel.batch;
    if (batch == nullptr) {
        return true;
    }
    batch->header()->frame_bytes = batch->wire_bytes;
    if (!post_frame(channel, batch)) {
        return false;
    }
    channel.last_mutation = channel.sent_frames;
    channel.batch = nullptr;
    // Behind much that has not arrived it waits in the provider until that has left.
    constexpr uint64_t kSurelyTaken = 4 << 10;
    if (!domain_->row().sends_alone || channel.tasks > 0 ||
        channel.sent_bytes - channel.acknowledged_bytes > kSurelyTaken) {
        leaving_batches_.push_back({batch, channel.server, batch->batch});
    }
    if (channel.node_order != nullptr && channel.node_order->batch_must_precede) {
        channel.node_order->batch_must_precede = false;
        channel.node_order->must_precede_frame = channel.last_mutation;
    }
    channel.last_batch_ns = base::now_ns();
    return true;
}

void Origin::flush_blocking(int server) {
    Channel& channel = *channels_.find(server);
    if (channel.batch == nullptr) {
        return;
    }
    if (channel.fence_follows()) {
        channel.batch->header()->flags |= wire::kAcknowledgeNow;
    }
    flush_batch(channel);
}

bool Origin::is_leaving(int server, uint64_t last) const {
    return std::any_of(leaving_batches_.begin(), leaving_batches_.end(),
                       [&](const LeavingBatch& leaving) {
                           return leaving.server == server && leaving.batch <= last;
                       });
}

bool Origin::batch_has_left(int server, uint64_t last) const {
    const Channel* channel = channels_.find(server);
    return channel == nullptr || ((channel->batch == nullptr || channel->batch->batch > last) &&
                                  !is_leaving(server, last));
}

bool Origin::batches_have_left(uint64_t last) const {
    return std::none_of(leaving_batches_.begin(), leaving_batches_.end(),
                        [&](const LeavingBatch& leaving) { return leaving.batch <= last; }) &&
           std::all_of(
               lists().batching.begin(), lists().batching.end(),
               [&](const Channel* channel) { return batch_has_left(channel->server, last); });
}

void Origin::flush_batches() {
    lists().batching.keep_if([&](Channel& channel) { return !flush_batch(channel); });
}

}  // namespace armci::pipeline
