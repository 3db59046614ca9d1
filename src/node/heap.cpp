// SPDX-License-Identifier: BSD-3-Clause
#include "node/heap.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

#include "base/backoff.h"
#include "base/clock.h"

namespace armci::node {
namespace {

constexpr uint64_t kMagic = 0x61726d63'69686561;  // "armcihea"
constexpr uint32_t kRecordLimit = 1 << 20;        // a million allocations at a time per node

constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

int class_of(uint64_t bytes) {
    const uint64_t pages = bytes / kPageBytes;
    return std::min<int>(std::bit_width(pages) - 1, AllocatorState::kClasses - 1);
}

uint64_t alignment_for(uint64_t bytes) {
    return bytes >= kHugePageBytes ? kHugePageBytes : kPageBytes;
}

}  // namespace

size_t NodeHeap::data_offset() {
    return round_up(round_up(sizeof(HeapControl), kPageBytes) + sizeof(Extent) * (kRecordLimit + 1),
                    kHugePageBytes);
}

size_t NodeHeap::mapping_bytes(size_t data_bytes) {
    return data_offset() + round_up(std::max<size_t>(data_bytes, kHugePageBytes), kHugePageBytes);
}

NodeHeap NodeHeap::create(void* base, size_t mapping_bytes, const NodeFile& file) {
    NodeHeap heap;
    heap.control_ = new (base) HeapControl;
    heap.file_ = file;
    HeapControl& control = *heap.control_;
    control.mapping_bytes = mapping_bytes;
    control.allocator.record_limit = kRecordLimit;
    const uint32_t all = heap.take_record();
    Extent& extent = heap.records()[all];
    extent.offset = data_offset();
    extent.bytes = mapping_bytes - data_offset();
    heap.link_free(all);
    control.magic = kMagic;
    return heap;
}

NodeHeap NodeHeap::attach(void* base, const NodeFile& file) {
    NodeHeap heap;
    heap.control_ = static_cast<HeapControl*>(base);
    heap.file_ = file;
    return heap;
}

bool NodeHeap::valid() const {
    return control_ != nullptr && control_->magic == kMagic;
}

Extent* NodeHeap::records() const {
    return reinterpret_cast<Extent*>(reinterpret_cast<char*>(control_) +
                                     round_up(sizeof(HeapControl), kPageBytes));
}

// Returns 0 when all records are taken.
uint32_t NodeHeap::take_record() {
    AllocatorState& state = control_->allocator;
    uint32_t record = state.spare_records;
    if (record != 0) {
        state.spare_records = records()[record].after;
    } else if (state.record_count < state.record_limit) {
        record = ++state.record_count;
    } else {
        return 0;
    }
    records()[record] = Extent{};
    return record;
}

uint32_t* NodeHeap::class_list(const Extent& extent) const {
    AllocatorState& state = control_->allocator;
    return (extent.kept ? state.kept_extents : state.free_extents) + class_of(extent.bytes);
}

void NodeHeap::link_free(uint32_t record) {
    Extent* all = records();
    uint32_t* head = class_list(all[record]);
    all[record].newer = 0;
    all[record].older = *head;
    if (*head != 0) {
        all[*head].newer = record;
    }
    *head = record;
}

void NodeHeap::unlink_free(uint32_t record) {
    Extent* all = records();
    Extent& extent = all[record];
    if (extent.newer != 0) {
        all[extent.newer].older = extent.older;
    } else {
        *class_list(extent) = extent.older;
    }
    if (extent.older != 0) {
        all[extent.older].newer = extent.newer;
    }
}

void NodeHeap::link_kept(uint32_t record, uint32_t earlier) {
    Extent* all = records();
    AllocatorState& state = control_->allocator;
    const uint32_t later = earlier != 0 ? all[earlier].kept_later : state.earliest_kept;
    all[record].kept_earlier = earlier;
    all[record].kept_later = later;
    (earlier != 0 ? all[earlier].kept_later : state.earliest_kept) = record;
    (later != 0 ? all[later].kept_earlier : state.latest_kept) = record;
}

void NodeHeap::unlink_kept(uint32_t record) {
    Extent* all = records();
    AllocatorState& state = control_->allocator;
    const Extent& extent = all[record];
    (extent.kept_later != 0 ? all[extent.kept_later].kept_earlier : state.latest_kept) =
        extent.kept_earlier;
    (extent.kept_earlier != 0 ? all[extent.kept_earlier].kept_later : state.earliest_kept) =
        extent.kept_later;
}

void NodeHeap::count_kept(int64_t bytes) {
    control_->allocator.kept_bytes += static_cast<uint64_t>(bytes);
    if (file_.account != nullptr) {
        file_.account->kept_bytes += static_cast<uint64_t>(bytes);
    }
}

// Returns the first extent in the lists that can hold `bytes` at the alignment, from the tightest
// class upwards.
uint32_t NodeHeap::find_fit(const uint32_t* lists, uint64_t bytes, uint64_t alignment,
                            const Search& search) const {
    const Extent* all = records();
    const int begin_class = class_of(bytes);
    const int end_class = std::min(begin_class + search.max_classes, AllocatorState::kClasses);
    int looks = 0;
    for (int size_class = begin_class; size_class < end_class; ++size_class) {
        for (uint32_t record = lists[size_class]; record != 0 && looks < search.max_looks;
             record = all[record].older) {
            const uint64_t begin = round_up(all[record].offset, alignment);
            if (begin + bytes <= all[record].offset + all[record].bytes) {
                return record;
            }
            ++looks;
        }
    }
    return 0;
}

// A kept extent is mostly for an allocation of its own size. A small allocation would divide a
// large one, which then holds no large one any more. The search for one of about this size is
// short, because kept extents do not merge and may be many.
uint32_t NodeHeap::find_free(uint64_t bytes, uint64_t alignment) const {
    constexpr Search kSimilar{.max_classes = 2, .max_looks = 64};
    const AllocatorState& state = control_->allocator;
    if (const uint32_t kept = find_fit(state.kept_extents, bytes, alignment, kSimilar)) {
        return kept;
    }
    if (const uint32_t free = find_fit(state.free_extents, bytes, alignment, {})) {
        return free;
    }
    return find_fit(state.kept_extents, bytes, alignment, {});
}

// Cuts `record` to its first `bytes`; the rest becomes a free extent. The rest of a kept extent has
// been kept as long.
void NodeHeap::split_tail(uint32_t record, uint64_t bytes) {
    Extent* all = records();
    if (all[record].bytes == bytes) {
        return;
    }
    const uint32_t tail = take_record();
    if (tail == 0) {
        return;  // out of records: the extent keeps the surplus, which is released with it
    }
    all[tail].offset = all[record].offset + bytes;
    all[tail].bytes = all[record].bytes - bytes;
    all[tail].kept = all[record].kept;
    all[tail].before = record;
    all[tail].after = all[record].after;
    if (all[tail].after != 0) {
        all[all[tail].after].before = tail;
    }
    all[record].after = tail;
    all[record].bytes = bytes;
    if (all[tail].kept) {
        all[tail].kept_since_ns = all[record].kept_since_ns;
        link_kept(tail, record);
    }
    link_free(tail);
}

NodeHeap::Range NodeHeap::allocate(size_t bytes) {
    if (bytes == 0 || bytes > data_bytes()) {
        return {};
    }
    const uint64_t wanted = round_up(bytes, kPageBytes);
    AllocatorState& state = control_->allocator;
    for (;;) {
        {
            const std::lock_guard<SharedLock> lock(state.lock);
            const Range range = try_allocate(wanted);
            if (range.data != nullptr || state.kept_bytes == 0) {
                return range;
            }
        }
        give_back_all();
    }
}

// The caller has the lock.
NodeHeap::Range NodeHeap::try_allocate(uint64_t bytes) {
    Range range;
    const uint64_t alignment = alignment_for(bytes);
    AllocatorState& state = control_->allocator;
    uint32_t record = find_free(bytes, alignment);
    if (record == 0) {
        return range;
    }
    Extent* all = records();
    unlink_free(record);
    const uint64_t lead = round_up(all[record].offset, alignment) - all[record].offset;
    if (lead != 0) {
        split_tail(record, lead);
        link_free(record);
        if (all[record].bytes != lead) {
            return range;  // no record left to split with
        }
        record = all[record].after;
        unlink_free(record);
    }
    split_tail(record, bytes);
    if (all[record].kept) {
        unlink_kept(record);
        count_kept(-static_cast<int64_t>(all[record].bytes));
    }
    all[record].used = true;
    state.used_bytes += all[record].bytes;
    if (file_.account != nullptr) {
        file_.account->given_out_bytes += all[record].bytes;
    }
    range.data = reinterpret_cast<char*>(control_) + all[record].offset;
    range.bytes = all[record].bytes;
    range.record = record;
    range.was_kept = std::exchange(all[record].kept, false);
    return range;
}

uint32_t NodeHeap::merge_neighbours(uint32_t record) {
    Extent* all = records();
    AllocatorState& state = control_->allocator;
    const auto absorb = [&](uint32_t first, uint32_t second) {
        all[first].bytes += all[second].bytes;
        all[first].after = all[second].after;
        if (all[first].after != 0) {
            all[all[first].after].before = first;
        }
        all[second].after = state.spare_records;
        state.spare_records = second;
    };
    const auto merges = [&](uint32_t other) {
        return other != 0 && !all[other].used && !all[other].kept;
    };
    const uint32_t after = all[record].after;
    if (merges(after)) {
        unlink_free(after);
        absorb(record, after);
    }
    const uint32_t before = all[record].before;
    if (merges(before)) {
        unlink_free(before);
        absorb(before, record);
        record = before;
    }
    return record;
}

void NodeHeap::release(uint32_t record, Pages pages) {
    // The extent still belongs to this rank, so its pages can be released without the lock, but not
    // its links.
    const uint64_t bytes = records()[record].bytes;
    if (pages == Pages::release) {
        const uint64_t begin = reinterpret_cast<uint64_t>(control_) + records()[record].offset;
        release_pages(begin, begin + bytes);
    }
    AllocatorState& state = control_->allocator;
    const std::lock_guard<SharedLock> lock(state.lock);
    Extent& extent = records()[record];
    extent.used = false;
    state.used_bytes -= bytes;
    if (file_.account != nullptr) {
        file_.account->given_out_bytes -= bytes;
    }
    if (pages == Pages::keep) {
        extent.kept = true;
        extent.kept_since_ns = base::now_ns();
        link_kept(record, state.latest_kept);
        count_kept(static_cast<int64_t>(bytes));
        link_free(record);
    } else {
        link_free(merge_neighbours(record));
    }
}

void NodeHeap::release_pages(uint64_t begin, uint64_t end) {
    fallocate(file_.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(file_.offset + begin - reinterpret_cast<uint64_t>(control_)),
              static_cast<off_t>(end - begin));
}

// Returns an extent that give_back() has to release, with the same arguments, or 0. It counts as
// kept and as returning until then, but no allocation finds it.
uint32_t NodeHeap::take_earliest_kept(uint64_t limit, int64_t since_ns) {
    AllocatorState& state = control_->allocator;
    const std::lock_guard<SharedLock> lock(state.lock);
    const uint32_t record = state.earliest_kept;
    if (record == 0) {
        return 0;
    }
    Extent& extent = records()[record];
    const uint64_t staying = state.kept_bytes - state.returning_bytes;
    const uint64_t excess = staying > limit ? staying - limit : 0;
    const bool is_old = extent.kept_since_ns < since_ns;
    if (excess == 0 && !is_old) {
        return 0;
    }
    unlink_free(record);
    if (!is_old && excess < extent.bytes) {
        split_tail(record, round_up(excess, kPageBytes));
    }
    unlink_kept(record);
    extent.used = true;
    state.returning_bytes += extent.bytes;
    return record;
}

void NodeHeap::give_back(uint64_t limit, int64_t since_ns) {
    AllocatorState& state = control_->allocator;
    while (const uint32_t record = take_earliest_kept(limit, since_ns)) {
        Extent& extent = records()[record];
        const uint64_t begin = reinterpret_cast<uint64_t>(control_) + extent.offset;
        release_pages(begin, begin + extent.bytes);
        const std::lock_guard<SharedLock> lock(state.lock);
        state.returning_bytes -= extent.bytes;
        count_kept(-static_cast<int64_t>(extent.bytes));
        extent.used = false;
        extent.kept = false;
        link_free(merge_neighbours(record));
    }
}

void NodeHeap::give_back_all() {
    base::Backoff backoff;
    while (kept_bytes() > 0) {
        give_back(0);
        backoff.pause();
    }
}

bool NodeHeap::check_is_due(size_t bytes) {
    AllocatorState& state = control_->allocator;
    const std::lock_guard<SharedLock> lock(state.lock);
    // Freed memory went back to the host, which may have given it away since.
    state.checked_bytes = std::min(state.checked_bytes, state.used_bytes);
    return state.used_bytes - state.checked_bytes + bytes >= kUncheckedBytes;
}

void NodeHeap::note_check(size_t bytes) {
    AllocatorState& state = control_->allocator;
    const std::lock_guard<SharedLock> lock(state.lock);
    state.checked_bytes = state.used_bytes + bytes;
}

bool NodeHeap::contains(const void* address) const {
    const auto offset =
        reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(control_);
    return control_ != nullptr && offset >= data_offset() && offset < control_->mapping_bytes;
}

size_t NodeHeap::data_bytes() const {
    return control_->mapping_bytes - data_offset();
}

size_t NodeHeap::used_bytes() const {
    const std::lock_guard<SharedLock> lock(control_->allocator.lock);
    return control_->allocator.used_bytes;
}

size_t NodeHeap::kept_bytes() const {
    const std::lock_guard<SharedLock> lock(control_->allocator.lock);
    return control_->allocator.kept_bytes;
}

size_t NodeHeap::kept_on_host_bytes() const {
    return file_.account != nullptr ? file_.account->kept_bytes.load() : kept_bytes();
}

size_t NodeHeap::given_out_bytes() const {
    return file_.account != nullptr ? file_.account->given_out_bytes.load() : used_bytes();
}

size_t NodeHeap::resident_bytes() const {
    struct stat status;
    return fstat(file_.descriptor, &status) == 0 ? static_cast<size_t>(status.st_blocks) * 512 : 0;
}

}  // namespace armci::node
