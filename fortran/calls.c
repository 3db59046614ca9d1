/* SPDX-License-Identifier: BSD-3-Clause */
/* What the Fortran module calls where the C interface takes other arguments. */
#include <armci/armci.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "array_side.h"

_Static_assert(sizeof(int) == 4 && sizeof(long) == 8, "the module takes these for 4 and 8 bytes");

enum operation { put, get, accumulate };

struct call {
    enum operation operation;
    const char* name; /* for messages */
    int rank;
    int type; /* of accumulate */
    const void* scale;
    armci_hdl_t* handle; /* NULL if the call waits */
};

static void fail(const struct call* call, const char* argument, const char* remedy) {
    char message[256];
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(message, sizeof message, "%s, argument %s, rank %d: %s", call->name, argument, rank,
             remedy);
    ARMCI_Error(message, 1);
}

static void transfer(const struct call* call, struct sides* s, char* local, char* remote) {
    void* scale = (void*)(uintptr_t)call->scale;
    switch (call->operation) {
        case put:
            if (call->handle != NULL) {
                ARMCI_NbPutS(local, s->local_strides, remote, s->remote_strides, s->counts,
                             s->levels, call->rank, call->handle);
            } else {
                ARMCI_PutS(local, s->local_strides, remote, s->remote_strides, s->counts, s->levels,
                           call->rank);
            }
            break;
        case get:
            if (call->handle != NULL) {
                ARMCI_NbGetS(remote, s->remote_strides, local, s->local_strides, s->counts,
                             s->levels, call->rank, call->handle);
            } else {
                ARMCI_GetS(remote, s->remote_strides, local, s->local_strides, s->counts, s->levels,
                           call->rank);
            }
            break;
        case accumulate:
            if (call->handle != NULL) {
                ARMCI_NbAccS(call->type, scale, local, s->local_strides, remote, s->remote_strides,
                             s->counts, s->levels, call->rank, call->handle);
            } else {
                ARMCI_AccS(call->type, scale, local, s->local_strides, remote, s->remote_strides,
                           s->counts, s->levels, call->rank);
            }
            break;
    }
}

static void repeat(const struct call* call, struct sides* s, int dimension, char* local,
                   char* remote) {
    if (dimension == 0) {
        transfer(call, s, local, remote);
        return;
    }
    for (ptrdiff_t i = 0; i < s->repetitions[dimension - 1]; ++i) {
        repeat(call, s, dimension - 1, local + i * s->local_steps[dimension - 1],
               remote + i * s->remote_steps[dimension - 1]);
    }
}

static void repeat_pieces(const struct call* call, struct sides* s) {
    const ptrdiff_t longest = (ptrdiff_t)1 << 30;
    const int level = s->long_level;
    for (ptrdiff_t done = 0; done < s->long_count; done += s->counts[level]) {
        const ptrdiff_t left = s->long_count - done;
        s->counts[level] = (int)(left < longest ? left : longest);
        repeat(call, s, s->repeated, s->local + done * s->local_strides[level - 1],
               s->remote + done * s->remote_strides[level - 1]);
    }
}

/*
 * Of an array without an address. The bounds of one that is not allocated are undefined, and may look
 * empty by chance. A pointer that c_f_pointer has made from the null address of an empty share has
 * a step of one element, which chance does not give.
 */
static int is_empty_share(const CFI_cdesc_t* array) {
    int is_empty = 0;
    for (int i = 0; i < array->rank; ++i) {
        if (array->dim[i].extent < 0) {
            return 0;
        }
        is_empty = is_empty || array->dim[i].extent == 0;
    }
    return is_empty && array->dim[0].sm == (ptrdiff_t)array->elem_len;
}

