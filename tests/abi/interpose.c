/* SPDX-License-Identifier: BSD-3-Clause */
// A program that replaces public functions like a profiling tool: it defines public names itself
// and calls the PARMCI_ twins. It links, because the library's own definitions are weak, and sees
// each of its own calls once and none of the library's. armci_msg_init and armci_msg_finalize are
// replaced too, as some programs do.
// promise: message.weak, profiling.weak-names
#include <armci/armci.h>
#include <armci/message.h>
#include <stdio.h>
#include <stdlib.h>

static int my_init, my_finalize;

void armci_msg_init(int* argc, char*** argv) {
    ++my_init;
    MPI_Init(argc, argv);
}

void armci_msg_finalize(void) {
    ++my_finalize;
    MPI_Finalize();
}

// One counter and one wrapper for each name.
#define WRAP(result, name, twin, parameters, arguments) \
    static int count_##name;                            \
    result name parameters {                            \
        ++count_##name;                                 \
        return twin arguments;                          \
    }
#define WRAP_VOID(name, twin, parameters, arguments) \
    static int count_##name;                         \
    void name parameters {                           \
        ++count_##name;                              \
        twin arguments;                              \
    }

WRAP(int, ARMCI_Init, PARMCI_Init, (void), ())
WRAP(int, ARMCI_Init_args, PARMCI_Init_args, (int* argc, char*** argv), (argc, argv))
WRAP(int, ARMCI_Initialized, PARMCI_Initialized, (void), ())
WRAP(int, ARMCI_Finalize, PARMCI_Finalize, (void), ())
WRAP(int, ARMCI_Malloc, PARMCI_Malloc, (void** ptrs, armci_size_t bytes), (ptrs, bytes))
WRAP(int, ARMCI_Free, PARMCI_Free, (void* ptr), (ptr))
WRAP(int, ARMCI_Put, PARMCI_Put, (void* src, void* dst, int bytes, int proc),
     (src, dst, bytes, proc))
WRAP(int, ARMCI_Get, PARMCI_Get, (void* src, void* dst, int bytes, int proc),
     (src, dst, bytes, proc))
WRAP(int, ARMCI_NbPut, PARMCI_NbPut, (void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl),
     (src, dst, bytes, proc, hdl))
WRAP(int, ARMCI_Wait, PARMCI_Wait, (armci_hdl_t * hdl), (hdl))
WRAP(int, ARMCI_WaitAll, PARMCI_WaitAll, (void), ())
WRAP(int, ARMCI_PutValueInt, PARMCI_PutValueInt, (int src, void* dst, int proc), (src, dst, proc))
WRAP(int, ARMCI_Rmw, PARMCI_Rmw, (int op, void* ploc, void* prem, int value, int proc),
     (op, ploc, prem, value, proc))
WRAP(int, ARMCI_Create_mutexes, PARMCI_Create_mutexes, (int count), (count))
WRAP(int, ARMCI_Destroy_mutexes, PARMCI_Destroy_mutexes, (void), ())
WRAP_VOID(ARMCI_Lock, PARMCI_Lock, (int mutex, int proc), (mutex, proc))
WRAP_VOID(ARMCI_Unlock, PARMCI_Unlock, (int mutex, int proc), (mutex, proc))
WRAP_VOID(ARMCI_Fence, PARMCI_Fence, (int proc), (proc))
WRAP_VOID(ARMCI_AllFence, PARMCI_AllFence, (void), ())
WRAP_VOID(ARMCI_Barrier, PARMCI_Barrier, (void), ())
WRAP_VOID(armci_msg_barrier, parmci_msg_barrier, (void), ())
WRAP_VOID(armci_msg_group_barrier, parmci_msg_group_barrier, (ARMCI_Group * group), (group))

static int failures;

static void expect(const char* what, int found, int expected) {
    if (found != expected) {
        printf("%s: %d, expected %d\n", what, found, expected);
        ++failures;
    }
}

#define EXPECT_COUNT(name, expected) expect("calls of " #name, count_##name, expected)

int main(int argc, char** argv) {
    armci_msg_init(&argc, &argv);
    ARMCI_Init();
    ARMCI_Init_args(&argc, &argv);
    expect("ARMCI_Initialized", ARMCI_Initialized(), 1);

    const int size = armci_msg_nproc();
    const int next = (armci_msg_me() + 1) % size;
    void** slices = malloc((size_t)size * sizeof(void*));
    expect("ARMCI_Malloc", ARMCI_Malloc(slices, 4 * sizeof(int)), 0);
    int* words = slices[next];

    int value = 17;
    int back = 0;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_Put(&value, &words[0], sizeof(int), next);
    ARMCI_NbPut(&value, &words[1], sizeof(int), next, &handle);
    ARMCI_Wait(&handle);
    ARMCI_PutValueInt(18, &words[2], next);
    ARMCI_WaitAll();
    ARMCI_Fence(next);
    ARMCI_AllFence();
    ARMCI_Get(&words[1], &back, sizeof(int), next);
    expect("word put", back, 17);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &back, &words[2], 1, next);
    expect("word fetched", back, 18);

    ARMCI_Create_mutexes(1);
    ARMCI_Lock(0, next);
    ARMCI_Unlock(0, next);
    ARMCI_Destroy_mutexes();

    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    armci_msg_group_barrier(&world);
    armci_msg_barrier();
    ARMCI_Barrier();
    ARMCI_Free(slices[armci_msg_me()]);
    free(slices);
    ARMCI_Finalize();
    ARMCI_Finalize();
    armci_msg_finalize();

    expect("calls of armci_msg_init", my_init, 1);
    expect("calls of armci_msg_finalize", my_finalize, 1);
    EXPECT_COUNT(ARMCI_Init, 1);
    EXPECT_COUNT(ARMCI_Init_args, 1);
    EXPECT_COUNT(ARMCI_Initialized, 1);
    EXPECT_COUNT(ARMCI_Finalize, 2);
    EXPECT_COUNT(ARMCI_Malloc, 1);
    EXPECT_COUNT(ARMCI_Free, 1);
    EXPECT_COUNT(ARMCI_Put, 1);
    EXPECT_COUNT(ARMCI_Get, 1);
    EXPECT_COUNT(ARMCI_NbPut, 1);
    EXPECT_COUNT(ARMCI_Wait, 1);
    EXPECT_COUNT(ARMCI_WaitAll, 1);
    EXPECT_COUNT(ARMCI_PutValueInt, 1);
    EXPECT_COUNT(ARMCI_Rmw, 1);
    EXPECT_COUNT(ARMCI_Create_mutexes, 1);
    EXPECT_COUNT(ARMCI_Destroy_mutexes, 1);
    EXPECT_COUNT(ARMCI_Lock, 1);
    EXPECT_COUNT(ARMCI_Unlock, 1);
    EXPECT_COUNT(ARMCI_Fence, 1);
    EXPECT_COUNT(ARMCI_AllFence, 1);
    EXPECT_COUNT(ARMCI_Barrier, 1);
    EXPECT_COUNT(armci_msg_barrier, 1);
    EXPECT_COUNT(armci_msg_group_barrier, 1);
    return failures != 0;
}
