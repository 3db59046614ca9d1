// SPDX-License-Identifier: BSD-3-Clause
// A file with the events of several ranks, as viewers read it. Viewers order events by their time,
// so the events of one file follow those of another. It has its name, or replaces a file of that
// name, when it is complete; until then it is PATH.part.
#pragma once

#include <cstdio>
#include <string>

namespace armci::trace {

// Returns the name of the file until it is complete.
std::string part_of(const std::string& path);

class MergedFile {
  public:
    // Throws TraceError if the file cannot be written, as the others do.
    explicit MergedFile(const std::string& path);
    // Removes what is not complete.
    ~MergedFile();
    MergedFile(const MergedFile&) = delete;
    MergedFile& operator=(const MergedFile&) = delete;

    // Adds an event as it is in its file.
    void add(const std::string& source);
    // Completes the file.
    void close();

  private:
    [[noreturn]] void fail() const;

    std::string path_;
    std::string part_path_;  // as path_ if it is written there directly
    std::FILE* file_ = nullptr;
    bool is_first_ = true;
    bool is_complete_ = false;
};

}  // namespace armci::trace
