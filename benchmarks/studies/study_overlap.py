# SPDX-License-Identifier: BSD-3-Clause
"""Gangadharappa et al. on helper threads and copy engines: how much of a transfer computation hides, and what
transfers cost a target that computes."""

import csv
import os
import shutil
import sys
import tempfile

from library.numbers import bytes_text, text_of
from library.rows import select
from library.study import Figure, Line, Part, Section, Study, Table

OVERLAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overlap", "overlap.py")
HELPERS = {"nobody": "no helper", "thread": "the data server's thread",
           "engine": "the thread and a copy engine"}
PLACES = {"node": "inside a node", "network": "between virtual nodes"}


def run(context, name, options):
    """The rows of overlap.py's file of that name."""
    for program in (("tools", "armci-bench", "armci-bench"), ("benchmarks", "studies", "overlap", "computing_target")):
        context.program(*program)
    with tempfile.TemporaryDirectory(dir=context.build) as folder:
        context.run([sys.executable, "-B", OVERLAP, "--build", context.build, "--out", folder, "--only", name,
                     *options])
        with open(os.path.join(folder, f"{name}.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def measure_hidden(context):
    options = context.pick(["--quick", "--sizes", "64K"], ["--quick"], [])
    return [{"place": row["place"], "engine": row["engine"], "operation": row["operation"], "mode": row["mode"],
             "bytes": int(row["bytes"]), **{name: float(row[name]) if row[name] else None
                                            for name in ("hidden", "compute_slowdown", "transfer_slowdown")}}
            for row in run(context, "overlap", options)]


def target_rows(context, options):
    return [{"helper": row["helper"], "operation": row["operation"], "bytes": int(row["bytes"]),
             **{name: float(row[name]) if row[name] else None
                for name in ("slowdown", "round_us", "misses_alone", "misses_during")},
             "counter": row["counter"]} for row in run(context, "target", options)]


def measure_slowdown(context):
    return target_rows(context, context.pick(["--quick", "--operations", "put"], ["--quick"], []))


def measure_misses(context):
    """The simulator is slow, so of puts only. Its figures do not depend on the machine's load."""
    options = ["--quick", "--operations", "put", "--sizes", context.pick("", "256K", "32K,256K,1M,4M")]
    if shutil.which("valgrind"):
        options.append("--simulate")
    return target_rows(context, options)


# --- The report


def engine_text(engine):
    return "without an engine" if engine == "none" else "with a copy engine"


def section_hidden(results):
    rows = select(results["hidden"], mode="origin")
    figures = []
    for place, where in PLACES.items():
        lines = []
        for engine in ("none", "thread"):
            for operation in dict.fromkeys(row["operation"] for row in rows if "strided" not in row["operation"]):
                chosen = select(rows, place=place, engine=engine, operation=operation)
                lines.append(Line(f"{operation.removeprefix('overlap-')}, {engine_text(engine)}",
                                  [(row["bytes"], 100 * row["hidden"], 100 * row["hidden"], 100 * row["hidden"])
                                   for row in chosen]))
        figures.append(Figure(f"overlap-hidden-{place}", f"Overlap {where}", "bytes of a transfer",
                              "hidden by computation, %", lines, x_is_bytes=True))
    largest = max(row["bytes"] for row in rows)
    table = []
    for operation in dict.fromkeys(row["operation"] for row in rows):
        cells = [operation.removeprefix("overlap-")]
        for place in PLACES:
            for engine in ("none", "thread"):
                found = select(rows, place=place, engine=engine, operation=operation, bytes=largest)
                cells.append(f"{100 * found[0]['hidden']:.0f} %, x {found[0]['compute_slowdown']:.2f}" if found else "-")
        table.append(cells)
    put = {(place, engine): 100 * select(rows, place=place, engine=engine, operation="overlap-put",
                                         bytes=largest)[0]["hidden"]
           for place in PLACES for engine in ("none", "thread")}
    return Section(
        "Transfers hidden by computation (Fig. 5)",
        "Without help nothing overlapped. A helper thread hid something from 128 KB on, and with copies by the I/OAT "
        "engine up to 25 % were hidden (puts of 4 MB).",
        f"Of puts of {bytes_text(largest)}, computation hides {put['node', 'none']:.0f} % inside a node "
        f"({put['node', 'thread']:.0f} % with a copy engine), and {put['network', 'none']:.0f} % between virtual nodes "
        f"({put['network', 'thread']:.0f} % with the engine).",
        "Inside a node the calling rank copies, so nothing is hidden unless an engine copies. Between nodes the "
        "network and the data server work while both ranks compute, if they find a processor. The paper bound "
        "its helper to the processor of the computation, which is much like two processors for two ranks, "
        "two data servers and the engine here. The engine is a thread in software; hardware needs no processor.",
        figures,
        [Table(f"Part of a transfer of {bytes_text(largest)} that is hidden, and how many times as long the computation takes "
               "meanwhile", ["operation", *(f"{where}, {engine_text(engine)}" for where in PLACES.values()
                                            for engine in ("none", "thread"))], table)])


def section_slowdown(results):
    rows = results["slowdown"]
    largest = max(row["bytes"] for row in rows)
    cells = [[HELPERS[row["helper"]], row["operation"], bytes_text(row["bytes"]), text_of(row["slowdown"]),
              text_of(row["round_us"])] for row in rows]
    put = {helper: select(rows, helper=helper, operation="put", bytes=largest)[0] for helper in HELPERS}
    return Section(
        "A target that computes (Fig. 4, Table 1)",
        "The helper thread made puts complete while the target computed; copies by the engine took up to 30 % less "
        "time for large ones.",
        f"Rank 0 puts {bytes_text(largest)} while the target computes. The computation then takes this many times as long "
        "as alone: " + ", ".join(f"{text_of(put[helper]['slowdown'])} with {HELPERS[helper]}" for helper in HELPERS) + ".",
        "Without a helper the target serves the transfer in its next call of the library. The transfer does not disturb "
        "the computation, and the round takes the sum of both times. A helper serves the transfer while the target "
        "computes, and takes a part of the processors.", [],
        [Table("Computation during one operation, beside the same alone, and the time of both",
               ["who helps", "operation", "size", "computing: times as long", "round, \u00b5s"], cells)])


def section_misses(results):
    rows = results["misses"]
    table = []
    for size in dict.fromkeys(row["bytes"] for row in rows):
        cells = [bytes_text(size)]
        for helper in HELPERS:
            row = select(rows, helper=helper, bytes=size)[0]
            cells.append("-" if row["misses_during"] is None else
                         f"{row['misses_during']:.0f} (alone {row['misses_alone']:.0f})")
        table.append(cells)
    counters = list(dict.fromkeys(row["counter"] for row in rows))
    return Section(
        "Cache misses of the target (Table 1)",
        "For puts of 32 KB to 4 MB the computing loop met 467,500 to 799,500 misses of the second-level cache "
        "with the basic design, 555,500 to 889,000 with a helper thread, and 366,000 to 396,500 with the engine; "
        "alone it met 358,000.",
        f"The table has this machine's; the counter: {'; '.join(counters)}.",
        "In the paper the engine moves data past the caches, and the thread shares its cache with the computation. A "
        "copy engine in software cannot move data past the caches. The simulated cache belongs to "
        "all threads of the target's process, so a thread and an engine in software disturb it alike.", [],
        [Table("Misses of the target's computation in a round with one put", ["size", *HELPERS.values()], table)])


def sections(results):
    return [make(results) for name, make in (
        ("hidden", section_hidden), ("slowdown", section_slowdown), ("misses", section_misses)) if name in results]


STUDY = Study(
    "overlap", "Overlap with computation",
    "T. Gangadharappa, G. Santhanaraman, K. Gopalakrishnan, S. Potluri, D. K. Panda, Improving MPI One-sided "
    "Passive Communication Using I/OAT Offload Engines.",
    [
        Part("hidden", "transfers hidden by computation", {"smoke": 4, "quick": 20, "full": 150}, measure_hidden),
        Part("slowdown", "targets that compute", {"smoke": 3, "quick": 15, "full": 30}, measure_slowdown),
        Part("misses", "cache misses of targets that compute", {"quick": 60, "full": 100}, measure_misses),
    ],
    sections)
