/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extensions of ARMCI: groups by colour, sets of mutexes, remote access to memory that the library
 * did not allocate, and a look inside the library. The conventions of armci.h apply.
 */
#ifndef ARMCI_ARMCIX_H
#define ARMCI_ARMCIX_H

#include "armci.h"

/** How a transfer moves. */
enum armcix_route_e {
    ARMCIX_ROUTE_LOCAL = 0, /* loads and stores: the target shares memory with the caller */
    ARMCIX_ROUTE_RMA = 1,   /* remote reads and writes by the network */
    ARMCIX_ROUTE_SERVER = 2 /* messages to the data server of the target's node */
};

typedef struct {
    unsigned long long operations;
    unsigned long long bytes; /* of user data */
} armcix_counter_t;

/**
 * What this process has done since the library was started. Every put, get or accumulate call that
 * moves at least one byte is counted once, under the route it took; a vector call once for each
 * length that its segments have. The arrays are indexed by ARMCIX_ROUTE_*. New members are only
 * ever added at the end.
 */
typedef struct armcix_stats {
    armcix_counter_t put[3];
    armcix_counter_t get[3];
    armcix_counter_t acc[3];
    unsigned long long rmw;           /* ARMCI_Rmw calls */
    unsigned long long fences;        /* fences that had to wait for a remote answer */
    unsigned long long messages_sent; /* messages to data servers */
    unsigned long long chunks_sent;   /* of these, messages that carried user data */
    unsigned long long buffer_waits;  /* times a chunk waited for a buffer, here or there */
    unsigned long long buffer_bytes;  /* of the pipeline's buffers in this process */
    unsigned long long buffer_high_water_bytes; /* of these, in use at a time at most so far */
    unsigned long long waits;          /* for the network, by a thread that may sleep meanwhile */
    unsigned long long waits_asleep;   /* of these, without polling first */
    unsigned long long server_frames;  /* executed by the data server in this process, if any */
    unsigned long long server_busy_ns; /* nanoseconds that it spent on these frames */
} armcix_stats_t;

/** A set of mutexes, owned by the library between create and destroy. */
typedef struct armcix_mutex_hdl_s* armcix_mutex_hdl_t;

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Groups ---- */

/**
 * Splits a group: members that pass the same color form a new group, ordered by key, then by rank
 * in parent. A member that passes MPI_UNDEFINED gets a group without members. Collective over
 * parent. Threads may split and duplicate different groups at the same time.
 */
int ARMCIX_Group_split(ARMCI_Group* parent, int color, int key, ARMCI_Group* new_group);

/** Makes a second group of the same members. Collective over parent. */
int ARMCIX_Group_dup(ARMCI_Group* parent, ARMCI_Group* new_group);

/** Stores the communicator of world in *comm; it belongs to the library. */
void ARMCIX_Get_world_comm(MPI_Comm* comm);

/* ---- Sets of mutexes ----
 *
 * Like ARMCI_Create_mutexes and its companions, but any number of sets may exist, each on a group.
 * proc is a rank of world.
 */

/** Creates a set in which the caller owns count mutexes. Collective over the group. */
armcix_mutex_hdl_t ARMCIX_Create_mutexes_hdl(int count, ARMCI_Group* pgroup);

/** Destroys the set; collective over its group. No mutex of it may be held. */
int ARMCIX_Destroy_mutexes_hdl(armcix_mutex_hdl_t hdl);

void ARMCIX_Lock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);
void ARMCIX_Unlock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/**
 * Returns 0 if the caller holds the mutex now, non-zero if another process does. Does not wait for
 * it.
 */
int ARMCIX_Trylock_hdl(armcix_mutex_hdl_t hdl, int mutex, int proc);

/* ---- Attached memory ---- */

/**
 * Makes [ptr, ptr + bytes) of the caller's own memory (from malloc or mmap, on the stack, static)
 * accessible to all ranks: put, get and accumulate in all their forms, flags, values and ARMCI_Rmw,
 * with the caller as proc. Not collective; the others learn the address as the program tells them,
 * and use it after a message or a barrier that follows this call. A remote range must lie inside
 * one attached range. The caller loads and stores the memory as before; see docs/semantics.md for
 * what is atomic. At most 8192 ranges can be attached on a node at a time.
 *
 * A null pointer, no bytes, a range that overlaps global memory or one that the caller has attached
 * already, and a system that forbids the ranks of a node to access each other's memory end the job.
 * Returns 0.
 */
int ARMCIX_Attach(void* ptr, size_t bytes);

/**
 * Ends what ARMCIX_Attach began at ptr. The last use by other ranks, with its fence, must
 * be over, and a message or a barrier must have informed the caller. Call it before the memory is
 * freed; the last ARMCI_Finalize detaches what is still attached. Anything but the beginning of an
 * attached range ends the job. Returns 0.
 */
int ARMCIX_Detach(void* ptr);

/* ---- Progress and insight ---- */

/**
 * Makes progress with the caller's own outstanding operations. Others' operations on the caller do
 * not need it, except with ARMCI_PROGRESS_THREAD=0.
 */
void ARMCIX_Progress(void);

/**
 * Copies this process's counters to *out: the first out_bytes bytes of the structure, or all of it
 * if out_bytes is larger. Pass sizeof(*out); then programs and library may differ in their version.
 */
int ARMCIX_Stats(armcix_stats_t* out, size_t out_bytes);

/** Returns the route that a large contiguous put to proc takes now: one of ARMCIX_ROUTE_*. */
int ARMCIX_Route(int proc);

/**
 * Returns the libfabric provider in use, "none" when the job has one node. The string belongs to
 * the library.
 */
const char* ARMCIX_Provider(void);

/**
 * Return the number of the node of proc (processes of one node share memory), and the number of
 * nodes. Unlike armci_domain_*, these always show how the library itself moves data.
 */
int ARMCIX_Node(int proc);
int ARMCIX_Node_count(void);

/**
 * Limits how many chunks of a transfer the caller has under way at a time on the data server's
 * route, from now on: 1 means that each is unpacked before the next is packed, which shows what the
 * pipeline gains. 0, the default: as many as there are buffers. Nothing may be under way. Returns
 * the previous limit; a negative one ends the job. In a job of one node there is no such route: the
 * limit is ignored, and the result is 0.
 */
int ARMCIX_Set_pipeline_depth(int chunks);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
