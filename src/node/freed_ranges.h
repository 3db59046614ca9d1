// SPDX-License-Identifier: BSD-3-Clause
// The directory of freed global memory that holds a pattern, for checking mode. It lies in the node
// heap, because one rank may free memory and another one may get it next.
//
// Its lock is also held while a callback reads the memory that an entry names. A rank that gets
// memory from the heap removes its entries before it writes there. So the pattern can be read as
// long as an entry exists.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

#include "node/shared_lock.h"

namespace armci::node {

struct FreedRange {
    uint64_t begin;  // [begin, end) has the pattern
    uint64_t end;
    uint64_t slice_begin;  // the freed memory, of which this is all or a part
    uint64_t slice_bytes;
    uint64_t allocation;  // number of its segment
    int32_t rank;         // the rank in the world whose memory it was
    int32_t padding;
};

struct FreedRangeTable {
    static constexpr uint32_t kMax = 1 << 11;  // per node
    static constexpr uint64_t kMaxBytes = 256 << 20;
    SharedLock lock;
    uint32_t count = 0;
    uint64_t bytes = 0;        // in all entries; unused memory that the system has not got back
    uint64_t left_out = 0;     // entries that were removed because there was no room
    FreedRange entries[kMax];  // not initialised, so that unused pages stay untouched
};

class FreedRanges {
  public:
    FreedRanges() = default;
    explicit FreedRanges(FreedRangeTable* table) : table_(table) {}

    // Adds a range of at most kMaxBytes. Calls forget(const FreedRange&) for each oldest entry that
    // must make room; its memory may then go back to the system.
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

    // Removes [begin, end), and calls visit(const FreedRange&) for each part of it that was there.
    // Calls forget, as above, for remainders outside of it that have no room.
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

    // Returns the entries that overlap [begin, end).
    std::vector<FreedRange> find(uint64_t begin, uint64_t end) const {
        const std::lock_guard<SharedLock> lock(table_->lock);
        std::vector<FreedRange> found;
        std::copy_if(
            table_->entries, table_->entries + table_->count, std::back_inserter(found),
            [&](const FreedRange& range) { return range.begin < end && begin < range.end; });
        return found;
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
