// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks, and mutexes, which belong to groups.
#pragma once

#include <armci/armcix.h>

#include <string>
#include <vector>

namespace armci::python {

class Group {
  public:
    /** All ranks. */
    Group();

    /** The ranks of the world with these numbers, in this order. Collective over them. */
    explicit Group(std::vector<int> ranks);

    /** Collective, as the constructor was. */
    void free();

    [[nodiscard]] const std::vector<int>& ranks() const { return ranks_; }

    /** The caller's rank in the group, -1 if it is not a member. */
    [[nodiscard]] int rank() const { return rank_; }

    /** Throws Error if the group cannot be used any more, or not by the caller. */
    void check_member() const;

    /** The group for calls of the library, which take it without const. */
    [[nodiscard]] ARMCI_Group* get() { return &group_; }

    /** Completes what the caller has sent to the members. */
    void fence();

    /** That, and waits for all members. Collective. */
    void sync();

    /** The result of a reduction over the members, number by number. Collective. */
    std::vector<int> reduce(std::vector<int> numbers, std::string operation);

  private:
    ARMCI_Group group_{};
    std::vector<int> ranks_;
    int rank_ = -1;
    int start_;
    bool is_world_;
    bool is_freed_ = false;
};

/** Mutexes of the members of a group. */
class Mutexes {
  public:
    /** Collective; the caller owns count of them. */
    Mutexes(int count, Group& group);

    void free();  // collective
    void lock(int mutex, int world_rank);
    bool try_lock(int mutex, int world_rank);
    void unlock(int mutex, int world_rank);

  private:
    void check() const;

    armcix_mutex_hdl_t handle_;
    int start_;
};

}  // namespace armci::python
