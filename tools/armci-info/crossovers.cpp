// SPDX-License-Identifier: BSD-3-Clause
#include "armci-info/crossovers.h"

namespace armci::info {

void print_crossovers(std::FILE* out, const pipeline::CostModel& model) {
    constexpr struct {
        const char* name;
        int64_t bytes;
    } kSizes[] = {{"1K", 1 << 10},     {"8K", 8 << 10}, {"64K", 64 << 10},
                  {"512K", 512 << 10}, {"4M", 4 << 20}, {"32M", 32 << 20}};
    std::fprintf(out, "shortest block that goes by it, in bytes, for transfers of\n      ");
    for (const auto& size : kSizes) {
        std::fprintf(out, "%9s", size.name);
    }
    std::fputc('\n', out);
    for (const base::OpKind op : {base::OpKind::put, base::OpKind::get}) {
        std::fprintf(out, "  %-4s", base::name_of(op));
        for (const auto& size : kSizes) {
            const int64_t block_bytes = model.min_rma_block(op, size.bytes);
            if (block_bytes > size.bytes) {
                std::fprintf(out, "%9s", "none");
            } else {
                std::fprintf(out, "%9lld", static_cast<long long>(block_bytes));
            }
        }
        std::fputc('\n', out);
    }
}

}  // namespace armci::info
