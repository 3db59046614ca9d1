// SPDX-License-Identifier: BSD-3-Clause
// The buffers of the program's non-blocking operations for which it has not waited.
//
// The source of a put or an accumulate must not change, which a checksum shows. A get is held back
// until the program waits for it, and its destination is poisoned. So writes to the destination are
// detected on every route, and a program that reads it too early sees the pattern.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/rows.h"
#include "pipeline/costs/transfer.h"

namespace armci::check {

struct PendingBuffer {
    static constexpr uint32_t kNoSlot = UINT32_MAX;

    const char* function = "";
    base::OpKind op = base::OpKind::put;
    int target = 0;
    uint32_t slot = kNoSlot;  // of its handle; counted there until the program waits for it
    std::vector<Row> rows;
    Bytes extent;
    uint64_t checksum = 0;      // put, accumulate
    bool is_held_back = false;  // get: poisoned, and `transfer` is still to be done
    pipeline::Transfer transfer;

    // Returns whether the program has left the buffer unchanged. *at becomes the first change, if
    // that is known.
    bool is_untouched(const void** at) const;
};

class LocalBuffers {
  public:
    static constexpr size_t kMax = 1024;
    static constexpr int64_t kMaxRows = 1 << 17;  // for all buffers together

    bool has_room(int64_t rows) const {
        return pending_.size() < kMax && row_count_ + rows <= kMaxRows;
    }
    // Adds the buffer of a put or accumulate, or of a get that is held back. There must be room.
    void add(PendingBuffer&& pending) {
        row_count_ += static_cast<int64_t>(pending.rows.size());
        pending_.push_back(std::move(pending));
    }
    bool empty() const { return pending_.empty(); }
    size_t size() const { return pending_.size(); }

    // Returns a buffer that must not share local bytes with the new transfer, but does, or nullptr.
    // A get shares none with any buffer, other transfers none with a get. *work is as in
    // common_bytes().
    const PendingBuffer* find_overlapping(const pipeline::Transfer& transfer, Bytes* bytes,
                                          int64_t* work) const;

    template <class Wanted>
    uint32_t count(Wanted&& wanted) const {
        return static_cast<uint32_t>(std::count_if(pending_.begin(), pending_.end(), wanted));
    }
    // Removes and returns the buffers for which `wanted` returns true.
    template <class Wanted>
    std::vector<PendingBuffer> take(Wanted&& wanted) {
        std::vector<PendingBuffer> taken;
        std::vector<PendingBuffer> left;
        for (PendingBuffer& pending : pending_) {
            (wanted(pending) ? taken : left).push_back(std::move(pending));
        }
        for (const PendingBuffer& pending : taken) {
            row_count_ -= static_cast<int64_t>(pending.rows.size());
        }
        pending_ = std::move(left);
        return taken;
    }

  private:
    std::vector<PendingBuffer> pending_;
    int64_t row_count_ = 0;
};

// Returns the checksum of the local bytes of a transfer.
uint64_t checksum(const std::vector<Row>& rows);
void poison_rows(const std::vector<Row>& rows);

}  // namespace armci::check
