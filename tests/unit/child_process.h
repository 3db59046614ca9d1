// SPDX-License-Identifier: BSD-3-Clause
// A part of a test that runs in a process of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

namespace armci::test {

class ChildProcess {
  public:
    // `body` returns the exit status; 0 means success. Nothing else of the test program runs in the
    // child. Assertions of GoogleTest would have no effect there.
    template <class Body>
    explicit ChildProcess(Body&& body) {
        std::fflush(nullptr);
        pid_ = fork();
        if (pid_ == 0) {
            _exit(body());
        }
    }
    ChildProcess(ChildProcess&& other) noexcept : pid_(other.pid_) { other.pid_ = -1; }
    ChildProcess& operator=(ChildProcess&&) = delete;
    ~ChildProcess() {
        if (pid_ > 0) {
            wait();
        }
    }

    // The exit status, or 256 if the child ended by a signal or was never started.
    int wait() {
        int status = 0;
        const bool waited = pid_ > 0 && waitpid(pid_, &status, 0) == pid_;
        pid_ = -1;
        return waited && WIFEXITED(status) ? WEXITSTATUS(status) : 256;
    }

  private:
    pid_t pid_ = -1;
};

}  // namespace armci::test
