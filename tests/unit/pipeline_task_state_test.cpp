// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/task_state.h"

#include <gtest/gtest.h>

#include <vector>

namespace armci::test {
namespace {

using pipeline::next_state;
using pipeline::TaskEvent;
using pipeline::TaskState;

TEST(TaskState, EventsInOrderLeadFromCreatedToComplete) {
    TaskState state = TaskState::created;
    std::vector<TaskState> states;
    for (const TaskEvent event : {TaskEvent::submitted, TaskEvent::turn_came, TaskEvent::all_posted,
                                  TaskEvent::last_completion}) {
        state = next_state(state, event);
        states.push_back(state);
    }
    EXPECT_EQ(states, (std::vector<TaskState>{TaskState::queued, TaskState::posting,
                                              TaskState::in_flight, TaskState::complete}));
}

TEST(TaskState, EventsOfOtherStatesChangeNothing) {
    size_t transitions = 0;
    for (size_t state = 0; state < pipeline::kTaskStates; ++state) {
        for (size_t event = 0; event < pipeline::kTaskEvents; ++event) {
            const auto from = static_cast<TaskState>(state);
            transitions += next_state(from, static_cast<TaskEvent>(event)) != from ? 1 : 0;
        }
    }
    EXPECT_EQ(transitions, std::size(pipeline::kTaskTransitions));
}

TEST(TaskState, NamesAreThoseOfTheTimeline) {
    EXPECT_STREQ(name_of(TaskState::queued), "queued");
    EXPECT_STREQ(name_of(TaskState::posting), "posting");
    EXPECT_STREQ(name_of(TaskState::in_flight), "in flight");
    EXPECT_STREQ(name_of(TaskState::complete), "complete");
}

}  // namespace
}  // namespace armci::test
