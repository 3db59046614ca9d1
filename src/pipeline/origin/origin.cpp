// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/origin.h"

#include <poll.h>

#include "base/log.h"
#include "base/trace.h"
#include "pipeline/buffers/chunk_sizes.h"

namespace armci::pipeline {
namespace {

// Returns the limit for messages. Longer frames are written into reply buffers where that is
// possible.
size_t largest_received_bytes(const OriginOptions& options) {
    return options.write_chunks ? kLargestMessagePiece : options.buffer_bytes;
}

}  // namespace

bool Origin::open(fabric::Domain& domain, const OriginOptions& options,
                  const OriginEnvironment& environment, base::Stats* stats, std::string* error) {
    if (!open_endpoint(domain, options, environment, error) ||
        !open_buffers(domain, options, error) || !frames_.open(domain, options, stats, error)) {
        return false;
    }
    if (!receiver_.open(domain, endpoint_, options.receive_bytes, largest_received_bytes(options),
                        error)) {
        return false;
    }
    Ordering ordering;
    ordering.ordered_writes = options.use_ordering && domain.orders_writes();
    ordering.reads_after_writes = ordering.ordered_writes && domain.orders_reads_after_writes();
    if (options.has_answer_slots && domain.shows_writes()) {
        slots_.open(domain, endpoint_);
    }
    channels_.open(domain, options, environment);
    credits_.open(options);
    rma_.open(domain, options, ordering.ordered_writes);
    fences_.open(ordering, stats);
    services_.stats = stats;
    barriers_.open(domain);
    report_.open(domain);
    return true;
}

bool Origin::open_endpoint(fabric::Domain& domain, const OriginOptions& options,
                           const OriginEnvironment& environment, std::string* error) {
    fabric::Endpoint::Options endpoint_options;
    endpoint_options.receive_entries = ReceivePool::completion_count(options.receive_bytes);
    endpoint_options.largest_message_bytes = largest_received_bytes(options);
    endpoint_options.describe_peer = environment.describe_node;
    endpoint_options.ask_peer = environment.ask_node;
    endpoint_options.describe_context = environment.context;
    endpoint_options.on_immediate = FrameReceiver::on_written;
    endpoint_options.immediate_context = &receiver_;
    endpoint_options.immediate_entries =
        options.write_chunks ? options.buffer_count * wire::kMaxReplyBuffers : 0;
    return endpoint_.open(domain, endpoint_options, error);
}

// With granted receive buffers, servers write into these buffers, too. Where that is refused, the
// data of gets comes as messages.
bool Origin::open_buffers(fabric::Domain& domain, const OriginOptions& options,
                          std::string* error) {
    const bool are_written =
        options.write_chunks && buffers_.open(options.buffer_count, options.buffer_bytes, domain,
                                              endpoint_.on_rails(), fabric::Access::remote, error);
    replies_.open(are_written, !domain.rails().empty(), domain.further_key_count());
    if (are_written) {
        return true;
    }
    if (options.write_chunks) {
        ARMCI_LOG_WARN(
            "the pipeline's buffers cannot be registered for others to write into (%s); the data "
            "of gets comes in messages, which is slower. Raising the limit on locked memory "
            "(ulimit -l) may help",
            error->c_str());
    }
    return buffers_.open(options.buffer_count, options.buffer_bytes, domain, endpoint_.on_rails(),
                         fabric::Access::local, error);
}

// The provider may take writes from the network here, and then nothing wakes a sleeper.
bool Origin::may_sleep() {
    if (!can_sleep() || !endpoint_.may_sleep()) {
        return false;
    }
    const bool has_taken = receiver_.take_answers();
    turn_.has_taken |= has_taken;
    return !has_taken;
}

void Origin::close() {
    slots_.close();
    buffers_.deregister();  // some providers bind memory that others may write into to the endpoint
    endpoint_.close();
    receiver_.close();
    buffers_.close();
    frames_.close();
    batches_.close();
    replies_.close();
    channels_.close();
    rma_.close();
    barriers_.close();
    report_.close();
}

bool Origin::append(Channel& channel, const SmallTransfer& transfer, Batches::Leaving leaving) {
    if (channel.tasks.first != nullptr) {
        return false;  // it would overtake the queued tasks
    }
    return batches_.append(channel, transfer, leaving);
}

bool Origin::write_copy(Channel& channel, const fabric::RmaBlock& block) {
    if (!rma_.write_copy(channel, block)) {
        return false;
    }
    channel.fence_habit.fence_follows();
    return true;
}

bool Origin::has_posts_to_repeat() const {
    const ChannelLists& lists = channels_.lists();
    return !lists.active.empty() || !lists.batching.empty() || !lists.release_due.empty() ||
           credits_.due_count() > 0 || barriers_.has_to_notify() || fences_.has_to_repeat() ||
           receiver_.receives().has_unposted();
}

// Returns whether this rank waits for nothing that a server could send.
bool Origin::expects_nothing() {
    ChannelLists& lists = channels_.lists();
    if (tasks_.count() != 0 || !barriers_.none_under_way() || endpoint_.outstanding() != 0 ||
        !lists.batching.empty() || credits_.due_count() > 0 || !lists.release_due.empty()) {
        return false;
    }
    // A fence that has been waited for leaves its channels in the list.
    lists.dirty.trim([](const Channel& channel) {
        return channel.fence_habit.is_unfenced() || channel.remote_work_pending();
    });
    return lists.dirty.empty();
}

bool Origin::progress() {
    // A rank that expects nothing itself but serves requests while it waits polls only once in so
    // many turns, because most polls would be without success.
    constexpr uint32_t kIdleTurns = 8;
    receiver_.receives().retry_posts();
    batches_.flush_all();
    const bool polls = !expects_nothing() || ++idle_turns_ % kIdleTurns == 0;
    turn_.moved = turn_.has_taken;
    turn_.moved |= polls && endpoint_.poll() > 0;
    turn_.moved |= receiver_.take_answers();
    barriers_.notify();
    queue_.post_all();
    credits_.send_due();
    grants_.release_due();
    turn_.has_taken = false;
    return turn_.moved;
}

Origin::Load Origin::load() const {
    Load load;
    load.tasks = tasks_.count();
    load.buffer_bytes = static_cast<int64_t>(buffers_.manager().used_bytes());
    load.frame_bytes = static_cast<int64_t>(frames_.used_bytes());
    load.requests = static_cast<int64_t>(requests_.count());
    load.reply_buffers = static_cast<int64_t>(replies_.count());
    load.credits = static_cast<int64_t>(credits_.due_count());
    load.reserved_bytes = credits_.reserved_bytes();
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

}  // namespace armci::pipeline
