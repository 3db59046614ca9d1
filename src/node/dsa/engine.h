// SPDX-License-Identifier: BSD-3-Clause
// A copy engine that gives its copies to a DSA work queue, of a device or of the software twin.
//
// Requests are cut into pieces, at most one block each. Long pieces are descriptors of their own,
// and short ones are put together in batches. Pieces of one request are copied in any order. A
// request waits for earlier ones only if it writes what they touch, or reads what they write.
//
// The device copies between addresses of this process. Where a page is missing it ends early; the
// engine then touches the page and submits the rest. What the device does not complete after
// several tries, or refuses, is copied by the processor.
// docs/references.md: Intel DSA, Kuper 2024
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "node/copy_engine.h"
#include "node/dsa/work_queue.h"
#include "strided/cursor.h"

namespace armci::node::dsa {

class Engine final : public CopyEngine {
  public:
    // Takes requests with blocks of at least min_block_bytes. It makes no sense to give shorter
    // ones to the device.
    Engine(std::unique_ptr<WorkQueue> queue, int64_t min_block_bytes);
    // Waits for what was submitted.
    ~Engine() override;

    // Does not take accumulates, short blocks, blocks that overlap each other in the destination,
    // and sides that overlap each other. After an error of the device it takes nothing.
    int submit(const CopyRequest* requests, int count) override;
    uint64_t completed() override;

    // Returns how many pieces the processor has copied because the device did not.
    uint64_t copied_by_processor() const { return copied_by_processor_; }

  private:
    struct Range {
        uint64_t begin = 0;
        uint64_t end = 0;
        bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
    };
    struct Request {
        strided::StridedCursor from;
        strided::StridedCursor to;
        int64_t block_bytes = 0;
        int64_t left_in_block = 0;  // of the next block to cut
        Range read;
        Range written;
        int64_t pieces_under_way = 0;

        bool is_cut() const { return from.remaining() == 0; }
        bool is_complete() const { return is_cut() && pieces_under_way == 0; }
    };
    // A descriptor in the queue, with the pieces that it stands for.
    struct Submission {
        std::vector<Descriptor> pieces;
        std::vector<CompletionRecord> records;  // of each piece
        Descriptor batch;
        CompletionRecord batch_record;
        int count = 0;         // of pieces; 0: it is free
        uint64_t request = 0;  // by its number
        int tries = 0;         // that have copied nothing
        bool is_queued = false;
    };

    bool suits(const CopyRequest& request) const;
    static Request prepare(const CopyRequest& request);
    bool must_wait(size_t index) const;
    void progress();
    void check(Submission* submission);
    bool start_next();
    void cut(Request* request, Submission* submission);
    void queue_up(Submission* submission);
    bool take_result(Descriptor* piece, const CompletionRecord& record, bool* has_moved);
    void touch(const Descriptor& piece, const CompletionRecord& record) const;
    void copy_by_processor(const Descriptor& piece);
    void give_up(Status status);

    std::unique_ptr<WorkQueue> queue_;
    const int64_t min_block_bytes_;
    std::vector<Submission> submissions_;
    std::deque<Request> requests_;  // that are not complete, or behind one that is not
    uint64_t completed_ = 0;        // requests, and the number of the first one in requests_
    uint64_t being_cut_ = 0;        // the number of the request that the next pieces come from
    bool is_broken_ = false;
    uint64_t copied_by_processor_ = 0;
};

}  // namespace armci::node::dsa
