// The yardstick: the same patch packed, sent and unpacked by hand with two-sided MPI.
#pragma once

#include "armci-bench/transfer_check.h"
#include "armci-bench/workload.h"

#include <vector>

namespace armci::bench {

class MpiPackWorkload : public Workload {
  public:
    explicit MpiPackWorkload(const Context& context);

    void prepare() override;
    void perform(int64_t count) override;
    int64_t count_errors() override;
    bool needs_service() const override { return true; }
    void serve() override;
    void dismiss() override;

  private:
    enum class Side { local, remote };

    void pack(Side side, const char* memory);
    void unpack(Side side, char* memory);
    void send(int rank, int tag, bool with_data);
    int receive(int rank, int tag);

    const Verb verb_;
    const TransferCheck check_;
    std::vector<char> buffer_;
};

}  // namespace armci::bench
