/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutexes that are used incorrectly. */
#include <stddef.h>

#include "bad_call.h"

/* Each rank owns as many mutexes as its number plus one. Collective. */
static void create_mutexes(void) {
    check(ARMCI_Create_mutexes(my_rank + 1) == 0, "ARMCI_Create_mutexes");
}

static void expect_not_held(int mutex, int owner) {
    expect("ARMCI_Unlock", text("mutex %d of rank %d is not held by this rank", mutex, owner),
           "lock it before unlocking", NULL);
}

static void unlock_not_held(void) {
    create_mutexes();
    if (is_last_rank()) {
        expect_not_held(0, target);
        ARMCI_Unlock(0, target);
    }
}

static void unlock_not_held_on_another_node(void) {
    unlock_not_held();
}

static void unlock_twice(void) {
    create_mutexes();
    if (is_last_rank()) {
        ARMCI_Lock(0, target);
        ARMCI_Unlock(0, target);
        expect_not_held(0, target);
        ARMCI_Unlock(0, target);
    }
}

/* Both ranks have a mutex number 0, and this rank holds the other one. */
static void unlock_mutex_of_wrong_owner(void) {
    create_mutexes();
    if (is_last_rank()) {
        ARMCI_Lock(0, 1);
        expect_not_held(0, 0);
        ARMCI_Unlock(0, 0);
    }
}

static void unlock_held_by_another_rank(void) {
    create_mutexes();
    if (my_rank == 0) {
        ARMCI_Lock(0, 0);
    }
    ARMCI_Barrier();
    if (is_last_rank()) {
        expect_not_held(0, 0);
        ARMCI_Unlock(0, 0);
    }
}

static void unlock_held_by_another_node(void) {
    unlock_held_by_another_rank();
}

static void lock_twice(void) {
    create_mutexes();
    if (is_last_rank()) {
        ARMCI_Lock(0, target);
        expect("ARMCI_Lock", text("mutex 0 of rank %d is already held by this rank", target),
               "Unlock it first", NULL);
        ARMCI_Lock(0, target);
    }
}

static void lock_twice_on_another_node(void) {
    lock_twice();
}

static void lock_out_of_range(int mutex) {
    create_mutexes();
    if (is_last_rank()) {
        expect("ARMCI_Lock", text("argument mutex = %d", mutex), "rank 0 owns 1 mutexes",
               "numbered from 0", NULL);
        ARMCI_Lock(mutex, 0);
    }
}

static void lock_past_end(void) {
    lock_out_of_range(1);
}

static void lock_past_end_on_another_node(void) {
    lock_out_of_range(1);
}

static void lock_negative(void) {
    lock_out_of_range(-1);
}

static void unlock_past_end(void) {
    create_mutexes();
    expect("ARMCI_Unlock", "argument mutex = 1", "rank 0 owns 1 mutexes", NULL);
    ARMCI_Unlock(1, 0);
}

/* Rank 0 has none, rank 1 has. */
static void lock_of_rank_without_mutexes(void) {
    check(ARMCI_Create_mutexes(my_rank) == 0, "ARMCI_Create_mutexes");
    if (is_last_rank()) {
        expect("ARMCI_Lock", "argument mutex = 0", "rank 0 owns 0 mutexes", NULL);
        ARMCI_Lock(0, 0);
    }
}

static void lock_without_create(void) {
    expect("ARMCI_Lock", "no mutexes exist", "call ARMCI_Create_mutexes first", NULL);
    ARMCI_Lock(0, target);
}

static void unlock_without_create(void) {
    expect("ARMCI_Unlock", "no mutexes exist", "call ARMCI_Create_mutexes first", NULL);
    ARMCI_Unlock(0, target);
}

static void lock_after_destroy(void) {
    create_mutexes();
    check(ARMCI_Destroy_mutexes() == 0, "ARMCI_Destroy_mutexes");
    if (is_last_rank()) {
        lock_without_create();
    }
}

static void create_twice(void) {
    create_mutexes();
    if (is_last_rank()) {
        expect("ARMCI_Create_mutexes", "mutexes exist already", "call ARMCI_Destroy_mutexes first",
               NULL);
        ARMCI_Create_mutexes(1);
    }
}

