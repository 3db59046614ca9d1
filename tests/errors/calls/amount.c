/* SPDX-License-Identifier: BSD-3-Clause */
/* Invalid amounts: negative numbers, parts of elements, misaligned addresses. */
#include <limits.h>
#include <stddef.h>

#include "bad_call.h"

/* A case that makes one call; `given` is "argument = value" of the wrong argument. */
#define BAD_AMOUNT(name, function, given, advice, call)    \
    static void name(void) {                               \
        expect(function, "argument " given, advice, NULL); \
        call;                                              \
    }
#define NEGATIVE(name, function, given, call) \
    BAD_AMOUNT(name, function, given, "must not be negative", call)

static double one = 1.0;
static double complex_one[2] = {1.0, 0.0};
static long one_long = 1;
static int stride[2] = {64, 512};
static const int many[3] = {8, 65536, 32768};
static stride_info_t walk;
static armci_hdl_t handle;

static int* counts(int first, int second) {
    static int count[2];
    count[0] = first;
    count[1] = second;
    return count;
}

static armci_giov_t* vector(int bytes, int segments) {
    static void* sources[1];
    static void* places[1];
    static armci_giov_t descriptor;
    sources[0] = local;
    places[0] = slice;
    descriptor = (armci_giov_t){sources, places, bytes, segments};
    return &descriptor;
}

NEGATIVE(put_bytes, "ARMCI_Put", "bytes = -8", ARMCI_Put(local, slice, -8, target))
NEGATIVE(get_bytes, "ARMCI_Get", "bytes = -1", ARMCI_Get(slice, local, -1, target))
NEGATIVE(acc_bytes, "ARMCI_Acc", "bytes = -8",
         ARMCI_Acc(ARMCI_ACC_DBL, &one, local, slice, -8, target))
NEGATIVE(nb_put_bytes, "ARMCI_NbPut", "bytes = -2147483648",
         ARMCI_NbPut(local, slice, INT_MIN, target, &handle))
NEGATIVE(put_flag_bytes, "ARMCI_Put_flag", "bytes = -8",
         ARMCI_Put_flag(local, slice, -8, (int*)slice, 1, target))
NEGATIVE(put_s_block, "ARMCI_PutS", "count[0] = -8",
         ARMCI_PutS(local, stride, slice, stride, counts(-8, 2), 1, target))
NEGATIVE(get_s_repetitions, "ARMCI_GetS", "count[1] = -2",
         ARMCI_GetS(slice, stride, local, stride, counts(8, -2), 1, target))
/* A count of 0 makes the transfer empty, but does not make the other count valid. */
NEGATIVE(acc_s_repetitions, "ARMCI_AccS", "count[1] = -2",
         ARMCI_AccS(ARMCI_ACC_DBL, &one, local, stride, slice, stride, counts(0, -2), 1, target))
NEGATIVE(nb_get_s_levels, "ARMCI_NbGetS", "stride_levels = -1",
         ARMCI_NbGetS(slice, stride, local, stride, counts(8, 2), -1, target, &handle))
NEGATIVE(put_s_flag_levels, "ARMCI_PutS_flag", "stride_levels = -1",
         ARMCI_PutS_flag(local, stride, slice, stride, counts(8, 2), -1, (int*)slice, 1, target))
NEGATIVE(put_v_length, "ARMCI_PutV", "iov_len = -1", ARMCI_PutV(vector(8, 1), -1, target))
NEGATIVE(get_v_segments, "ARMCI_GetV", "ptr_array_len of a descriptor = -1",
         ARMCI_GetV(vector(8, -1), 1, target))
NEGATIVE(acc_v_bytes, "ARMCI_AccV", "bytes of a descriptor = -8",
         ARMCI_AccV(ARMCI_ACC_DBL, &one, vector(-8, 1), 1, target))
NEGATIVE(malloc_bytes, "ARMCI_Malloc", "bytes = -4096", ARMCI_Malloc(bases, -4096))
NEGATIVE(malloc_local_bytes, "ARMCI_Malloc_local", "bytes = -1", ARMCI_Malloc_local(-1))
NEGATIVE(create_mutexes, "ARMCI_Create_mutexes", "count = -1", ARMCI_Create_mutexes(-1))
BAD_AMOUNT(pipeline_depth, "ARMCIX_Set_pipeline_depth", "chunks = -1", "0 for no limit",
           ARMCIX_Set_pipeline_depth(-1))
NEGATIVE(copy_bytes, "ARMCI_Copy", "bytes = -8", ARMCI_Copy(local, local + 64, -8))
NEGATIVE(pack_block, "armci_write_strided", "count[0] = -8",
         armci_write_strided(local, 1, stride, counts(-8, 2), local + 2048))
NEGATIVE(unpack_levels, "armci_read_strided", "stride_levels = -1",
         armci_read_strided(local, -1, stride, counts(8, 2), local + 2048))
NEGATIVE(send_bytes, "armci_msg_snd", "len = -8", armci_msg_snd(1, local, -8, target))
NEGATIVE(receive_bytes, "armci_msg_rcv", "buflen = -8", armci_msg_rcv(1, local, -8, NULL, target))
NEGATIVE(reduce_elements, "armci_msg_dgop", "n = -1", armci_msg_dgop(&one, -1, "+"))
NEGATIVE(select_bytes, "armci_msg_sel_scope", "n = -8",
         armci_msg_sel_scope(SCOPE_ALL, local, -8, "max", ARMCI_DOUBLE, 1))
