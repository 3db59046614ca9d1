// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/wait_for_mpi.h"

#include <algorithm>

#include "core/progress/wait_for_ranks.h"

namespace armci::core {

void nap_between_looks(Progress& progress, int64_t waited_ns) {
    constexpr int64_t kLongestNapNs = 2'000'000;
    progress.nap(std::min(waited_ns / 16, kLongestNapNs));
}

void wait_for_mpi(Progress& progress, MPI_Request* request, const char* what) {
    int done = 0;
    wait_for_ranks(
        progress, {nullptr, what},
        [&] {
            MPI_Test(request, &done, MPI_STATUS_IGNORE);
            return done != 0;
        },
        [&](int64_t waited_ns) { nap_between_looks(progress, waited_ns); });
}

}  // namespace armci::core
