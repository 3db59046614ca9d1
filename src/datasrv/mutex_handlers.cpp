// SPDX-License-Identifier: BSD-3-Clause
// Requests about mutexes in global memory.
#include "datasrv/handlers.h"

namespace armci::datasrv {
namespace {

// Returns nullptr when there is no mutex at that address.
node::Mutex* mutex_at(const TargetMemory& memory, uint64_t address) {
    auto* mutex = reinterpret_cast<node::Mutex*>(address);
    const bool is_mutex = address % alignof(node::Mutex) == 0 &&
                          memory.is_global(address, sizeof(node::Mutex)) &&
                          mutex->magic == node::kMutexMagic;
    return is_mutex ? mutex : nullptr;
}

Refusal not_a_mutex(const wire::LockBody& body) {
    return {wire::Failure::not_a_mutex, body.address, sizeof(node::Mutex)};
}

}  // namespace

Outcome handle_lock(const HandlerParts& parts, const Request& request, const wire::LockBody& body) {
    node::Mutex* mutex = mutex_at(parts.memory, body.address);
    if (mutex == nullptr) {
        return not_a_mutex(body);
    }
    const uint64_t request_id = request.header.request_id;
    switch (parts.mutexes.lock(*mutex, request.client.rank, true, request_id).result) {
        case node::MutexQueue::LockResult::acquired:
            parts.answers.answer_empty(request.client, wire::FrameKind::locked, request_id);
            return {};
        case node::MutexQueue::LockResult::no_room:
            return Refusal{wire::Failure::no_room, body.address, 0};
        case node::MutexQueue::LockResult::queued:
        case node::MutexQueue::LockResult::held_by_caller:  // not returned, because it is not asked
                                                            // for
            return {};
    }
    return {};
}

Outcome handle_try_lock(const HandlerParts& parts, const Request& request,
                        const wire::LockBody& body) {
    node::Mutex* mutex = mutex_at(parts.memory, body.address);
    if (mutex == nullptr) {
        return not_a_mutex(body);
    }
    const wire::ValueBody acquired{parts.mutexes.try_lock(*mutex, request.client.rank) ? 1 : 0};
    parts.answer(request, wire::FrameKind::value, acquired);
    return {};
}

Outcome handle_unlock(const HandlerParts& parts, const Request& request,
                      const wire::LockBody& body) {
    node::Mutex* mutex = mutex_at(parts.memory, body.address);
    if (mutex == nullptr) {
        return not_a_mutex(body);
    }
    const node::MutexQueue::Unlocked unlocked =
        parts.mutexes.unlock(*mutex, request.client.rank, true);
    if (unlocked.result == node::MutexQueue::UnlockResult::not_held) {
        return Refusal{wire::Failure::not_held, body.address, 0};
    }
    if (unlocked.result == node::MutexQueue::UnlockResult::handed_to_remote) {
        parts.answers.answer_empty(parts.clients.of_rank(unlocked.rank), wire::FrameKind::locked,
                                   unlocked.request_id);
    }
    return {};
}

}  // namespace armci::datasrv
