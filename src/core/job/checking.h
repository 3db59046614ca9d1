// SPDX-License-Identifier: BSD-3-Clause
// The calls by which the library informs and asks checking mode (ARMCI_CHECK). The mode itself is
// in check/. While it is off, these calls do nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "node/heap.h"

struct armci_hdl_s;

namespace armci::pipeline {
struct Transfer;
}

namespace armci::core {

class Group;
struct ServerPart;
struct Segment;
struct Slice;

// The kinds of collective calls that members of a group must agree in.
enum class Collective : int32_t {
    none,
    barrier,
    allocate,
    free,
    create_mutexes,
    destroy_mutexes,
    reduce,
    select,
    finalize
};

// Every function does nothing unless checking mode overrides it.
class CheckHooks {
  public:
    CheckHooks() = default;
    virtual ~CheckHooks() = default;
    CheckHooks(const CheckHooks&) = delete;
    CheckHooks& operator=(const CheckHooks&) = delete;

    // ---- Transfers ----

    virtual void before_transfer(const pipeline::Transfer& /*transfer*/) {}
    // Starts a non-blocking transfer and follows its local buffer until the program waits for it.
    // Called only while the mode is on.
    virtual void start_nonblocking(pipeline::Transfer&& /*transfer*/, armci_hdl_s* /*handle*/) {}
    // The program waits for operations, and may touch their buffers from now on.
    virtual void wait_for_handle(const char* /*function*/, const armci_hdl_s& /*handle*/) {}
    virtual void wait_for_target(int /*target*/) {}
    virtual void wait_for_all() {}
    // Returns whether only the program's wait is missing.
    virtual bool has_completed(const armci_hdl_s& /*handle*/) const { return true; }
    // Puts and accumulates to that rank, or to all, complete, and so do gets without a handle.
    // Other ranks may now rely on these writes.
    virtual void fence(int /*target*/) {}
    virtual void fence_all() {}
    // Other ranks may rely on what this rank wrote to that one before.
    virtual void close_writes(int /*target*/) {}
    // A call in which all members of the group meet begins with this. It is a fence that a member
    // knows of when it comes to the same call. If the group is world, it looks for writes of
    // several ranks to the same bytes.
    virtual void fence_before_meeting(const char* /*function*/, const Group& /*group*/) {}
    // A barrier without a fence begins.
    virtual void before_barrier(const char* /*function*/, const Group& /*group*/) {}

    // ---- Memory ----

    // Each rank of the allocation's group calls this while its tables exist.
    virtual void remember_freed(const Segment& /*segment*/) {}
    // The rank that allocated so many bytes for this node calls this. If it returns true, the pages
    // hold the pattern and must stay.
    virtual bool poison_freed(const Segment& /*segment*/, uint64_t /*bytes*/) { return false; }
    // Does the same for memory that `owner` allocated alone.
    virtual bool poison_freed(int /*owner*/, const Slice& /*slice*/, uint64_t /*allocation*/) {
        return false;
    }
    // The bytes that are poisoned and kept on this node, and how to release them for other use.
    virtual uint64_t freed_bytes() const { return 0; }
    virtual void release_freed(const char* /*function*/) {}
    // Checks memory that was just taken from the heap.
    virtual void check_given_out(const char* /*function*/, const node::NodeHeap::Range& /*range*/) {
    }
    // Returns "it was freed: ...", or nothing if that is not known.
    virtual std::string explain_freed(int /*rank*/, uint64_t /*address*/, int64_t /*bytes*/) const {
        return {};
    }
    // Takes memory of ARMCI_Malloc_local, to free it later and watch it until then. If it returns
    // false, the caller frees the memory.
    virtual bool free_local_later(void* /*memory*/, size_t /*bytes*/) { return false; }

    // ---- Calls that wait for each other, and threads ----

    // Any function begins with this, on a thread that is alone in the library.
    virtual void before_call(const char* /*function*/) {}
    // All members must make the same call. `detail` is a further value that must be equal.
    virtual void meet(const char* /*function*/, const Group& /*group*/, Collective /*kind*/,
                      int64_t /*detail*/ = 0) {}
    // Is called while this rank waits for a mutex.
    virtual void wait_for_mutex(const char* /*function*/, int /*mutex*/, int /*owner*/,
                                uint64_t /*address*/) {}
    virtual void end_wait() {}

    // ---- The end ----

    // Looks for what must not be left over when this rank stops, and whether the other ranks stop,
    // too. Some may not come before the deadline.
    virtual void before_stop(int64_t /*deadline_ns*/) {}
    // All ranks are in their last call. It makes the last comparison and the summary of all ranks.
    virtual void finish() {}
};

// The rest of the library calls the hooks through this. Calls so short that an empty hook would
// cost too much ask first whether the mode is on.
class Checking {
  public:
    bool is_on() const { return own_ != nullptr; }
    CheckHooks* operator->() const { return hooks_; }

    void start(std::unique_ptr<CheckHooks> hooks) {
        own_ = std::move(hooks);
        hooks_ = own_.get();
    }
    void stop() {
        hooks_ = &nothing_;
        own_.reset();
    }

  private:
    static inline CheckHooks nothing_;

    CheckHooks* hooks_ = &nothing_;
    std::unique_ptr<CheckHooks> own_;
};

}  // namespace armci::core
