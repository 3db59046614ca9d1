// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/merged_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "armci-trace/event.h"

namespace armci::trace {

// A device, a pipe or a link must stay, so these are written to directly.
std::string part_of(const std::string& path) {
    struct stat about {};
    const bool may_replace = ::lstat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode);
    return may_replace ? path + ".part" : path;
}

MergedFile::MergedFile(const std::string& path) : path_(path), part_path_(part_of(path)) {
    file_ = std::fopen(part_path_.c_str(), "we");
    if (file_ == nullptr) {
        fail();
    }
}

MergedFile::~MergedFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
    }
    if (!is_complete_ && part_path_ != path_) {
        ::unlink(part_path_.c_str());
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
    if (std::fclose(std::exchange(file_, nullptr)) != 0 || !is_written ||
        (part_path_ != path_ && std::rename(part_path_.c_str(), path_.c_str()) != 0)) {
        fail();
    }
    is_complete_ = true;
}

}  // namespace armci::trace
