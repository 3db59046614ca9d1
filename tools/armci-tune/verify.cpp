// SPDX-License-Identifier: BSD-3-Clause
#include "armci-tune/verify.h"

#include <algorithm>

#include "armci-tune/quality.h"

namespace armci::tune {

void print_choices(std::FILE* out, const std::vector<Cell>& cells,
                   const pipeline::CostModel& model) {
    double worst = 0;
    std::fprintf(out, "%-4s %9s %8s %10s %8s %10s %8s  %-7s %s\n", "op", "bytes", "block", "rma us",
                 "model", "server us", "model", "chosen", "over the better route");
    for (const Cell& cell : cells) {
        if (cell.routes.size() != 2) {
            continue;
        }
        const auto& [total_bytes, block_bytes] = cell.shape;
        const bool by_rma = goes_by_rma(cell, model);
        const double loss = loss_of(cell, model);
        if (cell.is_check) {
            worst = std::max(worst, loss);
        }
        std::fprintf(out, "%-4s %9lld %8lld %10.1f %8.1f %10.1f %8.1f  %-7s %5.1f %%%s\n",
                     base::name_of(cell.op), static_cast<long long>(total_bytes),
                     static_cast<long long>(block_bytes), cell.us[0],
                     model.rma_us(cell.op, cell.shape), cell.us[1],
                     model.server_plan(cell.op, cell.shape).total_us,
                     base::name_of(by_rma ? base::Route::rma : base::Route::server), 100 * loss,
                     cell.is_check ? "  *" : "");
    }
    std::fprintf(out,
                 "* not used for the fit: there the chosen route takes at most %.1f %% longer than "
                 "the better one\n\n",
                 100 * worst);
}

}  // namespace armci::tune
