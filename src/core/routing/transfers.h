// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate, from the checked call to its completion: the choice of route is here.
// Atomics on single words and flags of other ranks, too, which must not overtake them.
#pragma once

#include <cstdint>

#include "core/memory/attached_memory.h"
#include "core/memory/segments.h"
#include "core/sync/completion.h"
#include "node/word_atomics.h"
#include "pipeline/costs/transfer.h"
#include "pipeline/origin/task.h"

namespace armci::core {

// The route of a large contiguous put to that rank, wherever in its memory.
base::Route route_to(const Progress& progress, int target);

// What transfers use.
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

    // Blocking: returns when local buffers may be reused (put, accumulate) or hold the data (get).
    void run_blocking(pipeline::Transfer&& transfer);
    // Non-blocking: returns at once; completion through the handle, or, when it is null, through
    // the waits for implicit operations. Descriptors are copied.
    void run_nonblocking(pipeline::Transfer&& transfer, armci_hdl_s* handle);
    // The same without checking mode's part.
    void carry_out(pipeline::Transfer&& transfer);
    void carry_out_nonblocking(pipeline::Transfer&& transfer, armci_hdl_s* handle);

    // The data server for an address of that rank, in a job with a network.
    int server_of(int target, uint64_t address) const;
    // Runs a task about that address of the target which tells it of all that went there before.
    void run_behind_all(pipeline::Task& task, int target, uint64_t address, const WaitCause& cause);

    // Stores an int at the target after everything that went there before is visible.
    // `owner` as in Transfer.
    void store_flag(const char* function, int* flag, int value, int target, uint32_t owner);
    // Performs the operation on rank `target`'s word at `address` and returns the old value. By
    // native atomics on the own node, and by the same atomics in the data server of another: never
    // by the network's, which processors do not respect. `owner` is wire::kGlobal but for attached
    // memory, where the stripe locks make it atomic.
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
    bool alternate_rma_ = false;  // ARMCI_ROUTE=alternate: the next operation's turn
};

}  // namespace armci::core
