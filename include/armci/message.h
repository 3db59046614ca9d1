/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARMCI's message layer: the sends, broadcasts and reductions that programs on global memory use
 * beside their one-sided operations. All of it runs on communicators of the library's own, so that
 * its messages cannot mix with the program's.
 *
 * Ranks are ranks of world, sizes are in bytes, n counts elements. Calls without a group are
 * collective over world, whatever the caller's default group is; calls with a group over its
 * members. None of them implies a fence. Threads may use different groups, scopes of them among
 * these, at the same time.
 *
 * scope   SCOPE_ALL: all processes. SCOPE_NODE: the processes of the caller's domain
 *         (armci_domain_nprocs in armci.h), which by default is the caller alone.
 *         SCOPE_MASTERS: the first process of each domain, which by default is every process; for
 *         others (with ARMCI_DOMAINS=node) the call returns at once. In calls with a group these
 *         are the processes of the group in the domain, and the first one of the group in each.
 * type    ARMCI_INT ... ARMCI_DOUBLE below.
 * op      What a reduction does element by element:
 *           "+"  "*"  "max"  "min"   all types
 *           "absmax"  "absmin"       all types: the largest or smallest absolute value
 *           "&&" or "land", "||" or "lor", "&" or "band", "|" or "bor" or "or"   integer types
 *         Longer strings that begin with one of these mean the same. Others end the job.
 * Reductions work in place and leave the result in x on every process of the scope or group.
 */
#ifndef HAVE_ARMCI_MSG_H
#define HAVE_ARMCI_MSG_H

#include "armci.h"

enum armci_scope_e { SCOPE_ALL, SCOPE_NODE, SCOPE_MASTERS };

/** Element types: int, long, long long, float, double. */
enum armci_type_e { ARMCI_INT, ARMCI_LONG, ARMCI_LONG_LONG, ARMCI_FLOAT, ARMCI_DOUBLE };

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Ranks, abort and time ---- */

/** Return the caller's rank in world, and the size of world. */
int armci_msg_me(void);
int armci_msg_nproc(void);

/** Ends the job with the given status. */
void armci_msg_abort(int code);

/** Returns the seconds since an arbitrary moment in the past. */
double armci_timer(void);

/**
 * Start MPI if that has not happened, and stop it. They are weak symbols: a program may define its
 * own. They neither start nor stop ARMCI.
 */
void armci_msg_init(int* argc, char*** argv);
void armci_msg_finalize(void);

/* ---- Point to point ---- */

/**
 * Sends len bytes and returns when buffer may be reused. A process may send to itself. Tags are
 * those that MPI allows, except the largest (MPI_TAG_UB).
 */
void armci_msg_snd(int tag, void* buffer, int len, int to);

/**
 * Receives at most buflen bytes from a process; *msglen, unless msglen is NULL, is what arrived.
 */
void armci_msg_rcv(int tag, void* buffer, int buflen, int* msglen, int from);

/** Same from any process. Returns the sender. */
int armci_msg_rcvany(int tag, void* buffer, int buflen, int* msglen);

/* ---- Barriers and broadcasts ---- */

/** Wait for all processes of world, or of the group. They do not fence. */
void armci_msg_barrier(void);
void armci_msg_group_barrier(ARMCI_Group* group);

/**
 * Finds the caller's position in the binary tree over the scope: root, parent and children as
 * ranks, -1 where there is none. With SCOPE_NODE there is no tree: root is 0, and no rank has a
 * parent or children. Not collective.
 */
void armci_msg_bintree(int scope, int* Root, int* Up, int* Left, int* Right);

/** Copy len bytes from root to all. The first two are the same function. */
void armci_msg_bcast(void* buffer, int len, int root);
void armci_msg_brdcst(void* buffer, int len, int root);
void armci_msg_bcast_scope(int scope, void* buffer, int len, int root);

/** Same in a group; root is a rank of world. */
void armci_msg_group_bcast_scope(int scope, void* buf, int len, int root, ARMCI_Group* group);

/* ---- Reductions ---- */

void armci_msg_gop_scope(int scope, void* x, int n, char* op, int type);
void armci_msg_igop(int* x, int n, char* op);
void armci_msg_lgop(long* x, int n, char* op);
void armci_msg_llgop(long long* x, int n, char* op);
void armci_msg_fgop(float* x, int n, char* op);
void armci_msg_dgop(double* x, int n, char* op);

void armci_msg_group_gop_scope(int scope, void* x, int n, char* op, int type, ARMCI_Group* group);
void armci_msg_group_igop(int* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_lgop(long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_llgop(long long* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_fgop(float* x, int n, char* op, ARMCI_Group* group);
void armci_msg_group_dgop(double* x, int n, char* op, ARMCI_Group* group);

/** Same as the gop calls: the result is everywhere, not only in one place. */
void armci_msg_reduce(void* x, int n, char* op, int type);
void armci_msg_reduce_scope(int scope, void* x, int n, char* op, int type);

/**
 * Chooses a record: x holds n bytes, the same n everywhere, that begin with one value of the type.
 * All processes end with the record whose value is the largest (op "max") or smallest ("min") among
 * those with contribute != 0; the lowest rank wins a tie. x of the others is not read. Nothing
 * changes if no process contributes.
 */
void armci_msg_sel(void* x, int n, char* op, int type, int contribute);
void armci_msg_sel_scope(int scope, void* x, int n, char* op, int type, int contribute);

/* ---- Older calls ---- */

/**
 * Exchange addresses: each process has its own in ptr_ar[its rank] and NULL elsewhere; afterwards
 * all n entries are filled.
 */
void armci_exchange_address(void* ptr_ar[], int n);
void armci_exchange_address_grp(void* ptr_arr[], int n, ARMCI_Group* group);

/** Broadcast from the first process of SCOPE_NODE, and reduce over SCOPE_NODE. */
void armci_msg_clus_brdcst(void* buf, int len);
void armci_msg_clus_igop(int* x, int n, char* op);
void armci_msg_clus_lgop(long* x, int n, char* op);
void armci_msg_clus_llgop(long long* x, int n, char* op);
void armci_msg_clus_fgop(float* x, int n, char* op);
void armci_msg_clus_dgop(double* x, int n, char* op);

/** Same as armci_msg_clus_brdcst among the members of mastergroup; other arguments are ignored. */
void armci_grp_clus_brdcst(void* buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group* mastergroup);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
