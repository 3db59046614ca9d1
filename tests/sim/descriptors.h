// SPDX-License-Identifier: BSD-3-Clause
// Simulated descriptors: events, sets of descriptors to wait for, and streams between processes.
// Their numbers are higher than those of the system, so libc.cpp can tell them apart.
//
// A stream behaves as the system allows: what was sent arrives later, and in pieces. Its end comes
// after the data. It is an error if the peer has closed the stream with data that it had not read.
#pragma once

#include <sys/epoll.h>

#include <sys/types.h>
#include <cstddef>
#include <cstdint>

#include "plan.h"

namespace armci::sim {

bool is_simulated(int fd);
// Forgets those of an earlier run.
void start_descriptors(const StreamPlan& plan);
// How many are open.
int64_t open_descriptors();

int open_event();
// Readable when is_ready(context).
int open_queue_event(bool (*is_ready)(const void* context), const void* context);
int open_epoll();
struct Stream {
    int ends[2];
};
Stream open_stream(int first_process, int second_process);
// Its data does not arrive any more, and both ends get ETIMEDOUT after that time.
void cut_stream(int fd, int64_t after_ns);

bool is_readable(int fd);
// As the system calls; with errno.
ssize_t read_event(int fd, void* value, size_t bytes);
ssize_t write_event(int fd, const void* value, size_t bytes);
ssize_t send_to_stream(int fd, const void* data, size_t bytes);
ssize_t receive_from_stream(int fd, void* data, size_t bytes);
void watch_in_epoll(int epoll, int fd, const epoll_event& event);
int ready_in_epoll(int epoll, epoll_event* events, int count);
void close_simulated(int fd);
// A process has ended, and the system closes what it had open.
void close_streams_of(int process);

}  // namespace armci::sim
