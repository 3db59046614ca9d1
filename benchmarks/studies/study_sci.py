# SPDX-License-Identifier: BSD-3-Clause
"""Worringen et al. on SCI-MPICH: many small strided accesses and one fence, noncontiguous transfers, how
puts scale over ranks, and the ways to reach memory."""

import json

from library.context import LOOPBACK, SHARED_MEMORY, Failed, in_rounds
from library.numbers import bytes_text, summary, text_of
from library.rows import bandwidth_row, join, line, lines_by, median_of, select
from library.study import Figure, Part, Section, Study, Table

KIB = 1024
WINDOW_BYTES = 256 * KIB
# The paper's ways to a window, and what stands for each here.
WAYS = {
    "direct (shared memory)": (SHARED_MEMORY, {}),
    "direct (RMA over TCP)": (LOOPBACK, {"ARMCI_ROUTE": "rma"}),
    "emulation (data server)": (LOOPBACK, {"ARMCI_ROUTE": "server"}),
    "the library's choice": (LOOPBACK, {}),
}


def run_sparse(context, way, operations, accesses, factors, ranks=2):
    place, settings = WAYS[way]
    program = context.program("benchmarks", "studies", "sparse")
    text = context.run_at(place, ranks, [program, operations, str(WINDOW_BYTES), ",".join(map(str, accesses)),
                                         ",".join(map(str, factors)), context.pick("2", "5", "11")], settings)
    rows = []
    for found in json.loads(text):
        if not found["right"]:
            raise Failed(f"sparse, {way}, {found['operation']} of {found['access_bytes']} B: wrong data")
        moved = found["calls"] * found["access_bytes"]
        rows.append({"way": way, "operation": found["operation"], "ranks": ranks, "access_bytes": found["access_bytes"],
                     "factor": found["factor"], "calls": found["calls"],
                     "call_us": summary(found["values_us"])["median"] / found["calls"],
                     "unit": "MB/s", **summary([moved / us for us in found["values_us"]])})
    return rows


def access_sizes(context):
    return context.pick([8, 4096], [8, 64, 512, 4096, 32768], [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
                                                               16384, 32768])


def measure_sparse(context):
    return [row for way in WAYS for row in run_sparse(context, way, "put,get", access_sizes(context), [2])]


def measure_strides(context):
    accesses = context.pick([8], [8, 256], [8, 64, 256, 2048])
    return run_sparse(context, "direct (shared memory)", "put", accesses, context.pick([1, 2], [1, 2, 4, 16],
                                                                                       [1, 2, 3, 4, 8, 16, 32]))


def measure_scaling(context):
    accesses = context.pick([4096], [8, 4096], [8, 256, 4096, 32768])
    return [row for ranks in context.pick([2, 4], [2, 4, 8], [2, 3, 4, 6, 8, 12, 16])
            for row in run_sparse(context, "direct (shared memory)", "put", accesses, [2], ranks)]


def measure_noncontig(context):
    runs = context.pick("8,4K", "8,64,512,4K", "8:128K")
    rows = []
    for place in (SHARED_MEMORY, LOOPBACK):
        options = ["--ops", "put,put-strided,mpi-pack-put", "--sizes", "256K", "--runs", runs, "--modes", "latency",
                   "--repeat", context.pick("2", "5", "11"), "--min-time", context.pick("1", "5", "10")]
        found = in_rounds(context.pick(1, 1, 2), [place], lambda where: context.bench(where, options))
        rows += join(found[0], bandwidth_row, place=place.name)
    return rows


def measure_gets(context):
    """A contiguous get: read by RMA, packed by the data server, or written by it."""
    ways = {"read (RMA)": {"ARMCI_ROUTE": "rma"}, "emulation (data server)": {"ARMCI_ROUTE": "server"},
            "remote put": {"ARMCI_GET_BY_PUT_MIN": "1"}}
    options = ["--ops", "get", "--sizes", context.pick("64K", "4K,64K,1M", "1K:4M"), "--modes", "latency",
               "--repeat", context.pick("2", "5", "11"), "--min-time", context.pick("1", "5", "10")]
    found = in_rounds(context.pick(1, 1, 3), list(ways), lambda way: context.bench(LOOPBACK, options, ways[way]))
    return [row for way, runs in zip(ways, found) for row in join(runs, bandwidth_row, way=way)]


