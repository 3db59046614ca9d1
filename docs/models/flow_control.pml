/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow control between origins and a data server: the window of messages, receive buffers that the
 * server grants, the reply buffers that an origin names for a get, and the server's buffers for
 * that data. docs/design/flow-control.md says what it is for.
 *
 *   model                      source
 *   proctype Origin            pipeline/origin/recv_grants.cpp and frame_sender.cpp progress(), task_queue.cpp post_tasks(); one
 *                              channel of it
 *     room(), post_message     channel.h has_room(); frame_sender.cpp post_message()
 *     post_into_recv_buffer    frame_sender.cpp post_into_recv_buffer(), post()
 *     recv_buffers_wanted      granted_recv_buffers.cpp wanted()
 *     take_grant, release      recv_grants.cpp take(), release()
 *     packing, posting         chunk_task.cpp post(), next_frame(); recv_grants.cpp chunk_room()
 *     getting                  get_task.cpp request_next(), on_answer(), credit();
 *                              stream_credits.cpp send()
 *     fencing                  fences.cpp is_done(); frame_sender.cpp ask_acknowledge()
 *   proctypes Receive, Post    datasrv/service.cpp progress(), in two steps
 *     take_frame               datasrv/frame_intake.cpp take(), hold_early()
 *     execute                  frame_intake.cpp execute_next(); flow_handlers.cpp handle_release()
 *     want, next_grant         datasrv/buffer_grants.cpp want(), use(), release(), next(), keep()
 *     waiting                  datasrv/answers.cpp send_or_queue(), flush(); granted_buffers.cpp
 *                              send_grants()
 *     acknowledging            acknowledgements.cpp flush()
 *     streaming                get_streams.cpp progress(), next_chunk_bytes(); data_frames.cpp
 *                              make()
 *   message, answer            sends, in order; NETWORK of them are with the provider, and a post
 *                              beyond that is refused as by -FI_EAGAIN
 *   write, data                remote writes with immediate data, in any order, also with messages
 *
 * Each chunk closes its receive buffer. Those that share one are tested by tests/sim.
 *
 * A step of a process is one completion handled, or one round of posting everything that can be
 * posted. Between two posts of a round nothing is received in the source either, and several
 * completions may come before a round. What is refused is posted in a later round. A chunk's buffer
 * is free when the server has the chunk, or (EARLY=1) as soon as it is posted. The data of a get is
 * with the provider until its origin takes it, which is the worst that providers do. A program
 * starts its transfers at any moment.
 *
 * Checked: where nothing can move any more, all transfers and their fences are complete, and every
 * buffer and credit is accounted for (process Check). Assertions check that no receive buffer or
 * reply buffer is written twice, that frames are executed once and in order, and that what waits at
 * the server is bounded. No execution is infinite (the search for non-progress cycles finds none).
 * So "nothing can move" is reached, and all transfers complete, as soon as each process goes on
 * and the provider does not refuse posts without end.
 *
 * Sizes by -D, see below. MISTAKE=1..7 in the environment plants a mistake that has to be found (3
 * with STOPS, which SERVER_BUFFERS=2 shows; 7 with more of them).
 */

#ifndef ORIGINS
#define ORIGINS 2
#endif
#ifndef RECV_BUFFERS /* that the server grants; 0: chunks are messages within the window */
#define RECV_BUFFERS 2
#endif
#ifndef WRITES       /* chunks are written into them, data of gets into reply buffers; 0: messages */
#define WRITES (RECV_BUFFERS > 0)
#endif
#ifndef WINDOW       /* messages that an origin may have under way */
#define WINDOW 2
#endif
#ifndef BUFFERS      /* of an origin: for chunks to be sent, and for those of a get to arrive */
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
#ifndef REPLY_BUFFERS /* most buffers that a get names */
#define REPLY_BUFFERS 2
#endif
#ifndef NETWORK      /* messages to or from an origin that the provider takes */
#define NETWORK 2
#endif
#ifndef KEPT_PART    /* an idle origin keeps RECV_BUFFERS / (KEPT_PART * origins that use some) */
#define KEPT_PART 2
#endif
#ifndef AT_A_TIME    /* transfers that an origin has under way */
#define AT_A_TIME 2
#endif
#ifndef EARLY        /* chunks that are sent complete at once, else when the server has them */
#define EARLY 0
#endif
#ifndef STOPS        /* the first origin may stop calling the library, at any moment */
#define STOPS 0
#endif

#include "planted_mistake.pml"

