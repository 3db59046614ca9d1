// SPDX-License-Identifier: BSD-3-Clause
// The memory of a distributed array, and transfers of its regions.
#pragma once

#include <armci/armcix.h>

#include <memory>
#include <vector>

#include "group.h"
#include "index.h"
#include "pieces.h"

namespace armci::python {

/** Non-blocking operations that are waited for together. */
class Handle {
  public:
    Handle();
    armci_hdl_t* get() { return &handle_; }
    void wait();
    bool test();

  private:
    /** The end of the library has completed everything. */
    [[nodiscard]] bool is_over() const;

    armci_hdl_t handle_{};
    int start_;
};

enum class Operation { put, get, accumulate };

/** The local side of a transfer: memory with the strides of what the region keeps. */
struct Local {
    char* data;
    const ssize_t* strides;
    int accumulate_type = -1;  // ARMCI_ACC_*
    void* scale = nullptr;
};

class Memory {
  public:
    /** Collective over the group. Nothing is allocated if there is not enough memory. */
    static std::unique_ptr<Memory> allocate(Grid grid, std::shared_ptr<Group> group);

    /** Ends the use of the memory; only free() may follow. */
    void release() { is_released_ = true; }
    [[nodiscard]] bool is_released() const { return is_released_; }

    void free();  // collective over the group

    [[nodiscard]] const Grid& grid() const { return grid_; }

    /** The caller's own block. */
    [[nodiscard]] void* own() const { return own_; }
    [[nodiscard]] int64_t own_bytes() const { return own_bytes_; }

    /** Elements that a rank of the group owns in each dimension; none for ranks beyond the grid. */
    [[nodiscard]] Numbers block_shape(int rank) const;

    /** Throws Error if the memory cannot be used by the caller now. */
    void check() const;

    /**
     * Returns when the operation is complete, or has been started if there is a handle. Does
     * nothing and returns false if the local memory overlaps the own block, and the region has
     * elements of that block.
     */
    bool transfer(Operation operation, const Region& region, const Local& local,
                  Handle* handle) const;

    /** ARMCI_Rmw on the element that the region is; *word is what swap stores and both return. */
    void update(int operation, const Region& region, void* word, int value) const;

    /** Completes what the caller has sent to a rank of the group. Returns false if there is no such
     * rank. */
    bool fence(int64_t rank) const;

    /** Above this the arguments of ARMCI cannot go. Tests set less. */
    int64_t largest_argument = INT32_MAX;

  private:
    Memory(Grid grid, std::shared_ptr<Group> group);

    [[nodiscard]] bool overlaps_own(const Region& region, const Local& local) const;

    Grid grid_;
    std::shared_ptr<Group> group_;
    std::vector<int> ranks_;     // in the world, by rank of the group
    std::vector<char*> blocks_;  // the same
    char* own_ = nullptr;
    int64_t own_bytes_;
    int start_;
    bool is_released_ = false;
};

}  // namespace armci::python
