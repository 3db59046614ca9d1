// SPDX-License-Identifier: BSD-3-Clause
// One line of the benchmark: an operation on a shape in a mode.
#pragma once

#include "armci-bench/options/options.h"
#include "armci-bench/workloads/shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armci::bench {

enum class Verb { put, get, acc, other };

// put, get or acc for the operations that ARMCI counts as one of these.
Verb verb_of(Op op);

// Which way user data moves, also by operations that are not ARMCI's.
Verb direction_of(Op op);

// Operations by libfabric alone, the baseline of the library's own.
bool is_raw(Op op);

// Non-blocking transfers against computation.
bool is_overlap(Op op);

// Of all ranks together.
bool is_collective(Op op);

// All ranks, also those that would be targets only, act on one target.
bool is_contended(Op op);

struct Row {
    Op op;
    Mode mode;
    Shape shape;  // of 0 bytes for a barrier and for a fence with nothing to wait for

    // What the operation works on, in words.
    std::string layout() const;
    // Bytes of user data that count as moved by one operation; 0: no bandwidth is reported.
    int64_t moved_bytes() const;
};

// The features of this program and the library it measures.
struct Abilities {
    bool raw = false;           // libfabric is there for the raw operations
    bool serial_modes = false;  // the library has a switch for its pipeline
    bool one_host = false;      // all ranks can map the same memory
};

struct Plan {
    std::vector<Row> rows;
    std::vector<std::string> notes;  // requested rows that were left out, with the reason
};

Plan make_plan(const Options& options, int rank_count, const Abilities& abilities);

}  // namespace armci::bench
