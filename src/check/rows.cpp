#include "check/rows.h"

#include <algorithm>

namespace armci::check {
namespace {

// Whether a run [begin, end) meets a run of the row, and if so which bytes.
Bytes common_with_run(uint64_t begin, uint64_t end, const Row& row) {
    if (begin >= row.end() || end <= row.begin) {
        return {};
    }
    if (row.run_count == 1) {
        return {std::max(begin, row.begin), std::min(end, row.end())};
    }
    // The last run that begins before `end`: of those that do, it reaches farthest.
    const auto last = std::min<int64_t>(row.run_count - 1,
                                        static_cast<int64_t>(end - 1 - row.begin) / row.stride);
    const uint64_t run = row.begin + static_cast<uint64_t>(last * row.stride);
    const uint64_t run_end = run + static_cast<uint64_t>(row.run_bytes);
    return run_end > begin ? Bytes{std::max(begin, run), std::min(end, run_end)} : Bytes{};
}

template <class Visit>
void for_each_row(const pipeline::Transfer& transfer, bool local, Visit&& visit) {
    if (transfer.is_vector) {
        const pipeline::VectorSegments& segments = transfer.segments;
        const uint64_t* addresses = local ? segments.local : segments.remote;
        for (int64_t i = 0; i < segments.count; ++i) {
            visit(make_row(addresses[i], segments.segment_bytes, 0, 1));
        }
        return;
    }
    strided::for_each_row(
        transfer.pair, transfer.local, reinterpret_cast<char*>(transfer.remote),
        [&](const strided::PairRow& row) {
            visit(make_row(reinterpret_cast<uint64_t>(local ? row.local : row.remote),
                           transfer.pair.count[0], local ? row.local_stride : row.remote_stride,
                           row.run_count));
        });
}

std::vector<Row> rows_of(const pipeline::Transfer& transfer, bool local) {
    std::vector<Row> rows;
    for_each_row(transfer, local, [&](const Row& row) { rows.push_back(row); });
    return rows;
}

Bytes hull_with(const Bytes& hull, const Row& row) {
    return hull.is_empty() ? Bytes{row.begin, row.end()}
                           : Bytes{std::min(hull.begin, row.begin), std::max(hull.end, row.end())};
}

}  // namespace

Row make_row(uint64_t begin, int64_t run_bytes, int64_t stride, int64_t run_count) {
    if (run_count == 1 || stride == 0) {
        return {begin, run_bytes, 0, 1};
    }
    if (stride < 0) {
        begin += static_cast<uint64_t>((run_count - 1) * stride);
        stride = -stride;
    }
    if (stride == run_bytes) {
        return {begin, run_bytes * run_count, 0, 1};
    }
    return {begin, run_bytes, stride, run_count};
}

Bytes common_bytes(const Row& a, const Row& b) {
    if (a.begin >= b.end() || b.begin >= a.end()) {
        return {};
    }
    const Row& few = a.run_count <= b.run_count ? a : b;
    const Row& many = a.run_count <= b.run_count ? b : a;
    uint64_t run = few.begin;
    for (int64_t i = 0; i < few.run_count; ++i, run += static_cast<uint64_t>(few.stride)) {
        const Bytes common = common_with_run(run, run + static_cast<uint64_t>(few.run_bytes), many);
        if (!common.is_empty()) {
            return common;
        }
    }
    return {};
}

Bytes common_bytes(const std::vector<Row>& a, const std::vector<Row>& b, int64_t* work) {
    for (const Row& one : a) {
        for (const Row& other : b) {
            *work -= std::min(one.run_count, other.run_count);
            if (*work < 0) {
                return {};
            }
            const Bytes common = common_bytes(one, other);
            if (!common.is_empty()) {
                return common;
            }
        }
    }
    return {};
}

int64_t row_count(const pipeline::Transfer& transfer) {
    if (transfer.is_vector) {
        return transfer.segments.count;
    }
    int64_t rows = 1;
    for (int level = 2; level <= transfer.pair.levels; ++level) {
        rows *= transfer.pair.count[level];
    }
    return rows;
}

std::vector<Row> local_rows(const pipeline::Transfer& transfer) {
    return rows_of(transfer, true);
}

std::vector<Row> remote_rows(const pipeline::Transfer& transfer) {
    return rows_of(transfer, false);
}

Bytes hull_of(const std::vector<Row>& rows) {
    Bytes hull;
    for (const Row& row : rows) {
        hull = hull_with(hull, row);
    }
    return hull;
}

Bytes local_hull(const pipeline::Transfer& transfer) {
    Bytes hull;
    for_each_row(transfer, true, [&](const Row& row) { hull = hull_with(hull, row); });
    return hull;
}

}  // namespace armci::check
