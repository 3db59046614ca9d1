// SPDX-License-Identifier: BSD-3-Clause
// Put, get and accumulate, from the checked call to its completion: the choice of route is here.
#pragma once

#include "core/runtime.h"
#include "pipeline/task.h"
#include "pipeline/transfer.h"

struct armci_hdl_s;

namespace armci::core {

// The route a transfer takes now. explain.h says in words what it would be, and must agree.
enum class Blocking : bool { no, yes };
base::Route choose_route(Runtime& runtime, const pipeline::Transfer& transfer, Blocking blocking);

// The route of a large contiguous put to that rank, wherever in its memory.
base::Route route_to(const Runtime& runtime, int target);

// Blocking: returns when local buffers may be reused (put, accumulate) or hold the data (get).
void run_blocking(Runtime& runtime, pipeline::Transfer&& transfer);

// Non-blocking: returns at once; completion through the handle, or, when it is null, through the
// waits for implicit operations. Descriptors are copied.
void run_nonblocking(Runtime& runtime, pipeline::Transfer&& transfer, armci_hdl_s* handle);

// The same without checking mode's part.
void carry_out(Runtime& runtime, pipeline::Transfer&& transfer);
void carry_out_nonblocking(Runtime& runtime, pipeline::Transfer&& transfer, armci_hdl_s* handle);

void wait_handle(Runtime& runtime, armci_hdl_s* handle);
// True when complete; polls once.
bool test_handle(Runtime& runtime, armci_hdl_s* handle);
void wait_target(Runtime& runtime, int target);
void wait_everything(Runtime& runtime);

// Runs a task about that address of the target which tells it of all that went there before.
void run_behind_all(Runtime& runtime, pipeline::Task& task, int target, uint64_t address,
                    const WaitCause& cause);

// Stores an int at the target after everything that went there before is visible.
// `owner` as in Transfer.
void store_flag(Runtime& runtime, const char* function, int* flag, int value, int target,
                uint32_t owner);

}  // namespace armci::core
