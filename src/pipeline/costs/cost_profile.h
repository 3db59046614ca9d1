// SPDX-License-Identifier: BSD-3-Clause
// A profile is a text file with the cost model's constants. armci-tune writes it and ARMCI_PROFILE
// names it.
//
//   # anything
//   version = 1
//   provider = tcp;ofi_rxm       begins an entry, which has every constant once
//   machine = ...                both for people only
//   date = ...
//   rma.put.latency_us = 11.4
//   ...
//
// A file may have entries for several providers, so files of one version can be joined.
#pragma once

#include <string>
#include <vector>

#include "pipeline/costs/cost_model.h"

namespace armci::pipeline {

struct CostProfile {
    std::string provider;
    std::string machine;
    std::string date;
    CostConstants constants;
};

inline constexpr int kProfileVersion = 1;

// Reads all entries of a file's text. On failure it returns false and sets *error to what is wrong,
// and in which line.
bool parse_profiles(const std::string& text, std::vector<CostProfile>* profiles,
                    std::string* error);

// Returns the text of a file with one entry.
std::string format_profile(const CostProfile& profile);

}  // namespace armci::pipeline
