/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARMCI: one-sided communication. A process reads, writes and updates memory of another process,
 * which need not call anything for that to happen.
 *
 * MPI carries start-up and collectives: MPI_Init comes before ARMCI_Init, ARMCI_Finalize before
 * MPI_Finalize.
 *
 * Words and rules that hold for every call unless its comment says otherwise:
 *
 * world       The communicator the library was started on: a duplicate of MPI_COMM_WORLD, or of the
 *             one given to ARMCI_Init_thread_comm or ARMCI_Init_mpi_comm.
 * proc        A rank of world, also for memory that belongs to a group. It may be the caller.
 * collective  To be called by all processes of world, or of the group that is passed. Calls that
 *             are not marked collective need no partner.
 * addresses   A remote address is an address in proc's own address space: an entry of the table
 *             filled by ARMCI_Malloc or ARMCI_Malloc_group, plus an offset in bytes; or one in
 *             memory that proc has attached (ARMCIX_Attach in armcix.h). The whole remote range
 *             lies inside one allocation or attached range. Local buffers are any memory of the
 *             caller: stack, heap, ARMCI_Malloc_local, or its own part of an ARMCI_Malloc.
 * source      Argument lists name the source first and the destination second. The source of a get
 *             is remote; the source of a put or accumulate is local.
 * alignment   Put and get take any byte alignment. Accumulate and read-modify-write need operands
 *             aligned for their basic type (a complex number needs that of its parts).
 * units       Sizes and strides are in bytes. Offsets and totals are computed in 64 bits: a strided
 *             or vector transfer may exceed 2 GiB although each argument is an int.
 * nothing     A transfer of zero bytes (any count, length or number of segments is 0) is legal,
 *             moves nothing and looks at no pointer.
 * descriptors Stride, count and iov arrays and *scale are read before the call returns, also by
 *             non-blocking calls; only the data buffers stay in use.
 *
 * Completion
 *   local     The caller's buffers may be reused (put, accumulate) or hold the data (get).
 *   remote    The data is in proc's memory, visible to its processor and to every other process.
 * Blocking put and accumulate return at local completion; blocking get, value get and
 * read-modify-write return when complete. The fences are ARMCI_Fence, ARMCI_AllFence,
 * ARMCI_GroupFence, ARMCI_Barrier, ARMCI_Unlock, ARMCIX_Unlock_hdl, all forms of ARMCI_Free for
 * global memory, and ARMCI_Finalize. They give remote completion of puts and accumulates, whose
 * local buffers may be reused then, and complete gets that have no handle. A get with a handle is
 * complete when ARMCI_Wait or ARMCI_Test says so.
 *
 * Order
 *   Blocking operations (read-modify-write included) of one process on the same bytes of one target
 *   take effect in program order, whatever their shape: a get sees the caller's earlier puts and
 *   accumulates without a fence. Non-blocking operations take their place when they have been
 *   waited for. Operations of different processes, or on different targets, are ordered only by
 *   fence and synchronisation: put, ARMCI_Fence, then any MPI message or barrier, is enough.
 *
 * Atomicity
 *   Accumulates are atomic towards each other for each int, long, float or double,
 *   read-modify-writes towards each other for the whole word, from any rank, the owner
 *   included. Neither is atomic towards the other, towards puts, or towards direct loads and
 *   stores.
 *
 * Threads
 *   The library runs at an MPI thread level: ARMCI_Init, ARMCI_Init_args and ARMCI_Init_mpi_comm
 *   take the one that MPI provides to the process (MPI_Query_thread), ARMCI_Init_thread and
 *   ARMCI_Init_thread_comm the one they are given. At MPI_THREAD_MULTIPLE any thread may call at
 *   any time; below it the rules of MPI for that level hold for the calls of this library, too.
 *   At all levels, collective calls on a group are made one after the other, in the same order on
 *   all members.
 *   Ranks may have different levels.
 *
 * Errors
 *   Functions that return int return 0 on success. A misuse (rank or address out of range, call
 *   before ARMCI_Init, ...) prints one message on standard error and ends the job by MPI_Abort.
 *
 * Every function that has a PARMCI_ or parmci_ twin (parmci.h) is a weak alias of it: a profiling
 * tool may define the ARMCI_ name itself and call the twin.
 */
