// SPDX-License-Identifier: BSD-3-Clause
// The states of a task, each named for what the task waits for, and the events that lead from one
// to the next. A state has the events of the table and no others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace armci::pipeline {

enum class TaskState : uint8_t { created, queued, posting, in_flight, complete };

enum class TaskEvent : uint8_t { submitted, turn_came, all_posted, nothing_pending };

struct TaskTransition {
    TaskState from;
    TaskEvent event;
    TaskState to;
};

inline constexpr TaskTransition kTaskTransitions[] = {
    // The task waits until the tasks before it are posted, and the open batch unless it joins that.
    {TaskState::created, TaskEvent::submitted, TaskState::queued},
    // The task waits for what post() needs next: the acknowledgement of earlier frames, a buffer, a
    // receive buffer, room in the window, or the provider.
    {TaskState::queued, TaskEvent::turn_came, TaskState::posting},
    // post() is called again, because it could not post everything.
    {TaskState::posting, TaskEvent::turn_came, TaskState::posting},
    // Whatever the task has posted so far has completed, and it has more to post.
    {TaskState::posting, TaskEvent::nothing_pending, TaskState::posting},
    // The task waits for completions and answers. Their number is its pending count.
    {TaskState::posting, TaskEvent::all_posted, TaskState::in_flight},
    // The task waits for nothing. Its completion function, if any, is called once.
    {TaskState::in_flight, TaskEvent::nothing_pending, TaskState::complete},
};

inline constexpr size_t kTaskStates = 5;
inline constexpr size_t kTaskEvents = 4;

// Returns no state if the table has no such row: the event is an error then.
constexpr std::optional<TaskState> next_state(TaskState state, TaskEvent event) {
    constexpr auto kNext = [] {
        std::array<std::array<std::optional<TaskState>, kTaskEvents>, kTaskStates> next{};
        for (const TaskTransition& transition : kTaskTransitions) {
            next[static_cast<size_t>(transition.from)][static_cast<size_t>(transition.event)] =
                transition.to;
        }
        return next;
    }();
    return kNext[static_cast<size_t>(state)][static_cast<size_t>(event)];
}

// Returns the name for the timeline.
const char* name_of(TaskState state);
// Returns the name for messages.
const char* name_of(TaskEvent event);

}  // namespace armci::pipeline
