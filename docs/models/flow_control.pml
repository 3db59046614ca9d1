/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow control between origins and a data server: the window of messages, landing slots that the
 * server grants, the buffers that an origin lends to the chunks of a get, and the server's buffers
 * for that data. docs/design/flow-control.md says what it is for.
 *
 *   model                      source
 *   proctype Origin            pipeline/origin.cpp progress(), post_tasks(); one channel of it
 *     room(), post_message     pipeline/channel.h has_room(); origin_frames.cpp post_message()
 *     post_into_slot           origin_frames.cpp post_into_slot(), post_frame()
 *     slots_wanted             origin_frames.cpp slots_wanted()
 *     take_grant, give back    origin_frames.cpp take_grant(), return_slots(), returns_due_
 *     packing, posting         chunk_task.cpp post(), next_frame(); origin_frames.cpp chunk_room()
 *     getting                  get_task.cpp request_next(), on_answer(), credit(); credits_due_
 *     fencing                  origin.cpp is_fenced(), ask_acknowledge()
 *   proctypes Receive, Post    datasrv/service.cpp progress(), in two steps
 *     take_frame               datasrv/frame_intake.cpp take(), hold_early()
 *     execute                  frame_intake.cpp execute_next(); flow_handlers.cpp handle_release()
 *     want, next_grant         datasrv/buffer_grants.cpp want(), use(), release(), next(), keep()
 *     waiting                  answers.cpp send_or_queue(), flush(); granted_buffers.cpp
 *                              send_grants()
 *     acknowledging            acknowledgements.cpp flush()
 *     streaming                get_streams.cpp progress(), next_chunk_bytes(); data_frames.cpp
 *                              make()
 *   message, answer            sends, in order; NETWORK of them are with the provider, and a post
 *                              beyond that is refused as by -FI_EAGAIN
 *   write, data                remote writes with a notice: in any order, also against messages
 *
 * A step of a process is one completion handled, or one round of posting everything that can be
 * posted: between two posts of a round nothing is received in the source either, and several
 * completions may come before a round. What is refused is posted in a later round. A chunk's buffer
 * is free when the server has the chunk, or (EARLY=1) as soon as it is posted; the data of a get is
 * with the provider until its origin takes it, which is the worst that providers do. A program
 * starts its transfers whenever it likes.
 *
 * Checked: where nothing can move any more, all transfers are complete, their fences too, and every
 * slot, buffer and credit is accounted for (process Check); assertions that no slot or landing is
 * written twice, frames are executed once and in order, what waits at the server is bounded. No
 * execution is infinite (the search for non-progress cycles finds no cycle at all), so "nothing can
 * move" is reached, and all transfers complete, as soon as each process goes on and the provider
 * does not refuse for ever.
 *
 * Sizes by -D, see below. MISTAKE=1..7 in the environment plants a mistake that has to be found (3
 * with STOPS, which SERVER_BUFFERS=2 shows; 7 with more of them).
 */

#ifndef ORIGINS
#define ORIGINS 2
#endif
#ifndef SLOTS        /* of the server's landing zone; 0: chunks are messages, as are answers */
#define SLOTS 2
#endif
#ifndef WINDOW       /* messages that an origin may have under way */
#define WINDOW 2
#endif
#ifndef BUFFERS      /* of an origin: for chunks on their way out, and for those of a get to land */
#define BUFFERS 2
#endif
#ifndef SERVER_BUFFERS /* for the data of gets; the last one is for origins that have none */
#define SERVER_BUFFERS 3
#endif
#ifndef TRANSFERS    /* of each origin: puts or gets, all choices */
#define TRANSFERS 2
#endif
#ifndef CHUNKS       /* of each transfer */
#define CHUNKS 2
#endif
#ifndef LANDINGS     /* most buffers that a get names */
#define LANDINGS 2
#endif
#ifndef NETWORK      /* messages to or from an origin that the provider takes */
#define NETWORK 2
#endif
#ifndef KEPT_PART    /* an idle origin keeps SLOTS / (KEPT_PART * origins that use some) */
#define KEPT_PART 2
#endif
#ifndef AT_A_TIME    /* transfers that an origin has under way */
#define AT_A_TIME 2
#endif
#ifndef EARLY        /* chunks that are sent complete at once, else when the server has them */
#define EARLY 0
#endif
#ifndef STOPS        /* the first origin may stop calling the library for ever, at any moment */
#define STOPS 0
#endif

