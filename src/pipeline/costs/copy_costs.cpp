// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/copy_costs.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "base/clock.h"
#include "strided/kernels.h"

namespace armci::pipeline {
namespace {

strided::Layout with_gaps(int64_t block_bytes, int64_t total_bytes) {
    strided::Layout layout;
    layout.levels = 1;
    layout.count[0] = block_bytes;
    layout.count[1] = total_bytes / block_bytes;
    layout.stride[0] = 2 * block_bytes;
    return layout;
}

// Accumulates row by row, as the data server does. The server's locks cost next to nothing in
// comparison.
void accumulate_rows(const strided::AccScale& scale, strided::StridedCursor& to, const char* data) {
    while (to.remaining() > 0) {
        const strided::Row row = to.next_row(to.remaining());
        strided::accumulate_row(
            scale, {row.data, row.stride, data, row.block_bytes, row.block_bytes, row.block_count});
        data += row.block_bytes * row.block_count;
    }
}

template <class Function>
void keep_best(double* block_us, int64_t block_count, Function&& copy) {
    const int64_t begin_ns = base::now_ns();
    copy();
    const double us = static_cast<double>(base::now_ns() - begin_ns) * 1e-3;
    const double each = us / static_cast<double>(block_count);
    *block_us = *block_us == 0 ? each : std::min(*block_us, each);
}

}  // namespace

bool measure_copies(int64_t data_bytes, int64_t budget_us, CostConstants* constants) {
    const int64_t end_ns = base::now_ns() + 1000 * budget_us;
    const int64_t bytes = std::max(data_bytes, kCopyBlockBytes.back());
    const std::unique_ptr<char[]> gapped(new (std::nothrow) char[2 * static_cast<size_t>(bytes)]);
    const std::unique_ptr<char[]> dense(new (std::nothrow) char[static_cast<size_t>(bytes)]);
    if (!gapped || !dense) {
        return false;
    }
    // This writes numbers, and makes the system provide the pages.
    std::memset(gapped.get(), 0, 2 * static_cast<size_t>(bytes));
    std::memset(dense.get(), 0, static_cast<size_t>(bytes));
    const double half = 0.5;
    const strided::AccScale scale = strided::make_scale(strided::AccType::float64, &half);
    constants->pack = constants->unpack = constants->accumulate = CopyCurve{};
    int64_t round_ns = 0;
    do {
        const int64_t begin_ns = base::now_ns();
        for (size_t i = 0; i < kCopyBlockBytes.size(); ++i) {
            const strided::Layout layout = with_gaps(kCopyBlockBytes[i], bytes);
            const int64_t moved = strided::total_bytes(layout);
            strided::StridedCursor from(gapped.get(), layout);
            keep_best(&constants->pack.block_us[i], layout.count[1],
                      [&] { strided::pack(from, dense.get(), moved); });
            strided::StridedCursor to(gapped.get(), layout);
            keep_best(&constants->unpack.block_us[i], layout.count[1],
                      [&] { strided::unpack(to, dense.get(), moved); });
            strided::StridedCursor sum(gapped.get(), layout);
            keep_best(&constants->accumulate.block_us[i], layout.count[1],
                      [&] { accumulate_rows(scale, sum, dense.get()); });
        }
        round_ns = base::now_ns() - begin_ns;
    } while (base::now_ns() + round_ns < end_ns);
    return true;
}

}  // namespace armci::pipeline
