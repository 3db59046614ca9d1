// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "pipeline/chunk_sizes.h"

namespace armci::datasrv {
namespace {

constexpr size_t kSmallAnswersBytes = 64 << 10;

}  // namespace

bool Server::open(fabric::Domain& domain, node::NodeHeap& heap, const ServerOptions& options,
                  std::string* error) {
    domain_ = &domain;
    heap_ = &heap;
    options_ = options;
    wake_up_ = node::Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!wake_up_.valid()) {
        *error = std::string("eventfd for the data server: ") + std::strerror(errno);
        return false;
    }
    mutexes_ = node::MutexQueue(&heap.control().waiters);
    attachments_ = node::Attachments(&heap.control().attachments);

    fabric::Endpoint::Options endpoint_options;
    endpoint_options.receive_entries =
        pipeline::ReceivePool::completion_count(options.receive_bytes);
    const size_t largest_message =
        options.recv_buffer_count > 0 ? pipeline::kLargestMessagePiece : options.buffer_bytes;
    endpoint_options.largest_message_bytes = largest_message;
    endpoint_options.peer_kind = "rank";
    endpoint_options.describe_peer = options.describe_rank;
    endpoint_options.describe_context = options.describe_context;
    endpoint_options.on_immediate = on_written;
    endpoint_options.immediate_context = this;
    endpoint_options.immediate_entries = options.recv_buffer_count;
    if (!endpoint_.open(domain, endpoint_options, error) ||
        !buffers_.open(options.buffer_count, options.buffer_bytes, domain, endpoint_,
                       fabric::Access::local, error) ||
        !small_answers_.open(1, kSmallAnswersBytes, domain, endpoint_, fabric::Access::local,
                             error) ||
        !receives_.open(domain, endpoint_, options.receive_bytes, largest_message, on_frame, this,
                        error)) {
        return false;
    }
    if (options.recv_buffer_count > 0) {
        if (recv_area_.open(domain, endpoint_, options.recv_buffer_count,
                            static_cast<uint32_t>(options.buffer_bytes), error)) {
            grants_.open(options.recv_buffer_count);
        } else {
            ARMCI_LOG_WARN(
                "the data server's slots for incoming data are not available (%s); it comes in "
                "messages, which is slower",
                error->c_str());
            error->clear();
        }
    }
    if (endpoint_.wait_mode() == fabric::WaitMode::fd) {
        epoll_ = node::Descriptor(epoll_create1(EPOLL_CLOEXEC));
        epoll_event queue_event{};
        queue_event.events = EPOLLIN;
        queue_event.data.fd = endpoint_.wait_fd();
        epoll_event wake_event{};
        wake_event.events = EPOLLIN;
        wake_event.data.fd = wake_up_.get();
        if (!epoll_.valid() ||
            epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, endpoint_.wait_fd(), &queue_event) != 0 ||
            epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_up_.get(), &wake_event) != 0) {
            *error = std::string("epoll for the data server: ") + std::strerror(errno);
            return false;
        }
    }
    return true;
}

// --- Progress ------------------------------------------------------------------------------------

bool Server::progress_inline() {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
        return false;
    }
    const int64_t now_ns = base::now_ns();
    last_inline_ns_.store(now_ns, std::memory_order_relaxed);
    send_aside(now_ns);
    const bool moved = progress();
    if (moved && base::is_tracing()) [[unlikely]] {
        base::record({.kind = &base::kTraceTurn, .begin_ns = now_ns, .end_ns = base::now_ns()});
    }
    left_backlog_.store(has_backlog(), std::memory_order_relaxed);
    return moved;
}

bool Server::progress() {
    if (is_to_be_silent_.load(std::memory_order_relaxed)) {
        waiting_replies_.clear();
        acknowledgements_due_.clear();
        has_fallen_silent_.store(endpoint_.outstanding() == 0);
    }
    receives_.retry_posts();
    bool moved = endpoint_.poll() > 0;
    moved |= finish_offloaded_puts();
    moved |= flush_replies();
    moved |= flush_grants();
    moved |= flush_acknowledgements();
    moved |= streams_.progress();
    return moved;
}

