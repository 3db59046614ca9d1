// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/measuring/comparison.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace armci::bench {

namespace {

// The operation that does the same without the library.
std::optional<Op> yardstick_of(Op op) {
    switch (op) {
        case Op::put:
            return Op::raw_put;
        case Op::get:
            return Op::raw_get;
        case Op::fetch_add:
        case Op::swap:
            return Op::raw_rmw;
        case Op::put_strided:
            return Op::mpi_pack_put;
        case Op::get_strided:
            return Op::mpi_pack_get;
        default:
            return std::nullopt;
    }
}

// The mode as far as it matters here.
Mode kind_of(const Row& row) {
    const Mode mode = plain_mode(row.mode);
    return direction_of(row.op) == Verb::get && mode == Mode::stream ? Mode::latency : mode;
}

bool is_measured_by(const Row& row, const Row& base) {
    if (is_serial(row.mode) || kind_of(row) != kind_of(base) || row.shape != base.shape) {
        return false;
    }
    return is_serial(base.mode) ? base.op == row.op : base.op == yardstick_of(row.op);
}

}  // namespace

std::vector<Comparison> find_comparisons(const std::vector<Row>& rows) {
    std::vector<Comparison> comparisons;
    for (size_t row = 0; row < rows.size(); row++) {
        for (size_t base = 0; base < rows.size(); base++) {
            if (is_measured_by(rows[row], rows[base])) {
                comparisons.push_back({row, base});
            }
        }
    }
    return comparisons;
}

std::vector<Comparison> comparisons_of(const std::vector<Result>& results) {
    std::vector<Row> rows;
    rows.reserve(results.size());
    for (const Result& result : results) {
        rows.push_back(result.row);
    }
    std::vector<Comparison> comparisons = find_comparisons(rows);
    std::erase_if(comparisons, [&](const Comparison& comparison) {
        return results[comparison.row].status != Status::ok ||
               results[comparison.base].status != Status::ok;
    });
    return comparisons;
}

std::string base_name(const Row& row, const Row& base) {
    return row.op == base.op ? "one chunk at a time" : op_name(base.op);
}

double rate_ratio(const Result& row, const Result& base) {
    return base.microseconds.median / row.microseconds.median;
}

std::vector<std::vector<size_t>> group_rows(const std::vector<Row>& rows, bool together) {
    // The first row of each row's group; groups are merged as comparisons join them.
    std::vector<size_t> first(rows.size());
    std::iota(first.begin(), first.end(), size_t{0});
    if (together) {
        for (const Comparison& comparison : find_comparisons(rows)) {
            const auto [kept, merged] = std::minmax(first[comparison.row], first[comparison.base]);
            std::replace(first.begin(), first.end(), size_t{merged}, size_t{kept});
        }
    }
    std::vector<std::vector<size_t>> groups;
    for (size_t leader = 0; leader < rows.size(); leader++) {
        std::vector<size_t> group;
        for (size_t row = leader; row < rows.size(); row++) {
            if (first[row] == leader) {
                group.push_back(row);
            }
        }
        if (!group.empty()) {
            groups.push_back(std::move(group));
        }
    }
    return groups;
}

}  // namespace armci::bench