#ifndef ARMCI_ARMCI_H
#define ARMCI_ARMCI_H

#include <mpi.h>
#include <stddef.h>

/** Tells this interface from others called ARMCI; programs test it with #ifdef. */
#define ARMCI_MPI 3

/**
 * Stride levels that every ARMCI takes. This library takes more: at most 16 that cannot be merged,
 * where a level merges with the one below if it continues that on both sides.
 */
#define ARMCI_MAX_STRIDE_LEVEL 8

typedef long armci_size_t;
#define ARMCII_MPI_SIZE_T MPI_LONG

/** Element types of accumulate, with the type that the scale argument points to. */
enum ARMCI_Acc_e {
    ARMCI_ACC_INT, /* int */
    ARMCI_ACC_LNG, /* long */
    ARMCI_ACC_FLT, /* float */
    ARMCI_ACC_DBL, /* double */
    ARMCI_ACC_CPL, /* complex: two floats, real part first */
    ARMCI_ACC_DCP  /* double complex: two doubles, real part first */
};

/** Kinds of domain (sets of processes that may share memory). */
enum armci_domain_e { ARMCI_DOMAIN_SMP };
typedef int armci_domain_t;

/** Operations of ARMCI_Rmw. */
enum ARMCI_Rmw_e {
    ARMCI_FETCH_AND_ADD,      /* on int */
    ARMCI_FETCH_AND_ADD_LONG, /* on long */
    ARMCI_SWAP,               /* on int */
    ARMCI_SWAP_LONG           /* on long */
};

/**
 * Handle of non-blocking operations, owned by the caller. The contents belong to the library.
 * ARMCI_INIT_HANDLE makes it idle; there is nothing to destroy, and forgetting a handle leaks
 * nothing.
 */
typedef struct armci_hdl_s {
    int target;
    int aggregate;
} armci_hdl_t;

/**
 * One descriptor of a vector operation: segment k goes from src_ptr_array[k] to dst_ptr_array[k].
 */
typedef struct {
    void** src_ptr_array;
    void** dst_ptr_array;
    int bytes;         /* length of every segment */
    int ptr_array_len; /* number of segments */
} armci_giov_t;

/**
 * Group of processes. It may be copied freely; every copy names the same group. comm is a valid
 * communicator over the members in group order until ARMCI_Group_free (for world: until the last
 * ARMCI_Finalize), for any use including point-to-point messages of the program. In a process that
 * is not a member comm is MPI_COMM_NULL, rank -1 and size 0. The other fields belong to the
 * library.
 */
typedef struct {
    MPI_Comm comm;
    MPI_Comm noncoll_pgroup_comm;
    int* grp_to_abs;
    int* abs_to_grp;
    int rank;
    int size;
} ARMCI_Group;

/** Piece of remotely accessible memory made by ARMCI_Memget. It may be sent to other processes. */
typedef struct armci_meminfo_ds {
    char* armci_addr; /* address for ARMCI calls that name process cpid */
    char* addr;       /* address for direct use by the creator */
    size_t size;      /* bytes */
    int cpid;         /* the creator's rank in world */
    long idlist[128]; /* belongs to the library */
} armci_meminfo_t;

/** Walks over the contiguous segments of a strided array; see armci_stride_info_init. */
typedef struct stride_info_s {
    char* base_ptr;
    int stride_levels;
    int stride_arr[ARMCI_MAX_STRIDE_LEVEL];
    int seg_count[ARMCI_MAX_STRIDE_LEVEL + 1];
    int size;
    int pos;
    int itr[ARMCI_MAX_STRIDE_LEVEL];
} stride_info_t;

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Start, stop, errors ---- */

/**
 * Starts the library on MPI_COMM_WORLD, at the thread level that MPI provides to this process, or
 * at a lower one that ARMCI_THREAD_LEVEL names. Collective when it starts the library. Calls are
 * counted: every further one (also of the other ARMCI_Init forms) asks for one more ARMCI_Finalize
 * and does nothing else, except that it raises the thread level if it is for a higher one: none
 * lowers it, and no other thread is in the library when it is raised to MPI_THREAD_MULTIPLE. The
 * library may be started again after the last ARMCI_Finalize.
 */
