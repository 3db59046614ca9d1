#include "core/rmw.h"

#include "core/transfers.h"
#include "node/word_atomics.h"
#include "pipeline/request_task.h"

namespace armci::core {

int64_t read_modify_write(Runtime& runtime, const char* function, node::WordOperation operation,
                          void* address, int64_t operand, int target) {
    ++runtime.stats.rmw;
    if (runtime.world.on_my_node(target)) {
        return node::read_modify_write(operation, address, operand);
    }
    pipeline::Origin& origin = runtime.network->origin;
    const auto remote = reinterpret_cast<uint64_t>(address);
    pipeline::RequestTask task(function, wire::FrameKind::rmw,
                               wire::RmwBody{remote, operand, static_cast<uint32_t>(operation), 0},
                               pipeline::RequestTask::Answer::expected);
    origin.submit(task, origin.channel(runtime.server_of(target, remote)));
    runtime.wait_for_network([&] { return task.is_complete(); });
    return task.value();
}

}  // namespace armci::core