static void run(const struct call* call, const CFI_cdesc_t* array, void* remote,
                const ptrdiff_t* strides) {
    if (array->base_addr == NULL) {
        if (is_empty_share(array)) {
            return;
        }
        fail(call, "local", "the array is not allocated, or was not given");
    }
    if (array->rank > 0 && array->dim[array->rank - 1].extent == -1) {
        fail(call, "local", "the size of this array is not known; pass a section of it");
    }
#if ARMCI_FORTRAN_IS_GNU
    /* gfortran describes the container of a class(*) object as if it were the data. */
    if (array->type == CFI_type_other) {
        fail(call, "local",
             "gfortran does not pass where the data of class(*) is; pass it from a select type block");
    }
#endif
    if (array->elem_len > INT_MAX) {
        fail(call, "local", "one element is longer than 2 GiB; pass parts of it");
    }
    struct sides sides;
    describe_sides(array, remote, strides, &sides);
    if (sides.is_empty) {
        return;
    }
    if (sides.long_level > 0) {
        repeat_pieces(call, &sides);
    } else {
        repeat(call, &sides, sides.repeated, sides.local, sides.remote);
    }
}

/* Returns ARMCI's number of an element type, -1 if accumulate does not take it. */
static int accumulate_type(const CFI_cdesc_t* array) {
    if (array->type == CFI_type_int32_t) {
        return ARMCI_ACC_INT;
    }
    if (array->type == CFI_type_int64_t) {
        return ARMCI_ACC_LNG;
    }
    if (array->type == CFI_type_float) {
        return ARMCI_ACC_FLT;
    }
    if (array->type == CFI_type_double) {
        return ARMCI_ACC_DBL;
    }
    if (array->type == CFI_type_float_Complex) {
        return ARMCI_ACC_CPL;
    }
    if (array->type == CFI_type_double_Complex) {
        return ARMCI_ACC_DCP;
    }
    return -1;
}

static void run_accumulate(struct call* call, const CFI_cdesc_t* scale, const CFI_cdesc_t* array,
                           void* remote, const ptrdiff_t* strides) {
    call->operation = accumulate;
    call->type = accumulate_type(array);
    call->scale = scale->base_addr;
    if (call->type < 0) {
        fail(call, "local",
             "accumulate takes integers of 4 or 8 bytes, and real or complex numbers of single or "
             "double precision");
    }
    if (scale->type != array->type || scale->rank != 0) {
        fail(call, "scale", "it must be a scalar of the type of the array");
    }
    run(call, array, remote, strides);
}

