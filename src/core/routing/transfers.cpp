// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/transfers.h"

#include <algorithm>

#include "armci/armci.h"
#include "core/job/tracing.h"
#include "core/progress/thread_stats.h"
#include "core/routing/local_route.h"
#include "core/sync/sync.h"
#include "pipeline/origin/accumulate_task.h"
#include "pipeline/origin/get_task.h"
#include "pipeline/origin/put_task.h"
#include "pipeline/origin/request_task.h"
#include "pipeline/origin/rma_task.h"

namespace armci::core {
namespace {

using base::OpKind;
using base::Route;
using pipeline::Transfer;

bool is_small(const Transfer& transfer) {
    return transfer.op != OpKind::get &&
           transfer.total_bytes <= static_cast<int64_t>(pipeline::Batches::kLargestAppended);
}

std::unique_ptr<pipeline::Task> make_task(Route route, Transfer&& transfer) {
    if (route == Route::rma) {
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

// A non-blocking operation's task is on the heap; this is called once, when it is complete.
void finish_counted(pipeline::Task* task, void* context) {
    Handles::end_by(context);
    delete task;
}

void finish_uncounted(pipeline::Task* task, void*) {
    delete task;
}

// If more operations than this are under way, a new one waits until others are complete. Memory for
// them is bounded, and the caller sees no limit.
constexpr int64_t kMaxTasks = 4096;

}  // namespace

Route route_to(const Progress& progress, int target) {
    if (progress.world().on_my_node(target)) {
        return Route::local;
    }
    const bool rma = progress.network()->rma_usable &&
                     progress.config().route_choice() != base::RouteChoice::server;
    return rma ? Route::rma : Route::server;
}

// Returns whether every remote byte is registered for RMA.
bool Transfers::is_registered(const Transfer& transfer) const {
    const int node = context_.progress.world().node_of[transfer.target];
    fabric::RemoteMemory memory;
    return transfer.sides.all_of_parts([&](uint64_t address, int64_t bytes) {
        return context_.segments.resolve(node, address, bytes, &memory);
    });
}

int Transfers::server_of(int target, uint64_t address) const {
    return context_.segments.server_of(target, address, context_.progress.network()->servers);
}

// Returns the server of the transfer. All of it is with one server (see for_each_server).
int Transfers::server_of(const Transfer& transfer) const {
    return server_of(transfer.target, transfer.sides.remote_begin());
}

// docs/references.md: Bonachea 2007
bool Transfers::wants_rma(const Transfer& transfer, Blocking blocking) {
    switch (context_.progress.config().route_choice()) {
        case base::RouteChoice::rma:
            return true;
        case base::RouteChoice::server:
            return false;
        case base::RouteChoice::alternate:
            alternate_rma_ = !alternate_rma_;
            return alternate_rma_;
        case base::RouteChoice::automatic:
            break;
    }
    // Small non-blocking transfers travel together.
    if (blocking == Blocking::no && is_small(transfer)) {
        return false;
    }
    const int64_t min_block =
        context_.progress.network()->costs.min_rma_block(transfer.op, transfer.total_bytes);
    if (transfer.sides.is_contiguous()) {
        // RMA must not overtake requests that the server has not executed yet. A small transfer
        // arrives sooner behind them than after waiting for their acknowledgement. A small put is
        // one message either way; the model knows which costs less.
        return transfer.total_bytes >= min_block ||
               (!is_small(transfer) &&
                !context_.progress.network()->origin.fences().has_unacknowledged_requests(
                    server_of(transfer)));
    }
    return transfer.sides.block_bytes() >= min_block;
}

template <class TaskType>
void Transfers::run_task(int server, Transfer&& transfer) {
    const WaitCause cause{transfer.function, "completion at rank", transfer.target};
    TaskType task(std::move(transfer));
    context_.progress.run_task(task, server, cause);
}

// Copies a small put or accumulate into a frame that several of them share. Returns false when the
// transfer is not small enough, or there is no room now.
bool Transfers::append_small(int server, const Transfer& transfer,
                             pipeline::Batches::Leaving leaving) {
    if (!is_small(transfer) || transfer.sides.block_count() > pipeline::Batches::kMaxSmallBlocks) {
        return false;
    }
    pipeline::SmallBlock blocks[pipeline::Batches::kMaxSmallBlocks];
    int block_count = 0;
    transfer.sides.for_each_block([&](char* local, char* remote, int64_t) {
        blocks[block_count++] = {local, reinterpret_cast<uint64_t>(remote)};
    });
    pipeline::Origin& origin = context_.progress.network()->origin;
    return origin.append(origin.channel(server), blocks, block_count,
                         static_cast<size_t>(transfer.sides.block_bytes()),
                         transfer.op == OpKind::acc ? &transfer.scale : nullptr, leaving,
                         transfer.owner);
}

// A blocking transfer need not wait for its completion, but leaves before the call returns.
bool Transfers::send_small(int server, const Transfer& transfer) {
    if (!append_small(server, transfer, pipeline::Batches::Leaving::by_caller)) {
        return false;
    }
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

// Calls `run` with the part of the transfer for each data server of the target. A vector may have
// segments of several allocations, and these different servers.
template <class Run>
void Transfers::for_each_server(Transfer&& transfer, Run&& run) {
    if (transfer.sides.part_count() == 1 || context_.progress.world().on_my_node(transfer.target) ||
        context_.progress.network()->servers.per_node == 1) {
        run(std::move(transfer));
        return;
    }
    std::vector<int> servers;
    transfer.sides.all_of_parts([&](uint64_t address, int64_t) {
        servers.push_back(server_of(transfer.target, address));
        return true;
    });
    std::vector<int> distinct = servers;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() == 1) {
        run(std::move(transfer));
        return;
    }
    for (const int server : distinct) {
        Transfer part;
        part.function = transfer.function;
        part.op = transfer.op;
        part.target = transfer.target;
        part.owner = transfer.owner;
        part.scale = transfer.scale;
        std::vector<bool> is_there;
        std::transform(servers.begin(), servers.end(), std::back_inserter(is_there),
                       [&](int one) { return one == server; });
        part.sides = transfer.sides.select(is_there);
        part.total_bytes = part.sides.block_count() * part.sides.block_bytes();
        run(std::move(part));
    }
}

Route Transfers::choose_route(const Transfer& transfer, Blocking blocking) {
    if (context_.progress.world().on_my_node(transfer.target)) {
        return Route::local;
    }
    const bool can_take_rma = transfer.op != OpKind::acc &&
                              context_.progress.network()->rma_usable &&
                              transfer.owner == wire::kGlobal;
    return can_take_rma && wants_rma(transfer, blocking) && is_registered(transfer) ? Route::rma
                                                                                    : Route::server;
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
    if (base::is_tracing()) [[unlikely]] {
        add_to_traced_call(transfer.target, transfer.total_bytes);
    }
}

void Transfers::run_one_blocking(Transfer&& transfer) {
    const Route route = choose_route(transfer, Blocking::yes);
    if (route == Route::local) {
        count_local(transfer);
        run_local(context_.node.heap, context_.attached, transfer);
        return;
    }
    const Threads::Use use(context_.progress.threads());
    count(transfer, route);
    const OpKind op = transfer.op;
    const int target = transfer.target;
    const int server = server_of(transfer);
    if (route == Route::rma) {
        run_task<pipeline::RmaTask>(server, std::move(transfer));
    } else if (op == OpKind::get) {
        run_task<pipeline::GetTask>(server, std::move(transfer));
    } else if (!send_small(server, transfer)) {
        if (op == OpKind::put) {
            run_task<pipeline::PutTask>(server, std::move(transfer));
        } else {
            run_task<pipeline::AccumulateTask>(server, std::move(transfer));
        }
    }
    if (op != OpKind::get) {
        context_.progress.network()->origin.order().mark_must_precede(server);
        if (context_.progress.config().no_flush_local) {
            fence(context_.progress, target);
        }
    }
}

void Transfers::run_one_nonblocking(Transfer&& transfer, armci_hdl_s* handle) {
    const Route route = choose_route(transfer, Blocking::no);
    if (route == Route::local) {
        count_local(transfer);
        if (context_.progress.copies().take(transfer, handle)) {
            return;
        }
        run_local(context_.node.heap, context_.attached, transfer);
        if (handle != nullptr) {
            context_.completion.set_idle_unless_active(handle);
        }
        return;
    }
    const Threads::Use use(context_.progress.threads());
    count(transfer, route);
    pipeline::Origin& origin = context_.progress.network()->origin;
    const int server = server_of(transfer);
    if (route == Route::server &&
        append_small(server, transfer, pipeline::Batches::Leaving::when_due)) {
        if (handle != nullptr) {
            context_.completion.set_idle_unless_active(handle);
        }
        return;
    }
    if (origin.tasks().count() >= kMaxTasks) {
        context_.progress.wait_for_network({transfer.function, "earlier operations to end"},
                                           [&] { return origin.tasks().count() < kMaxTasks; });
    }
    // Chunks are mostly packed before the call ends; gets unpack later, RMA is posted later.
    if (transfer.op == OpKind::get || route == Route::rma) {
        transfer.sides.own();
    }
    const bool is_get = transfer.op == OpKind::get;
    pipeline::Task* task = make_task(route, std::move(transfer)).release();
    if (handle != nullptr) {
        task->call_when_complete(finish_counted,
                                 context_.handles.pointer_to(context_.handles.begin(handle)));
    } else {
        task->call_when_complete(finish_uncounted, nullptr);
        if (is_get) {
            task->let_fences_wait();
        }
    }
    origin.submit(*task, origin.channel(server));
    if (context_.progress.config().explicit_nb_progress) {
        origin.progress();
    }
}

void Transfers::carry_out(Transfer&& transfer) {
    for_each_server(std::move(transfer),
                    [&](Transfer&& part) { run_one_blocking(std::move(part)); });
}

void Transfers::carry_out_nonblocking(Transfer&& transfer, armci_hdl_s* handle) {
    for_each_server(std::move(transfer),
                    [&](Transfer&& part) { run_one_nonblocking(std::move(part), handle); });
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

void Transfers::run_behind_all(pipeline::Task& task, int target, uint64_t address,
                               const WaitCause& cause) {
    pipeline::Origin& origin = context_.progress.network()->origin;
    const int server = server_of(target, address);
    // If several servers serve the target's memory, only a wait orders operations of different
    // servers.
    if (context_.progress.network()->servers.per_node > 1) {
        fence(context_.progress, target);
    }
    const uint64_t last = origin.tasks().last_submitted();
    context_.progress.wait_for_network(
        cause, [&] { return origin.fences().writes_are_ordered_or_done(last, server); });
    context_.progress.run_task(task, server, cause);
    origin.order().mark_must_precede(server);
}

void Transfers::store_flag(const char* function, int* flag, int value, int target, uint32_t owner) {
    context_.checking->close_writes(target);
    if (context_.progress.world().on_my_node(target)) {
        if (owner != wire::kGlobal && target != context_.progress.world().rank) {
            context_.attached.store(function, flag, value, owner);
            return;
        }
        __atomic_store_n(flag, value, __ATOMIC_RELEASE);
        return;
    }
    const auto address = reinterpret_cast<uint64_t>(flag);
    pipeline::RequestTask task(function, wire::FrameKind::store,
                               wire::StoreBody{address, value, owner},
                               pipeline::RequestTask::Answer::none);
    run_behind_all(task, target, address, {function, "a flag to be sent to rank", target});
}

int64_t Transfers::read_modify_write(const char* function, node::WordOperation operation,
                                     void* address, int64_t operand, int target, uint32_t owner) {
    if (context_.progress.threads().is_multiple()) {
        count_rmw_by_thread();
    } else {
        ++context_.stats.rmw;
    }
    context_.checking->close_writes(target);
    if (context_.progress.world().on_my_node(target)) {
        return owner == wire::kGlobal ? node::read_modify_write(operation, address, operand)
                                      : context_.attached.read_modify_write(
                                            function, operation, address, operand, owner);
    }
    const auto remote = reinterpret_cast<uint64_t>(address);
    pipeline::RequestTask task(
        function, wire::FrameKind::rmw,
        wire::RmwBody{remote, operand, static_cast<uint32_t>(operation), owner},
        pipeline::RequestTask::Answer::expected);
    context_.progress.run_task(task, server_of(target, remote),
                               {function, "the word of rank", target});
    return task.value();
}

}  // namespace armci::core
