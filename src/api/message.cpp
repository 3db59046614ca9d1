// SPDX-License-Identifier: BSD-3-Clause
// The message layer (message.h).
#include "core/messages/messages.h"

#include <cstring>

#include "api/arguments.h"
#include "api/scope.h"
#include "base/log.h"
#include "core/messages/barriers.h"

namespace armci::api {
namespace {

core::MessageType checked_type(const char* function, int type) {
    if (type < ARMCI_INT || type > ARMCI_DOUBLE) {
        base::fatal(function,
                    "argument type = %d: use one of ARMCI_INT, _LONG, _LONG_LONG, _FLOAT, "
                    "_DOUBLE",
                    type);
    }
    return static_cast<core::MessageType>(type);
}

// The arguments of a reduction or selection, as the callers pass them.
struct ReduceArguments {
    void* x;
    int n;
    const char* op;
    int type;
};

void reduce(Call call, const core::Group& group, const ReduceArguments& arguments) {
    check_not_negative(call.function, "n", arguments.n);
    check_not_null(call.function, "op", arguments.op);
    if (arguments.n > 0) {
        check_not_null(call.function, "x", arguments.x);
    }
    call.runtime.messages.reduce(call.function, group, arguments.x, arguments.n, arguments.op,
                                 checked_type(call.function, arguments.type));
}

// Ranks outside the scope have nothing to do.
void reduce_scope(const char* function, int scope, const ReduceArguments& arguments) {
    core::Entry entry(function);
    if (const core::GroupRef group = scope_group(function, scope, *entry)) {
        reduce({*entry, function}, *group, arguments);
    }
}

void reduce_group(const char* function, int scope, const ReduceArguments& arguments,
                  const ARMCI_Group* group) {
    core::Entry entry(function);
    const Call call{*entry, function};
    const ScopeOfGroup part(function, scope, check_group(call, "group", group), *entry);
    if (part.ranks() != nullptr) {
        reduce(call, *part.ranks(), arguments);
    }
}

void select_scope(const char* function, int scope, const ReduceArguments& arguments,
                  bool contributes) {
    core::Entry entry(function);
    check_not_negative(function, "n", arguments.n);
    check_not_null(function, "x", arguments.x);
    check_not_null(function, "op", arguments.op);
    const core::MessageType type = checked_type(function, arguments.type);
    if (const core::GroupRef group = scope_group(function, scope, *entry)) {
        entry->messages.select(function, *group, arguments.x, arguments.n, arguments.op, type,
                               contributes);
    }
}

// `root` is a rank of world.
void broadcast(Call call, const core::Group& group, void* buffer, int len, int root) {
    check_not_negative(call.function, "len", len);
    check_rank(call, "root", root);
    const int group_root = group.group_rank(root);
    if (group_root < 0) {
        base::fatal(call.function,
                    "argument root = %d: not a member of the group (roots are ranks of the "
                    "world)",
                    root);
    }
    if (len > 0) {
        check_not_null(call.function, "buffer", buffer);
        call.runtime.messages.broadcast(group, buffer, len, group_root);
    }
}

void broadcast_scope(const char* function, int scope, void* buffer, int len, int root) {
    core::Entry entry(function);
    const core::GroupRef group = scope_group(function, scope, *entry);
    // In a scope that the root is not in, each part has its own data.
    if (group != nullptr && (scope != SCOPE_NODE || group->group_rank(root) >= 0)) {
        broadcast({*entry, function}, *group, buffer, len, root);
    }
}

}  // namespace
}  // namespace armci::api

using armci::core::Entry;
namespace api = armci::api;

