// The directory of freed global memory that holds a pattern, for checking mode. It lies in the node
// heap, because the rank that is given such memory again may be another than the one that freed it.
//
// Guarded by its lock, also while a callback looks at the memory that an entry names: whoever gets
// memory from the heap takes its entries out before he touches it, so the pattern can be read as
// long as an entry is there.
#pragma once

#include <cstdint>
#include <cstring>

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
    static constexpr uint32_t kMost = 1 << 11;  // per node
    SharedLock lock;
    uint32_t count = 0;
    uint64_t left_out = 0;      // that there was no room for to the end
    FreedRange entries[kMost];  // not initialised: pages that nobody needs stay untouched
};

class FreedRanges {
  public:
    FreedRanges() = default;
    explicit FreedRanges(FreedRangeTable* table) : table_(table) {}

    // Calls visit(const FreedRange&) for the oldest one if that must go to make room.
    template <class Visit>
    void add(const FreedRange& range, Visit&& visit) {
        table_->lock.lock();
        if (table_->count == FreedRangeTable::kMost) {
            visit(table_->entries[0]);
            remove(0);
            ++table_->left_out;
        }
        table_->entries[table_->count++] = range;
        table_->lock.unlock();
    }

    // Takes [begin, end) out, and calls visit(const FreedRange&) for each part that was there. What
    // there is no room for outside of it is forgotten.
    template <class Visit>
    void take(uint64_t begin, uint64_t end, Visit&& visit) {
        table_->lock.lock();
        for (uint32_t i = 0; i < table_->count;) {
            const FreedRange range = table_->entries[i];
            if (range.begin >= end || range.end <= begin) {
                ++i;
                continue;
            }
            FreedRange part = range;
            part.begin = begin > range.begin ? begin : range.begin;
            part.end = end < range.end ? end : range.end;
            visit(part);
            remove(i);
            put_back(range, range.begin, part.begin);
            put_back(range, part.end, range.end);
        }
        table_->lock.unlock();
    }

    uint64_t left_out() const { return table_->left_out; }

  private:
    void remove(uint32_t index) {
        FreedRange* place = table_->entries + index;
        std::memmove(place, place + 1, sizeof *place * (table_->count - index - 1));
        --table_->count;
    }
    void put_back(FreedRange range, uint64_t begin, uint64_t end) {
        if (begin >= end) {
            return;
        }
        if (table_->count == FreedRangeTable::kMost) {
            ++table_->left_out;
            return;
        }
        range.begin = begin;
        range.end = end;
        table_->entries[table_->count++] = range;
    }

    FreedRangeTable* table_ = nullptr;
};

}  // namespace armci::node
