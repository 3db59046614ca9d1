// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/html.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "armci-trace/plots.h"
#include "armci-trace/text.h"

namespace armci::trace {
namespace {

constexpr const char* kStyle = R"(
:root { --ink: #1b1f24; --quiet: #5f6b7a; --paper: #ffffff; --card: #f6f7f9; --line: #d9dee5;
        --c0: #2f6fde; --c1: #e08a1e; --c2: #2a9d68; --c3: #ccd3dc; --c4: #a23fb5; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6e9ee; --quiet: #9aa5b4; --paper: #14171b; --card: #1d2127; --line: #333a44;
        --c0: #6b9df2; --c1: #f0a94a; --c2: #57c28f; --c3: #414a57; --c4: #cb7bdb; } }
body { margin: 0 auto; max-width: 980px; padding: 24px; background: var(--paper); color: var(--ink);
       font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 24px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 8px; }
h3 { font-size: 15px; margin: 20px 0 4px; }
p { margin: 4px 0 8px; color: var(--quiet); } p.remark { color: var(--c1); }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 16px 0; }
.tile { background: var(--card); border-radius: 8px; padding: 10px 16px; min-width: 120px; }
.tile b { display: block; font-size: 20px; } .tile span { color: var(--quiet); font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px;
        font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { text-align: right; padding: 4px 10px; border-bottom: 1px solid var(--line);
         white-space: nowrap; }
th { color: var(--quiet); font-weight: 600; } th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; font: 12.5px system-ui, sans-serif; }
svg text { fill: var(--ink); } svg text.quiet { fill: var(--quiet); }
svg .axis { stroke: var(--line); } svg .empty { fill: var(--card); stroke: var(--line); }
.c0 { fill: var(--c0); } .c1 { fill: var(--c1); } .c2 { fill: var(--c2); } .c3 { fill: var(--c3); }
polyline, line.l0, line.l1, line.l2, line.l3 { fill: none; stroke-width: 1.8; }
.l0 { stroke: var(--c0); } .l1 { stroke: var(--c1); } .l2 { stroke: var(--c2); }
.l3 { stroke: var(--c4); }
)";

std::string row(const char* element, const std::vector<std::string>& cells) {
    std::string html = "<tr>";
    for (const std::string& cell : cells) {
        html += std::string("<") + element + ">" + escaped(cell) + "</" + element + ">";
    }
    return html + "</tr>\n";
}

std::string table(const std::vector<std::string>& heads, const std::string& rows) {
    return "<div class=\"wide\"><table>" + row("th", heads) + rows + "</table></div>\n";
}

std::string time_of(int64_t ns) {
    return time_text(static_cast<double>(ns));
}

void add_tile(std::string* html, const std::string& value, const std::string& name) {
    *html += "<div class=\"tile\"><b>" + escaped(value) + "</b><span>" + escaped(name) +
             "</span></div>\n";
}

void add_tiles(const Summary& summary, std::string* html) {
    int64_t ranks = 0;
    int64_t bytes = 0;
    double calls = 0;
    double waits = 0;
    for (const auto& [number, rank] : summary.ranks()) {
        ranks += rank.has_events ? 1 : 0;
        bytes += rank.sent_bytes;
        calls += static_cast<double>(rank.calls_ns);
        waits += static_cast<double>(rank.waits_ns);
    }
    const auto length = static_cast<double>(summary.end_ns() - summary.begin_ns());
    const auto part = [&](double ns) {
        const double all = length * static_cast<double>(std::max<int64_t>(ranks, 1));
        char text[32];
        std::snprintf(text, sizeof text, "%.0f %%", all > 0 ? 100 * ns / all : 0);
        return std::string(text);
    };
    *html += "<div class=\"tiles\">\n";
    add_tile(html, std::to_string(ranks), ranks == 1 ? "rank" : "ranks");
    add_tile(html, time_text(length), "from first to last event");
    add_tile(html, std::to_string(summary.event_count()), "events");
    add_tile(html, bytes_text(static_cast<double>(bytes)), "of transfers in the timeline");
    add_tile(html, part(calls), "of the ranks' time in calls");
    add_tile(html, part(waits), "of the ranks' time in waits");
    *html += "</div>\n";
}

void add_plot(std::string* html, const char* heading, const std::string& text,
              const std::string& plot) {
    if (!plot.empty()) {
        *html += std::string("<h2>") + heading + "</h2>\n<p>" + text + "</p>\n" + plot;
    }
}

std::string group_table(const Summary& summary, Group group) {
    std::string rows;
    for (const auto& [name, work] : summary.by_time(group)) {
        const Durations& time = work->time;
        rows += row("td", {name, std::to_string(time.count()), time_of(time.total_ns()),
                           time_text(time.mean_ns()), time_of(time.quantile_ns(0.5)),
                           time_of(time.quantile_ns(0.95)), time_of(time.quantile_ns(0.99)),
                           time_of(time.max_ns()),
                           work->bytes > 0 ? bytes_text(static_cast<double>(work->bytes)) : ""});
    }
    return rows.empty() ? ""
                        : table({title_of(group), "count", "total", "mean", "median", "p95", "p99",
                                 "max", "bytes"},
                                rows);
}

void add_groups(const Summary& summary, std::string* html) {
    *html +=
        "<h2>Where the time goes</h2>\n<p>Sums over all ranks and threads. Waits and stages "
        "are inside calls, or beside them in other threads.</p>\n";
    for (int i = 0; i < kGroups; ++i) {
        const auto group = static_cast<Group>(i);
        const std::string plot = plot_group(summary, group);
        if (!plot.empty()) {
            *html += std::string("<h3>") + title_of(group) + "</h3>\n" + plot +
                     group_table(summary, group);
        }
    }
}

void add_slowest(const Summary& summary, std::string* html) {
    std::string rows;
    for (const SlowTransfer& transfer : summary.slowest()) {
        const auto bytes = static_cast<double>(transfer.bytes);
        const auto ns = static_cast<double>(std::max<int64_t>(transfer.duration_ns, 1));
        rows += row("td", {transfer.name, time_of(transfer.duration_ns), bytes_text(bytes),
                           bytes_text(bytes * 1e9 / ns), time_of(transfer.begin_ns),
                           std::to_string(transfer.rank), std::to_string(transfer.target)});
    }
    if (!rows.empty()) {
        *html +=
            "<h2>Slowest transfers</h2>\n<p>Calls that move data, and copies inside a node. "
            "What a non-blocking call has started goes on after it.</p>\n" +
            table({"transfer", "time", "bytes", "bytes per s", "begin", "rank", "target"}, rows);
    }
}

void add_balance(const Summary& summary, std::string* html) {
    std::string rows;
    for (const Load& load : kLoads) {
        const Balance balance = balance_of(summary, load);
        const auto value = [&](double number) {
            return load.is_time ? time_text(number) : bytes_text(number);
        };
        char factor[32] = "";
        if (balance.mean > 0) {
            std::snprintf(factor, sizeof factor, "%.2f", balance.max / balance.mean);
        }
        rows += row("td", {load.title, value(balance.min), std::to_string(balance.min_rank),
                           value(balance.mean), value(balance.max),
                           std::to_string(balance.max_rank), factor});
    }
    *html += table({"load", "least", "rank", "mean", "most", "rank", "most / mean"}, rows);
}

void add_counters(const Summary& summary, std::string* html) {
    std::string rows;
    for (const auto& [name, range] : summary.counters()) {
        rows += row("td", {name, std::to_string(range.min), std::to_string(range.min_rank),
                           std::to_string(range.max), std::to_string(range.max_rank)});
    }
    if (!rows.empty()) {
        *html += "<h2>Counters</h2>\n" + table({"counter", "least", "rank", "most", "rank"}, rows);
    }
}

}  // namespace

std::string to_html(const Summary& summary, const std::string& title) {
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
        "name=\"viewport\" content=\"width=device-width\">\n<title>" +
        escaped(title) + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" +
        escaped(title) + "</h1>\n<p>A timeline of ARMCI_TRACE, summed up by armci-trace</p>\n";
    for (const std::string& remark : remarks_on(summary)) {
        html += "<p class=\"remark\">" + escaped(remark) + "</p>\n";
    }
    add_tiles(summary, &html);
    add_plot(&html, "Over time",
             "How many threads are busy at a time, on average, and how many stages of transfers "
             "are under way.",
             plot_activity(summary));
    add_groups(summary, &html);
    add_slowest(summary, &html);
    add_plot(&html, "Load of ranks",
             "What the time between the first and the last event went to, by rank.",
             plot_load(summary));
    add_balance(summary, &html);
    add_plot(&html, "Who communicates with whom",
             "Bytes of transfers by the rank that calls and its target, on a logarithmic scale. "
             "Transfers inside a node count if they take 1 µs or more.",
             plot_traffic(summary));
    add_counters(summary, &html);
    return html + "</body>\n</html>\n";
}

}  // namespace armci::trace
