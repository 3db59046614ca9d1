// SPDX-License-Identifier: BSD-3-Clause
// Deliberate faults where this library meets libfabric, for tests. They imitate a busy network, a
// low limit on locked memory and a provider with other requirements, on any machine.
//
// One setting holds for the whole process and is off unless a test sets it; an endpoint then pays
// one branch for each post. Posts and registrations may come from any thread, but set_faults() only
// while nothing is under way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fabric/region.h"

namespace armci::fabric {

struct Faults {
    // On average, this many of so many posts are answered like -FI_EAGAIN, at random; several in
    // sequence have the same result. Endless refusal is impossible: refused_posts < of_posts.
    int64_t refused_posts = 0;
    int64_t of_posts = 1;
    int64_t posts_in_burst = 1;
    int64_t seed = 1;
    // Registrations of the selected access succeed up to this number and up to so many bytes each.
    int64_t registrations = INT64_MAX;
    int64_t registration_bytes = INT64_MAX;
    bool limit_local = true;
    bool limit_remote = true;
    // Domains require registered local memory even if their provider does not. A post without the
    // descriptor of a registration around its memory ends the job.
    bool local_registration_needed = false;
    // Memory has another key on each rail, as where the provider chooses keys.
    bool rail_keys_differ = false;
    // No completion tells that a write has arrived, only its order with later messages.
    bool without_delivery = false;
    // With several rails, short writes and reads take any of them, too.
    bool divides_short = false;
};

// Reads a list like "eagain=3/4,burst=5,mr_local"; the configuration table explains the words. If
// it is malformed, returns false, writes a sentence to *error and leaves *faults unchanged.
bool parse_faults(std::string_view text, Faults* faults, std::string* error);

// Makes these faults effective, and counts from now on. Faults{} switches all off.
void set_faults(const Faults& faults);
const Faults& faults();

namespace detail {
extern std::atomic<bool> g_has_post_faults;
}
inline bool has_post_faults() {
    return __builtin_expect(detail::g_has_post_faults.load(std::memory_order_relaxed), 0) != 0;
}

// Says whether the next post must behave as if the provider had answered -FI_EAGAIN. It may be
// called only while has_post_faults().
bool post_is_refused();
// Says whether a provider that requires registered local memory could take these bytes.
bool is_registered(const void* data, size_t bytes, void* descriptor);
// Remembers what a descriptor covers, for is_registered().
void remember_registration(const void* start, size_t bytes, void* descriptor);

// Says whether the caller must behave as if the system had refused to lock that much memory.
bool registration_is_refused(size_t bytes, Access access);

}  // namespace armci::fabric
