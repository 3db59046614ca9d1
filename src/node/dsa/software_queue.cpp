// SPDX-License-Identifier: BSD-3-Clause
#include "node/dsa/software_queue.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/futex.h"

namespace armci::node::dsa {
namespace {

constexpr int64_t kSleepUs = int64_t{3600} * 1'000'000;  // it is woken earlier
constexpr uint64_t kPageBytes = 4096;

template <class T>
T* pointer(uint64_t address) {
    return reinterpret_cast<T*>(address);
}

void publish(CompletionRecord* record, Status status) {
    std::atomic_ref(record->status).store(static_cast<uint8_t>(status), std::memory_order_release);
}

// Without a record the device can report errors to its driver only.
bool has_record(const Descriptor& descriptor) {
    return (descriptor.flags() & kFlagRecordValid) != 0 && descriptor.record != 0 &&
           descriptor.record % alignof(CompletionRecord) == 0;
}

bool overlap(const Descriptor& copy) {
    return copy.source < copy.destination + copy.length &&
           copy.destination < copy.source + copy.length;
}

// Returns how many bytes lie between an address and the end of its page.
uint64_t to_page_end(uint64_t address) {
    return kPageBytes - address % kPageBytes;
}

}  // namespace

SoftwareQueue::~SoftwareQueue() {
    stopping_.store(true);
    changes_.fetch_add(1);
    base::futex_wake(&changes_, 1);
    thread_.join();
    while (execute_one()) {
    }
}

bool SoftwareQueue::start_thread() {
    return thread_.start<&SoftwareQueue::run>(kThreadName, *this);
}

bool SoftwareQueue::submit(const Descriptor& descriptor) {
    {
        const base::MutexLock lock(mutex_);
        if (queue_.size() >= static_cast<size_t>(options_.limits.descriptors)) {
            if (!options_.limits.is_shared) {
                lost_.fetch_add(1, std::memory_order_relaxed);
            }
            return !options_.limits.is_shared;
        }
        queue_.push_back(descriptor);
    }
    changes_.fetch_add(1);
    if (thread_.is_started()) {
        base::futex_wake(&changes_, 1);
    }
    return true;
}

void SoftwareQueue::run() {
    while (!stopping_.load()) {
        const uint32_t seen = changes_.load();
        if (!execute_one()) {
            base::futex_wait(&changes_, seen, kSleepUs);
        }
    }
}

bool SoftwareQueue::take(Descriptor* descriptor) {
    const base::MutexLock lock(mutex_);
    if (queue_.empty()) {
        return false;
    }
    const size_t index = options_.order_seed == 0 ? 0 : random_() % queue_.size();
    *descriptor = queue_[index];
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
}

bool SoftwareQueue::execute_one() {
    Descriptor descriptor;
    if (!take(&descriptor)) {
        return false;
    }
    execute(descriptor);
    return true;
}

void SoftwareQueue::execute(const Descriptor& descriptor) {
    if (!has_record(descriptor)) {
        lost_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    auto* record = pointer<CompletionRecord>(descriptor.record);
    Status status = check(descriptor, false);
    if (status == Status::success) {
        status = descriptor.opcode() == Opcode::batch ? execute_batch(descriptor, record)
                                                      : copy(descriptor, record);
    }
    publish(record, status);
}

Status SoftwareQueue::execute_batch(const Descriptor& batch, CompletionRecord* record) {
    batches_.fetch_add(1, std::memory_order_relaxed);
    const auto* list = pointer<const Descriptor>(batch.source);
    std::vector<uint32_t> order(batch.length);
    std::iota(order.begin(), order.end(), 0U);
    if (options_.order_seed != 0) {
        std::shuffle(order.begin(), order.end(), random_);
    }
    bool all_succeeded = true;
    for (const uint32_t index : order) {
        all_succeeded &= execute_in_batch(list[index]) == Status::success;
    }
    record->done = batch.length;
    return all_succeeded ? Status::success : Status::batch_failed;
}

Status SoftwareQueue::execute_in_batch(const Descriptor& descriptor) {
    if (!has_record(descriptor)) {
        lost_.fetch_add(1, std::memory_order_relaxed);
        return Status::record_misaligned;
    }
    auto* record = pointer<CompletionRecord>(descriptor.record);
    Status status = check(descriptor, true);
    if (status == Status::success) {
        status = copy(descriptor, record);
    }
    publish(record, status);
    return status;
}

Status SoftwareQueue::copy(const Descriptor& descriptor, CompletionRecord* record) {
    ++copies_;
    if (options_.fail_from != 0 && copies_ >= options_.fail_from) {
        return options_.failure;
    }
    uint32_t bytes = descriptor.length;
    const Status status = fault_in(descriptor, record, &bytes);
    std::memcpy(pointer<void>(descriptor.destination), pointer<const void>(descriptor.source),
                bytes);
    record->done = status == Status::success ? 0 : bytes;
    return status;
}

// A fault is at the begin of a page, or at the first byte of a copy within one page. Copies meet
// faults in turn where they read and where they write.
Status SoftwareQueue::fault_in(const Descriptor& descriptor, CompletionRecord* record,
                               uint32_t* done) {
    if (options_.fault_every == 0 || copies_ % options_.fault_every != 0) {
        return Status::success;
    }
    const uint64_t number = faults_.fetch_add(1, std::memory_order_relaxed);
    const bool is_write = number % 2 != 0;
    const uint64_t begin = is_write ? descriptor.destination : descriptor.source;
    const uint64_t to_end = to_page_end(begin);
    *done = to_end < descriptor.length ? static_cast<uint32_t>(to_end) : 0;
    record->fault_address = begin + *done;
    const auto status = static_cast<uint8_t>(Status::page_fault);
    return static_cast<Status>(is_write ? status | kStatusWasWrite : status);
}

Status SoftwareQueue::check(const Descriptor& descriptor, bool is_in_batch) const {
    if ((descriptor.flags() & ~kKnownFlags) != 0 ||
        ((descriptor.flags() & kFlagFence) != 0 && !is_in_batch)) {
        return Status::invalid_flags;
    }
    if (descriptor.reserved != 0 || descriptor.operation_specific[0] != 0 ||
        descriptor.operation_specific[1] != 0 || descriptor.operation_specific[2] != 0) {
        return Status::reserved_not_zero;
    }
    switch (descriptor.opcode()) {
        case Opcode::memmove:
            if (descriptor.length == 0 || descriptor.length > options_.limits.transfer_bytes) {
                return Status::bad_length;
            }
            return overlap(descriptor) ? Status::overlap : Status::success;
        case Opcode::batch:
            if (is_in_batch) {
                return Status::bad_opcode;
            }
            if (descriptor.source % alignof(Descriptor) != 0) {
                return Status::list_misaligned;
            }
            if (descriptor.length < 2 ||
                descriptor.length > static_cast<uint32_t>(options_.limits.batch_descriptors)) {
                return Status::bad_count;
            }
            return Status::success;
        case Opcode::noop:
        case Opcode::drain:
            break;
    }
    return Status::bad_opcode;
}

std::unique_ptr<WorkQueue> start_software_queue(const SoftwareOptions& options) {
    auto queue = std::make_unique<SoftwareQueue>(options);
    if (!queue->start_thread()) {
        return nullptr;
    }
    return queue;
}

}  // namespace armci::node::dsa
