/* The barrier among the ranks of a node, whose waiters may sleep on the word that they watch.
 *
 *   model                source
 *   proctype First       core/sync.cpp world_barrier() of the node's first rank; node/barrier.cpp
 *                        all_arrived(), sleep_until_all_arrived(), release()
 *   proctype Other       the same of the others: arrive(), released(), sleep_until_released()
 *   doze                 NodeBarrier::sleep(); base/futex.h
 *   wake                 NodeBarrier::wake()
 *   arrived, generation, sleepers   BarrierState
 *
 * Memory is that of x86 and of C++ as far as this protocol needs it: stores pass through a store
 * buffer of their rank (process Drain), loads see memory before that, and read-modify-writes in
 * sequentially consistent order empty the buffer first. A sleeper sleeps until it is woken: the
 * time-out of the source is not needed.
 *
 * Checked: what any rank wrote before a barrier is in memory for all after it; nobody is stuck
 * before it has passed ROUNDS barriers (invalid end states); no execution but of polling is infinite.
 *
 * Sizes by -D. MISTAKE=1..5 in the environment plants a mistake that has to be found.
 */

#ifndef RANKS
#define RANKS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

#include "planted_mistake.pml"

#define OTHERS (RANKS - 1)

mtype = { no_word, arrived, generation, stage };

byte arrived_word, generation_word, sleepers;
byte stages[RANKS];               /* the program's data: the last barrier that each came to */
mtype sleeps_on[RANKS] = no_word;

chan stores[RANKS] = [3] of { mtype, byte };

inline store(what, new) { stores[me]!what, new }
/* Before a read-modify-write. */
inline drained() { empty(stores[me]) }

inline wake(word) {
    if
    :: sleepers != 0 ->
        d_step {
            for (sleeper : 0 .. RANKS - 1) {
                if
                :: sleeps_on[sleeper] == word -> sleeps_on[sleeper] = no_word
                :: else
                fi
            }
            sleeper = 0
        }
    :: sleepers == 0
    fi
}

/* The kernel compares and puts to sleep in one step. */
inline doze(word, memory, expected) {
    if
    :: MISTAKE(1)  /* it is not counted before it looks */
    :: !MISTAKE(1) -> atomic { drained() -> sleepers++ }
    fi;
    if
    :: atomic { memory == expected -> sleeps_on[me] = word }
        sleeps_on[me] == no_word
    :: memory != expected
    fi;
    if
    :: MISTAKE(1)
    :: !MISTAKE(1) -> atomic { drained() -> sleepers-- }
    fi
}

inline check_stages() {
    d_step {
        for (sleeper : 0 .. RANKS - 1) {
            assert(sleeper == me || stages[sleeper] >= round)
        }
        sleeper = 0
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
            :: what == arrived -> arrived_word = new
            :: what == generation -> generation_word = new
            fi;
            what = no_word; new = 0
        }
    od
}

proctype First() {
    byte me = 0, round, seen, sleeper;

    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        round++;
        store(stage, round);
        do
        :: arrived_word == OTHERS -> break
        :: seen = arrived_word;
            if
            :: seen != OTHERS -> doze(arrived, arrived_word, seen)
            :: else
            fi;
            seen = 0
        od;
        check_stages();
        if
        :: MISTAKE(2) ->  /* reset too late */
            atomic { drained() -> generation_word++ };
            store(arrived, 0)
        :: MISTAKE(3) ->  /* a store in release order */
            store(arrived, 0);
            store(generation, round)
        :: !MISTAKE(2) && !MISTAKE(3) ->
            store(arrived, 0);
            atomic { drained() -> generation_word++ }
        fi;
        wake(generation)
    od
}

proctype Other(byte me) {
    byte round, token, sleeper;
    bit is_last;

    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        round++;
        store(stage, round);
        if
        :: MISTAKE(4)  /* read after announcing */
        :: !MISTAKE(4) -> token = generation_word
        fi;
        atomic { drained() -> arrived_word++; is_last = arrived_word == OTHERS };
        if
        :: MISTAKE(4) -> token = generation_word
        :: !MISTAKE(4)
        fi;
        if
        :: is_last && !MISTAKE(5) -> wake(arrived)  /* 5: nobody wakes the first */
        :: else
        fi;
        do
        :: generation_word != token -> break
        :: generation_word == token -> doze(generation, generation_word, token)
        od;
        check_stages();
        token = 0; is_last = 0
    od
}

init {
    atomic {
        byte rank;
        run First();
        for (rank : 0 .. RANKS - 1) {
            run Drain(rank);
            if
            :: rank > 0 -> run Other(rank)
            :: else
            fi
        }
    }
}
