// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate, from the checked call to its completion. The choice of route is here. So
// are atomics on single words and flags of other ranks, which must not overtake transfers.
#pragma once

#include <cstdint>

#include "core/memory/attached_memory.h"
#include "core/memory/segments.h"
#include "core/sync/completion.h"
#include "node/word_atomics.h"
#include "pipeline/costs/transfer.h"
#include "pipeline/origin/task.h"

namespace armci::core {

// Returns the route of a large contiguous put to that rank, anywhere in its memory.
base::Route route_to(const Progress& progress, int target);

// The parts that transfers use.
struct TransferContext {
    Progress& progress;
    Completion& completion;
    Handles& handles;
    Segments& segments;
    AttachedMemory& attached;
    NodeShare& node;
    base::Stats& stats;
    Checking& checking;
};

class Transfers {
  public:
    explicit Transfers(const TransferContext& context) : context_(context) {}

    // Runs a blocking transfer. It returns when local buffers may be used again (put, accumulate)
    // or hold the data (get).
    void run_blocking(pipeline::Transfer&& transfer);
    // Starts a non-blocking transfer and returns at once. It completes through the handle or, when
    // that is null, through the waits for implicit operations. Descriptors are copied.
    void run_nonblocking(pipeline::Transfer&& transfer, armci_hdl_s* handle);
    // These do the same without checking mode's part.
    void carry_out(pipeline::Transfer&& transfer);
    void carry_out_nonblocking(pipeline::Transfer&& transfer, armci_hdl_s* handle);

    // Returns the data server for an address of that rank, in a job with a network.
    int server_of(int target, uint64_t address) const;
    // Runs a task about that address of the target. It takes effect after all that was sent there
    // before.
    void run_behind_all(pipeline::Task& task, int target, uint64_t address, const WaitCause& cause);

    // Stores an int at the target after everything that was sent there before is visible. `owner`
    // is as in Transfer.
    void store_flag(const char* function, int* flag, int value, int target, uint32_t owner);
    // Performs the operation on rank `target`'s word at `address` and returns the old value. Native
    // atomics do it on the own node, and in the data server of another node. The network's atomics
    // are never used, because processors do not respect them. `owner` is wire::kGlobal except for
    // attached memory, where the stripe locks make it atomic.
    int64_t read_modify_write(const char* function, node::WordOperation operation, void* address,
                              int64_t operand, int target, uint32_t owner);

  private:
    enum class Blocking : bool { no, yes };

    base::Route choose_route(const pipeline::Transfer& transfer, Blocking blocking);
    bool wants_rma(const pipeline::Transfer& transfer, Blocking blocking);
    bool is_registered(const pipeline::Transfer& transfer) const;
    int server_of(const pipeline::Transfer& transfer) const;
    void count(const pipeline::Transfer& transfer, base::Route route);
    void count_local(const pipeline::Transfer& transfer);
    template <class Run>
    void for_each_server(pipeline::Transfer&& transfer, Run&& run);
    void run_one_blocking(pipeline::Transfer&& transfer);
    void run_one_nonblocking(pipeline::Transfer&& transfer, armci_hdl_s* handle);
    template <class TaskType>
    void run_task(int server, pipeline::Transfer&& transfer);
    bool append_small(int server, const pipeline::Transfer& transfer,
                      pipeline::Batches::Leaving leaving);
    bool send_small(int server, const pipeline::Transfer& transfer);

    TransferContext context_;
    bool alternate_rma_ = false;  // ARMCI_ROUTE=alternate: whether the next operation takes RMA
};

}  // namespace armci::core
