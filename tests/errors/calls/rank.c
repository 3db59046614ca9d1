/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that do not exist. */
#include <stddef.h>

#include "bad_call.h"

/* A case that makes one call; `proc` in it is the bad rank. */
#define BAD_RANK(name, value, function, argument, call)                                           \
    static void name(void) {                                                                      \
        const int proc = (value);                                                                 \
        expect(function, text("argument %s = %d", argument, proc), "no such rank", valid_ranks(), \
               NULL);                                                                             \
        call;                                                                                     \
    }

static double one = 1.0;
static int block_bytes[2] = {8, 2};
static int stride[1] = {16};
static armci_hdl_t handle;

static armci_giov_t* vector(void* source, void* destination) {
    static void* sources[1];
    static void* destinations[1];
    static armci_giov_t descriptor;
    sources[0] = source;
    destinations[0] = destination;
    descriptor = (armci_giov_t){sources, destinations, 8, 1};
    return &descriptor;
}

BAD_RANK(put_negative, -1, "ARMCI_Put", "proc", ARMCI_Put(local, slice, 8, proc))
BAD_RANK(put_too_big, rank_count, "ARMCI_Put", "proc", ARMCI_Put(local, slice, 8, proc))
BAD_RANK(get_negative, -1, "ARMCI_Get", "proc", ARMCI_Get(slice, local, 8, proc))
BAD_RANK(get_too_big, rank_count, "ARMCI_Get", "proc", ARMCI_Get(slice, local, 8, proc))
BAD_RANK(acc_negative, -2147483647 - 1, "ARMCI_Acc", "proc",
         ARMCI_Acc(ARMCI_ACC_DBL, &one, local, slice, 8, proc))
BAD_RANK(acc_too_big, 2147483647, "ARMCI_Acc", "proc",
         ARMCI_Acc(ARMCI_ACC_DBL, &one, local, slice, 8, proc))
BAD_RANK(nb_put, rank_count, "ARMCI_NbPut", "proc", ARMCI_NbPut(local, slice, 8, proc, &handle))
BAD_RANK(nb_get, -1, "ARMCI_NbGet", "proc", ARMCI_NbGet(slice, local, 8, proc, NULL))
BAD_RANK(nb_acc, rank_count, "ARMCI_NbAcc", "proc",
         ARMCI_NbAcc(ARMCI_ACC_DBL, &one, local, slice, 8, proc, &handle))

BAD_RANK(put_s, -1, "ARMCI_PutS", "proc",
         ARMCI_PutS(local, stride, slice, stride, block_bytes, 1, proc))
BAD_RANK(get_s, rank_count, "ARMCI_GetS", "proc",
         ARMCI_GetS(slice, stride, local, stride, block_bytes, 1, proc))
BAD_RANK(acc_s, rank_count, "ARMCI_AccS", "proc",
         ARMCI_AccS(ARMCI_ACC_DBL, &one, local, stride, slice, stride, block_bytes, 1, proc))
BAD_RANK(nb_put_s, rank_count, "ARMCI_NbPutS", "proc",
         ARMCI_NbPutS(local, stride, slice, stride, block_bytes, 1, proc, &handle))
BAD_RANK(nb_get_s, -1, "ARMCI_NbGetS", "proc",
         ARMCI_NbGetS(slice, stride, local, stride, block_bytes, 1, proc, &handle))

BAD_RANK(put_v, rank_count, "ARMCI_PutV", "proc", ARMCI_PutV(vector(local, slice), 1, proc))
BAD_RANK(get_v, -1, "ARMCI_GetV", "proc", ARMCI_GetV(vector(slice, local), 1, proc))
BAD_RANK(acc_v, rank_count, "ARMCI_AccV", "proc",
         ARMCI_AccV(ARMCI_ACC_DBL, &one, vector(local, slice), 1, proc))
BAD_RANK(nb_get_v, rank_count, "ARMCI_NbGetV", "proc",
         ARMCI_NbGetV(vector(slice, local), 1, proc, &handle))

BAD_RANK(put_flag, rank_count, "ARMCI_Put_flag", "proc",
         ARMCI_Put_flag(local, slice, 8, (int*)slice, 1, proc))
BAD_RANK(put_flag_without_data, -1, "ARMCI_Put_flag", "proc",
         ARMCI_Put_flag(local, slice, 0, (int*)slice, 1, proc))
BAD_RANK(put_s_flag, -1, "ARMCI_PutS_flag", "proc",
         ARMCI_PutS_flag(local, stride, slice, stride, block_bytes, 1, (int*)slice, 1, proc))
BAD_RANK(put_value, rank_count, "ARMCI_PutValueInt", "proc", ARMCI_PutValueInt(1, slice, proc))
BAD_RANK(nb_put_value, -1, "ARMCI_NbPutValueLong", "proc",
         ARMCI_NbPutValueLong(1, slice, proc, &handle))
