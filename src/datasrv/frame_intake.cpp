// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/frame_intake.h"

#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/strangers.h"
#include "base/trace.h"

namespace armci::datasrv {
namespace {

bool is_chunk(wire::FrameKind kind) {
    return kind == wire::FrameKind::put || kind == wire::FrameKind::accumulate;
}

// Records a frame that is executed now.
void trace(int server, const base::TraceKind& kind, const char* name,
           const wire::FrameHeader& header, const void* frame, int64_t begin_ns) {
    base::record({.kind = &kind,
                  .name = name,
                  .begin_ns = begin_ns,
                  .end_ns = base::now_ns(),
                  .bytes = wire::data_bytes(frame, header.frame_bytes),
                  .number = static_cast<int64_t>(header.sequence),
                  .rank = header.rank,
                  .arrow = is_chunk(header.kind)
                               ? base::arrow_of_frame(header.rank, server, header.sequence)
                               : 0});
}

// Returns how much of its sender's window a message takes.
size_t window_bytes(const wire::FrameHeader& header) {
    return wire::flow_of(header).closes == 0 ? header.frame_bytes : 0;
}

}  // namespace

void FrameIntake::on_message(void* intake, const void* frame, size_t frame_bytes) {
    auto& self = *static_cast<FrameIntake*>(intake);
    Client* client = self.parts_.handlers.clients.sender_of(frame, frame_bytes);
    if (client == nullptr) {
        base::drop_from_stranger(base::FromStranger::frame,
                                 "%s dropped a message of %zu bytes that no rank of this job has "
                                 "sent",
                                 self.parts_.options.name().c_str(), frame_bytes);
        return;
    }
    wire::FrameHeader header;
    if (!wire::decode_header(frame, frame_bytes, &header)) {
        ARMCI_LOG_WARN("%s ignored a message of %zu bytes of rank %d that is no request",
                       self.parts_.options.name().c_str(), frame_bytes, client->rank);
        return;
    }
    if (self.use_granted(*client, header)) {
        self.take(*client, header, frame, Memory::lent);
    }
}

bool FrameIntake::use_granted(Client& client, const wire::FrameHeader& header) {
    const uint32_t closes = wire::flow_of(header).closes;
    if (closes == 0 || parts_.handlers.granted.use(client, closes - 1)) {
        return true;
    }
    ARMCI_LOG_WARN(
        "%s ignored a message of %u bytes of rank %d, to which receive buffer %u was not granted",
        parts_.options.name().c_str(), header.frame_bytes, client.rank, closes - 1);
    return false;
}

void FrameIntake::on_written(void* intake, uint64_t place) {
    auto& self = *static_cast<FrameIntake*>(intake);
    GrantedBuffers& granted = self.parts_.handlers.granted;
    const pipeline::RecvArea::Place written = granted.find(place);
    Client* client = nullptr;
    const size_t frame_bytes =
        written.memory == nullptr
            ? 0
            : self.parts_.handlers.clients.take_written(written.memory, written.bytes, &client);
    if (frame_bytes == 0) {
        base::drop_from_stranger(base::FromStranger::frame,
                                 "%s dropped an announcement that data has been written to place "
                                 "%llu of its receive buffers, where no rank of this job has "
                                 "written any",
                                 self.parts_.options.name().c_str(),
                                 static_cast<unsigned long long>(place));
        return;
    }
    wire::FrameHeader header;
    if (!wire::decode_header(written.memory, frame_bytes, &header) ||
        !granted.is_held(*client, written.recv_buffer)) {
        ARMCI_LOG_WARN(
            "%s ignored a write into receive buffer %u, which was not granted to its sender, rank "
            "%d, or holds no request",
            self.parts_.options.name().c_str(), written.recv_buffer, client->rank);
        return;
    }
    self.take(*client, header, written.memory, Memory::written);
}

// What is in a mailbox stays there until it is executed. It counts as a message all the same, so
// that the window and the order do not depend on how a frame has come.
bool FrameIntake::take_mail() {
    return parts_.mailboxes.collect([this](Client& client, const void* frame, size_t bytes) {
        wire::FrameHeader header;
        if (!wire::decode_header(frame, bytes, &header) || wire::flow_of(header).closes != 0) {
            ARMCI_LOG_WARN(
                "%s ignored what rank %d has written into its mailbox, which is no "
                "request",
                parts_.options.name().c_str(), client.rank);
            return;
        }
        const uint32_t slot = wire::answer_slot(header);
        if (slot != 0 && client.has_answer_slots) {
            client.lent_slot = static_cast<uint8_t>(slot);
        }
        take(client, header, frame, Memory::lent);
    });
}

void FrameIntake::take(Client& client, const wire::FrameHeader& header, const void* frame,
                       Memory memory) {
    if (header.sequence != client.executed_frames + 1 || must_wait(client, header)) {
        hold_early(client, header, frame, memory);
    } else {
        execute_next(client, header, frame, memory);
    }
    execute_held(client);
}

// Gets of a batch are read when it is executed. So it is executed only if there is room for what
// they read, in case it cannot be sent at once.
bool FrameIntake::must_wait(const Client& client, const wire::FrameHeader& header) const {
    return client.is_copying || (wire::has_gets(header) && !parts_.handlers.streams.may_answer());
}

void FrameIntake::execute_held(Client& client) {
    while (!client.early_frames.empty() &&
           client.early_frames.begin()->first == client.executed_frames + 1) {
        if (must_wait(client, client.early_frames.begin()->second.header)) {
            if (!client.is_copying && !std::exchange(client.waits_for_answers, true)) {
                waiting_.push_back(&client);
            }
            return;
        }
        const EarlyFrame held = std::move(client.early_frames.begin()->second);
        client.early_frames.erase(client.early_frames.begin());
        if (held.written != nullptr) {
            --client.early_written;
            execute_next(client, held.header, held.written, Memory::written);
        } else {
            client.early_bytes -= window_bytes(held.header);
            execute_next(client, held.header, held.copy.data(), Memory::lent);
        }
    }
}

bool FrameIntake::execute_waiting() {
    bool moved = false;
    while (!waiting_.empty() && parts_.handlers.streams.may_answer()) {
        Client& client = *waiting_.front();
        waiting_.pop_front();
        client.waits_for_answers = false;
        execute_held(client);
        moved = true;
    }
    return moved;
}

// Keeps a frame whose predecessors are still under way. An origin never has more under way than its
// window and the receive buffers that it was granted.
void FrameIntake::hold_early(Client& client, const wire::FrameHeader& header, const void* frame,
                             Memory memory) {
    const auto window = static_cast<uint64_t>(parts_.options.client_window_bytes);
    const size_t bytes = memory == Memory::lent ? window_bytes(header) : 0;
    const uint64_t known = client.executed_frames + (client.is_copying ? 1 : 0);
    const bool has_room =
        memory == Memory::written
            ? client.early_written < client.held * pipeline::kMaxFramesInRecvBuffer
            : client.early_bytes + bytes <= window;
    if (header.sequence <= known || !has_room || client.early_frames.contains(header.sequence)) {
        refuse_early(client, header, memory);
        return;
    }
    EarlyFrame early;
    early.header = header;
    if (memory == Memory::written) {
        early.written = frame;
        ++client.early_written;
    } else {
        const char* begin = static_cast<const char*>(frame);
        early.copy.assign(begin, begin + header.frame_bytes);
    }
    client.early_bytes += bytes;
    client.early_frames.emplace(header.sequence, std::move(early));
}

void FrameIntake::refuse_early(const Client& client, const wire::FrameHeader& header,
                               Memory memory) {
    ARMCI_LOG_WARN(
        "%s ignored frame %llu (%s, %u bytes) of rank %d, which does "
        "not fit in its sequence: %llu executed, %zu waiting with %zu bytes",
        parts_.options.name().c_str(), static_cast<unsigned long long>(header.sequence),
        wire::name_of(header.kind), header.frame_bytes, header.rank,
        static_cast<unsigned long long>(client.executed_frames), client.early_frames.size(),
        client.early_bytes);
    const uint32_t closes = wire::flow_of(header).closes;
    if (memory == Memory::lent && closes != 0) {
        parts_.handlers.granted.release(closes - 1);
    }
}

// Returns whether the client has sent its handshake, with this frame or before.
bool FrameIntake::is_known(Client& client, const wire::FrameHeader& header, const void* frame) {
    if (header.kind == wire::FrameKind::hello &&
        !parts_.handlers.clients.shake_hands(client, frame, header.frame_bytes)) {
        return false;
    }
    if (header.kind == wire::FrameKind::hello) {
        parts_.mailboxes.give(client);
    }
    if (client.peer == FI_ADDR_UNSPEC) {
        ARMCI_LOG_WARN(
            "%s ignored a %s request of rank %d, which has not sent its "
            "handshake",
            parts_.options.name().c_str(), wire::name_of(header.kind), header.rank);
        return false;
    }
    return true;
}

void FrameIntake::execute_next(Client& client, const wire::FrameHeader& header, const void* frame,
                               Memory memory) {
    if (!is_known(client, header, frame)) {
        return;
    }
    const int64_t start_ns = base::now_ns();
    if (memory == Memory::written && parts_.offloaded.start(client, header, frame)) {
        busy_ns_.fetch_add(base::now_ns() - start_ns, std::memory_order_relaxed);
        return;
    }
    // The frame is counted before the answer is made, because the answer carries the count.
    ++client.executed_frames;
    client.executed_bytes += memory == Memory::lent ? window_bytes(header) : 0;
    execute(parts_.handlers, {client, header, frame});
    finish(client, header, memory);
    const int64_t end_ns = base::now_ns();
    busy_ns_.fetch_add(end_ns - start_ns, std::memory_order_relaxed);
    if (base::is_tracing()) [[unlikely]] {
        trace(parts_.options.number, base::kTraceExecute,
              header.kind == wire::FrameKind::put ? "unpack" : wire::name_of(header.kind), header,
              frame, start_ns);
    }
}

void FrameIntake::finish(Client& client, const wire::FrameHeader& header, Memory memory) {
    free_closed(client, header, memory);
    parts_.handlers.granted.want(client, wire::flow_of(header).demand);
    parts_.acknowledgements.note_executed(client, header);
}

void FrameIntake::free_closed(Client& client, const wire::FrameHeader& header, Memory memory) {
    GrantedBuffers& granted = parts_.handlers.granted;
    const uint32_t closes = wire::flow_of(header).closes;
    if (closes == 0) {
        return;
    }
    // A message has used its buffer when it came. Of a buffer with several frames, the one that
    // closes it may come first, and the others must still find it granted.
    if (memory == Memory::written && !granted.use(client, closes - 1)) {
        ARMCI_LOG_WARN("%s: rank %d closed receive buffer %u, which was not granted to it",
                       parts_.options.name().c_str(), client.rank, closes - 1);
        return;
    }
    granted.release(closes - 1);
}

bool FrameIntake::finish_offloaded_puts() {
    if (parts_.offloaded.is_empty()) {
        return false;
    }
    const uint64_t completed = parts_.offloaded.completed_copies();
    bool moved = false;
    OffloadedPuts::Put put;
    while (parts_.offloaded.take_finished(completed, &put)) {
        if (put.begin_ns != 0) [[unlikely]] {
            trace(parts_.options.number, base::kTraceOffloaded, "", put.header, put.frame,
                  put.begin_ns);
        }
        ++put.client->executed_frames;
        finish(*put.client, put.header, Memory::written);
        execute_held(*put.client);
        moved = true;
    }
    return moved;
}

}  // namespace armci::datasrv