static void destroy_without_create(void) {
    expect("ARMCI_Destroy_mutexes", "no mutexes exist", "call ARMCI_Create_mutexes first", NULL);
    ARMCI_Destroy_mutexes();
}

static void destroy_twice(void) {
    create_mutexes();
    check(ARMCI_Destroy_mutexes() == 0, "ARMCI_Destroy_mutexes");
    if (is_last_rank()) {
        destroy_without_create();
    }
}

/* The owner finds it, which is the last rank. */
static void destroy_while_held(void) {
    create_mutexes();
    if (my_rank == 0) {
        ARMCI_Lock(1, 1);
    }
    if (is_last_rank()) {
        expect("ARMCI_Destroy_mutexes", "mutex 1 of rank 1 is held by rank 0", "unlock it first",
               NULL);
    }
    ARMCI_Destroy_mutexes();
}

static void destroy_while_held_on_another_node(void) {
    destroy_while_held();
}

/* ---- Sets of mutexes ---- */

/* A set of one mutex per member, on a group of the caller alone. */
static armcix_mutex_hdl_t create_own_set(void) {
    ARMCI_Group group;
    ARMCI_Group_create(1, &my_rank, &group);
    return ARMCIX_Create_mutexes_hdl(1, &group);
}

static void unlock_of_set_not_held(void) {
    armcix_mutex_hdl_t set = create_own_set();
    expect("ARMCIX_Unlock_hdl", text("mutex 0 of rank %d is not held by this rank", my_rank),
           "lock it before unlocking", NULL);
    ARMCIX_Unlock_hdl(set, 0, my_rank);
}

static void lock_of_set_on_rank_outside(void) {
    armcix_mutex_hdl_t set = create_own_set();
    expect("ARMCIX_Lock_hdl", text("argument proc = %d", target), "not in the group", NULL);
    ARMCIX_Lock_hdl(set, 0, target);
}

static void try_lock_of_set_past_end(void) {
    armcix_mutex_hdl_t set = create_own_set();
    expect("ARMCIX_Trylock_hdl", "argument mutex = 1", text("rank %d owns 1 mutexes", my_rank),
           NULL);
    ARMCIX_Trylock_hdl(set, 1, my_rank);
}

const struct Case mutex_cases[] = {
    /* promise: mutex.misuse */
    CASE(unlock_not_held, ALL_RANKS, NODE),
    /* promise: mutex.misuse */
    CASE(unlock_not_held_on_another_node, ALL_RANKS, NODES),
    CASE(unlock_twice, ALL_RANKS, NODE),
    CASE(unlock_mutex_of_wrong_owner, ALL_RANKS, NODE),
    /* promise: mutex.misuse */
    CASE(unlock_held_by_another_rank, ALL_RANKS, NODE),
    CASE(unlock_held_by_another_node, ALL_RANKS, NODES),
    /* promise: mutex.misuse */
    CASE(lock_twice, ALL_RANKS, NODE),
    /* promise: mutex.misuse */
    CASE(lock_twice_on_another_node, ALL_RANKS, NODES),
    /* promise: mutex.misuse */
    CASE(destroy_while_held, ALL_RANKS, NODE),
    /* promise: mutex.misuse */
    CASE(destroy_while_held_on_another_node, ALL_RANKS, NODES),
    CASE(lock_past_end, ALL_RANKS, NODE),
    CASE(lock_past_end_on_another_node, ALL_RANKS, NODES),
    CASE(lock_negative, ALL_RANKS, NODE),
    CASE(unlock_past_end, ALL_RANKS, ALONE),
    CASE(lock_of_rank_without_mutexes, ALL_RANKS, NODE),
    CHECK(lock_without_create),
    CHECK(unlock_without_create),
    CASE(lock_after_destroy, ALL_RANKS, NODE),
    /* promise: mutex.one-set */
    CASE(create_twice, ALL_RANKS, NODE),
    CHECK(destroy_without_create),
    CASE(destroy_twice, ALL_RANKS, NODE),
    CASE(unlock_of_set_not_held, LAST_RANK, NODE),
    CASE(lock_of_set_on_rank_outside, LAST_RANK, NODE),
    CASE(try_lock_of_set_past_end, LAST_RANK, NODE),
    {0},
};
