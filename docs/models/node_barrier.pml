/* SPDX-License-Identifier: BSD-3-Clause */
/* The barrier among the ranks of a node, whose waiters may sleep until it is complete.
 *
 *   model                source
 *   proctype Rank        Barriers::wait_for_group() (-DONE_NODE: in a job with one node);
 *                        node/barrier.cpp
 *   raise, scan, doze_until_arrived     NodeBarrier::arrive(), all_arrived(),
 *                        sleep_until_all_arrived()
 *   release, doze_until_released        release(), sleep_until_released()
 *   flags, complete_word, released_word, sleepers   BarrierState
 *
 * Memory is that of x86 and of C++ as far as this protocol needs it: stores pass through a store
 * buffer of their rank (process Drain), loads see memory before that, and read-modify-writes in
 * sequentially consistent order empty the buffer first. A sleeper sleeps until it is woken: the
 * time-out of the source is not needed. (docs/references.md: Sewell 2010)
 *
 * Checked: what any rank wrote before a barrier is in memory for all after it; no rank is stuck
 * before it has passed ROUNDS barriers (invalid end states); no execution is infinite.
 *
 * Sizes by -D. MISTAKE=1..7 in the environment plants a mistake that has to be found.
 */

#ifndef RANKS
#define RANKS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#include "planted_mistake.pml"

mtype = { nothing, complete, released, flag, stage };

byte flags[RANKS];                /* the last barrier that each has come to */
byte complete_word, released_word, sleepers;
byte stages[RANKS];               /* the program's data: the same */
mtype sleeps_on[RANKS] = nothing;

chan stores[RANKS] = [2] of { mtype, byte };

inline store(what, new) { stores[me]!what, new }
/* Before a read-modify-write. */
inline drained() { empty(stores[me]) }

inline wake(word) {
    d_step {
        for (other : 0 .. RANKS - 1) {
            if
            :: sleeps_on[other] == word -> sleeps_on[other] = nothing
            :: else
            fi
        }
        other = 0
    }
}

inline raise() {
    if
    :: MISTAKE(1) -> store(flag, round)  /* a store in release order */
    :: !MISTAKE(1) -> atomic { drained() -> flags[me] = round }
    fi;
    seen = 0
}

/* Whether the rank has come: it may be one ahead. A rank sees its own stores before all do. */
#define HAS_COME(rank) \
    (rank == me || flags[rank] == round || (flags[rank] > round && !MISTAKE(2)))

/* Leaves seen == RANKS if all have come. */
inline scan() {
    do
    :: seen < RANKS && HAS_COME(seen) -> seen++
    :: seen < RANKS && !HAS_COME(seen) -> break
    :: seen == RANKS ->
        if
        :: sleepers != 0 && !MISTAKE(3) ->  /* 3: no rank wakes the sleepers */
            if
            :: MISTAKE(4) -> wake(complete)  /* and the word stays as it was */
            :: !MISTAKE(4) ->
                atomic { drained() -> is_first = complete_word != round; complete_word = round };
                if
                :: is_first -> wake(complete)
                :: !is_first
                fi;
                is_first = false
            fi
        :: else
        fi;
        break
    od
}

/* The kernel compares and puts to sleep in one step. */
inline sleep_on(word, memory) {
    if
    :: atomic { memory == expected -> sleeps_on[me] = word }
        sleeps_on[me] == nothing
    :: memory != expected
    fi
}

inline count_in() {
    if
    :: MISTAKE(5)  /* it is not counted */
    :: !MISTAKE(5) -> atomic { drained() -> sleepers++ }
    fi
}

inline count_out() {
    if
    :: MISTAKE(5)
    :: !MISTAKE(5) -> atomic { drained() -> sleepers-- }
    fi;
    expected = 0
}

inline doze_until_arrived() {
    expected = complete_word;
    count_in();
    if
    :: MISTAKE(6)  /* it does not look again */
    :: !MISTAKE(6) -> scan()
    fi;
    if
    :: MISTAKE(7) -> expected = complete_word  /* read after the look */
    :: !MISTAKE(7)
    fi;
    if
    :: seen < RANKS -> sleep_on(complete, complete_word)
    :: else
    fi;
    count_out()
}

inline release() {
    atomic { drained() -> released_word = round };
    if
    :: sleepers != 0 -> wake(released)
    :: else
    fi
}

inline doze_until_released() {
    expected = released_word;
    count_in();
    if
    :: released_word < round -> sleep_on(released, released_word)
    :: else
    fi;
    count_out()
}

inline check_stages() {
    d_step {
        for (other : 0 .. RANKS - 1) {
            assert(other == me || stages[other] >= round)
        }
        other = 0
    }
}

proctype Drain(byte me) {
    mtype what;
    byte new;

end:
    do
    :: d_step {
            stores[me]?what, new;
            if
            :: what == stage -> stages[me] = new
            :: what == flag -> flags[me] = new
            fi;
            what = nothing; new = 0
        }
    od
}

proctype Rank(byte me) {
    byte round, seen, expected, other;
    bool is_first;

    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        round++;
        store(stage, round);
        raise();
        scan();
        do
        :: seen == RANKS -> break
        :: seen < RANKS -> doze_until_arrived(); scan()
        od;
        check_stages();
#ifndef ONE_NODE
        if
        :: me == 0 -> release()
        :: me != 0 ->
            do
            :: released_word >= round -> break
            :: released_word < round -> doze_until_released()
            od
        fi;
        check_stages();
#endif
        seen = 0
    od
}

init {
    atomic {
        byte rank;
        for (rank : 0 .. RANKS - 1) {
            run Drain(rank);
            run Rank(rank)
        }
    }
}
