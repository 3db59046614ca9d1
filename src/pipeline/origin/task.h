// SPDX-License-Identifier: BSD-3-Clause
// An operation under way between this origin and one data server.
//
// Tasks of one channel are posted strictly one after the other, so frames leave in program order;
// their completions may overlap. task_state.h has the states of a task and what they wait for. A
// blocking call keeps its task on the stack and waits. A non-blocking one puts it on the heap and
// names a function that is called once, when it is complete, and disposes of it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/trace.h"
#include "pipeline/origin/channel.h"
#include "pipeline/origin/task_state.h"
#include "wire/frame.h"

namespace armci::pipeline {

struct OriginServices;

class Task {
  public:
    explicit Task(const char* function) : function_(function) {}
    virtual ~Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    // Posts what can be posted now. Returns true when nothing is left to post. Never waits.
    virtual bool post(OriginServices& origin) = 0;
    // Takes a server's answer to one of this task's requests; `tag` is what the request was added
    // with. The frame lies in receive memory and is gone afterwards. Returns false when the task
    // expects no answer.
    virtual bool on_answer(OriginServices& /*origin*/, const wire::FrameHeader& /*header*/,
                           const void* /*frame*/, int /*tag*/) {
        return false;
    }

    // Is called when the call that submitted a non-blocking task ends before the task is posted. It
    // copies what the caller may change then and post() still needs.
    virtual void keep_arguments() {}

    // Returns the bytes that the task will send in chunks. They determine how many receive buffers
    // to ask for.
    virtual int64_t chunk_bytes() const { return 0; }

    // Returns whether post() appends to the open batch, which need not leave before.
    virtual bool joins_batch() const { return false; }

    bool is_complete() const { return state_ == TaskState::complete; }
    const char* function() const { return function_; }
    Channel& channel() const { return *channel_; }

    // Makes it a non-blocking task. Call it before submit().
    using CompletionFunction = void (*)(Task* task, void* context);
    void call_when_complete(CompletionFunction on_complete, void* context) {
        on_complete_ = on_complete;
        completion_context_ = context;
    }
    // Makes fences wait for this task, a get without a handle. Call it before submit(); later
    // PendingTasks does it.
    void let_fences_wait() { fences_wait_ = true; }

    // The neighbours of a task: the next on its channel's queue and, for a non-blocking one, its
    // neighbours among all of the channel's that are under way.
    struct Links {
        Task* next = nullptr;
        Task* older = nullptr;
        Task* newer = nullptr;
    };
    Links& links() { return links_; }
    // Numbers follow the order of submission, from 1.
    Links& begin(Channel& channel, uint64_t number) {
        channel_ = &channel;
        number_ = number;
        take(TaskEvent::submitted);
        return links_;
    }
    uint64_t number() const { return number_; }
    bool is_blocking() const { return on_complete_ == nullptr; }
    bool fences_wait() const { return fences_wait_; }
    void call_completion() { on_complete_(this, completion_context_); }

    // Note that post() is called, for the first time or again, and that it has returned true.
    void note_turn() { take(TaskEvent::turn_came); }
    void note_posted() { take(TaskEvent::all_posted); }
    bool is_posted() const { return state_ >= TaskState::in_flight; }
    // Count one more, or one less, posted operation or expected answer.
    void add_pending() { ++pending_; }
    void remove_pending() { --pending_; }
    int32_t pending() const { return pending_; }
    // Is called after one of them has ended, or all are posted. Returns true once, when the task
    // becomes complete.
    bool completes() {
        if (pending_ > 0) {
            return false;
        }
        take(TaskEvent::nothing_pending);
        return is_complete();
    }
    // Returns the count, among these, of writes that complete when delivered.
    int32_t& writes_in_flight() { return writes_in_flight_; }

  private:
    // Ends the job if the state has no such event: the task, and fences, would wait forever.
    void take(TaskEvent event) {
        const std::optional<TaskState> next = next_state(state_, event);
        if (!next) [[unlikely]] {
            refuse(event);
        }
        if (base::is_tracing() && *next != state_) [[unlikely]] {
            record_state();
        }
        state_ = *next;
    }
    [[noreturn]] void refuse(TaskEvent event) const;
    void record_state();

    const char* function_;
    Channel* channel_ = nullptr;
    uint64_t number_ = 0;
    Links links_;
    int32_t pending_ = 0;
    int32_t writes_in_flight_ = 0;
    TaskState state_ = TaskState::created;
    bool fences_wait_ = false;
    uint32_t since_us_ =
        0;  // when the state began, for the timeline: lower bits of the clock; 0: not known
    CompletionFunction on_complete_ = nullptr;
    void* completion_context_ = nullptr;
};

}  // namespace armci::pipeline
