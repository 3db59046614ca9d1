// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate, from the checked call to its completion. The choice of route is here. So
// are atomics on single words and flags of other ranks, which must not overtake transfers.
#pragma once

#include <cstdint>
#include <memory>

#include "core/memory/attached_memory.h"
#include "core/routing/route.h"
#include "core/sync/completion.h"
#include "node/word_atomics.h"
#include "pipeline/costs/transfer.h"
#include "pipeline/origin/task.h"

namespace armci::core {

// The parts that transfers use.
struct TransferContext {
    Progress& progress;
    Completion& completion;
    Handles& handles;
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

    // Runs a task about memory of that server's ranks. It takes effect after all that was sent to
    // them before.
    void run_behind_all(pipeline::Task& task, int server, const WaitCause& cause);

    // Stores an int at the target after everything that was sent there before is visible. `place`
    // is that of the int.
    void store_flag(const char* function, int* flag, int value, int target,
                    const pipeline::RemotePlace& place);
    // Performs the operation on rank `target`'s word at `address` and returns the old value. Native
    // atomics do it on the own node, and in the data server of another node. The network's atomics
    // are never used, because processors do not respect them. `place` is that of the word. In
    // attached memory the stripe locks make the operation atomic.
    int64_t read_modify_write(const char* function, node::WordOperation operation, void* address,
                              int64_t operand, int target, const pipeline::RemotePlace& place);

  private:
    enum class Blocking : bool { no, yes };
    class Measured;

    RouteDecision choose_route(const pipeline::Transfer& transfer, Blocking blocking);
    void count(const pipeline::Transfer& transfer, base::Route route);
    void count_local(const pipeline::Transfer& transfer);
    void run_locally(const pipeline::Transfer& transfer);
    void run_remotely(pipeline::Transfer&& transfer);
    void start_remotely(pipeline::Transfer&& transfer, armci_hdl_s* handle);
    template <class TaskType>
    void run_task(pipeline::Transfer&& transfer);
    std::unique_ptr<pipeline::Task> make_task(const RouteDecision& decision,
                                              pipeline::Transfer&& transfer) const;
    bool append_small(const pipeline::Transfer& transfer, pipeline::Batches::Leaving leaving,
                      const pipeline::GetEnd& end = {});
    void poll_for_small_tasks();
    bool write_copy(const pipeline::Transfer& transfer);
    bool send_small(const pipeline::Transfer& transfer);

    TransferContext context_;
    bool last_took_rma_ = false;  // for ARMCI_ROUTE=alternate
    int64_t last_small_task_ns_ = 0;
    uint32_t small_tasks_ = 0;
};

}  // namespace armci::core
