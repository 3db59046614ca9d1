// SPDX-License-Identifier: BSD-3-Clause
#include "node/attachments.h"

#include <sys/stat.h>

#include <algorithm>
#include <mutex>

namespace armci::node {
namespace {

// The system keeps the first pages free, and programs get the lower half of all addresses.
constexpr uint64_t kLowest = 64 << 10;
constexpr uint64_t kHighest = uint64_t{1} << 63;

bool is_before(const Attachment& entry, uint32_t owner, uint64_t begin) {
    return entry.owner != owner ? entry.owner < owner : entry.begin < begin;
}

// Returns the first entry of the owner that begins at `begin` or later, or what follows the owner's
// entries.
template <class Entry>
Entry* lower_bound(Entry* first, Entry* last, uint32_t owner, uint64_t begin) {
    return std::partition_point(
        first, last, [&](const Attachment& entry) { return is_before(entry, owner, begin); });
}

}  // namespace

bool is_attachable(uint64_t begin, uint64_t bytes, uint64_t heap_begin, uint64_t heap_bytes) {
    uint64_t end = 0;
    if (bytes == 0 || __builtin_add_overflow(begin, bytes, &end) || begin < kLowest ||
        end > kHighest) {
        return false;
    }
    return end <= heap_begin || begin >= heap_begin + heap_bytes;
}

uint64_t own_pid_namespace() {
    static const uint64_t own = [] {
        struct stat status {};
        return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
    }();
    return own;
}

Attachments::Added Attachments::add(const Attachment& entry, Attachment* overlapped) {
    const std::lock_guard<SharedLock> lock(table_->lock);
    Attachment* first = table_->entries;
    Attachment* last = first + table_->count;
    Attachment* place = lower_bound(first, last, entry.owner, entry.begin);
    if (place != last && place->owner == entry.owner && place->begin < entry.end) {
        *overlapped = *place;
        return Added::overlaps;
    }
    if (place != first && place[-1].owner == entry.owner && place[-1].end > entry.begin) {
        *overlapped = place[-1];
        return Added::overlaps;
    }
    if (table_->count == AttachmentTable::kMax) {
        return Added::full;
    }
    std::copy_backward(place, last, last + 1);
    *place = entry;
    ++table_->count;
    table_->generation.fetch_add(1, std::memory_order_release);
    return Added::yes;
}

bool Attachments::remove(uint32_t owner, uint64_t begin) {
    const std::lock_guard<SharedLock> lock(table_->lock);
    Attachment* last = table_->entries + table_->count;
    Attachment* place = lower_bound(table_->entries, last, owner, begin);
    if (place == last || place->owner != owner || place->begin != begin) {
        return false;
    }
    std::copy(place + 1, last, place);
    --table_->count;
    table_->generation.fetch_add(1, std::memory_order_release);
    return true;
}

void Attachments::renew() {
    if (table_->generation.load(std::memory_order_acquire) == seen_generation_) {
        return;
    }
    const std::lock_guard<SharedLock> lock(table_->lock);
    entries_.assign(table_->entries, table_->entries + table_->count);
    seen_generation_ = table_->generation.load(std::memory_order_relaxed);
}

const Attachment* Attachments::find(uint32_t owner, uint64_t address, uint64_t bytes) {
    renew();
    const Attachment* first = entries_.data();
    const Attachment* last = first + entries_.size();
    const Attachment* after = std::partition_point(first, last, [&](const Attachment& entry) {
        return entry.owner != owner ? entry.owner < owner : entry.begin <= address;
    });
    if (after == first || after[-1].owner != owner || address >= after[-1].end ||
        bytes > after[-1].end - address) {
        return nullptr;
    }
    return after - 1;
}

const Attachment* Attachments::any_of(uint32_t owner) {
    renew();
    const Attachment* first = entries_.data();
    const Attachment* last = first + entries_.size();
    const Attachment* place = lower_bound(first, last, owner, uint64_t{0});
    return place != last && place->owner == owner ? place : nullptr;
}

}  // namespace armci::node
