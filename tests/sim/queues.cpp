// SPDX-License-Identifier: BSD-3-Clause
// Completion queues of the simulated provider, and waiting for them.
#include <algorithm>

#include "descriptors.h"
#include "fiber.h"
#include "libc.h"
#include "network.h"
#include "simulation.h"
#include "timeline.h"

namespace armci::sim::network {
namespace {

bool has_entries(const void* queue) {
    return !static_cast<const SimQueue*>(queue)->entries.empty();
}

bool is_readable(const void* queue) {
    return has_entries(queue) || static_cast<const SimQueue*>(queue)->has_written;
}

void charge(const SimQueue& queue, const fi_cq_data_entry* entries, ssize_t count) {
    if (is_timed()) {
        charge_completions(queue, entries, count);
    }
}

ssize_t read_queue(fid_cq* cq, void* buffer, size_t count) {
    auto& queue = *reinterpret_cast<SimQueue*>(cq);
    queue.has_written = false;
    if (Fiber::is_inside() && !queue.endpoint->is_server && !(is_timed() && has_entries(&queue))) {
        Fiber::yield();
    }
    const auto& operations = provider().operations;
    const bool is_local_turn =
        std::any_of(operations.begin(), operations.end(), [&](const auto& operation) {
            return operation->from == queue.endpoint && operation->waits_for_sender &&
                   !operation->is_read;
        });
    if (rules().polling != Polling::none || is_local_turn) {
        provider().polled = queue.endpoint;
        for (int64_t left = draw(0, 8); left > 0 && move_something(is_local_turn); --left) {
        }
        provider().polled = nullptr;
    }
    // An origin that expects nothing polls seldom, so that all its polls before the end of a job
    // might be empty.
    const bool is_held_back = happens(rules().empty_polls) && !provider().are_delays_suspended;
    if (queue.entries.empty() || is_held_back) {
        charge(queue, nullptr, 0);
        return -FI_EAGAIN;
    }
    auto* entries = static_cast<fi_cq_data_entry*>(buffer);
    ssize_t taken = 0;
    const auto max = static_cast<ssize_t>(draw(1, static_cast<int64_t>(count)));
    while (taken < max && !queue.entries.empty()) {
        const Entry& entry = queue.entries.front();
        if (entry.error != 0) {
            return taken > 0 ? taken : -FI_EAVAIL;
        }
        entries[taken++] = entry.data;
        if (entry.receive != nullptr) {
            --entry.receive->unread;
        }
        queue.entries.pop_front();
    }
    record("read completions", queue.endpoint->name(), taken);
    charge(queue, entries, taken);
    return taken;
}

// The others have their turn afterwards: the caller holds a lock.
ssize_t wait_for_queue(fid_cq* cq, void* buffer, size_t count, const void*, int) {
    owe_turn();
    return read_queue(cq, buffer, count);
}

ssize_t read_error(fid_cq* cq, fi_cq_err_entry* error, uint64_t) {
    auto& queue = *reinterpret_cast<SimQueue*>(cq);
    if (queue.entries.empty() || queue.entries.front().error == 0) {
        return -FI_EAGAIN;
    }
    const Entry entry = queue.entries.front();
    queue.entries.pop_front();
    error->op_context = entry.data.op_context;
    error->flags = entry.data.flags;
    error->err = entry.error;
    return 1;
}

const char* error_text(fid_cq*, int, const void*, char*, size_t) {
    return "the connection is gone";
}

int close_queue(fid* object) {
    auto* queue = reinterpret_cast<SimQueue*>(object);
    if (queue->wait_fd >= 0) {
        close_simulated(queue->wait_fd);
    }
    --provider().open_objects;
    delete queue;
    return 0;
}

int control_queue(fid* object, int command, void* argument) {
    auto* queue = reinterpret_cast<SimQueue*>(object);
    if (command != FI_GETWAIT || queue->wait_fd < 0) {
        return -FI_ENOSYS;
    }
    *static_cast<int*>(argument) = queue->wait_fd;
    return 0;
}

WaitObject wait_object(fi_wait_obj asked) {
    const Twin* twin = rules().twin;
    if (twin == nullptr || asked == FI_WAIT_NONE) {
        return WaitObject::granted;
    }
    return asked == FI_WAIT_FD       ? twin->wait_fd
           : asked == FI_WAIT_UNSPEC ? twin->wait_unspecified
                                     : WaitObject::refused;
}

}  // namespace

int open_queue(fid_domain*, fi_cq_attr* attributes, fid_cq** cq, void*) {
    static fi_ops ops = {sizeof ops, close_queue, nullptr, control_queue,
                         nullptr,    nullptr,     nullptr};
    static fi_ops_cq cq_ops = {sizeof cq_ops,  read_queue, nullptr, read_error,
                               wait_for_queue, nullptr,    nullptr, error_text};
    if (attributes->format != FI_CQ_FORMAT_DATA) {
        return -FI_ENOSYS;
    }
    const WaitObject wait = wait_object(attributes->wait_obj);
    if (wait == WaitObject::refused) {
        return -FI_ENOSYS;
    }
    if (const int error = refuse(StartCall::queue); error != 0) {
        return -error;
    }
    ++provider().open_objects;
    auto* queue = new SimQueue;
    queue->size = attributes->size;
    const bool is_granted = wait == WaitObject::granted || wait == WaitObject::unsignalled;
    queue->waits = attributes->wait_obj != FI_WAIT_NONE && is_granted;
    queue->cq.fid = {FI_CLASS_CQ, nullptr, &ops};
    queue->cq.ops = &cq_ops;
    if (attributes->wait_obj == FI_WAIT_FD && is_granted) {
        queue->wait_fd = open_queue_event(is_readable, queue);
    }
    *cq = &queue->cq;
    return 0;
}

// As in a real provider, what has been written does not wake anybody any more.
int try_wait(fid_fabric*, fid** objects, int) {
    reinterpret_cast<SimQueue*>(objects[0])->has_written = false;
    return has_entries(objects[0]) || happens(100) ? -FI_EAGAIN : 0;
}

}  // namespace armci::sim::network