#include "planted_mistake.pml"

#if SLOTS > 0
#define ALL_SLOTS   SLOTS  /* for lengths of arrays */
#else
#define ALL_SLOTS   1
#endif
#define MOST_EARLY  (WINDOW + SLOTS)
#define IN_GRANT    2                         /* wire::kMostSlotsPerFrame */
#define min(a, b)   ((a) < (b) -> (a) : (b))
#define max(a, b)   ((a) > (b) -> (a) : (b))
/* Sets of slots are bits. */
#define bit_of(s)   (1 << (s))
#define size_of(m)  (((m) & 1) + (((m) >> 1) & 1) + (((m) >> 2) & 1) + (((m) >> 3) & 1))
#define lowest(m)   ((m) & (0 - (m)))
#define NOBODY      255
#if ORIGINS == 1
#define SOME_ORIGIN(f) f(0)
#elif ORIGINS == 2
#define SOME_ORIGIN(f) (f(0) || f(1))
#else
#define SOME_ORIGIN(f) (f(0) || f(1) || f(2))
#endif

mtype = { chunk, want_slots, fence, return_slots, get, get_credit,  /* from origins */
          acknowledge, grant, chunk_of_get,                         /* from the server */
          put };                                                    /* a transfer, as is get */

/* kind, number, wanted slots, asks for acknowledgement, slots of it, last or landings or credit,
 * which get */
chan message[ORIGINS] = [NETWORK] of { mtype, byte, byte, bit, byte, byte, byte };
chan write[ORIGINS]   = [ALL_SLOTS] of { byte, byte, bit, byte, byte };  /* number, wanted, asks, slot, last */
/* kind, executed frames, executed messages, slots granted, slots that may be kept */
chan answer[ORIGINS]  = [NETWORK] of { mtype, byte, byte, byte, byte };
chan data[ORIGINS]    = [LANDINGS] of { byte, byte, byte };  /* executed both, landing */

/* Where each slot is, to account for them. */
mtype = { is_free, is_granted, is_held, is_written };
mtype place[ALL_SLOTS] = is_free;

/* --- The server ------------------------------------------------------------------------------- */

byte executed[ORIGINS];           /* frames */
byte executed_messages[ORIGINS];
byte executed_chunks[ORIGINS];
byte told[ORIGINS];
bit  acknowledgement_due[ORIGINS];
chan early[ORIGINS]   = [MOST_EARLY] of { mtype, byte, byte, bit, byte, byte, byte };
byte early_messages[ORIGINS];
chan waiting[ORIGINS] = [ALL_SLOTS] of { byte, byte };  /* grants that no provider has taken yet */

byte free_slots = (1 << SLOTS) - 1;  /* SlotGrants */
byte holder[ALL_SLOTS] = NOBODY;     /* free, or being read */
byte wanted[ORIGINS];
byte held[ORIGINS];
bit  is_queued[ORIGINS];
chan queue = [ORIGINS] of { byte };
byte holding;
bit  grants_due;

bit  has_stream[ORIGINS];         /* GetStreams */
byte sent_chunks[ORIGINS];
byte taken_chunks[ORIGINS];
byte landings[ORIGINS];
byte stream_get[ORIGINS];
byte used_buffers;
byte data_under_way[ORIGINS];

/* --- What Check and the server's ends of the network see of origins --------------------------- */

bit  is_done[ORIGINS];
bit  is_stopped;
byte sent_messages[ORIGINS];
byte put_chunks[ORIGINS];
byte slots[ORIGINS];              /* Channel::slots */
byte keep_slots[ORIGINS];
byte buffers[ORIGINS] = BUFFERS;
byte tasks[ORIGINS];

/* Used within one step only. */
hidden mtype kind;
hidden byte number, flow, set, credit, of_get, slot, to, turns, most, count, first, asks, closes;

inline want(c, more) {
    wanted[c] = min(more, SLOTS);
    if
    :: wanted[c] > 0 && !is_queued[c] ->
        is_queued[c] = 1;
        queue!c;
        holding = holding - (held[c] > 0 -> 1 : 0)
    :: else
    fi
}

/* SlotGrants::use and release, for a set. The ghost says where the slots have to be. */
inline use(c, used) {
    for (slot : 0 .. SLOTS - 1) {
        if
        :: ((used) & bit_of(slot)) != 0 ->
            assert(holder[slot] == c && place[slot] == is_written);
            holder[slot] = NOBODY;
            held[c]--;
            holding = holding - (held[c] == 0 && !is_queued[c] -> 1 : 0)
        :: else
        fi
    }
}

