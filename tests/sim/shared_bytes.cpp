// SPDX-License-Identifier: BSD-3-Clause
#include "shared_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "node/heap.h"
#include "simulation.h"

namespace armci::sim {
namespace {

size_t lead_of(const char* place) {
    return reinterpret_cast<uintptr_t>(place) % node::kPageBytes;
}

void check(bool is_done) {
    if (!is_done) {
        violation("no memory for what all nodes have alike");
    }
}

}  // namespace

SharedBytes::SharedBytes(const std::vector<std::vector<char>>& pieces, const char* place)
    : file_(memfd_create("shared bytes", MFD_CLOEXEC)), lead_(lead_of(place)) {
    check(file_.valid());
    std::vector<char> all(lead_);
    for (const std::vector<char>& piece : pieces) {
        all.insert(all.end(), piece.begin(), piece.end());
    }
    bytes_ = all.size() - lead_;
    const auto length = static_cast<ssize_t>(all.size());
    check(pwrite(file_.get(), all.data(), all.size(), 0) == length);
}

bool SharedBytes::put_at(char* place) const {
    if (lead_of(place) != lead_) {
        return false;
    }
    const size_t head = (node::kPageBytes - lead_) % node::kPageBytes;
    const size_t pages = (bytes_ - head) / node::kPageBytes * node::kPageBytes;
    const size_t tail = bytes_ - head - pages;
    void* mapped = mmap(place + head, pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                        file_.get(), static_cast<off_t>(lead_ + head));
    if (mapped == MAP_FAILED) {
        return false;
    }
    const auto put = [&](size_t at, size_t bytes) {
        check(pread(file_.get(), place + at, bytes, static_cast<off_t>(lead_ + at)) ==
              static_cast<ssize_t>(bytes));
    };
    put(0, head);
    put(head + pages, tail);
    return true;
}

}  // namespace armci::sim
