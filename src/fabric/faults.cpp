// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/faults.h"

#include <map>
#include <utility>

#include "base/config_value.h"
#include "base/mutex.h"

namespace armci::fabric {
namespace detail {
std::atomic<bool> g_has_post_faults{false};
}

namespace {

struct Range {
    const char* begin;
    size_t bytes;
};

Faults g_faults;
std::atomic<uint64_t> g_posts{0};
std::atomic<int64_t> g_registrations{0};
base::Mutex g_ranges_mutex;
// The ranges by descriptor; a provider uses a descriptor again after it was closed.
std::map<void*, Range> g_ranges ARMCI_GUARDED_BY(g_ranges_mutex);

// Maps neighbouring numbers to unrelated ones (the finisher of splitmix64; docs/references.md:
// Steele 2014).
uint64_t scramble(uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

bool parse_positive(std::string_view text, int64_t* out) {
    return base::parse_integer(text, out) && *out > 0;
}

bool parse_ratio(std::string_view text, int64_t* part, int64_t* whole) {
    const size_t slash = text.find('/');
    return slash != std::string_view::npos && parse_positive(text.substr(0, slash), part) &&
           parse_positive(text.substr(slash + 1), whole) && *part < *whole;
}

bool parse_access(std::string_view text, Faults* faults) {
    int access = 0;
    if (!base::parse_choice(text, "both|local|remote", &access)) {
        return false;
    }
    faults->limit_local = access != 2;
    faults->limit_remote = access != 1;
    return true;
}

bool parse_switch(std::string_view name, Faults* faults) {
    const std::pair<std::string_view, bool*> switches[] = {
        {"mr_local", &faults->local_registration_needed},
        {"rail_keys", &faults->rail_keys_differ},
        {"rails_short", &faults->divides_short},
        {"no_delivery", &faults->without_delivery},
    };
    for (const auto& [known, setting] : switches) {
        if (name == known) {
            *setting = true;
            return true;
        }
    }
    return false;
}

bool parse_word(std::string_view word, Faults* faults) {
    const size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    if (equals == std::string_view::npos) {
        return parse_switch(name, faults);
    }
    const std::string_view value = word.substr(equals + 1);
    if (name == "eagain") {
        return parse_ratio(value, &faults->refused_posts, &faults->of_posts);
    }
    if (name == "burst") {
        return parse_positive(value, &faults->posts_in_burst);
    }
    if (name == "seed") {
        return base::parse_integer(value, &faults->seed);
    }
    if (name == "mr_count") {
        return base::parse_integer(value, &faults->registrations) && faults->registrations >= 0;
    }
    if (name == "mr_bytes") {
        return base::parse_bytes(value, &faults->registration_bytes);
    }
    return name == "mr_refused" && parse_access(value, faults);
}

}  // namespace

bool parse_faults(std::string_view text, Faults* faults, std::string* error) {
    Faults parsed;
    for (std::string_view rest = text; !rest.empty();) {
        const size_t comma = rest.find(',');
        const std::string_view word = rest.substr(0, comma);
        const bool ends_in_comma = comma == rest.size() - 1;
        if (!parse_word(word, &parsed) || ends_in_comma) {
            *error = "ARMCI_FAULTS=\"" + std::string(text) + "\" is not a list of eagain=R/N, " +
                     "burst=N, seed=N, mr_local, mr_count=N, mr_bytes=N, " +
                     "mr_refused=both|local|remote, rail_keys, rails_short and no_delivery; " +
                     "correct or unset it";
            return false;
        }
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    *faults = parsed;
    return true;
}

void set_faults(const Faults& faults) {
    g_faults = faults;
    g_posts.store(0);
    g_registrations.store(0);
    detail::g_has_post_faults.store(faults.refused_posts > 0 || faults.local_registration_needed);
}

const Faults& faults() {
    return g_faults;
}

bool post_is_refused() {
    if (g_faults.refused_posts == 0) {
        return false;
    }
    const uint64_t burst = g_posts.fetch_add(1, std::memory_order_relaxed) /
                           static_cast<uint64_t>(g_faults.posts_in_burst);
    return scramble(scramble(static_cast<uint64_t>(g_faults.seed)) + burst) %
               static_cast<uint64_t>(g_faults.of_posts) <
           static_cast<uint64_t>(g_faults.refused_posts);
}

bool is_registered(const void* data, size_t bytes, void* descriptor) {
    if (!g_faults.local_registration_needed) {
        return true;
    }
    const base::MutexLock lock(g_ranges_mutex);
    const auto found = g_ranges.find(descriptor);
    if (found == g_ranges.end()) {
        return false;
    }
    const Range& range = found->second;
    const char* begin = static_cast<const char*>(data);
    return begin >= range.begin && begin + bytes <= range.begin + range.bytes;
}

void remember_registration(const void* start, size_t bytes, void* descriptor) {
    if (g_faults.local_registration_needed) {
        const base::MutexLock lock(g_ranges_mutex);
        g_ranges[descriptor] = {static_cast<const char*>(start), bytes};
    }
}

bool registration_is_refused(size_t bytes, Access access) {
    const bool is_meant = access == Access::remote ? g_faults.limit_remote : g_faults.limit_local;
    return is_meant && (g_registrations.fetch_add(1) >= g_faults.registrations ||
                        bytes > static_cast<size_t>(g_faults.registration_bytes));
}

}  // namespace armci::fabric
