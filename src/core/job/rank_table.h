// SPDX-License-Identifier: BSD-3-Clause
// A number for each rank, which all processes of a node have alike. It is in this process's own
// memory until the node's memory has a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace armci::core {

class RankTable {
  public:
    RankTable() = default;
    explicit RankTable(std::vector<int32_t> by_rank)
        : own_(std::move(by_rank)), size_(own_.size()) {}

    bool empty() const { return size_ == 0; }
    int32_t operator[](int rank) const { return data()[static_cast<size_t>(rank)]; }
    std::span<const int32_t> by_rank() const { return {data(), size_}; }
    // Gives up the own memory for a copy that others share, and that outlives this table.
    void use_copy(const int32_t* shared) {
        shared_ = shared;
        own_ = std::vector<int32_t>();
    }
    size_t own_bytes() const { return own_.capacity() * sizeof(int32_t); }

  private:
    const int32_t* data() const { return shared_ != nullptr ? shared_ : own_.data(); }

    std::vector<int32_t> own_;
    const int32_t* shared_ = nullptr;
    size_t size_ = 0;
};

}  // namespace armci::core
