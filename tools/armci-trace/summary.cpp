// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/summary.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace armci::trace {
namespace {

// Returns nothing for turns of a data server, in which its other events are.
std::optional<Group> group_of(const Event& event) {
    const std::string& category = event.category;
    if (category == "call") {
        return Group::call;
    }
    if (category == "wait") {
        return Group::wait;
    }
    if (category == "pack" || category == "transmit" || category == "execute" ||
        category == "copy") {
        return Group::stage;
    }
    if (category == "stall") {
        return Group::stall;
    }
    if (category == "task") {
        return Group::task;
    }
    return std::nullopt;
}

bool is_sleep(const Event& event) {
    return event.category == "wait" && event.name == "asleep";
}

// Returns under which name it is summed up. "wait for a fence of rank" has the rank beside it.
std::string name_in_sums(const Event& event) {
    constexpr std::string_view kRank = " rank";
    if (event.category == "wait" && event.name.ends_with(kRank) &&
        !event.name.ends_with(" any rank")) {
        return event.name.substr(0, event.name.size() - kRank.size()) + " a rank";
    }
    return event.name;
}

}  // namespace

const char* title_of(Group group) {
    constexpr const char* kTitles[kGroups] = {"Calls", "Waits", "Stages of transfers", "Stalls",
                                              "States of tasks"};
    return kTitles[static_cast<size_t>(group)];
}

const char* key_of(Group group) {
    constexpr const char* kKeys[kGroups] = {"calls", "waits", "stages", "stalls", "tasks"};
    return kKeys[static_cast<size_t>(group)];
}

const char* title_of(Curve curve) {
    constexpr const char* kTitles[kCurves] = {"threads in calls", "threads in waits",
                                              "stages of transfers under way",
                                              "data servers at work"};
    return kTitles[static_cast<size_t>(curve)];
}

bool SlowTransfer::operator<(const SlowTransfer& other) const {
    return std::tie(other.duration_ns, begin_ns, rank, target, bytes, name) <
           std::tie(duration_ns, other.begin_ns, other.rank, other.target, other.bytes, other.name);
}

void Summary::add(const Event& event) {
    ranks_[event.rank].has_events = true;
    switch (event.kind) {
        case Event::Kind::name:
            add_name(event);
            return;
        case Event::Kind::counter:
            add_counter(event);
            return;
        case Event::Kind::span:
            add_span(event);
            return;
    }
}

void Summary::add_name(const Event& event) {
    RankLoad& rank = ranks_[event.rank];
    rank.dropped_events += event.dropped;
    if (event.names_process()) {
        const size_t host = event.text.find(" on ");
        rank.host = host == std::string::npos ? "" : event.text.substr(host + 4);
    } else if (event.name == "thread_name" && event.text == "data server") {
        server_threads_.insert(event.thread);
    }
}

void Summary::add_counter(const Event& event) {
    auto [place, is_new] = counters_.try_emplace(event.name);
    CounterRange& range = place->second;
    if (is_new || event.value < range.min) {
        range.min = event.value;
        range.min_rank = event.rank;
    }
    if (is_new || event.value > range.max) {
        range.max = event.value;
        range.max_rank = event.rank;
    }
}

void Summary::add_span(const Event& event) {
    begin_ns_ = event_count_ == 0 ? event.begin_ns : std::min(begin_ns_, event.begin_ns);
    end_ns_ = event_count_ == 0 ? event.end_ns() : std::max(end_ns_, event.end_ns());
    ++event_count_;
    const auto draw = [&](Curve curve) {
        Activity& activity = activity_[static_cast<size_t>(curve)];
        activity.add(event.begin_ns, event.end_ns());
        for (Activity& other : activity_) {
            other.widen_to(activity.width_ns());
        }
    };
    if (is_sleep(event) && server_threads_.contains(event.thread)) {
        return;  // it has nothing to do
    }
    RankLoad& rank = ranks_[event.rank];
    const std::optional<Group> group = group_of(event);
    if (group.has_value()) {
        Work& work = works_[static_cast<size_t>(*group)][name_in_sums(event)];
        work.time.add(event.duration_ns);
        work.bytes += std::max<int64_t>(event.bytes, 0);
    }
    if (group == Group::call) {
        rank.calls_ns += event.duration_ns;
        draw(Curve::calls);
    } else if (group == Group::wait && !is_sleep(event)) {
        rank.waits_ns += event.duration_ns;
        draw(Curve::waits);
    } else if (group == Group::stage) {
        draw(Curve::stages);
    } else if (event.category == "server") {
        rank.server_ns += event.duration_ns;
        draw(Curve::server);
    }
    if ((group == Group::call || event.category == "copy") && event.bytes >= 0 &&
        event.other_rank >= 0) {
        add_transfer(event);
    }
}

void Summary::add_transfer(const Event& event) {
    ranks_[event.rank].sent_bytes += event.bytes;
    ranks_[event.other_rank].received_bytes += event.bytes;
    Traffic& traffic = traffic_[{event.rank, event.other_rank}];
    ++traffic.transfers;
    traffic.bytes += event.bytes;
    if (slowest_.size() == kSlowest && event.duration_ns < slowest_.back().duration_ns) {
        return;
    }
    const SlowTransfer transfer{event.duration_ns, event.begin_ns, event.rank,
                                event.other_rank,  event.bytes,    event.name};
    slowest_.insert(std::upper_bound(slowest_.begin(), slowest_.end(), transfer), transfer);
    if (slowest_.size() > kSlowest) {
        slowest_.pop_back();
    }
}

int64_t Summary::dropped_count() const {
    int64_t count = 0;
    for (const auto& [number, rank] : ranks_) {
        count += rank.dropped_events;
    }
    return count;
}

std::vector<std::pair<std::string, const Work*>> Summary::by_time(Group group) const {
    std::vector<std::pair<std::string, const Work*>> sorted;
    for (const auto& [name, work] : works(group)) {
        sorted.emplace_back(name, &work);
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second->time.total_ns() > b.second->time.total_ns();
    });
    return sorted;
}

Balance balance_of(const Summary& summary, const Load& load) {
    Balance balance;
    double sum = 0;
    int count = 0;
    for (const auto& [number, rank] : summary.ranks()) {
        if (!rank.has_events) {
            continue;
        }
        ++count;
        const auto value = static_cast<double>(rank.*load.value);
        sum += value;
        if (balance.min_rank < 0 || value < balance.min) {
            balance.min = value;
            balance.min_rank = number;
        }
        if (balance.max_rank < 0 || value > balance.max) {
            balance.max = value;
            balance.max_rank = number;
        }
    }
    balance.mean = count == 0 ? 0 : sum / count;
    return balance;
}

}  // namespace armci::trace