#if RECV_BUFFERS > 0
#define ALL_RECV_BUFFERS RECV_BUFFERS  /* for lengths of arrays */
#else
#define ALL_RECV_BUFFERS 1
#endif
#define MOST_EARLY  (WINDOW + RECV_BUFFERS)
#define IN_GRANT    2                         /* wire::kMaxRecvBuffersPerFrame */
#define min(a, b)   ((a) < (b) -> (a) : (b))
#define max(a, b)   ((a) > (b) -> (a) : (b))
/* Sets of receive buffers are bits. */
#define bit_of(s)   (1 << (s))
#define size_of(m)  (((m) & 1) + (((m) >> 1) & 1) + (((m) >> 2) & 1) + (((m) >> 3) & 1))
#define lowest(m)   ((m) & (0 - (m)))
#define NONE      255
#if ORIGINS == 1
#define SOME_ORIGIN(f) f(0)
#elif ORIGINS == 2
#define SOME_ORIGIN(f) (f(0) || f(1))
#else
#define SOME_ORIGIN(f) (f(0) || f(1) || f(2))
#endif

mtype = { chunk, want_recv_buffers, fence, release_recv_buffers,  /* from origins */
          get, get_credit,
          acknowledge, grant, chunk_of_get,                       /* from the server */
          put };                                                  /* a transfer, as is get */

/* kind, number, demand of receive buffers, asks for acknowledgement, receive buffers of it, last or
 * reply buffers or credit, which get */
chan message[ORIGINS] = [NETWORK] of { mtype, byte, byte, bit, byte, byte, byte };
/* number, demand, asks, receive buffer, last */
chan write[ORIGINS]   = [ALL_RECV_BUFFERS] of { byte, byte, bit, byte, byte };
/* kind, executed frames, executed messages, receive buffers granted and that may be kept */
chan answer[ORIGINS]  = [NETWORK] of { mtype, byte, byte, byte, byte };
chan data[ORIGINS]    = [REPLY_BUFFERS] of { byte, byte, byte };  /* executed both, reply buffer */

/* Where each receive buffer is, to account for them. */
mtype = { is_free, is_granted, is_held, is_written };
mtype place[ALL_RECV_BUFFERS] = is_free;

/* --- The server ------------------------------------------------------------------------------- */

byte executed[ORIGINS];           /* frames */
byte executed_messages[ORIGINS];
byte executed_chunks[ORIGINS];
byte acknowledged[ORIGINS];
bit  acknowledgement_due[ORIGINS];
chan early[ORIGINS]   = [MOST_EARLY] of { mtype, byte, byte, bit, byte, byte, byte };
byte early_messages[ORIGINS];
/* grants that no provider has taken yet */
chan waiting[ORIGINS] = [ALL_RECV_BUFFERS] of { byte, byte };

byte free_recv_buffers = (1 << RECV_BUFFERS) - 1;  /* BufferGrants */
byte holder[ALL_RECV_BUFFERS] = NONE;     /* free, or being read */
byte wanted[ORIGINS];
byte granted[ORIGINS];            /* ever */
byte held[ORIGINS];
bit  is_queued[ORIGINS];
chan queue = [ORIGINS] of { byte };
byte holding;
bit  grants_due;

bit  has_stream[ORIGINS];         /* GetStreams */
byte sent_chunks[ORIGINS];
byte taken_chunks[ORIGINS];
byte reply_buffers[ORIGINS];
byte stream_get[ORIGINS];
byte used_buffers;
byte data_under_way[ORIGINS];

/* --- What Check and the server's ends of the network see of origins --------------------------- */

bit  is_done[ORIGINS];
bit  is_stopped;
byte sent_messages[ORIGINS];
byte put_chunks[ORIGINS];
byte recv_buffers[ORIGINS];              /* Channel::recv_buffers */
byte keep_recv_buffers[ORIGINS];
byte buffers[ORIGINS] = BUFFERS;
byte tasks[ORIGINS];

/* Used within one step only. */
hidden mtype kind;
hidden byte number, flow, set, credit, of_get, recv_buffer, to, turns, most, count, first, asks;
hidden byte closes;

inline want(c, more) {
    wanted[c] = min(more, RECV_BUFFERS);
    if
    :: wanted[c] > 0 && !is_queued[c] ->
        is_queued[c] = 1;
        queue!c;
        holding = holding - (held[c] > 0 -> 1 : 0)
    :: else
    fi
}

