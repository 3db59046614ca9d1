// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/batches.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"

namespace armci::pipeline {
namespace {

// A small operation that follows the last batch sooner than this waits for others.
constexpr int64_t kIsolatedNs = 20'000;

}  // namespace

// Makes a frame for the channel's next batch. Returns false when that is not possible now.
bool Batches::open_batch(Channel& channel) {
    if (!frames_.ensure_handshake(channel)) {
        return false;
    }
    channel.batch = frames_.new_frame(wire::FrameKind::batch, frames_.largest_message_bytes());
    if (channel.batch == nullptr) {
        return false;
    }
    channel.batch->complete = on_sent;
    channel.batch->owner = this;
    channel.batch->wire_bytes = sizeof(wire::FrameHeader);
    channel.batch->batch = ++last_;
    channels_.lists().batching.add(channel);
    channels_.lists().dirty.add(channel);
    return true;
}

void Batches::put_entry(char* out, wire::BatchEntry* entry, const SmallBlock& block,
                        const strided::AccScale* scale) {
    entry->address = block.address;
    std::memcpy(out, entry, sizeof *entry);
    out += sizeof *entry;
    if (scale != nullptr) {
        std::memcpy(out, scale->value, wire::kScaleBytes);
        out += wire::kScaleBytes;
    }
    if (entry->data_bytes == sizeof(uint64_t)) {
        std::memcpy(out, block.data, sizeof(uint64_t));
    } else {
        std::memcpy(out, block.data, entry->data_bytes);
    }
}

bool Batches::append(Channel& channel, const SmallBlock* blocks, int block_count,
                     size_t block_bytes, const strided::AccScale* scale, Leaving leaving,
                     uint32_t owner) {
    const size_t entry_bytes = wire::batch_entry_bytes(block_bytes, scale != nullptr);
    const size_t all_bytes = entry_bytes * static_cast<size_t>(block_count);
    const size_t largest = frames_.largest_message_bytes();
    if (sizeof(wire::FrameHeader) + all_bytes > largest) {
        return false;
    }
    if (channel.batch != nullptr && channel.batch->wire_bytes + all_bytes > largest &&
        !flush(channel)) {
        return false;
    }
    bool is_isolated = false;
    if (channel.batch == nullptr) {
        if (!open_batch(channel)) {
            return false;
        }
        is_isolated = base::now_ns() - channel.last_batch_ns > kIsolatedNs;
    }
    char* out = channel.batch->wire() + channel.batch->wire_bytes;
    wire::BatchEntry entry;
    entry.data_bytes = static_cast<uint32_t>(block_bytes);
    entry.is_accumulate = scale != nullptr ? 1 : 0;
    entry.acc_type = scale != nullptr ? static_cast<uint8_t>(scale->type) : 0;
    entry.owner = static_cast<uint16_t>(owner);
    for (int i = 0; i < block_count; ++i) {
        put_entry(out + static_cast<size_t>(i) * entry_bytes, &entry, blocks[i], scale);
    }
    channel.batch->wire_bytes += static_cast<uint32_t>(all_bytes);
    if (is_isolated && leaving == Leaving::when_due) {
        flush(channel);
    }
    return true;
}

bool Batches::flush(Channel& channel) {
    OriginFrame* batch = channel.batch;
    if (batch == nullptr) {
        return true;
    }
    batch->header()->frame_bytes = batch->wire_bytes;
    if (!frames_.post(channel, batch)) {
        return false;
    }
    channel.last_mutation = channel.flow.sent_frames;
    channel.batch = nullptr;
    // A frame behind many bytes that have not arrived waits in the provider until those have left.
    constexpr uint64_t kSurelyTaken = 4 << 10;
    if (!sends_alone_ || channel.tasks.count > 0 ||
        channel.flow.sent_bytes - channel.flow.acknowledged_bytes > kSurelyTaken) {
        leaving_.push_back({batch, channel.server, batch->batch});
    }
    channel.last_batch_ns = base::now_ns();
    return true;
}

void Batches::flush_blocking(int server) {
    Channel& channel = *channels_.find(server);
    if (channel.batch == nullptr) {
        return;
    }
    if (channel.fence_habit.fence_follows()) {
        channel.batch->header()->flags |= wire::kAcknowledgeNow;
    }
    flush(channel);
}

void Batches::flush_all() {
    channels_.lists().batching.keep_if([&](Channel& channel) { return !flush(channel); });
}

bool Batches::is_leaving(int server, uint64_t last) const {
    return std::any_of(leaving_.begin(), leaving_.end(), [&](const LeavingBatch& leaving) {
        return leaving.server == server && leaving.batch <= last;
    });
}

bool Batches::has_left(int server, uint64_t last) const {
    const Channel* channel = channels_.find(server);
    return channel == nullptr || ((channel->batch == nullptr || channel->batch->batch > last) &&
                                  !is_leaving(server, last));
}

bool Batches::have_left(uint64_t last) const {
    const auto& batching = channels_.lists().batching;
    return std::none_of(leaving_.begin(), leaving_.end(),
                        [&](const LeavingBatch& leaving) { return leaving.batch <= last; }) &&
           std::all_of(batching.begin(), batching.end(),
                       [&](const Channel* channel) { return has_left(channel->server, last); });
}

void Batches::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = static_cast<OriginFrame*>(operation);
    auto* batches = static_cast<Batches*>(frame->owner);
    std::erase_if(batches->leaving_,
                  [&](const LeavingBatch& leaving) { return leaving.frame == frame; });
    frame->release();
}

}  // namespace armci::pipeline
