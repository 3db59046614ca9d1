// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/rank_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/absolute_path.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/log.h"
#include "core/job/mpi_collectives.h"
#include "core/progress/thread_stats.h"
#include "lifecycle/report.h"

namespace armci::lifecycle {
namespace {

using core::CallTimes;

__attribute__((format(printf, 2, 3))) void add(std::string* text, const char* format, ...) {
    char part[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(part, sizeof part, format, arguments);
    va_end(arguments);
    *text += part;
}

// With a decimal point, whatever the program's locale has.
std::string json_number(double value, int decimals) {
    char text[64];
    const auto written =
        std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals);
    return {text, written.ptr};
}

std::string time_text(double ns) {
    constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    for (; ns >= 1000 && unit < 3; ++unit) {
        ns /= 1000;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", ns, kUnits[unit]);
    return text;
}

double mean_ns(const CallTimes& times) {
    return static_cast<double>(times.total_ns) / static_cast<double>(times.count);
}

// Calls f(lowest time, count) for the buckets that have calls.
template <class Function>
void for_each_bucket(const CallTimes& times, Function&& f) {
    for (int bucket = 0; bucket < CallTimes::kBuckets; ++bucket) {
        if (times.buckets[bucket] > 0) {
            f(bucket == 0 ? uint64_t{0} : uint64_t{1} << bucket, times.buckets[bucket]);
        }
    }
}

const char* route_or_nothing(const CallTimes& times) {
    return times.route == base::Route::local ? "" : base::name_of(times.route);
}

int64_t server_busy_ns(const Runtime& runtime) {
    return runtime.network != nullptr && runtime.network->server != nullptr
               ? runtime.network->server->busy_ns()
               : 0;
}

std::string as_text(const Runtime& runtime, const char* trigger, double seconds) {
    char* statistics = nullptr;
    size_t bytes = 0;
    std::string text;
    add(&text, "armci-ofi statistics, rank %d of %d on %s, %.3f s after the start (%s)\n",
        runtime.world.rank, runtime.world.size, core::host_name().c_str(), seconds, trigger);
    if (std::FILE* out = open_memstream(&statistics, &bytes)) {
        print_rank_statistics(out, runtime);
        std::fclose(out);
        text.append(statistics, bytes);
        std::free(statistics);
    }
    return text + calls_as_text(core::call_times());
}

std::string as_json(const Runtime& runtime, const char* trigger, double seconds) {
    const base::Stats stats = core::with_thread_stats(runtime.stats);
    std::string text;
    add(&text, "{\"rank\":%d,\"ranks\":%d,\"host\":\"%s\",\"trigger\":\"%s\",\"seconds\":%s,",
        runtime.world.rank, runtime.world.size, base::json_escaped(core::host_name()).c_str(),
        trigger, json_number(seconds, 6).c_str());
    text += "\"operations\":[";
    bool is_first = true;
    for (int op = 0; op < base::kOpKindCount; ++op) {
        for (int route = 0; route < base::kRouteCount; ++route) {
            const base::Counter& counter = stats.transfers[op][route];
            if (counter.operations != 0) {
                add(&text,
                    "%s{\"op\":\"%s\",\"route\":\"%s\",\"operations\":%" PRIu64
                    ",\"bytes\":%" PRIu64 "}",
                    is_first ? "" : ",", base::name_of(static_cast<base::OpKind>(op)),
                    base::name_of(static_cast<base::Route>(route)), counter.operations,
                    counter.bytes);
                is_first = false;
            }
        }
    }
    add(&text,
        "],\"rmw\":%" PRIu64 ",\"fences\":%" PRIu64 ",\"messages\":%" PRIu64 ",\"chunks\":%" PRIu64
        ",\"buffer_waits\":%" PRIu64 ",\"server_busy_ns\":%" PRId64 ",\"calls\":",
        stats.rmw, stats.fences, stats.messages_sent, stats.chunks_sent, stats.buffer_waits,
        server_busy_ns(runtime));
    return text + calls_as_json(core::call_times()) + "}\n";
}

}  // namespace

std::string histogram_text(const CallTimes& times) {
    std::string text;
    for_each_bucket(times, [&](uint64_t from_ns, uint64_t count) {
        add(&text, "%s%s: %" PRIu64, text.empty() ? "" : ", ",
            time_text(static_cast<double>(from_ns)).c_str(), count);
    });
    return text;
}

std::string calls_as_text(const std::vector<CallTimes>& calls) {
    std::string text;
    add(&text, "  %-24s %-7s %10s %10s %10s %10s  calls from that time on\n", "call", "route",
        "calls", "min", "mean", "max");
    for (const CallTimes& times : calls) {
        add(&text, "  %-24s %-7s %10" PRIu64 " %10s %10s %10s  ", times.function,
            route_or_nothing(times), times.count,
            time_text(static_cast<double>(times.min_ns)).c_str(), time_text(mean_ns(times)).c_str(),
            time_text(static_cast<double>(times.max_ns)).c_str());
        text += histogram_text(times) + "\n";
    }
    return text;
}

std::string calls_as_json(const std::vector<CallTimes>& calls) {
    std::string text = "[";
    for (const CallTimes& times : calls) {
        const char* route = route_or_nothing(times);
        add(&text, "%s{\"function\":\"%s\",", text.size() > 1 ? "," : "", times.function);
        if (*route != '\0') {
            add(&text, "\"route\":\"%s\",", route);
        }
        add(&text,
            "\"count\":%" PRIu64 ",\"min_ns\":%" PRIu64 ",\"mean_ns\":%s,\"max_ns\":%" PRIu64
            ",\"histogram\":[",
            times.count, times.min_ns, json_number(mean_ns(times), 1).c_str(), times.max_ns);
        bool is_first = true;
        for_each_bucket(times, [&](uint64_t from_ns, uint64_t count) {
            add(&text, "%s{\"from_ns\":%" PRIu64 ",\"count\":%" PRIu64 "}", is_first ? "" : ",",
                from_ns, count);
            is_first = false;
        });
        text += "]}";
    }
    return text + "]";
}

void RankReports::open_file(const core::World& world, const base::Config& config,
                            const char* function) {
    const std::string path = base::absolute_path(
        config.stats_file + "." + std::to_string(world.rank) +
        (config.stats_format_choice() == base::StatsFormat::json ? ".json" : ".txt"));
    // When the program starts the library again, reports of its earlier start stay.
    const int truncate = std::exchange(path_, path) == path ? 0 : O_TRUNC;
    file_ = base::Descriptor(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | truncate, 0666));
    if (!file_.valid()) {
        base::fatal(
            function,
            "ARMCI_STATS_FILE=\"%s\": %s cannot be written (%s); name a path in a directory "
            "that exists on every node and may be written to, or unset it",
            config.stats_file.c_str(), path_.c_str(), std::strerror(errno));
    }
}

void RankReports::open(const core::World& world, const base::Config& config, const char* function) {
    begin_ns_ = base::now_ns();
    has_failed_ = false;
    if (config.stats_file.empty()) {
        return;
    }
    // One rank's message is enough when none can write there.
    if (world.rank == 0) {
        open_file(world, config, function);
    }
    core::mpi::barrier(world.comm);
    if (world.rank != 0) {
        open_file(world, config, function);
    }
}

// Each report is written in one piece, because all ranks may write to standard error.
void RankReports::write(const Runtime& runtime, const char* trigger) {
    const double seconds = static_cast<double>(base::now_ns() - begin_ns_) * 1e-9;
    const std::string text = runtime.config().stats_format_choice() == base::StatsFormat::json
                                 ? as_json(runtime, trigger, seconds)
                                 : as_text(runtime, trigger, seconds);
    if (!base::write_all(file_.valid() ? file_.get() : STDERR_FILENO, text) && !has_failed_) {
        has_failed_ = true;
        ARMCI_LOG_WARN("ARMCI_STATS_FILE: %s is not complete (%s); give it a place with more room",
                       path_.c_str(), std::strerror(errno));
    }
}

}  // namespace armci::lifecycle