/* BufferGrants::use and release, for a set. The ghost says where the receive buffers have to be. */
inline use(c, used) {
    for (recv_buffer : 0 .. RECV_BUFFERS - 1) {
        if
        :: ((used) & bit_of(recv_buffer)) != 0 ->
            assert(holder[recv_buffer] == c && place[recv_buffer] == is_written);
            holder[recv_buffer] = NONE;
            held[c]--;
            holding = holding - (held[c] == 0 && !is_queued[c] -> 1 : 0)
        :: else
        fi
    }
}

inline release(released) {
    for (recv_buffer : 0 .. RECV_BUFFERS - 1) {
        if
        :: ((released) & bit_of(recv_buffer)) != 0 ->
            assert(holder[recv_buffer] == NONE && place[recv_buffer] == is_written);
            place[recv_buffer] = is_free;
            if
            :: MISTAKE(1)  /* a receive buffer is not free again */
            :: else -> free_recv_buffers = free_recv_buffers | bit_of(recv_buffer)
            fi
        :: else
        fi
    }
}

/* BufferGrants::next: a set of receive buffers, 0 for none, for client `to`. */
inline next_grant() {
    turns = len(queue);
    set = 0;
    do
    :: turns > 0 && free_recv_buffers != 0 && set == 0 ->
        turns--;
        queue?to;
        is_queued[to] = 0;
        holding = holding + (held[to] > 0 -> 1 : 0);
        if
        :: wanted[to] == 0
        :: else ->
            most = len(queue) + holding - (held[to] > 0 -> 1 : 0) + 1;
            most = max(1, min(RECV_BUFFERS / most, (RECV_BUFFERS + 1) / 2));
            count = min(wanted[to], (most > held[to] -> most - held[to] : 0));
            count = min(count, min(size_of(free_recv_buffers), IN_GRANT));
            if
            :: count == 0 || count < (held[to] == 0 -> 1 : min(wanted[to], max(1, most / 4))) ->
                want(to, wanted[to])
            :: else ->
                holding = holding + (held[to] == 0 -> 1 : 0);
                held[to] = held[to] + count;
                wanted[to] = wanted[to] - count;
                granted[to] = granted[to] + count;
                for (recv_buffer : 0 .. RECV_BUFFERS - 1) {
                    if
                    :: count > 0 && (free_recv_buffers & bit_of(recv_buffer)) != 0 ->
                        assert(holder[recv_buffer] == NONE && place[recv_buffer] == is_free);
                        place[recv_buffer] = is_granted;
                        holder[recv_buffer] = to;
                        free_recv_buffers = free_recv_buffers - bit_of(recv_buffer);
                        set = set | bit_of(recv_buffer);
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
    :: kind == release_recv_buffers ->
        use(c, set);
        release(set)
    :: kind == get ->
        assert(!has_stream[c]);
        has_stream[c] = 1;
        sent_chunks[c] = 0;
        taken_chunks[c] = 0;
        reply_buffers[c] = credit;
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
    count = max(flow, granted[c]) - granted[c];
    want(c, count);
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

/* DataFrames::make: the last buffer is only for an origin that has none. Mistake 3: for all. */
#define has_data_buffer(c) \
    (used_buffers < SERVER_BUFFERS - 1 || \
     (used_buffers < SERVER_BUFFERS && (data_under_way[c] == 0 || MISTAKE(3))))

#if WRITES
#define can_send_data(c) nfull(data[c])
#else
#define can_send_data(c) nfull(answer[c])
#endif

#define can_flush(c)       (nempty(waiting[c]) && nfull(answer[c]))
#define can_acknowledge(c) (acknowledgement_due[c] && \
                            (acknowledged[c] == executed[c] || nfull(answer[c])))
#define can_stream(c)      (has_stream[c] && \
                            sent_chunks[c] - taken_chunks[c] < reply_buffers[c] && \
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
            if
            :: kind == chunk && set != 0 -> use(c, set)
            :: else
            fi;
            take_frame(c)
        }
