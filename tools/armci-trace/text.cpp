// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/text.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace armci::trace {
namespace {

// More ranks than these have no room for a matrix in a terminal.
constexpr size_t kMaxMatrix = 12;
// What most names have room in, and at most.
constexpr int kNameWidth = 34;
constexpr size_t kMaxNameWidth = 80;
// So many ranks are named in a sentence.
constexpr size_t kMaxNamed = 8;

__attribute__((format(printf, 2, 3))) void add(std::string* text, const char* format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    *text += line;
}

std::string with_unit(double value, const char* const* units, int count, double step) {
    int unit = 0;
    while (value >= step * 0.9995 && unit + 1 < count) {
        value /= step;
        ++unit;
    }
    char text[32];
    const int digits = value == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    std::snprintf(text, sizeof text, "%.*f %s", digits, value, units[unit]);
    return text;
}

void add_group(const Summary& summary, Group group, std::string* text) {
    const auto works = summary.by_time(group);
    if (works.empty()) {
        return;
    }
    int width = kNameWidth;
    for (const auto& [name, work] : works) {
        width = std::max(width, static_cast<int>(std::min(name.size(), kMaxNameWidth)));
    }
    add(text, "\n%-*s %10s %10s %10s %10s %10s %10s %10s\n", width, title_of(group), "count",
        "total", "mean", "median", "p99", "max", "bytes");
    for (const auto& [name, work] : works) {
        const Durations& time = work->time;
        add(text, "%-*s %10lld %10s %10s %10s %10s %10s %10s\n", width, name.c_str(),
            static_cast<long long>(time.count()),
            time_text(static_cast<double>(time.total_ns())).c_str(),
            time_text(time.mean_ns()).c_str(),
            time_text(static_cast<double>(time.quantile_ns(0.5))).c_str(),
            time_text(static_cast<double>(time.quantile_ns(0.99))).c_str(),
            time_text(static_cast<double>(time.max_ns())).c_str(),
            work->bytes > 0 ? bytes_text(static_cast<double>(work->bytes)).c_str() : "");
    }
}

void add_slowest(const Summary& summary, std::string* text) {
    if (summary.slowest().empty()) {
        return;
    }
    add(text, "\n%-34s %10s %10s %10s %10s %8s %8s\n", "Slowest transfers", "time", "bytes",
        "per s", "begin", "rank", "target");
    for (const SlowTransfer& transfer : summary.slowest()) {
        const auto bytes = static_cast<double>(transfer.bytes);
        const auto ns = static_cast<double>(std::max<int64_t>(transfer.duration_ns, 1));
        add(text, "%-34s %10s %10s %10s %10s %8d %8d\n", transfer.name.c_str(),
            time_text(static_cast<double>(transfer.duration_ns)).c_str(), bytes_text(bytes).c_str(),
            bytes_text(bytes * 1e9 / ns).c_str(),
            time_text(static_cast<double>(transfer.begin_ns)).c_str(), transfer.rank,
            transfer.target);
    }
}

void add_balance(const Summary& summary, std::string* text) {
    add(text, "\n%-34s %10s %8s %10s %10s %8s %10s\n", "Load of ranks", "least", "rank", "mean",
        "most", "rank", "most/mean");
    for (const Load& load : kLoads) {
        const Balance balance = balance_of(summary, load);
        const auto value = [&](double number) {
            return load.is_time ? time_text(number) : bytes_text(number);
        };
        add(text, "%-34s %10s %8d %10s %10s %8d", load.title, value(balance.min).c_str(),
            balance.min_rank, value(balance.mean).c_str(), value(balance.max).c_str(),
            balance.max_rank);
        if (balance.mean > 0) {
            add(text, " %10.2f", balance.max / balance.mean);
        }
        *text += '\n';
    }
}

void add_matrix(const Summary& summary, std::string* text) {
    const auto& traffic = summary.traffic();
    if (traffic.empty()) {
        return;
    }
    *text += "\nBytes of transfers, by rank (rows) and target (columns)\n";
    if (summary.ranks().size() > kMaxMatrix) {
        auto most = std::max_element(
            traffic.begin(), traffic.end(),
            [](const auto& a, const auto& b) { return a.second.bytes < b.second.bytes; });
        add(text,
            "%zu pairs of ranks have some; most have rank %d and target %d, %s. --html shows "
            "all.\n",
            traffic.size(), most->first.first, most->first.second,
            bytes_text(static_cast<double>(most->second.bytes)).c_str());
        return;
    }
    add(text, "%8s", "");
    for (const auto& [target, rank] : summary.ranks()) {
        add(text, " %10d", target);
    }
    *text += '\n';
    for (const auto& [origin, load] : summary.ranks()) {
        add(text, "%8d", origin);
        for (const auto& [target, rank] : summary.ranks()) {
            const auto found = traffic.find({origin, target});
            add(text, " %10s",
                found == traffic.end()
                    ? "-"
                    : bytes_text(static_cast<double>(found->second.bytes)).c_str());
        }
        *text += '\n';
    }
}

void add_counters(const Summary& summary, std::string* text) {
    if (summary.counters().empty()) {
        return;
    }
    add(text, "\n%-34s %14s %8s %14s %8s\n", "Counters", "least", "rank", "most", "rank");
    for (const auto& [name, range] : summary.counters()) {
        add(text, "%-34s %14lld %8d %14lld %8d\n", name.c_str(), static_cast<long long>(range.min),
            range.min_rank, static_cast<long long>(range.max), range.max_rank);
    }
}

std::string missing_text(const std::vector<int>& ranks) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (size_t i = 0; i < std::min(ranks.size(), kMaxNamed); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    if (ranks.size() > kMaxNamed) {
        text += " and " + std::to_string(ranks.size() - kMaxNamed) + " more";
    }
    return "There is no file of " + text + " of the job; sums are without them.";
}

}  // namespace

std::string time_text(double ns) {
    static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
    return (ns < 0 ? "-" : "") + with_unit(std::abs(ns), kUnits, 4, 1000);
}

std::string bytes_text(double bytes) {
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    return with_unit(bytes, kUnits, 6, 1024);
}

std::vector<std::string> remarks_on(const Summary& summary) {
    std::vector<std::string> remarks;
    if (summary.dropped_count() > 0) {
        remarks.push_back(std::to_string(summary.dropped_count()) +
                          " events had been dropped when the files were written; sums are without "
                          "them.");
    }
    for (const std::string& path : summary.cut_off()) {
        remarks.push_back(path + " ends in the middle; sums have what comes before.");
    }
    if (!summary.missing().empty()) {
        remarks.push_back(missing_text(summary.missing()));
    }
    return remarks;
}

std::string to_text(const Summary& summary) {
    std::string text;
    const auto ranks = std::count_if(summary.ranks().begin(), summary.ranks().end(),
                                     [](const auto& rank) { return rank.second.has_events; });
    add(&text, "%lld events of %lld rank%s, from %s to %s\n",
        static_cast<long long>(summary.event_count()), static_cast<long long>(ranks),
        ranks == 1 ? "" : "s", time_text(static_cast<double>(summary.begin_ns())).c_str(),
        time_text(static_cast<double>(summary.end_ns())).c_str());
    for (const std::string& remark : remarks_on(summary)) {
        text += remark + "\n";
    }
    for (int group = 0; group < kGroups; ++group) {
        add_group(summary, static_cast<Group>(group), &text);
    }
    add_slowest(summary, &text);
    add_balance(summary, &text);
    add_matrix(summary, &text);
    add_counters(summary, &text);
    return text;
}

}  // namespace armci::trace
