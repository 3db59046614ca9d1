#include "pipeline/origin.h"

#include <poll.h>

#include <algorithm>
#include <new>

#include "base/log.h"

namespace armci::pipeline {
namespace {

// Smaller chunks than this cost more in frames than a narrow window costs in pauses.
constexpr size_t kSmallestChunk = 4096 - OutFrame::kWireOffset;

}  // namespace

void Task::on_answer(Origin&, const wire::FrameHeader& header, const void*, int) {
    base::fatal(function_, "unexpected %s frame from the data server of node %d",
                wire::name_of(header.kind), header.rank);
}

bool Origin::open(fabric::Domain& domain, const OriginOptions& options,
                  const OriginEnvironment& environment, base::Stats* stats, std::string* error) {
    domain_ = &domain;
    options_ = options;
    environment_ = environment;
    stats_ = stats;

    ordering_.ordered_writes = options.use_ordering && domain.orders_writes();
    ordering_.reads_after_writes = ordering_.ordered_writes && domain.orders_reads_after_writes();

    fabric::Endpoint::Options endpoint_options;
    endpoint_options.receive_slots = ReceivePool::completion_count(options.receive_bytes);
    endpoint_options.largest_message_bytes = options.buffer_bytes;
    endpoint_options.waitable = true;
    if (!endpoint_.open(domain, endpoint_options, error) ||
        !buffers_.open(options.buffer_count, options.buffer_bytes, domain, endpoint_, error) ||
        !receives_.open(domain, endpoint_, options.receive_bytes, options.buffer_bytes, on_frame,
                        this, error)) {
        return false;
    }
    receive_budget_ = static_cast<int64_t>(options.receive_bytes);
    stream_window_bytes_ =
        std::max<int64_t>(2 * static_cast<int64_t>(options.buffer_bytes), receive_budget_ / 4);
    largest_wire_bytes_ = std::min(
        buffers_.buffer_bytes() - OutFrame::kWireOffset,
        std::max<size_t>(kSmallestChunk, static_cast<size_t>(options.server_window_bytes) / 4));
    channels_.resize(options.node_count);
    return true;
}

void Origin::close() {
    endpoint_.close();
    receives_.close();
    buffers_.close();
    channels_.clear();
    active_.clear();
    dirty_.clear();
    rma_operations_.clear();
    spare_rma_operations_.clear();
}

Channel& Origin::channel(int node) {
    std::unique_ptr<Channel>& channel = channels_[node];
    if (!channel) {
        channel = std::make_unique<Channel>();
        channel->node = node;
        channel->window_bytes = options_.server_window_bytes;
        channel->peer =
            endpoint_.insert_peer(environment_.server_address(environment_.context, node));
        if (channel->peer == FI_ADDR_UNSPEC) {
            base::fatal(nullptr, "provider %s does not accept the address of node %d's data server",
                        domain_->provider_name().c_str(), node);
        }
    }
    return *channel;
}

// --- Tasks ---------------------------------------------------------------------------------------

void Origin::submit(Task& task, Channel& channel) {
    task.channel_ = &channel;
    ++channel.tasks;
    ++task_count_;
    if (channel.first_task == nullptr && task.post(*this)) {
        task.posted_ = true;
        finish_if_complete(&task);
        return;
    }
    if (channel.last_task != nullptr) {
        channel.last_task->next_ = &task;
    } else {
        channel.first_task = &task;
    }
    channel.last_task = &task;
    activate(channel);
}

void Origin::activate(Channel& channel) {
    if (!channel.is_active) {
        channel.is_active = true;
        active_.push_back(&channel);
    }
}

void Origin::mark_dirty(Channel& channel) {
    if (!channel.is_dirty) {
        channel.is_dirty = true;
        dirty_.push_back(&channel);
    }
}

void Origin::finish_if_complete(Task* task) {
    if (task == nullptr || !task->is_complete()) {
        return;
    }
    --task->channel_->tasks;
    --task_count_;
    if (task->on_complete_ != nullptr) {
        task->on_complete_(task, task->completion_context_);  // the task may be gone now
    }
}

// Posts the channel's tasks in order; true when something moved.
bool Origin::post_tasks(Channel& channel) {
    bool moved = false;
    while (Task* task = channel.first_task) {
        if (!task->post(*this)) {
            return moved;
        }
        moved = true;
        channel.first_task = task->next_;
        if (channel.first_task == nullptr) {
            channel.last_task = nullptr;
        }
        task->posted_ = true;
        finish_if_complete(task);
    }
    return moved;
}

bool Origin::progress() {
    receives_.retry_posts();
    bool moved = endpoint_.poll() > 0;
    for (size_t i = 0; i < active_.size();) {
        Channel& channel = *active_[i];
        moved |= post_tasks(channel);
        if (channel.first_task == nullptr) {
            channel.is_active = false;
            active_[i] = active_.back();
            active_.pop_back();
        } else {
            ++i;
        }
    }
    std::erase_if(credits_due_, [&](const Credit& credit) { return try_credit(credit); });
    return moved;
}

bool Origin::sleep(int timeout_ms) {
    if (endpoint_.wait_mode() != fabric::WaitMode::fd) {
        return false;
    }
    if (endpoint_.may_sleep()) {
        pollfd queue{endpoint_.wait_fd(), POLLIN, 0};
        ::poll(&queue, 1, timeout_ms);
    }
    return true;
}

// --- Ordering and fences -------------------------------------------------------------------------

// Sends a frame whose acknowledgement covers everything posted so far, unless one is on its way.
bool Origin::ask_acknowledge(Channel& channel) {
    const uint64_t needed = std::max(channel.last_mutation, channel.write_mark);
    if (channel.asked_frame >= needed) {
        return true;
    }
    OutFrame* frame = new_frame(wire::FrameKind::fence, sizeof(wire::FrameHeader));
    if (frame == nullptr) {
        return false;
    }
    frame->header()->flags |= wire::kAcknowledgeNow;
    if (!send(channel, frame, nullptr, Effect::none)) {
        discard(frame);
        return false;
    }
    return true;
}

bool Origin::may_write(Channel& channel) {
    if (channel.mutations_pending()) {
        ask_acknowledge(channel);
        return false;
    }
    return true;
}

bool Origin::may_read(Channel& channel) {
    const bool writes_in_the_way = ordering_.ordered_writes && !ordering_.reads_after_writes &&
                                   channel.write_mark > channel.executed_frames;
    if (channel.mutations_pending() || writes_in_the_way) {
        ask_acknowledge(channel);
        return false;
    }
    return true;
}

bool Origin::start_fence(int node) {
    const Channel* channel = channels_[node].get();
    if (channel == nullptr || (channel->first_task == nullptr && !channel->remote_work_pending())) {
        return false;
    }
    ++stats_->fences;
    return true;
}

bool Origin::fence_is_done(int node) {
    Channel& channel = *channels_[node];
    if (channel.first_task != nullptr || channel.writes_in_flight > 0) {
        return false;
    }
    if (!channel.remote_work_pending()) {
        return true;
    }
    ask_acknowledge(channel);
    return false;
}

bool Origin::start_fence_all() {
    // Channels whose tasks have not posted anything yet are not dirty, but active.
    if (dirty_.empty() && active_.empty()) {
        return false;
    }
    ++stats_->fences;
    return true;
}

bool Origin::fence_all_is_done() {
    if (!active_.empty()) {
        return false;
    }
    // All servers are asked before any answer is waited for.
    std::erase_if(dirty_, [&](Channel* channel) {
        const bool done = fence_is_done(channel->node);
        channel->is_dirty = !done;
        return done;
    });
    return dirty_.empty();
}

bool Origin::writes_are_ordered_or_done(int node) const {
    const Channel* channel = channels_[node].get();
    return ordering_.ordered_writes || channel == nullptr ||
           (channel->first_task == nullptr && channel->writes_in_flight == 0);
}

// --- Frames out ----------------------------------------------------------------------------------

OutFrame* Origin::new_frame(wire::FrameKind kind, size_t wire_bytes) {
    void* piece = buffers_.acquire(OutFrame::kWireOffset + wire_bytes);
    if (piece == nullptr) {
        return nullptr;
    }
    auto* frame = new (piece) OutFrame;
    frame->operation.complete = on_sent;
    frame->origin = this;
    frame->wire_bytes = static_cast<uint32_t>(wire_bytes);
    auto* header = new (frame->wire()) wire::FrameHeader;
    header->kind = kind;
    header->rank = options_.rank;
    header->frame_bytes = frame->wire_bytes;
    return frame;
}

void Origin::discard(OutFrame* frame) {
    buffers_.release(frame);
}

bool Origin::greet(Channel& channel) {
    const std::vector<unsigned char>& address = endpoint_.address();
    OutFrame* frame =
        new_frame(wire::FrameKind::hello, wire::padded(sizeof(wire::FrameHeader) + address.size()));
    if (frame == nullptr) {
        return false;
    }
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), address.data(), address.size());
    channel.greeted = true;
    if (!post_frame(channel, frame)) {
        channel.greeted = false;
        discard(frame);
    }
    return channel.greeted;
}

