// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/selection.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

namespace armci::trace {
namespace {

// Reads a whole number of at least 0.
bool parse_number(const std::string& text, int* number) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, *number);
    return error == std::errc() && stop == end && *number >= 0;
}

}  // namespace

bool Selection::has_rank(int rank) const {
    return ranks.empty() || std::any_of(ranks.begin(), ranks.end(), [rank](const auto& range) {
               return range.first <= rank && rank <= range.second;
           });
}

bool Selection::has(const Event& event) const {
    return has_rank(event.rank) && (event.kind == Event::Kind::name ||
                                    (event.end_ns() >= from_ns && event.begin_ns <= to_ns));
}

void Offered::add(const Event& event) {
    if (event.kind == Event::Kind::name) {
        return;
    }
    first_rank_ = first_rank_ < 0 ? event.rank : std::min(first_rank_, event.rank);
    last_rank_ = std::max(last_rank_, event.rank);
    begin_ns_ = std::min(begin_ns_, event.begin_ns);
    end_ns_ = std::max(end_ns_, event.end_ns());
}

std::string Offered::text() const {
    if (last_rank_ < 0) {
        return "the files have no events";
    }
    constexpr double kNsPerSecond = 1e9;
    char text[160];
    std::snprintf(text, sizeof text, "the files have ranks %d to %d, from %.6f s to %.6f s",
                  first_rank_, last_rank_, static_cast<double>(begin_ns_) / kNsPerSecond,
                  static_cast<double>(end_ns_) / kNsPerSecond);
    return text;
}

bool parse_seconds(const std::string& text, int64_t* ns) {
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    constexpr double kMax = 9e9;
    if (text.empty() || *end != '\0' || !(std::abs(seconds) <= kMax)) {
        return false;
    }
    *ns = std::llround(seconds * 1e9);
    return true;
}

bool parse_ranks(const std::string& text, std::vector<std::pair<int, int>>* ranks) {
    size_t begin = 0;
    while (begin <= text.size()) {
        const size_t end = std::min(text.find(',', begin), text.size());
        const std::string item = text.substr(begin, end - begin);
        const size_t dash = item.find('-');
        int first = 0;
        int last = 0;
        if (!parse_number(item.substr(0, dash), &first) ||
            !parse_number(dash == std::string::npos ? item : item.substr(dash + 1), &last) ||
            first > last) {
            return false;
        }
        ranks->emplace_back(first, last);
        begin = end + 1;
    }
    return true;
}

std::vector<std::string> files_of(const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::exists(name, error) && !fs::is_directory(name, error)) {
        return {name};
    }
    const fs::path path(name);
    const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const std::string begin = path.filename().string() + ".";
    const std::string end = ".json";
    std::map<int, std::string> files;
    for (const auto& entry : fs::directory_iterator(directory, error)) {
        const std::string file = entry.path().filename().string();
        int rank = 0;
        if (file.size() > begin.size() + end.size() && file.starts_with(begin) &&
            file.ends_with(end) &&
            parse_number(file.substr(begin.size(), file.size() - begin.size() - end.size()),
                         &rank)) {
            files[rank] = (path.has_parent_path() ? entry.path() : fs::path(file)).string();
        }
    }
    if (files.empty() && fs::is_directory(name, error)) {
        throw TraceError(name + " is a directory; name its files, or the value of ARMCI_TRACE: " +
                         (path / "t").string() + " for " + (path / "t.0.json").string());
    }
    if (files.empty()) {
        throw TraceError("there is no file " + name + ", and no " + name + ".RANK.json");
    }
    std::vector<std::string> sorted;
    for (const auto& [rank, file] : files) {
        sorted.push_back(file);
    }
    return sorted;
}

}  // namespace armci::trace
