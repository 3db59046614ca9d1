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
    void start(size_t slot, armci_hdl_t* handle) { start(places_[slot], handle); }
    // Waits until the target has everything; a get is complete when it has been waited for.
    void fence();

  private:
    // Addresses of one slot in the order of ARMCI's arguments.
    struct Place {
        void* source;
        void* destination;
        std::vector<void*> source_blocks;  // of a vector transfer
        std::vector<void*> destination_blocks;
        armci_giov_t descriptor;
    };

    void make_places();
    void call(Place& place);
    void start(Place& place, armci_hdl_t* handle);
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
    std::vector<Place> places_;
    std::vector<armci_hdl_t> handles_;
};

}  // namespace armci::bench
