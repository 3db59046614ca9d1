// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/runs.h"

namespace armci::trace {
namespace {

// Returns the files, the last after "and". Of many, those between the first and the last are left
// out.
std::string text_of(const std::vector<std::string>& files) {
    constexpr size_t kMaxNamed = 8;
    if (files.size() > kMaxNamed) {
        return std::to_string(files.size()) + " files from " + files.front() + " to " +
               files.back();
    }
    std::string text = files.front();
    for (size_t i = 1; i < files.size(); ++i) {
        text += (i + 1 < files.size() ? ", " : " and ") + files[i];
    }
    return text;
}

}  // namespace

void Runs::add(const Event& event, const std::string& file) {
    if (!event.names_process()) {
        return;
    }
    const std::string& first = files_.try_emplace(event.rank, file).first->second;
    if (first != file && repeated_.empty()) {
        repeated_ = "rank " + std::to_string(event.rank) + " is in " + first + " and in " + file +
                    ", so its events would count twice; name one of them";
    }
    Run& run = runs_[event.run];
    run.ranks = event.job_ranks;
    if (run.files.empty() || run.files.back() != file) {
        run.files.push_back(file);  // one that has all ranks has many names
    }
}

void Runs::expect_one() const {
    if (runs_.size() < 2) {
        if (!repeated_.empty()) {
            throw TraceError(repeated_);
        }
        return;
    }
    std::string text = "the files are of different runs, so their times do not belong together:\n";
    for (const auto& [id, run] : runs_) {
        text += "  a run of " + (run.ranks > 0 ? std::to_string(run.ranks) : "unknown") +
                (run.ranks == 1 ? " rank: " : " ranks: ") + text_of(run.files) + "\n";
    }
    throw TraceError(text +
                     "Remove the files that you do not want, name only those of one run, or choose "
                     "its ranks with --ranks");
}

std::vector<int> Runs::missing_ranks(const Selection& selection) const {
    std::vector<int> missing;
    const int64_t job_ranks = runs_.empty() ? 0 : runs_.begin()->second.ranks;
    for (int rank = 0; rank < job_ranks; ++rank) {
        if (selection.has_rank(rank) && !files_.contains(rank)) {
            missing.push_back(rank);
        }
    }
    return missing;
}

}  // namespace armci::trace
