// SPDX-License-Identifier: BSD-3-Clause
#include "grid.h"

namespace armci::halo {

Grid::Grid(int rank, int rank_count) {
    for (int divisor = 1; divisor * divisor <= rank_count; ++divisor) {
        if (rank_count % divisor == 0) {
            rows = divisor;
        }
    }
    columns = rank_count / rows;
    const int column = rank % columns;
    const int row = rank / columns;
    const auto at = [&](int wanted_column, int wanted_row) {
        return (wanted_row + rows) % rows * columns + (wanted_column + columns) % columns;
    };
    neighbours[west] = at(column - 1, row);
    neighbours[east] = at(column + 1, row);
    neighbours[north] = at(column, row - 1);
    neighbours[south] = at(column, row + 1);
}

}  // namespace armci::halo