int ARMCI_Init(void);

/** Same as ARMCI_Init. The arguments are ignored and may be NULL. */
int ARMCI_Init_args(int* argc, char*** argv);

/**
 * Same as ARMCI_Init for the MPI thread level armci_requested, whatever ARMCI_THREAD_LEVEL says.
 * The call ends the job if MPI provides less. A program may ask for less than MPI provides: its
 * threads then keep to the rules of that level, and each call saves some time.
 */
int ARMCI_Init_thread(int armci_requested);

/** Same as ARMCI_Init_thread, on (a duplicate of) comm; collective over comm only. */
int ARMCI_Init_thread_comm(int armci_requested, MPI_Comm comm);

/**
 * Starts the library on (a duplicate of) comm, at the thread level that ARMCI_Init takes;
 * collective over comm only. This call is not counted: one ARMCI_Finalize ends the library also
 * when ARMCI_Init follows. If the library is up already, comm is ignored, and the call only raises
 * the thread level as ARMCI_Init does. Returns 1 on success and 0 on failure, unlike the other
 * calls.
 */
int ARMCI_Init_mpi_comm(MPI_Comm comm);

/** Returns 1 between start and last ARMCI_Finalize, else 0. May be called at any time. */
int ARMCI_Initialized(void);

/**
 * Takes back one ARMCI_Init. The call that takes back the last one is collective: it completes all
 * communication, frees what was left allocated and stops the library. A call when the library is
 * not up does nothing.
 */
int ARMCI_Finalize(void);

/** For error paths: may be called by one process alone, at any time. Never waits for others. */
void ARMCI_Cleanup(void);

/**
 * Prints msg with the caller's rank on standard error and ends the job with code. Does not return.
 */
void ARMCI_Error(const char* msg, int code);

/* ---- Memory ---- */

/**
 * Allocates global memory; collective over world. Each process contributes bytes (they may differ,
 * and be 0) and gets in base_ptrs[r], for every rank r of world, the address of r's part: NULL
 * exactly where r asked for 0 bytes. Parts are aligned to 64 bytes at least; their contents are
 * undefined. The memory may be used remotely as soon as the call returns anywhere. Returns non-zero
 * on every process if some process has not enough memory.
 */
int ARMCI_Malloc(void** base_ptrs, armci_size_t bytes);

/** Same over a group: base_ptrs has one entry for each group rank. Collective over the group. */
int ARMCI_Malloc_group(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group);

/**
 * Frees an allocation of ARMCI_Malloc; collective over world. ptr is the caller's own part, NULL if
 * it contributed 0 bytes. Operations under way on the memory are completed first, and no process
 * frees before all have called.
 */
int ARMCI_Free(void* ptr);

/** Same for ARMCI_Malloc_group; collective over the group, which may have been freed meanwhile. */
int ARMCI_Free_group(void* ptr, ARMCI_Group* group);

/**
 * Allocates memory that is good as a local communication buffer. It is private to the caller: not
 * the remote side of an operation, unless it is attached. Returns NULL when there is not enough
 * memory. It stays valid after the last ARMCI_Finalize, and can be freed after another ARMCI_Init.
 */
void* ARMCI_Malloc_local(armci_size_t bytes);

/** Frees memory of ARMCI_Malloc_local; NULL is allowed. */
int ARMCI_Free_local(void* ptr);

/** ARMCI_Malloc, ARMCI_Malloc_group and ARMCI_Free with a device hint, which is ignored. */
int ARMCI_Malloc_memdev(void** base_ptrs, armci_size_t bytes, const char* device);
int ARMCI_Malloc_group_memdev(void** base_ptrs, armci_size_t bytes, ARMCI_Group* group,
                              const char* device);
int ARMCI_Free_memdev(void* ptr);

/**
 * Bracket direct loads and stores to the caller's own part ptr of global memory. They order these
 * against the processor's other accesses; direct access without them is legal as well.
 */
