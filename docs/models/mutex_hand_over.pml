/* SPDX-License-Identifier: BSD-3-Clause */
/* Mutexes whose waiters are ranks of the owner's node, which work on shared memory themselves, and
 * ranks of other nodes, for which the data server does it.
 *
 *   model                      source
 *   guard                      Mutex::guard, node/shared_lock.h
 *   take_waiter, release_waiter  node/mutex_queue.cpp take_waiter(), release()
 *   queue_lock                 mutex_queue.cpp MutexQueue::lock()
 *   queue_unlock               mutex_queue.cpp MutexQueue::unlock()
 *   proctype Local             core/signals/mutexes.cpp lock(), wait_for_hand_over(), try_lock(),
 *                              unlock() on the owner's node
 *     has_mutex, sleep         mutex_queue.cpp has_mutex(), sleep_until_handed_over(); base/futex.h
 *   proctype Remote            the same functions on another node: ask_server()
 *   proctype Server            datasrv/mutex_handlers.cpp
 *   request                    frames to the server, in the order of their execution
 *   answer                     the server's answers
 *
 * What is done under the guard is one step that waits for it to be free. The exceptions are the
 * store to `has_mutex` and the wake-up, which others may see in between. What the lock of the pool
 * protects is one step, too. A sleeper here sleeps until it is woken: the time-out of the source is
 * not needed. Memory is sequentially consistent here. In the source the
 * guard's acquire and release order everything it protects, and the release of `has_mutex` pairs with
 * the waiter's acquire.
 *
 * Checked: at most one rank is between its lock and its unlock; ranks hold it in the order in
 * which tickets were drawn under the guard; records are in use once; and no process is stuck before
 * it has locked ROUNDS times (invalid end states), so no wake-up and no answer is lost. No execution
 * is infinite (no non-progress cycle): under weak fairness all complete.
 *
 * Sizes by -D, see below. MISTAKE=1..6 in the environment plants a mistake that has to be found.
 */

#ifndef LOCALS
#define LOCALS 2
#endif
#ifndef REMOTES
#define REMOTES 1
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef TRIES   /* whether a round may also be a trylock */
#define TRIES 1
#endif
#ifndef MUTEXES /* that share the pool of waiters; each round has a choice */
#define MUTEXES 1
#endif

#include "planted_mistake.pml"

#define RANKS   (LOCALS + REMOTES)
#define NONE  255
#define is_remote_rank(rank) ((rank) >= LOCALS)

mtype = { lock, try_lock, unlock, locked, value };

/* Rank, request, mutex; what one rank sends stays in order. */
chan request = [3 * RANKS] of { byte, mtype, byte };
chan answer[RANKS] = [1] of { mtype, bit };

/* node::Mutex. */
bit  guard[MUTEXES];  /* held across several steps */
byte holder[MUTEXES] = NONE;
byte first_waiter[MUTEXES], last_waiter[MUTEXES];
bit  is_forwarded[MUTEXES];  /* the holder has unlocked, and the server will hear of it */
/* WaiterPoolState: record 0 is none. As many as there can be waiters. */
#define RECORDS (RANKS + 1)
byte next_of[RECORDS], rank_of[RECORDS];
bit  has_mutex[RECORDS];
byte spare, used_count;

bit  sleeps[RANKS];          /* on the record that it waits for */
byte sleeps_on[RANKS];

/* To check with. */
bit  is_in_use[RECORDS];
byte inside[MUTEXES];
byte next_ticket[MUTEXES], now_serving[MUTEXES];
byte ticket[RANKS];

inline take_waiter(into) {
    d_step {
        if
        :: spare != 0 -> into = spare; spare = next_of[spare]
        :: else -> used_count++; into = used_count
        fi;
        assert(into < RECORDS && !is_in_use[into]);
        is_in_use[into] = 1
    }
}
inline release_waiter(record) {
    d_step {
        assert(is_in_use[record]);
        is_in_use[record] = 0;
        next_of[record] = spare;
        spare = record
    }
}

/* The mutex has that holder now. */
inline is_now_held_by(m, rank) {
    holder[m] = rank;
    assert(ticket[rank] == now_serving[m]);
    now_serving[m]++
}

inline draw_ticket(m, rank) {
    ticket[rank] = next_ticket[m];
    next_ticket[m]++
}

/* `waiter` is 0 when the mutex is the rank's. */
inline join(m, rank, waiter) {
    draw_ticket(m, rank);
    take_waiter(waiter);
    has_mutex[waiter] = 0;
    next_of[waiter] = 0;
    rank_of[waiter] = rank;
    if
    :: last_waiter[m] != 0 -> next_of[last_waiter[m]] = waiter
    :: else -> first_waiter[m] = waiter
    fi;
    last_waiter[m] = waiter
}
inline queue_lock(m, rank, waiter) {
    if
    :: atomic {
            !guard[m] && !MISTAKE(1) ->
            waiter = 0;
            /* No rank locks twice, so the check for that must not fail (6: the flag is ignored). */
            assert(holder[m] != rank || (is_forwarded[m] && !MISTAKE(6)));
            if
            :: holder[m] == NONE -> draw_ticket(m, rank); is_now_held_by(m, rank)
            :: else -> join(m, rank, waiter)
            fi
        }
    :: atomic {  /* 1: queued after the check, not with it */
            !guard[m] && MISTAKE(1) ->
            waiter = 0;
            if
            :: holder[m] == NONE -> draw_ticket(m, rank); is_now_held_by(m, rank)
            :: else -> waiter = RECORDS
            fi
        }
        if
        :: waiter == RECORDS -> atomic { !guard[m] -> join(m, rank, waiter) }
        :: else
        fi
    fi
}

