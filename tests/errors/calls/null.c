/* SPDX-License-Identifier: BSD-3-Clause */
/* Null pointers where memory of the caller is needed. */
#include <stddef.h>

#include "bad_call.h"

/* A case that makes one call. */
#define NULL_POINTER(name, function, argument, call)                                           \
    static void name(void) {                                                                   \
        expect(function, text("argument %s is a null pointer", argument), "pass valid memory", \
               NULL);                                                                          \
        call;                                                                                  \
    }

static double one = 1.0;
static int count[2] = {8, 2};
static int stride[1] = {16};
static armci_hdl_t handle;
static stride_info_t walk;
static void* nothing[1] = {NULL};
static void* something[1];

/* Two blocks, the second from null. */
static armci_giov_t* half_of_vector(void) {
    static armci_giov_t descriptor;
    static void* sources[2];
    static void* places[2];
    sources[0] = local;
    places[0] = slice;
    places[1] = slice + 8;
    descriptor = (armci_giov_t){sources, places, 8, 2};
    return &descriptor;
}

/* A block between null and the target's memory. */
static armci_giov_t* vector(void** sources, void** destinations) {
    static armci_giov_t descriptor;
    something[0] = slice;
    descriptor = (armci_giov_t){sources, destinations, 8, 1};
    return &descriptor;
}

NULL_POINTER(put, "ARMCI_Put", "src", ARMCI_Put(NULL, slice, 8, target))
NULL_POINTER(get, "ARMCI_Get", "dst", ARMCI_Get(slice, NULL, 8, target))
NULL_POINTER(acc, "ARMCI_Acc", "src", ARMCI_Acc(ARMCI_ACC_DBL, &one, NULL, slice, 8, target))
NULL_POINTER(acc_scale, "ARMCI_Acc", "scale",
             ARMCI_Acc(ARMCI_ACC_DBL, NULL, local, slice, 8, target))
NULL_POINTER(nb_put, "ARMCI_NbPut", "src", ARMCI_NbPut(NULL, slice, 8, target, &handle))
NULL_POINTER(put_s, "ARMCI_PutS", "src_ptr",
             ARMCI_PutS(NULL, stride, slice, stride, count, 1, target))
NULL_POINTER(get_s, "ARMCI_GetS", "dst_ptr",
             ARMCI_GetS(slice, stride, NULL, stride, count, 1, target))
NULL_POINTER(get_s_count, "ARMCI_GetS", "count",
             ARMCI_GetS(slice, stride, local, stride, NULL, 1, target))
NULL_POINTER(put_s_stride, "ARMCI_PutS", "src_stride_ar",
             ARMCI_PutS(local, NULL, slice, stride, count, 1, target))
NULL_POINTER(acc_s_stride, "ARMCI_AccS", "dst_stride_ar",
             ARMCI_AccS(ARMCI_ACC_DBL, &one, local, stride, slice, NULL, count, 1, target))
NULL_POINTER(put_v, "ARMCI_PutV", "src_ptr_array[0] of descriptor 0",
             ARMCI_PutV(vector(nothing, something), 1, target))
NULL_POINTER(put_v_segment, "ARMCI_PutV", "src_ptr_array[1] of descriptor 0",
             ARMCI_PutV(half_of_vector(), 1, target))
NULL_POINTER(get_v, "ARMCI_GetV", "dst_ptr_array[0] of descriptor 0",
             ARMCI_GetV(vector(something, nothing), 1, target))
NULL_POINTER(put_v_array, "ARMCI_PutV", "src_ptr_array",
             ARMCI_PutV(vector(NULL, something), 1, target))
NULL_POINTER(put_v_descriptors, "ARMCI_PutV", "iov", ARMCI_PutV(NULL, 1, target))
NULL_POINTER(rmw, "ARMCI_Rmw", "ploc", ARMCI_Rmw(ARMCI_SWAP, NULL, slice, 1, target))
NULL_POINTER(test, "ARMCI_Test", "hdl", ARMCI_Test(NULL))
NULL_POINTER(init_handle, "ARMCI_INIT_HANDLE", "hdl", ARMCI_INIT_HANDLE(NULL))
NULL_POINTER(malloc_bases, "ARMCI_Malloc", "base_ptrs", ARMCI_Malloc(NULL, 64))
NULL_POINTER(malloc_group, "ARMCI_Malloc_group", "group", ARMCI_Malloc_group(bases, 64, NULL))
NULL_POINTER(group_rank, "ARMCI_Group_rank", "group", ARMCI_Group_rank(NULL, &my_rank))
NULL_POINTER(lock_set, "ARMCIX_Lock_hdl", "hdl", ARMCIX_Lock_hdl(NULL, 0, target))
NULL_POINTER(send, "armci_msg_snd", "buffer", armci_msg_snd(1, NULL, 8, target))
NULL_POINTER(receive, "armci_msg_rcv", "buffer", armci_msg_rcv(1, NULL, 8, NULL, target))
NULL_POINTER(reduce, "armci_msg_dgop", "x", armci_msg_dgop(NULL, 1, "+"))
NULL_POINTER(reduce_operation, "armci_msg_dgop", "op", armci_msg_dgop(&one, 1, NULL))
NULL_POINTER(broadcast, "armci_msg_brdcst", "buffer", armci_msg_brdcst(NULL, 8, target))
NULL_POINTER(pack_stride, "armci_write_strided", "stride_arr",
             armci_write_strided(local, 1, NULL, count, local + 2048))
NULL_POINTER(walk_stride, "armci_stride_info_init", "stride_arr",
             armci_stride_info_init(&walk, local, 1, NULL, count))
NULL_POINTER(copy, "ARMCI_Copy", "dst", ARMCI_Copy(local, NULL, 8))

const struct Case null_cases[] = {
    CASE(put, LAST_RANK, NODE),
    CASE(get, LAST_RANK, NODES),
    CHECK(acc),
    CHECK(acc_scale),
    CHECK(nb_put),
    CHECK(put_s),
    CHECK(get_s),
    CHECK(get_s_count),
    CHECK(put_s_stride),
    CHECK(acc_s_stride),
    CHECK(put_v),
    CHECK(put_v_segment),
    CHECK(get_v),
    CHECK(put_v_array),
    CHECK(put_v_descriptors),
    CHECK(rmw),
    CHECK(test),
    CHECK(init_handle),
    CHECK(malloc_bases),
    CHECK(malloc_group),
    CHECK(group_rank),
    CHECK(lock_set),
    CHECK(send),
    CHECK(receive),
    CHECK(reduce),
    CHECK(reduce_operation),
    CHECK(broadcast),
    CHECK(pack_stride),
    CHECK(walk_stride),
    CHECK(copy),
    {0},
};
