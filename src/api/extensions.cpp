// SPDX-License-Identifier: BSD-3-Clause
// Information about the library: counters, routes, nodes (armcix.h).
#include <algorithm>
#include <cstring>

#include "api/arguments.h"
#include "base/log.h"
#include "core/progress/thread_stats.h"
#include "core/routing/transfers.h"

using armci::core::Entry;
namespace api = armci::api;

extern "C" void ARMCIX_Progress(void) {
    Entry entry("ARMCIX_Progress");
    entry->progress.poll();
}

extern "C" int ARMCIX_Stats(armcix_stats_t* out, size_t out_bytes) {
    Entry entry("ARMCIX_Stats");
    api::check_not_null("ARMCIX_Stats", "out", out);
    const armci::base::Stats stats = armci::core::with_thread_stats(entry->stats);
    armcix_stats_t copy{};
    const auto fill = [&](armci::base::OpKind op, armcix_counter_t* counters) {
        for (int route = 0; route < armci::base::kRouteCount; ++route) {
            const armci::base::Counter& counter = stats.transfers[static_cast<int>(op)][route];
            counters[route] = {counter.operations, counter.bytes};
        }
    };
    fill(armci::base::OpKind::put, copy.put);
    fill(armci::base::OpKind::get, copy.get);
    fill(armci::base::OpKind::acc, copy.acc);
    copy.rmw = stats.rmw;
    copy.fences = stats.fences;
    copy.messages_sent = stats.messages_sent;
    copy.chunks_sent = stats.chunks_sent;
    copy.buffer_waits = stats.buffer_waits;
    copy.waits = stats.waits;
    copy.waits_asleep = stats.waits_asleep;
    if (entry->network != nullptr) {
        const armci::pipeline::BufferManager& buffers = entry->network->origin.buffers();
        copy.buffer_bytes = buffers.arena_bytes();
        copy.buffer_high_water_bytes = buffers.high_water_bytes();
        if (armci::datasrv::Server* server = entry->network->server.get()) {
            copy.server_frames = server->executed_frames();
            copy.server_busy_ns = static_cast<unsigned long long>(server->busy_ns());
        }
    }
    std::memcpy(out, &copy, std::min(out_bytes, sizeof copy));
    return 0;
}

extern "C" int ARMCIX_Route(int proc) {
    Entry entry("ARMCIX_Route");
    api::check_rank({*entry, "ARMCIX_Route"}, "proc", proc);
    return static_cast<int>(armci::core::route_to(entry->progress, proc));
}

extern "C" const char* ARMCIX_Provider(void) {
    Entry entry("ARMCIX_Provider");
    return entry->network != nullptr ? entry->network->domain.info().fabric_attr->prov_name
                                     : "none";
}

extern "C" int ARMCIX_Node(int proc) {
    Entry entry("ARMCIX_Node");
    api::check_rank({*entry, "ARMCIX_Node"}, "proc", proc);
    return entry->world.node_of[proc];
}

extern "C" int ARMCIX_Node_count(void) {
    Entry entry("ARMCIX_Node_count");
    return entry->world.node_count;
}

extern "C" int ARMCIX_Set_pipeline_depth(int chunks) {
    Entry entry("ARMCIX_Set_pipeline_depth");
    if (chunks < 0) {
        armci::base::fatal("ARMCIX_Set_pipeline_depth",
                           "argument chunks = %d: pass 1 or more, or 0 for no limit", chunks);
    }
    if (entry->network == nullptr) {
        return 0;
    }
    armci::pipeline::Origin& origin = entry->network->origin;
    const int before = origin.frames().depth().chunks();
    origin.frames().depth().set(chunks);
    return before;
}
