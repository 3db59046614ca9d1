// SPDX-License-Identifier: BSD-3-Clause
#include "base/descriptor.h"

#include <poll.h>

#include <cerrno>
#include <cstdint>

#include "base/clock.h"

namespace armci::base {
namespace {

// Returns when there may be room, or false at the end of the time.
bool await_room(int fd, int64_t end_ns) {
    const int64_t left_ns = end_ns - now_ns();
    if (left_ns <= 0) {
        return false;
    }
    pollfd room{fd, POLLOUT, 0};
    ::poll(&room, 1, static_cast<int>(left_ns / 1'000'000) + 1);  // the next write says the rest
    return true;
}

}  // namespace

bool write_all(int fd, std::string_view text, int64_t patience_ns) {
    const int64_t end_ns = now_ns() + patience_ns;
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written > 0) {
            text.remove_prefix(static_cast<size_t>(written));
        } else if (written == 0 ||
                   (errno != EINTR && !(errno == EAGAIN && await_room(fd, end_ns)))) {
            return false;
        }
    }
    return true;
}

}  // namespace armci::base
