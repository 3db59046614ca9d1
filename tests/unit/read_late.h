// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <string>

namespace armci::test {

// Standard error as a launcher makes it: a pipe that another process reads when it gets to it.
class ReadLate {
  public:
    ReadLate() : saved_(dup(STDERR_FILENO)) {
        EXPECT_EQ(pipe(ends_), 0);
        dup2(ends_[1], STDERR_FILENO);
    }
    ~ReadLate() {
        dup2(saved_, STDERR_FILENO);
        close(saved_);
        close(ends_[0]);
        close(ends_[1]);
    }
    ReadLate(const ReadLate&) = delete;
    ReadLate& operator=(const ReadLate&) = delete;

    bool has_unread() const {
        pollfd unread{ends_[0], POLLIN, 0};
        return poll(&unread, 1, 0) == 1;
    }
    std::string read() const {
        char text[4096];
        const ssize_t bytes = ::read(ends_[0], text, sizeof text);
        EXPECT_GT(bytes, 0);
        return {text, static_cast<size_t>(std::max<ssize_t>(bytes, 0))};
    }
    // Leaves no room for a byte.
    void fill(bool may_block) const {
        const int flags = fcntl(ends_[1], F_GETFL);
        fcntl(ends_[1], F_SETFL, flags | O_NONBLOCK);
        while (write(ends_[1], ".", 1) == 1) {
        }
        fcntl(ends_[1], F_SETFL, may_block ? flags : flags | O_NONBLOCK);
    }

  private:
    int saved_;
    int ends_[2] = {-1, -1};
};

}  // namespace armci::test
