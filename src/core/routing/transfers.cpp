// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/transfers.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "armci/armci.h"
#include "base/trace.h"
#include "core/job/observed_calls.h"
#include "core/progress/thread_stats.h"
#include "core/routing/local_route.h"
#include "core/sync/fences.h"
#include "pipeline/origin/accumulate_task.h"
#include "pipeline/origin/get_by_put_task.h"
#include "pipeline/origin/get_task.h"
#include "pipeline/origin/put_task.h"
#include "pipeline/origin/request_task.h"
#include "pipeline/origin/rma_task.h"
#include "pipeline/origin/small_task.h"

namespace armci::core {
namespace {

using base::OpKind;
using base::Route;
using pipeline::RemotePlace;
using pipeline::Transfer;

std::unique_ptr<pipeline::Task> make_task(const RouteDecision& decision, Transfer&& transfer) {
    if (decision.reason == RouteReason::slow_reads) {
        return std::make_unique<pipeline::GetByPutTask>(std::move(transfer));
    }
    if (decision.route == Route::rma) {
        return std::make_unique<pipeline::RmaTask>(std::move(transfer));
    }
    switch (transfer.op) {
        case OpKind::get:
            return std::make_unique<pipeline::GetTask>(std::move(transfer));
        case OpKind::acc:
            return std::make_unique<pipeline::AccumulateTask>(std::move(transfer));
        case OpKind::put:
            break;
    }
    return std::make_unique<pipeline::PutTask>(std::move(transfer));
}

// A non-blocking operation's task is on the heap; this is called once, when it is complete. The
// context is the handle that counts it, if any.
void finish(pipeline::Task* task, void* counted) {
    if (counted != nullptr) {
        Handles::end_by(counted);
    }
    delete task;
}

// Shorter copies would leave no room for anything else in the timeline.
constexpr int64_t kShortestCopyNs = 1000;

void trace_copy(const Transfer& transfer, int64_t begin_ns) {
    const int64_t end_ns = base::now_ns();
    if (end_ns - begin_ns >= kShortestCopyNs) {
        base::record({.kind = &base::kTraceCopy,
                      .name = name_of_copy(transfer.op),
                      .begin_ns = begin_ns,
                      .end_ns = end_ns,
                      .bytes = transfer.total_bytes,
                      .rank = transfer.target});
    }
}

// If more operations than this are under way, a new one waits until others are complete. Memory for
// them is bounded, and the caller sees no limit.
constexpr int64_t kMaxTasks = 4096;

// Small operations that wait for room fill frames better when several are there, and each costs
// less than a poll.
constexpr uint32_t kSmallTasksPerPoll = 8;

}  // namespace

RouteDecision Transfers::choose_route(const Transfer& transfer, Blocking blocking) {
    RouteQuestion question;
    question.op = transfer.op;
    question.target = transfer.target;
    question.shape = {transfer.total_bytes, transfer.sides.block_bytes()};
    question.is_blocking = blocking == Blocking::yes;
    question.is_registered = transfer.place.is_registered;
    question.server = transfer.place.server;
    question.is_fenced =
        transfer.op == OpKind::put && question.is_blocking &&
        context_.progress.network()->origin.fences().message_will_follow(question.server);
    question.may_be_copied =
        question.is_fenced && question.shape.block_bytes == question.shape.total_bytes &&
        context_.progress.network()->origin.may_write_copy(question.server, transfer.total_bytes);
    question.last_took_rma = last_took_rma_;
    RouteDecision decision = core::choose_route(context_.progress, question);
    if (decision.reason == RouteReason::alternating) {
        last_took_rma_ = decision.route == Route::rma;
    }
    if (decision.reason == RouteReason::long_blocks ||
        decision.reason == RouteReason::short_blocks) {
        CostLearning& learning = context_.progress.network()->learning;
        const int64_t limit = learning.model(link_to(context_.progress, transfer.target))
                                  .min_rma_block(transfer.op, transfer.total_bytes);
        if (learning.wants_trial(question.shape, limit, context_.progress.network()->origin,
                                 question.server)) {
            decision.route = decision.route == Route::rma ? Route::server : Route::rma;
        }
    }
    decision.is_copied = decision.route == Route::rma && question.may_be_copied;
    return decision;
}

template <class TaskType>
void Transfers::run_task(Transfer&& transfer) {
    const WaitCause cause{transfer.function, "completion at rank", transfer.target};
    const int server = transfer.place.server;
    TaskType task(std::move(transfer));
    context_.progress.run_task(task, server, cause);
}

// Measures the call, if it is one from which the network's costs are learned.
class Transfers::Measured {
  public:
    Measured(Transfers& transfers, const Transfer& transfer, const RouteDecision& decision)
        : transfers_(transfers) {
        if (transfer.total_bytes < CostLearning::kMinBytes ||
            decision.reason == RouteReason::slow_reads ||
            decision.reason == RouteReason::fence_follows || decision.is_copied ||
            transfers.context_.progress.threads().has_others()) {
            return;
        }
        learning_ = &transfers.context_.progress.network()->learning;
        learning_->begin_call({.server = transfer.place.server,
                               .link = link_to(transfers.context_.progress, transfer.target),
                               .op = transfer.op,
                               .route = decision.route,
                               .shape = {transfer.total_bytes, transfer.sides.block_bytes()}},
                              transfers.context_.progress.network()->origin,
                              transfers.context_.stats);
    }
    Measured(const Measured&) = delete;
    Measured& operator=(const Measured&) = delete;
    ~Measured() {
        if (learning_ != nullptr) {
            learning_->end_call(transfers_.context_.progress.network()->origin,
                                transfers_.context_.stats);
        }
    }

