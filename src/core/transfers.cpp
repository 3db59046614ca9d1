// SPDX-License-Identifier: BSD-3-Clause
#include "core/transfers.h"

#include <algorithm>

#include "armci/armci.h"
#include "core/local_route.h"
#include "core/sync.h"
#include "core/tracing.h"
#include "pipeline/accumulate_task.h"
#include "pipeline/get_task.h"
#include "pipeline/put_task.h"
#include "pipeline/request_task.h"
#include "pipeline/rma_task.h"

namespace armci::core {
namespace {

using base::OpKind;
using base::Route;
using pipeline::Transfer;

// Whether every remote byte is registered for RMA.
bool is_registered(Runtime& runtime, const Transfer& transfer) {
    const int node = runtime.world.node_of[transfer.target];
    fabric::RemoteMemory memory;
    return transfer.sides.all_of_parts([&](uint64_t address, int64_t bytes) {
        return runtime.segments.resolve(node, address, bytes, &memory);
    });
}

// Where it goes: all of it is with one server (see for_each_server).
int server_of(Runtime& runtime, const Transfer& transfer) {
    return runtime.server_of(transfer.target, transfer.sides.remote_begin());
}

bool is_small(const Transfer& transfer);

// docs/references.md: Bonachea 2007
bool wants_rma(Runtime& runtime, const Transfer& transfer, Blocking blocking) {
    switch (runtime.config().route_choice()) {
        case base::RouteChoice::rma:
            return true;
        case base::RouteChoice::server:
            return false;
        case base::RouteChoice::alternate:
            runtime.alternate_rma = !runtime.alternate_rma;
            return runtime.alternate_rma;
        case base::RouteChoice::automatic:
            break;
    }
    // Small non-blocking ones travel together.
    if (blocking == Blocking::no && is_small(transfer)) {
        return false;
    }
    const int64_t min_block =
        runtime.network->costs.min_rma_block(transfer.op, transfer.total_bytes);
    if (transfer.sides.is_contiguous()) {
        // RMA must not overtake requests that the server has not executed yet. A small transfer is
        // there sooner behind them than after waiting for their acknowledgement. A small put is
        // one message either way; the model knows which costs less.
        return transfer.total_bytes >= min_block ||
               (!is_small(transfer) &&
                !runtime.network->origin.fences().has_unacknowledged_requests(
                    server_of(runtime, transfer)));
    }
    return transfer.sides.block_bytes() >= min_block;
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

template <class TaskType>
void run_task(Runtime& runtime, int server, Transfer&& transfer) {
    const WaitCause cause{transfer.function, "completion at rank", transfer.target};
    TaskType task(std::move(transfer));
    runtime.run_task(task, server, cause);
}

// A non-blocking operation's task is on the heap; this is called once, when it is complete.
void finish_counted(pipeline::Task* task, void* context) {
    // The slot number travels in the pointer.
    running()->handles.end(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context)));
    delete task;
}

void finish_uncounted(pipeline::Task* task, void*) {
    delete task;
}

bool is_small(const Transfer& transfer) {
    return transfer.op != OpKind::get &&
           transfer.total_bytes <= static_cast<int64_t>(pipeline::Batches::kLargestAppended);
}

// Small puts and accumulates are copied into a frame that several of them share. False: the
// transfer is not small enough, or there is no room now.
bool append_small(Runtime& runtime, int server, const Transfer& transfer,
                  pipeline::Batches::Leaving leaving) {
    if (!is_small(transfer) || transfer.sides.block_count() > pipeline::Batches::kMaxSmallBlocks) {
        return false;
    }
    pipeline::SmallBlock blocks[pipeline::Batches::kMaxSmallBlocks];
    int block_count = 0;
    transfer.sides.for_each_block([&](char* local, char* remote, int64_t) {
        blocks[block_count++] = {local, reinterpret_cast<uint64_t>(remote)};
    });
    pipeline::Origin& origin = runtime.network->origin;
    return origin.append(origin.channel(server), blocks, block_count,
                         static_cast<size_t>(transfer.sides.block_bytes()),
                         transfer.op == OpKind::acc ? &transfer.scale : nullptr, leaving,
                         transfer.owner);
}

// A blocking one need not wait for its completion, but leaves before the call returns.
bool send_small(Runtime& runtime, int server, const Transfer& transfer) {
    if (!append_small(runtime, server, transfer, pipeline::Batches::Leaving::by_caller)) {
        return false;
    }
    pipeline::Origin& origin = runtime.network->origin;
    const uint64_t last = origin.batches().last();
    origin.batches().flush_blocking(server);
    if (!origin.batches().has_left(server, last)) {
        runtime.wait_for_network(
            {transfer.function, "small operations to leave for rank", transfer.target}, [&] {
                origin.batches().flush_all();
                return origin.batches().has_left(server, last);
            });
    }
    return true;
}

// Small operations that were copied count as complete, but waits see to it that they leave.
void send_batches(Runtime& runtime) {
    const Runtime::Use use(runtime);
    pipeline::Origin& origin = runtime.network->origin;
    const uint64_t last = origin.batches().last();
    origin.batches().flush_all();
    if (!origin.batches().have_left(last)) {
        runtime.wait_for_network({nullptr, "small operations to leave"}, [&] {
            origin.batches().flush_all();
            return origin.batches().have_left(last);
        });
    }
}

// Calls `run` with what the transfer moves from or to each data server of the target: a vector may
// have segments of several allocations, and these different servers.
template <class Run>
void for_each_server(Runtime& runtime, Transfer&& transfer, Run&& run) {
    if (transfer.sides.part_count() == 1 || runtime.world.on_my_node(transfer.target) ||
        runtime.network->servers.per_node == 1) {
        run(std::move(transfer));
        return;
    }
    std::vector<int> servers;
    transfer.sides.all_of_parts([&](uint64_t address, int64_t) {
        servers.push_back(runtime.server_of(transfer.target, address));
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

// More operations than this under way are not started before others are complete: memory for them
// is bounded, and there is no limit that the caller could see.
constexpr int64_t kMaxTasks = 4096;

}  // namespace

Route choose_route(Runtime& runtime, const Transfer& transfer, Blocking blocking) {
    if (runtime.world.on_my_node(transfer.target)) {
        return Route::local;
    }
    const bool can_take_rma = transfer.op != OpKind::acc && runtime.network->rma_usable &&
                              transfer.owner == wire::kGlobal;
    return can_take_rma && wants_rma(runtime, transfer, blocking) &&
                   is_registered(runtime, transfer)
               ? Route::rma
               : Route::server;
}

Route route_to(const Runtime& runtime, int target) {
    if (runtime.world.on_my_node(target)) {
        return Route::local;
    }
    const bool rma =
        runtime.network->rma_usable && runtime.config().route_choice() != base::RouteChoice::server;
    return rma ? Route::rma : Route::server;
}

namespace {

// An operation between nodes.
void count(Runtime& runtime, const Transfer& transfer, Route route) {
    runtime.stats.count(transfer.op, route, transfer.total_bytes);
    if (base::is_tracing()) [[unlikely]] {
        add_to_traced_call(transfer.target, transfer.total_bytes);
    }
}

void run_one_blocking(Runtime& runtime, Transfer&& transfer) {
    const Route route = choose_route(runtime, transfer, Blocking::yes);
    if (route == Route::local) {
        runtime.count_local(transfer.op, transfer.total_bytes);
        run_local(runtime, transfer);
        return;
    }
    const Runtime::Use use(runtime);
    count(runtime, transfer, route);
    const OpKind op = transfer.op;
    const int target = transfer.target;
    const int server = server_of(runtime, transfer);
    if (route == Route::rma) {
        run_task<pipeline::RmaTask>(runtime, server, std::move(transfer));
    } else if (op == OpKind::get) {
        run_task<pipeline::GetTask>(runtime, server, std::move(transfer));
    } else if (!send_small(runtime, server, transfer)) {
        if (op == OpKind::put) {
            run_task<pipeline::PutTask>(runtime, server, std::move(transfer));
        } else {
            run_task<pipeline::AccumulateTask>(runtime, server, std::move(transfer));
        }
    }
    if (op != OpKind::get) {
        runtime.network->origin.order().mark_must_precede(server);
        if (runtime.config().no_flush_local) {
            fence(runtime, target);
        }
    }
}

void run_one_nonblocking(Runtime& runtime, Transfer&& transfer, armci_hdl_s* handle) {
    const Route route = choose_route(runtime, transfer, Blocking::no);
    if (route == Route::local) {
        runtime.count_local(transfer.op, transfer.total_bytes);
        if (runtime.copies.take(runtime, transfer, handle)) {
            return;
        }
        run_local(runtime, transfer);
        if (handle != nullptr) {
            runtime.set_idle_unless_active(handle);
        }
        return;
    }
    const Runtime::Use use(runtime);
    count(runtime, transfer, route);
    pipeline::Origin& origin = runtime.network->origin;
    const int server = server_of(runtime, transfer);
    if (route == Route::server &&
        append_small(runtime, server, transfer, pipeline::Batches::Leaving::when_due)) {
        if (handle != nullptr) {
            runtime.set_idle_unless_active(handle);
        }
        return;
    }
    if (origin.tasks().count() >= kMaxTasks) {
        runtime.wait_for_network({transfer.function, "earlier operations to end"},
                                 [&] { return origin.tasks().count() < kMaxTasks; });
    }
    // Chunks are mostly packed before the call ends; gets unpack later, RMA is posted later.
    if (transfer.op == OpKind::get || route == Route::rma) {
        transfer.sides.own();
    }
    const bool is_get = transfer.op == OpKind::get;
    pipeline::Task* task = make_task(route, std::move(transfer)).release();
    if (handle != nullptr) {
        const uint32_t slot = runtime.handles.begin(handle);
        task->call_when_complete(finish_counted,
                                 reinterpret_cast<void*>(static_cast<uintptr_t>(slot)));
    } else {
        task->call_when_complete(finish_uncounted, nullptr);
        if (is_get) {
            task->let_fences_wait();
        }
    }
    origin.submit(*task, origin.channel(server));
    if (runtime.config().explicit_nb_progress) {
        origin.progress();
    }
}

}  // namespace

void carry_out(Runtime& runtime, Transfer&& transfer) {
    for_each_server(runtime, std::move(transfer),
                    [&](Transfer&& part) { run_one_blocking(runtime, std::move(part)); });
}

void carry_out_nonblocking(Runtime& runtime, Transfer&& transfer, armci_hdl_s* handle) {
    for_each_server(runtime, std::move(transfer), [&](Transfer&& part) {
        run_one_nonblocking(runtime, std::move(part), handle);
    });
}

void run_blocking(Runtime& runtime, Transfer&& transfer) {
    if (runtime.checks != nullptr) [[unlikely]] {
        runtime.checks->before_transfer(transfer);
    }
    carry_out(runtime, std::move(transfer));
}

void run_nonblocking(Runtime& runtime, Transfer&& transfer, armci_hdl_s* handle) {
    if (runtime.checks != nullptr) [[unlikely]] {
        runtime.checks->start_nonblocking(std::move(transfer), handle);
        return;
    }
    carry_out_nonblocking(runtime, std::move(transfer), handle);
}

namespace {

// What has been waited for keeps its order with what follows.
void mark_all_must_precede(Runtime& runtime) {
    if (runtime.network != nullptr) {
        runtime.network->origin.order().mark_all_must_precede();
    }
}

// Without a network all is complete when a call returns, but for copies by an engine, of which the
// handle tells.
void hold_lock_to_wait(Runtime& runtime, const armci_hdl_s* handle) {
    if (runtime.network != nullptr || (handle != nullptr && Handles::names_slot(*handle))) {
        runtime.hold_lock();
    }
}

}  // namespace

void wait_handle(Runtime& runtime, armci_hdl_s* handle) {
    hold_lock_to_wait(runtime, handle);
    if (runtime.checks != nullptr) {
        runtime.checks->wait_for_handle(*handle);
    }
    if (runtime.network != nullptr) {
        send_batches(runtime);
    }
    runtime.wait_for_network({"ARMCI_Wait", "the operations of a handle"},
                             [&] { return !runtime.handles.is_active(*handle); });
    mark_all_must_precede(runtime);
    runtime.handles.set_idle(handle);
}

bool test_handle(Runtime& runtime, armci_hdl_s* handle) {
    hold_lock_to_wait(runtime, handle);
    if (runtime.checks != nullptr) {
        runtime.poll();
        if (!runtime.checks->has_completed(*handle)) {
            return false;
        }
        runtime.checks->wait_for_handle(*handle);
    }
    if (runtime.handles.is_active(*handle)) {
        runtime.poll();
        if (runtime.handles.is_active(*handle)) {
            return false;
        }
    }
    // What was copied has to leave: nobody would send it if this were the program's last call for
    // long.
    if (runtime.network != nullptr && !runtime.network->origin.batches().have_left()) {
        const uint64_t last = runtime.network->origin.batches().last();
        runtime.serve();
        if (!runtime.network->origin.batches().have_left(last)) {
            return false;
        }
    }
    mark_all_must_precede(runtime);
    runtime.handles.set_idle(handle);
    return true;
}

void wait_target(Runtime& runtime, int target) {
    hold_lock_to_wait(runtime, nullptr);
    if (runtime.checks != nullptr) {
        runtime.checks->wait_for_target(target);
    }
    const int node = runtime.world.node_of[target];
    if (runtime.network != nullptr) {
        send_batches(runtime);
        const pipeline::Origin& origin = runtime.network->origin;
        const uint64_t last = origin.tasks().last_submitted();
        runtime.wait_for_network({"ARMCI_WaitProc", "operations to rank", target},
                                 [&] { return origin.tasks().have_ended(last, node); });
        mark_all_must_precede(runtime);
    }
}

void wait_everything(Runtime& runtime) {
    hold_lock_to_wait(runtime, nullptr);
    if (runtime.checks != nullptr) {
        runtime.checks->wait_for_all();
    }
    runtime.settle_copies();
    if (runtime.network != nullptr) {
        send_batches(runtime);
        pipeline::Origin& origin = runtime.network->origin;
        const uint64_t last = origin.tasks().last_submitted();
        runtime.wait_for_network({nullptr, "all operations under way"},
                                 [&] { return origin.tasks().have_ended(last); });
        mark_all_must_precede(runtime);
    }
}

void run_behind_all(Runtime& runtime, pipeline::Task& task, int target, uint64_t address,
                    const WaitCause& cause) {
    pipeline::Origin& origin = runtime.network->origin;
    const int server = runtime.server_of(target, address);
    // Where several servers have the target's memory, nothing else orders what is not waited for.
    if (runtime.network->servers.per_node > 1) {
        fence(runtime, target);
    }
    const uint64_t last = origin.tasks().last_submitted();
    runtime.wait_for_network(
        cause, [&] { return origin.fences().writes_are_ordered_or_done(last, server); });
    runtime.run_task(task, server, cause);
    origin.order().mark_must_precede(server);
}

void store_flag(Runtime& runtime, const char* function, int* flag, int value, int target,
                uint32_t owner) {
    if (runtime.checks != nullptr) {
        runtime.checks->close_writes(target);
    }
    if (runtime.world.on_my_node(target)) {
        if (owner != wire::kGlobal && target != runtime.world.rank) {
            store_attached(runtime, function, flag, value, owner);
            return;
        }
        __atomic_store_n(flag, value, __ATOMIC_RELEASE);
        return;
    }
    const auto address = reinterpret_cast<uint64_t>(flag);
    pipeline::RequestTask task(function, wire::FrameKind::store,
                               wire::StoreBody{address, value, owner},
                               pipeline::RequestTask::Answer::none);
    run_behind_all(runtime, task, target, address, {function, "a flag to be sent to rank", target});
}

}  // namespace armci::core
