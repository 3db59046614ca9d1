// SPDX-License-Identifier: BSD-3-Clause
// Checking mode (ARMCI_CHECK): finds mistakes of the program that the library otherwise lets pass.
// docs/checking.md says what it finds and what not.
//
// There is one instance while the mode is on; every hook in the library is a test for its presence,
// and the short ways of api/run.h are not taken then. Checks of memory are in checked_memory.cpp,
// of collective calls and mutexes in checked_calls.cpp, of transfers in checked_transfers.cpp.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check/local_buffers.h"
#include "check/write_log.h"
#include "core/groups.h"
#include "core/segments.h"
#include "node/freed_ranges.h"
#include "node/heap.h"
#include "pipeline/transfer.h"

struct armci_hdl_s;

namespace armci::core {

struct Runtime;
struct DynamicMemory;

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

class Checks {
  public:
    // Collective over world: ranks see what others wait for in global memory of the library's own.
    explicit Checks(Runtime& runtime);

    // ---- Transfers ----

    void before_transfer(const pipeline::Transfer& transfer);
    // Starts a non-blocking one and follows its local buffer until the program waits for it.
    void start_nonblocking(pipeline::Transfer&& transfer, armci_hdl_s* handle);
    // The program waits for operations, and may touch their buffers from now on.
    void wait_for_handle(const armci_hdl_s& handle);
    void wait_for_target(int target);
    void wait_for_all();
    // Whether nothing but the program's wait is missing.
    bool has_completed(const armci_hdl_s& handle) const;
    // Puts and accumulates to that rank, or to all, complete, and so do gets without a handle.
    // Other ranks may now rely on these writes.
    void fence(int target);
    void fence_all();
    // Other ranks may rely on what this rank wrote to that one before.
    void close_writes(int target);
    // A call in which all members of the group meet begins with this. It is a fence of which a
    // member learns when it comes to the same call. If the group is world, it looks for writes of
    // several ranks to the same bytes.
    void fence_before_meeting(const char* function, const Group& group);
    // A barrier without a fence.
    void before_barrier(const char* function, const Group& group);

    // ---- Memory ----

    // By each rank of the allocation's group, while its tables are there.
    void remember_freed(const Segment& segment);
    // By the rank that has allocated for this node. True: the pages hold the pattern and must stay.
    bool poison_freed(const Segment& segment, const NodePart& part);
    bool poison_freed(int owner, const Slice& slice, uint64_t allocation);
    // What is poisoned and kept on this node, and how to get it back for others.
    uint64_t freed_bytes() const { return freed_ranges_.bytes(); }
    void release_freed(const char* function);
    // Memory that comes from the heap.
    void check_given_out(const char* function, const node::NodeHeap::Range& range);
    // "it was freed: ...", or nothing if that is not known.
    std::string explain_freed(int rank, uint64_t address, int64_t bytes) const;
    // Frees memory of ARMCI_Malloc_local later, and watches it until then.
    void free_local_later(void* memory, size_t bytes);

    // ---- Calls that wait for each other, and threads ----

    // Of any function, by a thread that is alone in the library.
    void before_call(const char* function);

    // All members must make the same call. `detail` is what else must be equal. False: they did not
    // all come before the deadline (only once, at the end).
    bool meet(const char* function, const Group& group, Collective kind, int64_t detail = 0,
              int64_t deadline_ns = INT64_MAX);
    // While this rank waits for a mutex.
    void wait_for_mutex(const char* function, int mutex, int owner, uint64_t address);
    void end_wait();

    // ---- The end ----

    // What must not be left over when this rank stops, and whether the others do. See meet().
    void before_stop(int64_t deadline_ns);
    // All ranks are in their last call: the last comparison, and the summary of all ranks.
    void finish();

  private:
    enum class Finding { memory, buffer, write, call };
    static constexpr int kFindings = 4;
    enum class Severity : bool { warning, error };

    struct Counts {
        uint64_t found[kFindings] = {};
        uint64_t transfers = 0;
        uint64_t buffers = 0;           // of non-blocking operations, followed
        uint64_t buffers_left_out = 0;  // because too many were pending, or of too many rows
        uint64_t writes_left_out = 0;
        uint64_t comparisons_cut = 0;  // not all pairs of writes were looked at
        uint64_t ranges_left_out = 0;  // freed, and not watched to the end
    };

    // What a rank waits in, for the others to read; in global memory.
    struct Waiting {
        uint64_t address = 0;  // of the mutex
        int32_t kind = 0;      // a Collective, or kForMutex
        int32_t mutex = 0;
        int32_t owner = 0;
        char function[36] = {};

        bool operator==(const Waiting&) const = default;
    };
    static constexpr int32_t kForMutex = -1;

    // What members tell each other at the beginning of a collective call.
    struct Announcement {
        int64_t detail = 0;
        Collective kind = Collective::none;
        char function[36] = {};
    };

    // MPI has the addresses of its members while it is under way.
    struct Meeting {
        Announcement mine;
        std::vector<Announcement> all;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    struct FreedLocal {
        void* memory;
        size_t bytes;
    };
    struct FreedAllocation {
        GroupRef group;             // or of one owner alone
        std::vector<Slice> slices;  // by group rank
        uint64_t allocation;
    };

    void report(Finding finding, Severity severity, const char* function, const char* format, ...)
        __attribute__((format(printf, 5, 6)));

    void complete(std::vector<check::PendingBuffer> pending);
    // What this thread waits for without a handle, another may have taken out to complete it.
    static constexpr int kEveryTarget = -1;
    void wait_for_other_threads(int target);
    void complete_fenced();  // what a fence of all ranks ends
    enum class Fenced : bool { no, yes };
    void compare_writes(const char* function, Fenced fenced);
    bool must_run_at_once(const pipeline::Transfer& transfer) const;
    void check_overlap(const pipeline::Transfer& transfer);
    void check_local_side(const pipeline::Transfer& transfer);
    void log_write(const pipeline::Transfer& transfer);
    std::string describe_bytes(int rank, const check::Bytes& bytes) const;

    void watch_freed(int owner, const Slice& slice, uint64_t allocation);
    void check_damage(const char* function, const node::FreedRange& range);
    void stop_watching(const char* function, const node::FreedRange& range);
    void check_damage(const FreedLocal& freed);
    void release_oldest_local();
    void stop_watching_memory();

    void say(const Waiting& waiting);
    Waiting read_waiting(int rank);
    void look_for_deadlock(const char* function, const Group& group);
    void report_absent(const char* function, const Group& group);
    void compare_announcements(const Group& group, const Meeting& meeting);

    Runtime& runtime_;
    Counts counts_;
    node::FreedRanges freed_ranges_;
    check::LocalBuffers buffers_;
    // Taken out of them, and not complete yet: their targets, by their numbers.
    std::map<uint64_t, int> completing_;
    uint64_t last_taken_ = 0;
    check::WriteLog writes_;
    uint64_t host_ = 0;

    std::deque<FreedAllocation> freed_;
    std::map<uint64_t, FreedLocal> freed_local_;  // by address
    std::deque<uint64_t> freed_local_order_;
    size_t freed_local_bytes_ = 0;

    Segment* board_ = nullptr;       // a Waiting of each rank
    std::unique_ptr<Meeting> late_;  // that this rank did not wait for to the end
};

}  // namespace armci::core