  private:
    Transfers& transfers_;
    CostLearning* learning_ = nullptr;
};

// Copies a small transfer into a frame that several of them share. `end` is that of a get. Returns
// false when the transfer is not small enough, or there is no room now.
bool Transfers::append_small(const Transfer& transfer, pipeline::Batches::Leaving leaving,
                             const pipeline::GetEnd& end) {
    Network& network = *context_.progress.network();
    if (!network.costs.can_share({transfer.total_bytes, transfer.sides.block_bytes()})) {
        return false;
    }
    pipeline::Origin& origin = network.origin;
    return origin.append(origin.channel(transfer.place.server),
                         pipeline::SmallBlocks(transfer, end).transfer(), leaving);
}

// Returns the task of a non-blocking operation.
std::unique_ptr<pipeline::Task> Transfers::make_task(const RouteDecision& decision,
                                                     Transfer&& transfer) const {
    Network& network = *context_.progress.network();
    // One that has none to share a frame with has a frame of its own.
    const pipeline::Channel* channel = network.origin.channels().find(transfer.place.server);
    const bool others_wait = channel != nullptr && channel->tasks.first != nullptr;
    if (decision.route == Route::server && others_wait &&
        network.costs.can_share({transfer.total_bytes, transfer.sides.block_bytes()}) &&
        network.origin.batches().may_wait(pipeline::SmallBlocks(transfer).transfer())) {
        return std::make_unique<pipeline::SmallTask>(std::move(transfer));
    }
    return core::make_task(decision, std::move(transfer));
}

// Copies a put of one block that a fence is likely to follow, and writes the copy. Returns false if
// there is no room now.
bool Transfers::write_copy(const Transfer& transfer) {
    pipeline::Origin& origin = context_.progress.network()->origin;
    pipeline::Channel& channel = origin.channel(transfer.place.server);
    bool is_written = false;
    transfer.sides.for_each_block([&](char* local, char* remote, int64_t bytes) {
        const RemotePlace& place = transfer.place_of(0);
        is_written = origin.write_copy(
            channel, {local, static_cast<size_t>(bytes),
                      pipeline::remote_memory(place, reinterpret_cast<uint64_t>(remote))});
    });
    return is_written;
}

// A blocking transfer need not wait for its completion, but leaves before the call returns.
bool Transfers::send_small(const Transfer& transfer) {
    if (!append_small(transfer, pipeline::Batches::Leaving::by_caller)) {
        return false;
    }
    const int server = transfer.place.server;
    pipeline::Origin& origin = context_.progress.network()->origin;
    const uint64_t last = origin.batches().last();
    origin.batches().flush_blocking(server);
    if (!origin.batches().has_left(server, last)) {
        context_.progress.wait_for_network(
            {transfer.function, "small operations to leave for rank", transfer.target}, [&] {
                origin.batches().flush_all();
                return origin.batches().has_left(server, last);
            });
    }
    return true;
}

// Counts an operation inside the node, with or without the API lock.
void Transfers::count_local(const Transfer& transfer) {
    if (context_.progress.threads().is_multiple()) {
        count_by_thread(transfer.op, transfer.total_bytes);
    } else {
        context_.stats.count(transfer.op, Route::local, transfer.total_bytes);
    }
}

// Counts an operation between nodes.
void Transfers::count(const Transfer& transfer, Route route) {
    context_.stats.count(transfer.op, route, transfer.total_bytes);
    if (observes_calls()) [[unlikely]] {
        note_transfer(transfer.target, transfer.total_bytes, route);
    }
}

void Transfers::run_locally(const Transfer& transfer) {
    count_local(transfer);
    const int64_t begin_ns = base::trace_ns();
    run_local(context_.node.heap, context_.attached, transfer);
    if (begin_ns != 0) [[unlikely]] {
        trace_copy(transfer, begin_ns);
    }
}

void Transfers::run_remotely(Transfer&& transfer) {
    const RouteDecision decision = choose_route(transfer, Blocking::yes);
    const Route route = decision.route;
    count(transfer, route);
    const OpKind op = transfer.op;
    const int target = transfer.target;
    const Measured measured(*this, transfer, decision);
    if (decision.reason == RouteReason::slow_reads) {
        run_task<pipeline::GetByPutTask>(std::move(transfer));
    } else if (route == Route::rma) {
        if (!decision.is_copied || !write_copy(transfer)) {
            run_task<pipeline::RmaTask>(std::move(transfer));
        }
    } else if (op == OpKind::get) {
        run_task<pipeline::GetTask>(std::move(transfer));
    } else if (!send_small(transfer)) {
        if (op == OpKind::put) {
            run_task<pipeline::PutTask>(std::move(transfer));
        } else {
            run_task<pipeline::AccumulateTask>(std::move(transfer));
        }
    }
    if (op != OpKind::get && context_.progress.config().no_flush_local) {
        fence(context_.progress, target);
    }
}

void Transfers::start_remotely(Transfer&& transfer, armci_hdl_s* handle) {
    const RouteDecision decision = choose_route(transfer, Blocking::no);
    const Route route = decision.route;
    count(transfer, route);
    const Measured measured(*this, transfer, decision);
    pipeline::Origin& origin = context_.progress.network()->origin;
    const int server = transfer.place.server;
    const bool is_get = transfer.op == OpKind::get;
    constexpr auto kWhenDue = pipeline::Batches::Leaving::when_due;
    if (!is_get && route == Route::server && append_small(transfer, kWhenDue)) {
        if (handle != nullptr) {
            context_.completion.set_idle_unless_active(handle);
        }
        return;
    }
    void* const counted =
        handle != nullptr ? context_.handles.pointer_to(context_.handles.begin(handle)) : nullptr;
    if (is_get && route == Route::server &&
        append_small(transfer, kWhenDue,
                     {counted != nullptr ? Handles::end_by : nullptr, counted})) {
        return;
    }
    if (origin.tasks().count() >= kMaxTasks) {
        context_.progress.wait_for_network({transfer.function, "earlier operations to end"},
                                           [&] { return origin.tasks().count() < kMaxTasks; });
    }
    // Chunks are mostly packed or sent before the call ends; gets unpack later, RMA is posted
    // later.
    if (is_get || route == Route::rma) {
        transfer.sides.own();
    }
    pipeline::Task* task = make_task(decision, std::move(transfer)).release();
    task->call_when_complete(finish, counted);
    if (is_get && counted == nullptr) {
        task->let_fences_wait();
    }
    const bool joins_batch = task->joins_batch();
    origin.submit(*task, origin.channel(server));
    if (!context_.progress.config().explicit_nb_progress) {
        return;
    }
    if (joins_batch) {
        poll_for_small_tasks();
    } else {
        origin.progress();
    }
}

// Is called when one more small operation waits behind others.
void Transfers::poll_for_small_tasks() {
    pipeline::Origin& origin = context_.progress.network()->origin;
    const int64_t now_ns = base::now_ns();
    const bool is_isolated =
        now_ns - std::exchange(last_small_task_ns_, now_ns) > pipeline::Batches::kIsolatedNs;
    if (is_isolated || ++small_tasks_ % kSmallTasksPerPoll == 0) {
        origin.progress();
    }
    if (is_isolated) {
        origin.batches().flush_all();  // progress() has only appended to them
    }
}

void Transfers::carry_out(Transfer&& transfer) {
    if (context_.progress.world().on_my_node(transfer.target)) {
        run_locally(transfer);
        return;
    }
    const Threads::Use use(context_.progress.threads());
    run_remotely(std::move(transfer));
}

void Transfers::carry_out_nonblocking(Transfer&& transfer, armci_hdl_s* handle) {
    if (!context_.progress.world().on_my_node(transfer.target)) {
        const Threads::Use use(context_.progress.threads());
        start_remotely(std::move(transfer), handle);
        return;
    }
    if (context_.progress.copies().take(transfer, handle)) {
        count_local(transfer);
        return;
    }
    run_locally(transfer);
    if (handle != nullptr) {
        context_.completion.set_idle_unless_active(handle);
    }
}

void Transfers::run_blocking(Transfer&& transfer) {
    if (context_.checking.is_on()) [[unlikely]] {
        context_.checking->before_transfer(transfer);
    }
    carry_out(std::move(transfer));
}

void Transfers::run_nonblocking(Transfer&& transfer, armci_hdl_s* handle) {
    if (context_.checking.is_on()) [[unlikely]] {
        context_.checking->start_nonblocking(std::move(transfer), handle);
        return;
    }
    carry_out_nonblocking(std::move(transfer), handle);
}

void Transfers::run_behind_all(pipeline::Task& task, int server, const WaitCause& cause) {
    pipeline::Origin& origin = context_.progress.network()->origin;
    const uint64_t last = origin.tasks().last_submitted();
    context_.progress.wait_for_network(
        cause, [&] { return origin.fences().writes_are_ordered_or_done(last, server); });
    context_.progress.run_task(task, server, cause);
}

void Transfers::store_flag(const char* function, int* flag, int value, int target,
                           const RemotePlace& place) {
    context_.checking->close_writes(target);
    if (context_.progress.world().on_my_node(target)) {
        if (place.owner != wire::kGlobal && target != context_.progress.world().rank) {
            context_.attached.store(function, flag, value, place.owner);
            return;
        }
        __atomic_store_n(flag, value, __ATOMIC_RELEASE);
        return;
    }
    const auto address = reinterpret_cast<uint64_t>(flag);
    pipeline::RequestTask task(function, wire::FrameKind::store,
                               wire::StoreBody{address, value, place.owner},
                               pipeline::RequestTask::Answer::none);
    run_behind_all(task, place.server, {function, "a flag to be sent to rank", target});
}

int64_t Transfers::read_modify_write(const char* function, node::WordOperation operation,
                                     void* address, int64_t operand, int target,
                                     const RemotePlace& place) {
    if (context_.progress.threads().is_multiple()) {
        count_rmw_by_thread();
    } else {
        ++context_.stats.rmw;
    }
    context_.checking->close_writes(target);
    if (context_.progress.world().on_my_node(target)) {
        return place.owner == wire::kGlobal
                   ? node::read_modify_write(operation, address, operand)
                   : context_.attached.read_modify_write(function, operation, address, operand,
                                                         place.owner);
    }
    const auto remote = reinterpret_cast<uint64_t>(address);
    pipeline::RequestTask task(
        function, wire::FrameKind::rmw,
        wire::RmwBody{remote, operand, static_cast<uint32_t>(operation), place.owner},
        pipeline::RequestTask::Answer::expected);
    context_.progress.run_task(task, place.server, {function, "the word of rank", target});
    return task.value();
}

}  // namespace armci::core