BAD_RANK(get_value, rank_count, "ARMCI_GetValueDouble", "proc", ARMCI_GetValueDouble(slice, proc))

BAD_RANK(rmw_negative, -1, "ARMCI_Rmw", "proc",
         ARMCI_Rmw(ARMCI_FETCH_AND_ADD, local, slice, 1, proc))
BAD_RANK(rmw_too_big, rank_count, "ARMCI_Rmw", "proc",
         ARMCI_Rmw(ARMCI_SWAP_LONG, local, slice, 1, proc))
BAD_RANK(fence_too_big, rank_count, "ARMCI_Fence", "proc", ARMCI_Fence(proc))
BAD_RANK(wait_proc, -1, "ARMCI_WaitProc", "proc", ARMCI_WaitProc(proc))
BAD_RANK(lock_negative, -1, "ARMCI_Lock", "proc", ARMCI_Lock(0, proc))
BAD_RANK(lock_too_big, rank_count, "ARMCI_Lock", "proc", ARMCI_Lock(0, proc))
BAD_RANK(unlock, rank_count, "ARMCI_Unlock", "proc", ARMCI_Unlock(0, proc))
BAD_RANK(notify, rank_count, "armci_notify", "proc", armci_notify(proc))
BAD_RANK(notify_wait, -1, "armci_notify_wait", "proc", armci_notify_wait(proc, NULL))
BAD_RANK(send, rank_count, "armci_msg_snd", "to", armci_msg_snd(1, local, 8, proc))
BAD_RANK(receive, -3, "armci_msg_rcv", "from", armci_msg_rcv(1, local, 8, NULL, proc))
BAD_RANK(broadcast, rank_count, "armci_msg_brdcst", "root", armci_msg_brdcst(local, 8, proc))

/* Lists of groups hold ranks of the parent group. */
static void group_list(void) {
    int list[2] = {0, rank_count};
    ARMCI_Group group;
    expect("ARMCI_Group_create", text("argument pid_list[1] = %d", rank_count),
           text("the parent group has ranks 0 to %d", rank_count - 1), NULL);
    ARMCI_Group_create(2, list, &group);
}

static void group_list_twice(void) {
    int list[2] = {0, 0};
    ARMCI_Group group;
    expect("ARMCI_Group_create", "argument pid_list", "a rank twice", NULL);
    ARMCI_Group_create(2, list, &group);
}

static void group_lists_differ(void) {
    int list[2] = {my_rank, 1 - my_rank};
    ARMCI_Group group;
    abort_together();
    expect("ARMCI_Group_create", text("rank %d makes a group", 1 - my_rank), "the same pid_list",
           "the same order", NULL);
    ARMCI_Group_create(2, list, &group);
}

/* A group of the caller alone: the others are no roots in it. */
static void group_root(void) {
    int list[1] = {my_rank};
    ARMCI_Group group;
    ARMCI_Group_create(1, list, &group);
    expect("armci_msg_group_bcast_scope", text("argument root = %d", target),
           "not a member of the group", NULL);
    armci_msg_group_bcast_scope(SCOPE_ALL, local, 8, target, &group);
}

const struct Case rank_cases[] = {
    CASE(put_negative, LAST_RANK, NODE),
    CASE(put_too_big, LAST_RANK, NODES),
    /* promise: errors.misuse */
    CHECK(get_negative),
    CHECK(get_too_big),
    CHECK(acc_negative),
    CHECK(acc_too_big),
    CHECK(nb_put),
    CHECK(nb_get),
    CHECK(nb_acc),
    /* promise: errors.misuse */
    CHECK(put_s),
    CHECK(get_s),
    CHECK(acc_s),
    CHECK(nb_put_s),
    CHECK(nb_get_s),
    CHECK(put_v),
    CHECK(get_v),
    /* promise: errors.misuse */
    CHECK(acc_v),
    CHECK(nb_get_v),
    CHECK(put_flag),
    CHECK(put_flag_without_data),
    CHECK(put_s_flag),
    CHECK(put_value),
    CHECK(nb_put_value),
    CHECK(get_value),
    CHECK(rmw_negative),
    CHECK(rmw_too_big),
    CHECK(fence_too_big),
    CHECK(wait_proc),
    CHECK(lock_negative),
    /* promise: errors.misuse */
    CHECK(lock_too_big),
    CHECK(unlock),
    /* promise: errors.misuse */
    CHECK(notify),
    CHECK(notify_wait),
    CHECK(send),
    CHECK(receive),
    CHECK(broadcast),
    CHECK(group_list),
    CHECK(group_list_twice),
    CASE(group_lists_differ, ALL_RANKS, NODE),
    CASE(group_root, LAST_RANK, NODE),
    {0},
};
