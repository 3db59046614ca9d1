// SPDX-License-Identifier: BSD-3-Clause
// Requests of tasks that wait for a data server's answer, by the number that names them on the
// wire.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/slot_table.h"

namespace armci::pipeline {

class Task;

class PendingRequests {
  public:
    struct Request {
        Task* task = nullptr;
        int tag = 0;  // tells the task which of its requests it is
    };

    // Returns the number. Answers reach the task's on_answer() with the tag until the request is
    // removed. It is never 0, which means "no answer expected".
    uint64_t add(Task* task, int tag) {
        const uint32_t slot = requests_.take();
        requests_[slot] = {task, tag};
        return requests_.name_of(slot);
    }
    // Does nothing if it has been removed already.
    void remove(uint64_t request_id) {
        if (requests_.find(request_id) != nullptr) {
            requests_.release(static_cast<uint32_t>(request_id));
        }
    }
    // Returns nullptr when no such request is pending.
    Request* find(uint64_t request_id) { return requests_.find(request_id); }
    size_t count() const { return requests_.used_count(); }

  private:
    base::SlotTable<Request> requests_;
};

}  // namespace armci::pipeline
