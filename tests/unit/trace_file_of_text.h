// SPDX-License-Identifier: BSD-3-Clause
// A file with a given text, for tests of what reads files.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace armci::trace::test {

class FileOfText {
  public:
    explicit FileOfText(const std::string& text) : fd_(memfd_create("text", MFD_CLOEXEC)) {
        EXPECT_EQ(::write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    ~FileOfText() { ::close(fd_); }
    FileOfText(const FileOfText&) = delete;
    FileOfText& operator=(const FileOfText&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

  private:
    int fd_;
};

}  // namespace armci::trace::test
