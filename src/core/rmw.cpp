// SPDX-License-Identifier: BSD-3-Clause
#include "core/rmw.h"

#include "node/word_atomics.h"
#include "pipeline/request_task.h"

namespace armci::core {

int64_t read_modify_write(Runtime& runtime, const char* function, node::WordOperation operation,
                          void* address, int64_t operand, int target, uint32_t owner) {
    runtime.count_rmw();
    if (runtime.checks != nullptr) {
        runtime.checks->close_writes(target);
    }
    if (runtime.world.on_my_node(target)) {
        return owner == wire::kGlobal ? node::read_modify_write(operation, address, operand)
                                      : read_modify_write_attached(runtime, function, operation,
                                                                   address, operand, owner);
    }
    const auto remote = reinterpret_cast<uint64_t>(address);
    pipeline::RequestTask task(
        function, wire::FrameKind::rmw,
        wire::RmwBody{remote, operand, static_cast<uint32_t>(operation), owner},
        pipeline::RequestTask::Answer::expected);
    runtime.run_task(task, runtime.server_of(target, remote),
                     {function, "the word of rank", target});
    return task.value();
}

}  // namespace armci::core