inline release(released) {
    for (slot : 0 .. SLOTS - 1) {
        if
        :: ((released) & bit_of(slot)) != 0 ->
            assert(holder[slot] == NOBODY && place[slot] == is_written);
            place[slot] = is_free;
            if
            :: MISTAKE(1)  /* a slot is not free again */
            :: else -> free_slots = free_slots | bit_of(slot)
            fi
        :: else
        fi
    }
}

/* SlotGrants::next: a set of slots, 0 for none, for client `to`. */
inline next_grant() {
    turns = len(queue);
    set = 0;
    do
    :: turns > 0 && free_slots != 0 && set == 0 ->
        turns--;
        queue?to;
        is_queued[to] = 0;
        holding = holding + (held[to] > 0 -> 1 : 0);
        if
        :: wanted[to] == 0
        :: else ->
            most = len(queue) + holding - (held[to] > 0 -> 1 : 0) + 1;
            most = max(1, min(SLOTS / most, (SLOTS + 1) / 2));
            count = min(wanted[to], (most > held[to] -> most - held[to] : 0));
            count = min(count, min(size_of(free_slots), IN_GRANT));
            if
            :: count == 0 || count < (held[to] == 0 -> 1 : min(wanted[to], max(1, most / 4))) ->
                want(to, wanted[to])
            :: else ->
                holding = holding + (held[to] == 0 -> 1 : 0);
                held[to] = held[to] + count;
                wanted[to] = wanted[to] - count;
                for (slot : 0 .. SLOTS - 1) {
                    if
                    :: count > 0 && (free_slots & bit_of(slot)) != 0 ->
                        assert(holder[slot] == NOBODY && place[slot] == is_free);
                        place[slot] = is_granted;
                        holder[slot] = to;
                        free_slots = free_slots - bit_of(slot);
                        set = set | bit_of(slot);
                        count--
                    :: else
                    fi
                }
                want(to, wanted[to])
            fi
        fi
    :: else -> break
    od
}

/* handle_next_frame: the frame is in kind, number, flow, ... */
inline execute(c) {
    assert(number == executed[c] + 1 && number < 250);
    executed[c]++;
    executed_messages[c] = executed_messages[c] + (kind == chunk && set != 0 -> 0 : 1);
    if
    :: kind == chunk ->
        executed_chunks[c]++;
        release(set)
    :: kind == return_slots ->
        use(c, set);
        release(set)
    :: kind == get ->
        assert(!has_stream[c]);
        has_stream[c] = 1;
        sent_chunks[c] = 0;
        taken_chunks[c] = 0;
        landings[c] = credit;
        stream_get[c] = of_get
    :: kind == get_credit ->
        if
        :: has_stream[c] && stream_get[c] == of_get ->
            assert(credit >= taken_chunks[c] && credit <= sent_chunks[c]);
            taken_chunks[c] = credit
        :: else  /* it crossed the end of its get */
        fi
    :: else
    fi;
    want(c, flow);
    grants_due = 1;
    acknowledgement_due[c] = acknowledgement_due[c] | asks
}

inline take_frame(c) {
    if
    :: number != executed[c] + 1 && !MISTAKE(2) ->  /* 2: executed as they come */
        early_messages[c] = early_messages[c] + (kind == chunk && set != 0 -> 0 : 1);
        assert(early_messages[c] <= WINDOW && nfull(early[c]));
        early[c]!kind, number, flow, asks, set, credit, of_get
    :: else ->
        execute(c);
        do
        :: early[c]??[kind, eval(executed[c] + 1), flow, asks, set, credit, of_get] ->
            number = executed[c] + 1;
            early[c]??kind, eval(number), flow, asks, set, credit, of_get;
            early_messages[c] = early_messages[c] - (kind == chunk && set != 0 -> 0 : 1);
            execute(c)
        :: else -> break
        od
    fi
}

inline chunk_has_left(c, last) {
    buffers[c]++;
    tasks[c] = tasks[c] - (last)
}

/* Server::on_landed. */
inline take_write(c) {
    kind = chunk;
    of_get = 0;
#if !EARLY
    chunk_has_left(c, credit);
#endif
    use(c, set);
    take_frame(c)
}

