# SPDX-License-Identifier: BSD-3-Clause
"""Buntinas, Mercier and Gropp on Nemesis: barriers over ranks, instructions of small operations beside other
libraries, and the exchange of halos."""

import csv
import os
import re
import shutil
import sys
import tempfile

from library.context import LOOPBACK, SHARED_MEMORY, Failed
from library.numbers import bytes_text, text_of
from library.peers import OURS, PEERS
from library.rows import line, lines_by, median_of, select, time_row
from library.study import Figure, NotAvailable, Part, Section, Study, Table

COUNT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions", "count.py")
BARRIERS = {"barrier": "ARMCI_Barrier", "group-barrier": "armci_msg_group_barrier", "mpi-barrier": "MPI_Barrier"}
PLACES = {SHARED_MEMORY.name: "on one node", LOOPBACK.name: "on as many virtual nodes"}
# What small_operations is told besides; one of ComEx's variants needs threads of MPI.
ARGUMENTS = {"mt": ",level=multiple"}


def measure_barriers(context):
    rows = []
    for place in (SHARED_MEMORY, LOOPBACK):
        for ranks in context.pick([2], [1, 2, 4, 8], [1, 2, 3, 4, 6, 8, 12, 16]):
            options = ["--ops", ",".join(BARRIERS), "--modes", "latency", "--repeat", context.pick("2", "5", "15"),
                       "--min-time", context.pick("1", "5", "20")]
            rows += [time_row([row], place=place.name, ranks=ranks) for row in context.bench(place, options,
                                                                                             ranks=ranks)]
    return rows


def measure_halo(context):
    program = context.program("benchmarks", "halo", "halo_benchmark")
    sizes = context.pick("8", "8,256,8K,256K", "8:1M")
    rows = []
    for place in (SHARED_MEMORY, LOOPBACK):
        for ranks in context.pick([2], [1, 4, 8], [1, 2, 4, 8, 16]):
            with tempfile.TemporaryDirectory(dir=context.build) as folder:
                path = os.path.join(folder, "halo.csv")
                context.run_at(place, ranks, [program, "--sizes", sizes, "--samples", context.pick("2", "5", "7"),
                                              "--sample-ms", context.pick("1", "5", "10"), "--csv", path])
                with open(path, newline="", encoding="utf-8") as file:
                    found = list(csv.DictReader(file))
            rows += [{"place": place.name, "ranks": ranks, "algorithm": row["algorithm"],
                      "strip_bytes": int(row["strip_bytes"]), "unit": "us", "median": float(row["median_us"]),
                      "quartile_1": float(row["first_quartile_us"]), "quartile_3": float(row["third_quartile_us"])}
                     for row in found]
    return rows


def count(context, name, program):
    """The rows of a library."""
    peer = PEERS[name]
    how = f",program={program},ranks={2 + peer.ranks_kept}{ARGUMENTS.get(name, '')}"
    how += "".join(f",env={variable}:{value}" for variable, value in peer.settings.items())
    with tempfile.TemporaryDirectory(dir=context.build) as folder:
        path = os.path.join(folder, "instructions.csv")
        context.run([sys.executable, "-B", COUNT, "--out", path, f"{peer.title}={how}"])
        with open(path, newline="", encoding="utf-8") as file:
            return [{"library": name, "operation": row["operation"], "instructions": int(row[peer.title]), "note": ""}
                    for row in csv.DictReader(file)]


def measure_instructions(context):
    if shutil.which("valgrind") is None:
        raise NotAvailable("valgrind is not installed")
    rows = count(context, OURS, context.program("benchmarks", "studies", "instructions", "small_operations"))
    for name in PEERS:
        if name == OURS or context.extent == "smoke":
            continue
        program = os.path.join(os.path.dirname(context.peers.get(name, "")), "small_operations")
        try:
            if name not in context.peers or not os.path.exists(program):
                raise NotAvailable("it is not given (--peer)")
            rows += count(context, name, program)
        except (Failed, NotAvailable) as reason:
            ended = re.search(r"default action of signal \d+ \((\w+)\)", str(reason))
            note = f"{ended[1]} ended it under valgrind" if ended else str(reason).strip().splitlines()[-1]
            rows.append({"library": name, "operation": "", "instructions": "", "note": note})
    return rows


# --- The report


def section_barriers(results):
    rows = results["barrier"]
    figures = []
    for place, where in PLACES.items():
        lines = [line(title, select(rows, place=place, operation=name), "ranks") for name, title in BARRIERS.items()]
        figures.append(Figure(f"nemesis-barrier-{'node' if place == SHARED_MEMORY.name else 'nodes'}",
                              f"Barriers of all ranks, {where}", "ranks", "time, \u00b5s", lines, y_scale="log"))
    counts = sorted({row["ranks"] for row in rows if row["ranks"] > 1})
    ranks = 4 if 4 in counts else counts[-1]
    sentences = []
    for place, where in PLACES.items():
        times = ", ".join(f"{title} {text_of(median_of(rows, place=place, operation=name, ranks=ranks))} \u00b5s"
                          for name, title in BARRIERS.items())
        sentences.append(f"With {ranks} ranks {where}: {times}.")
    cells = [[str(count), *(text_of(median_of(rows, place=place, operation=name, ranks=count))
                            for place in PLACES for name in BARRIERS)] for count in counts]
    return Section(
        "Barriers (Fig. 4)",
        "Flags in shared memory made the barrier of four processes of a node take 0.4 \u00b5s instead of the 2.6 of "
        "messages. Between nodes only the leaders sent messages, which more than halved the time.",
        " ".join(sentences),
        "ARMCI_Barrier and the barrier of a group are the paper's, with a flag for each rank instead of a counter. "
        "MPI_Barrier is that of the paper's successor, which has messages within a node, too. ARMCI_Barrier also "
        "fences. Beyond one rank for each processor all of them take what the kernel needs to let each rank run. "
        "Virtual nodes are one host for MPI, whose messages stay in memory there. The library's go through the "
        "kernel's network, which wants the processors as well, and so do data servers.",
        figures,
        [Table("Time of a barrier, \u00b5s", ["ranks", *(f"{title}, {where}" for where in PLACES.values()
                                                         for title in BARRIERS.values())], cells)])


