// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/service.h"

#include <utility>

#include "pipeline/buffers/chunk_sizes.h"

namespace armci::datasrv {

bool Service::open(fabric::Domain& domain, node::NodeHeap& heap, const ServerOptions& options,
                   std::string* error) {
    options_ = options;
    sender_.open({options.token, options.number});
    acknowledgements_.open(options.client_window_bytes);
    clients_.open(domain, options.name(), options.rank_tokens, options.rank_count);
    memory_.open(domain, heap, options.register_segments);
    mutexes_ = node::MutexQueue(&heap.control().waiters);
    const bool chunks_are_messages = options.recv_buffer_count > 0 && !options.write_chunks;
    const size_t largest_message =
        chunks_are_messages ? options.buffer_bytes : pipeline::kLargestMessagePiece;
    const size_t receive_bytes =
        options.receive_bytes +
        (chunks_are_messages ? options.recv_buffer_count * options.buffer_bytes : 0);
    if (!open_endpoint(domain, receive_bytes, largest_message, error) ||
        !data_frames_.open(options, domain, endpoint_, error) ||
        !answers_.open(domain, endpoint_, error) ||
        !receives_.open(domain, endpoint_, receive_bytes, largest_message, FrameIntake::on_message,
                        &intake_, error)) {
        return false;
    }
    gets_by_put_.open(options.use_ordering && domain.orders_writes());
    granted_.open(domain, endpoint_, options);
    return true;
}

bool Service::open_endpoint(fabric::Domain& domain, size_t receive_bytes,
                            size_t largest_message_bytes, std::string* error) {
    fabric::Endpoint::Options endpoint;
    endpoint.receive_entries = pipeline::ReceivePool::completion_count(receive_bytes);
    endpoint.largest_message_bytes = largest_message_bytes;
    endpoint.peer_kind = "rank";
    endpoint.describe_peer = options_.describe_rank;
    endpoint.describe_context = options_.describe_context;
    endpoint.on_immediate = FrameIntake::on_written;
    endpoint.immediate_context = &intake_;
    endpoint.immediate_entries =
        options_.write_chunks ? options_.recv_buffer_count * pipeline::kMaxFramesInRecvBuffer : 0;
    return endpoint_.open(domain, endpoint, error);
}

bool Service::progress() {
    const bool is_silent = is_to_be_silent_.load(std::memory_order_relaxed);
    if (is_silent) {
        answers_.drop_waiting();
        acknowledgements_.fall_silent();
        has_fallen_silent_.store(endpoint_.outstanding() == 0);
    }
    receives_.retry_posts();
    bool moved = endpoint_.poll() > 0;
    moved |= intake_.take_mail();
    moved |= std::exchange(has_taken_mail_, false);
    moved |= intake_.finish_offloaded_puts();
    moved |= answers_.flush();
    moved |= !is_silent && granted_.send_grants(answers_);
    moved |= acknowledgements_.flush();
    moved |= streams_.progress();
    if (intake_.execute_waiting()) {  // before others can take the room
        moved = true;
        if (!is_silent) {
            granted_.send_grants(answers_);  // of buffers that these frames have left
        }
    }
    moved |= gets_by_put_.progress();
    return moved;
}

bool Service::may_sleep() {
    // The provider may take writes from the network here, and then nothing wakes a sleeper.
    if (!endpoint_.may_sleep()) {
        return false;
    }
    has_taken_mail_ = intake_.take_mail();
    return !has_taken_mail_;
}

bool Service::has_backlog() const {
    return answers_.has_waiting() || acknowledgements_.due_count() > 0 || !offloaded_.is_empty() ||
           streams_.wants_to_send() || gets_by_put_.wants_to_post() || receives_.has_unposted();
}

ServerLoad Service::load() const {
    const Clients::Early early = clients_.count_early();
    ServerLoad load;
    load.data_bytes = static_cast<int64_t>(data_frames_.used_bytes());
    load.answer_bytes = static_cast<int64_t>(answers_.used_bytes());
    load.waiting_answers = static_cast<int64_t>(answers_.waiting_count());
    load.acknowledgements = static_cast<int64_t>(acknowledgements_.due_count());
    load.early_frames = early.frames;
    load.early_bytes = early.bytes;
    load.kept_bytes = static_cast<int64_t>(streams_.kept_bytes());
    load.streams = static_cast<int64_t>(streams_.count());
    load.gets_by_put = static_cast<int64_t>(gets_by_put_.count());
    load.copies = static_cast<int64_t>(offloaded_.count());
    load.posts = static_cast<int64_t>(endpoint_.outstanding());
    load.free_recv_buffers = granted_.free_count();
    return load;
}

void Service::close() {
    offloaded_.close();
    // This is done before the endpoint is closed, because some providers bind memory that others
    // write into to the endpoint.
    memory_.close();
    granted_.close();
    endpoint_.close();
    receives_.close();
    data_frames_.close();
    answers_.close();
    streams_.clear();
    gets_by_put_.close();
    acknowledgements_.clear();
    intake_.clear();
    mailboxes_.clear();
    clients_.clear();
    is_to_be_silent_.store(false);
    has_fallen_silent_.store(false);
}

}  // namespace armci::datasrv
