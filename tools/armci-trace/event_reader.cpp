// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/event_reader.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace armci::trace {
namespace {

constexpr int64_t kNumbersOfRank = 100;  // as the library writes them
constexpr int64_t kNsPerUs = 1000;

constexpr int64_t kMaxRanks = 1 << 24;            // beyond any machine
constexpr int64_t kMaxTimeNs = int64_t{1} << 53;  // 104 days, beyond any job

// So many events of a process are not under way at a time.
constexpr size_t kMaxBegun = 1 << 20;

// Returns nanoseconds for a decimal number of microseconds. One that is too large gives a result
// beyond kMaxTimeNs.
int64_t to_ns(const std::string& text) {
    const size_t point = text.find('.');
    if (text.find_first_of("eE") != std::string::npos ||
        (point != std::string::npos && text.size() - point > 4)) {
        constexpr double kMost = 2.0 * kMaxTimeNs;
        return std::llround(
            std::clamp(std::strtod(text.c_str(), nullptr) * kNsPerUs, -kMost, kMost));
    }
    const int64_t us = std::strtoll(text.c_str(), nullptr, 10);
    int64_t ns = std::clamp(us, -kMaxTimeNs, kMaxTimeNs) * kNsPerUs;
    if (point != std::string::npos) {
        int64_t scale = kNsPerUs / 10;
        int64_t part = 0;
        for (size_t i = point + 1; i < text.size(); ++i, scale /= 10) {
            part += (text[i] - '0') * scale;
        }
        ns += text[0] == '-' ? -part : part;
    }
    return ns;
}

void clear(Event* event) {
    event->kind = Event::Kind::span;
    event->rank = event->other_rank = -1;
    event->thread = -1;
    event->begin_ns = event->duration_ns = event->value = event->dropped = 0;
    event->job_ranks = 0;
    event->bytes = -1;
    event->category.clear();
    event->name.clear();
    event->text.clear();
    event->run.clear();
}

}  // namespace

EventReader::EventReader(const std::string& path) : scanner_(path) {
    if (scanner_.peek() == '\0') {
        throw TraceError(path + " is empty");
    }
    if (scanner_.peek() != '[') {
        throw TraceError(path + " is no timeline of ARMCI_TRACE: it does not begin with '['");
    }
    scanner_.take('[');
}

bool EventReader::next(Event* event) {
    char phase = '\0';
    while (next_line(event, &phase)) {
        if (phase == 'X' || phase == 'C' || phase == 'M') {
            return true;
        }
        const uint64_t key = static_cast<uint64_t>(event->rank) << 40 ^ id_;
        if (phase == 'b') {
            if (begun_.size() == kMaxBegun) {
                scanner_.fail("too many events begin and do not end");
            }
            begun_[key] = {*event, keeps_source_ ? source_ : std::string()};
            continue;
        }
        const auto found = begun_.find(key);
        if (found == begun_.end()) {
            scanner_.fail("an event ends that has not begun");
        }
        const int64_t end_ns = event->begin_ns;
        *event = std::move(found->second.event);
        event->duration_ns = end_ns - event->begin_ns;
        if (keeps_source_) {
            source_ = std::move(found->second.source) + ",\n" + source_;
        }
        begun_.erase(found);
        return true;
    }
    return false;
}

// Returns false at the end of the file.
bool EventReader::next_line(Event* event, char* phase) {
    if (is_cut_off_) {
        return false;
    }
    try {
        if (scanner_.take_if(']')) {
            if (scanner_.peek() != '\0') {
                scanner_.fail("there is something behind the end of the array");
            }
            return false;
        }
        if (has_begun_) {
            scanner_.take(',');
        }
        has_begun_ = true;
        take_line(event, phase);
        return true;
    } catch (const JsonScanner::End&) {
        is_cut_off_ = true;
        return false;
    }
}

