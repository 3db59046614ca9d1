// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/json.h"

#include <nlohmann/json.hpp>

namespace armci::trace {
namespace {

using Json = nlohmann::ordered_json;

Json works_of(const Summary& summary, Group group) {
    Json works = Json::array();
    for (const auto& [name, work] : summary.by_time(group)) {
        works.push_back({{"name", name},
                         {"count", work->time.count()},
                         {"total_ns", work->time.total_ns()},
                         {"min_ns", work->time.min_ns()},
                         {"mean_ns", work->time.mean_ns()},
                         {"median_ns", work->time.quantile_ns(0.5)},
                         {"p95_ns", work->time.quantile_ns(0.95)},
                         {"p99_ns", work->time.quantile_ns(0.99)},
                         {"max_ns", work->time.max_ns()},
                         {"bytes", work->bytes}});
    }
    return works;
}

Json slowest_of(const Summary& summary) {
    Json slowest = Json::array();
    for (const SlowTransfer& transfer : summary.slowest()) {
        slowest.push_back({{"name", transfer.name},
                           {"duration_ns", transfer.duration_ns},
                           {"begin_ns", transfer.begin_ns},
                           {"bytes", transfer.bytes},
                           {"rank", transfer.rank},
                           {"target", transfer.target}});
    }
    return slowest;
}

Json ranks_of(const Summary& summary) {
    Json ranks = Json::array();
    for (const auto& [number, load] : summary.ranks()) {
        if (!load.has_events) {
            continue;
        }
        Json rank = {{"rank", number}, {"host", load.host}};
        for (const Load& measure : kLoads) {
            rank[measure.key] = load.*measure.value;
        }
        rank["dropped_events"] = load.dropped_events;
        ranks.push_back(std::move(rank));
    }
    return ranks;
}

Json balance_of_all(const Summary& summary) {
    Json balances;
    for (const Load& load : kLoads) {
        const Balance balance = balance_of(summary, load);
        balances[load.key] = {{"min", balance.min},
                              {"min_rank", balance.min_rank},
                              {"mean", balance.mean},
                              {"max", balance.max},
                              {"max_rank", balance.max_rank}};
    }
    return balances;
}

Json traffic_of(const Summary& summary) {
    Json pairs = Json::array();
    for (const auto& [ranks, traffic] : summary.traffic()) {
        pairs.push_back({{"rank", ranks.first},
                         {"target", ranks.second},
                         {"transfers", traffic.transfers},
                         {"bytes", traffic.bytes}});
    }
    return pairs;
}

Json counters_of(const Summary& summary) {
    Json counters = Json::array();
    for (const auto& [name, range] : summary.counters()) {
        counters.push_back({{"name", name},
                            {"min", range.min},
                            {"min_rank", range.min_rank},
                            {"max", range.max},
                            {"max_rank", range.max_rank}});
    }
    return counters;
}

}  // namespace

std::string to_json(const Summary& summary) {
    Json json = {{"events", summary.event_count()},    {"begin_ns", summary.begin_ns()},
                 {"end_ns", summary.end_ns()},         {"dropped_events", summary.dropped_count()},
                 {"cut_off_files", summary.cut_off()}, {"missing_ranks", summary.missing()}};
    for (int group = 0; group < kGroups; ++group) {
        json[key_of(static_cast<Group>(group))] = works_of(summary, static_cast<Group>(group));
    }
    json["slowest_transfers"] = slowest_of(summary);
    json["balance"] = balance_of_all(summary);
    json["ranks"] = ranks_of(summary);
    json["traffic"] = traffic_of(summary);
    json["counters"] = counters_of(summary);
    // Names of other programs may not be UTF-8.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace armci::trace