bool Origin::post_frame(Channel& channel, OutFrame* frame) {
    if (!channel.has_room(frame->wire_bytes)) {
        return false;
    }
    // Ask for an answer before the window could close, so that it always opens again.
    if (!channel.has_room(frame->wire_bytes + largest_wire_bytes_)) {
        frame->header()->flags |= wire::kAcknowledgeNow;
    }
    frame->header()->sequence = channel.sent_frames + 1;
    frame->operation.peer = channel.node;
    if (!endpoint_.post_send(channel.peer, frame->wire(), frame->wire_bytes, buffers_.descriptor(),
                             &frame->operation)) {
        return false;
    }
    ++channel.sent_frames;
    channel.sent_bytes += frame->wire_bytes;
    if ((frame->header()->flags & wire::kAcknowledgeNow) != 0) {
        channel.asked_frame = channel.sent_frames;
    }
    ++stats_->messages_sent;
    return true;
}

bool Origin::send(Channel& channel, OutFrame* frame, Task* task, Effect effect) {
    if (!is_introduced(channel)) {
        return false;
    }
    frame->task = task;
    if (!post_frame(channel, frame)) {
        return false;
    }
    if (effect == Effect::mutation) {
        channel.last_mutation = channel.sent_frames;
        mark_dirty(channel);
    }
    if (task != nullptr) {
        task->add_pending();
    }
    return true;
}

