// SPDX-License-Identifier: BSD-3-Clause
// Copies and accumulates that something else makes while the caller goes on. Requests are submitted
// in batches, and their completion is polled for. It is a thread, or a device (dsa/engine.h).
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
    // If not null, the request adds local memory times `scale` to remote memory under these locks.
    StripedLocks* stripes = nullptr;
    strided::AccScale scale;
};

// One thread submits and polls. Requests take effect in the order in which they were submitted,
// where they touch the same memory. The memory that they read and write must stay valid until they
// are complete.
class CopyEngine {
  public:
    CopyEngine() = default;
    virtual ~CopyEngine() = default;
    CopyEngine(const CopyEngine&) = delete;
    CopyEngine& operator=(const CopyEngine&) = delete;

    // Takes requests from the first one on, and returns how many. It stops where there is no room,
    // or at a request that it cannot carry out.
    virtual int submit(const CopyRequest* requests, int count) = 0;
    // Returns how many of all requests ever submitted are complete. Their data is then visible to
    // the caller and to every thread that synchronises with it.
    virtual uint64_t completed() = 0;
};

// The name of the thread in ps -L and top -H.
inline constexpr const char* kCopyThreadName = "armci-copy";

// Starts a thread that copies, and sleeps if there is nothing to copy. Returns nullptr if the
// system refuses a thread. The destructor waits for what was submitted.
std::unique_ptr<CopyEngine> make_copy_thread();

}  // namespace armci::node
