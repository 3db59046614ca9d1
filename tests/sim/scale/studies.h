// SPDX-License-Identifier: BSD-3-Clause
// What operations of a whole job cost on so many nodes, in virtual time: a job of one rank for each
// node starts the library, does one thing after the other, and stops the library.
#pragma once

#include <string>
#include <vector>

#include "machine.h"

namespace armci::sim {

struct Result {
    int nodes = 0;
    std::string study;  // README.md says what each is
    double value = 0;
    std::string unit;
};

struct StudyOptions {
    int nodes = 16;
    int peers = 64;           // that each rank exchanges patches with, at most
    int most_with_all = 512;  // up to so many nodes, all exchange patches with all
};

std::vector<Result> run_studies(const Machine& machine, const StudyOptions& options);

}  // namespace armci::sim
