// SPDX-License-Identifier: BSD-3-Clause
// Checking mode: memory that was freed.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "check/checks.h"
#include "check/poison.h"

namespace armci::check {
namespace {

// Poisoned memory stays resident until it is allocated again, or much of it has been freed after
// it. More than this, of an allocation's part on a node, goes back to the system unwatched.
constexpr uint64_t kMaxPoisoned = 64 << 20;
constexpr size_t kMaxFreedAllocations = 256;
constexpr size_t kMaxFreedLocals = 1024;
constexpr size_t kMaxFreedLocalBytes = 64 << 20;

}  // namespace

void Checks::remember_freed(const Segment& segment) {
    FreedAllocation freed{segment.group, {}, segment.id};
    for (int member = 0; member < segment.group->size(); ++member) {
        freed.slices.push_back(segment.slice(member));
    }
    freed_.push_front(std::move(freed));
    if (freed_.size() > kMaxFreedAllocations) {
        freed_.pop_back();
    }
}

std::string Checks::explain_freed(int rank, uint64_t address, int64_t bytes) const {
    for (const FreedAllocation& freed : freed_) {
        const int member = freed.group->group_rank(rank);
        if (member < 0) {
            continue;
        }
        const Slice& slice = freed.slices[static_cast<size_t>(member)];
        const check::Bytes range{address, address + static_cast<uint64_t>(bytes)};
        if (range.overlaps({slice.base, slice.base + slice.bytes})) {
            char text[160];
            std::snprintf(
                text, sizeof text,
                "it was freed: allocation %s had %" PRIu64 " bytes at 0x%" PRIx64 " of rank %d",
                core::name_of_allocation(freed.allocation).c_str(), slice.bytes, slice.base, rank);
            return text;
        }
    }
    return {};
}

bool Checks::poison_freed(const Segment& segment, uint64_t bytes) {
    if (bytes > kMaxPoisoned) {
        ++counts_.ranges_left_out;
        return false;
    }
    for (int member = 0; member < segment.group->size(); ++member) {
        const Slice& slice = segment.slice(member);
        const int rank = segment.group->world_rank(member);
        if (slice.bytes > 0 && runtime_.world.on_my_node(rank)) {
            watch_freed(rank, slice, segment.id);
        }
    }
    return true;
}

bool Checks::poison_freed(int owner, const Slice& slice, uint64_t allocation) {
    if (slice.bytes > kMaxPoisoned) {
        ++counts_.ranges_left_out;
        return false;
    }
    watch_freed(owner, slice, allocation);
    return true;
}

void Checks::watch_freed(int owner, const Slice& slice, uint64_t allocation) {
    check::poison(reinterpret_cast<void*>(slice.base), static_cast<int64_t>(slice.bytes));
    const node::FreedRange range{
        slice.base, slice.base + slice.bytes, slice.base, slice.bytes, allocation, owner, 0};
    freed_ranges_.add(range,
                      [&](const node::FreedRange& oldest) { stop_watching("ARMCI_Free", oldest); });
}

void Checks::stop_watching(const char* function, const node::FreedRange& range) {
    check_damage(function, range);
    runtime_.node.heap.release_pages(range.begin, range.end);
}

void Checks::release_freed(const char* function) {
    const auto forget = [&](const node::FreedRange& range) {
        stop_watching(function, range);
        ++counts_.ranges_left_out;
    };
    freed_ranges_.take(0, UINT64_MAX, forget, forget);
}

void Checks::check_damage(const char* function, const node::FreedRange& range) {
    const char* damage = check::find_damage(reinterpret_cast<const void*>(range.begin),
                                            static_cast<int64_t>(range.end - range.begin));
    if (damage != nullptr) {
        report(
            Finding::memory, Severity::error, function,
            "freed memory was written at 0x%" PRIx64 ": byte %" PRIu64 " of rank %d's %" PRIu64
            " in allocation %s, by a plain store after ARMCI_Free. Free memory after its last use",
            reinterpret_cast<uint64_t>(damage),
            reinterpret_cast<uint64_t>(damage) - range.slice_begin, range.rank, range.slice_bytes,
            core::name_of_allocation(range.allocation).c_str());
    }
}

void Checks::check_given_out(const char* function, const node::NodeHeap::Range& given) {
    const auto begin = reinterpret_cast<uint64_t>(given.data);
    freed_ranges_.take(
        begin, begin + given.bytes,
        [&](const node::FreedRange& range) { check_damage(function, range); },
        [&](const node::FreedRange& range) { stop_watching(function, range); });
}

// ---- Memory of ARMCI_Malloc_local ----

bool Checks::free_local_later(void* memory, size_t bytes) {
    // The pattern would bring all of its pages into memory, and there would be no room to watch it.
    if (bytes > kMaxFreedLocalBytes) {
        ++counts_.ranges_left_out;
        return false;
    }
    check::poison(memory, static_cast<int64_t>(bytes));
    const auto address = reinterpret_cast<uint64_t>(memory);
    freed_local_[address] = {memory, bytes};
    freed_local_order_.push_back(address);
    freed_local_bytes_ += bytes;
    while (freed_local_.size() > kMaxFreedLocals || freed_local_bytes_ > kMaxFreedLocalBytes) {
        release_oldest_local();
    }
    return true;
}

void Checks::release_oldest_local() {
    const auto found = freed_local_.find(freed_local_order_.front());
    const FreedLocal freed = found->second;
    freed_local_order_.pop_front();
    freed_local_.erase(found);
    freed_local_bytes_ -= freed.bytes;
    check_damage(freed);
    std::free(freed.memory);
}

void Checks::check_damage(const FreedLocal& freed) {
    const char* damage = check::find_damage(freed.memory, static_cast<int64_t>(freed.bytes));
    if (damage != nullptr) {
        report(
            Finding::memory, Severity::error, "ARMCI_Free_local",
            "freed memory was written at %p: byte %td of %zu from ARMCI_Malloc_local. Free memory "
            "after its last use",
            static_cast<const void*>(damage), damage - static_cast<const char*>(freed.memory),
            freed.bytes);
    }
}

// One rank of each node checks what is left there.
void Checks::stop_watching_memory() {
    while (!freed_local_.empty()) {
        release_oldest_local();
    }
    if (runtime_.world.is_leader()) {
        const auto look = [&](const node::FreedRange& range) {
            check_damage("ARMCI_Finalize", range);
        };
        freed_ranges_.take(0, UINT64_MAX, look, look);
        counts_.ranges_left_out += freed_ranges_.left_out();
    }
}

}  // namespace armci::check
