// SPDX-License-Identifier: BSD-3-Clause
// Checking mode (ARMCI_CHECK): finds mistakes of the program that the library otherwise lets pass.
// docs/checking.md says what it finds and what not.
//
// There is one instance while the mode is on, which the library calls through core/checking.h. The
// fast paths of api/fast_path.h are not taken then. Checks of memory are in memory.cpp, of
// collective calls and mutexes in calls.cpp, of transfers in transfers.cpp.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "check/local_buffers.h"
#include "check/write_log.h"
#include "core/runtime/runtime.h"
#include "node/freed_ranges.h"
#include "node/heap.h"
#include "pipeline/costs/transfer.h"

namespace armci::check {

using core::Collective;
using core::Group;
using core::GroupRef;
using core::Runtime;
using core::Segment;
using core::ServerPart;
using core::Slice;

class Checks final : public core::CheckHooks {
  public:
    // Is collective over world. Ranks see what others wait for in global memory of the library's
    // own.
    explicit Checks(Runtime& runtime);

    void before_transfer(const pipeline::Transfer& transfer) override;
    void start_nonblocking(pipeline::Transfer&& transfer, armci_hdl_s* handle) override;
    void wait_for_handle(const char* function, const armci_hdl_s& handle) override;
    void wait_for_target(int target) override;
    void wait_for_all() override;
    bool has_completed(const armci_hdl_s& handle) const override;
    void fence(int target) override;
    void fence_all() override;
    void close_writes(int target) override;
    void fence_before_meeting(const char* function, const Group& group) override;
    void before_barrier(const char* function, const Group& group) override;

    void remember_freed(const Segment& segment) override;
    bool poison_freed(const Segment& segment, uint64_t bytes) override;
    bool poison_freed(int owner, const Slice& slice, uint64_t allocation) override;
    uint64_t freed_bytes() const override { return freed_ranges_.bytes(); }
    void release_freed(const char* function) override;
    void check_given_out(const char* function, const node::NodeHeap::Range& range) override;
    std::string explain_freed(int rank, uint64_t address, int64_t bytes) const override;
    bool free_local_later(void* memory, size_t bytes) override;

    void before_call(const char* function) override;
    void meet(const char* function, const Group& group, Collective kind, int64_t detail) override;
    void wait_for_mutex(const char* function, int mutex, int owner, uint64_t address) override;
    void end_wait() override;

    void before_stop(int64_t deadline_ns) override;
    void finish() override;

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
        uint64_t destinations_left_out = 0;  // of too many blocks to compare them
        uint64_t comparisons_cut = 0;        // not all pairs of writes were looked at
        uint64_t ranges_left_out = 0;        // freed, and not watched to the end
    };

    // What a rank waits for. It is in global memory so that the others can read it.
    struct Waiting {
        uint64_t address = 0;  // of the mutex
        int32_t kind = 0;      // a Collective, or kForMutex
        int32_t mutex = 0;
        int32_t owner = 0;
        char function[36] = {};

        bool operator==(const Waiting&) const = default;
    };
    static constexpr int32_t kForMutex = -1;

    // What members send each other at the beginning of a collective call.
    struct Announcement {
        int64_t detail = 0;
        Collective kind = Collective::none;
        char function[36] = {};
    };

    // MPI uses the addresses of its members while it is under way.
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
    // Waits for operations without a handle that another thread may have taken out to complete.
    static constexpr int kEveryTarget = -1;
    void wait_for_other_threads(int target);
    void complete_fenced();  // what a fence of all ranks ends
    enum class Fenced : bool { no, yes };
    void compare_writes(const char* function, Fenced fenced);
    bool must_run_at_once(const pipeline::Transfer& transfer) const;
    void check_handle(const char* function, const armci_hdl_s& handle);
    void check_overlap(const pipeline::Transfer& transfer);
    void check_destination(const pipeline::Transfer& transfer);
    void check_local_side(const pipeline::Transfer& transfer);
    void check_freed_global(const pipeline::Transfer& transfer);
    // Returns freed memory of this node in which some of these bytes are.
    std::optional<node::FreedRange> find_freed(const std::vector<check::Row>& rows);
    void log_write(const pipeline::Transfer& transfer);
    std::string describe_bytes(int rank, const check::Bytes& bytes) const;

    void watch_freed(int owner, const Slice& slice, uint64_t allocation);
    void check_damage(const char* function, const node::FreedRange& range);
    void stop_watching(const char* function, const node::FreedRange& range);
    void check_damage(const FreedLocal& freed);
    void release_oldest_local();
    void stop_watching_memory();

    // Returns false when not all members came before the deadline (only once, at the end).
    bool meet_until(int64_t deadline_ns, const char* function, const Group& group, Collective kind,
                    int64_t detail);
    void say(const Waiting& waiting);
    Waiting read_waiting(int rank);
    void look_for_deadlock(const char* function, const Group& group);
    void report_absent(const char* function, const Group& group);
    void compare_announcements(const Group& group, const Meeting& meeting);

    Runtime& runtime_;
    Counts counts_;
    node::FreedRanges freed_ranges_;
    check::LocalBuffers buffers_;
    // Targets of operations that were taken out and are not complete yet, by number.
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

}  // namespace armci::check
