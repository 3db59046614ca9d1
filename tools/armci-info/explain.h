// SPDX-License-Identifier: BSD-3-Clause
// armci-info --explain: why a transfer takes its route.
#pragma once

namespace armci::info {

// Collective over MPI_COMM_WORLD, with MPI up; starts and stops ARMCI; rank 0 prints. `request` is
// OP,ROWS,RUN,TARGET. With `learning` rank 0 makes such transfers before. Returns the exit status,
// on all ranks: 2 when the request makes no sense.
enum class Learning : bool { no, yes };
int explain(const char* request, Learning learning);

}  // namespace armci::info
