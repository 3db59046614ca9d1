// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/options.h"

namespace armci::bench {

const char* usage_text() {
    return R"(usage: mpiexec -n RANKS armci-bench [options]

Measures one-sided operations. Before a row is timed its result is checked; a row whose data is
wrong says so, and the exit status is then not 0.

What to measure
  --ops LIST          operations and groups of them (default contiguous,strided,vector,rmw,sync):
                        contiguous  put, get, acc
                        strided     put-strided, get-strided, acc-strided
                        vector      put-vector, get-vector, acc-vector
                        rmw         fetch-add, swap, fetch-add-contended (all ranks, one counter)
                        sync        fence (the fence alone, after a put), barrier, lock (a mutex of
                                    the target locked and unlocked)
                        barriers    mpi-barrier, and flag-barrier by hand in shared memory: what to
                                    compare barrier with
                        memory      malloc: 1 MiB for each rank allocated and freed
                        mpi-pack    mpi-pack-put, mpi-pack-get: the strided patch packed, sent and
                                    unpacked by hand with MPI, as a yardstick
                        raw         raw-put, raw-get: writes and reads by libfabric alone, between
                                    the same memory; raw-rmw: 8 bytes sent and answered
                        overlap     overlap-put, overlap-get, overlap-acc: non-blocking transfers
                                    against computation, in two modes of their own:
                                    origin  the rank that starts a transfer computes for as long
                                            as it takes, then waits for it, at the target too;
                                            us/op is the time of both together, and "hidden" what
                                            part of the shorter one cost no time
                                    target  the target computes while transfers stream into it;
                                            us/op is their time then, "transfer" their time while
                                            it waits in ARMCI_Barrier, x how many times longer
                                    "computing x": time of the computation meanwhile / alone
                        all         everything
  --modes LIST        latency  each operation complete at the target before the next starts
                      stream   blocking operations back to back, one fence at the end; a get is
                               complete when it returns, so that latency already is its stream
                      window   non-blocking, --window of them at a time, one fence at the end
                      latency-serial, stream-serial  the same where the library keeps one
                               chunk of a transfer under way at a time: no pipeline
  --sizes LIST        bytes of contiguous and strided transfers (default 8 to 1M, 64K and 1M), and of
                      those against computation (default 4K to 8M);
                      suffixes K, M, G; A:B stands for A, 2A, 4A, ... B
  --runs LIST         bytes of a contiguous block or vector segment (default 8,128,1K)
  --dims LIST         dimensions of strided patches, 1 to 8 (default 2); 1: one block of the whole
                      size, by the strided calls with no stride levels
  --segments LIST     segments of vector transfers (default 1000)
  --segment-order HOW even (default) or mixed: the same segments of vector transfers, listed in an
                      order that forms no pattern
  --stride-factor N   distance between blocks, in blocks (default 2; 1: dense)
  --local WHICH       local side: strided like the remote side (default) or dense
  --local-memory FROM local buffers from armci (ARMCI_Malloc_local, default) or malloc
  --type NAME         elements of acc: int long float double complex dcomplex (default double)
  --scale X           factor of acc (default 2)
  --window N          operations under way in mode window (default 64)
  --handles KIND      of non-blocking operations: implicit (default), explicit, aggregate
  --raw-provider NAME libfabric provider of raw operations (default: the one the library uses; if
                      it uses none, libfabric's first); the interface is chosen as the library
                      does, ARMCI_INTERFACE included
  --raw-peer HOW      what the target of raw operations does: spin (polls without a pause,
                      default), wait (sleeps until the provider's file descriptor wakes it)

Who takes part
  --pattern one       rank 0 acts on --target (default: the last rank)
            pair      the lower half of the ranks, each on its partner in the upper half, at once
            all       every rank on the next one, at once
  --target-wait HOW   where targets are meanwhile: mpi (in MPI_Barrier, default), armci (in
                      ARMCI_Barrier), busy (computing, in no library at all), asleep (nor
                      computing: their processors are free for data servers)
  --target-busy       same as --target-wait busy
  --busy-limit S      a busy or sleeping target that sees no progress gives up after S seconds (default 20);
                      the row is then marked "stalled" and the exit status is not 0

How long
  --repeat N          samples per row, or per series of a row (default 15)
  --min-time MS       milliseconds per sample at least (default 10)
  --series N          measures every row N times, all rows in turn: N series, each with its data
                      checked and with the target waiting anew. us/op, quartiles, min us and spread
                      are then those of the N series' medians, and a line below the row shows
                      them: a row that has one of two speeds from series to series is seen
  --quartiles-within P
                      rows whose first or third quartile lies more than P percent from the median
                      are marked "noisy" (default 15); given explicitly, it also makes the exit
                      status 3 if there is such a row
  --interleave        rows that are compared with each other are sampled in turn (A B A B), so
                      that all of them see the same machine; they are then reported together

Output
  --csv FILE          rows as CSV      ("-": standard output, instead of the table)
  --json FILE         rows as JSON with a description of the machine and the settings
  --list              print the rows that would be measured, and stop
  --help

Times are per operation: of several ranks at once the slowest; bandwidth and rate are then the sum.
Bandwidth counts moved bytes once (MB/s = 10^6 bytes per second). spread is the distance between
the quartiles as a part of the median. At the end of a row:
  noisy               a quartile lies further from the median than --quartiles-within allows: do not
                      compare this row with others; measure it again on an idle machine
  two speeds          the values gather in two places at least 15 % apart, with 15 % of them at the
                      rarer one, so that the median hides one: how many there are of each, and their
                      medians. At least 10 values are needed. distribution.h describes the test
With --series, the line below the row counts the series' medians in 24 intervals of equal ratio between
the smallest and the largest: "." none, "1" to "9", "+" ten or more. CSV and JSON files have every
value. Rows that can be compared (put with raw-put, a strided put
with mpi-pack-put, a mode with its serial form, ...) are compared at the end, when both were measured.
)";
}

}  // namespace armci::bench