# --- The report


def section_sparse(results):
    rows = results["sparse"]
    figures = []
    smallest = min(row["access_bytes"] for row in rows)
    table = []
    for operation in ("put", "get"):
        chosen = select(rows, operation=operation)
        figures.append(Figure(
            f"sci-sparse-{operation}", f"sparse: {operation}, window of {bytes_text(WINDOW_BYTES)}, stride twice the "
            "access", "bytes of an access", "bandwidth, MB/s", lines_by(chosen, "way", "access_bytes"),
            x_is_bytes=True, y_scale="log"))
    for way in WAYS:
        cells = [way]
        for operation in ("put", "get"):
            row = select(rows, way=way, operation=operation, access_bytes=smallest)[0]
            cells += [text_of(row["call_us"]), text_of(row["median"])]
        table.append(cells)
    chosen, emulated, direct = (select(rows, way=way, operation="put", access_bytes=smallest)[0]["call_us"]
                                for way in ("the library's choice", "emulation (data server)",
                                            "direct (RMA over TCP)"))
    return Section(
        "Many small accesses and one fence (Fig. 8, 9)",
        "Direct access through SCI took a few microseconds for each call, and emulation by messages tens. Direct "
        "gets were slow, because the processor waits for each read.",
        f"Between nodes, a put of {smallest} B takes {text_of(direct)} \u00b5s by RMA and {text_of(emulated)} \u00b5s "
        f"through the data server; the library's choice takes {text_of(chosen)} \u00b5s.",
        "Over TCP each RMA operation costs a message. The data server takes many small operations from one frame, so "
        "here emulation is the faster way for small accesses. Inside a node, direct access is a store, as it "
        "nearly is with SCI, and reads are as fast as writes.",
        figures, [Table(f"Accesses of {smallest} B", ["way", "put: \u00b5s a call", "put: MB/s", "get: \u00b5s a call",
                                                      "get: MB/s"], table)])


def section_strides(results):
    rows = results["strides"]
    spread = {access: [row["median"] for row in select(rows, access_bytes=access)]
              for access in dict.fromkeys(row["access_bytes"] for row in rows)}
    ratio = {access: max(values) / min(values) for access, values in spread.items()}
    return Section(
        "Distance between accesses (Section 4.3)",
        "The bandwidth of accesses of 8 B was between 5 and 28 MiB/s, and that of 256 B between 7 and 162. Distances "
        "that are multiples of the write-combining buffer's 32 B were best.",
        "The best distance is " + ", ".join(f"{text_of(value)} times as fast as the worst for {bytes_text(access)}"
                                            for access, value in ratio.items()) + ".",
        "Memory of the node is cached, so no write-combining buffer has to be filled in order. Short accesses at "
        "long distances bring a cache line each from memory, of which they use little.",
        [Figure("sci-strides", "sparse: put in shared memory over the distance of accesses",
                "distance, in accesses", "bandwidth, MB/s",
                lines_by(rows, "access_bytes", "factor", lambda n: f"accesses of {bytes_text(n)}"), y_scale="log")])


