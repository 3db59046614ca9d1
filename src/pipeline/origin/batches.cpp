// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/batches.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "pipeline/origin/get_answer.h"

namespace armci::pipeline {
namespace {

// So many frames with gets leave at once, so that their answers come while the caller computes.
constexpr int kPromptGets = 4;
// Each costs a message, so only one does so if many gets have left together before.
constexpr int kPromptGetsOfMany = 1;
constexpr size_t kManyGets = 8;
// Transfers from this size on gain by longer batches than messages are.
constexpr size_t kLongEntriesBytes = 1 << 10;

// An entry has 16 bits for the owner.
bool fits_entry(const SmallTransfer& transfer) {
    return transfer.owner <= UINT16_MAX;
}

size_t entries_bytes_of(const SmallTransfer& transfer) {
    return wire::batch_entry_bytes(transfer.block_bytes, transfer.operation()) *
           static_cast<size_t>(transfer.block_count);
}

}  // namespace

size_t Batches::bytes_with(size_t entries_bytes) const {
    return sizeof(wire::FrameHeader) + entries_bytes + answers_.replies.described_bytes(1);
}

// Returns the gets of the open batch, nullptr if there are none.
GetBatch* Batches::gets_of(const Channel& channel) {
    return channel.batch != nullptr ? static_cast<GetBatch*>(channel.batch->task) : nullptr;
}

// While a batch is open, its header has the length of the memory for it.
bool Batches::has_room(const Channel& channel, const SmallTransfer& transfer,
                       size_t entries_bytes) const {
    return channel.batch->wire_bytes + entries_bytes + answers_.replies.described_bytes(1) <=
               channel.batch->header()->frame_bytes &&
           (!transfer.is_get() || gets_of(channel) == nullptr ||
            gets_of(channel)->data_bytes() + transfer.answer_bytes() <= wire::kMaxBatchAnswerBytes);
}

bool Batches::is_long(const Channel& channel) const {
    return channel.batch->header()->frame_bytes > frames_.largest_message_bytes();
}

bool Batches::may_wait(const SmallTransfer& transfer) const {
    return !transfer.is_get() && fits_entry(transfer) &&
           bytes_with(entries_bytes_of(transfer)) <= frames_.largest_message_bytes();
}

// Returns false when that is not possible now.
bool Batches::open_batch(Channel& channel, size_t entries_bytes, bool may_grow) {
    if (!frames_.ensure_handshake(channel)) {
        return false;
    }
    const size_t message_bytes = frames_.largest_message_bytes();
    const size_t needed_bytes = bytes_with(entries_bytes);
    const bool may_be_long = may_grow && entries_bytes >= kLongEntriesBytes;
    const size_t long_bytes = may_be_long ? grants_.batch_room(channel) : 0;
    if (long_bytes > message_bytes && needed_bytes <= long_bytes) {
        channel.batch = frames_.new_chunk_frame(wire::FrameKind::batch, long_bytes);
    }
    if (channel.batch != nullptr) {
        channel.recv_buffers.queued_bytes += static_cast<int64_t>(long_bytes);
    } else if (needed_bytes <= message_bytes) {
        channel.batch = frames_.new_frame(wire::FrameKind::batch, message_bytes);
    }
    if (channel.batch == nullptr) {
        return false;
    }
    channel.batch->complete = on_sent;
    channel.batch->owner = this;
    channel.batch->wire_bytes = sizeof(wire::FrameHeader);
    channel.batch_number = ++last_;
    channels_.lists().batching.add(channel);
    return true;
}

int64_t Batches::missing_window(const Channel& channel, const SmallTransfer& transfer) {
    if (!transfer.is_get()) {
        return 0;
    }
    const GetBatch* gets = gets_of(channel);
    if (gets == nullptr) {
        return GetBatch::window_bytes(transfer.answer_bytes());
    }
    const int64_t window_bytes =
        GetBatch::window_bytes(gets->data_bytes() + transfer.answer_bytes());
    return std::max<int64_t>(0, window_bytes - gets->reserved_bytes());
}

void Batches::add_gets(Channel& channel, const SmallTransfer& transfer, int64_t reserved_bytes) {
    GetBatch* gets = gets_of(channel);
    if (gets == nullptr) {
        gets = new GetBatch(answers_);  // deletes itself when its data has come
        channel.batch->task = gets;
        tasks_.begin(*gets, channel);
        gets->add_pending();  // until the data has come
        channel.batch->header()->request_id = answers_.requests.add(gets, 0);
    }
    gets->note_reserved(reserved_bytes);
    gets->add(transfer);
    if (transfer.end.call == nullptr) {
        PendingTasks::let_fences_wait(*gets);
    }
}

char* Batches::write_entry(char* out, const SmallTransfer& transfer, const SmallBlock& block) {
    wire::BatchEntry entry;
    entry.address = block.address;
    entry.data_bytes = static_cast<uint32_t>(transfer.block_bytes);
    entry.operation = transfer.operation();
    entry.acc_type = transfer.scale != nullptr ? static_cast<uint8_t>(transfer.scale->type) : 0;
    entry.owner = static_cast<uint16_t>(transfer.owner);
    std::memcpy(out, &entry, sizeof entry);
    out += sizeof entry;
    if (transfer.is_get()) {
        return out;
    }
    if (transfer.scale != nullptr) {
        std::memcpy(out, transfer.scale->value, wire::kScaleBytes);
        out += wire::kScaleBytes;
    }
    strided::copy_block(block.local, out, transfer.block_bytes);
    return out + wire::padded(transfer.block_bytes);
}

bool Batches::append(Channel& channel, const SmallTransfer& transfer, Leaving leaving) {
    const size_t entries_bytes = entries_bytes_of(transfer);
    if (!fits_entry(transfer) || transfer.answer_bytes() > wire::kMaxBatchAnswerBytes) {
        return false;
    }
    const bool follows_full =
        channel.batch != nullptr && !has_room(channel, transfer, entries_bytes);
    if (follows_full) {
        const bool was_long = is_long(channel);
        if (!flush(channel)) {
            return false;
        }
        if (was_long) {
            frames_.reclaim_buffers();
        }
    }
    const int64_t window_bytes = missing_window(channel, transfer);
    if (window_bytes > 0 && !answers_.credits.reserve(window_bytes)) {
        return false;
    }
    const bool is_isolated = channel.batch == nullptr && !follows_full &&
                             base::now_ns() - channel.last_batch_ns > kIsolatedNs;
    // What leaves with its first transfer needs no granted receive buffer, which costs messages.
    const bool may_grow = leaving == Leaving::when_due && !is_isolated;
    if (channel.batch == nullptr && !open_batch(channel, entries_bytes, may_grow)) {
        answers_.credits.unreserve(window_bytes);
        return false;
    }
    if (transfer.is_get()) {
        add_gets(channel, transfer, window_bytes);
    } else {
        channel.batch_changes_memory = true;
        channels_.lists().dirty.add(channel);
    }
    char* out = channel.batch->wire() + channel.batch->wire_bytes;
    for (int i = 0; i < transfer.block_count; ++i) {
        out = write_entry(out, transfer, transfer.blocks[i]);
    }
    channel.batch->wire_bytes += static_cast<uint32_t>(entries_bytes);
    const bool is_awaited =
        transfer.is_get() &&
        channel.tasks.count <= (channel.had_many_gets ? kPromptGetsOfMany : kPromptGets);
    if ((is_isolated || is_awaited) && leaving == Leaving::when_due) {
        flush(channel);
    }
    return true;
}

bool Batches::post(Channel& channel, OriginFrame* batch) {
    wire::FrameHeader& header = *batch->header();
    const uint32_t room = header.frame_bytes;
    const uint32_t entries_end = batch->wire_bytes;
    GetBatch* gets = gets_of(channel);
    // A short answer comes as a message, for which memory is posted anyway.
    if (gets != nullptr && gets->data_bytes() > frames_.largest_message_bytes() / 2 &&
        gets->acquire_reply_buffer()) {
        header.flags |= wire::kHasReplyBuffers;
        answers_.replies.describe(&*gets->reply_buffer(), 1).encode(batch->wire() + entries_end);
        batch->wire_bytes += static_cast<uint32_t>(answers_.replies.described_bytes(1));
    }
    header.frame_bytes = batch->wire_bytes;
    if (frames_.post(channel, batch)) {
        if (gets != nullptr && gets->reply_buffer()) {
            answers_.credits.unreserve(gets->take_reservation());
        }
        return true;
    }
    header.frame_bytes = room;
    batch->wire_bytes = entries_end;
    if (gets != nullptr) {
        header.flags &= static_cast<uint8_t>(~wire::kHasReplyBuffers);
        gets->release_reply_buffer();
    }
    return false;
}

bool Batches::flush(Channel& channel) {
    OriginFrame* batch = channel.batch;
    if (batch == nullptr) {
        return true;
    }
    const int64_t queued_bytes = is_long(channel) ? batch->header()->frame_bytes : 0;
    channel.recv_buffers.queued_bytes -= queued_bytes;
    if (!post(channel, batch)) {
        channel.recv_buffers.queued_bytes += queued_bytes;
        grants_.ask(channel);
        return false;
    }
    if (queued_bytes > 0) {
        channels_.lists().note_release(channel);
    }
    GetBatch* gets = gets_of(channel);
    channel.batch = nullptr;
    if (gets != nullptr) {
        note_habit(channel, gets->count());
        gets->note_turn();
        gets->note_posted();
    }
    if (std::exchange(channel.batch_changes_memory, false)) {
        note_change(channel);
    }
    channel.last_batch_ns = base::now_ns();
    return true;
}

// Notes how many gets have just left together. A single first one tells nothing, and neither does
// the rest that follows full batches.
void Batches::note_habit(Channel& channel, size_t gets) {
    const bool is_first = gets == 1 && channel.tasks.count == 1;
    if (gets >= kManyGets) {
        channel.had_many_gets = true;
    } else if (!is_first && channel.tasks.count <= kPromptGetsOfMany + 1) {
        channel.had_many_gets = false;
    }
}

// The batch that has just been posted changes memory there.
void Batches::note_change(Channel& channel) {
    channel.last_mutation = channel.flow.sent_frames;
    if (!channel.flow.has_left(channel.flow.last_delayed)) {
        leaving_.push_back({&channel, channel.flow.sent_frames, channel.batch_number});
    }
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
        return leaving.channel->server == server && leaving.batch <= last && !leaving.has_left();
    });
}

bool Batches::is_leaving(uint64_t last) const {
    return std::any_of(leaving_.begin(), leaving_.end(), [&](const LeavingBatch& leaving) {
        return leaving.batch <= last && !leaving.has_left();
    });
}

bool Batches::has_left(int server, uint64_t last) const {
    const Channel* channel = channels_.find(server);
    return channel == nullptr || ((channel->batch == nullptr || channel->batch_number > last) &&
                                  !is_leaving(server, last));
}

bool Batches::have_left(uint64_t last) const {
    const auto& batching = channels_.lists().batching;
    return !is_leaving(last) &&
           std::all_of(batching.begin(), batching.end(),
                       [&](const Channel* channel) { return has_left(channel->server, last); });
}

void Batches::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = static_cast<OriginFrame*>(operation);
    auto* batches = static_cast<Batches*>(frame->owner);
    Channel& channel = *frame->channel;
    const uint64_t number = frame->header()->sequence;
    frame->release();
    batches->frames_.note_left(channel, number, nullptr);
    std::erase_if(batches->leaving_,
                  [](const LeavingBatch& leaving) { return leaving.has_left(); });
}

}  // namespace armci::pipeline
