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
                origin.channels().name_of(header.rank).c_str());
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
    channels_.open(domain, options, environment);
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
    leaving_batches_.clear();
    reply_buffers_.clear();
    channels_.close();
    rma_operations_.clear();
    barrier_ = {};
    barrier_partners_.clear();
    reached_nodes_.clear();
    barrier_sends_ = 0;
}

// --- Tasks ---------------------------------------------------------------------------------------

void Origin::submit(Task& task, Channel& channel) {
    tasks_.begin(task, channel);
    if (channel.node_order != nullptr) {
        follow_other_servers(channel);
    }
    if (channel.first_task == nullptr && may_post(channel) && task.post(*this)) {
        task.note_posted();
        tasks_.finish_if_complete(&task);
        return;
    }
    if (!task.is_blocking()) {
        task.keep_arguments();
    }
    if (channel.last_task != nullptr) {
        channel.last_task->links().next = &task;
    } else {
        channel.first_task = &task;
    }
    channel.last_task = &task;
    lists().active.add(channel);
}

// Posts the channel's tasks in order, as far as they can be now.
void Origin::post_tasks(Channel& channel) {
    while (Task* task = channel.first_task) {
        if (!may_post(channel) || !task->post(*this)) {
            return;
        }
        channel.first_task = task->links().next;
        if (channel.first_task == nullptr) {
            channel.last_task = nullptr;
        }
        task->note_posted();
        moved_ = true;
        tasks_.finish_if_complete(task);
    }
}

// Whether no server has anything to tell that somebody here waits for.
bool Origin::expects_nothing() {
    if (tasks_.count() != 0 || !barrier_.is_complete() || endpoint_.outstanding() != 0 ||
        !lists().batching.empty() || !credits_due_.empty() || !lists().release_due.empty()) {
        return false;
    }
    // A fence that has been waited for leaves its channels in the list.
    lists().dirty.trim([](const Channel& channel) {
        return channel.is_unfenced || channel.remote_work_pending();
    });
    return lists().dirty.empty();
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
    auto& active = lists().active;
    const size_t count = active.size();
    for (size_t turn = 0; turn < count; ++turn) {
        post_tasks(active[(next_active_ + turn) % count]);
    }
    next_active_ = count > 0 ? (next_active_ + 1) % count : 0;
    active.keep_if([](const Channel& channel) { return channel.first_task != nullptr; });
    std::erase_if(credits_due_, [&](const Credit& credit) { return try_credit(credit); });
    lists().release_due.keep_if([&](Channel& channel) { return !release_recv_buffers(channel); });
    return moved_;
}

Origin::Load Origin::load() const {
    Load load;
    load.tasks = tasks_.count();
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
    point.last_task = has_tasks ? channel.last_task->number() : 0;
    point.has_batch = !has_tasks && channel.batch != nullptr;  // else it leaves before the tasks
    point.last_writer = ordering_.ordered_writes ? 0 : tasks_.last_submitted();
    point.last_get = channel.fenced_gets > 0 ? tasks_.last_submitted() : 0;
    fence->push_back(point);
    return true;
}

// If not, it has been seen to that it will be.
bool Origin::is_acknowledged(FencePoint* point) {
    Channel& channel = *point->channel;
    if (point->last_task != 0) {
        if (channel.first_task != nullptr && channel.first_task->number() <= point->last_task) {
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
    return (point->last_writer == 0 ||
            PendingTasks::writes_have_arrived(point->last_writer, channel)) &&
           (point->last_get == 0 || PendingTasks::fenced_gets_have_ended(point->last_get, channel));
}

Origin::Fence Origin::start_fence(int node) {
    Fence fence;
    for (const auto& channel : channels_.of_node(node)) {
        if (channel) {
            add_fence_point(*channel, &fence);
        }
    }
    stats_->fences += fence.empty() ? 0 : 1;
    return fence;
}

Origin::Fence Origin::start_fence_all() {
    Fence fence;
    lists().dirty.keep_if([&](Channel& channel) { return add_fence_point(channel, &fence); });
    // Channels whose tasks have not posted anything yet are not dirty, but active.
    for (Channel* channel : lists().active) {
        if (!channel->is_dirty) {
            add_fence_point(*channel, &fence);
        }
    }
    // Those with nothing but gets under way are neither.
    lists().busy.keep_if([&](Channel& channel) {
        if (channel.fenced_gets > 0 && !channel.is_dirty && !channel.is_active) {
            add_fence_point(channel, &fence);
        }
        return channel.oldest_task != nullptr;
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
        channels_.find(header.rank) == nullptr) {
        ARMCI_LOG_WARN("ignored a message of %zu bytes that is no answer from a data server",
                       frame_bytes);
        return;
    }
    Channel& channel = *channels_.find(header.rank);
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
                            channels_.name_of(header.rank).c_str(), wire::name_of(header.kind));
            }
            Task* task = request->task;
            task->on_answer(*this, header, frame, request->tag);
            tasks_.finish_if_complete(task);
            return;
        }
        default:
            base::fatal(nullptr, "%s sent a frame of kind %s",
                        channels_.name_of(header.rank).c_str(), wire::name_of(header.kind));
    }
}

void Origin::report_failure(const wire::FrameHeader& header, const void* frame,
                            size_t frame_bytes) {
    wire::FailedBody body;
    if (!wire::decode_body(frame, frame_bytes, &body)) {
        base::fatal(nullptr, "%s reported a failure", channels_.name_of(header.rank).c_str());
    }
    const Request* request = requests_.find(header.request_id);
    const std::string owner = body.rank >= 0 ? " of rank " + std::to_string(body.rank) : "";
    base::fatal(request != nullptr ? request->task->function() : nullptr,
                "%s refused a %s request for %llu bytes at 0x%llx%s: %s",
                channels_.name_of(header.rank).c_str(),
                wire::name_of(static_cast<wire::FrameKind>(body.request_kind)),
                static_cast<unsigned long long>(body.bytes),
                static_cast<unsigned long long>(body.address), owner.c_str(),
                wire::describe(body.failure));
}

}  // namespace armci::pipeline