def section_noncontig(results):
    rows = results["noncontig"]
    figures = []
    sentences = []
    for place in (SHARED_MEMORY.name, LOOPBACK.name):
        here = select(rows, place=place)
        whole = median_of(here, operation="put")
        strided = select(here, operation="put-strided")
        packed = select(here, operation="mpi-pack-put")
        near = [row["block_bytes"] for row in strided if row["median"] >= 0.9 * whole]
        sentences.append(f"{place}: 90 % of a contiguous put from blocks of {bytes_text(min(near))} on" if near else
                         f"{place}: no block length reaches 90 % of a contiguous put")
        blocks = [row["block_bytes"] for row in strided]
        figures.append(Figure(
            f"sci-noncontig-{place.replace(' ', '-')}", f"noncontig: puts of 256 KiB, {place}", "bytes of a block",
            "bandwidth, MB/s",
            [line("put-strided, packed into its way", strided, "block_bytes"),
             line("packed, sent, unpacked with MPI", packed, "block_bytes"),
             line("contiguous put", [{**select(here, operation="put")[0], "block_bytes": block} for block in blocks],
                  "block_bytes")], x_is_bytes=True))
    return Section(
        "Noncontiguous transfers (Fig. 7, 10)",
        "Packing straight into the remote buffer reached 90 % of the contiguous bandwidth from blocks of 128 B on, and "
        "twice the generic technique's from 16 B on.",
        "; ".join(sentences) + ".",
        "The cursor of this library follows the same idea: it packs straight into the registered buffer, or "
        "copies block by block where memory is shared. The generic technique copies twice more. Inside a node short "
        "blocks are limited by instructions for each block, as there.", figures)


def section_scaling(results):
    rows = results["scaling"]
    ranks = sorted({row["ranks"] for row in rows})
    largest = max(row["access_bytes"] for row in rows)
    total = {n: n * median_of(rows, ranks=n, access_bytes=largest) for n in ranks}
    return Section(
        "Puts of all ranks at once (Fig. 12, Table 2)",
        "On one SCI ring the bandwidth of each of up to 5 nodes was 120 MiB/s; with 8 it fell to 72. Nodes with shared "
        "memory fell earlier.",
        f"All ranks together move {text_of(total[ranks[0]])} MB/s with {ranks[0]} ranks, and "
        f"{text_of(total[ranks[-1]])} with {ranks[-1]}, in accesses of {bytes_text(largest)}.",
        "Ranks share the machine's processors: beyond their number, each has a part of the time, and a barrier waits "
        "for the one that the kernel runs last. So the bandwidth of a rank falls with their number, for another "
        "reason than a ring's.",
        [Figure("sci-scaling", "sparse: puts in shared memory, each rank to the next", "ranks",
                "bandwidth of each rank, MB/s",
                lines_by(rows, "access_bytes", "ranks", lambda n: f"accesses of {bytes_text(n)}"), y_scale="log")])


def section_gets(results):
    rows = results["gets"]
    largest = max(row["bytes"] for row in rows)
    return Section(
        "Gets: read, emulated, or written by the target (Section 4.2)",
        "Reads through SCI were much slower than writes, so from some size on the target wrote the data instead "
        "(remote put).",
        f"With {bytes_text(largest)}: " + ", ".join(
            f"{way} {text_of(median_of(rows, way=way, bytes=largest))} MB/s"
            for way in dict.fromkeys(row["way"] for row in rows)) + ".",
        "Over TCP a read is a message that the target answers with a write, so the two cost the same. The library "
        "takes remote put only where its costs say that reads are slower.",
        [Figure("sci-gets", "Contiguous gets between virtual nodes", "bytes of a get", "bandwidth, MB/s",
                lines_by(rows, "way", "bytes"), x_is_bytes=True)])


def sections(results):
    return [make(results) for make, needed in (
        (section_sparse, "sparse"), (section_strides, "strides"), (section_noncontig, "noncontig"),
        (section_scaling, "scaling"), (section_gets, "gets")) if needed in results]


STUDY = Study(
    "sci", "Direct access to remote memory",
    "J. Worringen, A. G\u00e4er, F. Reker, T. Bemmerl, Exploiting Transparent Remote Memory Access for "
    "Non-Contiguous- and One-Sided-Communication, 2002.",
    [
        Part("sparse", "many small accesses and one fence", {"smoke": 4, "quick": 10, "full": 10}, measure_sparse),
        Part("strides", "the same over the distance of accesses", {"smoke": 1, "quick": 2, "full": 2},
             measure_strides),
        Part("noncontig", "noncontiguous transfers", {"smoke": 2, "quick": 5, "full": 20}, measure_noncontig),
        Part("scaling", "puts of all ranks at once", {"smoke": 2, "quick": 5, "full": 15}, measure_scaling),
        Part("gets", "ways of a get", {"smoke": 3, "quick": 5, "full": 25}, measure_gets),
    ],
    sections)
