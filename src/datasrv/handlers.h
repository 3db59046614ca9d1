// SPDX-License-Identifier: BSD-3-Clause
// The handlers carry out each kind of request of a data server.
//
// A handler gets a frame whose turn it is, and the body of its kind, decoded and checked
// (handlers.cpp has the table). It answers through the parts of the server that it needs, or
// returns why it refuses. A refused request has changed nothing. The exception is a batch, which is
// executed up to its first bad entry; its origin ends the job.
#pragma once

#include <cstdint>
#include <vector>

#include "datasrv/answers.h"
#include "datasrv/client.h"
#include "datasrv/clients.h"
#include "datasrv/get_streams.h"
#include "datasrv/gets_by_put.h"
#include "datasrv/granted_buffers.h"
#include "datasrv/refusal.h"
#include "datasrv/target_memory.h"
#include "node/mutex_queue.h"
#include "wire/frame.h"

namespace armci::datasrv {

struct Request {
    Client& client;
    const wire::FrameHeader& header;
    const void* frame;

    Refusal malformed(uint64_t address = 0) const {
        return {wire::Failure::malformed, address, header.frame_bytes};
    }
};

// The parts of a server that handlers work with.
struct HandlerParts {
    Answers& answers;
    Clients& clients;
    TargetMemory& memory;
    GrantedBuffers& granted;
    GetStreams& streams;
    GetsByPut& gets_by_put;
    node::MutexQueue& mutexes;
    std::vector<uint64_t>& addresses;  // of the vector that is being executed

    template <class Body>
    void answer(const Request& request, wire::FrameKind kind, const Body& body) const {
        answers.answer(request.client, kind, request.header.request_id, body);
    }
};

// Carries out a request, or sends its origin the refusal.
void execute(const HandlerParts& parts, const Request& request);

// These are in transfer_handlers.cpp. All but the last decode their bodies themselves.
Outcome handle_put(const HandlerParts& parts, const Request& request);
Outcome handle_accumulate(const HandlerParts& parts, const Request& request);
Outcome handle_get(const HandlerParts& parts, const Request& request);
Outcome handle_batch(const HandlerParts& parts, const Request& request);

Outcome handle_get_by_put(const HandlerParts& parts, const Request& request,
                          const wire::GetByPutBody& body);

// flow_handlers.cpp
Outcome handle_credit(const HandlerParts& parts, const Request& request,
                      const wire::CreditBody& body);
Outcome handle_release(const HandlerParts& parts, const Request& request,
                       const wire::RecvBuffersBody& body);

// word_handlers.cpp
Outcome handle_rmw(const HandlerParts& parts, const Request& request, const wire::RmwBody& body);
Outcome handle_store(const HandlerParts& parts, const Request& request,
                     const wire::StoreBody& body);
Outcome handle_increment(const HandlerParts& parts, const Request& request,
                         const wire::StoreBody& body);

// mutex_handlers.cpp
Outcome handle_lock(const HandlerParts& parts, const Request& request, const wire::LockBody& body);
Outcome handle_try_lock(const HandlerParts& parts, const Request& request,
                        const wire::LockBody& body);
Outcome handle_unlock(const HandlerParts& parts, const Request& request,
                      const wire::LockBody& body);

// memory_handlers.cpp
Outcome handle_add_segment(const HandlerParts& parts, const Request& request,
                           const wire::SegmentBody& body);
Outcome handle_remove_segment(const HandlerParts& parts, const Request& request,
                              const wire::SegmentBody& body);
Outcome handle_find_attached(const HandlerParts& parts, const Request& request,
                             const wire::FindAttachedBody& body);

}  // namespace armci::datasrv