def section_instructions(results):
    rows = results["instructions"]
    counted = [row for row in rows if row["instructions"] != ""]
    names = list(dict.fromkeys(row["library"] for row in counted))
    operations = list(dict.fromkeys(row["operation"] for row in counted))
    table = [[operation, *("".join(str(row["instructions"]) for row in select(counted, library=name,
                                                                              operation=operation)) or "-"
                           for name in names)] for operation in operations]
    ours = {row["operation"]: row["instructions"] for row in select(counted, library=OURS)}
    missing = "".join(f" {PEERS[row['library']].title} was not counted: {row['note']}." for row in rows if row["note"])
    return Section(
        "Instructions (Table 1)",
        "To send and receive a message of eight bytes took 500 instructions, and 908 to 2295 in other libraries.",
        f"A put of eight bytes takes {ours['put']} instructions here, a get {ours['get']}, an accumulate "
        f"{ours['acc']}, and a fetch-and-add {ours['fetch-add']}.{missing}",
        "A put into the memory of a rank of the node is a copy, and no message. Libraries in which the target or a "
        "progress rank or thread takes part send one. Their figures hold the polls for its answer, too, which the paper "
        "left out; they differ from run to run. The counter is callgrind, which counts the instructions of all "
        "threads of the calling process outside the kernel.", [],
        [Table("Instructions of one call on the memory of another rank of the node", ["operation", *(PEERS[name].title for name in names)], table)])


def section_halo(results):
    rows = results["halo"]
    figures = []
    counts = sorted({row["ranks"] for row in rows})
    ranks = 4 if 4 in counts else counts[-1]
    sentences = []
    for place, where in PLACES.items():
        chosen = select(rows, place=place, ranks=ranks)
        figures.append(Figure(f"nemesis-halo-{'node' if place == SHARED_MEMORY.name else 'nodes'}",
                              f"Exchange of halos, {ranks} ranks {where}", "bytes of a strip",
                              "time of a step, \u00b5s", lines_by(chosen, "algorithm", "strip_bytes"),
                              x_is_bytes=True, y_scale="log"))
        sizes = sorted({row["strip_bytes"] for row in chosen})
        for size in dict.fromkeys((sizes[0], sizes[-1])):
            fastest = min(select(chosen, strip_bytes=size), key=lambda row: row["median"])
            sentences.append(f"{where} the fastest for {bytes_text(size)} is {fastest['algorithm']} "
                             f"({text_of(fastest['median'])} \u00b5s, isend takes "
                             f"{text_of(median_of(chosen, algorithm='isend', strip_bytes=size))} \u00b5s)")
    smallest = min(row["strip_bytes"] for row in rows)
    if len(counts) > 1:
        figures.append(Figure("nemesis-halo-ranks", f"Exchange of halos, strips of {bytes_text(smallest)}, on one node",
                              "ranks", "time of a step, \u00b5s",
                              lines_by(select(rows, place=SHARED_MEMORY.name, strip_bytes=smallest), "algorithm",
                                       "ranks"), y_scale="log"))
    return Section(
        "Exchange of halos (Fig. 5)",
        "With four processes of a node Nemesis took 1.5 to 2.6 times less than other MPIs, for all sizes. Of the "
        "variants of the program, MPI_Sendrecv was the fastest there.",
        f"With {ranks} ranks: {'; '.join(sentences)}.",
        "A put and a notification are one copy, and no rank waits for more than its neighbours. Variants with a "
        "barrier wait for all ranks, which costs most where ranks outnumber processors. Messages of MPI are copied "
        "twice inside a node, and short ones arrive together with their notice. Between virtual nodes they stay in "
        "memory, while the library's go through the kernel's network.",
        figures)


def sections(results):
    return [make(results) for name, make in (
        ("barrier", section_barriers), ("instructions", section_instructions), ("halo", section_halo))
        if name in results]


STUDY = Study(
    "nemesis", "Barriers, instructions and halos",
    "D. Buntinas, G. Mercier, W. Gropp, Implementation and Evaluation of Shared-Memory Communication and "
    "Synchronization Operations in MPICH2 using the Nemesis Communication Subsystem, 2007.",
    [
        Part("barrier", "barriers of all ranks, of a group and of MPI", {"smoke": 2, "quick": 20, "full": 80},
             measure_barriers),
        Part("instructions", "instructions of small operations", {"smoke": 4, "quick": 40, "full": 20},
             measure_instructions),
        Part("halo", "exchange of halos", {"smoke": 2, "quick": 20, "full": 180}, measure_halo),
    ],
    sections)
