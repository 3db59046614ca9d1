// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/task_state.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "pipeline/origin/task.h"

namespace armci::test {
namespace {

using pipeline::next_state;
using pipeline::TaskEvent;
using pipeline::TaskState;

// A task of which nothing is posted or answered.
class BareTask : public pipeline::Task {
  public:
    BareTask() : Task("ARMCI_Put") {}
    bool post(pipeline::OriginServices&) override { return true; }
};

std::vector<TaskState> states_after(std::initializer_list<TaskEvent> events) {
    std::vector<TaskState> states{TaskState::created};
    for (const TaskEvent event : events) {
        const std::optional<TaskState> next = next_state(states.back(), event);
        if (!next) {
            break;
        }
        states.push_back(*next);
    }
    return states;
}

TEST(TaskState, EventsInOrderLeadFromCreatedToComplete) {
    EXPECT_EQ(states_after({TaskEvent::submitted, TaskEvent::turn_came, TaskEvent::all_posted,
                            TaskEvent::nothing_pending}),
              (std::vector<TaskState>{TaskState::created, TaskState::queued, TaskState::posting,
                                      TaskState::in_flight, TaskState::complete}));
}

TEST(TaskState, ATaskThatHasMoreToPostStaysAtThat) {
    EXPECT_EQ(
        states_after({TaskEvent::submitted, TaskEvent::turn_came, TaskEvent::nothing_pending,
                      TaskEvent::turn_came, TaskEvent::all_posted}),
        (std::vector<TaskState>{TaskState::created, TaskState::queued, TaskState::posting,
                                TaskState::posting, TaskState::posting, TaskState::in_flight}));
}

TEST(TaskState, NoStateHasAnyOtherEvent) {
    size_t possible = 0;
    for (size_t state = 0; state < pipeline::kTaskStates; ++state) {
        for (size_t event = 0; event < pipeline::kTaskEvents; ++event) {
            possible +=
                next_state(static_cast<TaskState>(state), static_cast<TaskEvent>(event)) ? 1 : 0;
        }
    }
    EXPECT_EQ(possible, std::size(pipeline::kTaskTransitions));
}

TEST(TaskState, ATaskIsCompleteOnceAllIsPostedAndNothingIsPending) {
    pipeline::Channel channel;
    BareTask task;
    task.begin(channel, 1);
    task.note_turn();
    EXPECT_FALSE(task.completes());
    task.add_pending();
    task.note_posted();
    EXPECT_FALSE(task.completes());
    task.remove_pending();
    EXPECT_TRUE(task.completes());
    EXPECT_TRUE(task.is_complete());
}

// Otherwise a fence would wait for it forever.
TEST(TaskState, ACompleteTaskThatIsSubmittedAgainEndsTheJob) {
    pipeline::Channel channel;
    BareTask task;
    task.begin(channel, 1);
    task.note_turn();
    task.note_posted();
    ASSERT_TRUE(task.completes());
    EXPECT_EXIT(task.begin(channel, 2), testing::ExitedWithCode(1),
                "ARMCI_Put: .*task 2 is complete and had the event \"submitted\"");
}

TEST(TaskState, ACompletionAfterTheLastEndsTheJob) {
    pipeline::Channel channel;
    BareTask task;
    task.begin(channel, 1);
    task.note_turn();
    task.note_posted();
    ASSERT_TRUE(task.completes());
    EXPECT_EXIT(task.completes(), testing::ExitedWithCode(1),
                "ARMCI_Put: .*task 1 is complete and had the event \"nothing pending\"");
}

TEST(TaskState, NamesAreThoseOfTheTimeline) {
    EXPECT_STREQ(name_of(TaskState::queued), "queued");
    EXPECT_STREQ(name_of(TaskState::posting), "posting");
    EXPECT_STREQ(name_of(TaskState::in_flight), "in flight");
    EXPECT_STREQ(name_of(TaskState::complete), "complete");
}

}  // namespace
}  // namespace armci::test