void Origin::on_sent(fabric::Operation* operation, const fabric::Completion&) {
    auto* frame = reinterpret_cast<OutFrame*>(operation);
    Origin* origin = frame->origin;
    Task* task = frame->task;
    origin->buffers_.release(frame);
    if (task != nullptr) {
        task->remove_pending();
        origin->finish_if_complete(task);
    }
}

void Origin::send_credit(Channel& channel, uint64_t request_id, uint64_t taken_bytes) {
    const Credit credit{&channel, request_id, taken_bytes};
    if (!try_credit(credit)) {
        credits_due_.push_back(credit);
    }
}

bool Origin::try_credit(const Credit& credit) {
    OutFrame* frame = new_frame(wire::FrameKind::get_credit,
                                sizeof(wire::FrameHeader) + sizeof(wire::CreditBody));
    if (frame == nullptr) {
        return false;
    }
    frame->header()->request_id = credit.request_id;
    const wire::CreditBody body{credit.taken_bytes};
    std::memcpy(frame->wire() + sizeof(wire::FrameHeader), &body, sizeof body);
    if (!send(*credit.channel, frame, nullptr, Effect::none)) {
        discard(frame);
        return false;
    }
    return true;
}

bool Origin::reserve_receive(int64_t bytes) {
    if (receive_reserved_ > 0 && receive_reserved_ + bytes > receive_budget_) {
        return false;
    }
    receive_reserved_ += bytes;
    return true;
}

// --- Requests and answers ------------------------------------------------------------------------

uint64_t Origin::register_request(Task* task, int tag) {
    uint32_t slot = 0;
    if (!spare_requests_.empty()) {
        slot = spare_requests_.back();
        spare_requests_.pop_back();
    } else {
        slot = static_cast<uint32_t>(requests_.size());
        requests_.emplace_back();
    }
    Request& request = requests_[slot];
    request.task = task;
    request.tag = tag;
    return static_cast<uint64_t>(request.generation) << 32 | slot;
}

Origin::Request* Origin::find_request(uint64_t request_id) {
    const auto slot = static_cast<uint32_t>(request_id);
    if (slot >= requests_.size() || requests_[slot].generation != request_id >> 32 ||
        requests_[slot].task == nullptr) {
        return nullptr;
    }
    return &requests_[slot];
}

void Origin::release_request(uint64_t request_id) {
    Request* request = find_request(request_id);
    if (request == nullptr) {
        return;
    }
    request->task = nullptr;
    if (++request->generation == 0) {
        request->generation = 1;  // request 0 never exists: it means "no answer expected"
    }
    spare_requests_.push_back(static_cast<uint32_t>(request_id));
}

void Origin::on_frame(void* context, const void* frame, size_t frame_bytes) {
    static_cast<Origin*>(context)->handle_frame(frame, frame_bytes);
}