void ARMCI_Access_begin(void* ptr);
void ARMCI_Access_end(void* ptr);

/**
 * Limits the global memory of this process to the given number of bytes; 0 means no limit. May be
 * called before ARMCI_Init.
 */
void ARMCI_Set_shm_limit(unsigned long bytes);

/** Return 0: callers need not care how memory is shared inside a node. */
int ARMCI_Uses_shm(void);
int ARMCI_Uses_shm_grp(ARMCI_Group* group);

/**
 * Allocates remotely accessible memory without any partner. *meminfo describes it and may be sent
 * to other processes. memflg is ignored. Ends the job when there is not enough memory.
 */
void ARMCI_Memget(size_t bytes, armci_meminfo_t* meminfo, int memflg);

/** Returns the address, offset bytes into the memory, for ARMCI calls that name meminfo->cpid. */
void* ARMCI_Memat(armci_meminfo_t* meminfo, long offset);

/** Ends the use of an address from ARMCI_Memat with the same offset. */
void ARMCI_Memdt(armci_meminfo_t* meminfo, long offset);

/** Frees the memory. Only the creator may call this, when no rank uses the memory any more. */
void ARMCI_Memctl(armci_meminfo_t* meminfo);

/** Copies inside the caller's memory; the ranges may overlap. */
void ARMCI_Copy(void* src, void* dst, int bytes);

/* ---- Contiguous transfers ----
 *
 * Put copies from local src to dst at proc, get from src at proc to local dst.
 */

int ARMCI_Put(void* src, void* dst, int bytes, int proc);
int ARMCI_Get(void* src, void* dst, int bytes, int proc);

/**
 * Adds *scale times each element of src to the element of dst at proc. datatype is one of
 * ARMCI_ACC_*, scale points to one value of that type, bytes is a multiple of its size.
 */
int ARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc);

/**
 * Put, then stores value in the int *flag at proc. A process that sees the flag, by plain loads
 * at the target or remotely, also sees this data and the caller's earlier puts to proc. Returns at
 * local completion.
 */
int ARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc);

/* ---- Strided transfers ----
 *
 * A strided array is a contiguous block that repeats at stride_levels = L >= 0 nested distances:
 *   count[0]              bytes of the block
 *   count[i],     1..L    number of repetitions at level i
 *   stride_ar[i], 0..L-1  bytes from one repetition to the next at level i + 1
 * Both sides have the same counts and their own strides; src_ptr and dst_ptr address the first
 * block. A block of 5 rows of 3 doubles out of rows of 100 doubles: L = 1, count = {3 * 8, 5},
 * stride_ar = {100 * 8}. With L = 0 the stride arrays are not read and may be NULL.
 *
 * Strides may be negative, need not grow with the level nor divide each other, and may be smaller
 * than what they step over in the source. Where blocks of the destination overlap, a put leaves any
 * one of the values; an accumulate adds all.
 */

int ARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);
int ARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[],
               int stride_levels, int proc);

/** Strided ARMCI_Acc; count[0] is a multiple of the element size. */
int ARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
               int dst_stride_ar[], int count[], int stride_levels, int proc);

/** Strided ARMCI_Put_flag. The second name is the same function. */
int ARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                    int count[], int stride_levels, int* flag, int value, int proc);
int ARMCI_PutS_flag_dir(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                        int count[], int stride_levels, int* flag, int value, int proc);

/* ---- Vector transfers ----
 *
 * iov_len descriptors of equally long segments at arbitrary addresses. Remote segments may lie in
 * different allocations, repeat and overlap: an accumulate adds all, a put leaves any one of the
 * values. Segments have no order among themselves.
 */

int ARMCI_PutV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_GetV(armci_giov_t* iov, int iov_len, int proc);
int ARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc);

/* ---- Non-blocking transfers ----
 *
 * The forms with Nb start the transfer and return; its data buffers stay in use until local
 * completion. With hdl == NULL it is an implicit one, completed by ARMCI_WaitProc or ARMCI_WaitAll
 * (and by any fence). A handle that is still active when it is given to another operation stands
 * for both. There is no limit on the number of operations under way.
 */

