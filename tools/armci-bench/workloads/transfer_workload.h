// SPDX-License-Identifier: BSD-3-Clause
// put, get and acc of any shape, blocking and non-blocking.
#pragma once

#include "armci-bench/options/element.h"
#include "armci-bench/workloads/armci_api.h"
#include "armci-bench/workloads/checked_workload.h"
#include "armci-bench/workloads/slots.h"

#include <vector>

namespace armci::bench {

class TransferWorkload : public CheckedWorkload {
  public:
    explicit TransferWorkload(const Context& context);

    void perform(int64_t count) override;
    int64_t check_count() const override { return slots_.count; }
    int64_t batch_count() const override;
    bool result_lasts() const override { return verb_ != Verb::acc; }

  protected:
    // A non-blocking operation on one of the slots.
    void start(int64_t slot, armci_hdl_t* handle);
    // Waits until the target has everything; a get is complete when it has been waited for.
    void fence();

  private:
    // The blocks of one slot of a vector transfer, in the order of ARMCI's arguments.
    struct Vector {
        std::vector<void*> source_blocks;
        std::vector<void*> destination_blocks;
        armci_giov_t descriptor;
    };

    void make_vectors();
    // Addresses of a slot, in the order of ARMCI's arguments.
    void* source(int64_t slot) const { return source_ + slot * source_slot_bytes_; }
    void* destination(int64_t slot) const { return destination_ + slot * destination_slot_bytes_; }
    armci_giov_t* vector(int64_t slot) { return &vectors_[static_cast<size_t>(slot)].descriptor; }
    // The slot of the next operation. Any slots_.count operations in a row visit each slot once.
    int64_t take_slot() {
        const int64_t slot = next_slot_;
        next_slot_ += step_;
        if (next_slot_ >= slots_.count) {
            next_slot_ -= slots_.count;
        }
        return slot;
    }
    void call(int64_t slot);
    void perform_window(int64_t count);
    void start_batch(int64_t count);

    const Form form_;
    const Slots slots_;
    const int target_;
    const int type_code_;

    Scale scale_;
    std::vector<int> counts_;
    std::vector<int> source_strides_;
    std::vector<int> destination_strides_;
    int levels_ = 0;
    char* source_ = nullptr;  // of slot 0
    char* destination_ = nullptr;
    int64_t source_slot_bytes_ = 0;
    int64_t destination_slot_bytes_ = 0;
    std::vector<Vector> vectors_;  // one for each slot of a vector transfer
    int64_t step_ = 1;
    int64_t next_slot_ = 0;
    std::vector<armci_hdl_t> handles_;
};

}  // namespace armci::bench
