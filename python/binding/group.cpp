// SPDX-License-Identifier: BSD-3-Clause
#include "group.h"

#include <numeric>
#include <utility>

#include "job.h"

namespace armci::python {

Group::Group() : start_(start_count()), is_world_(true) {
    check_call();
    ARMCI_Group_get_world(&group_);
    ranks_.resize(static_cast<size_t>(armci_msg_nproc()));
    std::iota(ranks_.begin(), ranks_.end(), 0);
    rank_ = armci_msg_me();
}

Group::Group(std::vector<int> ranks)
    : ranks_(std::move(ranks)), start_(start_count()), is_world_(false) {
    check_call();
    ARMCI_Group_create(static_cast<int>(ranks_.size()), ranks_.data(), &group_);
    ARMCI_Group_rank(&group_, &rank_);
}

void Group::free() {
    if (is_freed_ || is_world_ || rank_ < 0) {
        return;
    }
    check_call(start_);
    ARMCI_Group_free(&group_);
    is_freed_ = true;
}

void Group::check_member() const {
    check_call(start_);
    if (is_freed_) {
        throw Error("the group has been freed");
    }
    if (rank_ < 0) {
        throw Error("this rank is not a member of the group");
    }
}

void Group::fence() {
    check_member();
    ARMCI_GroupFence(&group_);
}

void Group::sync() {
    check_member();
    if (is_world_) {
        ARMCI_Barrier();
    } else {
        ARMCI_GroupFence(&group_);
        armci_msg_group_barrier(&group_);
    }
}

std::vector<int> Group::reduce(std::vector<int> numbers, std::string operation) {
    check_member();
    armci_msg_group_igop(numbers.data(), static_cast<int>(numbers.size()), operation.data(),
                         &group_);
    return numbers;
}

Mutexes::Mutexes(int count, Group& group) : start_(start_count()) {
    group.check_member();
    handle_ = ARMCIX_Create_mutexes_hdl(count, group.get());
}

void Mutexes::check() const {
    check_call(start_);
    if (handle_ == nullptr) {
        throw Error("the mutexes have been freed");
    }
}

void Mutexes::free() {
    check();
    ARMCIX_Destroy_mutexes_hdl(handle_);
    handle_ = nullptr;
}

void Mutexes::lock(int mutex, int world_rank) {
    check();
    ARMCIX_Lock_hdl(handle_, mutex, world_rank);
}

bool Mutexes::try_lock(int mutex, int world_rank) {
    check();
    return ARMCIX_Trylock_hdl(handle_, mutex, world_rank) == 0;
}

void Mutexes::unlock(int mutex, int world_rank) {
    check();
    ARMCIX_Unlock_hdl(handle_, mutex, world_rank);
}

}  // namespace armci::python
