// SPDX-License-Identifier: BSD-3-Clause
// Captures what this process writes to standard error while the object lives, from any thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace armci::test {

class StderrCapture {
  public:
    StderrCapture() : saved_(dup(STDERR_FILENO)), file_(memfd_create("stderr", MFD_CLOEXEC)) {
        EXPECT_GE(saved_, 0);
        EXPECT_GE(file_, 0);
        dup2(file_, STDERR_FILENO);
    }
    ~StderrCapture() {
        dup2(saved_, STDERR_FILENO);
        close(saved_);
        close(file_);
    }
    StderrCapture(const StderrCapture&) = delete;
    StderrCapture& operator=(const StderrCapture&) = delete;

    std::string text() const {
        std::string result;
        char piece[4096];
        for (ssize_t bytes = 0;
             (bytes = pread(file_, piece, sizeof piece, static_cast<off_t>(result.size()))) > 0;) {
            result.append(piece, static_cast<size_t>(bytes));
        }
        return result;
    }

  private:
    int saved_;
    int file_;
};

}  // namespace armci::test