/* new_data_reply: the last buffer is only for an origin that has none. Mistake 3: for all. */
#define has_data_buffer(c) \
    (used_buffers < SERVER_BUFFERS - 1 || \
     (used_buffers < SERVER_BUFFERS && (data_under_way[c] == 0 || MISTAKE(3))))

#if SLOTS > 0
#define can_send_data(c) nfull(data[c])
#else
#define can_send_data(c) nfull(answer[c])
#endif

#define can_flush(c)       (nempty(waiting[c]) && nfull(answer[c]))
#define can_acknowledge(c) (acknowledgement_due[c] && (told[c] == executed[c] || nfull(answer[c])))
#define can_stream(c)      (has_stream[c] && sent_chunks[c] - taken_chunks[c] < landings[c] && \
                            has_data_buffer(c) && can_send_data(c))

/* What the server does when something has come from that origin. */
proctype Receive(byte c) {
end:
    do
    :: d_step {
            message[c]?kind, number, flow, asks, set, credit, of_get;
#if !EARLY
            if
            :: kind == chunk -> chunk_has_left(c, credit)
            :: else
            fi;
#endif
            take_frame(c)
        }
#if SLOTS > 0
    :: d_step {
            write[c]?number, flow, asks, set, credit;
            take_write(c)
        }
    :: d_step {  /* the one behind it, which is then the first but for those in front of it */
            len(write[c]) > 1;
            write[c]?number, flow, asks, set, credit;
            write[c]!number, flow, asks, set, credit;
            write[c]?number, flow, asks, set, credit;
            take_write(c)
        }
#endif
    od
}

/* And when it posts. */
proctype Post() {
    byte c;
end:
    do
    :: d_step {
            (grants_due || SOME_ORIGIN(can_flush) || SOME_ORIGIN(can_acknowledge) ||
             SOME_ORIGIN(can_stream));
            do
            :: grants_due ->
                next_grant();
                if
                :: set == 0 -> grants_due = 0
                :: else ->
                    most = len(queue) + holding;
                    most = SLOTS / (KEPT_PART * max(1, most));  /* keep() */
                    assert(nfull(waiting[to]));                 /* each grant has a slot */
                    waiting[to]!set, most
                fi
            :: else -> break
            od;
            for (c : 0 .. ORIGINS - 1) {
                do
                :: can_flush(c) ->
                    waiting[c]?set, most;
                    told[c] = executed[c];
                    answer[c]!grant, executed[c], executed_messages[c], set, most
                :: else -> break
                od;
                if
                :: can_acknowledge(c) ->
                    if
                    :: told[c] != executed[c] ->
                        told[c] = executed[c];
                        answer[c]!acknowledge, executed[c], executed_messages[c], 0, 0
                    :: else  /* another answer has told it */
                    fi;
                    acknowledgement_due[c] = 0
                :: else
                fi;
                do
                :: can_stream(c) ->
                    used_buffers++;
                    data_under_way[c]++;
                    told[c] = executed[c];
#if SLOTS > 0
                    assert(!data[c]??[number, credit, eval(sent_chunks[c] % landings[c])]);
                    data[c]!executed[c], executed_messages[c], sent_chunks[c] % landings[c];
#else
                    answer[c]!chunk_of_get, executed[c], executed_messages[c], 0, 0;
#endif
                    sent_chunks[c]++;
                    has_stream[c] = sent_chunks[c] < CHUNKS
                :: else -> break
                od
            }
            c = 0
        }
    od
}

/* --- An origin -------------------------------------------------------------------------------- */

/* has_room, and the provider takes it. */
#define has_window  (sent_messages[i] - known_messages < WINDOW)
#define may_post    (has_window && nfull(message[i]))

#define needed_slots(used) \
    max((used > 0 -> keep_slots[i] : 0), (unpacked > 0 -> min(2 * unpacked + 1, SLOTS) : 0))
#define wanted_slots(used) \
    (SLOTS == 0 -> 0 : needed_slots(used) - min(needed_slots(used), size_of(slots[i]) - (used)))

inline post_message(what, asking, used_set, credits_or_last, which) {
    /* Mistake 4: nobody asks for the window to open again. */
    closes = sent_messages[i] - known_messages + 2 > WINDOW && !MISTAKE(4);
    sent++;
    sent_messages[i]++;
    asked_slots = wanted_slots(0);
    asked = (asking || closes -> sent : asked);
    message[i]!what, sent, asked_slots, asking || closes, used_set, credits_or_last, which
}

