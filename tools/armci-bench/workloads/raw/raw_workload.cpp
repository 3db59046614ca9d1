// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/raw/raw_workload.h"

#include "armci-bench/workloads/implementation.h"

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace armci::bench {

namespace {

// The requests that a word can carry.
constexpr int64_t kStop = 0;
constexpr int64_t kOperand = 1;

void send_stop(FabricNetwork& network, int target) {
    RawEndpoint& endpoint = network.endpoint();
    endpoint.send(network.peer(target), kStop);
    endpoint.wait_for_all();
}

}  // namespace

RawTransferWorkload::RawTransferWorkload(const Context& context, FabricNetwork& network)
    : CheckedWorkload(context, direction_of(context.row.op)),
      network_(network),
      slots_(make_slots(context.row, context.options)),
      bytes_(static_cast<size_t>(context.row.shape.total_bytes())) {}

int64_t RawTransferWorkload::batch_count() const {
    return context().row.mode == Mode::window ? context().options.window : 1;
}

void RawTransferWorkload::start(int64_t slot, bool delivered) {
    const int target = context().roles.target;
    char* local = context().arena.local() + slot * slots_.local_bytes;
    const uint64_t remote = network_.remote_address(context().arena, target) +
                            static_cast<uint64_t>(slot * slots_.remote_bytes);
    if (verb_ == Verb::put) {
        network_.endpoint().write(network_.peer(target), local, bytes_, network_.local_descriptor(),
                                  remote, network_.key(target), delivered);
    } else {
        network_.endpoint().read(network_.peer(target), local, bytes_, network_.local_descriptor(),
                                 remote, network_.key(target));
    }
}

void RawTransferWorkload::perform(int64_t count) {
    RawEndpoint& endpoint = network_.endpoint();
    const bool each_delivered = context().row.mode == Mode::latency || !endpoint.orders_writes();
    const int64_t batch = batch_count();
    for (int64_t done = 0; done < count; done += batch) {
        const int64_t batch_end = std::min(count, done + batch);
        for (int64_t i = done; i < batch_end; i++) {
            start((i - done) % slots_.count, each_delivered || i + 1 == count);
        }
        endpoint.wait_for_all();
    }
}

void RawTransferWorkload::serve() {
    network_.endpoint().wait_for_word(network_.sleeps());  // kStop
}

void RawTransferWorkload::dismiss() {
    send_stop(network_, context().roles.target);
}

void RawRmwWorkload::prepare() {
    performed_ = 0;
    wrong_answers_ = 0;
    long* counter = context().arena.counter(context().roles.rank);
    const DirectAccess access(counter);
    *counter = 0;
}

void RawRmwWorkload::perform(int64_t count) {
    RawEndpoint& endpoint = network_.endpoint();
    const fi_addr_t target = network_.peer(context().roles.target);
    for (int64_t i = 0; i < count; i++) {
        endpoint.wait_for_all();  // the request before has long been answered
        endpoint.send(target, kOperand);
        wrong_answers_ += endpoint.wait_for_word(false) == performed_ + i ? 0 : 1;
    }
    performed_ += count;
}

void RawRmwWorkload::serve() {
    RawEndpoint& endpoint = network_.endpoint();
    const fi_addr_t origin = network_.peer(context().roles.origin);
    long* counter = context().arena.counter(context().roles.rank);
    const DirectAccess access(counter);
    for (;;) {
        const int64_t operand = endpoint.wait_for_word(network_.sleeps());
        if (operand == kStop) {
            break;
        }
        endpoint.wait_for_all();
        endpoint.send(origin, *counter);
        *counter += operand;
    }
    endpoint.wait_for_all();
}

void RawRmwWorkload::dismiss() {
    network_.endpoint().wait_for_all();
    send_stop(network_, context().roles.target);
}

// Every answer was checked when it came; the counter shows whether the target received every
// request.
int64_t RawRmwWorkload::count_errors() {
    const Roles& roles = context().roles;
    std::vector<int64_t> performed(static_cast<size_t>(roles.rank_count));
    MPI_Allgather(&performed_, 1, MPI_INT64_T, performed.data(), 1, MPI_INT64_T, world());
    if (!roles.serves()) {
        return wrong_answers_;
    }
    long* counter = context().arena.counter(roles.rank);
    const DirectAccess access(counter);
    return *counter == performed[static_cast<size_t>(roles.origin)] ? 0 : 1;
}

}  // namespace armci::bench
