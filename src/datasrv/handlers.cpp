// SPDX-License-Identifier: BSD-3-Clause
// What the data server does for each kind of request.
#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "datasrv/server.h"
#include "node/accumulate.h"
#include "node/word_atomics.h"

namespace armci::datasrv {
namespace {

void add(node::StripedLocks& locks, strided::StridedCursor& to, const strided::AccScale& scale,
         const char* data, int64_t bytes) {
    node::LockedAccumulator accumulator(locks, scale);
    while (bytes > 0) {
        const strided::Row row = to.next_row(bytes);
        accumulator.add_row(
            {row.data, row.stride, data, row.block_bytes, row.block_bytes, row.block_count});
        data += row.block_count * row.block_bytes;
        bytes -= row.block_count * row.block_bytes;
    }
}

// Whole segments together, and what is there of others.
void add(node::StripedLocks& locks, strided::VectorCursor& to, const strided::AccScale& scale,
         const char* data, int64_t bytes) {
    while (bytes > 0) {
        if (to.is_at_block_start() && bytes >= to.block_bytes()) {
            const int64_t count = bytes / to.block_bytes();
            node::accumulate(locks, scale,
                             {to.next_addresses(count), nullptr, data, to.block_bytes(), count});
            data += count * to.block_bytes();
            bytes -= count * to.block_bytes();
        } else {
            const strided::Block block = to.next(bytes);
            node::LockedAccumulator(locks, scale).add(data, block.data, block.bytes);
            data += block.bytes;
            bytes -= block.bytes;
        }
    }
}

void trace(const wire::FrameHeader& header, const void* frame, int64_t begin_ns, int64_t end_ns) {
    const char* name = header.kind == wire::FrameKind::put ? "unpack" : wire::name_of(header.kind);
    base::record({.kind = &base::kTraceExecute,
                  .name = name,
                  .begin_ns = begin_ns,
                  .end_ns = end_ns,
                  .bytes = wire::data_bytes(frame, header.frame_bytes),
                  .number = static_cast<int64_t>(header.sequence),
                  .rank = header.rank});
}

}  // namespace

void Server::fail(Client& client, const wire::FrameHeader& header, wire::Failure failure,
                  uint64_t address, uint64_t bytes) {
    answers_.refuse(client, header.kind, header.request_id, {failure, address, bytes});
}

Client& Server::client_of(const wire::FrameHeader& header) {
    std::unique_ptr<Client>& client = clients_[header.rank];
    if (!client) {
        client = std::make_unique<Client>();
        client->rank = header.rank;
    }
    return *client;
}

void Server::handle_frame(const void* frame, size_t frame_bytes) {
    wire::FrameHeader header;
    if (!wire::decode_header(frame, frame_bytes, &header) || header.rank < 0 ||
        header.rank >= options_.rank_count) {
        ARMCI_LOG_WARN("%s ignored a message of %zu bytes that is no request", name().c_str(),
                       frame_bytes);
        return;
    }
    take_frame(client_of(header), header, frame, kNoRecvBuffer);
}

void Server::on_written(void* context, uint64_t recv_buffer) {
    auto* server = static_cast<Server*>(context);
    wire::FrameHeader header;
    const bool exists = recv_buffer < server->recv_area_.recv_buffer_count();
    const char* frame =
        exists ? server->recv_area_.recv_buffer(static_cast<uint32_t>(recv_buffer)) : nullptr;
    if (exists) {
        std::memcpy(&header, frame, sizeof header);
    }
    Client* client = nullptr;
    if (exists && header.frame_bytes <= server->recv_area_.recv_buffer_bytes() &&
        wire::decode_header(frame, header.frame_bytes, &header) && header.rank >= 0 &&
        header.rank < server->options_.rank_count) {
        client = &server->client_of(header);
    }
    if (client == nullptr || !server->grants_.use(*client, static_cast<uint32_t>(recv_buffer))) {
        ARMCI_LOG_WARN(
            "%s ignored a write into granted receive buffer %llu, which was not "
            "granted to its sender",
            server->name().c_str(), static_cast<unsigned long long>(recv_buffer));
        return;
    }
    server->take_frame(*client, header, frame, static_cast<int64_t>(recv_buffer));
}

void Server::take_frame(Client& client, const wire::FrameHeader& header, const void* frame,
                        int64_t recv_buffer) {
    if (client.is_copying || header.sequence != client.executed_frames + 1) {
        hold_early_frame(client, header, frame, recv_buffer);
        return;
    }
    handle_next_frame(client, header, frame, recv_buffer);
    handle_held_frames(client);
}

void Server::handle_held_frames(Client& client) {
    while (!client.is_copying && !client.early_frames.empty() &&
           client.early_frames.begin()->first == client.executed_frames + 1) {
        const EarlyFrame held = std::move(client.early_frames.begin()->second);
        client.early_frames.erase(client.early_frames.begin());
        client.early_bytes -= held.copy.size();
        const void* next = held.recv_buffer == kNoRecvBuffer
                               ? held.copy.data()
                               : recv_area_.recv_buffer(static_cast<uint32_t>(held.recv_buffer));
        handle_next_frame(client, held.header, next, held.recv_buffer);
    }
}

// A frame whose predecessors are still on their way. An origin never has more messages than its
// window under way; frames in slots wait where they are.
void Server::hold_early_frame(Client& client, const wire::FrameHeader& header, const void* frame,
                              int64_t recv_buffer) {
    const auto window = static_cast<uint64_t>(options_.client_window_bytes);
    const size_t copied_bytes = recv_buffer == kNoRecvBuffer ? header.frame_bytes : 0;
    const uint64_t known = client.executed_frames + (client.is_copying ? 1 : 0);
    if (header.sequence <= known || client.early_bytes + copied_bytes > window ||
        client.early_frames.contains(header.sequence)) {
        ARMCI_LOG_WARN(
            "%s ignored frame %llu (%s, %u bytes) of rank %d, which does "
            "not fit in its sequence: %llu executed, %zu waiting with %zu bytes",
            name().c_str(), static_cast<unsigned long long>(header.sequence),
            wire::name_of(header.kind), header.frame_bytes, header.rank,
            static_cast<unsigned long long>(client.executed_frames), client.early_frames.size(),
            client.early_bytes);
        if (recv_buffer != kNoRecvBuffer) {
            grants_.release(static_cast<uint32_t>(recv_buffer));
        }
        return;
    }
    EarlyFrame early;
    early.header = header;
    early.recv_buffer = recv_buffer;
    if (recv_buffer == kNoRecvBuffer) {
        const char* begin = static_cast<const char*>(frame);
        early.copy.assign(begin, begin + copied_bytes);
    }
    client.early_bytes += copied_bytes;
    client.early_frames.emplace(header.sequence, std::move(early));
}

void Server::handle_next_frame(Client& client, const wire::FrameHeader& header, const void* frame,
                               int64_t recv_buffer) {
    const size_t frame_bytes = header.frame_bytes;
    if (header.kind == wire::FrameKind::hello && !handle_hello(client, frame, frame_bytes)) {
        return;
    }
    if (client.peer == FI_ADDR_UNSPEC) {
        ARMCI_LOG_WARN(
            "%s ignored a %s request of rank %d, which has not sent its "
            "handshake",
            name().c_str(), wire::name_of(header.kind), header.rank);
        return;
    }
    const int64_t start_ns = base::now_ns();
    if (offload_put(client, header, frame, recv_buffer)) {
        busy_ns_.fetch_add(base::now_ns() - start_ns, std::memory_order_relaxed);
        return;
    }
    // Counted before the answer is made, because the answer carries the count.
    ++client.executed_frames;
    client.executed_bytes += recv_buffer == kNoRecvBuffer ? frame_bytes : 0;
    execute(client, header, frame, frame_bytes);
    finish_frame(client, header, recv_buffer);
    const int64_t end_ns = base::now_ns();
    busy_ns_.fetch_add(end_ns - start_ns, std::memory_order_relaxed);
    if (base::is_tracing()) [[unlikely]] {
        trace(header, frame, start_ns, end_ns);
    }
}

void Server::finish_frame(Client& client, const wire::FrameHeader& header, int64_t recv_buffer) {
    if (recv_buffer != kNoRecvBuffer) {
        grants_.release(static_cast<uint32_t>(recv_buffer));
    }
    if (grants_.is_open()) {
        grants_.want(client, header.flow);
    }
    acknowledgements_.note_executed(client, header);
}

void Server::execute(Client& client, const wire::FrameHeader& header, const void* frame,
                     size_t frame_bytes) {
    switch (header.kind) {
        case wire::FrameKind::hello:
        case wire::FrameKind::fence:
        case wire::FrameKind::want:
            return;  // counted, which is all they need
        case wire::FrameKind::batch:
            handle_batch(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::release_recv_buffers:
            handle_return(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::put:
        case wire::FrameKind::accumulate:
        case wire::FrameKind::get:
            handle_transfer(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::get_credit:
            handle_credit(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::rmw:
            handle_rmw(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::store:
        case wire::FrameKind::increment:
            handle_store(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::lock:
        case wire::FrameKind::try_lock:
        case wire::FrameKind::unlock:
            handle_lock(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::find_attached:
            handle_find_attached(client, header, frame, frame_bytes);
            return;
        case wire::FrameKind::add_segment:
        case wire::FrameKind::remove_segment:
            handle_segment(client, header, frame, frame_bytes);
            return;
        default:
            fail(client, header, wire::Failure::malformed, 0, frame_bytes);
    }
}

bool Server::handle_hello(Client& client, const void* frame, size_t frame_bytes) {
    if (client.peer != FI_ADDR_UNSPEC) {
        return true;
    }
    const char* told = static_cast<const char*>(frame) + sizeof(wire::FrameHeader);
    const size_t acknowledged_bytes = frame_bytes - sizeof(wire::FrameHeader);
    const size_t address_bytes = endpoint_.address_bytes(told, acknowledged_bytes);
    if (address_bytes == 0 || wire::padded(address_bytes) != acknowledged_bytes) {
        ARMCI_LOG_WARN("%s ignored a handshake of rank %d without a valid address", name().c_str(),
                       client.rank);
        return false;
    }
    const std::vector<unsigned char> address(told, told + address_bytes);
    client.peer = endpoint_.insert_peer(address.data());
    if (client.peer == FI_ADDR_UNSPEC) {
        base::fatal(nullptr,
                    "%s cannot use the address of rank %d, which would wait for it forever: there "
                    "is no room for it, or provider %s does not take it. Memory may be short on "
                    "this node, or damaged on that rank's",
                    name().c_str(), client.rank, domain_->provider_name().c_str());
    }
    return true;
}

Server::Place Server::place_of(const wire::LayoutView& layout, uint32_t owner, uint64_t* address,
                               uint64_t* bytes, node::Attachment* process) {
    if (layout.extent.bytes > 0 && segments_.contains(layout.extent.begin, layout.extent.bytes)) {
        return Place::global;
    }
    Place all = Place::global;
    const bool are_there =
        strided::all_of_parts(layout.side, [&](uint64_t part, int64_t part_bytes) {
            *address = part;
            *bytes = static_cast<uint64_t>(part_bytes);
            const Place place = place_of(*address, *bytes, owner, process);
            all = place == Place::attached ? place : all;
            return place != Place::nowhere;
        });
    return are_there ? all : Place::nowhere;
}

void Server::handle_transfer(Client& client, const wire::FrameHeader& header, const void* frame,
                             size_t frame_bytes) {
    wire::TransferView view;
    if (!wire::decode_transfer(frame, frame_bytes, header, &view, &addresses_)) {
        fail(client, header, wire::Failure::malformed, 0, frame_bytes);
        return;
    }
    uint64_t address = 0;
    uint64_t bytes = 0;
    node::Attachment process{};
    const Place place = place_of(view.layout, view.body.owner, &address, &bytes, &process);
    if (place == Place::nowhere) {
        fail(client, header, wire::Failure::bad_address, address, bytes);
        return;
    }
    if (header.kind == wire::FrameKind::get) {
        streams_.start(client, header.request_id, view.layout, view.body, view.reply_buffers,
                       place == Place::attached ? &process : nullptr);
        return;
    }
    if (place == Place::attached) {
        change_attached(client, header, process, view);
        return;
    }
    const auto offset = static_cast<int64_t>(view.body.offset);
    const auto data_bytes = static_cast<int64_t>(view.body.data_bytes);
    strided::Cursor to(view.layout.side);
    to.seek(offset);
    if (header.kind == wire::FrameKind::put) {
        strided::unpack(to, view.data, data_bytes);
        return;
    }
    const strided::AccScale scale =
        strided::make_scale(static_cast<strided::AccType>(header.acc_type), view.body.scale);
    to.visit([&](auto& cursor) { add(heap_->stripes(), cursor, scale, view.data, data_bytes); });
}

// Executed up to the first bad entry; the origin that sent that ends the job.
void Server::handle_batch(Client& client, const wire::FrameHeader& header, const void* frame,
                          size_t frame_bytes) {
    wire::BatchReader reader(frame, frame_bytes);
    wire::BatchView view;
    bool malformed = false;
    while (reader.next(&view, &malformed)) {
        const wire::BatchEntry& entry = view.entry;
        node::Attachment process{};
        const Place place = place_of(entry.address, entry.data_bytes, entry.owner, &process);
        if (place == Place::nowhere) {
            fail(client, header, wire::Failure::bad_address, entry.address, entry.data_bytes);
            return;
        }
        auto* to = reinterpret_cast<char*>(entry.address);
        if (entry.is_accumulate == 0) {
            if (place == Place::attached) {
                if (!change_attached(client, header, process, entry.address, nullptr, view.data,
                                     entry.data_bytes)) {
                    return;
                }
            } else if (entry.data_bytes == sizeof(uint64_t)) {
                std::memcpy(to, view.data, sizeof(uint64_t));
            } else {
                std::memcpy(to, view.data, entry.data_bytes);
            }
            continue;
        }
        const strided::AccScale scale =
            strided::make_scale(static_cast<strided::AccType>(entry.acc_type), view.scale);
        if (place == Place::attached) {
            if (!change_attached(client, header, process, entry.address, &scale, view.data,
                                 entry.data_bytes)) {
                return;
            }
            continue;
        }
        node::LockedAccumulator accumulator(heap_->stripes(), scale);
        accumulator.add(view.data, to, entry.data_bytes);
    }
    if (malformed) {
        fail(client, header, wire::Failure::malformed, 0, frame_bytes);
    }
}

void Server::handle_return(Client& client, const wire::FrameHeader& header, const void* frame,
                           size_t frame_bytes) {
    wire::RecvBuffersBody body;
    if (!wire::decode_body(frame, frame_bytes, &body) ||
        body.count > wire::kMaxRecvBuffersPerFrame) {
        fail(client, header, wire::Failure::malformed, 0, frame_bytes);
        return;
    }
    for (uint32_t i = 0; i < body.count; ++i) {
        if (!grants_.use(client, body.recv_buffer[i])) {
            fail(client, header, wire::Failure::malformed, body.recv_buffer[i], 0);
            return;
        }
        grants_.release(body.recv_buffer[i]);
    }
}

void Server::handle_credit(Client& client, const wire::FrameHeader& header, const void* frame,
                           size_t frame_bytes) {
    wire::CreditBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        fail(client, header, wire::Failure::malformed, 0, frame_bytes);
        return;
    }
    streams_.credit(client, header.request_id, body);
}

void Server::handle_rmw(Client& client, const wire::FrameHeader& header, const void* frame,
                        size_t frame_bytes) {
    wire::RmwBody body;
    if (!wire::decode_body(frame, frame_bytes, &body) ||
        body.operation > static_cast<uint32_t>(node::WordOperation::swap_long)) {
        fail(client, header, wire::Failure::malformed, body.address, frame_bytes);
        return;
    }
    const auto operation = static_cast<node::WordOperation>(body.operation);
    const auto bytes = static_cast<uint64_t>(node::word_bytes(operation));
    if (body.address % bytes != 0) {
        fail(client, header, wire::Failure::misaligned, body.address, bytes);
        return;
    }
    node::Attachment process{};
    switch (place_of(body.address, bytes, body.owner, &process)) {
        case Place::nowhere:
            fail(client, header, wire::Failure::bad_address, body.address, bytes);
            return;
        case Place::attached:
            rmw_attached(client, header, process, body);
            return;
        case Place::global:
            break;
    }
    const wire::ValueBody old{
        node::read_modify_write(operation, reinterpret_cast<void*>(body.address), body.operand)};
    answers_.answer(client, wire::FrameKind::value, header.request_id, old);
}

void Server::handle_store(Client& client, const wire::FrameHeader& header, const void* frame,
                          size_t frame_bytes) {
    wire::StoreBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        fail(client, header, wire::Failure::malformed, 0, frame_bytes);
        return;
    }
    if (body.address % sizeof(int) != 0) {
        fail(client, header, wire::Failure::misaligned, body.address, sizeof(int));
        return;
    }
    // What is incremented is the library's own.
    const bool is_store = header.kind == wire::FrameKind::store;
    node::Attachment process{};
    switch (place_of(body.address, sizeof(int), is_store ? body.owner : wire::kGlobal, &process)) {
        case Place::nowhere:
            fail(client, header, wire::Failure::bad_address, body.address, sizeof(int));
            return;
        case Place::attached:
            std::atomic_thread_fence(std::memory_order_seq_cst);  // behind all data
            change_attached(client, header, process, body.address, nullptr, &body.value,
                            sizeof body.value);
            return;
        case Place::global:
            break;
    }
    auto* target = reinterpret_cast<int*>(body.address);
    if (is_store) {
        __atomic_store_n(target, body.value, __ATOMIC_RELEASE);
    } else {
        __atomic_fetch_add(target, body.value, __ATOMIC_RELEASE);
    }
}

void Server::handle_lock(Client& client, const wire::FrameHeader& header, const void* frame,
                         size_t frame_bytes) {
    wire::LockBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        fail(client, header, wire::Failure::malformed, 0, frame_bytes);
        return;
    }
    auto* mutex = reinterpret_cast<node::Mutex*>(body.address);
    if (body.address % alignof(node::Mutex) != 0 ||
        !segments_.contains(body.address, sizeof(node::Mutex)) ||
        mutex->magic != node::kMutexMagic) {
        fail(client, header, wire::Failure::not_a_mutex, body.address, sizeof(node::Mutex));
        return;
    }
    if (header.kind == wire::FrameKind::try_lock) {
        const wire::ValueBody acquired{mutexes_.try_lock(*mutex, client.rank) ? 1 : 0};
        answers_.answer(client, wire::FrameKind::value, header.request_id, acquired);
        return;
    }
    if (header.kind == wire::FrameKind::lock) {
        switch (mutexes_.lock(*mutex, client.rank, true, header.request_id).result) {
            case node::MutexQueue::LockResult::acquired:
                answers_.answer_empty(client, wire::FrameKind::granted, header.request_id);
                break;
            case node::MutexQueue::LockResult::queued:
            case node::MutexQueue::LockResult::held_by_caller:  // not asked for
                break;
            case node::MutexQueue::LockResult::no_room:
                fail(client, header, wire::Failure::no_room, body.address, 0);
                break;
        }
        return;
    }
    const node::MutexQueue::Unlocked unlocked = mutexes_.unlock(*mutex, client.rank, true);
    if (unlocked.result == node::MutexQueue::UnlockResult::not_held) {
        fail(client, header, wire::Failure::not_held, body.address, 0);
    } else if (unlocked.result == node::MutexQueue::UnlockResult::grant_remote) {
        const auto next = clients_.find(unlocked.rank);
        answers_.answer_empty(*next->second, wire::FrameKind::granted, unlocked.request_id);
    }
}

void Server::handle_segment(Client& client, const wire::FrameHeader& header, const void* frame,
                            size_t frame_bytes) {
    wire::SegmentBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        fail(client, header, wire::Failure::malformed, 0, frame_bytes);
        return;
    }
    uint64_t end = 0;
    const bool in_heap = body.bytes > 0 &&
                         !__builtin_add_overflow(body.address, body.bytes - 1, &end) &&
                         heap_->contains(reinterpret_cast<void*>(body.address)) &&
                         heap_->contains(reinterpret_cast<void*>(end));
    if (!in_heap) {
        fail(client, header, wire::Failure::bad_address, body.address, body.bytes);
        return;
    }
    if (header.kind == wire::FrameKind::remove_segment) {
        const wire::ValueBody removed{segments_.remove(body.address) ? 1 : 0};
        answers_.answer(client, wire::FrameKind::value, header.request_id, removed);
        return;
    }
    wire::SegmentReply reply;
    fabric::Region region;
    if (options_.register_segments) {
        std::string error;
        region = domain_->register_memory(reinterpret_cast<void*>(body.address), body.bytes,
                                          fabric::Access::remote, &endpoint_, &error);
        if (region.valid()) {
            reply = {region.remote_base(), region.key(), 1};
        } else {
            // Once is enough to act on it.
            base::log(registration_warned_ ? base::LogLevel::debug : base::LogLevel::warn,
                      "%llu bytes of global memory cannot be registered for direct access (%s); "
                      "transfers to it go through the data server. Raising the limit on locked "
                      "memory (ulimit -l) may help",
                      static_cast<unsigned long long>(body.bytes), error.c_str());
            registration_warned_ = true;
        }
    }
    if (!segments_.add(body.address, body.bytes, std::move(region))) {
        fail(client, header, wire::Failure::bad_address, body.address, body.bytes);
        return;
    }
    answers_.answer(client, wire::FrameKind::segment, header.request_id, reply);
}

}  // namespace armci::datasrv