inline queue_try_lock(m, rank, acquired) {
    atomic {
        !guard[m] ->
        acquired = holder[m] == NONE;
        if
        :: acquired -> draw_ticket(m, rank); is_now_held_by(m, rank)
        :: else
        fi
    }
}

inline wake(record) {
    d_step {
        for (sleeper : 0 .. LOCALS - 1) {
            if
            :: sleeps[sleeper] && sleeps_on[sleeper] == record -> sleeps[sleeper] = 0
            :: else
            fi
        }
        sleeper = 0
    }
}

/* to: NONE, or the remote rank that must be told; must_forward: it is still held. */
inline queue_unlock(m, rank, may_hand_to_remote, to, must_forward) {
    atomic {
        !guard[m] ->
        to = NONE;
        must_forward = 0;
        assert(holder[m] == rank && (!is_forwarded[m] || (may_hand_to_remote)));
        record = first_waiter[m];
        if
        :: record == 0 -> holder[m] = NONE
        :: record != 0 && is_remote_rank(rank_of[record]) && !(may_hand_to_remote) && !MISTAKE(2) ->
            must_forward = 1;  /* 2: it hands over, and the other node is not informed */
            is_forwarded[m] = 1;
            record = 0
        :: else ->
            first_waiter[m] = next_of[record];
            if
            :: first_waiter[m] == 0 -> last_waiter[m] = 0
            :: else
            fi;
            is_now_held_by(m, rank_of[record]);
            is_forwarded[m] = 0;
            if
            :: is_remote_rank(rank_of[record]) ->
                to = rank_of[record];
                release_waiter(record);
                record = 0
            :: else -> guard[m] = 1
            fi
        fi
    }
    if
    :: record == 0
    :: record != 0 ->
        if
        :: MISTAKE(3) -> wake(record); has_mutex[record] = 1  /* woken before the store */
        :: !MISTAKE(3) -> has_mutex[record] = 1; wake(record)
        fi;
        if
        :: MISTAKE(4) -> release_waiter(record)  /* which is the waiter's */
        :: !MISTAKE(4)
        fi;
        record = 0;
        guard[m] = 0
    fi
}

inline enter(m) {
    d_step { assert(holder[m] == me); inside[m]++; assert(inside[m] == 1) }
}

inline choose_mutex() {
    m = 0;
    do
    :: m + 1 < MUTEXES -> m++
    :: break
    od
}

proctype Local(byte me) {
    byte m, waiter, record, sleeper, to, round;
    bit acquired, must_forward;

    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        round++;
        choose_mutex();
        if
        :: queue_lock(m, me, waiter);
            if
            :: waiter == 0
            :: waiter != 0 ->
                do
                :: has_mutex[waiter] -> break
                :: atomic {
                        !has_mutex[waiter] && !sleeps[me] ->  /* as the kernel compares */
                        sleeps[me] = 1;
                        sleeps_on[me] = waiter
                    }
                    !sleeps[me]
                od;
                release_waiter(waiter);
                waiter = 0
            fi;
            acquired = 1
        :: TRIES -> queue_try_lock(m, me, acquired)
        fi;
        if
        :: acquired ->
            enter(m);
            inside[m]--;
            queue_unlock(m, me, 0, to, must_forward);
            if
            :: must_forward -> request!me, unlock, m
            :: else
            fi
        :: else
        fi;
        acquired = 0; must_forward = 0; to = 0
    od
}

proctype Remote(byte me) {
    byte m, round;
    bit acquired;

    do
    :: round == ROUNDS -> break
    :: round < ROUNDS ->
        round++;
        choose_mutex();
        if
        :: request!me, lock, m; answer[me]?locked, acquired
        :: TRIES -> request!me, try_lock, m; answer[me]?value, acquired
        fi;
        if
        :: acquired ->
            enter(m);
            inside[m]--;
            request!me, unlock, m
        :: else
        fi;
        acquired = 0
    od
}

inline serve() {
    if
    :: kind == lock ->
        queue_lock(m, rank, waiter);
        if
        :: waiter == 0 -> answer[rank]!locked, 1
        :: else
        fi
    :: kind == try_lock ->
        queue_try_lock(m, rank, acquired);
        answer[rank]!value, acquired
    :: kind == unlock ->
        /* Mistake 5: it means to forward, too. */
        if
        :: MISTAKE(5) -> acquired = 0
        :: else -> acquired = 1
        fi;
        queue_unlock(m, rank, acquired, to, must_forward);
        if
        :: to != NONE -> answer[to]!locked, 1
        :: else
        fi
    fi;
    kind = 0; waiter = 0; acquired = 0; must_forward = 0; to = 0; m = 0
}

proctype Server() {
    byte rank, m, waiter, record, sleeper, to;
    mtype kind;
    bit acquired, must_forward;

end:
    do
    :: request?rank, kind, m -> serve()
    od
}

init {
    atomic {
        byte rank;
        for (rank : 0 .. LOCALS - 1) {
            run Local(rank)
        }
        for (rank : LOCALS .. RANKS - 1) {
            run Remote(rank)
        }
        run Server()
    }
}
