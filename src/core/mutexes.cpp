// SPDX-License-Identifier: BSD-3-Clause
#include "core/mutexes.h"

#include <algorithm>
#include <new>

#include "base/log.h"
#include "core/global_memory.h"
#include "core/sync.h"
#include "pipeline/request_task.h"

namespace armci::core {
namespace {

// Address of the mutex in its owner's memory; ends the job when there is no such mutex.
uint64_t address_of(const char* function, const MutexSet& set, int mutex, int owner) {
    if (set.group == nullptr) {
        base::fatal(function, "no mutexes exist; call ARMCI_Create_mutexes first");
    }
    const int group_rank = set.group->group_rank(owner);
    if (group_rank < 0) {
        base::fatal(function, "argument proc = %d: that rank is not in the group of these mutexes",
                    owner);
    }
    const Slice slice = set.segment != nullptr ? set.segment->slice(group_rank) : Slice{};
    const auto count = static_cast<int64_t>(slice.bytes / sizeof(node::Mutex));
    if (mutex < 0 || mutex >= count) {
        base::fatal(function, "argument mutex = %d: rank %d owns %lld mutexes, numbered from 0",
                    mutex, owner, static_cast<long long>(count));
    }
    return slice.base + static_cast<uint64_t>(mutex) * sizeof(node::Mutex);
}

// The data server that has the owner's mutexes.
int64_t ask_server(Runtime& runtime, const char* function, wire::FrameKind kind, uint64_t address,
                   int owner) {
    runtime.hold_lock();
    const int server = runtime.server_of(owner, address);
    const bool answered = kind != wire::FrameKind::unlock;
    pipeline::RequestTask task(
        function, kind, wire::LockBody{address},
        answered ? pipeline::RequestTask::Answer::expected : pipeline::RequestTask::Answer::none);
    runtime.run_task(task, server, {function, "a mutex of rank", owner});
    runtime.network->origin.order().mark_must_precede(server);
    return task.value();
}

// In checking mode other ranks can see what this one waits for.
class WaitForMutex {
  public:
    WaitForMutex(Runtime& runtime, const char* function, int mutex, int owner, uint64_t address)
        : runtime_(runtime), checks_(runtime.checks.get()) {
        if (checks_ != nullptr) {
            checks_->wait_for_mutex(function, mutex, owner, address);
        }
    }
    ~WaitForMutex() {
        if (checks_ != nullptr) {
            runtime_.hold_lock();  // which a wait among threads has let go of
            checks_->end_wait();
        }
    }
    WaitForMutex(const WaitForMutex&) = delete;
    WaitForMutex& operator=(const WaitForMutex&) = delete;

