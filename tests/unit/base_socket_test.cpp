// SPDX-License-Identifier: BSD-3-Clause
#include "base/socket.h"

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

// A listener on a free port of the loopback interface.
struct Port {
    Port() {
        listening = listen_at(address.get(), address.bytes);
        EXPECT_TRUE(listening.valid());
        EXPECT_EQ(getsockname(listening.get(), address.get(), &address.bytes), 0);
    }
    SocketAddress address = socket_address(parse_ip_address("127.0.0.1"), 0);
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
    const SocketAddress closed = Port().address;
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

TEST(Socket, ConnectsToTheFirstThatAnswers) {
    const Port silent;
    ASSERT_EQ(listen(silent.listening.get(), 0), 0);
    std::vector<Descriptor> callers;
    for (int i = 0; i < 4; ++i) {
        callers.push_back(connect_within(silent.address, 0));
    }
    const SocketAddress closed = Port().address;
    const Port port;
    size_t chosen = 0;
    const Descriptor caller =
        connect_to_any({silent.address, closed, port.address}, kPatienceMs, &chosen);
    ASSERT_TRUE(caller.valid());
    EXPECT_EQ(chosen, 2U);
    EXPECT_TRUE(blocks(caller));
    EXPECT_TRUE(accept_within(port.listening, kPatienceMs).valid());
    EXPECT_FALSE(connect_to_any({silent.address, closed}, kShortMs, &chosen).valid());
    EXPECT_EQ(errno, ETIMEDOUT);
    EXPECT_FALSE(connect_to_any({}, kShortMs, &chosen).valid());
}

TEST(Socket, CallsFromTheAddressThatIsWanted) {
    const Port port;
    const Descriptor caller = begin_connection(port.address, parse_ip_address("127.9.8.7"));
    ASSERT_TRUE(caller.valid());
    ASSERT_TRUE(wait_ready(caller.get(), POLLOUT, kPatienceMs));
    EXPECT_EQ(outcome_of(caller), 0);
    SocketAddress own;
    own.bytes = sizeof own.storage;
    ASSERT_EQ(getsockname(caller.get(), own.get(), &own.bytes), 0);
    EXPECT_EQ(text_of(ip_address(own.get())), "127.9.8.7");
    EXPECT_FALSE(begin_connection(port.address, parse_ip_address("192.0.2.1")).valid());
    EXPECT_EQ(errno, EADDRNOTAVAIL);
}

TEST(Socket, Ipv6OfAllInterfacesTakesCallersOfIpv4) {
    uint16_t port = 0;
    const Descriptor listening = listen_in_range(parse_ip_address("::"), {}, &port);
    if (!listening.valid()) {
        GTEST_SKIP() << "the system has no IPv6";
    }
    const SocketAddress ipv4 = socket_address(parse_ip_address("127.0.0.1"), port);
    EXPECT_TRUE(connect_within(ipv4, kPatienceMs).valid());
}

TEST(Socket, ListenFailsAtAnAddressInUse) {
    const Port port;
    const Descriptor second = listen_at(port.address.get(), port.address.bytes);
    EXPECT_FALSE(second.valid());
    EXPECT_EQ(errno, EADDRINUSE);
}

}  // namespace
}  // namespace armci::base::test