NEGATIVE(broadcast_bytes, "armci_msg_brdcst", "len = -8", armci_msg_brdcst(local, -8, target))
NEGATIVE(group_ranks, "ARMCI_Group_create", "n = -1",
         ARMCI_Group_create(-1, &my_rank, (ARMCI_Group*)local))

BAD_AMOUNT(walk_segments, "armci_stride_info_init", "seg_count", "more segments than an int counts",
           armci_stride_info_init(&walk, local, 2, stride, many))

BAD_AMOUNT(acc_part, "ARMCI_Acc", "bytes = 12", "a multiple of the element's 8 bytes",
           ARMCI_Acc(ARMCI_ACC_LNG, &one_long, local, slice, 12, target))
BAD_AMOUNT(nb_acc_part, "ARMCI_NbAcc", "bytes = 24", "a multiple of the element's 16 bytes",
           ARMCI_NbAcc(ARMCI_ACC_DCP, complex_one, local, slice, 24, target, &handle))
BAD_AMOUNT(acc_s_part, "ARMCI_AccS", "count[0] = 20", "a multiple of the element's 8 bytes",
           ARMCI_AccS(ARMCI_ACC_DBL, &one, local, stride, slice, stride, counts(20, 2), 1, target))
BAD_AMOUNT(acc_v_part, "ARMCI_AccV", "bytes of a descriptor = 7",
           "a multiple of the element's 8 bytes",
           ARMCI_AccV(ARMCI_ACC_CPL, complex_one, vector(7, 1), 1, target))

/* ---- Alignment ---- */

static void rmw_misaligned_long(void) {
    void* place = slice + 4;
    expect("ARMCI_Rmw", text("argument prem = %p", place), "aligned to 8 bytes", NULL);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, local, place, 1, target);
}

static void rmw_misaligned_int(void) {
    void* place = slice + 2;
    expect("ARMCI_Rmw", text("argument prem = %p", place), "aligned to 4 bytes", NULL);
    ARMCI_Rmw(ARMCI_SWAP, local, place, 1, target);
}

static void misaligned_flag(void) {
    void* place = slice + 66;
    expect("ARMCI_Put_flag", text("argument flag = %p", place), "aligned to 4 bytes", NULL);
    ARMCI_Put_flag(local, slice, 8, place, 1, target);
}

/* ---- Messages that do not fit ---- */

static void receive_into_small_buffer(void) {
    armci_msg_snd(7, local, 64, my_rank);
    expect("armci_msg_rcv", "argument buflen = 63", "has 64 bytes", "a larger buffer", NULL);
    armci_msg_rcv(7, local, 63, NULL, my_rank);
}

static void receive_any_into_small_buffer(void) {
    armci_msg_snd(7, local, 64, my_rank);
    expect("armci_msg_rcvany", "argument buflen = 63", "has 64 bytes", "a larger buffer", NULL);
    armci_msg_rcvany(7, local, 63, NULL);
}

static void receive_into_small_buffer_from_another_rank(void) {
    if (!is_last_rank()) {
        armci_msg_snd(7, local, 64, 1);
        return;
    }
    expect("armci_msg_rcv", "argument buflen = 63", "from rank 0 has 64 bytes", "a larger buffer",
           NULL);
    armci_msg_rcv(7, local, 63, NULL, 0);
}

const struct Case amount_cases[] = {
    CASE(put_bytes, LAST_RANK, NODE),
    CASE(get_bytes, LAST_RANK, NODES),
    CHECK(acc_bytes),
    CHECK(nb_put_bytes),
    CHECK(put_flag_bytes),
    CHECK(put_s_block),
    CHECK(get_s_repetitions),
    CHECK(acc_s_repetitions),
    CHECK(nb_get_s_levels),
    CHECK(put_s_flag_levels),
    CHECK(put_v_length),
    CHECK(get_v_segments),
    CHECK(acc_v_bytes),
    CHECK(malloc_bytes),
    CHECK(malloc_local_bytes),
    CHECK(create_mutexes),
    /* promise: pipeline-depth.negative */
    CHECK(pipeline_depth),
    CHECK(copy_bytes),
    CHECK(pack_block),
    CHECK(unpack_levels),
    CHECK(send_bytes),
    CHECK(receive_bytes),
    CHECK(reduce_elements),
    CHECK(select_bytes),
    CHECK(broadcast_bytes),
    CHECK(group_ranks),
    CHECK(walk_segments),
    CHECK(acc_part),
    CHECK(nb_acc_part),
    CHECK(acc_s_part),
    CHECK(acc_v_part),
    /* promise: errors.alignment */
    CHECK(rmw_misaligned_long),
    /* promise: errors.alignment */
    CHECK(rmw_misaligned_int),
    CHECK(misaligned_flag),
    CHECK(receive_into_small_buffer),
    CHECK(receive_any_into_small_buffer),
    CASE(receive_into_small_buffer_from_another_rank, ALL_RANKS, NODE),
    {0},
};
