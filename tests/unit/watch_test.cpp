// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/interfaces.h"
#include "base/log.h"
#include "base/socket.h"
#include "base/strangers.h"
#include "child_process.h"
#include "task_state.h"
#include "watch/meeting.h"

namespace armci::watch::test {
namespace {

using armci::test::ChildProcess;

constexpr int kSelf = 3;
constexpr int kPatienceMs = 60'000;

Identity rank(int number) {
    Identity identity;
    identity.rank = number;
    identity.pid = 1000 + number;
    std::strcpy(identity.host, "somewhere");
    return identity;
}

Note note(Note::Kind kind, int number) {
    return {kind, number, Reason::ended, 0};
}

// Both ends of a connection: the first at rank kSelf, the second at `peer`.
std::pair<Connection, Connection> make_connection(int peer) {
    int sockets[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
    return {Connection(base::Descriptor(sockets[0]), rank(peer)),
            Connection(base::Descriptor(sockets[1]), rank(kSelf))};
}

// One connection to each peer; their other ends are in *ends.
std::vector<Connection> make_connections(const std::vector<int>& peers,
                                         std::vector<Connection>* ends) {
    std::vector<Connection> connections;
    for (const int peer : peers) {
        auto [its_end, our_end] = make_connection(peer);
        connections.push_back(std::move(its_end));
        ends->push_back(std::move(our_end));
    }
    return connections;
}

Note wait_for_note(Connection& connection) {
    Note heard{};
    Reason reason{};
    Connection::Heard what;
    while ((what = connection.hear(&heard, &reason)) == Connection::Heard::nothing) {
        std::this_thread::yield();
    }
    EXPECT_EQ(what, Connection::Heard::note);
    return heard;
}

// The pipe is not read, so that a process that writes more waits.
void fill(int pipe_end) {
    const int flags = fcntl(pipe_end, F_GETFL);
    fcntl(pipe_end, F_SETFL, flags | O_NONBLOCK);
    while (write(pipe_end, "full\n", 5) > 0) {
    }
    fcntl(pipe_end, F_SETFL, flags);
}

// A process with a watch over some connections, whose other ends are here.
class WatchedProcess {
  public:
    enum class Then : uint8_t { sleeps, fails, stops_when_it_ends };
    enum class StandardError : uint8_t { empty, full };

    WatchedProcess(const std::vector<int>& peers, const WatchOptions& options,
                   Then then = Then::sleeps, StandardError state = StandardError::empty) {
        std::vector<Connection> inner = make_connections(peers, &ends_);
        int output[2] = {-1, -1};
        EXPECT_EQ(pipe(output), 0);
        if (state == StandardError::full) {
            fill(output[1]);
        }
        child_.emplace_back([&] {
            ends_.clear();
            dup2(output[1], STDERR_FILENO);
            close(output[0]);
            close(output[1]);
            base::set_log_rank(options.rank);
            static Watch watch;
            std::string error;
            if (!watch.start(std::move(inner), options, &error)) {
                return 90;
            }
            if (then == Then::fails) {
                base::set_failure_hook([] { watch.tell_failure(); });
                base::fatal("ARMCI_Test", "on purpose");
            }
            if (then == Then::stops_when_it_ends) {
                while (!watch.ends_job()) {
                    std::this_thread::yield();
                }
                watch.stop();
                return 91;
            }
            for (;;) {
                pause();
            }
        });
        close(output[1]);
        output_ = base::Descriptor(output[0]);
    }

    Connection& end(size_t number) { return ends_[number]; }
    // Reads until the process ends.
    std::string text() {
        std::string all;
        char piece[512];
        for (ssize_t bytes; (bytes = read(output_.get(), piece, sizeof piece)) > 0;) {
            all.append(piece, static_cast<size_t>(bytes));
        }
        return all;
    }
    int status() { return child_.front().wait(); }

  private:
    std::vector<Connection> ends_;
    std::vector<ChildProcess> child_;
    base::Descriptor output_;
};

WatchOptions options() {
    WatchOptions all;
    all.rank = kSelf;
    all.abort_ms = 1;
    return all;
}

// A watch in this process.
class OwnWatch {
  public:
    explicit OwnWatch(const std::vector<int>& peers) {
        std::vector<Connection> connections = make_connections(peers, &ends_);
        socket_ = connections.front().socket();
        std::string error;
        EXPECT_TRUE(watch_.start(std::move(connections), options(), &error)) << error;
    }

    Watch* operator->() { return &watch_; }
    Connection& end(size_t number) { return ends_[number]; }
    int socket() const { return socket_; }  // of its first connection
    void wait_until_asleep() {
        // A thread gets its name a little after it exists.
        std::string task;
        while ((task = armci::test::task_named(Watch::kThreadName)).empty()) {
            std::this_thread::yield();
        }
        armci::test::wait_until_asleep(task);
    }

  private:
    std::vector<Connection> ends_;
    int socket_ = -1;
    Watch watch_;
};

TEST(LivenessConnection, DeliversNotesInOrderThenTheEnd) {
    auto [one, other] = make_connection(5);
    Note heard{};
    Reason reason = Reason::silent;
    EXPECT_EQ(one.hear(&heard, &reason), Connection::Heard::nothing);
    EXPECT_TRUE(other.say(note(Note::Kind::process_failed, 7)));
    EXPECT_TRUE(other.say(note(Note::Kind::farewell, 8)));
    other.close();
    ASSERT_EQ(one.hear(&heard, &reason), Connection::Heard::note);
    EXPECT_EQ(heard.kind, Note::Kind::process_failed);
    EXPECT_EQ(heard.rank, 7);
    ASSERT_EQ(one.hear(&heard, &reason), Connection::Heard::note);
    EXPECT_EQ(heard.kind, Note::Kind::farewell);
    ASSERT_EQ(one.hear(&heard, &reason), Connection::Heard::end);
    EXPECT_EQ(reason, Reason::ended);
    EXPECT_FALSE(other.say(note(Note::Kind::alive, 0)));
}

TEST(LivenessConnection, WaitsForTheRestOfANote) {
    auto [one, other] = make_connection(5);
    const Note whole = note(Note::Kind::report, 2);
    const char* bytes = reinterpret_cast<const char*>(&whole);
    Note heard{};
    Reason reason{};
    ASSERT_EQ(send(other.socket(), bytes, 5, 0), 5);
    EXPECT_EQ(one.hear(&heard, &reason), Connection::Heard::nothing);
    ASSERT_EQ(send(other.socket(), bytes + 5, sizeof whole - 5, 0),
              static_cast<ssize_t>(sizeof whole - 5));
    ASSERT_EQ(one.hear(&heard, &reason), Connection::Heard::note);
    EXPECT_EQ(heard.kind, Note::Kind::report);
}

class LivenessHandshake : public testing::TestWithParam<Reach> {};

TEST_P(LivenessHandshake, CallerAndListenerLearnEachOthersRank) {
    Listener listener;
    ASSERT_TRUE(listener.open(GetParam()));
    Connection called;
    std::thread caller([&] { called = call(listener.meeting(), rank(4), kPatienceMs); });
    Connection taken;
    while (!taken.is_open()) {
        taken = listener.take_caller(rank(2), 100);
    }
    caller.join();
    ASSERT_TRUE(called.is_open());
    EXPECT_EQ(called.peer().rank, 2);
    EXPECT_EQ(taken.peer().rank, 4);
    EXPECT_TRUE(called.say(note(Note::Kind::alive, 4)));
    EXPECT_EQ(wait_for_note(taken).rank, 4);
}

TEST_P(LivenessHandshake, RefusesAWrongToken) {
    Listener listener;
    ASSERT_TRUE(listener.open(GetParam()));
    Meeting guessed = listener.meeting();
    guessed.token[0] ^= 1;
    Connection called;
    std::thread caller([&] { called = call(guessed, rank(4), kPatienceMs); });
    EXPECT_FALSE(listener.take_caller(rank(2), 5'000).is_open());
    caller.join();
    EXPECT_FALSE(called.is_open());
}

// A listener at this host's loopback.
struct Loopback {
    Loopback() {
        EXPECT_TRUE(listener.open(Reach::host));
        address = base::socket_address(listener.meeting().addresses[0], listener.meeting().port);
        base::forget_strangers();
    }
    Listener listener;
    base::SocketAddress address;
};

// Callers without the token do not keep a rank out: not if they are silent, nor if they are many.
TEST(LivenessHandshake, StrangersKeepNoRankOut) {
    Loopback here;
    Listener& listener = here.listener;
    const Meeting& meeting = listener.meeting();
    std::vector<base::Descriptor> strangers;
    for (int i = 0; i < 100; ++i) {
        base::Descriptor& stranger =
            strangers.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ASSERT_EQ(connect(stranger.get(), here.address.get(), here.address.bytes), 0);
        const uint64_t wrong[2] = {meeting.token[0], meeting.token[1] ^ 1};
        const size_t bytes = i % 3 * 8;  // silent, half a token, a wrong one
        ASSERT_EQ(send(stranger.get(), wrong, bytes, MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
        EXPECT_FALSE(listener.take_caller(rank(2), 0).is_open());
    }
    Connection called;
    std::thread caller([&] { called = call(meeting, rank(4), kPatienceMs); });
    Connection taken;
    while (!taken.is_open()) {
        taken = listener.take_caller(rank(2), 100);
    }
    caller.join();
    EXPECT_TRUE(called.is_open());
    EXPECT_EQ(taken.peer().rank, 4);
    EXPECT_GE(base::count_from_strangers(base::FromStranger::connection), 60U);
    for (const base::Descriptor& stranger : strangers) {  // nobody has got an answer
        char byte = 0;
        EXPECT_LE(recv(stranger.get(), &byte, sizeof byte, MSG_DONTWAIT), 0);
    }
}

// The listener stops looking when all have called. A caller whose confirmation arrives only then
// has called with success.
TEST(LivenessHandshake, LateConfirmationIsAwaited) {
    Loopback here;
    const Meeting& meeting = here.listener.meeting();
    const base::Descriptor caller = base::connect_within(here.address, kPatienceMs);
    const Handshake hello{{meeting.token[0], meeting.token[1]}, rank(4)};
    ASSERT_EQ(send(caller.get(), &hello, sizeof hello, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof hello));
    std::vector<Connection> taken;
    here.listener.take_callers(
        rank(2), 1,
        [&] {
            Handshake answer{};
            return recv(caller.get(), &answer, sizeof answer, MSG_DONTWAIT) ==
                       static_cast<ssize_t>(sizeof answer) &&
                   send(caller.get(), "y", 1, MSG_NOSIGNAL) == 1;
        },
        &taken);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].peer().rank, 4);
}

// All ranks of a node call its first rank at the same time, and it may be late: then it takes one,
// and has not heard the others. It drops none of them as one that has said nothing.
TEST(LivenessHandshake, AllRanksMayCallAtOnce) {
    constexpr int kRanks = 120;  // older systems let no more than 128 wait
    Loopback here;
    const Meeting& meeting = here.listener.meeting();
    std::vector<base::Descriptor> callers;
    for (int i = 0; i < kRanks; ++i) {
        callers.push_back(base::connect_within(here.address, kPatienceMs));
        struct {
            Handshake hello;
            char confirmation = 'y';  // a real caller waits for the answer first
        } said{{{meeting.token[0], meeting.token[1]}, rank(i)}};
        constexpr size_t kSaidBytes = sizeof(Handshake) + 1;
        ASSERT_EQ(send(callers.back().get(), &said, kSaidBytes, MSG_NOSIGNAL),
                  static_cast<ssize_t>(kSaidBytes));
    }
    std::vector<Connection> taken;
    here.listener.take_callers(
        rank(kRanks), kRanks,
        [&] {
            return std::all_of(callers.begin(), callers.end(), [](const base::Descriptor& caller) {
                char byte = 0;  // of the answer, or the connection has been closed
                return recv(caller.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) >= 0 ||
                       errno == ECONNRESET;
            });
        },
        &taken);
    EXPECT_EQ(taken.size(), size_t{kRanks});
    EXPECT_EQ(base::count_from_strangers(base::FromStranger::connection), 0U);
}

// A rank that calls several addresses at once leaves all but one, perhaps before it speaks there.
TEST(LivenessHandshake, WhoLeavesWithoutAWordIsNoStranger) {
    Loopback here;
    ASSERT_TRUE(base::connect_within(here.address, kPatienceMs).valid());  // and closed
    EXPECT_FALSE(here.listener.take_caller(rank(2), kPatienceMs).is_open());
    EXPECT_EQ(base::count_from_strangers(base::FromStranger::connection), 0U);
    {
        const base::Descriptor stranger = base::connect_within(here.address, kPatienceMs);
        ASSERT_EQ(send(stranger.get(), "a word", 6, MSG_NOSIGNAL), 6);
    }
    EXPECT_FALSE(here.listener.take_caller(rank(2), kPatienceMs).is_open());
    EXPECT_EQ(base::count_from_strangers(base::FromStranger::connection), 1U);
}

TEST(LivenessHandshake, ListensAtTheChosenInterfaceOnly) {
    for (const base::InterfaceAddress& own : base::interface_addresses()) {
        if (!own.is_up || own.is_loopback || own.address.family != AF_INET) {
            continue;
        }
        Listener listener;
        ASSERT_TRUE(listener.open(Reach::hosts, {own.interface}));
        ASSERT_EQ(listener.meeting().address_count, 1);
        const base::IpAddress loopback = base::parse_ip_address("127.0.0.1");
        EXPECT_FALSE(base::connect_within(base::socket_address(loopback, listener.meeting().port),
                                          kPatienceMs)
                         .valid());
        EXPECT_TRUE(base::connect_within(base::socket_address(listener.meeting().addresses[0],
                                                              listener.meeting().port),
                                         kPatienceMs)
                        .valid());
        return;
    }
    GTEST_SKIP() << "this host has only loopback";
}

// Adapters have other names than interfaces of IP, and the first of several interfaces may be one
// that only another host has.
TEST(LivenessHandshake, ListensEverywhereWhereNoInterfaceIsMeant) {
    for (const std::vector<std::string>& interfaces :
         {std::vector<std::string>{"cxi0"}, {"cxi0", "cxi1"}, {}}) {
        Listener listener;
        ASSERT_TRUE(listener.open(Reach::hosts, interfaces));
        const base::IpAddress loopback = base::parse_ip_address("127.0.0.1");
        EXPECT_TRUE(base::connect_within(base::socket_address(loopback, listener.meeting().port),
                                         kPatienceMs)
                        .valid());
    }
}

TEST(LivenessHandshake, ListensAtTheFirstFreePortOfARange) {
    Listener first;
    ASSERT_TRUE(first.open(Reach::host));
    const uint16_t taken = first.meeting().port;
    Listener refused;
    EXPECT_FALSE(refused.open(Reach::host, {}, {taken, taken}));
    const base::PortRange ports{static_cast<uint16_t>(taken - 100), taken};
    Listener second;
    ASSERT_TRUE(second.open(Reach::host, {}, ports));
    EXPECT_TRUE(ports.contains(second.meeting().port));
    EXPECT_NE(second.meeting().port, taken);
}

// The handshake can still be read, and over TCP an answer can still be sent.
TEST(LivenessHandshake, RefusesACallerThatHasClosed) {
    Listener listener;
    ASSERT_TRUE(listener.open(Reach::host));
    const Meeting& meeting = listener.meeting();
    const struct {
        uint64_t token[2];
        Identity identity;
    } handshake = {{meeting.token[0], meeting.token[1]}, rank(4)};
    const base::SocketAddress address = base::socket_address(meeting.addresses[0], meeting.port);
    base::Descriptor caller(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect(caller.get(), address.get(), address.bytes), 0);
    ASSERT_EQ(send(caller.get(), &handshake, sizeof handshake, 0),
              static_cast<ssize_t>(sizeof handshake));
    caller.reset();
    EXPECT_FALSE(listener.take_caller(rank(2), 60'000).is_open());
}

INSTANTIATE_TEST_SUITE_P(Reaches, LivenessHandshake,
                         testing::Values(Reach::node, Reach::host, Reach::hosts),
                         [](const auto& parameter) {
                             return std::string(parameter.param == Reach::node   ? "node"
                                                : parameter.param == Reach::host ? "host"
                                                                                 : "hosts");
                         });

TEST(LivenessHandshake, CallFailsWithoutAListener) {
    EXPECT_FALSE(call(Meeting{}, rank(1), kPatienceMs).is_open());
}

TEST(Watch, EndsAfterForwardingTheFailureOfAPeer) {
    WatchedProcess process({0, 5}, options());
    process.end(1).close();
    const Note received = wait_for_note(process.end(0));
    EXPECT_EQ(received.kind, Note::Kind::process_failed);
    EXPECT_EQ(received.rank, 5);
    process.end(0).say(note(Note::Kind::spread, 0));
    const std::string text = process.text();
    EXPECT_EQ(text.find("[3] ARMCI Error: rank 5 (process 1005 on somewhere) has failed: "), 0U)
        << text;
    EXPECT_EQ(process.status(), 1);
}

TEST(Watch, ForwardsFailureNoteAnswersAndExitsSilently) {
    WatchOptions patient = options();
    patient.answers_ms = 3'600'000;
    WatchedProcess process({5, 0}, patient);
    process.end(1).say(note(Note::Kind::process_failed, 9));
    EXPECT_EQ(wait_for_note(process.end(0)).rank, 9);
    // An answer that was sent before the answer it has to wait for would arrive before this.
    process.end(0).say(note(Note::Kind::report, 5));
    EXPECT_EQ(wait_for_note(process.end(1)).kind, Note::Kind::report);
    process.end(0).say(note(Note::Kind::spread, 5));
    EXPECT_EQ(wait_for_note(process.end(1)).kind, Note::Kind::spread);
    EXPECT_EQ(process.text(), "");
    EXPECT_EQ(process.status(), 1);
}

TEST(Watch, ForwardsFailureNoteWhenStandardErrorIsFull) {
    WatchedProcess process({0, 5}, options(), WatchedProcess::Then::sleeps,
                           WatchedProcess::StandardError::full);
    process.end(1).close();
    EXPECT_EQ(wait_for_note(process.end(0)).kind, Note::Kind::process_failed);
    process.end(0).say(note(Note::Kind::spread, 0));
    EXPECT_NE(process.text().find("[3] ARMCI Error: rank 5 "), std::string::npos);
    EXPECT_EQ(process.status(), 1);
}

TEST(Watch, EndsThoughItStopsMeanwhile) {
    WatchOptions slow = options();
    slow.abort_ms = 500;  // the process stops within this time; if it is too late it ends likewise
    WatchedProcess process({5}, slow, WatchedProcess::Then::stops_when_it_ends);
    process.end(0).close();
    EXPECT_EQ(process.status(), 1);
}

TEST(Watch, OneRankOfANodeReportsTheFailure) {
    std::atomic<uint32_t> reported{1};
    WatchOptions quiet = options();
    quiet.reported = &reported;
    WatchedProcess process({0}, quiet);
    process.end(0).close();
    EXPECT_EQ(process.text(), "");
    EXPECT_EQ(process.status(), 1);
}

TEST(Watch, FarewellIsNoFailure) {
    // The watch looks at its connections in this order.
    WatchedProcess process({5, 0}, options());
    process.end(0).say(note(Note::Kind::farewell, 5));
    process.end(0).close();
    // The process still runs and can receive a note about another rank.
    process.end(1).say(note(Note::Kind::process_failed, 9));
    EXPECT_EQ(wait_for_note(process.end(1)).kind, Note::Kind::spread);
    EXPECT_EQ(process.text(), "");
}

TEST(Watch, AnnouncesItsErrorBeforeItEnds) {
    WatchedProcess process({0}, options(), WatchedProcess::Then::fails);
    const Note received = wait_for_note(process.end(0));
    EXPECT_EQ(received.kind, Note::Kind::error_reported);
    EXPECT_EQ(received.rank, kSelf);
    process.end(0).say(note(Note::Kind::spread, 0));
    EXPECT_EQ(process.text(), "[3] ARMCI Error: ARMCI_Test: on purpose\n");
    EXPECT_EQ(process.status(), 1);
}

TEST(Watch, SilenceIsAFailureIfConfigured) {
    WatchOptions strict = options();
    strict.silence_s = 1;
    WatchedProcess process({5}, strict);
    EXPECT_EQ(wait_for_note(process.end(0)).kind, Note::Kind::alive);
    const std::string text = process.text();
    EXPECT_NE(
        text.find("rank 5 (process 1005 on somewhere) has failed: it has given no sign of life "
                  "for 1 s (ARMCI_LOST_RANK_SECONDS)"),
        std::string::npos)
        << text;
    EXPECT_EQ(process.status(), 1);
}

// Of two ranks one answers. Without answers it would be the first to fail.
TEST(Watch, SignsOfLifePreventAFailure) {
    WatchOptions strict = options();
    strict.silence_s = 1;
    WatchedProcess process({5, 0}, strict);
    Note received{};
    while ((received = wait_for_note(process.end(0))).kind == Note::Kind::alive) {
        process.end(0).say(note(Note::Kind::alive, 5));
    }
    EXPECT_EQ(received.kind, Note::Kind::process_failed);
    EXPECT_EQ(received.rank, 0);
    process.end(0).say(note(Note::Kind::spread, 5));
    EXPECT_EQ(process.text().find("[3] ARMCI Error: rank 0 "), 0U);
}

TEST(Watch, SleepsAndSendsAFarewell) {
    OwnWatch watch({5});
    watch.wait_until_asleep();
    EXPECT_FALSE(watch->ends_job());
    watch->stop();
    EXPECT_EQ(wait_for_note(watch.end(0)).kind, Note::Kind::farewell);
    Note heard{};
    Reason reason{};
    EXPECT_EQ(watch.end(0).hear(&heard, &reason), Connection::Heard::end);
}

// promise: lost.children
TEST(Watch, ChildProcessesInheritNoConnection) {
    OwnWatch watch({5});
    ChildProcess child(
        [&] { return fcntl(watch.socket(), F_GETFD) == -1 && errno == EBADF ? 0 : 1; });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_NE(fcntl(watch.socket(), F_GETFD), -1);
}

// The first sign of life would be sent before the thread sleeps.
TEST(Watch, SilenceIsNoFailureByDefault) {
    OwnWatch watch({0, 5});
    watch.wait_until_asleep();
    watch.end(0).say(note(Note::Kind::report, 0));
    EXPECT_EQ(wait_for_note(watch.end(1)).kind, Note::Kind::report);
    EXPECT_FALSE(watch->ends_job());
}

TEST(Watch, SendsAFarewellWhenItCannotStart) {
    auto [one, other] = make_connection(5);
    std::vector<Connection> connections;
    connections.push_back(std::move(one));
    rlimit usual{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
    const rlimit none{0, usual.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    std::string error;
    EXPECT_FALSE(Watch().start(std::move(connections), options(), &error));
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
    EXPECT_EQ(error.find("eventfd: "), 0U) << error;
    EXPECT_EQ(wait_for_note(other).kind, Note::Kind::farewell);
}

TEST(Watch, ForwardsRequestsForReports) {
    OwnWatch watch({0, 5});
    watch.end(0).say(note(Note::Kind::report, 0));
    EXPECT_EQ(wait_for_note(watch.end(1)).kind, Note::Kind::report);
    while (!watch->is_report_due()) {
        std::this_thread::yield();
    }
    watch->report_given();
    EXPECT_FALSE(watch->is_report_due());
    watch->stop();
    EXPECT_EQ(wait_for_note(watch.end(0)).kind, Note::Kind::farewell);
}

}  // namespace
}  // namespace armci::watch::test
