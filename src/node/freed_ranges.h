// SPDX-License-Identifier: BSD-3-Clause
// The directory of freed global memory that holds a pattern, for checking mode. It lies in the node
// heap, because the rank that is given such memory again may be another than the one that freed it.
//
// Guarded by its lock, also while a callback looks at the memory that an entry names: whoever gets
// memory from the heap takes its entries out before he touches it, so the pattern can be read as
// long as an entry is there.
#pragma once

#include <cstdint>
#include <cstring>
#include <mutex>

#include "node/shared_lock.h"

namespace armci::node {

struct FreedRange {
    uint64_t begin;  // [begin, end) has the pattern
    uint64_t end;
    uint64_t slice_begin;  // what was freed, of which this is all or a part
    uint64_t slice_bytes;
    uint64_t allocation;  // its segment's number
    int32_t rank;         // whose memory it was, in the world
    int32_t padding;
};

struct FreedRangeTable {
    static constexpr uint32_t kMax = 1 << 11;  // per node
    static constexpr uint64_t kMaxBytes = 256 << 20;
    SharedLock lock;
    uint32_t count = 0;
    uint64_t bytes = 0;        // of all entries: memory that nobody uses, and the system misses
    uint64_t left_out = 0;     // that there was no room for to the end
    FreedRange entries[kMax];  // not initialised: pages that nobody needs stay untouched
};

class FreedRanges {
  public:
    FreedRanges() = default;
    explicit FreedRanges(FreedRangeTable* table) : table_(table) {}

    // Adds a range of at most kMaxBytes. Calls forget(const FreedRange&) for the oldest ones if
    // they must go to make room; their memory may go back to the system then.
    template <class Forget>
    void add(const FreedRange& range, Forget&& forget) {
        const std::lock_guard<SharedLock> lock(table_->lock);
        while (
            table_->count == FreedRangeTable::kMax ||
            (table_->count > 0 && table_->bytes + bytes_of(range) > FreedRangeTable::kMaxBytes)) {
            forget(table_->entries[0]);
            remove(0);
            ++table_->left_out;
        }
        append(range);
    }

    // Takes [begin, end) out, and calls visit(const FreedRange&) for each part that was there, and
    // forget as above for what there is no room for outside of it.
    template <class Visit, class Forget>
    void take(uint64_t begin, uint64_t end, Visit&& visit, Forget&& forget) {
        const std::lock_guard<SharedLock> lock(table_->lock);
        for (uint32_t i = 0; i < table_->count;) {
            const FreedRange range = table_->entries[i];
            if (range.begin >= end || range.end <= begin) {
                ++i;
                continue;
            }
            FreedRange before = range;
            FreedRange part = range;
            FreedRange after = range;
            before.end = part.begin = begin > range.begin ? begin : range.begin;
            after.begin = part.end = end < range.end ? end : range.end;
            visit(part);
            remove(i);
            put_back(before, forget);
            put_back(after, forget);
        }
    }

    uint64_t left_out() const { return table_->left_out; }
    uint64_t bytes() const {
        const std::lock_guard<SharedLock> lock(table_->lock);
        return table_->bytes;
    }

  private:
    static uint64_t bytes_of(const FreedRange& range) { return range.end - range.begin; }

    void append(const FreedRange& range) {
        table_->entries[table_->count++] = range;
        table_->bytes += bytes_of(range);
    }
    void remove(uint32_t index) {
        FreedRange* place = table_->entries + index;
        table_->bytes -= bytes_of(*place);
        std::memmove(place, place + 1, sizeof *place * (table_->count - index - 1));
        --table_->count;
    }
    template <class Forget>
    void put_back(const FreedRange& range, Forget&& forget) {
        if (range.begin == range.end) {
            return;
        }
        if (table_->count == FreedRangeTable::kMax) {
            forget(range);
            ++table_->left_out;
            return;
        }
        append(range);
    }

    FreedRangeTable* table_ = nullptr;
};

}  // namespace armci::node
