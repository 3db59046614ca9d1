// SPDX-License-Identifier: BSD-3-Clause
#include "watch/watching.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/log.h"
#include "core/job/mpi_collectives.h"
#include "watch/meeting.h"

namespace armci::watch {
namespace {

// The first ranks of the nodes form a tree in which each has so many below it: few lines for a
// node, and few steps from any node to any other.
constexpr int kChildren = 8;
constexpr int kMeetingTag = 1;

// The watch that the hooks of the message layer belong to.
Watch* g_watch = nullptr;

void tell_failure() {
    g_watch->tell_failure();
}

void await_verdict() {
    g_watch->await_verdict();
}

Identity own_identity(const core::World& world) {
    Identity self;
    self.rank = world.rank;
    self.pid = static_cast<int32_t>(getpid());
    std::snprintf(self.host, sizeof self.host, "%s", core::host_name().c_str());
    return self;
}

// So many others of `comm` call, if they can; returns when all of `comm` have tried.
void take_callers(const Complete& complete, Listener& listener, const Identity& self, int expected,
                  MPI_Comm comm, std::vector<Connection>* connections) {
    MPI_Request all_called = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm, &all_called);
    listener.take_callers(
        self, expected,
        [&] {
            int done = 0;
            MPI_Test(&all_called, &done, MPI_STATUS_IGNORE);
            return done != 0;
        },
        connections);
    complete(&all_called);
}

// Each rank with the first one of its node. Returns what is missing, in words.
std::string connect_node(const WatchSetup& setup, const Identity& self,
                         std::vector<Connection>* connections) {
    const core::World& world = setup.world;
    std::string missing;
    if (world.node_ranks.size() == 1) {
        return missing;
    }
    Listener listener;
    Meeting meeting;
    if (world.is_leader()) {
        if (!listener.open(Reach::node)) {
            missing = std::string("a local socket: ") + std::strerror(errno);
        }
        meeting = listener.meeting();
    }
    core::mpi::bcast(&meeting, sizeof meeting, MPI_BYTE, 0, world.node_comm);
    if (!world.is_leader()) {
        Connection connection = call(meeting, self, 0);
        if (connection.is_open()) {
            connections->push_back(std::move(connection));
        } else if (meeting.is_open != 0) {
            missing = std::string("a local connection: ") + std::strerror(errno);
        }
    }
    const auto callers = world.is_leader() ? static_cast<int>(world.node_ranks.size()) - 1 : 0;
    take_callers(setup.complete, listener, self, callers, world.node_comm, connections);
    return missing;
}

struct Parent {
    Meeting meeting;
    Identity who;
};

// Nodes call one after the other, a few times in a large job, and the job is to end within `link_s`
// where its network does not work either.
int call_patience_ms(int64_t link_s) {
    constexpr int64_t kEnoughMs = 5'000;
    return static_cast<int>(std::min(kEnoughMs, link_s * 1000 / 4));
}

// Among the first ranks of the nodes. Each calls before it may be called: callers wait only for
// seconds, and calling takes as long where packets are dropped.
std::string connect_nodes(const WatchSetup& setup, const Identity& self,
                          std::vector<Connection>* connections) {
    const core::World& world = setup.world;
    const int64_t link_s = setup.config.lost_link_seconds;
    const size_t connections_before = connections->size();
    std::string missing;
    const int first_child = kChildren * world.node + 1;
    const int children = std::clamp(world.node_count - first_child, 0, kChildren);
    Listener listener;
    if (children > 0 && !listener.open(world.is_single_host ? Reach::host : Reach::hosts,
                                       setup.config.interfaces(), setup.config.ports())) {
        missing = std::string("a socket for the other nodes: ") + std::strerror(errno);
    }
    if (world.node > 0) {
        const int above = (world.node - 1) / kChildren;
        Parent parent;
        MPI_Request received = MPI_REQUEST_NULL;
        MPI_Irecv(&parent, sizeof parent, MPI_BYTE, above, kMeetingTag, world.leaders_comm,
                  &received);
        setup.complete(&received);
        const Meeting& meeting = parent.meeting;
        Connection connection = call(meeting, self, call_patience_ms(link_s));
        if (connection.is_open()) {
            connections->push_back(std::move(connection));
        } else if (meeting.is_open != 0) {
            missing = "a TCP connection to node " + std::to_string(above) + " (rank " +
                      std::to_string(parent.who.rank) + " on " + parent.who.host + ", " +
                      places_of(meeting) + "): " +
                      (meeting.address_count > 0 ? std::strerror(errno)
                                                 : "its host has no address but loopback's");
        }
    }
    const Parent own{listener.meeting(), self};
    MPI_Request sends[kChildren];
    for (int i = 0; i < children; ++i) {
        MPI_Isend(&own, sizeof own, MPI_BYTE, first_child + i, kMeetingTag, world.leaders_comm,
                  &sends[i]);
    }
    take_callers(setup.complete, listener, self, children, world.leaders_comm, connections);
    for (int i = 0; i < children; ++i) {
        core::mpi::wait(&sends[i]);
    }
    for (size_t i = connections_before; i < connections->size(); ++i) {
        limit_silence_of_system((*connections)[i].socket(), link_s);
    }
    return missing;
}

}  // namespace

void start_watch(Watch* watch, const WatchSetup& setup) {
    const core::World& world = setup.world;
    if (world.size == 1) {
        return;
    }
    const base::Config& config = setup.config;
    const Identity self = own_identity(world);
    std::vector<Connection> connections;
    std::string missing = connect_node(setup, self, &connections);
    if (world.is_leader() && world.node_count > 1) {
        const std::string between = connect_nodes(setup, self, &connections);
        missing = missing.empty() ? between : missing;
    }
    WatchOptions options;
    options.rank = world.rank;
    options.silence_s = config.lost_rank_seconds;
    options.link_s = config.lost_link_seconds;
    options.reported = setup.reported;
    // All watches of a node begin together: until then a rank gives no signs of life.
    MPI_Request all_connected = MPI_REQUEST_NULL;
    MPI_Ibarrier(world.node_comm, &all_connected);
    setup.complete(&all_connected);
    std::string error;
    if (!watch->start(std::move(connections), options, &error)) {
        missing = error;
    } else {
        g_watch = watch;
        base::set_failure_hook(tell_failure);
        base::set_verdict_hook(await_verdict);
    }
    if (!missing.empty()) {
        ARMCI_LOG_WARN(
            "a failed rank may go unnoticed here, because this failed: %s. Raise the limits "
            "on open files and processes (ulimit -n, -u), or allow TCP connections between the "
            "nodes (ARMCI_PORT_RANGE)",
            missing.c_str());
    }
}

void stop_watch(Watch& watch) {
    base::set_failure_hook(nullptr);
    base::set_verdict_hook(nullptr);
    watch.stop();
    g_watch = nullptr;
}

}  // namespace armci::watch
