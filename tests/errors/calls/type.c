/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes of types, operations and scopes that do not exist. */
#include <stddef.h>

#include "bad_call.h"

/* A case that makes one call; `given` is "argument = value" of what is wrong with it. */
#define BAD_CODE(name, function, given, advice, call)      \
    static void name(void) {                               \
        expect(function, "argument " given, advice, NULL); \
        call;                                              \
    }

/* The codes of accumulate as other implementations number them, from 37 on, are wrong too. */
enum { kCodeOfOthers = 38 };

static double one = 1.0;
static int stride[1] = {64};
static int count[2] = {8, 2};
static armci_hdl_t handle;

static armci_giov_t* vector(void) {
    static void* sources[1];
    static void* places[1];
    static armci_giov_t descriptor;
    sources[0] = local;
    places[0] = slice;
    descriptor = (armci_giov_t){sources, places, 8, 1};
    return &descriptor;
}

BAD_CODE(acc, "ARMCI_Acc", "datatype = -1", "use one of ARMCI_ACC_INT",
         ARMCI_Acc(-1, &one, local, slice, 8, target))
BAD_CODE(nb_acc, "ARMCI_NbAcc", "datatype = 6", "use one of ARMCI_ACC_INT",
         ARMCI_NbAcc(6, &one, local, slice, 8, target, &handle))
BAD_CODE(acc_s, "ARMCI_AccS", "datatype = 38", "use one of ARMCI_ACC_INT",
         ARMCI_AccS(kCodeOfOthers, &one, local, stride, slice, stride, count, 1, target))
BAD_CODE(acc_of_nothing, "ARMCI_Acc", "datatype = 6", "use one of ARMCI_ACC_INT",
         ARMCI_Acc(6, NULL, NULL, NULL, 0, target))
BAD_CODE(acc_v, "ARMCI_AccV", "datatype = 6", "use one of ARMCI_ACC_INT",
         ARMCI_AccV(6, &one, vector(), 1, target))
BAD_CODE(rmw_negative, "ARMCI_Rmw", "op = -1", "use ARMCI_FETCH_AND_ADD",
         ARMCI_Rmw(-1, local, slice, 1, target))
BAD_CODE(rmw, "ARMCI_Rmw", "op = 4", "use ARMCI_FETCH_AND_ADD",
         ARMCI_Rmw(4, local, slice, 1, target))
BAD_CODE(reduce_operation, "armci_msg_dgop", "op = \"average\"", "use one of + * max",
         armci_msg_dgop(&one, 1, "average"))
BAD_CODE(reduce_empty_operation, "armci_msg_dgop", "op = \"\"", "use one of + * max",
         armci_msg_dgop(&one, 1, ""))
BAD_CODE(reduce_integer_operation, "armci_msg_dgop", "op = \"||\"", "for integers only",
         armci_msg_dgop(&one, 1, "||"))
BAD_CODE(reduce_type, "armci_msg_gop_scope", "type = 5", "use one of ARMCI_INT",
         armci_msg_gop_scope(SCOPE_ALL, &one, 1, "+", 5))
BAD_CODE(reduce_type_of_group, "armci_msg_group_gop_scope", "type = -1", "use one of ARMCI_INT", {
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    armci_msg_group_gop_scope(SCOPE_ALL, &one, 1, "+", -1, &world);
})
BAD_CODE(reduce_scope, "armci_msg_gop_scope", "scope = 3", "use SCOPE_ALL, SCOPE_NODE",
         armci_msg_gop_scope(3, &one, 1, "+", ARMCI_DOUBLE))
BAD_CODE(select_operation, "armci_msg_sel_scope", "op = \"+\"", "\"min\" or \"max\"",
         armci_msg_sel_scope(SCOPE_ALL, local, 16, "+", ARMCI_DOUBLE, 1))
BAD_CODE(select_type, "armci_msg_sel_scope", "type = 99", "use one of ARMCI_INT",
         armci_msg_sel_scope(SCOPE_ALL, local, 16, "max", 99, 1))
BAD_CODE(select_in_world, "armci_msg_sel", "op = \"*\"", "\"min\" or \"max\"",
         armci_msg_sel(local, 16, "*", ARMCI_DOUBLE, 1))
BAD_CODE(select_scope, "armci_msg_sel_scope", "scope = -1", "use SCOPE_ALL, SCOPE_NODE",
         armci_msg_sel_scope(-1, local, 16, "max", ARMCI_DOUBLE, 1))
BAD_CODE(broadcast_scope, "armci_msg_bcast_scope", "scope = 333", "use SCOPE_ALL, SCOPE_NODE",
         armci_msg_bcast_scope(333, local, 8, target))

static void tree_scope(void) {
    int root, up, left, right;
    expect("armci_msg_bintree", "argument scope = 7", "use SCOPE_ALL, SCOPE_NODE", NULL);
    armci_msg_bintree(7, &root, &up, &left, &right);
}

const struct Case type_cases[] = {
    CASE(acc, LAST_RANK, NODE),
    CHECK(nb_acc),
    CHECK(acc_s),
    CHECK(acc_of_nothing),
    CHECK(acc_v),
    CHECK(rmw_negative),
    CASE(rmw, LAST_RANK, NODES),
    /* promise: message.misuse */
    CHECK(reduce_operation),
    /* promise: message.misuse */
    CHECK(reduce_empty_operation),
    CHECK(reduce_integer_operation),
    CHECK(reduce_type),
    CHECK(reduce_type_of_group),
    CHECK(reduce_scope),
    CHECK(select_operation),
    CHECK(select_type),
    CHECK(select_in_world),
    CHECK(select_scope),
    CHECK(broadcast_scope),
    CHECK(tree_scope),
    {0},
};
