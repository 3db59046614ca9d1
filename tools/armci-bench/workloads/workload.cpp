// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/workload.h"

#include "armci-bench/workloads/mpi_pack_workload.h"
#include "armci-bench/workloads/overlap_workload.h"
#include "armci-bench/workloads/slots.h"
#include "armci-bench/workloads/sync_workload.h"
#include "armci-bench/workloads/transfer_workload.h"

#include <chrono>

namespace armci::bench {

double Workload::timed(int64_t count) {
    const auto begin = std::chrono::steady_clock::now();
    perform(count);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

MemoryNeeds memory_needs(const Row& row, const Options& options) {
    const Slots slots = make_slots(row, options);
    return {Arena::part_remote_bytes(slots.count * slots.remote_bytes),
            Arena::part_local_bytes(slots.count * slots.local_bytes)};
}

std::unique_ptr<Workload> make_workload(const Context& context) {
    switch (context.row.op) {
        case Op::fetch_add:
        case Op::swap:
        case Op::fetch_add_contended:
            return std::make_unique<RmwWorkload>(context);
        case Op::fence:
            return std::make_unique<FenceWorkload>(context);
        case Op::barrier:
            return std::make_unique<BarrierWorkload>(context);
        case Op::group_barrier:
            return std::make_unique<GroupBarrierWorkload>(context);
        case Op::mpi_barrier:
            return std::make_unique<MpiBarrierWorkload>(context);
        case Op::flag_barrier:
            return std::make_unique<FlagBarrierWorkload>(context);
        case Op::lock:
            return std::make_unique<LockWorkload>(context);
        case Op::lock_fairness:
            return std::make_unique<FairnessWorkload>(context);
        case Op::malloc_free:
        case Op::malloc_write_free:
            return std::make_unique<MallocWorkload>(context);
        case Op::mpi_pack_put:
        case Op::mpi_pack_get:
            return std::make_unique<MpiPackWorkload>(context);
        case Op::raw_put:
        case Op::raw_get:
        case Op::raw_rmw:
            return context.raw->make_workload(context);
        case Op::overlap_put:
        case Op::overlap_get:
        case Op::overlap_acc:
        case Op::overlap_put_strided:
        case Op::overlap_get_strided:
        case Op::overlap_acc_strided:
            return std::make_unique<OverlapWorkload>(context);
        default:
            return std::make_unique<TransferWorkload>(context);
    }
}

}  // namespace armci::bench