Server::Load Server::load() {
    const std::lock_guard<std::mutex> lock(mutex_);
    Load load;
    load.data_bytes = static_cast<int64_t>(buffers_.manager().used_bytes());
    load.answer_bytes = static_cast<int64_t>(small_answers_.manager().used_bytes());
    load.waiting_answers = static_cast<int64_t>(waiting_replies_.size());
    load.acknowledgements = static_cast<int64_t>(acknowledgements_due_.size());
    for (const auto& [rank, client] : clients_) {
        load.early_frames += static_cast<int64_t>(client->early_frames.size());
        load.early_bytes += static_cast<int64_t>(client->early_bytes);
    }
    load.copies = static_cast<int64_t>(offloaded_puts_.size());
    load.streams = static_cast<int64_t>(streams_.count());
    load.posts = static_cast<int64_t>(endpoint_.outstanding());
    load.free_recv_buffers = grants_.free_count();
    return load;
}

bool Server::has_backlog() const {
    return !waiting_replies_.empty() || !acknowledgements_due_.empty() ||
           !offloaded_puts_.empty() || streams_.wants_to_send() || receives_.has_unposted();
}

// In order for each client; a client whose connection is full does not hold up the others.
bool Server::flush_replies() {
    const size_t before = waiting_replies_.size();
    std::vector<Client*> blocked;
    std::erase_if(waiting_replies_, [&](const WaitingReply& reply) {
        if (std::find(blocked.begin(), blocked.end(), reply.client) == blocked.end() &&
            try_post(reply)) {
            --reply.client->waiting_replies;
            return true;
        }
        blocked.push_back(reply.client);
        return false;
    });
    return waiting_replies_.size() < before;
}

bool Server::flush_acknowledgements() {
    bool moved = false;
    std::erase_if(acknowledgements_due_, [&](Client* client) {
        // Another answer may have told it in the meantime.
        if (client->acknowledged_frames != client->executed_frames) {
            WaitingReply reply;
            reply.client = client;
            reply.kind = wire::FrameKind::acknowledge;
            if (!try_post(reply)) {
                return false;
            }
            moved = true;
        }
        client->acknowledgement_due = false;
        return true;
    });
    return moved;
}

bool Server::flush_grants() {
    bool moved = false;
    while (!is_to_be_silent_.load(std::memory_order_relaxed)) {
        wire::RecvBuffersBody body;
        GrantClient* client = nullptr;
        body.count = grants_.next(wire::kMaxRecvBuffersPerFrame, &client, body.recv_buffer);
        if (body.count == 0) {
            return moved;
        }
        body.keep = grants_.keep();
        answer(static_cast<Client&>(*client), wire::FrameKind::grant, 0, body);
        moved = true;
    }
    return moved;
}

size_t Server::largest_message_bytes() const {
    return options_.recv_buffer_count > 0
               ? std::min(pipeline::kLargestMessagePiece, largest_data_bytes())
               : largest_data_bytes();
}

void Server::on_frame(void* context, const void* frame, size_t frame_bytes) {
    static_cast<Server*>(context)->handle_frame(frame, frame_bytes);
}

// --- Answers -------------------------------------------------------------------------------------

Server::OutReply* Server::new_reply(pipeline::RegisteredBuffers& buffers, wire::FrameKind kind,
                                    uint64_t request_id, size_t wire_bytes) {
    void* piece = buffers.acquire(OutReply::kWireOffset + wire_bytes);
    if (piece == nullptr) {
        return nullptr;
    }
    auto* reply = new (piece) OutReply;
    reply->operation.complete = on_sent;
    reply->server = this;
    reply->wire_bytes = static_cast<uint32_t>(wire_bytes);
    auto* header = new (reply->wire()) wire::FrameHeader;
    header->kind = kind;
    header->rank = options_.number;
    header->frame_bytes = reply->wire_bytes;
    header->request_id = request_id;
    return reply;
}

// An origin that computes leaves data lying in the network, and with it our buffers. A quarter of
// them is for origins that have none, in short pieces, so that many have to do so before anybody's
// get waits for another origin.
Server::OutReply* Server::new_data_reply(Client& client, uint64_t request_id, size_t wire_bytes) {
    const pipeline::BufferManager& manager = buffers_.manager();
    const size_t piece_bytes = std::bit_ceil(OutReply::kWireOffset + wire_bytes);
    const bool is_from_reserve =
        manager.used_bytes() + piece_bytes > manager.arena_bytes() - manager.arena_bytes() / 4;
    if (is_from_reserve && (client.data_under_way > 0 || wire_bytes > largest_reserved_bytes())) {
        return nullptr;
    }
    OutReply* reply = new_reply(buffers_, wire::FrameKind::data, request_id, wire_bytes);
    if (reply != nullptr) {
        reply->data_client = &client;
        ++client.data_under_way;
    }
    return reply;
}

// A data frame takes at most half of what there is, so that one fits beside the reserve.
size_t Server::largest_data_bytes() const {
    return std::min(buffers_.buffer_bytes(), buffers_.manager().arena_bytes() / 2) -
           OutReply::kWireOffset;
}

