// SPDX-License-Identifier: BSD-3-Clause
// The software twin of a DSA device, for machines without one and for tests. It takes the same
// descriptors, checks them as the device does, and writes the same completion records.
//
// It can be worse than a device usually is: it can change the order of all work, end copies early
// as at a page fault, and fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/thread.h"
#include "base/thread_annotations.h"
#include "node/dsa/work_queue.h"

namespace armci::node::dsa {

struct SoftwareOptions {
    QueueLimits limits;
    uint64_t order_seed = 0;  // work is done in an order that this decides; 0: as it was submitted
    // Of so many copies one ends early, as at a page fault. 0: none.
    uint32_t fault_every = 0;
    // From this copy on, counted from 1, the device only reports this status. 0: never.
    uint64_t fail_from = 0;
    Status failure = Status::hardware_error;
};

class SoftwareQueue final : public WorkQueue {
  public:
    // The name of its thread in ps -L and top -H.
    static constexpr const char* kThreadName = "armci-dsa";

    explicit SoftwareQueue(const SoftwareOptions& options)
        : options_(options), random_(options.order_seed) {}
    // Executes what was submitted.
    ~SoftwareQueue() override;

    // Starts a thread that executes descriptors. Without it, call execute_one(). Returns false if
    // the system refuses a thread.
    bool start_thread();

    const QueueLimits& limits() const override { return options_.limits; }
    std::string name() const override { return "software twin of a DSA work queue"; }
    bool submit(const Descriptor& descriptor) override;

    // Executes one descriptor. Returns false if there is none.
    bool execute_one();
    // Returns how many descriptors were lost, because a dedicated queue was full or because they
    // name no record.
    uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
    // Returns how many copies have ended early.
    uint64_t faults() const { return faults_.load(std::memory_order_relaxed); }
    uint64_t batches() const { return batches_.load(std::memory_order_relaxed); }

  private:
    void run();
    bool take(Descriptor* descriptor);
    void execute(const Descriptor& descriptor);
    Status execute_batch(const Descriptor& batch, CompletionRecord* record);
    Status execute_in_batch(const Descriptor& descriptor);
    Status copy(const Descriptor& descriptor, CompletionRecord* record);
    // Returns page_fault, with kStatusWasWrite if a write met it, or success if there is none.
    Status fault_in(const Descriptor& descriptor, CompletionRecord* record, uint32_t* done);
    Status check(const Descriptor& descriptor, bool is_in_batch) const;

    const SoftwareOptions options_;
    base::Mutex mutex_;
    std::vector<Descriptor> queue_ ARMCI_GUARDED_BY(mutex_);
    std::mt19937_64 random_;  // only the executing thread uses it, like the next one
    uint64_t copies_ = 0;
    std::atomic<uint32_t> changes_{0};  // the thread sleeps on it
    std::atomic<bool> stopping_{false};
    std::atomic<uint64_t> lost_{0};
    std::atomic<uint64_t> faults_{0};
    std::atomic<uint64_t> batches_{0};
    base::Thread thread_;
};

// Returns nullptr if the system refuses a thread.
std::unique_ptr<WorkQueue> start_software_queue(const SoftwareOptions& options);

}  // namespace armci::node::dsa
