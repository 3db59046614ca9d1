// SPDX-License-Identifier: BSD-3-Clause
// Requests for atomic operations on single words.
#include <atomic>

#include "datasrv/attached.h"
#include "datasrv/handlers.h"
#include "node/word_atomics.h"

namespace armci::datasrv {

Outcome handle_rmw(const HandlerParts& parts, const Request& request, const wire::RmwBody& body) {
    const auto operation = static_cast<node::WordOperation>(body.operation);
    const Location location = parts.memory.find(
        body.address, static_cast<uint64_t>(node::word_bytes(operation)), body.owner);
    if (location.is_nowhere()) {
        return location.refusal();
    }
    wire::ValueBody old;
    if (location.is_attached()) {
        if (const Outcome refusal =
                rmw_attached(parts.memory.stripes(), location.process, body, &old)) {
            return refusal;
        }
    } else {
        old.value =
            node::read_modify_write(operation, reinterpret_cast<void*>(body.address), body.operand);
    }
    parts.answer(request, wire::FrameKind::value, old);
    return {};
}

Outcome handle_store(const HandlerParts& parts, const Request&, const wire::StoreBody& body) {
    const Location location = parts.memory.find(body.address, sizeof(int), body.owner);
    if (location.is_nowhere()) {
        return location.refusal();
    }
    if (location.is_attached()) {
        std::atomic_thread_fence(
            std::memory_order_seq_cst);  // the flag changes after all data before it
        return change_attached(parts.memory.stripes(), location.process, body.address, nullptr,
                               &body.value, sizeof body.value);
    }
    __atomic_store_n(reinterpret_cast<int*>(body.address), body.value, __ATOMIC_RELEASE);
    return {};
}

Outcome handle_increment(const HandlerParts& parts, const Request&, const wire::StoreBody& body) {
    // The counter that is incremented is the library's own.
    const Location location = parts.memory.find(body.address, sizeof(int), wire::kGlobal);
    if (location.is_nowhere()) {
        return location.refusal();
    }
    __atomic_fetch_add(reinterpret_cast<int*>(body.address), body.value, __ATOMIC_RELEASE);
    return {};
}

}  // namespace armci::datasrv
