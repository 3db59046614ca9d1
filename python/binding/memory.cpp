// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

#include <algorithm>
#include <array>
#include <utility>

#include "job.h"

namespace armci::python {
namespace {

/** The arguments of a strided call of the C interface. */
struct Arguments {
    explicit Arguments(const Piece& piece) {
        count[0] = static_cast<int>(piece.bytes);
        for (size_t i = 0; i < piece.levels.size(); ++i) {
            count[i + 1] = static_cast<int>(piece.levels[i].count);
            local_strides[i] = static_cast<int>(piece.levels[i].local_stride);
            remote_strides[i] = static_cast<int>(piece.levels[i].remote_stride);
        }
        levels = static_cast<int>(piece.levels.size());
    }

    std::array<int, kMaxDimensions + 2> count;
    std::array<int, kMaxDimensions + 1> local_strides;
    std::array<int, kMaxDimensions + 1> remote_strides;
    int levels;
};

void issue(Operation operation, const Local& local, char* near, char* far, Arguments& a, int proc,
           armci_hdl_t* handle) {
    int* const near_strides = a.local_strides.data();
    int* const far_strides = a.remote_strides.data();
    int* const count = a.count.data();
    const bool waits = handle == nullptr;
    switch (operation) {
        case Operation::put:
            waits
                ? ARMCI_PutS(near, near_strides, far, far_strides, count, a.levels, proc)
                : ARMCI_NbPutS(near, near_strides, far, far_strides, count, a.levels, proc, handle);
            break;
        case Operation::get:
            waits
                ? ARMCI_GetS(far, far_strides, near, near_strides, count, a.levels, proc)
                : ARMCI_NbGetS(far, far_strides, near, near_strides, count, a.levels, proc, handle);
            break;
        case Operation::accumulate:
            waits ? ARMCI_AccS(local.accumulate_type, local.scale, near, near_strides, far,
                               far_strides, count, a.levels, proc)
                  : ARMCI_NbAccS(local.accumulate_type, local.scale, near, near_strides, far,
                                 far_strides, count, a.levels, proc, handle);
            break;
    }
}

int64_t product(const Numbers& numbers) {
    int64_t result = 1;
    for (const int64_t number : numbers) {
        result *= number;
    }
    return result;
}

}  // namespace

Handle::Handle() : start_(start_count()) {
    ARMCI_INIT_HANDLE(&handle_);
}

bool Handle::is_over() const {
    return !is_up() || start_ != start_count();
}

void Handle::wait() {
    if (!is_over()) {
        check_call();
        ARMCI_Wait(&handle_);
    }
}

bool Handle::test() {
    if (is_over()) {
        return true;
    }
    check_call();
    return ARMCI_Test(&handle_) == 0;
}

Memory::Memory(Grid grid, std::shared_ptr<Group> group)
    : grid_(std::move(grid)),
      group_(std::move(group)),
      ranks_(group_->ranks()),
      own_bytes_(product(block_shape(group_->rank())) * grid_.item_bytes()),
      start_(start_count()) {}

std::unique_ptr<Memory> Memory::allocate(Grid grid, std::shared_ptr<Group> group) {
    group->check_member();
    std::unique_ptr<Memory> memory(new Memory(std::move(grid), group));
    std::vector<void*> blocks(memory->ranks_.size());
    if (ARMCI_Malloc_group(blocks.data(), memory->own_bytes_, group->get()) != 0) {
        return nullptr;
    }
    for (void* block : blocks) {
        memory->blocks_.push_back(static_cast<char*>(block));
    }
    memory->own_ = memory->blocks_[static_cast<size_t>(group->rank())];
    return memory;
}

void Memory::free() {
    check_call(start_);
    release();
    ARMCI_Free_group(own_, group_->get());
}

Numbers Memory::block_shape(int rank) const {
    Numbers shape(grid_.shape().size());
    if (rank >= product(grid_.blocks())) {
        return shape;
    }
    int64_t block = rank;
    for (size_t d = shape.size(); d-- > 0; block /= grid_.blocks()[d]) {
        const int64_t place = block % grid_.blocks()[d];
        shape[d] = grid_.first_of(d, place + 1) - grid_.first_of(d, place);
    }
    return shape;
}

void Memory::check() const {
    check_call(start_);
    if (is_released_) {
        throw Error("the array has been freed");
    }
}

bool Memory::overlaps_own(const Region& region, const Local& local) const {
    const char* begin = local.data;
    const char* end = local.data + grid_.item_bytes();
    for (size_t i = 0; i < region.kept.size(); ++i) {
        const int64_t span = (region.steps[region.kept[i]].count - 1) * local.strides[i];
        (span < 0 ? begin : end) += span;
    }
    return begin < own_ + own_bytes_ && own_ < end;
}

bool Memory::transfer(Operation operation, const Region& region, const Local& local,
                      Handle* handle) const {
    check();
    Few<int64_t> strides(region.steps.size());
    for (size_t i = 0; i < region.kept.size(); ++i) {
        strides[region.kept[i]] = local.strides[i];
    }
    const std::vector<Piece> pieces = grid_.pieces(region.steps, strides, largest_argument);
    const auto is_own = [&](const Piece& piece) { return piece.rank == group_->rank(); };
    if (std::any_of(pieces.begin(), pieces.end(), is_own) && overlaps_own(region, local)) {
        return false;
    }
    // Those of several owners move at the same time.
    armci_hdl_t own_handle;
    ARMCI_INIT_HANDLE(&own_handle);
    armci_hdl_t* const used = handle != nullptr     ? handle->get()
                              : (pieces.size() > 1) ? &own_handle
                                                    : nullptr;
    for (const Piece& piece : pieces) {
        Arguments arguments(piece);
        const auto owner = static_cast<size_t>(piece.rank);
        issue(operation, local, local.data + piece.local_offset,
              blocks_[owner] + piece.remote_offset, arguments, ranks_[owner], used);
    }
    if (used == &own_handle) {
        ARMCI_Wait(&own_handle);
    }
    return true;
}

void Memory::update(int operation, const Region& region, void* word, int value) const {
    check();
    const Few<int64_t> none(region.steps.size());
    const std::vector<Piece> pieces = grid_.pieces(region.steps, none, INT32_MAX);
    const Piece& element = pieces.front();
    const auto owner = static_cast<size_t>(element.rank);
    ARMCI_Rmw(operation, word, blocks_[owner] + element.remote_offset, value, ranks_[owner]);
}

bool Memory::fence(int64_t rank) const {
    check();
    const bool is_rank = rank >= 0 && rank < static_cast<int64_t>(ranks_.size());
    if (is_rank) {
        ARMCI_Fence(ranks_[static_cast<size_t>(rank)]);
    }
    return is_rank;
}

}  // namespace armci::python
