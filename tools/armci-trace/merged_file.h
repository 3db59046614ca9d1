// SPDX-License-Identifier: BSD-3-Clause
// A file with the events of several ranks, as viewers read it. Viewers order events by their time,
// so the events of one file follow those of another.
#pragma once

#include <cstdio>
#include <string>

namespace armci::trace {

class MergedFile {
  public:
    // Throws TraceError if the file cannot be written, as the others do.
    explicit MergedFile(const std::string& path);
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
    std::FILE* file_ = nullptr;
    bool is_first_ = true;
};

}  // namespace armci::trace
