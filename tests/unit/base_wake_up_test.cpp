// SPDX-License-Identifier: BSD-3-Clause
#include "base/wake_up.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>

namespace armci::base::test {
namespace {

bool is_readable(const WakeUp& event) {
    pollfd waiting{event.fd(), POLLIN, 0};
    return poll(&waiting, 1, 0) == 1 && waiting.revents == POLLIN;
}

TEST(WakeUp, IsReadableFromSetUntilTake) {
    WakeUp event;
    ASSERT_TRUE(event.open());
    EXPECT_FALSE(is_readable(event));
    EXPECT_TRUE(event.set());
    EXPECT_TRUE(event.set());
    EXPECT_TRUE(is_readable(event));
    EXPECT_TRUE(event.take()) << "both at once";
    EXPECT_FALSE(is_readable(event));
}

TEST(WakeUp, TakeFailsAtOnceIfNotSet) {
    WakeUp event;
    ASSERT_TRUE(event.open());
    EXPECT_FALSE(event.take());
    EXPECT_EQ(errno, EAGAIN);
}

TEST(WakeUp, FailsWhileClosed) {
    WakeUp event;
    EXPECT_FALSE(event.set());
    EXPECT_EQ(errno, EBADF);
    ASSERT_TRUE(event.open());
    const int fd = event.fd();
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0) << "programs that are started do not have it";
    event.close();
    EXPECT_EQ(fcntl(fd, F_GETFD), -1);
    EXPECT_FALSE(event.take());
}

}  // namespace
}  // namespace armci::base::test
