// SPDX-License-Identifier: BSD-3-Clause
#include "datasrv/server.h"

namespace armci::datasrv {

bool Server::open(fabric::Domain& domain, node::NodeHeap& heap, const ServerOptions& options,
                  std::string* error) {
    return thread_.open(error) && service_.open(domain, heap, options, error) &&
           thread_.watch_network(options, domain.row().wakes_surely, error);
}

void Server::fall_silent() {
    service_.fall_silent();
    thread_.wake();
}

void Server::stop() {
    thread_.stop();
    const base::MutexLock lock(service_.mutex);
    service_.close();
    thread_.close();
}

bool Server::try_add_segment(const wire::SegmentBody& segment, wire::SegmentReply* reply) {
    if (!service_.mutex.try_lock()) {
        return false;
    }
    const bool is_added = service_.add_segment(segment, reply);
    service_.mutex.unlock();
    return is_added;
}

bool Server::try_remove_segment(const wire::SegmentBody& segment) {
    if (!service_.mutex.try_lock()) {
        return false;
    }
    const bool is_removed = service_.remove_segment(segment);
    service_.mutex.unlock();
    return is_removed;
}

Server::Load Server::load() {
    const base::MutexLock lock(service_.mutex);
    return service_.load();
}

uint64_t Server::executed_frames() {
    const base::MutexLock lock(service_.mutex);
    return service_.executed_frames();
}

size_t Server::client_bytes() {
    const base::MutexLock lock(service_.mutex);
    return service_.client_bytes();
}

}  // namespace armci::datasrv
