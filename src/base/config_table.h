// SPDX-License-Identifier: BSD-3-Clause
// The one list of configuration variables. Everything else about them (parsing, defaults,
// armci-info, docs/tuning.md) is derived from this table.
//
// Columns: kind(member, "NAME", default, lowest, highest, class, whose, "help")
//   kind    INTEGER, LEVEL (INTEGER that may be given as a BOOL), BYTES (suffix K, M, G), BOOL,
//           CHOICE (default is the index, choices instead of the range), TEXT (no range)
//   class   own       this library's: a malformed value ends the job at start
//           mirrored  shared with other ARMCI implementations: a malformed value is warned about
//                     and the default is used
//   whose   job       all ranks take rank 0's value, with a warning where theirs is another: what
//                     is collective or has to agree, and what should never differ
//           rank      each rank's own: what may well differ between machines or ranks
#pragma once

// clang-format off
#define ARMCI_CONFIG_TABLE(INTEGER, LEVEL, BYTES, BOOL, CHOICE, TEXT)                                   \
    CHOICE(route, "ARMCI_ROUTE", 0, "auto|rma|server|alternate", own, job,                              \
        "How data moves between nodes: auto chooses for each transfer; rma and server force one where " \
        "the operation can take it (accumulate and rmw always go through the server); alternate "       \
        "changes from one operation to the next, for tests.")                                           \
    TEXT(provider, "ARMCI_PROVIDER", "", own, job,                                                      \
        "libfabric provider between nodes, as fi_info names it (for example tcp;ofi_rxm). Empty: the "  \
        "best one the provider table knows on this machine.")                                           \
    TEXT(interface, "ARMCI_INTERFACE", "", own, rank,                                                   \
        "Network interface (name or IP address) to use between nodes. Empty: of the networks that the " \
        "nodes have in common, the fastest that connects them as ARMCI_Init tries it; a bridge made by " \
        "software only if there is no other; loopback only when the whole job runs on one host. "       \
        "Several, separated by commas, are rails: long transfers are divided among them by their "      \
        "speed, and all else uses the first one; of adapters on one fabric, each rank uses the nearest "\
        "first. One that some rank cannot use is left out with a warning. An interface that is named "  \
        "twice is two rails.")                                                                          \
    TEXT(port_range, "ARMCI_PORT_RANGE", "", own, job,                                                  \
        "TCP ports, first-last, at which the processes of the job listen, for firewalls between the "   \
        "nodes: with providers over TCP a port for each rank and for each data server of a host, and "  \
        "one more for its liveness connections; with rails as many for each rail. Empty: the system "   \
        "chooses.")                            \
    INTEGER(node_size, "ARMCI_NODE_SIZE", 0, 0, 1 << 20, own, job,                                      \
        "Splits each host into virtual nodes of this many ranks, for tests and benchmarks. 0: all "     \
        "ranks that can share memory are one node.")                                                    \
    CHOICE(domains, "ARMCI_DOMAINS", 0, "process|node", own, job,                                       \
        "What armci_domain_* report: one process per domain, as Global Arrays is validated with, or "   \
        "the real nodes.")                                                                              \
    INTEGER(buffer_count, "ARMCI_BUFFER_COUNT", kAuto, 1, 4096, own, job,                                   \
        "Most registered buffers per process for transfers through the data server; each is "           \
        "registered when it is needed for the first time. auto: 16, of which one transfer takes as "    \
        "many as keep its slowest stage busy by the cost model. A number: one transfer may take all.")                                    \
    BYTES(buffer_size, "ARMCI_BUFFER_SIZE", kAuto, 4 << 10, 16 << 20, own, job,                      \
        "Bytes in each of these buffers: the largest chunk of a transfer. auto: the size with "         \
        "which a large transfer takes the shortest time, by the cost model.")                           \
    INTEGER(recv_buffer_count, "ARMCI_RECV_BUFFER_COUNT", kAuto, 1, 65536, own, job,                       \
        "Buffers that a data server keeps for incoming chunks of all its clients together, which it "   \
        "grants to those that need them. auto: twice ARMCI_BUFFER_COUNT. Where they take memory only "  \
        "when they are used, as over TCP: as many as 32 MiB hold, but two to four times "               \
        "ARMCI_BUFFER_COUNT.")                                                                          \
    BYTES(rma_min_block, "ARMCI_RMA_MIN_BLOCK", 0, 0, int64_t{1} << 40, own, job,                           \
        "Strided and vector transfers whose contiguous blocks are at least this long go "               \
        "straight by RMA, shorter ones through the data server. 0: the cost model decides.")            \
    BYTES(get_by_put_min, "ARMCI_GET_BY_PUT_MIN", kAuto, 1, int64_t{1} << 46, own, job,                     \
        "Contiguous gets of at least this many bytes are written into the caller's memory by the "      \
        "target's data server, shorter ones are read. auto: where the cost model finds the network's "  \
        "reads slower than its writes.")                                                                \
    BYTES(in_place_min, "ARMCI_IN_PLACE_MIN", 32 << 10, 1, int64_t{1} << 46, own, job,                  \
        "Chunks of puts and accumulates by the data server with at least this much data are sent from " \
        "where the data lies, if it is one block there. Shorter ones are packed, and so are those that "\
        "fit a message (up to 8 KiB). All are packed where local memory must be registered, where "     \
        "chunks are messages, and with several rails.")                                                 \
    INTEGER(mailboxes, "ARMCI_MAILBOXES", 32, 0, 255, own, job,                                          \
        "Over TCP with libfabric 1.17: how many origins of a data server, the first ones, have a "       \
        "mailbox there. An origin writes small requests into it, one at a time, and the server writes " \
        "the answer into memory of the origin. Both look for it when they poll, so messages of small "  \
        "operations have no completion at their receiver. 0: all requests are messages.")               \
    TEXT(config_file, "ARMCI_CONFIG", "", own, rank,                                                    \
        "File that sets variables, one NAME = VALUE in a line, as the site's file /etc/armci.conf. It "  \
        "wins over that file, and the environment wins over both. Lines after [hosts PATTERN, ...] "    \
        "hold for hosts of these names, up to the next such line. A file that cannot be read, or has "  \
        "a line of another form, ends the job at start.")                                               \
    TEXT(profile, "ARMCI_PROFILE", "", own, rank,                                                       \
        "File with the costs of transfers here, as armci-tune writes it; only rank 0 reads it. "        \
        "An entry for another provider is not used. A file that cannot be read ends the job; "          \
        "one that is no profile, or has no entry for the provider, gives a warning and is not "         \
        "used. Empty: the provider table's costs, and how fast the processor copies, measured "         \
        "at start in two milliseconds.")                                                                \
    CHOICE(costs, "ARMCI_COSTS", 0, "learned|prior", own, job,                                          \
        "learned: each rank corrects the costs that it started with by the times of its own transfers " \
        "of 16 KiB or more. It chooses routes by the result, and how many buffers a transfer takes. "   \
        "Those of a profile are corrected, too. prior: the costs of the start stay. "                   \
        "ARMCI_RMA_MIN_BLOCK and ARMCI_ROUTE decide before either, and with the former no costs of "    \
        "the network are learned.")                                                                     \
    TEXT(faults, "ARMCI_FAULTS", "", own, rank,                                                         \
        "For tests: network faults made on purpose, a list of eagain=R/N (R of N posts refused "        \
        "for a while), burst=N (that many posts in a row are all refused or all taken), seed=N, "       \
        "mr_local (local memory must be registered), mr_count=N and mr_bytes=N (only N "                \
        "registrations, of so many bytes each, succeed), mr_refused=both|local|remote (which "          \
        "ones those two concern), rail_keys (memory has another key on each rail; on all "              \
        "ranks), rails_short (short transfers take any rail, too), no_delivery (no completion "         \
        "tells that a write has arrived; on all ranks).")                                               \
    BYTES(register_min, "ARMCI_REGISTER_MIN", kAuto, 0, int64_t{1} << 40, own, job,                     \
        "Where the provider wants local memory registered: direct transfers of at least this many "    \
        "bytes register it, shorter ones are copied through a buffer. auto: 64K at first; then each "   \
        "rank chooses what takes less time for each class of lengths from 4 KiB on, by the times of "   \
        "its own registrations and copies. With ARMCI_COSTS=prior, 64K stays.")                         \
    CHOICE(rma_order, "ARMCI_RMA_ORDER", 0, "auto|none", own, job,                                      \
        "auto uses the ordering between RMA and messages that the provider grants; none relies on no "  \
        "ordering and waits for delivery instead, for tests.")                                          \
    BYTES(heap_size, "ARMCI_HEAP_SIZE", 0, 0, int64_t{1} << 46, own, job,                               \
        "Address space reserved per node for global memory; no memory is used before it is allocated. " \
        "0: four times the machine's memory, or what the limit on address space (ulimit -v) leaves.")   \
    BYTES(keep_freed, "ARMCI_KEEP_FREED", kAuto, 0, int64_t{1} << 46, own, job,                             \
        "The most bytes of freed global memory that stay resident on a host, for later allocations. "   \
        "The library keeps at most a quarter of the memory that the host and its control group have "   \
        "left, and none while memory is short. Memory that is not used again goes back to the system "  \
        "after ten seconds. auto: a sixteenth of the machine's memory.")                                \
    BYTES(populate_min, "ARMCI_POPULATE_MIN", 4 << 20, 0, int64_t{1} << 46, own, job,                       \
        "If a rank allocates at least this many bytes of new global memory, a thread gives them pages " \
        "in the background. The program then has no page faults there. The thread rests while no "      \
        "processor is idle. It takes at most half of the memory that the host and its control group "   \
        "have left. It needs Linux 5.14. 0: a page gets memory when the program touches it.")           \
    CHOICE(copy_engine, "ARMCI_COPY_ENGINE", 0, "none|thread|dsa|dsa-twin|auto", own, job,              \
        "What carries out non-blocking puts, gets and accumulates inside a node, and the copies and "   \
        "sums of a data server in large pieces: none, the call or the server itself; thread, one per "  \
        "rank and per server that does it while these go on. That pays where processors are idle and "  \
        "the rank is not bound to one. dsa, a work queue of an Intel DSA device (docs/running.md), "    \
        "which leaves accumulates and blocks below 4 KiB to the processor; dsa-twin, a simulation of "  \
        "one, for tests; auto, dsa where a rank can use one, else none.")                               \
    BYTES(copy_engine_min, "ARMCI_COPY_ENGINE_MIN", 256 << 10, 0, int64_t{1} << 40, own, job,           \
        "The shortest non-blocking operation inside a node that ARMCI_COPY_ENGINE is given. A data "    \
        "server gives it pieces of that length, or of half a buffer where that is shorter.")            \
    INTEGER(servers_per_node, "ARMCI_SERVERS_PER_NODE", kAuto, 1, 1024, own, job,                       \
        "Data servers on each node, each with buffers and a thread of its own. The ranks of a node are " \
        "divided into as many blocks of neighbours, and a server is in the first process of its block " \
        "and has the memory of its ranks. At most as many as the smallest node has ranks. auto: one "   \
        "for each 16 ranks of the smallest node, rounded to the nearest, or as many as adapters if "      \
        "each rank uses the nearest of several and these are more, at most 8; 1 where ranks outnumber " \
        "processors.")                                                                                  \
    CHOICE(server_poll, "ARMCI_SERVER_POLL", 0, "auto|spin|wait", own, rank,                            \
        "What a data server's thread does between requests: auto polls for a moment, which it learns, " \
        "and then sleeps in the kernel; wait sleeps at once; spin always polls, for machines with a "   \
        "processor to spare for it. ARMCI_PROGRESS_USLEEP overrules it.")                               \
    INTEGER(server_spin_us, "ARMCI_SERVER_SPIN_US", 20, 0, 1000000, own, rank,                          \
        "With ARMCI_SERVER_POLL=auto: the most microseconds for which the data server polls after "     \
        "work before it sleeps. While the rank of its process sleeps in the library (not at "           \
        "MPI_THREAD_MULTIPLE), it is five times as long. It is less while polling finds nothing, and 0 "\
        "where ranks outnumber the processors.")                                                        \
    INTEGER(wait_spin_us, "ARMCI_WAIT_SPIN_US", kAuto, 0, 1000000, own, rank,                             \
        "Microseconds for which a rank that waits for the network polls before it sleeps in the "         \
        "kernel. auto: 10 to 50, as its sleeps turn out, where ranks and data servers outnumber the "     \
        "processors, else 100; and none where it may sleep and trials show that sleeping at once is "     \
        "quicker.")                                                                                       \
    CHOICE(thread_level, "ARMCI_THREAD_LEVEL", 0, "auto|single|funneled|serialized|multiple", own, rank, \
        "The highest MPI thread level that ARMCI_Init, ARMCI_Init_args and ARMCI_Init_mpi_comm "        \
        "take; a lower one than MPI provides saves a program whose threads do not all call the "        \
        "library some time in each call. It never raises the level above what MPI provides, and "       \
        "gives a warning where it would; ARMCI_Init_thread and ARMCI_Init_thread_comm take the "        \
        "level they are given. auto: what MPI provides.")                                               \
    INTEGER(finalize_timeout_seconds, "ARMCI_FINALIZE_TIMEOUT_SECONDS", 10, 1, 86400, own, job,                     \
        "Seconds ARMCI_Finalize waits for the other ranks before it returns without them (a failing "   \
        "program may call it on one rank only); the rest is done in MPI_Finalize.")                     \
    CHOICE(check, "ARMCI_CHECK", 0, "0|1|warn", own, job,                                               \
        "Checking mode, for programs under development: looks for use of freed memory, buffers touched " \
        "too early, unordered writes to the same bytes, and calls that wait for each other. 1: a "      \
        "mistake ends the job; warn: it is only reported. yes, no, true, false, on and off do as "      \
        "well. See docs/checking.md.")                       \
    INTEGER(check_patience_seconds, "ARMCI_CHECK_PATIENCE_SECONDS", 10, 1, 86400, own, job,                         \
        "With ARMCI_CHECK: seconds for which a rank waits in a collective call before it prints "       \
        "which ranks have not come, and what they do.")                                                 \
    INTEGER(lost_rank_seconds, "ARMCI_LOST_RANK_SECONDS", 0, 0, 86400, own, job,                        \
        "A rank that gives no sign of life for so many seconds, because it is stopped or its "          \
        "node hangs, counts as failed and the job ends. 0: only ranks whose process ends, or "          \
        "whose node cannot be reached any more.")                                                       \
    INTEGER(lost_link_seconds, "ARMCI_LOST_LINK_SECONDS", 60, 3, 86400, own, job,                       \
        "A node whose system does not answer for so many seconds, because it is down or the "           \
        "network is broken, counts as failed and the job ends; so does one that a call has "            \
        "waited for so long and that never could be reached over the network chosen (IP only).")        \
    INTEGER(hang_seconds, "ARMCI_HANG_SECONDS", 0, 0, 86400, own, job,                                  \
        "When a call has been waiting for so many seconds, all ranks print on standard error "          \
        "what they wait for. 0: never. Waits inside ARMCI_Init, and for the statistics at the "         \
        "end, do not count.")                                                                           \
    CHOICE(hang_action, "ARMCI_HANG_ACTION", 0, "end|report", own, job,                                 \
        "What follows the reports that ARMCI_HANG_SECONDS asks for: end, the job ends with an "         \
        "error; report, it goes on, with the next reports after twice the time.")                       \
    BOOL(stats, "ARMCI_STATS", 0, own, job,                                                             \
        "Print a table of operations and bytes by route when the library ends.")                        \
    TEXT(stats_trigger, "ARMCI_STATS_TRIGGER", "", own, job,                                            \
        "When each rank writes its statistics while the job runs, with how long its calls take: a list "   \
        "of exit (when the library ends), signal:NAME (USR1, USR2, URG, WINCH, IO, or the number of a "    \
        "real-time signal) and timer:SECONDS. Each call then takes some 100 ns longer. Empty: never.")  \
    TEXT(stats_file, "ARMCI_STATS_FILE", "", own, job,                                                  \
        "With ARMCI_STATS_TRIGGER: each rank appends its statistics to this path followed by .RANK.txt "   \
        "or .RANK.json. A path that a rank cannot write to ends the job at start. Empty: standard error.") \
    CHOICE(stats_format, "ARMCI_STATS_FORMAT", 0, "text|json", own, job,                                \
        "The form of these statistics: text, or JSON with one object in a line for each time.")         \
    TEXT(trace, "ARMCI_TRACE", "", own, job,                                                            \
        "Each rank keeps a timeline of what it does and writes it to this path followed by "            \
        ".RANK.json, for Perfetto, while the job runs and when the library ends. A path that a "        \
        "rank cannot write to ends the job at start. Empty: none.")                                     \
    CHOICE(log_level, "ARMCI_LOG_LEVEL", 1, "error|warn|info|debug", own, rank,                         \
        "How much is written to standard error.")                                                       \
    BOOL(backtrace, "ARMCI_BACKTRACE", 1, own, rank,                                                    \
        "Below the message of an error, print which call of the program it is about, and the functions " \
        "that led to it.")                                                                              \
    LEVEL(verbose, "ARMCI_VERBOSE", 0, 0, 9, mirrored, rank,                                          \
        "1: rank 0 prints the settings at start; 2: also the variables that have no effect here.")      \
    BOOL(debug_alloc, "ARMCI_DEBUG_ALLOC", 0, mirrored, job,                                            \
        "Fill new global memory with zeros.")                                                           \
    BYTES(shm_limit, "ARMCI_SHM_LIMIT", 0, 0, int64_t{1} << 50, mirrored, rank,                         \
        "Upper limit in bytes on global memory per process; a few KB of the library's own count, too. " \
        "0: none.")                                  \
    BOOL(progress_thread, "ARMCI_PROGRESS_THREAD", 1, mirrored, job,                                    \
        "0 runs no data server threads: remote requests are then served only while the rank that "      \
        "hosts their data server is inside the library. For debugging only.")                           \
    INTEGER(progress_usleep, "ARMCI_PROGRESS_USLEEP", 0, 0, 1000000, mirrored, rank,                    \
        "Microseconds the data server sleeps between polls instead of waiting for events. 0: events.")  \
    BOOL(no_flush_local, "ARMCI_NO_FLUSH_LOCAL", 0, mirrored, job,                                      \
        "Debugging: every blocking put and accumulate waits for remote completion.")                    \
    BOOL(explicit_nb_progress, "ARMCI_EXPLICIT_NB_PROGRESS", 1, mirrored, job,                          \
        "Poll for progress in non-blocking calls, except most of the small ones.")
// clang-format on
