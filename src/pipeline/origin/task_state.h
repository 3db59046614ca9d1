// SPDX-License-Identifier: BSD-3-Clause
// The states of a task, each named for what the task waits for, and what leads from one to the
// next.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace armci::pipeline {

enum class TaskState : uint8_t { created, queued, posting, in_flight, complete };

enum class TaskEvent : uint8_t { submitted, turn_came, all_posted, last_completion };

struct TaskTransition {
    TaskState from;
    TaskEvent event;
    TaskState to;
};

inline constexpr TaskTransition kTaskTransitions[] = {
    // It waits until the tasks before it and the open batch of its channel are posted, and until
    // what must precede it at the node's other servers is known to be executed.
    {TaskState::created, TaskEvent::submitted, TaskState::queued},
    // It waits for what post() needs next: the acknowledgement of earlier frames, a buffer, a
    // receive buffer, room in the window, or the provider.
    {TaskState::queued, TaskEvent::turn_came, TaskState::posting},
    // It waits for completions and answers, whose number is what is pending.
    {TaskState::posting, TaskEvent::all_posted, TaskState::in_flight},
    // It waits for nothing. A function that is to be called then is called once.
    {TaskState::in_flight, TaskEvent::last_completion, TaskState::complete},
};

inline constexpr size_t kTaskStates = 5;
inline constexpr size_t kTaskEvents = 4;

// The state itself where the table has no such transition: the event means nothing then.
constexpr TaskState next_state(TaskState state, TaskEvent event) {
    constexpr auto kNext = [] {
        std::array<std::array<TaskState, kTaskEvents>, kTaskStates> next{};
        for (size_t from = 0; from < kTaskStates; ++from) {
            next[from].fill(static_cast<TaskState>(from));
        }
        for (const TaskTransition& transition : kTaskTransitions) {
            next[static_cast<size_t>(transition.from)][static_cast<size_t>(transition.event)] =
                transition.to;
        }
        return next;
    }();
    return kNext[static_cast<size_t>(state)][static_cast<size_t>(event)];
}

// For the timeline.
const char* name_of(TaskState state);

}  // namespace armci::pipeline
