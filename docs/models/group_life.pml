/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups that overlap are made, meet at barriers and are freed.
 *
 *   model                source
 *   proctype Rank        a program that makes the groups it is in, in one order, meets in each and
 *                        frees it
 *   make                 core/messages/group_maker.cpp GroupMaker::make(): agree() on the number,
 *                        exchange(), join, and the wait for all members to have joined
 *   take                 pipeline/origin/barrier_messages.cpp BarrierMessages::take()
 *   meet                 core/messages/barriers.cpp; without -DONE_NODE each rank is the only one of
 *                        its node, with it all are on one
 *   leave                node/shared_barrier.cpp, and the end of a JoinedBarrier
 *
 * Messages of MPI are an agreement of all members here. Those of barriers take any time, and a rank
 * takes them in each of its waits, also in those for other groups.
 *
 * Checked: a message names a group that its receiver has joined, and is of a member of it; no rank
 * passes a barrier before all members have come; the memory of a barrier is there while a member uses
 * it, and is given back in the end; no rank is stuck (invalid end states).
 *
 * Sizes by -D. MISTAKE=1..4 in the environment plants a mistake that has to be found.
 */

#ifndef ROUNDS
#define ROUNDS 2  /* barriers of each group */
#endif
#define RANKS 3
#define GROUPS 3

#include "planted_mistake.pml"

/* {0, 1}, {1, 2} and all. */
#define IS_IN(group, rank) \
    ((group == 0 && rank != 2) || (group == 1 && rank != 0) || group == 2)
#define FIRST(group) (group == 1 -> 1 : 0)
#define MEMBERS(group) (group == 2 -> 3 : 2)

#define AT(group, rank) ((group) * RANKS + (rank))

byte given[RANKS];               /* numbers that each has given to groups */
byte offered[GROUPS], joined[GROUPS], numbers[GROUPS];  /* members that have; its number */
byte number_of[GROUPS * RANKS];  /* of a group as its member knows it; 0: not joined, or left */
byte stages[GROUPS * RANKS];     /* barriers that each member has come to */

#ifdef ONE_NODE
byte flags[GROUPS * RANKS];
bool is_there[GROUPS];           /* the memory of the flags */
byte users[GROUPS];
#else
byte heard[GROUPS * RANKS * RANKS];  /* by group, receiver and sender: its last barrier */
chan inbox[RANKS] = [4] of { byte, byte, byte };  /* number of the group, sender, barrier */
#endif

/* The group to which this rank gives a number. */
inline find(number) {
    d_step {
        found = GROUPS;
        for (other : 0 .. GROUPS - 1) {
            if
            :: number_of[AT(other, me)] == number -> found = other
            :: else
            fi
        }
        other = 0
    }
}

#ifndef ONE_NODE
inline take() {
    inbox[me]?number, sender, barrier;
    find(number);
    assert(found < GROUPS && IS_IN(found, sender));
    heard[AT(found, me) * RANKS + sender] = barrier;
    number = 0; sender = 0; barrier = 0; found = 0
}
#define WAIT(condition) \
    do \
    :: condition -> break \
    :: nempty(inbox[me]) -> take() \
    od
#else
#define WAIT(condition) condition
#endif

inline make() {
    /* The first member gives the group a number. */
    d_step {
        if
        :: me == FIRST(group) ->
            given[me]++;
            numbers[group] = (MISTAKE(1) -> given[me] : given[me] * RANKS + me)  /* 1: without its rank */
        :: else
        fi;
        offered[group]++
    }
    WAIT(offered[group] == MEMBERS(group));
    skip;  /* no loop may end before a d_step */
    d_step {
#ifdef ONE_NODE
        if
        :: !is_there[group] -> is_there[group] = true; users[group] = MEMBERS(group)
        :: else
        fi;
#endif
        skip
    }
    atomic {
        find(numbers[group]);
        assert(found == GROUPS);  /* this rank knows no other group by that number */
        found = 0;
        number_of[AT(group, me)] = numbers[group];
        joined[group]++
    }
    if
    :: MISTAKE(2)  /* it does not wait for the others to join */
    :: !MISTAKE(2) -> WAIT(joined[group] == MEMBERS(group))
    fi
}

#ifdef ONE_NODE
#define HAS_COME(rank) (!IS_IN(group, rank) || flags[AT(group, rank)] >= round)
inline meet() {
    assert(is_there[group]);
    flags[AT(group, me)] = round;
    WAIT(HAS_COME(0) && HAS_COME(1) && HAS_COME(2));
    assert(is_there[group])
}
#else
#define HAS_COME(rank) \
    (rank == me || !IS_IN(group, rank) || heard[AT(group, me) * RANKS + rank] >= round)
/* With three members a dissemination takes two rounds; here each informs all others. */
inline meet() {
    for (other : 0 .. RANKS - 1) {
        if
        :: other != me && IS_IN(group, other) ->
            inbox[other]!number_of[AT(group, me)], me, round
        :: else
        fi
    }
    other = 0;
    WAIT(HAS_COME(0) && HAS_COME(1) && HAS_COME(2))
}
#endif

inline leave() {
#ifdef ONE_NODE
    atomic {
        assert(is_there[group]);
        users[group]--;
        if
        :: users[group] == 0 || MISTAKE(3) -> is_there[group] = false  /* 3: the first releases it */
        :: else
        fi
    };
#endif
    number_of[AT(group, me)] = 0
}

#define CAME(rank) (!IS_IN(group, rank) || stages[AT(group, rank)] >= round)

proctype Rank(byte me) {
    byte group, round, other, found;
#ifndef ONE_NODE
    byte number, sender, barrier;
#endif

    do
    :: group == GROUPS -> break
    :: group < GROUPS ->
        if
        :: IS_IN(group, me) -> make()
        :: else
        fi;
        group++
    od;
    group = 0;
    do
    :: group == GROUPS -> break
    :: group < GROUPS ->
        if
        :: IS_IN(group, me) ->
            do
            :: round == ROUNDS -> break
            :: round < ROUNDS ->
                round++;
                stages[AT(group, me)] = round;
                if
                :: MISTAKE(4) && round == ROUNDS -> leave()  /* before its last barrier */
                :: else
                fi;
                meet();
                assert(CAME(0) && CAME(1) && CAME(2))
            od;
            round = 0;
            if
            :: MISTAKE(4)
            :: !MISTAKE(4) -> leave()
            fi
        :: else
        fi;
        group++
    od;
    group = 0
}

init {
    atomic {
        run Rank(0);
        run Rank(1);
        run Rank(2)
    };
    _nr_pr == 1;
#ifdef ONE_NODE
    assert(!is_there[0] && !is_there[1] && !is_there[2])
#endif
}
