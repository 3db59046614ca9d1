// SPDX-License-Identifier: BSD-3-Clause
// A link with a delay, for kernels without netem: takes the frames that arrive at each of two
// interfaces, keeps them for the delay and sends them from the other one. Ends when it is killed.
//
// usage: hosts_delay_link MICROSECONDS INTERFACE INTERFACE
//
// The queue drops what does not fit into kQueueBytes, as a switch does. Where the program gets no
// processor in time, the delay is longer. It has no rate of its own: a qdisc before it can have
// one.
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// The kernel gives a frame before it has been cut to the size of the wire, with a header that says
// how to cut it: struct virtio_net_hdr, whose declaration is not C++.
constexpr size_t kHowToCutBytes = 10;
constexpr size_t kLargestFrame = kHowToCutBytes + ETH_HLEN + 65535 + 4;
constexpr size_t kQueueBytes = 64 << 20;
constexpr int kFramesInTurn = 64;

struct Frame {
    Clock::time_point due;
    std::vector<char> bytes;
};

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "hosts_delay_link: %s: %s\n", what.c_str(), std::strerror(errno));
    std::exit(1);
}

int open_interface(const char* name) {
    const int packets = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    const int buffer_bytes = 16 << 20;
    if (packets < 0 || setsockopt(packets, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on) != 0 ||
        setsockopt(packets, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on) != 0 ||
        setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes) != 0 ||
        setsockopt(packets, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof buffer_bytes) != 0) {
        fail("a socket for frames");
    }
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(if_nametoindex(name));
    if (address.sll_ifindex == 0 ||
        bind(packets, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail(name);
    }
    return packets;
}

// One direction.
class Direction {
  public:
    Direction(int from, int to, Clock::duration delay) : from_(from), to_(to), delay_(delay) {}

    // Takes frames that have arrived. False: there may be more.
    bool take() {
        static std::array<char, kLargestFrame> room;
        for (int turn = 0; turn < kFramesInTurn; ++turn) {
            const ssize_t got = recv(from_, room.data(), room.size(), MSG_TRUNC);
            if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
                return true;
            }
            if (got < 0) {
                fail("receiving a frame");
            }
            const auto bytes = static_cast<size_t>(got);
            if (bytes <= room.size() && queued_bytes_ + bytes <= kQueueBytes) {
                frames_.push_back({Clock::now() + delay_, {room.data(), room.data() + bytes}});
                queued_bytes_ += bytes;
            }
        }
        return false;
    }

    // Sends the frames whose time has come. Returns when it is to be called again.
    std::optional<Clock::time_point> send_due() {
        constexpr auto kUntilThereIsRoom = std::chrono::microseconds(20);
        while (!frames_.empty()) {
            const Frame& first = frames_.front();
            const auto now = Clock::now();
            if (first.due > now) {
                return first.due;
            }
            if (send(to_, first.bytes.data(), first.bytes.size(), 0) < 0 &&
                (errno == EAGAIN || errno == ENOBUFS || errno == EINTR)) {
                return now + kUntilThereIsRoom;
            }  // any other error loses the frame, as a wire that is down would
            queued_bytes_ -= first.bytes.size();
            frames_.pop_front();
        }
        return std::nullopt;
    }

  private:
    int from_;
    int to_;
    Clock::duration delay_;
    std::deque<Frame> frames_;
    size_t queued_bytes_ = 0;
};

timespec from_now(Clock::time_point when) {
    const auto left = std::max(when - Clock::now(), Clock::duration::zero());
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    return {ns / 1'000'000'000, ns % 1'000'000'000};
}

}  // namespace

int main(int count, char** words) {
    char* end = nullptr;
    const long delay_us = count == 4 ? std::strtol(words[1], &end, 10) : -1;
    if (delay_us < 0 || *end != '\0') {
        std::fprintf(stderr, "usage: hosts_delay_link MICROSECONDS INTERFACE INTERFACE\n");
        return 2;
    }
    prctl(PR_SET_TIMERSLACK, 1);  // nanosecond
    const int first = open_interface(words[2]);
    const int second = open_interface(words[3]);
    Direction there(first, second, std::chrono::microseconds(delay_us));
    Direction back(second, first, std::chrono::microseconds(delay_us));
    std::puts("up");
    std::fflush(stdout);
    while (true) {
        const bool is_all = there.take() & back.take();
        const auto next = there.send_due();
        const auto next_back = back.send_due();
        if (!is_all) {
            continue;
        }
        std::optional<timespec> wait;
        if (next || next_back) {
            wait = from_now(std::min(next.value_or(Clock::time_point::max()),
                                     next_back.value_or(Clock::time_point::max())));
        }
        pollfd arrivals[] = {{first, POLLIN, 0}, {second, POLLIN, 0}};
        ppoll(arrivals, 2, wait ? &*wait : nullptr, nullptr);
    }
}
