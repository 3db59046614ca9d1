// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin.h"

#include <poll.h>

#include <algorithm>
#include <new>

#include "base/log.h"
#include "base/trace.h"

namespace armci::pipeline {
namespace {

// Smaller chunks than this cost more in frames than a narrow window costs in pauses.
constexpr size_t kSmallestChunkFrame = 4096 - OutFrame::kWireOffset;
constexpr size_t kSmallFramesBytes = 256 << 10;

}  // namespace

void Task::on_answer(Origin& origin, const wire::FrameHeader& header, const void*, int) {
    base::fatal(function_, "unexpected %s frame from %s", wire::name_of(header.kind),
                origin.name_of(header.rank).c_str());
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
    endpoint_options.receive_entries = ReceivePool::completion_count(options.receive_bytes);
    const size_t largest_message =
        options.write_chunks ? kLargestMessagePiece : options.buffer_bytes;
    endpoint_options.largest_message_bytes = largest_message;
    endpoint_options.describe_peer = environment.describe_node;
    endpoint_options.describe_context = environment.context;
    endpoint_options.on_immediate = on_written;
    endpoint_options.immediate_context = this;
    endpoint_options.immediate_entries =
        options.write_chunks ? options.buffer_count * wire::kMaxReplyBuffers : 0;
    if (!endpoint_.open(domain, endpoint_options, error) || !open_buffers(error) ||
        !small_frames_.open(1, kSmallFramesBytes, domain, endpoint_, fabric::Access::local,
                            error) ||
        !receives_.open(domain, endpoint_, options.receive_bytes, largest_message, on_frame, this,
                        error)) {
        return false;
    }
    receive_budget_ = static_cast<int64_t>(options.receive_bytes);
    stream_window_bytes_ =
        std::max<int64_t>(2 * static_cast<int64_t>(options.buffer_bytes), receive_budget_ / 4);
    // Several messages fit a server's window, so that they follow each other without a pause.
    largest_message_bytes_ =
        std::min(buffers_.buffer_bytes() - OutFrame::kWireOffset,
                 std::max<size_t>(kSmallestChunkFrame,
                                  static_cast<size_t>(options.server_window_bytes) / 4));
    if (options.write_chunks) {
        largest_message_bytes_ = std::min(largest_message_bytes_, kSmallFrameBytes);
    }
    largest_message_bytes_ &= ~size_t{7};  // as frames are padded
    channels_.resize(static_cast<size_t>(options.servers.count()));
    return true;
}

// With granted receive buffers the buffers are also what servers write into; where that is refused,
// the data of gets comes as messages.
bool Origin::open_buffers(std::string* error) {
    if (options_.write_chunks &&
        buffers_.open(options_.buffer_count, options_.buffer_bytes, *domain_, endpoint_,
                      fabric::Access::remote, error)) {
        return true;
    }
    if (options_.write_chunks) {
        gets_are_written_ = false;
        ARMCI_LOG_WARN(
            "the pipeline's buffers cannot be registered for others to write into (%s); the data "
            "of gets comes in messages, which is slower. Raising the limit on locked memory "
            "(ulimit -l) may help",
            error->c_str());
    }
    return buffers_.open(options_.buffer_count, options_.buffer_bytes, *domain_, endpoint_,
                         fabric::Access::local, error);
}

void Origin::close() {
    buffers_.deregister();  // some providers bind memory that others may write into to the endpoint
    endpoint_.close();
    receives_.close();
    buffers_.close();
    small_frames_.close();
    open_batches_.clear();
    leaving_batches_.clear();
    releases_due_.clear();
    reply_buffers_.clear();
    channels_.clear();
    active_.clear();
    dirty_.clear();
    busy_.clear();
    rma_operations_.clear();
    barrier_ = {};
    barrier_partners_.clear();
    reached_nodes_.clear();
    barrier_sends_ = 0;
}

size_t Origin::channel_bytes() const {
    size_t bytes = channels_.capacity() * sizeof channels_[0];
    for (const auto& channel : channels_) {
        if (channel) {
            bytes += sizeof *channel +
                     channel->recv_buffers.capacity() * sizeof channel->recv_buffers[0] +
                     (channel->node_order ? sizeof *channel->node_order : 0);
        }
    }
    return bytes;
}

Channel& Origin::channel(int server) {
    std::unique_ptr<Channel>& channel = channels_[server];
    if (!channel) {
        channel = std::make_unique<Channel>();
        channel->server = server;
        channel->node = options_.servers.node_of(server);
        if (options_.servers.per_node > 1) {
            channel->node_order = std::make_unique<NodeOrder>();
        }
        channel->window_bytes = options_.server_window_bytes;
        if (options_.write_chunks) {
            const RecvAreaAddress* recv_area = environment_.recv_area(environment_.context, server);
            channel->recv_area = recv_area->recv_buffer_count > 0 ? recv_area : nullptr;
        }
        channel->peer = endpoint_.insert_peer(address_of(server));
        if (channel->peer == FI_ADDR_UNSPEC) {
            base::fatal(
                nullptr,
                "provider %s does not accept the address of %s; memory may be short on this node, "
                "or "
                "the hosts run different versions of libfabric: choose another ARMCI_PROVIDER",
                domain_->provider_name().c_str(), name_of(server).c_str());
        }
    }
    return *channel;
}

// --- Tasks ---------------------------------------------------------------------------------------

void Origin::submit(Task& task, Channel& channel) {
    task.channel_ = &channel;
    ++channel.tasks;
    ++task_count_;
    task.number_ = ++last_submitted_;
    if (task.on_complete_ != nullptr) {
        task.older_ = channel.newest_task;
        (task.older_ != nullptr ? task.older_->newer_ : channel.oldest_task) = &task;
        channel.newest_task = &task;
        channel.fenced_gets += task.fences_wait_ ? 1 : 0;
        if (!channel.is_busy) {
            channel.is_busy = true;
            busy_.push_back(&channel);
        }
    }
    channel.queued_bytes += task.chunk_bytes();
    if (channel.node_order != nullptr) {
        follow_other_servers(channel);
    }
    if (channel.first_task == nullptr && may_post(channel) && task.post(*this)) {
        task.posted_ = true;
        finish_if_complete(&task);
        return;
    }
    if (task.on_complete_ != nullptr) {
        task.keep_arguments();
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
    Channel& channel = *task->channel_;
    --channel.tasks;
    --task_count_;
    if (channel.tasks == 0 && channel.recv_buffers.size() > channel.keep_recv_buffers) {
        releases_due_.push_back(&channel);
    }
    if (task->on_complete_ != nullptr) {
        channel.fenced_gets -= task->fences_wait_ ? 1 : 0;
        (task->older_ != nullptr ? task->older_->newer_ : channel.oldest_task) = task->newer_;
        (task->newer_ != nullptr ? task->newer_->older_ : channel.newest_task) = task->older_;
        task->on_complete_(task, task->completion_context_);  // the task may be gone now
    }
}

// Posts the channel's tasks in order, as far as they can be now.
void Origin::post_tasks(Channel& channel) {
    while (Task* task = channel.first_task) {
        if (!may_post(channel) || !task->post(*this)) {
            return;
        }
        channel.first_task = task->next_;
        if (channel.first_task == nullptr) {
            channel.last_task = nullptr;
        }
        task->posted_ = true;
        moved_ = true;
        finish_if_complete(task);
    }
}

// Whether no server has anything to tell that somebody here waits for.
bool Origin::expects_nothing() {
    if (task_count_ != 0 || !barrier_.is_complete() || endpoint_.outstanding() != 0 ||
        !open_batches_.empty() || !credits_due_.empty() || !releases_due_.empty()) {
        return false;
    }
    // A fence that has been waited for leaves its channels in the list.
    while (!dirty_.empty() && !dirty_.back()->is_unfenced &&
           !dirty_.back()->remote_work_pending()) {
        dirty_.back()->is_dirty = false;
        dirty_.pop_back();
    }
    return dirty_.empty();
}

bool Origin::progress() {
    // A rank that waits for others, and serves them meanwhile, has better things to do than to ask
    // the network without success each time.
    constexpr uint32_t kIdleTurns = 8;
    receives_.retry_posts();
    flush_batches();
    const bool polls = !expects_nothing() || ++idle_turns_ % kIdleTurns == 0;
    moved_ = polls && endpoint_.poll() > 0;
    notify_barrier();
    // Beginning with another channel each time, and one chunk of each: they share the buffers.
    const size_t active = active_.size();
    for (size_t turn = 0; turn < active; ++turn) {
        Channel& channel = *active_[(next_active_ + turn) % active];
        post_tasks(channel);
    }
    next_active_ = active > 0 ? (next_active_ + 1) % active : 0;
    std::erase_if(active_, [](Channel* channel) {
        channel->is_active = channel->first_task != nullptr;
        return !channel->is_active;
    });
    std::erase_if(credits_due_, [&](const Credit& credit) { return try_credit(credit); });
    std::erase_if(releases_due_, [&](Channel* channel) { return release_recv_buffers(*channel); });
    return moved_;
}

Origin::Load Origin::load() const {
    Load load;
    load.tasks = task_count_;
    load.buffer_bytes = static_cast<int64_t>(buffers_.manager().used_bytes());
    load.frame_bytes = static_cast<int64_t>(small_frames_.manager().used_bytes());
    load.requests = static_cast<int64_t>(requests_.used_count());
    load.reply_buffers = static_cast<int64_t>(reply_buffers_.used_count());
    load.credits = static_cast<int64_t>(credits_due_.size());
    load.reserved_bytes = receive_reserved_;
    load.posts = static_cast<int64_t>(endpoint_.outstanding());
    return load;
}

void Origin::sleep(std::chrono::nanoseconds longest, int other) const {
    const base::TraceSpan span(base::kTraceAsleep);
    pollfd events[] = {{endpoint_.wait_fd(), POLLIN, 0}, {other, POLLIN, 0}};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(longest);
    const timespec time{seconds.count(), (longest - seconds).count()};
    ::ppoll(events, other >= 0 ? 2 : 1, &time, nullptr);
}

// --- Ordering and fences -------------------------------------------------------------------------

// Sends a frame whose acknowledgement covers everything posted so far, unless one that covers
// `needed` is on its way; whoever waits for it calls this again when there is no room now.
void Origin::ask_acknowledge(Channel& channel, uint64_t needed) {
    if (channel.asked_frame >= needed) {
        return;
    }
    OutFrame* frame = new_frame(wire::FrameKind::fence, sizeof(wire::FrameHeader));
    if (frame == nullptr) {
        return;
    }
    frame->header()->flags |= wire::kAcknowledgeNow;
    if (!send(channel, frame, nullptr, Effect::none)) {
        discard(frame);
    }
}

bool Origin::may_write(Channel& channel) {
    if (channel.mutations_pending()) {
        ask_acknowledge(channel, channel.last_effect());
        return false;
    }
    return true;
}

bool Origin::may_read(Channel& channel) {
    const bool writes_in_the_way = ordering_.ordered_writes && !ordering_.reads_after_writes &&
                                   channel.write_mark > channel.acknowledged_frames;
    if (channel.mutations_pending() || writes_in_the_way) {
        ask_acknowledge(channel, channel.last_effect());
        return false;
    }
    return true;
}

bool Origin::have_ended(uint64_t last) {
    const auto has_ended = [last](const Channel* channel) {
        return channel->oldest_task == nullptr || channel->oldest_task->number_ > last;
    };
    while (!busy_.empty() && busy_.back()->oldest_task == nullptr) {
        busy_.back()->is_busy = false;
        busy_.pop_back();
    }
    // The last one is asked first: mostly it has not.
    return std::all_of(busy_.rbegin(), busy_.rend(), has_ended);
}

bool Origin::have_ended(uint64_t last, int node) const {
    const int first = options_.servers.first_of(node);
    return std::all_of(&channels_[first], &channels_[first] + options_.servers.per_node,
                       [last](const auto& channel) {
                           return !channel || channel->oldest_task == nullptr ||
                                  channel->oldest_task->number_ > last;
                       });
}

// Of the delivered kind. (A blocking write has arrived when it ends.)
bool Origin::writes_have_arrived(uint64_t last, const Channel& channel) const {
    if (channel.first_task == nullptr && channel.writes_in_flight == 0) {
        return true;
    }
    for (const Task* task = channel.oldest_task; task != nullptr && task->number_ <= last;
         task = task->newer_) {
        if (!task->posted_ || task->writes_in_flight_ > 0) {
            return false;
        }
    }
    return true;
}

bool Origin::fenced_gets_have_ended(uint64_t last, const Channel& channel) {
    if (channel.fenced_gets == 0) {
        return true;
    }
    const Task* task = channel.oldest_task;
    while (task != nullptr && task->number_ <= last && !task->fences_wait_) {
        task = task->newer_;
    }
    return task == nullptr || task->number_ > last;
}

// False when there is nothing to wait for.
bool Origin::add_fence_point(Channel& channel, Fence* fence) const {
    channel.note_fence();
    const bool has_tasks = channel.first_task != nullptr;
    if (!has_tasks && channel.batch == nullptr && !channel.remote_work_pending() &&
        channel.fenced_gets == 0) {
        return false;
    }
    FencePoint point;
    point.channel = &channel;
    point.frame = channel.last_effect();
    point.last_task = has_tasks ? channel.last_task->number_ : 0;
    point.has_batch = !has_tasks && channel.batch != nullptr;  // else it leaves before the tasks
    point.last_writer = ordering_.ordered_writes ? 0 : last_submitted_;
    point.last_get = channel.fenced_gets > 0 ? last_submitted_ : 0;
    fence->push_back(point);
    return true;
}

// If not, it has been seen to that it will be.
bool Origin::is_acknowledged(FencePoint* point) {
    Channel& channel = *point->channel;
    if (point->last_task != 0) {
        if (channel.first_task != nullptr && channel.first_task->number_ <= point->last_task) {
            return false;
        }
        point->last_task = 0;
        point->frame = channel.last_effect();
    }
    if (point->has_batch) {
        if (channel.batch != nullptr) {
            channel.batch->header()->flags |= wire::kAcknowledgeNow;
        }
        if (!flush_batch(channel)) {
            return false;
        }
        point->has_batch = false;
        point->frame = std::max(point->frame, channel.last_mutation);
    }
    if (channel.acknowledged_frames < point->frame) {
        ask_acknowledge(channel, point->frame);
        return false;
    }
    return (point->last_writer == 0 || writes_have_arrived(point->last_writer, channel)) &&
           (point->last_get == 0 || fenced_gets_have_ended(point->last_get, channel));
}

Origin::Fence Origin::start_fence(int node) {
    Fence fence;
    const int first = options_.servers.first_of(node);
    for (int server = first; server < first + options_.servers.per_node; ++server) {
        if (Channel* channel = channels_[server].get()) {
            add_fence_point(*channel, &fence);
        }
    }
    stats_->fences += fence.empty() ? 0 : 1;
    return fence;
}

Origin::Fence Origin::start_fence_all() {
    Fence fence;
    std::erase_if(dirty_, [&](Channel* channel) {
        channel->is_dirty = add_fence_point(*channel, &fence);
        return !channel->is_dirty;
    });
    // Channels whose tasks have not posted anything yet are not dirty, but active.
    for (Channel* channel : active_) {
        if (!channel->is_dirty) {
            add_fence_point(*channel, &fence);
        }
    }
    // Those with nothing but gets under way are neither.
    std::erase_if(busy_, [&](Channel* channel) {
        if (channel->fenced_gets > 0 && !channel->is_dirty && !channel->is_active) {
            add_fence_point(*channel, &fence);
        }
        channel->is_busy = channel->oldest_task != nullptr;
        return !channel->is_busy;
    });
    stats_->fences += fence.empty() ? 0 : 1;
    return fence;
}

bool Origin::is_done(Fence* fence) {
    // All servers are asked before any answer is waited for.
    std::erase_if(*fence, [&](FencePoint& point) { return is_acknowledged(&point); });
    return fence->empty();
}

// --- Requests and answers ------------------------------------------------------------------------

uint64_t Origin::register_request(Task* task, int tag) {
    const uint32_t slot = requests_.take();
    requests_[slot] = {task, tag};
    return requests_.name_of(slot);  // never 0, which means "no answer expected"
}

void Origin::release_request(uint64_t request_id) {
    if (requests_.find(request_id) != nullptr) {
        requests_.release(static_cast<uint32_t>(request_id));
    }
}

void Origin::on_frame(void* context, const void* frame, size_t frame_bytes) {
    static_cast<Origin*>(context)->handle_frame(frame, frame_bytes);
}

void Origin::handle_frame(const void* frame, size_t frame_bytes) {
    wire::FrameHeader header;
    const bool is_frame = wire::decode_header(frame, frame_bytes, &header);
    if (is_frame && header.kind == wire::FrameKind::barrier) {
        take_barrier_message(header);
        return;
    }
    if (!is_frame || header.rank < 0 || header.rank >= options_.servers.count() ||
        !channels_[header.rank]) {
        ARMCI_LOG_WARN("ignored a message of %zu bytes that is no answer from a data server",
                       frame_bytes);
        return;
    }
    Channel& channel = *channels_[header.rank];
    channel.record_answer(header.sequence, header.flow);
    switch (header.kind) {
        case wire::FrameKind::acknowledge:
            return;
        case wire::FrameKind::grant:
            take_grant(channel, frame, frame_bytes);
            return;
        case wire::FrameKind::failed:
            report_failure(header, frame, frame_bytes);
        case wire::FrameKind::data:
        case wire::FrameKind::value:
        case wire::FrameKind::granted:
        case wire::FrameKind::segment:
        case wire::FrameKind::attached: {
            Request* request = requests_.find(header.request_id);
            if (request == nullptr) {
                base::fatal(nullptr, "%s answered a request (%s) that this rank did not make",
                            name_of(header.rank).c_str(), wire::name_of(header.kind));
            }
            Task* task = request->task;
            task->on_answer(*this, header, frame, request->tag);
            finish_if_complete(task);
            return;
        }
        default:
            base::fatal(nullptr, "%s sent a frame of kind %s", name_of(header.rank).c_str(),
                        wire::name_of(header.kind));
    }
}

void Origin::report_failure(const wire::FrameHeader& header, const void* frame,
                            size_t frame_bytes) {
    wire::FailedBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        base::fatal(nullptr, "%s reported a failure", name_of(header.rank).c_str());
    }
    const Request* request = requests_.find(header.request_id);
    const std::string owner = body.rank >= 0 ? " of rank " + std::to_string(body.rank) : "";
    base::fatal(
        request != nullptr ? request->task->function() : nullptr,
        "%s refused a %s request for %llu bytes at 0x%llx%s: %s", name_of(header.rank).c_str(),
        wire::name_of(static_cast<wire::FrameKind>(body.request_kind)),
        static_cast<unsigned long long>(body.bytes), static_cast<unsigned long long>(body.address),
        owner.c_str(), wire::describe(body.failure));
}

}  // namespace armci::pipeline