  private:
    Runtime& runtime_;
    Checks* checks_;
};

// Polling first, for short critical sections; then sleeping, because the holder may need this core.
// The time-out lets this rank serve its node meanwhile.
constexpr int kPollsForGrant = 200;
constexpr int64_t kGrantSleepUs = 1000;

void wait_for_grant(Runtime& runtime, const WaitCause& cause, uint32_t waiter) {
    int polls = 0;
    runtime.wait_until(cause, [&] {
        if (runtime.mutex_queue.granted(waiter)) {
            return true;
        }
        if (++polls > kPollsForGrant) {
            runtime.end_inline_progress();
            runtime.mutex_queue.sleep_until_granted(waiter, kGrantSleepUs);
            return runtime.mutex_queue.granted(waiter);
        }
        return false;
    });
}

// With other threads beside: without the API lock but for a moment now and then, when nobody else
// has it. It never waits for that lock, because its holder may be waiting for something else.
void wait_for_grant_among_threads(Runtime& runtime, const WaitCause& cause, uint32_t waiter) {
    runtime.release_lock();
    LongWait long_wait(runtime, cause);
    base::Backoff backoff;
    int polls = 0;
    while (!runtime.mutex_queue.granted(waiter)) {
        runtime.api_lock.try_with([&] {
            long_wait.turn();
            runtime.serve();
        });
        if (++polls > kPollsForGrant) {
            runtime.mutex_queue.sleep_until_granted(waiter, kGrantSleepUs);
        } else {
            backoff.pause();
        }
    }
}

[[noreturn]] void fail_not_held(const char* function, int mutex, int owner) {
    base::fatal(function, "mutex %d of rank %d is not held by this rank; lock it before unlocking",
                mutex, owner);
}

[[noreturn]] void fail_held(const char* function, int mutex, int owner) {
    base::fatal(function,
                "mutex %d of rank %d is already held by this rank; waiting for it would "
                "never end. Unlock it first",
                mutex, owner);
}

}  // namespace

MutexSet create_mutexes(Runtime& runtime, const char* function, const GroupRef& group, int count) {
    if (count < 0) {
        base::fatal(function, "argument count = %d: must not be negative", count);
    }
    if (runtime.checks != nullptr) {
        runtime.checks->meet(function, *group, Collective::create_mutexes);
    }
    MutexSet set;
    set.group = group;
    std::vector<void*> bases(group->size());
    const auto bytes = static_cast<int64_t>(sizeof(node::Mutex)) * count;
    if (!allocate_global(runtime, function, group, bytes, bases.data(), &set.segment)) {
        base::fatal(function, "argument count = %d: no memory for that many mutexes", count);
    }
    if (set.segment != nullptr) {
        set.segment->is_internal = true;
    }
    auto* mine = static_cast<node::Mutex*>(bases[group->rank()]);
    for (int i = 0; i < count; ++i) {
        new (mine + i) node::Mutex;
    }
    group_barrier(runtime, *group);
    return set;
}

void destroy_mutexes(Runtime& runtime, const char* function, MutexSet* set) {
    if (set->group == nullptr) {
        base::fatal(function, "no mutexes exist; call ARMCI_Create_mutexes first");
    }
    if (runtime.checks != nullptr) {
        runtime.checks->meet(function, *set->group, Collective::destroy_mutexes);
        runtime.checks->fence_all();
    }
    fence_all(runtime);
    group_barrier(runtime, *set->group);
    if (set->segment != nullptr) {
        free_segment(runtime, set->segment);
    }
    *set = MutexSet{};
}

// Mutexes of this node know their holder. Those of others are remembered here: their data server
// could only refuse a request, for which nobody waits. Checking mode wants to know all.
void lock_mutex(Runtime& runtime, const char* function, const MutexSet& set, int mutex, int owner) {
    const uint64_t address = address_of(function, set, mutex, owner);
    const HeldMutex key{owner, address};
    if (!runtime.world.on_my_node(owner)) {
        runtime.hold_lock();
        std::vector<HeldMutex>& held = runtime.held_mutexes;
        if (!runtime.multi_threaded && std::find(held.begin(), held.end(), key) != held.end()) {
            fail_held(function, mutex, owner);
        }
        const WaitForMutex waiting(runtime, function, mutex, owner, address);
        ask_server(runtime, function, wire::FrameKind::lock, address, owner);
        held.push_back(key);
        return;
    }
    auto& local = *reinterpret_cast<node::Mutex*>(address);
    const auto own_rank = runtime.multi_threaded ? node::MutexQueue::OwnRank::may_hold
                                                 : node::MutexQueue::OwnRank::must_not_hold;
    const auto queued = runtime.mutex_queue.lock(local, runtime.world.rank, false, 0, own_rank);
    switch (queued.result) {
        case node::MutexQueue::LockResult::acquired:
            break;
        case node::MutexQueue::LockResult::held_by_caller:
            fail_held(function, mutex, owner);
        case node::MutexQueue::LockResult::no_room:
            base::fatal(function, "too many ranks of this node wait for mutexes");
        case node::MutexQueue::LockResult::queued: {
            const WaitForMutex waiting(runtime, function, mutex, owner, address);
            const WaitCause cause{function, "a mutex of rank", owner};
            if (runtime.multi_threaded) {
                wait_for_grant_among_threads(runtime, cause, queued.waiter);
            } else {
                wait_for_grant(runtime, cause, queued.waiter);
            }
            break;
        }
    }
    if (runtime.checks != nullptr) [[unlikely]] {
        runtime.held_mutexes.push_back(key);
    }
}

bool try_lock_mutex(Runtime& runtime, const char* function, const MutexSet& set, int mutex,
                    int owner) {
    const uint64_t address = address_of(function, set, mutex, owner);
    const bool on_my_node = runtime.world.on_my_node(owner);
    bool acquired = false;
    if (on_my_node) {
        auto& local = *reinterpret_cast<node::Mutex*>(address);
        acquired = runtime.mutex_queue.try_lock(local, runtime.world.rank);
    } else {
        acquired = ask_server(runtime, function, wire::FrameKind::try_lock, address, owner) != 0;
    }
    if (acquired && (!on_my_node || runtime.checks != nullptr)) {
        runtime.held_mutexes.emplace_back(owner, address);
    }
    return acquired;
}

void unlock_mutex(Runtime& runtime, const char* function, const MutexSet& set, int mutex,
                  int owner) {
    const uint64_t address = address_of(function, set, mutex, owner);
    if (runtime.checks != nullptr) [[unlikely]] {
        runtime.checks->fence_all();
    }
    if (!runtime.world.on_my_node(owner)) {
        runtime.hold_lock();
        std::vector<HeldMutex>& held = runtime.held_mutexes;
        const auto found = std::find(held.begin(), held.end(), HeldMutex{owner, address});
        if (found == held.end()) {
            fail_not_held(function, mutex, owner);
        }
        held.erase(found);
        fence_all(runtime);
        ask_server(runtime, function, wire::FrameKind::unlock, address, owner);
        return;
    }
    if (runtime.checks != nullptr) [[unlikely]] {
        std::erase(runtime.held_mutexes, HeldMutex{owner, address});
    }
    fence_all(runtime);
    auto& local = *reinterpret_cast<node::Mutex*>(address);
    switch (runtime.mutex_queue.unlock(local, runtime.world.rank, false).result) {
        case node::MutexQueue::UnlockResult::not_held:
            fail_not_held(function, mutex, owner);
        case node::MutexQueue::UnlockResult::must_forward:
            // The next waiter is on another node, and only the server that it has asked can tell
            // it.
            ask_server(runtime, function, wire::FrameKind::unlock, address, owner);
            return;
        case node::MutexQueue::UnlockResult::released:
        case node::MutexQueue::UnlockResult::grant_remote:
            return;
    }
}

}  // namespace armci::core
