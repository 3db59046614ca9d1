// SPDX-License-Identifier: BSD-3-Clause
#include "base/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <csignal>
#include <vector>

#include "base/clock.h"

namespace armci::base::test {
namespace {

constexpr int kPatienceMs = 5'000;
constexpr int kShortMs = 100;

sockaddr_in on_loopback() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// A listener on a free port of the loopback interface.
struct Port {
    Port() {
        socklen_t bytes = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        listening = listen_at(generic, bytes);
        EXPECT_TRUE(listening.valid());
        EXPECT_EQ(getsockname(listening.get(), generic, &bytes), 0);
    }
    sockaddr_in address = on_loopback();
    Descriptor listening;
};

bool blocks(const Descriptor& descriptor) {
    return (fcntl(descriptor.get(), F_GETFL) & O_NONBLOCK) == 0;
}

// The timer is faster than the time limit, so a wait that began anew with each signal would never
// end. The program hangs then, and its own time limit ends it.
TEST(Socket, SignalsDoNotProlongAWait) {
    struct sigaction ignore {};
    ignore.sa_handler = [](int) {};
    struct sigaction before {};
    ASSERT_EQ(sigaction(SIGALRM, &ignore, &before), 0);
    const itimerval often{{0, 5'000}, {0, 5'000}};
    ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
    const Port port;
    EXPECT_FALSE(accept_within(port.listening, kShortMs).valid());
    EXPECT_EQ(errno, EAGAIN);
    const itimerval never{};
    ASSERT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
    ASSERT_EQ(sigaction(SIGALRM, &before, nullptr), 0);
}

TEST(Socket, ConnectsAndAccepts) {
    const Port port;
    const Descriptor caller = connect_within(port.address, kPatienceMs);
    ASSERT_TRUE(caller.valid());
    const Descriptor accepted = accept_within(port.listening, kPatienceMs);
    ASSERT_TRUE(accepted.valid());
    EXPECT_TRUE(blocks(caller));
    EXPECT_TRUE(blocks(accepted));
    EXPECT_NE(fcntl(caller.get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_NE(fcntl(accepted.get(), F_GETFD) & FD_CLOEXEC, 0);
    ASSERT_EQ(send(caller.get(), "x", 1, 0), 1);
    EXPECT_TRUE(wait_ready(accepted.get(), POLLIN, kPatienceMs));
    char byte = 0;
    EXPECT_EQ(recv(accepted.get(), &byte, 1, 0), 1);
    EXPECT_EQ(byte, 'x');
}

TEST(Socket, AcceptEndsAtTheTimeLimit) {
    const Port port;
    const int64_t begin_ns = now_ns();
    EXPECT_FALSE(accept_within(port.listening, kShortMs).valid());
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_GE(now_ns() - begin_ns, int64_t{kShortMs - 1} * 1'000'000);
}

TEST(Socket, ConnectFailsWithTheErrorOfTheOtherSide) {
    const sockaddr_in closed = Port().address;
    EXPECT_FALSE(connect_within(closed, kPatienceMs).valid());
    EXPECT_EQ(errno, ECONNREFUSED);
}

// Where the queue is full the system drops packets, as a firewall does.
TEST(Socket, ConnectEndsAtTheTimeLimitWherePacketsAreDropped) {
    const Port port;
    ASSERT_EQ(listen(port.listening.get(), 0), 0);
    std::vector<Descriptor> callers;
    for (int i = 0; i < 4; ++i) {
        callers.push_back(connect_within(port.address, 0));
    }
    const int64_t begin_ns = now_ns();
    EXPECT_FALSE(connect_within(port.address, kShortMs).valid());
    EXPECT_EQ(errno, ETIMEDOUT);
    EXPECT_GE(now_ns() - begin_ns, int64_t{kShortMs - 1} * 1'000'000);
}

TEST(Socket, ListenFailsAtAnAddressInUse) {
    const Port port;
    const Descriptor second =
        listen_at(reinterpret_cast<const sockaddr*>(&port.address), sizeof port.address);
    EXPECT_FALSE(second.valid());
    EXPECT_EQ(errno, EADDRINUSE);
}

}  // namespace
}  // namespace armci::base::test
