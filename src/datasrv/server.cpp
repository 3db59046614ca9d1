// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "pipeline/chunk_sizes.h"

namespace armci::datasrv {

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
    sender_.open(options.number);
    acknowledgements_.open(options.client_window_bytes);
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
        !data_frames_.open(options, domain, endpoint_, error) ||
        !answers_.open(domain, endpoint_, error) ||
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
                "the data server's receive buffers are not available (%s); incoming data comes in "
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
        answers_.drop_waiting();
        acknowledgements_.fall_silent();
        has_fallen_silent_.store(endpoint_.outstanding() == 0);
    }
    receives_.retry_posts();
    bool moved = endpoint_.poll() > 0;
    moved |= finish_offloaded_puts();
    moved |= answers_.flush();
    moved |= flush_grants();
    moved |= acknowledgements_.flush();
    moved |= streams_.progress();
    return moved;
}

Server::Load Server::load() {
    const std::lock_guard<std::mutex> lock(mutex_);
    Load load;
    load.data_bytes = static_cast<int64_t>(data_frames_.used_bytes());
    load.answer_bytes = static_cast<int64_t>(answers_.used_bytes());
    load.waiting_answers = static_cast<int64_t>(answers_.waiting_count());
    load.acknowledgements = static_cast<int64_t>(acknowledgements_.due_count());
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
    return answers_.waiting_count() > 0 || acknowledgements_.due_count() > 0 ||
           !offloaded_puts_.empty() || streams_.wants_to_send() || receives_.has_unposted();
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
        answers_.answer(static_cast<Client&>(*client), wire::FrameKind::grant, 0, body);
        moved = true;
    }
    return moved;
}

void Server::on_frame(void* context, const void* frame, size_t frame_bytes) {
    static_cast<Server*>(context)->handle_frame(frame, frame_bytes);
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
    data_frames_.close();
    answers_.close();
    grants_ = BufferGrants();
    streams_.clear();
    acknowledgements_.clear();
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