inline record_answer() {
    known = max(known, number);
    known_messages = max(known_messages, credit)
}

inline move_slots(moved, from, into) {
    for (slot : 0 .. SLOTS - 1) {
        if
        :: ((moved) & bit_of(slot)) != 0 ->
            assert(place[slot] == from && holder[slot] == i);
            place[slot] = into
        :: else
        fi
    }
}

inline posted_chunk() {
    last_mutation = sent;
    is_packed = 0;
    put_chunks[i]++;
#if EARLY
    chunk_has_left(i, left == 0);
#endif
    if
    :: left == 0 -> to_post?kind
    :: else
    fi
}

/* GetTask::on_answer and credit(), of which `done` chunks could be told to be taken. */
inline take_chunk_of_get() {
    used_buffers--;
    data_under_way[i]--;
    got++;
    if
    :: got == CHUNKS ->
        buffers[i] = buffers[i] + (SLOTS > 0 -> lent : 0);
        lent = 0; got = 0; in_turn = 0; credited = 0;
        tasks[i]--
    :: else
    fi
}
inline credit_taken(done) {
    if
    :: 2 * (done - credited) >= lent ->
        credited = done;
        assert(nfull(credits));
        if
        :: MISTAKE(5)  /* it is not sent */
        :: else -> credits!done, gets
        fi
    :: else
    fi
}

/* Origin::on_landed. */
inline land() {
    record_answer();
    assert(!taken[slot]);  /* the server does not write over what was not given back */
    taken[slot] = 1;
    take_chunk_of_get();
    if
    :: lent > 0 ->
        do
        :: taken[in_turn % lent] -> taken[in_turn % lent] = 0; in_turn++
        :: else -> break
        od;
        count = in_turn;
        if
        :: MISTAKE(7) -> count = got  /* as many as came, not in turn */
        :: else
        fi;
        credit_taken(count)
    :: else -> for (slot : 0 .. LANDINGS - 1) { taken[slot] = 0 }
    fi
}

/* What can be posted. chunk_room: with a slot; without, it asks for some; waits for those that are
 * in use; or uses the time. */
#define packs          (left > 0 && !is_packed)
#define begins_put     (left == 0 && !is_packed && to_post?[put])
#define begins_get     (left == 0 && !is_packed && to_post?[get] && lent == 0 && may_post && \
                        (SLOTS == 0 || buffers[i] > 0))
#define packs_slot     (packs && slots[i] != 0 && buffers[i] > 0)
#define asks_slots     (packs && slots[i] == 0 && asked_slots == 0 && SLOTS > 0 && may_post)
#define asks_executed  (packs && slots[i] == 0 && last_slot > known && asked < last_slot && may_post)
#define packs_message  (packs && slots[i] == 0 && last_slot <= known && buffers[i] > 0 && has_window)
#define posts_slot     (is_packed && for_slot)
#define posts_message  (is_packed && !for_slot && may_post)
#define posts_credit   (nempty(credits) && may_post)
/* Mistake 6: what an idle origin is granted stays with it. */
#define posts_return   (tasks[i] == 0 && size_of(slots[i]) > keep_slots[i] && may_post && \
                        !MISTAKE(6))
#define has_ended      (transfers == TRANSFERS && tasks[i] == 0)
#define posts_fence    (has_ended && last_mutation > known && asked < last_mutation && may_post)
#define can_post \
    (begins_put || begins_get || packs_slot || asks_slots || asks_executed || packs_message || \
     posts_slot || posts_message || posts_credit || posts_return || posts_fence)