// These three are also asked before the library is started.
extern "C" int armci_msg_me(void) {
    if (armci::core::running() != nullptr) {
        return armci::core::running()->world.rank;
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

extern "C" int armci_msg_nproc(void) {
    if (armci::core::running() != nullptr) {
        return armci::core::running()->world.size;
    }
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

extern "C" double armci_timer(void) {
    return MPI_Wtime();
}

extern "C" void armci_msg_abort(int code) {
    armci::core::abort_job("armci_msg_abort was called", code);
}

// Ends the job for tags that MPI would refuse with a message of its own, on one of the two ranks
// only.
static void check_tag(const char* function, int tag) {
    const int own_tag = armci::core::own_tag();
    if (tag < 0 || tag >= own_tag) {
        armci::base::fatal(function, "argument tag = %d: use 0 to %d", tag, own_tag - 1);
    }
}

extern "C" void armci_msg_snd(int tag, void* buffer, int len, int to) {
    Entry entry("armci_msg_snd");
    check_tag("armci_msg_snd", tag);
    api::check_rank({*entry, "armci_msg_snd"}, "to", to);
    api::check_not_negative("armci_msg_snd", "len", len);
    if (len > 0) {
        api::check_not_null("armci_msg_snd", "buffer", buffer);
    }
    entry->messages.send(tag, buffer, len, to);
}

extern "C" void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from) {
    Entry entry("armci_msg_rcv");
    check_tag("armci_msg_rcv", tag);
    api::check_rank({*entry, "armci_msg_rcv"}, "from", from);
    api::check_not_negative("armci_msg_rcv", "buflen", buflen);
    if (buflen > 0) {
        api::check_not_null("armci_msg_rcv", "buffer", buffer);
    }
    int source = -1;
    const int bytes = entry->messages.receive("armci_msg_rcv", tag, buffer, buflen, from, &source);
    if (msglen != nullptr) {
        *msglen = bytes;
    }
}

extern "C" int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen) {
    Entry entry("armci_msg_rcvany");
    check_tag("armci_msg_rcvany", tag);
    api::check_not_negative("armci_msg_rcvany", "buflen", buflen);
    if (buflen > 0) {
        api::check_not_null("armci_msg_rcvany", "buffer", buffer);
    }
    int source = -1;
    const int bytes =
        entry->messages.receive("armci_msg_rcvany", tag, buffer, buflen, MPI_ANY_SOURCE, &source);
    if (msglen != nullptr) {
        *msglen = bytes;
    }
    return source;
}

extern "C" void parmci_msg_barrier(void) {
    Entry entry("armci_msg_barrier");
    entry->checking->before_barrier("armci_msg_barrier", *entry->groups.world());
    entry->barriers.wait_for_world();
}
ARMCI_ALIAS(void, armci_msg_barrier, (void), parmci_msg_barrier);

// Global Arrays calls this on groups that it has freed already.
extern "C" void parmci_msg_group_barrier(ARMCI_Group* group) {
    Entry entry("armci_msg_group_barrier");
    api::check_not_null("armci_msg_group_barrier", "group", group);
    const armci::core::GroupRef found = entry->groups.find(api::group_id(*group));
    if (found != nullptr) {
        entry->checking->before_barrier("armci_msg_group_barrier", *found);
        entry->barriers.wait_for_group(*found);
    }
}
ARMCI_ALIAS(void, armci_msg_group_barrier, (ARMCI_Group*), parmci_msg_group_barrier);

// The tree is a binary heap over the ranks of the scope; -1 stands for a missing rank.
extern "C" void armci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right) {
    constexpr const char* kFunction = "armci_msg_bintree";
    Entry entry(kFunction);
    *Root = 0;
    *Up = *Left = *Right = -1;
    const armci::core::GroupRef group = api::scope_group(kFunction, scope, *entry);
    if (group == nullptr || scope == SCOPE_NODE) {
        return;
    }
    const int me = group->rank();
    *Root = group->world_rank(0);
    *Up = me > 0 ? group->world_rank((me - 1) / 2) : -1;
    *Left = group->world_rank(2 * me + 1);
    *Right = group->world_rank(2 * me + 2);
}

