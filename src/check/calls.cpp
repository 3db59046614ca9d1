// SPDX-License-Identifier: BSD-3-Clause
// Checking mode: collective calls that do not meet, and ranks that wait for each other.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "base/log.h"
#include "check/checks.h"

namespace armci::check {

// One rank writes this and others read it through copies that may be torn. A rank that acts on one
// reads it again first, and believes only what stays the same.
void Checks::say(const Waiting& waiting) {
    const uint64_t mine = board_->slice(runtime_.world.rank).base;
    std::memcpy(reinterpret_cast<void*>(mine), &waiting, sizeof waiting);
}

void Checks::wait_for_mutex(const char* function, int mutex, int owner, uint64_t address) {
    Waiting waiting;
    waiting.address = address;
    waiting.kind = kForMutex;
    waiting.mutex = mutex;
    waiting.owner = owner;
    std::snprintf(waiting.function, sizeof waiting.function, "%s", function);
    say(waiting);
}

// At the lower levels all calls come from one thread, which MPI knows as its main one.
void Checks::before_call(const char* function) {
    if (runtime_.threads.level() >= MPI_THREAD_SERIALIZED ||
        runtime_.threads.one_caller().is_starter()) {
        return;
    }
    report(Finding::call, Severity::error, function,
           "called by %s, but the library was started by %s, and %s, where only that thread may "
           "call. Let it make this call, or %s",
           core::OneCaller::describe_this_thread().c_str(),
           runtime_.threads.one_caller().describe_starter().c_str(),
           runtime_.threads.describe_level().c_str(),
           runtime_.threads.how_to_raise_level().c_str());
}

void Checks::end_wait() {
    say(Waiting{});
}

Checks::Waiting Checks::read_waiting(int rank) {
    Waiting waiting;
    pipeline::Transfer transfer;
    transfer.function = "ARMCI_CHECK";
    transfer.op = base::OpKind::get;
    transfer.target = rank;
    if (!runtime_.world.on_my_node(rank)) {
        transfer.place = board_->part(runtime_.network->rank_servers.of(rank))->place();
    }
    transfer.total_bytes = sizeof waiting;
    transfer.sides.make_contiguous(&waiting, board_->slice(rank).base, sizeof waiting);
    runtime_.transfers.carry_out(std::move(transfer));
    return waiting;
}

// This rank will not unlock while it is here, so a rank that waits for a mutex of its never comes.
void Checks::look_for_deadlock(const char* function, const Group& group) {
    const std::vector<core::HeldMutex>& held = runtime_.mutexes.held();
    if (held.empty() || runtime_.threads.is_multiple()) {
        return;
    }
    for (int member = 0; member < group.size(); ++member) {
        const int rank = group.world_rank(member);
        const Waiting waiting = read_waiting(rank);
        const core::HeldMutex wanted{waiting.owner, waiting.address};
        if (waiting.kind == kForMutex && rank != runtime_.world.rank &&
            std::find(held.begin(), held.end(), wanted) != held.end() &&
            read_waiting(rank) == waiting) {
            // This rank would wait without end in any mode, so the job ends in any mode.
            base::fatal(function,
                        "rank %d waits in %s for mutex %d of rank %d, which this rank holds, and "
                        "this rank waits here for that one: neither can go on. Unlock it before "
                        "calls in which all ranks meet",
                        rank, waiting.function, waiting.mutex, waiting.owner);
        }
    }
}

void Checks::report_absent(const char* function, const Group& group) {
    constexpr int kMaxNamed = 8;
    std::string text;
    int absent = 0;
    for (int member = 0; member < group.size(); ++member) {
        const int rank = group.world_rank(member);
        const Waiting waiting = read_waiting(rank);
        if (waiting.kind > 0) {
            if (rank < runtime_.world.rank) {
                return;  // one waiting rank is enough to report it
            }
            continue;
        }
        if (++absent <= kMaxNamed) {
            text += absent > 1 ? ", rank " : "rank ";
            text += std::to_string(rank);
            text += waiting.kind == kForMutex
                        ? std::string(" waits in ") + waiting.function + " for mutex " +
                              std::to_string(waiting.mutex) + " of rank " +
                              std::to_string(waiting.owner)
                        : " is in no call that waits here: in the program itself, or in MPI";
        }
    }
    if (absent > 0) {
        report(Finding::call, Severity::warning, function,
               "waits for more than %lld s for %d rank%s (ARMCI_CHECK_PATIENCE_SECONDS): %s%s. All "
               "must "
               "make this call, and none may wait in MPI for one that is in it",
               static_cast<long long>(runtime_.config().check_patience_seconds), absent,
               absent == 1 ? "" : "s", text.c_str(), absent > kMaxNamed ? ", and others" : "");
    }
}

void Checks::compare_announcements(const Group& group, const Meeting& meeting) {
    const Announcement& mine = meeting.mine;
    const std::vector<Announcement>& all = meeting.all;
    const auto differs = [&](const Announcement& other) {
        return other.kind != all[0].kind || other.detail != all[0].detail;
    };
    const auto unlike_first = std::find_if(all.begin(), all.end(), differs);
    if (unlike_first == all.end()) {
        return;
    }
    if (group.rank() != 0) {
        // The first member reports this and ends the job, unless it has left its call because
        // others did not come.
        const int64_t until_ns =
            base::now_ns() + runtime_.config().check_patience_seconds * 1'000'000'000;
        runtime_.progress.wait_until({mine.function, "the first member of its group"},
                                     [&] { return base::now_ns() > until_ns; });
    }
    // Finds a rank whose call differs from this rank's: the first one, or one that differs from the
    // first one.
    const bool is_first = mine.kind == all[0].kind && mine.detail == all[0].detail;
    const auto other = is_first ? unlike_first : all.begin();
    const int rank = group.world_rank(static_cast<int>(other - all.begin()));
    if (other->kind == mine.kind) {
        base::fatal(mine.function,
                    "rank %d has called %s with an argument (n or type) that differs from this "
                    "rank's; it must be the same on all ranks",
                    rank, other->function);
    }
    base::fatal(mine.function,
                "rank %d is in %s while this rank is in %s, and each waits for the other; let all "
                "ranks make the same collective calls in the same order",
                rank, other->function, mine.function);
}

void Checks::meet(const char* function, const Group& group, Collective kind, int64_t detail) {
    meet_until(INT64_MAX, function, group, kind, detail);
}

bool Checks::meet_until(int64_t deadline_ns, const char* function, const Group& group,
                        Collective kind, int64_t detail) {
    if (group.size() == 1) {
        return true;
    }
    auto meeting = std::make_unique<Meeting>();
    Announcement& mine = meeting->mine;
    mine.detail = detail;
    mine.kind = kind;
    std::snprintf(mine.function, sizeof mine.function, "%s", function);
    Waiting waiting;
    waiting.kind = static_cast<int32_t>(kind);
    std::snprintf(waiting.function, sizeof waiting.function, "%s", function);
    say(waiting);

    meeting->all.resize(static_cast<size_t>(group.size()));
    MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, meeting->all.data(), sizeof mine, MPI_BYTE,
                   runtime_.messages.own_comm(group), &meeting->request);
    constexpr int64_t kLookNs = 100'000'000;
    const int64_t patience_ns = runtime_.config().check_patience_seconds * 1'000'000'000;
    const int64_t begin_ns = base::now_ns();
    int64_t next_look_ns = begin_ns + kLookNs;
    bool has_complained = false;
    int done = 0;
    // This is one wait, so that its whole length is known.
    runtime_.progress.wait_until({function, "the other ranks of its group"}, [&] {
        MPI_Test(&meeting->request, &done, MPI_STATUS_IGNORE);
        const int64_t now_ns = base::now_ns();
        if (done != 0 || now_ns > deadline_ns) {
            return true;
        }
        if (now_ns > next_look_ns) {
            look_for_deadlock(function, group);
            const bool may_complain = !has_complained && deadline_ns == INT64_MAX;
            if (may_complain && now_ns - begin_ns > patience_ns) {
                has_complained = true;
                report_absent(function, group);
            }
            next_look_ns = now_ns + kLookNs;
        }
        return false;
    });
    if (done == 0) {
        late_ = std::move(meeting);
        return false;
    }
    say(Waiting{});
    compare_announcements(group, *meeting);
    return true;
}

}  // namespace armci::check
