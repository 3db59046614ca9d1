// SPDX-License-Identifier: BSD-3-Clause
// The baseline: the same patch packed, sent and unpacked by hand with two-sided MPI.
#pragma once

#include "armci-bench/workloads/checked_workload.h"

#include <vector>

namespace armci::bench {

class MpiPackWorkload : public CheckedWorkload {
  public:
    explicit MpiPackWorkload(const Context& context);

    void perform(int64_t count) override;
    bool needs_service() const override { return true; }
    void serve() override;
    void dismiss() override;

  private:
    enum class Side { local, remote };

    void pack(Side side, const char* memory);
    void unpack(Side side, char* memory);
    void send(int rank, int tag, bool with_data);
    int receive(int rank, int tag);

    std::vector<char> buffer_;
};

}  // namespace armci::bench
