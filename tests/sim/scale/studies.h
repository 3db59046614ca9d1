// SPDX-License-Identifier: BSD-3-Clause
// What operations of a whole job cost on so many nodes, in virtual time: a job of one rank for each
// node starts the library, does one thing after the other, and stops the library.
#pragma once

#include <string>
#include <vector>

#include "machine.h"
#include "plan.h"

namespace armci::sim {

struct Result {
    int nodes = 0;
    std::string study;  // README.md says what each is
    double value = 0;
    std::string unit;
};

struct StudyOptions {
    int nodes = 16;
    int peers = 64;            // that each rank exchanges patches with, at most
    int most_with_all = 1024;  // up to so many nodes, all exchange patches with all
};

// A job on nodes with an adapter with remote direct memory access, which promises what most of its
// kind promise.
Plan make_study_plan(const Machine& machine, int nodes);

std::vector<Result> run_studies(const Machine& machine, const StudyOptions& options);

}  // namespace armci::sim
