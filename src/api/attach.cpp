// SPDX-License-Identifier: BSD-3-Clause
// Attaching memory that the library did not allocate (armcix.h).
#include "api/arguments.h"
#include "base/log.h"
#include "core/memory/attached_memory.h"

using armci::core::Entry;
namespace api = armci::api;

extern "C" int ARMCIX_Attach(void* ptr, size_t bytes) {
    Entry entry("ARMCIX_Attach");
    api::check_not_null("ARMCIX_Attach", "ptr", ptr);
    if (bytes == 0) {
        armci::base::fatal("ARMCIX_Attach", "argument bytes = 0: attach at least one byte");
    }
    entry->attached.attach("ARMCIX_Attach", ptr, bytes);
    return 0;
}

extern "C" int ARMCIX_Detach(void* ptr) {
    Entry entry("ARMCIX_Detach");
    api::check_not_null("ARMCIX_Detach", "ptr", ptr);
    entry->attached.detach("ARMCIX_Detach", ptr);
    return 0;
}
