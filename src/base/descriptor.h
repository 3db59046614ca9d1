// SPDX-License-Identifier: BSD-3-Clause
// Ownership of a file descriptor, and writing to one.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace armci::base {

class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = other.release();
        }
        return *this;
    }
    ~Descriptor() { reset(); }

    int get() const { return fd_; }
    bool valid() const { return fd_ >= 0; }
    int release() { return std::exchange(fd_, -1); }
    void reset() {
        if (valid()) {
            // The number is released first, so that a child forked in between does not close it,
            // too.
            close(release());
        }
    }

  private:
    int fd_ = -1;
};

inline constexpr int64_t kPatienceForRoomNs = 5'000'000'000;

// Writes all of the text, however many signals come. Where a descriptor that does not block has no
// room, it waits for that, for so long at most. Returns false, with errno, if it is not possible.
// Signal handlers may call this.
bool write_all(int fd, std::string_view text, int64_t patience_ns = kPatienceForRoomNs);

}  // namespace armci::base