#if WRITES
    :: d_step {
            write[c]?number, flow, asks, set, credit;
            take_write(c)
        }
    :: d_step {  /* the one behind it; the first one stays in front */
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
                    most = RECV_BUFFERS / (KEPT_PART * max(1, most));  /* keep() */
                    assert(nfull(waiting[to]));  /* each grant has a receive buffer */
                    waiting[to]!set, most
                fi
            :: else -> break
            od;
            for (c : 0 .. ORIGINS - 1) {
                do
                :: can_flush(c) ->
                    waiting[c]?set, most;
                    acknowledged[c] = executed[c];
                    answer[c]!grant, executed[c], executed_messages[c], set, most
                :: else -> break
                od;
                if
                :: can_acknowledge(c) ->
                    if
                    :: acknowledged[c] != executed[c] ->
                        acknowledged[c] = executed[c];
                        answer[c]!acknowledge, executed[c], executed_messages[c], 0, 0
                    :: else  /* another answer has said it */
                    fi;
                    acknowledgement_due[c] = 0
                :: else
                fi;
                do
                :: can_stream(c) ->
                    used_buffers++;
                    data_under_way[c]++;
                    acknowledged[c] = executed[c];
#if WRITES
                    assert(!data[c]??[number, credit, eval(sent_chunks[c] % reply_buffers[c])]);
                    data[c]!executed[c], executed_messages[c], sent_chunks[c] % reply_buffers[c];
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

/* Kept are as many as the server says, or between fences twice as many. The model takes either for
   what the server says. */
#define needed_recv_buffers(used) \
    max((used > 0 -> keep_recv_buffers[i] : 0), \
        (unpacked > 0 -> min(2 * unpacked + 1, RECV_BUFFERS) : 0))
#define wanted_recv_buffers(used) \
    (RECV_BUFFERS == 0 -> 0 : \
     (size_of(recv_buffers[i]) - (used) > needed_recv_buffers(used) / 2 -> 0 : \
      needed_recv_buffers(used) - (size_of(recv_buffers[i]) - (used))))

inline post_message(what, asking, used_set, credits_or_last, which) {
    /* Mistake 4: no origin asks for the window to open again. */
    closes = sent_messages[i] - known_messages + 2 > WINDOW && !MISTAKE(4);
    sent++;
    sent_messages[i]++;
    asked_recv_buffers = wanted_recv_buffers(0);
    asked = (asking || closes -> sent : asked);
    message[i]!what, sent, seen + asked_recv_buffers, asking || closes, used_set, credits_or_last, which
}

inline record_answer() {
    known = max(known, number);
    known_messages = max(known_messages, credit)
}

inline move_recv_buffers(moved, from, into) {
    for (recv_buffer : 0 .. RECV_BUFFERS - 1) {
        if
        :: ((moved) & bit_of(recv_buffer)) != 0 ->
            assert(place[recv_buffer] == from && holder[recv_buffer] == i);
            place[recv_buffer] = into
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

/* GetTask::on_answer and credit(), of which `done` chunks could be reported as taken. */
inline take_chunk_of_get() {
    used_buffers--;
    data_under_way[i]--;
    got++;
    if
    :: got == CHUNKS ->
        buffers[i] = buffers[i] + (WRITES -> lent : 0);
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
    assert(!taken[recv_buffer]);  /* the server does not write over what was not released */
    taken[recv_buffer] = 1;
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
    :: else -> for (recv_buffer : 0 .. REPLY_BUFFERS - 1) { taken[recv_buffer] = 0 }
    fi
}

/* What can be posted. chunk_room: with a receive buffer; without, it asks for some; waits for those
 * that are in use; or sends a message. */
#define packs          (left > 0 && !is_packed)
#define begins_put     (left == 0 && !is_packed && to_post?[put])
#define begins_get     (left == 0 && !is_packed && to_post?[get] && lent == 0 && may_post && \
                        (!WRITES || buffers[i] > 0))
#define packs_recv_buffer (packs && recv_buffers[i] != 0 && buffers[i] > 0)
#define asks_recv_buffers (packs && recv_buffers[i] == 0 && asked_recv_buffers == 0 && \
                        RECV_BUFFERS > 0 && may_post)
#define asks_executed  (packs && recv_buffers[i] == 0 && last_recv_buffer > known && \
                        asked < last_recv_buffer && may_post)
#define packs_message  (packs && recv_buffers[i] == 0 && last_recv_buffer <= known && \
                        buffers[i] > 0 && has_window)
#if WRITES
#define posts_recv_buffer (is_packed && for_recv_buffer)
#else
#define posts_recv_buffer (is_packed && for_recv_buffer && nfull(message[i]))
#endif
#define posts_message  (is_packed && !for_recv_buffer && may_post)
#define posts_credit   (nempty(credits) && may_post)
/* Mistake 6: what an idle origin is granted stays with it. */
#define posts_return   (tasks[i] == 0 && \
                        size_of(recv_buffers[i]) > keep_recv_buffers[i] && may_post && \
                        !MISTAKE(6))