/** Makes a handle idle. */
void ARMCI_INIT_HANDLE(armci_hdl_t* hdl);

/** Announces that several operations will share the handle, and takes that back. */
void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* hdl);
void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* hdl);

int ARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl);
int ARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                armci_hdl_t* hdl);

int ARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int ARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                 int count[], int stride_levels, int proc, armci_hdl_t* hdl);
int ARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr,
                 int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t* hdl);

int ARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* hdl);
int ARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* hdl);
int ARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc,
                 armci_hdl_t* hdl);

/**
 * Waits for local completion of every operation on the handle, which is idle afterwards and may be
 * used again. An idle handle returns at once. NULL is the same as ARMCI_WaitAll.
 */
int ARMCI_Wait(armci_hdl_t* hdl);

/**
 * Returns 0 if all operations on the handle are locally complete (it is idle then), else non-zero.
 * Before it returns 0 it may wait until small operations have left this process.
 */
int ARMCI_Test(armci_hdl_t* hdl);

/** Wait for local completion of the implicit operations to proc, and to all processes. */
int ARMCI_WaitProc(int proc);
int ARMCI_WaitAll(void);

/* ---- One value ----
 *
 * Put and get of one element. The non-blocking puts keep a copy of the value.
 */

int ARMCI_PutValueInt(int src, void* dst, int proc);
int ARMCI_PutValueLong(long src, void* dst, int proc);
int ARMCI_PutValueFloat(float src, void* dst, int proc);
int ARMCI_PutValueDouble(double src, void* dst, int proc);

int ARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* hdl);
int ARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* hdl);

int ARMCI_GetValueInt(void* src, int proc);
long ARMCI_GetValueLong(void* src, int proc);
float ARMCI_GetValueFloat(void* src, int proc);
double ARMCI_GetValueDouble(void* src, int proc);

/* ---- Fence and barrier ---- */

/**
 * Waits for remote completion of everything this process has sent to proc: blocking, non-blocking
 * and implicit, on every allocation; and for its gets from proc that have no handle. Costs next to
 * nothing when nothing is outstanding.
 */
void ARMCI_Fence(int proc);

/** Same for all processes. */
void ARMCI_AllFence(void);

/** Same for at least the members of the group. Not collective. */
void ARMCI_GroupFence(ARMCI_Group* group);

/** ARMCI_AllFence followed by a barrier over world. Collective. */
void ARMCI_Barrier(void);

/**
 * Point-to-point synchronisation. armci_notify sends proc a notification behind all earlier
 * operations of the caller to proc, and returns how many it has sent to proc so far.
 * armci_notify_wait returns when the next notification from proc has arrived, with its number in
 * *pval; its result is the number that have arrived so far.
 */
int armci_notify(int proc);
int armci_notify_wait(int proc, int* pval);

/* ---- Atomic operations and mutexes ---- */

/**
 * Carries out an atomic operation on the word *prem at proc. FETCH_AND_ADD adds value; SWAP stores
 * the word found in *ploc and ignores value. *ploc, local, receives the old contents of *prem.
 * Returns when the update has been made at proc.
 */
int ARMCI_Rmw(int op, void* ploc, void* prem, int value, int proc);

/**
 * Creates count >= 0 mutexes owned by the caller, numbered from 0; each process chooses its own
 * count. Collective over world. One set exists at a time.
 */
int ARMCI_Create_mutexes(int count);

/** Destroys all of them; collective over world. None may be held. */
int ARMCI_Destroy_mutexes(void);

/**
 * Waits until the caller holds mutex number `mutex` owned by proc. Waiters are served in order;
 * proc need not call anything. A mutex is not recursive. What the previous holder wrote, to any
 * process, is visible.
 */
void ARMCI_Lock(int mutex, int proc);

/** Completes the caller's earlier operations remotely and releases the mutex. */
void ARMCI_Unlock(int mutex, int proc);

/* ---- Groups ---- */

/**
 * Makes a group of n processes, given by their ranks in the caller's default group, in that order.
 * To be called by all members; others may call too, and get a group without members. Groups with
 * common members are made in the same order by all of these. Threads may make groups at the same
 * time that have only their own process in common.
 */
