// SPDX-License-Identifier: BSD-3-Clause
// What is learned of a network whose costs are others than the library begins with: two nodes on
// links of different speed, in virtual time.
#pragma once

namespace armci::sim {

// Measures transfers with the costs of the start, with learned costs, and on either fixed route,
// and prints their times: on all links, or on some with which most mistakes are
// seen. Returns false if some transfers with learned costs take over a fifth
// longer than on the better route or than with the costs of the start. On links of 100 Mbit/s to
// 10 Gbit/s by TCP it may be a tenth longer than on the better route.
bool check_links(bool all);

}  // namespace armci::sim
