// SPDX-License-Identifier: BSD-3-Clause
// The registration of a transfer's local memory, for as long as the transfer takes. When it ends,
// its costs learn how long it took to begin and to end.
#pragma once

#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "fabric/region.h"
#include "pipeline/costs/registration_costs.h"

namespace armci::pipeline {

class LocalRegistration {
  public:
    LocalRegistration() = default;
    // Is not timed.
    explicit LocalRegistration(fabric::Region region) : region_(std::move(region)) {}
    // Is of a transfer of `bytes`. Making the region took that long.
    LocalRegistration(fabric::Region region, RegistrationCosts& costs, int64_t bytes, int64_t ns)
        : region_(std::move(region)), costs_(&costs), bytes_(bytes), ns_(ns) {}
    LocalRegistration& operator=(LocalRegistration&& other) noexcept {
        end();
        region_ = std::move(other.region_);
        costs_ = std::exchange(other.costs_, nullptr);
        bytes_ = other.bytes_;
        ns_ = other.ns_;
        return *this;
    }
    ~LocalRegistration() { end(); }

    // Is invalid if there is none.
    const fabric::Region& region() const { return region_; }

  private:
    void end() {
        if (costs_ == nullptr) {
            return;
        }
        const int64_t began_ns = base::now_ns();
        region_ = {};
        costs_->note_registration(bytes_,
                                  1e-3 * static_cast<double>(ns_ + base::now_ns() - began_ns));
        costs_ = nullptr;
    }

    fabric::Region region_;
    RegistrationCosts* costs_ = nullptr;  // null: it is not timed
    int64_t bytes_ = 0;
    int64_t ns_ = 0;
};

}  // namespace armci::pipeline
