// SPDX-License-Identifier: BSD-3-Clause
// Process groups.
#include "core/messages/groups.h"

#include <algorithm>

#include "api/arguments.h"
#include "base/log.h"

namespace armci::api {
namespace {

// `parent_ranks` are ranks of `parent`. Ranks that are not in the list get a struct without a
// group.
void create(Runtime& runtime, const char* function, int count, const int* parent_ranks,
            const core::Group& parent, ARMCI_Group* out) {
    check_not_negative(function, "n", count);
    check_not_null(function, "group_out", out);
    clear_group(out);
    if (count == 0) {
        return;
    }
    check_not_null(function, "pid_list", parent_ranks);
    std::vector<int> world_ranks(count);
    for (int i = 0; i < count; ++i) {
        world_ranks[i] = parent.world_rank(parent_ranks[i]);
        if (world_ranks[i] < 0) {
            base::fatal(function, "argument pid_list[%d] = %d: the parent group has ranks 0 to %d",
                        i, parent_ranks[i], parent.size() - 1);
        }
    }
    std::vector<int> sorted = world_ranks;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        base::fatal(function, "argument pid_list names a rank twice");
    }
    if (std::binary_search(sorted.begin(), sorted.end(), runtime.world.rank)) {
        fill_group(*runtime.group_maker.make(std::move(world_ranks)), out);
    }
}

// Returns the members that pass the same colour, by their keys, then by their ranks in the parent,
// as ranks of world.
std::vector<int> members_of_color(Runtime& runtime, const core::Group& parent, int color, int key) {
    struct Choice {
        int color;
        int key;
    };
    const Choice mine{color, key};
    std::vector<Choice> all(static_cast<size_t>(parent.size()));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, 2, MPI_INT, all.data(), 2, MPI_INT, runtime.messages.own_comm(parent),
                   &request);
    runtime.messages.complete(&request, "the other members of a group to split");
    std::vector<int> members;
    for (int rank = 0; rank < parent.size(); ++rank) {
        if (all[static_cast<size_t>(rank)].color == color) {
            members.push_back(rank);
        }
    }
    std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
        return all[static_cast<size_t>(a)].key < all[static_cast<size_t>(b)].key;
    });
    std::transform(members.begin(), members.end(), members.begin(),
                   [&](int rank) { return parent.world_rank(rank); });
    return members;
}

const core::Group& default_group(const Runtime& runtime) {
    return *runtime.groups.find(runtime.groups.default_id());
}

}  // namespace
}  // namespace armci::api

using armci::core::Entry;
namespace api = armci::api;

extern "C" void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out) {
    Entry entry("ARMCI_Group_create");
    api::create(*entry, "ARMCI_Group_create", n, pid_list, api::default_group(*entry), group_out);
}

extern "C" void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out,
                                         ARMCI_Group* group_parent) {
    constexpr const char* kFunction = "ARMCI_Group_create_child";
    Entry entry(kFunction);
    const armci::core::GroupRef parent =
        api::check_group({*entry, kFunction}, "group_parent", group_parent);
    api::create(*entry, kFunction, n, pid_list, *parent, group_out);
}

// A program may free a group twice, through a copy, or where this rank is no member. Some do.
extern "C" void ARMCI_Group_free(ARMCI_Group* group) {
    Entry entry("ARMCI_Group_free");
    api::check_not_null("ARMCI_Group_free", "group", group);
    const int id = api::group_id(*group);
    if (id == armci::core::Group::kWorldId) {
        armci::base::fatal("ARMCI_Group_free",
                           "argument group is the world group, which lives until "
                           "ARMCI_Finalize");
    }
    entry->groups.forget(id);
    api::mark_freed(group);
}

extern "C" int ARMCI_Group_rank(ARMCI_Group* group, int* rank) {
    Entry entry("ARMCI_Group_rank");
    api::check_not_null("ARMCI_Group_rank", "group", group);
    api::check_not_null("ARMCI_Group_rank", "rank", rank);
    const armci::core::GroupRef& found = entry->groups.find(api::group_id(*group));
    *rank = found != nullptr ? found->rank() : -1;
    return found != nullptr ? 0 : 1;
}

extern "C" void ARMCI_Group_size(ARMCI_Group* group, int* size) {
    Entry entry("ARMCI_Group_size");
    api::check_not_null("ARMCI_Group_size", "group", group);
    api::check_not_null("ARMCI_Group_size", "size", size);
    const armci::core::GroupRef& found = entry->groups.find(api::group_id(*group));
    *size = found != nullptr ? found->size() : 0;
}

extern "C" void ARMCI_Group_set_default(ARMCI_Group* group) {
    Entry entry("ARMCI_Group_set_default");
    entry->groups.set_default(
        api::check_group({*entry, "ARMCI_Group_set_default"}, "group", group)->id());
}

extern "C" void ARMCI_Group_get_default(ARMCI_Group* group_out) {
    Entry entry("ARMCI_Group_get_default");
    api::check_not_null("ARMCI_Group_get_default", "group_out", group_out);
    api::fill_group(*entry->groups.find(entry->groups.default_id()), group_out);
}

extern "C" void ARMCI_Group_get_world(ARMCI_Group* group_out) {
    Entry entry("ARMCI_Group_get_world");
    api::check_not_null("ARMCI_Group_get_world", "group_out", group_out);
    api::fill_group(*entry->groups.world(), group_out);
}

extern "C" int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank) {
    Entry entry("ARMCI_Absolute_id");
    api::check_not_null("ARMCI_Absolute_id", "group", group);
    const armci::core::GroupRef& found = entry->groups.find(api::group_id(*group));
    return found != nullptr ? found->world_rank(group_rank) : -1;
}

extern "C" MPI_Comm armci_group_comm(ARMCI_Group* group) {
    api::check_not_null("armci_group_comm", "group", group);
    return group->comm;
}

extern "C" int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group) {
    constexpr const char* kFunction = "ARMCIX_Group_split";
    Entry entry(kFunction);
    const armci::core::GroupRef from = api::check_group({*entry, kFunction}, "parent", parent);
    api::check_not_null(kFunction, "new_group", new_group);
    api::clear_group(new_group);
    const std::vector<int> members = api::members_of_color(*entry, *from, color, key);
    if (color != MPI_UNDEFINED) {
        api::fill_group(*entry->group_maker.make(members, from.get()), new_group);
    }
    return 0;
}

extern "C" int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group) {
    constexpr const char* kFunction = "ARMCIX_Group_dup";
    Entry entry(kFunction);
    const armci::core::GroupRef from = api::check_group({*entry, kFunction}, "parent", parent);
    api::check_not_null(kFunction, "new_group", new_group);
    const int* ranks = from->world_rank_table();
    api::fill_group(*entry->group_maker.make({ranks, ranks + from->size()}, from.get()), new_group);
    return 0;
}

extern "C" void ARMCIX_Get_world_comm(MPI_Comm* comm) {
    Entry entry("ARMCIX_Get_world_comm");
    api::check_not_null("ARMCIX_Get_world_comm", "comm", comm);
    *comm = entry->world.user_comm;
}
