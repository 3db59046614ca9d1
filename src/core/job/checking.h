// SPDX-License-Identifier: BSD-3-Clause
// What checking mode (ARMCI_CHECK) hears from the library, and answers. The mode itself is in
// check/; where it is off, nothing is behind these calls.
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
struct NodePart;
struct Segment;
struct Slice;

// What collective calls must agree in.
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
    // Starts a non-blocking one and follows its local buffer until the program waits for it. Only
    // while the mode is on.
    virtual void start_nonblocking(pipeline::Transfer&& /*transfer*/, armci_hdl_s* /*handle*/) {}
    // The program waits for operations, and may touch their buffers from now on.
    virtual void wait_for_handle(const armci_hdl_s& /*handle*/) {}
    virtual void wait_for_target(int /*target*/) {}
    virtual void wait_for_all() {}
    // Whether nothing but the program's wait is missing.
    virtual bool has_completed(const armci_hdl_s& /*handle*/) const { return true; }
    // Puts and accumulates to that rank, or to all, complete, and so do gets without a handle.
    // Other ranks may now rely on these writes.
    virtual void fence(int /*target*/) {}
    virtual void fence_all() {}
    // Other ranks may rely on what this rank wrote to that one before.
    virtual void close_writes(int /*target*/) {}
    // A call in which all members of the group meet begins with this. It is a fence of which a
    // member learns when it comes to the same call. If the group is world, it looks for writes of
    // several ranks to the same bytes.
    virtual void fence_before_meeting(const char* /*function*/, const Group& /*group*/) {}
    // A barrier without a fence.
    virtual void before_barrier(const char* /*function*/, const Group& /*group*/) {}

    // ---- Memory ----

    // By each rank of the allocation's group, while its tables are there.
    virtual void remember_freed(const Segment& /*segment*/) {}
    // By the rank that has allocated for this node. True: the pages hold the pattern and must stay.
    virtual bool poison_freed(const Segment& /*segment*/, const NodePart& /*part*/) {
        return false;
    }
    // The same of what `owner` has allocated alone.
    virtual bool poison_freed(int /*owner*/, const Slice& /*slice*/, uint64_t /*allocation*/) {
        return false;
    }
    // What is poisoned and kept on this node, and how to get it back for others.
    virtual uint64_t freed_bytes() const { return 0; }
    virtual void release_freed(const char* /*function*/) {}
    // Memory that comes from the heap.
    virtual void check_given_out(const char* /*function*/, const node::NodeHeap::Range& /*range*/) {
    }
    // "it was freed: ...", or nothing if that is not known.
    virtual std::string explain_freed(int /*rank*/, uint64_t /*address*/, int64_t /*bytes*/) const {
        return {};
    }
    // Takes memory of ARMCI_Malloc_local, to free it later and watch it until then. False: the
    // caller frees it.
    virtual bool free_local_later(void* /*memory*/, size_t /*bytes*/) { return false; }

    // ---- Calls that wait for each other, and threads ----

    // Of any function, by a thread that is alone in the library.
    virtual void before_call(const char* /*function*/) {}
    // All members must make the same call. `detail` is what else must be equal.
    virtual void meet(const char* /*function*/, const Group& /*group*/, Collective /*kind*/,
                      int64_t /*detail*/ = 0) {}
    // While this rank waits for a mutex.
    virtual void wait_for_mutex(const char* /*function*/, int /*mutex*/, int /*owner*/,
                                uint64_t /*address*/) {}
    virtual void end_wait() {}

    // ---- The end ----

    // What must not be left over when this rank stops, and whether the others do: not all may come
    // before the deadline.
    virtual void before_stop(int64_t /*deadline_ns*/) {}
    // All ranks are in their last call: the last comparison, and the summary of all ranks.
    virtual void finish() {}
};

// Where the rest of the library finds them.
class Checking {
  public:
    bool is_on() const { return own_ != nullptr; }
    CheckHooks* operator->() const { return hooks_; }

    // The same as of CheckHooks, for calls so short that calling nothing would count.
    void wait_for_handle(const armci_hdl_s& handle) const {
        if (is_on()) [[unlikely]] {
            own_->wait_for_handle(handle);
        }
    }
    void wait_for_target(int target) const {
        if (is_on()) [[unlikely]] {
            own_->wait_for_target(target);
        }
    }
    void wait_for_all() const {
        if (is_on()) [[unlikely]] {
            own_->wait_for_all();
        }
    }
    void fence(int target) const {
        if (is_on()) [[unlikely]] {
            own_->fence(target);
        }
    }
    void fence_all() const {
        if (is_on()) [[unlikely]] {
            own_->fence_all();
        }
    }

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