proctype Origin(byte i) {
    byte sent, known, known_messages, asked, asked_slots, last_slot, last_mutation;
    byte transfers;                /* started */
    byte unpacked;                 /* chunks of puts that are in no frame yet */
    byte left;                     /* of these, of the put that is being posted */
    bit is_packed, for_slot;       /* ChunkTask::unsent_ */
    byte lent, got, in_turn, credited, gets;
    bit taken[LANDINGS];
    chan to_post = [AT_A_TIME] of { mtype };
    chan credits = [LANDINGS] of { byte, byte };     /* credits_due_ */

end:
    do
    :: d_step {  /* handle_frame */
            answer[i]?kind, number, credit, set, most;
            record_answer();
            if
            :: kind == grant ->
                move_slots(set, is_granted, is_held);
                slots[i] = slots[i] | set;
                keep_slots[i] = most;
                asked_slots = asked_slots - min(asked_slots, size_of(set))
            :: kind == chunk_of_get ->
                take_chunk_of_get();
                if
                :: lent > 0 -> credit_taken(got)
                :: else
                fi
            :: else
            fi
        }
    :: d_step {
            data[i]?number, credit, slot;
            land()
        }
    :: d_step {  /* the one behind it */
            len(data[i]) > 1;
            data[i]?number, credit, slot;
            data[i]!number, credit, slot;
            data[i]?number, credit, slot;
            land()
        }
    :: atomic {  /* submit */
            transfers < TRANSFERS && tasks[i] < AT_A_TIME;
            transfers++;
            tasks[i]++;
            if
            :: to_post!put; unpacked = unpacked + CHUNKS
            :: to_post!get
            fi
        }
    :: d_step {  /* post_tasks, credits_due_, returns_due_, fence */
            can_post;
            do
            :: begins_put -> left = CHUNKS
            :: packs_slot -> buffers[i]--; left--; unpacked--; is_packed = 1; for_slot = 1
            :: asks_slots -> post_message(want_slots, 1, 0, 0, 0)
            :: asks_executed -> post_message(fence, 1, 0, 0, 0)
            :: packs_message -> buffers[i]--; left--; unpacked--; is_packed = 1; for_slot = 0
            :: posts_slot ->
                assert(slots[i] != 0 && nfull(write[i]));
                set = lowest(slots[i]);
                asks = slots[i] == set;
                move_slots(set, is_held, is_written);
                sent++;
                asked_slots = wanted_slots(1);
                slots[i] = slots[i] - set;
                asked = (asks -> sent : asked);
                last_slot = sent;
                write[i]!sent, asked_slots, asks, set, left == 0;
                posted_chunk()
            :: posts_message ->
                post_message(chunk, 0, 0, left == 0, 0);
                posted_chunk()
            :: begins_get ->  /* as many landings as there are */
                to_post?kind;
                lent = min(LANDINGS, CHUNKS);
                lent = (SLOTS > 0 -> min(lent, buffers[i]) : lent);
                buffers[i] = buffers[i] - (SLOTS > 0 -> lent : 0);
                gets++;
                post_message(get, 0, 0, lent, gets)
            :: posts_credit ->
                credits?credit, of_get;
                post_message(get_credit, 0, 0, credit, of_get)
            :: posts_return ->
                set = slots[i];
                most = 0;
                do
                :: size_of(set) > keep_slots[i] ->
                    most = most | lowest(set);
                    set = set - lowest(set)
                :: else -> break
                od;
                move_slots(most, is_held, is_written);
                slots[i] = set;
                post_message(return_slots, 0, most, 0, 0)
            :: posts_fence -> post_message(fence, 1, 0, 0, 0)
            :: else -> break
            od;
            skip
        }
    :: d_step {
            has_ended && last_mutation <= known && !is_done[i];
            is_done[i] = 1
        }
#if STOPS
    :: i == 0 -> is_stopped = 1; break
#endif
    od
}

/* Where nothing moves any more. */
proctype Check() {
    byte i, s;
    timeout ->
    d_step {
        first = (is_stopped -> 1 : 0);
        for (i : first .. ORIGINS - 1) {
            assert(is_done[i]);
            assert(executed_chunks[i] == put_chunks[i] && executed_messages[i] == sent_messages[i]);
            assert(empty(early[i]) && empty(waiting[i]) && !acknowledgement_due[i]);
            assert(!has_stream[i] && data_under_way[i] == 0 && buffers[i] == BUFFERS);
            assert(size_of(slots[i]) <= keep_slots[i]);
            assert(held[i] == size_of(slots[i]) && wanted[i] == 0 || SLOTS == 0 || keep_slots[i] > 0)
        }
        most = 0;
        for (s : 0 .. SLOTS - 1) {
            assert(is_stopped || place[s] == is_free || place[s] == is_held);
            assert((place[s] == is_free) == ((free_slots & bit_of(s)) != 0))
        }
        assert(is_stopped || used_buffers == 0)
    }
}

init {
    atomic {
        byte n;
        run Post();
        for (n : 0 .. ORIGINS - 1) {
            run Receive(n);
            run Origin(n)
        }
        run Check()
    }
}