void EventReader::take_line(Event* event, char* phase) {
    clear(event);
    *phase = '\0';
    process_ = -1;
    id_ = 0;
    scanner_.peek();
    if (keeps_source_) {
        source_.clear();
        scanner_.copy_to(&source_);
    }
    scanner_.take('{');
    do {
        scanner_.take_string(&key_);
        scanner_.take(':');
        take_field(event, phase);
    } while (scanner_.take_if(','));
    scanner_.take('}');
    scanner_.copy_to(nullptr);
    if (process_ < kNumbersOfRank || process_ % kNumbersOfRank != 0) {
        scanner_.fail("process " + std::to_string(process_) +
                      " is no rank; this is no timeline of ARMCI_TRACE");
    }
    event->rank = checked_rank(process_ / kNumbersOfRank - 1);
    switch (*phase) {
        case 'X':
        case 'b':
        case 'e':
            return;
        case 'C':
            event->kind = Event::Kind::counter;
            event->name += " " + series_;
            return;
        case 'M':
            event->kind = Event::Kind::name;
            return;
        default:
            scanner_.fail(std::string("ARMCI_TRACE writes no events of the kind \"ph\":\"") +
                          *phase + "\"");
    }
}

void EventReader::take_field(Event* event, char* phase) {
    if (key_ == "ph") {
        scanner_.take_string(&text_);
        *phase = text_.size() == 1 ? text_[0] : '?';
    } else if (key_ == "pid") {
        process_ = take_integer();
    } else if (key_ == "tid") {
        event->thread = take_integer();
    } else if (key_ == "ts") {
        event->begin_ns = take_time();
    } else if (key_ == "dur") {
        event->duration_ns = take_time();
    } else if (key_ == "cat") {
        scanner_.take_string(&event->category);
    } else if (key_ == "name") {
        scanner_.take_string(&event->name);
    } else if (key_ == "args") {
        take_arguments(event);
    } else if (key_ == "id2") {
        take_local_id();
    } else {
        scanner_.skip_value();
    }
}

void EventReader::take_arguments(Event* event) {
    scanner_.take('{');
    if (scanner_.take_if('}')) {
        return;
    }
    do {
        scanner_.take_string(&key_);
        scanner_.take(':');
        if (key_ == "bytes") {
            event->bytes = take_integer();
        } else if (key_ == "rank") {
            event->other_rank = checked_rank(take_integer());
        } else if (key_ == "dropped") {
            event->dropped = take_integer();
        } else if (key_ == "name") {
            scanner_.take_string(&event->text);
        } else if (key_ == "ranks") {
            event->job_ranks = take_integer();
            if (event->job_ranks < 0 || event->job_ranks > kMaxRanks) {
                scanner_.fail("no job has " + std::to_string(event->job_ranks) + " ranks");
            }
        } else if (key_ == "run") {
            scanner_.take_string(&event->run);
        } else if (scanner_.peek() == '-' ||
                   std::isdigit(static_cast<unsigned char>(scanner_.peek())) != 0) {
            event->value = take_integer();  // of a counter, whose name it ends
            series_ = key_;
        } else {
            scanner_.skip_value();
        }
    } while (scanner_.take_if(','));
    scanner_.take('}');
}

// Takes {"local":"0x12"}.
void EventReader::take_local_id() {
    scanner_.take('{');
    scanner_.take_string(&key_);
    scanner_.take(':');
    scanner_.take_string(&text_);
    scanner_.take('}');
    id_ = std::strtoull(text_.c_str(), nullptr, 16);
}

int64_t EventReader::take_time() {
    scanner_.take_number(&text_);
    const int64_t ns = to_ns(text_);
    if (ns < -kMaxTimeNs || ns > kMaxTimeNs) {
        scanner_.fail(text_ + " us is no time of a job");
    }
    return ns;
}

int64_t EventReader::take_integer() {
    scanner_.take_number(&text_);
    return std::strtoll(text_.c_str(), nullptr, 10);
}

int EventReader::checked_rank(int64_t rank) const {
    if (rank < 0 || rank >= kMaxRanks) {
        scanner_.fail("no job has a rank " + std::to_string(rank));
    }
    return static_cast<int>(rank);
}

}  // namespace armci::trace
