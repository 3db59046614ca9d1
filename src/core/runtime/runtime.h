// SPDX-License-Identifier: BSD-3-Clause
// The one running instance of the library in this process. It owns the parts, each of which knows
// those before it. Every entry point begins with an Entry.
#pragma once

#include <memory>

#include "base/config.h"
#include "base/stats.h"
#include "core/job/checking.h"
#include "core/job/world.h"
#include "core/memory/attached_memory.h"
#include "core/memory/global_memory.h"
#include "core/memory/segments.h"
#include "core/messages/barriers.h"
#include "core/messages/communicators.h"
#include "core/messages/group_maker.h"
#include "core/messages/groups.h"
#include "core/messages/messages.h"
#include "core/progress/handles.h"
#include "core/progress/network.h"
#include "core/progress/progress.h"
#include "core/progress/threads.h"
#include "core/routing/transfers.h"
#include "core/signals/mutexes.h"
#include "core/signals/notify.h"
#include "core/sync/completion.h"
#include "watch/watch.h"

namespace armci::core {

struct Runtime {
    base::ConfigResult configuration;
    const base::Config& config() const { return configuration.config; }

    World world;
    NodeShare node;
    base::Stats stats;
    watch::Watch watch;
    Threads threads{configuration.config};
    Handles handles;
    std::unique_ptr<Network> network;  // none in a job of one node
    Progress progress{{world, configuration.config, threads, watch}, node.heap, handles, stats};
    Checking checking;  // is on with ARMCI_CHECK
    Groups groups;
    Barriers barriers{progress, groups};
    Communicators communicators{progress, barriers};
    Messages messages{progress, communicators, checking};
    GroupMaker group_maker{progress, messages, communicators, groups, node, checking};
    Completion completion{progress, handles, checking};
    Segments segments;
    AttachedMemory attached{progress, node};
    GlobalMemory memory{
        {progress, messages, barriers, completion, segments, node, stats, checking}};
    Transfers transfers{{progress, completion, handles, attached, node, stats, checking}};
    Notifications notifications{progress, transfers, checking};
    Mutexes mutexes{progress, memory, barriers, checking};
};

// The running instance, or nullptr. Only lifecycle.cpp sets it.
extern Runtime* g_running;
inline Runtime* running() {
    return g_running;
}

// Ends the processes of the job that MPI knows of, and this one.
void abort_by_mpi(int code);
// Is called before a fatal message that may come while the library is not running.
void prepare_to_fail();
[[noreturn]] void abort_job(const char* message, int code);

// Every entry point begins with one of these. It ends the job when the library is not running, and
// releases the API lock at the end of the call.
class Entry {
  public:
    // What a call does about copies by an engine. Most calls wait for them first. Those that start
    // or end non-blocking operations leave them under way.
    enum class Copies : bool { settle, leave };
    // When the call takes the API lock. With `on_demand`, operations inside the node run without
    // it, and everything else in the call takes it when needed.
    enum class Lock : bool { at_once, on_demand };

    explicit Entry(const char* function, Lock lock = Lock::at_once, Copies copies = Copies::settle)
        : runtime_(running()) {
        if (runtime_ == nullptr) {
            fail_not_running(function);
        }
        if (runtime_->threads.is_concurrent()) [[unlikely]] {
            begin_concurrently(*runtime_, function, lock, copies);
        } else {
            runtime_->threads.enter_alone(function);
        }
    }
    ~Entry() {
        if (runtime_->threads.is_concurrent()) [[unlikely]] {
            end_concurrently(*runtime_);
        }
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    Runtime& operator*() const { return *runtime_; }
    Runtime* operator->() const { return runtime_; }

  private:
    [[noreturn]] static void fail_not_running(const char* function);
    // This function is separate so that a thread that is alone has little to save and restore.
    [[gnu::noinline]] static void begin_concurrently(Runtime& runtime, const char* function,
                                                     Lock lock, Copies copies);
    [[gnu::noinline]] static void end_concurrently(Runtime& runtime);

    Runtime* runtime_;
};

}  // namespace armci::core