void Origin::handle_frame(const void* frame, size_t frame_bytes) {
    wire::FrameHeader header;
    if (!wire::decode_header(frame, frame_bytes, &header) || header.rank < 0 ||
        header.rank >= options_.node_count || !channels_[header.rank]) {
        ARMCI_LOG_WARN("ignored a message of %zu bytes that is no answer from a data server",
                       frame_bytes);
        return;
    }
    channels_[header.rank]->record_answer(header.sequence, header.executed_bytes);
    switch (header.kind) {
        case wire::FrameKind::acknowledge:
            return;
        case wire::FrameKind::failed:
            report_failure(header, frame, frame_bytes);
        case wire::FrameKind::data:
        case wire::FrameKind::value:
        case wire::FrameKind::granted:
        case wire::FrameKind::segment: {
            Request* request = find_request(header.request_id);
            if (request == nullptr) {
                base::fatal(nullptr,
                            "the data server of node %d answered a request (%s) that this "
                            "rank did not make",
                            header.rank, wire::name_of(header.kind));
            }
            Task* task = request->task;
            task->on_answer(*this, header, frame, request->tag);
            finish_if_complete(task);
            return;
        }
        default:
            base::fatal(nullptr, "the data server of node %d sent a frame of kind %s", header.rank,
                        wire::name_of(header.kind));
    }
}

void Origin::report_failure(const wire::FrameHeader& header, const void* frame,
                            size_t frame_bytes) {
    wire::FailedBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        base::fatal(nullptr, "the data server of node %d reported a failure", header.rank);
    }
    const Request* request = find_request(header.request_id);
    base::fatal(request != nullptr ? request->task->function() : nullptr,
                "the data server of node %d refused a %s request for %llu bytes at 0x%llx: %s",
                header.rank, wire::name_of(static_cast<wire::FrameKind>(body.request_kind)),
                static_cast<unsigned long long>(body.bytes),
                static_cast<unsigned long long>(body.address), wire::describe(body.failure));
}

// --- RMA -----------------------------------------------------------------------------------------

Origin::RmaOperation* Origin::new_rma_operation() {
    if (spare_rma_operations_.empty()) {
        rma_operations_.push_back(std::make_unique<RmaOperation>());
        RmaOperation* created = rma_operations_.back().get();
        created->operation.complete = on_rma;
        created->origin = this;
        return created;
    }
    RmaOperation* operation = spare_rma_operations_.back();
    spare_rma_operations_.pop_back();
    return operation;
}

void Origin::on_rma(fabric::Operation* operation, const fabric::Completion&) {
    auto* rma = reinterpret_cast<RmaOperation*>(operation);
    Task* task = rma->task;
    if (rma->is_delivered_write) {
        --task->channel_->writes_in_flight;
    }
    rma->origin->spare_rma_operations_.push_back(rma);
    task->remove_pending();
    rma->origin->finish_if_complete(task);
}

bool Origin::write(Channel& channel, Task* task, const void* data, int64_t bytes,
                   const fabric::RemoteMemory& target) {
    RmaOperation* rma = new_rma_operation();
    rma->task = task;
    rma->is_delivered_write = !ordering_.ordered_writes;
    rma->operation.peer = channel.node;
    const auto completion = ordering_.ordered_writes ? fabric::Endpoint::WriteCompletion::local
                                                     : fabric::Endpoint::WriteCompletion::delivered;
    if (!endpoint_.post_write(channel.peer, data, static_cast<size_t>(bytes), nullptr, target,
                              completion, &rma->operation)) {
        spare_rma_operations_.push_back(rma);
        return false;
    }
    if (ordering_.ordered_writes) {
        channel.write_mark = channel.sent_frames + 1;
    } else {
        ++channel.writes_in_flight;
    }
    mark_dirty(channel);
    task->add_pending();
    return true;
}

bool Origin::read(Channel& channel, Task* task, void* data, int64_t bytes,
                  const fabric::RemoteMemory& source) {
    RmaOperation* rma = new_rma_operation();
    rma->task = task;
    rma->is_delivered_write = false;
    rma->operation.peer = channel.node;
    if (!endpoint_.post_read(channel.peer, data, static_cast<size_t>(bytes), nullptr, source,
                             &rma->operation)) {
        spare_rma_operations_.push_back(rma);
        return false;
    }
    task->add_pending();
    return true;
}

}  // namespace armci::pipeline
