/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that copies for a rank: how requests and their ends become visible, and how it sleeps.
 *
 *   model                source (node/copy_engine.cpp, CopyThread)
 *   proctype Rank        submit(), completed(), ~CopyThread()
 *   proctype Thread      run()
 *   wake                 wake(); base/futex.h
 *   slots, submitted, completed, is_asleep, stopping   its members
 *
 * Memory is that of x86 and of C++ as far as this protocol needs it: stores pass through a store
 * buffer of their thread (process Drain), loads see memory before that; a store in sequentially
 * consistent order waits until the buffer is empty. The thread sleeps until it is woken, whatever
 * the time-out of the source. (docs/references.md: Sewell 2010)
 *
 * Checked: each request is copied once, in order, from what was submitted, though slots are used
 * again; neither is stuck before all requests are complete and the thread has ended (invalid end
 * states), so no wake-up is lost.
 *
 * Sizes by -D. MISTAKE=1..5 in the environment plants a mistake that has to be found.
 */

#ifndef REQUESTS
#define REQUESTS 3
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

#include "planted_mistake.pml"

#define RANK   0
#define THREAD 1

mtype = { slot, submitted, completed, is_asleep, stopping };

byte slots[SLOTS];
byte submitted_word, completed_word;
bit  is_asleep_word, stopping_word;
bit  sleeps;                      /* in the kernel, on is_asleep */

chan stores[2] = [4] of { mtype, byte, byte };

inline store(what, which, new) { stores[me]!what, which, new }
inline store_in_order(what, new) {
    stores[me]!what, 0, new;
    empty(stores[me])
}

inline wake() {
    store_in_order(is_asleep, 0);
    sleeps = 0
}

proctype Drain(byte me) {
    mtype what;
    byte which, new;

end:
    do
    :: d_step {
            stores[me]?what, which, new;
            if
            :: what == slot -> slots[which] = new
            :: what == submitted -> submitted_word = new
            :: what == completed -> completed_word = new
            :: what == is_asleep -> is_asleep_word = new
            :: what == stopping -> stopping_word = new
            fi;
            what = 0; which = 0; new = 0
        }
    od
}

proctype Rank() {
    byte me = RANK, begin;

    do
    :: begin == REQUESTS -> break
    :: begin < REQUESTS ->
        begin - completed_word < SLOTS;  /* until then it goes on with something else */
        store(slot, begin % SLOTS, begin + 1);
        begin++;
        if
        :: MISTAKE(1) -> store(submitted, 0, begin)  /* in release order */
        :: !MISTAKE(1) -> store_in_order(submitted, begin)
        fi;
        if
        :: is_asleep_word -> wake()
        :: !is_asleep_word
        fi
    od;
    completed_word == REQUESTS;
    if
    :: MISTAKE(2) -> wake(); store_in_order(stopping, 1)  /* the other way round */
    :: !MISTAKE(2) -> store_in_order(stopping, 1); wake()
    fi
}

proctype Thread() {
    byte me = THREAD, next;

    do
    :: submitted_word != next ->
        if
        :: MISTAKE(3) ->  /* announced before it is done */
            store(completed, 0, next + 1);
            assert(slots[next % SLOTS] == next + 1)
        :: !MISTAKE(3) ->
            assert(slots[next % SLOTS] == next + 1);
            store(completed, 0, next + 1)
        fi;
        next++
    :: submitted_word == next ->
        if
        :: stopping_word -> break
        :: !stopping_word ->
            if
            :: MISTAKE(4) -> store(is_asleep, 0, 1)  /* in release order */
            :: MISTAKE(5)                            /* announced after it has looked */
            :: !MISTAKE(4) && !MISTAKE(5) -> store_in_order(is_asleep, 1)
            fi;
            if
            :: submitted_word == next ->
                if
                :: !stopping_word ->
                    if
                    :: MISTAKE(5) -> store_in_order(is_asleep, 1)
                    :: !MISTAKE(5)
                    fi;
                    /* The kernel orders its look at the word behind the stores, and sleeps in one
                     * step with it. */
                    empty(stores[me]);
                    if
                    :: atomic { is_asleep_word -> sleeps = 1 }
                        !sleeps
                    :: !is_asleep_word
                    fi
                :: stopping_word
                fi
            :: submitted_word != next
            fi;
            store_in_order(is_asleep, 0)
        fi
    od
}

init {
    atomic {
        run Drain(RANK);
        run Drain(THREAD);
        run Rank();
        run Thread()
    }
}
