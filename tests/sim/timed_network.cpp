// SPDX-License-Identifier: BSD-3-Clause
// The network of a timed run: when operations move, by the costs of LogGP.
//
// An adapter sends one message after the other, each for its gap and its bytes. They take the
// latency to the other adapter, which takes them in one after the other, likewise. So messages of
// one adapter to another keep their order. A message that finds no posted receive waits at the
// target, with all behind it. Links between adapters are never full.
#include <algorithm>
#include <memory>
#include <utility>

#include "fiber.h"
#include "network.h"
#include "simulation.h"
#include "timeline.h"

namespace armci::sim::network {
namespace {

// A read's request, and the news that a write has arrived, have no more than headers.
constexpr size_t kHeaderBytes = 32;

int64_t duration_ns(size_t bytes) {
    return machine().gap_ns + static_cast<int64_t>(machine().byte_ns * static_cast<double>(bytes));
}

Adapter& adapter_of(const SimEndpoint& endpoint) {
    auto& adapters = provider().adapters;
    const auto index = static_cast<size_t>(endpoint.process);
    if (index >= adapters.size()) {
        adapters.resize(index + 1);
    }
    return adapters[index];
}

// Returns when the last byte has left.
int64_t leave(const SimEndpoint& from, size_t bytes, int64_t ns) {
    Adapter& adapter = adapter_of(from);
    adapter.sends_from = std::max(adapter.sends_from, ns) + duration_ns(bytes);
    return adapter.sends_from;
}

// Returns when the last byte is in memory, if it reaches the adapter at `ns`. The adapter takes in
// one message after the other, each while it arrives.
int64_t take_in(const SimEndpoint& to, size_t bytes, int64_t ns) {
    Adapter& adapter = adapter_of(to);
    adapter.receives_from = std::max(adapter.receives_from + duration_ns(bytes), ns);
    return adapter.receives_from;
}

Posted& operation_of(void* what) {
    return *static_cast<Posted*>(what);
}

// Its next event owns it.
void end_if_over(Posted& operation) {
    if (operation.is_over()) {
        --provider().timed_operations;
        delete &operation;
    }
}

void complete_now(void* what) {
    Posted& operation = operation_of(what);
    if (operation.from->is_dead) {
        operation.is_complete = true;
    } else {
        complete(operation, operation.has_failed ? FI_ECONNRESET : 0);
    }
    end_if_over(operation);
}

void place_all(Posted& operation) {
    while (!operation.is_placed) {
        place(operation);
    }
}

void deliver_message(Posted& operation) {
    match(operation);
    place_all(operation);
    announce(operation);
    end_if_over(operation);
}

// A closed endpoint takes nothing. If the origin waits for the operation's arrival, the operation
// fails.
bool is_lost(Posted& operation, bool tells_of_arrival) {
    if (!operation.to->is_dead) {
        return false;
    }
    operation.is_announced = true;
    if (tells_of_arrival) {
        operation.has_failed = true;
        complete_now(&operation);
    } else {
        end_if_over(operation);
    }
    return true;
}

void deliver(void* what) {
    Posted& operation = operation_of(what);
    SimEndpoint& to = *operation.to;
    if (is_lost(operation, operation.is_delivered_kind)) {
        return;
    }
    record("delivered", operation.from->name(), to.name(), operation.number);
    if (operation.kind == Kind::send) {
        if (to.posted.empty() || !to.held.empty()) {
            to.held.push_back(&operation);
        } else {
            deliver_message(operation);
        }
        return;
    }
    place_all(operation);
    if (operation.has_immediate) {
        announce(operation);
    }
    if (operation.is_delivered_kind) {
        happen_at(leave(to, kHeaderBytes, timed_ns()) + machine().latency_ns, complete_now,
                  &operation);
    } else {
        end_if_over(operation);
    }
}

void arrive(void* what) {
    Posted& operation = operation_of(what);
    happen_at(take_in(*operation.to, operation.bytes, timed_ns()), deliver, what);
}

void end_read(void* what) {
    Posted& operation = operation_of(what);
    record("read", operation.from->name(), operation.to->name(), operation.number);
    place_all(operation);
    complete_now(what);
}

void return_data(void* what) {
    Posted& operation = operation_of(what);
    happen_at(take_in(*operation.from, operation.bytes, timed_ns()), end_read, what);
}

void arrive_read(void* what) {
    Posted& operation = operation_of(what);
    if (is_lost(operation, true)) {
        return;
    }
    const int64_t taken_ns = take_in(*operation.to, kHeaderBytes, timed_ns());
    happen_at(leave(*operation.to, operation.bytes, taken_ns) + machine().latency_ns, return_data,
              what);
}

}  // namespace

void start_transfer(std::unique_ptr<Posted> posted) {
    Posted& operation = *posted.release();
    ++provider().timed_operations;
    const bool is_packed = operation.kind == Kind::send || operation.has_immediate;
    spend(machine().overhead_ns);
    if (is_packed) {
        spend_per_byte(machine().copy_byte_ns, operation.bytes);
    }
    if (operation.kind == Kind::read) {
        happen_at(leave(*operation.from, kHeaderBytes, timed_ns()) + machine().latency_ns,
                  arrive_read, &operation);
        return;
    }
    read_local(operation);
    const int64_t left_ns = leave(*operation.from, operation.bytes, timed_ns());
    if (!operation.is_delivered_kind) {
        happen_at(left_ns, complete_now, &operation);
    }
    happen_at(left_ns + machine().latency_ns, arrive, &operation);
}

void take_held_messages(SimEndpoint& endpoint) {
    while (!endpoint.held.empty() && !endpoint.posted.empty()) {
        Posted& operation = *endpoint.held.front();
        endpoint.held.pop_front();
        deliver_message(operation);
    }
}

void charge_completions(const SimQueue& queue, const fi_cq_data_entry* entries, ssize_t count) {
    if (count <= 0) {
        spend(machine().poll_ns);
        return;
    }
    note_work();
    for (ssize_t i = 0; i < count; ++i) {
        spend(machine().poll_ns);
        const bool is_message = (entries[i].flags & FI_RECV) != 0;
        const bool is_written = (entries[i].flags & FI_REMOTE_CQ_DATA) != 0;
        if (is_message || is_written) {
            spend(machine().overhead_ns + (queue.endpoint->is_server ? machine().operation_ns : 0));
            spend_per_byte(machine().copy_byte_ns, entries[i].len);
        }
    }
}

void wake_waiter(const SimQueue& queue) {
    const SimEndpoint& endpoint = *queue.endpoint;
    wake({endpoint.process, false}, timed_ns());
    if (endpoint.is_server) {
        wake({endpoint.process, true}, timed_ns());
    }
}

}  // namespace armci::sim::network