extern "C" void armci_msg_bcast_scope(int scope, void* buffer, int len, int root) {
    api::broadcast_scope("armci_msg_bcast_scope", scope, buffer, len, root);
}

extern "C" void armci_msg_bcast(void* buffer, int len, int root) {
    api::broadcast_scope("armci_msg_bcast", SCOPE_ALL, buffer, len, root);
}

extern "C" void armci_msg_brdcst(void* buffer, int len, int root) {
    api::broadcast_scope("armci_msg_brdcst", SCOPE_ALL, buffer, len, root);
}

extern "C" void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root,
                                            ARMCI_Group* group) {
    constexpr const char* kFunction = "armci_msg_group_bcast_scope";
    Entry entry(kFunction);
    const api::ScopeOfGroup part(kFunction, scope,
                                 api::check_group({*entry, kFunction}, "group", group), *entry);
    // This is as in the call without a group.
    if (part.ranks() != nullptr && (scope != SCOPE_NODE || part.ranks()->group_rank(root) >= 0)) {
        api::broadcast({*entry, kFunction}, *part.ranks(), buf, len, root);
    }
}

extern "C" void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type) {
    api::reduce_scope("armci_msg_gop_scope", scope, {x, n, op, type});
}

extern "C" void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type,
                                          ARMCI_Group* group) {
    api::reduce_group("armci_msg_group_gop_scope", scope, {x, n, op, type}, group);
}

extern "C" void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type) {
    api::reduce_scope("armci_msg_reduce_scope", scope, {x, n, op, type});
}

extern "C" void armci_msg_reduce(void* x, int n, char* op, int type) {
    api::reduce_scope("armci_msg_reduce", SCOPE_ALL, {x, n, op, type});
}

extern "C" void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute) {
    api::select_scope("armci_msg_sel_scope", scope, {x, n, op, type}, contribute != 0);
}

extern "C" void armci_msg_sel(void* x, int n, char* op, int type, int contribute) {
    api::select_scope("armci_msg_sel", SCOPE_ALL, {x, n, op, type}, contribute != 0);
}

extern "C" void armci_msg_igop(int* x, int n, char* op) {
    api::reduce_scope("armci_msg_igop", SCOPE_ALL, {x, n, op, ARMCI_INT});
}

extern "C" void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group) {
    api::reduce_group("armci_msg_group_igop", SCOPE_ALL, {x, n, op, ARMCI_INT}, group);
}

extern "C" void armci_msg_lgop(long* x, int n, char* op) {
    api::reduce_scope("armci_msg_lgop", SCOPE_ALL, {x, n, op, ARMCI_LONG});
}

extern "C" void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group) {
    api::reduce_group("armci_msg_group_lgop", SCOPE_ALL, {x, n, op, ARMCI_LONG}, group);
}

extern "C" void armci_msg_llgop(long long* x, int n, char* op) {
    api::reduce_scope("armci_msg_llgop", SCOPE_ALL, {x, n, op, ARMCI_LONG_LONG});
}

extern "C" void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group) {
    api::reduce_group("armci_msg_group_llgop", SCOPE_ALL, {x, n, op, ARMCI_LONG_LONG}, group);
}

extern "C" void armci_msg_fgop(float* x, int n, char* op) {
    api::reduce_scope("armci_msg_fgop", SCOPE_ALL, {x, n, op, ARMCI_FLOAT});
}

extern "C" void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group) {
    api::reduce_group("armci_msg_group_fgop", SCOPE_ALL, {x, n, op, ARMCI_FLOAT}, group);
}

extern "C" void armci_msg_dgop(double* x, int n, char* op) {
    api::reduce_scope("armci_msg_dgop", SCOPE_ALL, {x, n, op, ARMCI_DOUBLE});
}

extern "C" void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group) {
    api::reduce_group("armci_msg_group_dgop", SCOPE_ALL, {x, n, op, ARMCI_DOUBLE}, group);
}
