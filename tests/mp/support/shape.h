// SPDX-License-Identifier: BSD-3-Clause
// Random and chosen shapes of transfers, each with the list of blocks that defines its meaning.
//
// A shape holds offsets only: local ones from the start of a local buffer, remote ones from the
// start of a remote area. The blocks are computed by plain nested loops and are the oracle's input.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/job.h"

namespace armci::mp {

enum class Form { contiguous, strided, vector };

struct Piece {
    int64_t local;
    int64_t remote;
    int64_t bytes;
};

struct Shape {
    Form form = Form::contiguous;
    std::vector<Piece> blocks;

    // strided: count[0] in bytes, strides in bytes, as the C interface takes them
    int64_t local_start = 0;
    int64_t remote_start = 0;
    std::vector<int> count;
    std::vector<int> local_stride;
    std::vector<int> remote_stride;

    // vector: descriptor d covers blocks[first[d]] up to first[d + 1]
    std::vector<size_t> first;

    int64_t total_bytes() const;
    // The same shape further along in both memories.
    Shape shifted(int64_t local_bytes, int64_t remote_bytes) const;
    std::string describe() const;
};

// The room of a random shape, and its constraints.
struct Room {
    int64_t local_bytes;
    int64_t remote_bytes;
    int64_t total_bytes;          // upper limit of one transfer
    int64_t unit_bytes = 1;       // block lengths are multiples of it (the element)
    int64_t align_bytes = 1;      // offsets and strides are multiples of it
    bool local_overlap = false;   // blocks may overlap on the local side (source of put and acc)
    bool remote_overlap = false;  // on the remote side (source of get, destination of acc)
    int max_levels = 8;
};

Shape contiguous_shape(int64_t local, int64_t remote, int64_t bytes);
Shape strided_shape(int64_t local_start, const std::vector<int>& local_stride, int64_t remote_start,
                    const std::vector<int>& remote_stride, const std::vector<int>& count);
// All blocks in one descriptor; they must have the same length.
Shape vector_shape(const std::vector<Piece>& blocks);

Shape random_contiguous(Rng& rng, const Room& room);
Shape random_strided(Rng& rng, const Room& room);
Shape random_vector(Rng& rng, const Room& room);
Shape random_shape(Rng& rng, const Room& room);

}  // namespace armci::mp