size_t Server::largest_reserved_bytes() const {
    return std::min(pipeline::kLargestMessagePiece, buffers_.manager().arena_bytes() / 4) -
           OutReply::kWireOffset;
}

void Server::release(OutReply* reply) {
    if (reply->data_client != nullptr) {
        --reply->data_client->data_under_way;
        buffers_.release(reply);
    } else {
        small_answers_.release(reply);
    }
}

// Every answer tells how far the server has come with its origin's frames, and messages about it
// whose it is.
void Server::stamp(Client& client, OutReply* reply) {
    reply->header()->sequence = client.executed_frames;
    reply->header()->flow = client.executed_bytes;
    reply->operation.peer = client.rank;
}

bool Server::post_into_reply_buffer(Client& client, OutReply* reply,
                                    const wire::ReplyBuffersBody& reply_buffers, uint32_t index) {
    stamp(client, reply);
    const fabric::RemoteMemory target{reply_buffers.address[index], reply_buffers.key};
    if (!endpoint_.post_write_notify(client.peer, reply->wire(), reply->wire_bytes,
                                     buffers_.descriptor(), target, reply_buffers.immediate[index],
                                     &reply->operation)) {
        return false;
    }
    client.acknowledged_bytes = client.executed_bytes;
    client.acknowledged_frames = client.executed_frames;
    return true;
}

bool Server::post_reply(Client& client, OutReply* reply) {
    stamp(client, reply);
    const pipeline::RegisteredBuffers& buffers =
        reply->data_client != nullptr ? buffers_ : small_answers_;
    if (!endpoint_.post_send(client.peer, reply->wire(), reply->wire_bytes, buffers.descriptor(),
                             &reply->operation)) {
        return false;
    }
    client.acknowledged_bytes = client.executed_bytes;
    client.acknowledged_frames = client.executed_frames;
    return true;
}

void Server::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* reply = reinterpret_cast<OutReply*>(operation);
    reply->server->release(reply);
}

void Server::on_traced_sent(fabric::Operation* operation, const fabric::Completion& completion) {
    auto* reply = reinterpret_cast<OutReply*>(operation);
    wire::DataBody body;
    std::memcpy(&body, reply->wire() + sizeof(wire::FrameHeader), sizeof body);
    base::record({.kind = &base::kTraceTransmitAt,
                  .begin_ns = reply->posted_ns,
                  .end_ns = base::now_ns(),
                  .bytes = static_cast<int64_t>(body.data_bytes),
                  .number = static_cast<int64_t>(body.offset),
                  .rank = reply->data_client->rank});
    on_sent(operation, completion);
}

bool Server::try_post(const WaitingReply& waiting) {
    OutReply* reply = new_reply(small_answers_, waiting.kind, waiting.request_id,
                                wire::padded(sizeof(wire::FrameHeader) + waiting.body_bytes));
    if (reply == nullptr) {
        return false;
    }
    std::memcpy(reply->wire() + sizeof(wire::FrameHeader), waiting.body, waiting.body_bytes);
    if (!post_reply(*waiting.client, reply)) {
        release(reply);
        return false;
    }
    return true;
}

void Server::queue_or_post(const WaitingReply& reply) {
    if (reply.client->waiting_replies > 0 || !try_post(reply)) {
        ++reply.client->waiting_replies;
        waiting_replies_.push_back(reply);
    }
}

void Server::fall_silent() {
    is_to_be_silent_.store(true);
    wake();
}

void Server::stop() {
    if (thread_.is_started()) {
        stopping_.store(true);
        wake();
        thread_.join();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    engine_.reset();
    offloaded_puts_.clear();
    // Before the endpoint: some providers bind memory for others to write into to the endpoint.
    segments_.clear();
    recv_area_.close();
    endpoint_.close();
    receives_.close();
    buffers_.close();
    small_answers_.close();
    grants_ = BufferGrants();
    streams_.clear();
    waiting_replies_.clear();
    acknowledgements_due_.clear();
    clients_.clear();
    is_to_be_silent_.store(false);
    has_fallen_silent_.store(false);
    epoll_.reset();
    wake_up_.reset();
}

size_t Server::client_bytes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    // With the entry of the table that points to it.
    constexpr size_t kEntryBytes = sizeof(decltype(clients_)::value_type) + 2 * sizeof(void*);
    return clients_.bucket_count() * sizeof(void*) +
           clients_.size() * (kEntryBytes + sizeof(Client));
}

}  // namespace armci::datasrv
