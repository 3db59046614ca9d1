// SPDX-License-Identifier: BSD-3-Clause
#include "lifecycle/stats_triggers.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace armci::lifecycle {
namespace {

// Signals that end a process or that the system uses for errors are not for this.
constexpr struct {
    std::string_view name;
    int number;
} kStatsSignals[] = {
    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"URG", SIGURG}, {"WINCH", SIGWINCH}, {"IO", SIGIO}};

// Returns 0 if there is no such signal. Besides these, real-time signals have numbers only.
int signal_of(std::string_view text) {
    int number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const bool is_number = error == std::errc() && stop == end;
    if (is_number && number >= SIGRTMIN && number <= SIGRTMAX) {
        return number;
    }
    const std::string_view name = text.starts_with("SIG") ? text.substr(3) : text;
    for (const auto& signal : kStatsSignals) {
        if (name == signal.name || (is_number && number == signal.number)) {
            return signal.number;
        }
    }
    return 0;
}

// Returns 0 if the text is no number of seconds from 0.01 to a day.
int64_t timer_of(const std::string& text) {
    double seconds = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seconds);
    const bool is_right =
        error == std::errc() && stop == end && seconds >= 0.01 && seconds <= 86400;
    return is_right ? std::llround(seconds * 1e9) : 0;
}

bool parse_one(const std::string& text, StatsTriggers* triggers, std::string* error) {
    if (text == "exit") {
        triggers->at_exit = true;
        return true;
    }
    const size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (kind == "signal") {
        triggers->signal = signal_of(value);
        *error = "\"" + value +
                 "\" is none of the signals USR1, USR2, URG, WINCH and IO, and no number of a "
                 "real-time signal";
        return triggers->signal != 0;
    }
    if (kind == "timer") {
        triggers->timer_ns = timer_of(value);
        *error = "\"" + value + "\" is no number of seconds from 0.01 to 86400";
        return triggers->timer_ns != 0;
    }
    *error = "\"" + text + "\" is none of exit, signal:NAME and timer:SECONDS";
    return false;
}

}  // namespace

bool parse_stats_triggers(const std::string& text, StatsTriggers* triggers, std::string* error) {
    *triggers = {};
    for (size_t begin = 0; !text.empty() && begin <= text.size();) {
        const size_t end = std::min(text.find(',', begin), text.size());
        if (!parse_one(text.substr(begin, end - begin), triggers, error)) {
            return false;
        }
        begin = end + 1;
    }
    error->clear();
    return true;
}

}  // namespace armci::lifecycle
