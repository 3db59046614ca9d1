// SPDX-License-Identifier: BSD-3-Clause
#include "base/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace armci::base::test {
namespace {

bool is_open(int fd) {
    return fcntl(fd, F_GETFD) != -1;
}

TEST(Descriptor, ClosesItsDescriptorOnce) {
    const int fd = dup(STDERR_FILENO);
    const int other_fd = dup(STDERR_FILENO);
    {
        Descriptor descriptor(fd);
        EXPECT_TRUE(descriptor.valid());
        EXPECT_EQ(descriptor.get(), fd);
        Descriptor moved(std::move(descriptor));
        EXPECT_EQ(moved.get(), fd);
        EXPECT_TRUE(is_open(fd));
        Descriptor assigned(other_fd);
        assigned = std::move(moved);
        EXPECT_FALSE(is_open(other_fd));
        EXPECT_EQ(assigned.get(), fd);
        EXPECT_EQ(assigned.release(), fd);
        EXPECT_FALSE(assigned.valid());
        EXPECT_TRUE(is_open(fd));
        assigned = Descriptor(fd);
    }
    EXPECT_FALSE(is_open(fd));
    Descriptor none;
    EXPECT_FALSE(none.valid());
    none.reset();
    EXPECT_EQ(none.release(), -1);
}

}  // namespace
}  // namespace armci::base::test
