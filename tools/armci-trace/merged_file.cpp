// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/merged_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "armci-trace/event.h"

namespace armci::trace {

MergedFile::MergedFile(const std::string& path) : path_(path) {
    file_ = std::fopen(path.c_str(), "we");
    if (file_ == nullptr) {
        fail();
    }
}

MergedFile::~MergedFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
    }
}

void MergedFile::fail() const {
    throw TraceError(path_ + " cannot be written: " + std::strerror(errno));
}

void MergedFile::add(const std::string& source) {
    if (std::fputs(is_first_ ? "[\n" : ",\n", file_) < 0 || std::fputs(source.c_str(), file_) < 0) {
        fail();
    }
    is_first_ = false;
}

void MergedFile::close() {
    const bool is_written = std::fputs(is_first_ ? "[\n]\n" : "\n]\n", file_) >= 0;
    if (std::fclose(std::exchange(file_, nullptr)) != 0 || !is_written) {
        fail();
    }
}

}  // namespace armci::trace
