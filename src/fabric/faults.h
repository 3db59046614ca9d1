// SPDX-License-Identifier: BSD-3-Clause
// Faults made on purpose where this library meets libfabric, for tests: what a busy network, a low
// limit on locked memory and a provider with other wishes do, on any machine.
//
// One setting for the whole process, off unless a test sets it; an endpoint then pays one branch
// per post. Posts and registrations may come from any thread, set_faults() only while nothing is
// under way.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fabric/domain.h"

namespace armci::fabric {

struct Faults {
    // In the mean this many of so many posts are answered as by -FI_EAGAIN, at random, several in
    // sequence sharing one fate. Endless refusal is impossible: refused_posts < of_posts.
    int64_t refused_posts = 0;
    int64_t of_posts = 1;
    int64_t posts_in_burst = 1;
    int64_t seed = 1;
    // Registrations of the access meant succeed up to this number and of up to this many bytes.
    int64_t registrations = INT64_MAX;
    int64_t registration_bytes = INT64_MAX;
    bool limit_local = true;
    bool limit_remote = true;
    // Domains want local memory registered even if their provider does not, and a post that
    // has no descriptor of a registration around its memory ends the job.
    bool local_registration_needed = false;
};

// From a list like "eagain=3/4,burst=5,mr_local"; the configuration table explains the words.
// False, with a sentence in *error and *faults left alone, when it is malformed.
bool parse_faults(std::string_view text, Faults* faults, std::string* error);

// In force from now on, counting from the start; Faults{} switches all off.
void set_faults(const Faults& faults);
const Faults& faults();

namespace detail {
extern std::atomic<bool> g_has_post_faults;
}
inline bool has_post_faults() {
    return __builtin_expect(detail::g_has_post_faults.load(std::memory_order_relaxed), 0) != 0;
}

// Only while has_post_faults(). Whether the next post must do as if the provider had answered by
// -FI_EAGAIN.
bool post_is_refused();
// Whether a provider that wants local memory registered could take these bytes.
bool is_registered(const void* data, size_t bytes, void* descriptor);
// What a descriptor covers, for is_registered().
void remember_registration(const void* start, size_t bytes, void* descriptor);

// Whether the caller must do as if the system had refused to lock that much memory.
bool registration_is_refused(size_t bytes, Access access);

}  // namespace armci::fabric
