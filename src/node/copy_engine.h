// SPDX-License-Identifier: BSD-3-Clause
// Copies, and accumulates, that somebody else makes while the caller goes on: requests are
// submitted in batches, and their completion is polled for. Made for engines in hardware (Intel
// DSA); the one that is here is a thread.
// docs/references.md: Gangadharappa, Kuper 2024
#pragma once

#include <cstdint>
#include <memory>

#include "node/shared_lock.h"
#include "strided/kernels.h"

namespace armci::node {

struct CopyRequest {
    strided::PairLayout layout;
    char* local = nullptr;
    char* remote = nullptr;
    strided::Direction direction = strided::Direction::to_remote;
    // If not null, local memory times `scale` is added to the remote one, under these locks.
    StripedLocks* stripes = nullptr;
    strided::AccScale scale;
};

// One thread submits and polls. Requests are carried out in the order in which they were submitted;
// what they read and write must stay until they are complete.
class CopyEngine {
  public:
    CopyEngine() = default;
    virtual ~CopyEngine() = default;
    CopyEngine(const CopyEngine&) = delete;
    CopyEngine& operator=(const CopyEngine&) = delete;

    // Takes as many of the requests as there is room for, from the first on up to one that it has
    // no way to carry out, and returns how many.
    virtual int submit(const CopyRequest* requests, int count) = 0;
    // How many of all requests that were ever submitted are complete. Their data is then visible to
    // the caller and to whom the caller tells.
    virtual uint64_t completed() = 0;
};

// As the system shows the thread (ps -L, top -H).
inline constexpr const char* kCopyThreadName = "armci-copy";

// A thread that copies, and sleeps when there is nothing to copy. nullptr when the system refuses a
// thread. The destructor waits for what was submitted.
std::unique_ptr<CopyEngine> make_copy_thread();

}  // namespace armci::node