#define has_ended      (transfers == TRANSFERS && tasks[i] == 0)
#define posts_fence    (has_ended && last_mutation > known && asked < last_mutation && may_post)
#define can_post \
    (begins_put || begins_get || packs_recv_buffer || asks_recv_buffers || asks_executed || \
     packs_message || \
     posts_recv_buffer || posts_message || posts_credit || posts_return || posts_fence)

proctype Origin(byte i) {
    byte sent, known, known_messages, asked, asked_recv_buffers, last_recv_buffer, last_mutation;
    byte transfers;                /* started */
    byte unpacked;                 /* chunks of puts that are in no frame yet */
    byte left;                     /* of these, of the put that is being posted */
    bit is_packed, for_recv_buffer;       /* ChunkTask::unsent_ */
    byte seen;                     /* receive buffers ever granted, as far as it knows */
    byte lent, got, in_turn, credited, gets;
    bit taken[REPLY_BUFFERS];
    chan to_post = [AT_A_TIME] of { mtype };
    chan credits = [REPLY_BUFFERS] of { byte, byte };     /* credits_due_ */

end:
    do
    :: d_step {  /* handle_frame */
            answer[i]?kind, number, credit, set, most;
            record_answer();
            if
            :: kind == grant ->
                move_recv_buffers(set, is_granted, is_held);
                recv_buffers[i] = recv_buffers[i] | set;
                keep_recv_buffers[i] = most;
                seen = seen + size_of(set);
                asked_recv_buffers = asked_recv_buffers - min(asked_recv_buffers, size_of(set))
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
            data[i]?number, credit, recv_buffer;
            land()
        }
    :: d_step {  /* the one behind it */
            len(data[i]) > 1;
            data[i]?number, credit, recv_buffer;
            data[i]!number, credit, recv_buffer;
            data[i]?number, credit, recv_buffer;
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
            :: packs_recv_buffer ->
                buffers[i]--; left--; unpacked--; is_packed = 1; for_recv_buffer = 1
            :: asks_recv_buffers -> post_message(want_recv_buffers, 1, 0, 0, 0)
            :: asks_executed -> post_message(fence, 1, 0, 0, 0)
            :: packs_message -> buffers[i]--; left--; unpacked--; is_packed = 1; for_recv_buffer = 0
            :: posts_recv_buffer ->
                assert(recv_buffers[i] != 0);
                set = lowest(recv_buffers[i]);
                asks = recv_buffers[i] == set;
                move_recv_buffers(set, is_held, is_written);
                sent++;
                asked_recv_buffers = wanted_recv_buffers(1);
                recv_buffers[i] = recv_buffers[i] - set;
                asked = (asks -> sent : asked);
                last_recv_buffer = sent;
#if WRITES
                assert(nfull(write[i]));
                write[i]!sent, seen + asked_recv_buffers, asks, set, left == 0;
#else
                message[i]!chunk, sent, seen + asked_recv_buffers, asks, set, left == 0, 0;
#endif
                posted_chunk()
            :: posts_message ->
                post_message(chunk, 0, 0, left == 0, 0);
                posted_chunk()
            :: begins_get ->  /* as many reply buffers as there are */
                to_post?kind;
                lent = min(REPLY_BUFFERS, CHUNKS);
                lent = (WRITES -> min(lent, buffers[i]) : lent);
                buffers[i] = buffers[i] - (WRITES -> lent : 0);
                gets++;
                post_message(get, 0, 0, lent, gets)
            :: posts_credit ->
                credits?credit, of_get;
                post_message(get_credit, 0, 0, credit, of_get)
            :: posts_return ->
                set = recv_buffers[i];
                most = 0;
                do
                :: size_of(set) > keep_recv_buffers[i] ->
                    most = most | lowest(set);
                    set = set - lowest(set)
                :: else -> break
                od;
                move_recv_buffers(most, is_held, is_written);
                recv_buffers[i] = set;
                post_message(release_recv_buffers, 0, most, 0, 0)
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
            assert(size_of(recv_buffers[i]) <= keep_recv_buffers[i]);
            assert(held[i] == size_of(recv_buffers[i]) && wanted[i] == 0 || RECV_BUFFERS == 0 ||
                   keep_recv_buffers[i] > 0)
        }
        most = 0;
        for (s : 0 .. RECV_BUFFERS - 1) {
            assert(is_stopped || place[s] == is_free || place[s] == is_held);
            assert((place[s] == is_free) == ((free_recv_buffers & bit_of(s)) != 0))
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
