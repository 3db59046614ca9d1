// SPDX-License-Identifier: BSD-3-Clause
// Ranks as a periodic grid of two dimensions, as square as their number allows.
#pragma once

#include <array>

namespace armci::halo {

// The sides of a rank's part. A side's neighbour has the opposite side there.
enum Side { west, east, north, south };
inline constexpr int kSides = 4;

inline Side opposite(int side) {
    return static_cast<Side>(side ^ 1);
}

struct Grid {
    Grid(int rank, int rank_count);

    int columns = 1;
    int rows = 1;
    std::array<int, kSides> neighbours{};  // by side; a rank may be its own neighbour
};

}  // namespace armci::halo