#define ARMCI_FORTRAN_TRANSFER(operation)                                                        \
    void armci_fortran_##operation(const CFI_cdesc_t* local, void* remote, int rank) {           \
        const struct call call = {operation, "armci_" #operation, rank, 0, NULL, NULL};          \
        run(&call, local, remote, NULL);                                                         \
    }                                                                                            \
    void armci_fortran_##operation##_strided(const CFI_cdesc_t* local, void* remote,             \
                                             const ptrdiff_t* strides, int rank) {               \
        const struct call call = {operation, "armci_" #operation, rank, 0, NULL, NULL};          \
        run(&call, local, remote, strides);                                                      \
    }                                                                                            \
    void armci_fortran_nb_##operation(const CFI_cdesc_t* local, void* remote, int rank,          \
                                      armci_hdl_t* handle) {                                     \
        const struct call call = {operation, "armci_nb_" #operation, rank, 0, NULL, handle};     \
        run(&call, local, remote, NULL);                                                         \
    }                                                                                            \
    void armci_fortran_nb_##operation##_strided(const CFI_cdesc_t* local, void* remote,          \
                                                const ptrdiff_t* strides, int rank,              \
                                                armci_hdl_t* handle) {                           \
        const struct call call = {operation, "armci_nb_" #operation, rank, 0, NULL, handle};     \
        run(&call, local, remote, strides);                                                      \
    }

ARMCI_FORTRAN_TRANSFER(put)
ARMCI_FORTRAN_TRANSFER(get)

void armci_fortran_acc(const CFI_cdesc_t* scale, const CFI_cdesc_t* local, void* remote, int rank) {
    struct call call = {accumulate, "armci_acc", rank, 0, NULL, NULL};
    run_accumulate(&call, scale, local, remote, NULL);
}

void armci_fortran_acc_strided(const CFI_cdesc_t* scale, const CFI_cdesc_t* local, void* remote,
                               const ptrdiff_t* strides, int rank) {
    struct call call = {accumulate, "armci_acc", rank, 0, NULL, NULL};
    run_accumulate(&call, scale, local, remote, strides);
}

void armci_fortran_nb_acc(const CFI_cdesc_t* scale, const CFI_cdesc_t* local, void* remote,
                          int rank, armci_hdl_t* handle) {
    struct call call = {accumulate, "armci_nb_acc", rank, 0, NULL, handle};
    run_accumulate(&call, scale, local, remote, NULL);
}

void armci_fortran_nb_acc_strided(const CFI_cdesc_t* scale, const CFI_cdesc_t* local, void* remote,
                                  const ptrdiff_t* strides, int rank, armci_hdl_t* handle) {
    struct call call = {accumulate, "armci_nb_acc", rank, 0, NULL, handle};
    run_accumulate(&call, scale, local, remote, strides);
}

void armci_fortran_wait(armci_hdl_t* handle) {
    ARMCI_Wait(handle);
}

int armci_fortran_malloc(void** addresses, int64_t bytes) {
    return ARMCI_Malloc(addresses, bytes);
}

int armci_fortran_malloc_group(void** addresses, int64_t bytes, ARMCI_Group* group) {
    return ARMCI_Malloc_group(addresses, bytes, group);
}

int32_t armci_fortran_swap_32(void* remote, int32_t value, int rank) {
    int word = value;
    ARMCI_Rmw(ARMCI_SWAP, &word, remote, 0, rank);
    return word;
}

int64_t armci_fortran_swap_64(void* remote, int64_t value, int rank) {
    long word = value;
    ARMCI_Rmw(ARMCI_SWAP_LONG, &word, remote, 0, rank);
    return word;
}

int32_t armci_fortran_fetch_add_32(void* remote, int32_t increment, int rank) {
    int word = 0;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &word, remote, increment, rank);
    return word;
}

int64_t armci_fortran_fetch_add_64(void* remote, int64_t increment, int rank) {
    if (increment < INT32_MIN || increment > INT32_MAX) {
        const struct call call = {put, "armci_fetch_add", rank, 0, NULL, NULL};
        fail(&call, "increment", "ARMCI adds numbers of at most 4 bytes");
    }
    long word = 0;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &word, remote, (int)increment, rank);
    return word;
}

static ARMCI_Group* group_memory(void) {
    ARMCI_Group* group = malloc(sizeof *group);
    if (group == NULL) {
        ARMCI_Error("armci_group_create: no memory for a group; free some", 1);
    }
    return group;
}

ARMCI_Group* armci_fortran_new_group(int count, const int* ranks) {
    ARMCI_Group* group = group_memory();
    ARMCI_Group_create(count, (int*)(uintptr_t)ranks, group);
    return group;
}

ARMCI_Group* armci_fortran_world_group(void) {
    ARMCI_Group* group = group_memory();
    ARMCI_Group_get_world(group);
    return group;
}

void armci_fortran_delete_group(ARMCI_Group* group) {
    ARMCI_Group_free(group);
    free(group);
}

static const ARMCI_Group* existing(const ARMCI_Group* group, const char* name) {
    if (group == NULL) {
        const struct call call = {put, name, 0, 0, NULL, NULL};
        fail(&call, "group", "it has not been created, or is freed; use armci_group_create");
    }
    return group;
}

int armci_fortran_group_rank(const ARMCI_Group* group) {
    return existing(group, "armci_group_rank")->rank;
}

int armci_fortran_group_size(const ARMCI_Group* group) {
    return existing(group, "armci_group_size")->size;
}

int armci_fortran_group_comm(const ARMCI_Group* group) {
    return (int)MPI_Comm_c2f(existing(group, "armci_group_comm")->comm);
}