void ARMCI_Group_create(int n, int* pid_list, ARMCI_Group* group_out);

/** Same with ranks of the group parent. */
void ARMCI_Group_create_child(int n, int* pid_list, ARMCI_Group* group_out,
                              ARMCI_Group* group_parent);

/**
 * Frees a group; collective over its members, without effect for others. Memory allocated on the
 * group stays valid until it is freed itself.
 */
void ARMCI_Group_free(ARMCI_Group* group);

/**
 * Stores the caller's rank in the group in *rank. Returns 0, or non-zero with *rank = -1 if it is
 * not a member.
 */
int ARMCI_Group_rank(ARMCI_Group* group, int* rank);

/** Stores the number of members in *size, 0 if the caller is not one. */
void ARMCI_Group_size(ARMCI_Group* group, int* size);

/**
 * The caller's default group: world until set. Only ARMCI_Group_create looks at it. Setting it
 * concerns the caller alone.
 */
void ARMCI_Group_set_default(ARMCI_Group* group);
void ARMCI_Group_get_default(ARMCI_Group* group_out);

/** Stores the group of all processes in *group_out. It must not be freed. */
void ARMCI_Group_get_world(ARMCI_Group* group_out);

/** Returns the rank in world of a member given by its group rank, -1 if there is none. */
int ARMCI_Absolute_id(ARMCI_Group* group, int group_rank);

/** Returns the group's communicator, the same as group->comm. */
MPI_Comm armci_group_comm(ARMCI_Group* group);

/* ---- Topology ----
 *
 * A domain is a set of processes that may use each other's addresses directly. Unless
 * ARMCI_DOMAINS=node is in the environment each process is a domain of its own, whose number is its
 * rank in world, so that programs rely on ARMCI calls alone. domain is ARMCI_DOMAIN_SMP.
 */

/** Return the number of domains, and the number of the caller's domain. */
int armci_domain_count(armci_domain_t domain);
int armci_domain_my_id(armci_domain_t domain);

/** Returns how many processes are in domain number id (-1: the caller's). */
int armci_domain_nprocs(armci_domain_t domain, int id);

/** Returns the domain number of a process. */
int armci_domain_id(armci_domain_t domain, int glob_proc_id);

/** Returns the rank in world of process loc_proc_id (counted from 0) of domain number id. */
int armci_domain_glob_proc_id(armci_domain_t domain, int id, int loc_proc_id);

/** Return non-zero if proc belongs to the caller's domain. */
int armci_domain_same_id(armci_domain_t domain, int proc);
int ARMCI_Same_node(int proc);

/* ---- Packing a strided array of the caller ----
 *
 * Arguments as in the strided transfers; buf holds the blocks one after the other.
 */

/** Copies the strided array at ptr to buf. */
void armci_write_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);

/** Copies buf to the strided array at ptr. */
void armci_read_strided(void* ptr, int stride_levels, int stride_arr[], int count[], char* buf);

/**
 * Starts a walk over the segments of a strided array (at most ARMCI_MAX_STRIDE_LEVEL levels, all
 * counts positive). Use:
 *   for (armci_stride_info_init(...); armci_stride_info_has_more(&s); armci_stride_info_next(&s))
 */
void armci_stride_info_init(stride_info_t* sinfo, void* base_ptr, int stride_levels,
                            const int* stride_arr, const int* seg_count);
void armci_stride_info_destroy(stride_info_t* sinfo);

/** Return the number of segments, and the index of the current one. */
int armci_stride_info_size(stride_info_t* sinfo);
int armci_stride_info_pos(stride_info_t* sinfo);

/** Goes to the next segment. */
void armci_stride_info_next(stride_info_t* sinfo);

/** Return the address and the bytes of the current segment. */
void* armci_stride_info_seg_ptr(stride_info_t* sinfo);
int armci_stride_info_seg_size(stride_info_t* sinfo);

/** Returns non-zero while there is a current segment. */
int armci_stride_info_has_more(stride_info_t* sinfo);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

/* The rest of the interface: it needs the types above. */
#include "message.h"
#include "parmci.h"

#endif
