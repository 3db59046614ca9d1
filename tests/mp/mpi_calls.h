// SPDX-License-Identifier: BSD-3-Clause
// Every function of MPI that the library or the harness calls, except MPI_Wtime: CALL(name,
// parameters, arguments). The test mp.mpi_callers.complete finds missing ones.
#pragma once

#include <mpi.h>

#define ARMCI_MPI_CALLS(CALL)                                                                      \
    CALL(MPI_Abort, (MPI_Comm a, int b), (a, b))                                                   \
    CALL(MPI_Allgather,                                                                            \
         (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g),       \
         (a, b, c, d, e, f, g))                                                                    \
    CALL(MPI_Allreduce, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),     \
         (a, b, c, d, e, f))                                                                       \
    CALL(MPI_Barrier, (MPI_Comm a), (a))                                                           \
    CALL(MPI_Comm_create_group, (MPI_Comm a, MPI_Group b, int c, MPI_Comm* d), (a, b, c, d))       \
    CALL(MPI_Comm_create_keyval,                                                                   \
         (MPI_Comm_copy_attr_function * a, MPI_Comm_delete_attr_function * b, int* c, void* d),    \
         (a, b, c, d))                                                                             \
    CALL(MPI_Comm_dup, (MPI_Comm a, MPI_Comm * b), (a, b))                                         \
    CALL(MPI_Comm_free, (MPI_Comm * a), (a))                                                       \
    CALL(MPI_Comm_get_attr, (MPI_Comm a, int b, void* c, int* d), (a, b, c, d))                    \
    CALL(MPI_Comm_get_errhandler, (MPI_Comm a, MPI_Errhandler * b), (a, b))                        \
    CALL(MPI_Comm_get_parent, (MPI_Comm * a), (a))                                                 \
    CALL(MPI_Comm_group, (MPI_Comm a, MPI_Group * b), (a, b))                                      \
    CALL(MPI_Comm_idup, (MPI_Comm a, MPI_Comm * b, MPI_Request * c), (a, b, c))                    \
    CALL(MPI_Comm_rank, (MPI_Comm a, int* b), (a, b))                                              \
    CALL(MPI_Comm_set_attr, (MPI_Comm a, int b, void* c), (a, b, c))                               \
    CALL(MPI_Comm_set_errhandler, (MPI_Comm a, MPI_Errhandler b), (a, b))                          \
    CALL(MPI_Comm_size, (MPI_Comm a, int* b), (a, b))                                              \
    CALL(MPI_Comm_split, (MPI_Comm a, int b, int c, MPI_Comm* d), (a, b, c, d))                    \
    CALL(MPI_Errhandler_free, (MPI_Errhandler * a), (a))                                           \
    CALL(MPI_Finalize, (), ())                                                                     \
    CALL(MPI_Finalized, (int* a), (a))                                                             \
    CALL(                                                                                          \
        MPI_Gather,                                                                                \
        (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h), \
        (a, b, c, d, e, f, g, h))                                                                  \
    CALL(MPI_Get_count, (const MPI_Status* a, MPI_Datatype b, int* c), (a, b, c))                  \
    CALL(MPI_Get_library_version, (char* a, int* b), (a, b))                                       \
    CALL(MPI_Group_free, (MPI_Group * a), (a))                                                     \
    CALL(MPI_Group_incl, (MPI_Group a, int b, const int* c, MPI_Group* d), (a, b, c, d))           \
    CALL(MPI_Iallgather,                                                                           \
         (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g,        \
          MPI_Request* h),                                                                         \
         (a, b, c, d, e, f, g, h))                                                                 \
    CALL(MPI_Iallreduce,                                                                           \
         (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g),    \
         (a, b, c, d, e, f, g))                                                                    \
    CALL(MPI_Ialltoall,                                                                            \
         (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g,        \
          MPI_Request* h),                                                                         \
         (a, b, c, d, e, f, g, h))                                                                 \
    CALL(MPI_Ialltoallv,                                                                           \
         (const void* a, const int* b, const int* c, MPI_Datatype d, void* e, const int* f,        \
          const int* g, MPI_Datatype h, MPI_Comm i, MPI_Request* j),                               \
         (a, b, c, d, e, f, g, h, i, j))                                                           \
    CALL(MPI_Ibarrier, (MPI_Comm a, MPI_Request * b), (a, b))                                      \
    CALL(MPI_Ibcast, (void* a, int b, MPI_Datatype c, int d, MPI_Comm e, MPI_Request* f),          \
         (a, b, c, d, e, f))                                                                       \
    CALL(MPI_Igather,                                                                              \
         (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h, \
          MPI_Request* i),                                                                         \
         (a, b, c, d, e, f, g, h, i))                                                              \
    CALL(MPI_Improbe, (int a, int b, MPI_Comm c, int* d, MPI_Message* e, MPI_Status* f),           \
         (a, b, c, d, e, f))                                                                       \
    CALL(MPI_Imrecv, (void* a, int b, MPI_Datatype c, MPI_Message* d, MPI_Request* e),             \
         (a, b, c, d, e))                                                                          \
    CALL(MPI_Init, (int* a, char*** b), (a, b))                                                    \
    CALL(MPI_Init_thread, (int* a, char*** b, int c, int* d), (a, b, c, d))                        \
    CALL(MPI_Initialized, (int* a), (a))                                                           \
    CALL(MPI_Iprobe, (int a, int b, MPI_Comm c, int* d, MPI_Status* e), (a, b, c, d, e))           \
    CALL(MPI_Irecv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),    \
         (a, b, c, d, e, f, g))                                                                    \
    CALL(MPI_Ireduce,                                                                              \
         (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g,              \
          MPI_Request* h),                                                                         \
         (a, b, c, d, e, f, g, h))                                                                 \
    CALL(MPI_Iscatter,                                                                             \
         (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h, \
          MPI_Request* i),                                                                         \
         (a, b, c, d, e, f, g, h, i))                                                              \
    CALL(MPI_Isend,                                                                                \
         (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),         \
         (a, b, c, d, e, f, g))                                                                    \
    CALL(MPI_Query_thread, (int* a), (a))                                                          \
    CALL(MPI_Recv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Status* g),      \
         (a, b, c, d, e, f, g))                                                                    \
    CALL(                                                                                          \
        MPI_Scatter,                                                                               \
        (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g, MPI_Comm h), \
        (a, b, c, d, e, f, g, h))                                                                  \
    CALL(MPI_Send, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),               \
         (a, b, c, d, e, f))                                                                       \
    CALL(MPI_Sendrecv,                                                                             \
         (const void* a, int b, MPI_Datatype c, int d, int e, void* f, int g, MPI_Datatype h,      \
          int i, int j, MPI_Comm k, MPI_Status* l),                                                \
         (a, b, c, d, e, f, g, h, i, j, k, l))                                                     \
    CALL(MPI_Test, (MPI_Request * a, int* b, MPI_Status* c), (a, b, c))                            \
    CALL(MPI_Type_commit, (MPI_Datatype * a), (a))                                                 \
    CALL(MPI_Type_contiguous, (int a, MPI_Datatype b, MPI_Datatype* c), (a, b, c))                 \
    CALL(MPI_Type_free, (MPI_Datatype * a), (a))                                                   \
    CALL(MPI_Wait, (MPI_Request * a, MPI_Status * b), (a, b))
