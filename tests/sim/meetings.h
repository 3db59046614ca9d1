// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks that are drawn from the seed, and their barriers. They overlap, and each rank
// makes, meets and frees those that it is in.
#pragma once

#include <cstdint>
#include <vector>

#include "armci/armci.h"

namespace armci::sim {

class Meetings {
  public:
    explicit Meetings(int rank_count);

    void make(int me);
    // Passes one to three barriers of each group. Fails if one ends before all its members have
    // come to it.
    void meet(int me);
    void leave(int me);

  private:
    struct Drawn {
        std::vector<int> ranks;  // in the order of the group
        int barriers = 1;        // at each meeting
    };
    struct Member {
        ARMCI_Group group;
        int64_t arrived = 0;
    };

    std::vector<Drawn> groups_;
    std::vector<std::vector<Member>> members_;  // by group, by its rank
};

}  // namespace armci::sim
