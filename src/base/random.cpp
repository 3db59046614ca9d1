// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.h"

#include <sys/random.h>

#include <cerrno>

namespace armci::base {

bool draw_random(void* data, size_t bytes) {
    char* next = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t drawn = getrandom(next, bytes, 0);
        if (drawn < 0 && errno == EINTR) {
            continue;
        }
        if (drawn < 0) {
            return false;
        }
        next += drawn;
        bytes -= static_cast<size_t>(drawn);
    }
    return true;
}

}  // namespace armci::base
