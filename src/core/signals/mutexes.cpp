// SPDX-License-Identifier: BSD-3-Clause
#include "core/signals/mutexes.h"

#include <algorithm>
#include <new>

#include "base/log.h"
#include "pipeline/origin/request_task.h"

namespace armci::core {
namespace {

// Returns the address of the mutex in its owner's memory. The job ends when there is no such mutex.
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

// In checking mode, other ranks can see what this one waits for while this object lives.
class WaitForMutex {
  public:
    WaitForMutex(Threads& threads, Checking& checking) : threads_(threads), checking_(checking) {}
    ~WaitForMutex() {
        if (checking_.is_on()) {
            threads_.hold_lock();  // which a wait among threads has released
            checking_->end_wait();
        }
    }
    WaitForMutex(const WaitForMutex&) = delete;
    WaitForMutex& operator=(const WaitForMutex&) = delete;

  private:
    Threads& threads_;
    Checking& checking_;
};

// A waiter polls first, for short critical sections. Then it sleeps, because the holder may need
// this core. The time-out lets this rank serve its node meanwhile.
constexpr int kPollsForHandOver = 200;
constexpr int64_t kHandOverSleepUs = 1000;

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

// Asks the data server that has the owner's mutexes.
int64_t Mutexes::ask_server(const char* function, wire::FrameKind kind, uint64_t address,
                            int owner) {
    threads_.hold_lock();
    const int server = progress_.network()->rank_servers.of(owner);
    const bool answered = kind != wire::FrameKind::unlock;
    pipeline::RequestTask task(
        function, kind, wire::LockBody{address},
        answered ? pipeline::RequestTask::Answer::expected : pipeline::RequestTask::Answer::none);
    progress_.network()->learning.drop();  // the mutex may be held for long
    progress_.run_task(task, server, {function, "a mutex of rank", owner});
    return task.value();
}

void Mutexes::wait_for_hand_over(const WaitCause& cause, uint32_t waiter) {
    int polls = 0;
    progress_.wait_until(cause, [&] {
        if (queue_.try_end_wait(waiter)) {
            return true;
        }
        if (++polls > kPollsForHandOver) {
            progress_.end_inline_progress();
            progress_.tell_server_of_sleep(
                [&] { queue_.sleep_until_handed_over(waiter, kHandOverSleepUs); });
            return queue_.try_end_wait(waiter);
        }
        return false;
    });
}

// Waits among other threads without the API lock, which it takes for a moment now and then, when it
// is free. It never waits for that lock, because its holder may be waiting for something else.
void Mutexes::wait_for_hand_over_among_threads(const WaitCause& cause, uint32_t waiter) {
    threads_.release_lock();
    LongWait long_wait(progress_.context(), cause);
    base::Backoff backoff;
    int polls = 0;
    while (!queue_.try_end_wait(waiter)) {
        threads_.lock().try_with([&] {
            long_wait.turn();
            progress_.serve();
        });
        if (++polls > kPollsForHandOver) {
            queue_.sleep_until_handed_over(waiter, kHandOverSleepUs);
        } else {
            backoff.pause();
        }
    }
}

MutexSet Mutexes::create(const char* function, const GroupRef& group, int count) {
    if (count < 0) {
        base::fatal(function, "argument count = %d: must not be negative", count);
    }
    checking_->meet(function, *group, Collective::create_mutexes);
    MutexSet set;
    set.group = group;
    const auto bytes = static_cast<int64_t>(sizeof(node::Mutex)) * count;
    if (!memory_.allocate(function, group, bytes, nullptr, &set.segment)) {
        base::fatal(function, "argument count = %d: no memory for that many mutexes", count);
    }
    if (set.segment != nullptr) {
        set.segment->is_internal = true;
    }
    auto* mine = count > 0 ? reinterpret_cast<node::Mutex*>(set.segment->slice(group->rank()).base)
                           : nullptr;
    for (int i = 0; i < count; ++i) {
        new (mine + i) node::Mutex;
    }
    barriers_.wait_for_group(*group);
    return set;
}

void Mutexes::destroy(const char* function, MutexSet* set) {
    if (set->group == nullptr) {
        base::fatal(function, "no mutexes exist; call ARMCI_Create_mutexes first");
    }
    checking_->meet(function, *set->group, Collective::destroy_mutexes);
    checking_->fence_all();
    fence_all(progress_);
    barriers_.wait_for_group(*set->group);
    check_none_held(function, *set);
    if (set->segment != nullptr) {
        memory_.free_segment(set->segment);
    }
    *set = MutexSet{};
}

// All releases have been carried out: each rank has fenced, and then they have met.
void Mutexes::check_none_held(const char* function, const MutexSet& set) {
    if (set.segment == nullptr) {
        return;
    }
    const Slice mine = set.segment->slice(set.group->rank());
    auto* mutexes = reinterpret_cast<node::Mutex*>(mine.base);
    for (size_t i = 0; i < mine.bytes / sizeof(node::Mutex); ++i) {
        const int32_t holder = queue_.holder(mutexes[i]);
        if (holder != node::kNoHolder) {
            base::fatal(function, "mutex %zu of rank %d is held by rank %d; unlock it first", i,
                        world_.rank, holder);
        }
    }
}

// Mutexes of this node know their holder. Those of other nodes are remembered here, because their
// data server could only refuse a request for which no rank waits. Checking mode needs all of them.
void Mutexes::lock_remotely(const char* function, const MutexSet& set, int mutex, int owner) {
    const uint64_t address = address_of(function, set, mutex, owner);
    const HeldMutex key{owner, address};
    threads_.hold_lock();
    if (!threads_.is_multiple() && std::find(held_.begin(), held_.end(), key) != held_.end()) {
        fail_held(function, mutex, owner);
    }
    checking_->wait_for_mutex(function, mutex, owner, address);
    const WaitForMutex waiting(threads_, checking_);
    ask_server(function, wire::FrameKind::lock, address, owner);
    held_.push_back(key);
}

void Mutexes::lock(const char* function, const MutexSet& set, int mutex, int owner) {
    if (!world_.on_my_node(owner)) {
        lock_remotely(function, set, mutex, owner);
        return;
    }
    const uint64_t address = address_of(function, set, mutex, owner);
    auto& local = *reinterpret_cast<node::Mutex*>(address);
    const auto own_rank = threads_.is_multiple() ? node::MutexQueue::OwnRank::may_hold
                                                 : node::MutexQueue::OwnRank::must_not_hold;
    const auto queued = queue_.lock(local, world_.rank, false, 0, own_rank);
    switch (queued.result) {
        case node::MutexQueue::LockResult::acquired:
            break;
        case node::MutexQueue::LockResult::held_by_caller:
            fail_held(function, mutex, owner);
        case node::MutexQueue::LockResult::no_room:
            base::fatal(function, "too many ranks of this node wait for mutexes");
        case node::MutexQueue::LockResult::queued: {
            checking_->wait_for_mutex(function, mutex, owner, address);
            const WaitForMutex waiting(threads_, checking_);
            const WaitCause cause{function, "a mutex of rank", owner};
            if (threads_.is_multiple()) {
                wait_for_hand_over_among_threads(cause, queued.waiter);
            } else {
                wait_for_hand_over(cause, queued.waiter);
            }
            break;
        }
    }
    if (checking_.is_on()) [[unlikely]] {
        held_.emplace_back(owner, address);
    }
}

bool Mutexes::try_lock(const char* function, const MutexSet& set, int mutex, int owner) {
    const uint64_t address = address_of(function, set, mutex, owner);
    const bool on_my_node = world_.on_my_node(owner);
    bool acquired = false;
    if (on_my_node) {
        auto& local = *reinterpret_cast<node::Mutex*>(address);
        acquired = queue_.try_lock(local, world_.rank);
    } else {
        acquired = ask_server(function, wire::FrameKind::try_lock, address, owner) != 0;
    }
    if (acquired && (!on_my_node || checking_.is_on())) {
        held_.emplace_back(owner, address);
    }
    return acquired;
}

void Mutexes::unlock_remotely(const char* function, const MutexSet& set, int mutex, int owner) {
    const uint64_t address = address_of(function, set, mutex, owner);
    checking_->fence_all();
    threads_.hold_lock();
    const auto found = std::find(held_.begin(), held_.end(), HeldMutex{owner, address});
    if (found == held_.end()) {
        fail_not_held(function, mutex, owner);
    }
    held_.erase(found);
    // What this rank did at the mutex's own server is executed before the release, and the
    // acknowledgement of the release is that of all.
    const int server = progress_.network()->rank_servers.of(owner);
    const bool waits = fence_all_before(progress_, server);
    pipeline::RequestTask task(function, wire::FrameKind::unlock, wire::LockBody{address},
                               pipeline::RequestTask::Answer::none);
    if (waits) {
        task.ask_acknowledge();
    }
    progress_.run_task(task, server, {function, "a mutex of rank", owner});
    if (waits) {
        fence(progress_, owner);
    }
}

void Mutexes::unlock(const char* function, const MutexSet& set, int mutex, int owner) {
    if (!world_.on_my_node(owner)) {
        unlock_remotely(function, set, mutex, owner);
        return;
    }
    const uint64_t address = address_of(function, set, mutex, owner);
    if (checking_.is_on()) [[unlikely]] {
        checking_->fence_all();
        std::erase(held_, HeldMutex{owner, address});
    }
    fence_all(progress_);
    auto& local = *reinterpret_cast<node::Mutex*>(address);
    switch (queue_.unlock(local, world_.rank, false).result) {
        case node::MutexQueue::UnlockResult::not_held:
            fail_not_held(function, mutex, owner);
        case node::MutexQueue::UnlockResult::must_forward:
            // The next waiter is on another node, and only the server that it has asked can notify
            // it.
            ask_server(function, wire::FrameKind::unlock, address, owner);
            return;
        case node::MutexQueue::UnlockResult::released:
        case node::MutexQueue::UnlockResult::handed_to_remote:
            return;
    }
}

}  // namespace armci::core
