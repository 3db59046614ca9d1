# SPDX-License-Identifier: BSD-3-Clause
"""Buntinas, Mercier and Gropp on moving data inside a machine: copy routines, sizes of buffers and
cells, all mechanisms, what they do to caches, and a summary."""

import csv
import io
import os

from library.context import SHARED_MEMORY
from library.numbers import bytes_text, text_of
from library.rows import best, line, median_of, select
from library.study import Figure, Part, Section, Study, Table

KIB = 1024
ROUTINES = {"mapped-put": "memcpy", "mapped-put-rep": "rep movsb", "mapped-put-nt": "streaming stores"}
# What the paper calls them, and whether only one side acts.
MECHANISMS = {
    "mapped-put": ("mapped memory, put", True),
    "mapped-get": ("mapped memory, get", True),
    "double-buffer": ("shared buffer", False),
    "message-queue": ("message queue", False),
    "process-vm-put": ("kernel copy, process_vm_writev", True),
    "process-vm-get": ("kernel copy, process_vm_readv", True),
    "ptrace-get": ("ptrace", True),
    "ofi-tcp-put": ("network card: loopback TCP, put", True),
    "ofi-shm-put": ("libfabric shm, put", True),
}
# Kernel modules that the paper's Kaput has become. The programs here have no code for them.
MODULES = {"KNEM": "/dev/knem", "XPMEM": "/dev/xpmem"}
WORKING_SET_BYTES = 256 * KIB
CACHE_SIZES = ("64K", "1M")
# Rereading that takes this many times as long as from the cache counts as high impact.
HIGH_SLOWDOWN = 1.5


def measure(context, options):
    """The rows of a run of transfer_mechanisms, with numbers."""
    program = context.program("benchmarks", "transfer_mechanisms", "transfer_mechanisms")
    repeat = context.pick("2", "7", "15")
    text = context.run([program, *options, "--repeat", repeat, "--csv", "-"])
    rows = []
    for found in csv.DictReader(io.StringIO(text)):
        row = {"mechanism": found["operation"], "mode": found["mode"], "bytes": int(found["bytes"] or 0)}
        if found["status"] != "ok":
            rows.append({**row, "mode": "refused", "note": found["note"]})
            continue
        times = [float(found[name]) for name in ("median_us", "quartile_1_us", "quartile_3_us")]
        if found["mode"] == "stream" and row["bytes"] > 0:
            median, last, first = (row["bytes"] / max(us, 1e-3) for us in times)
            unit = "MB/s"
        else:
            (median, first, last), unit = times, "us"
        rows.append({**row, "unit": unit, "median": median, "quartile_1": first, "quartile_3": last,
                     "samples": int(found["samples"]),
                     **{name: float(found[name]) for name in ("first_us", "tear_down_us", "source_slowdown",
                                                              "destination_slowdown") if found[name]}})
    # The machine is described by armci-bench, which other parts may not run.
    if not context.machine:
        context.bench(SHARED_MEMORY, ["--ops", "put", "--sizes", "8", "--modes", "latency", "--repeat", "1",
                                      "--min-time", "1"])
    return rows


def only(names, latency="8", stream="64K", cache="64K"):
    return ["--only", ",".join(names), "--latency-sizes", latency, "--stream-sizes", stream, "--cache-sizes", cache]


def measure_copies(context):
    return measure(context, only(ROUTINES, stream=context.pick("4K,64K", "64:16M", "64:16M")))


def measure_buffers(context):
    """Each size by itself, because the program takes one."""
    rows = []
    sizes = context.pick(["8K", "64K"], ["2K", "8K", "32K", "128K", "512K"],
                         ["1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M"])
    for size in sizes:
        options = only(["double-buffer", "message-queue"], stream="4M")
        found = measure(context, [*options, "--buffer", size, "--cell", size])
        count = int(size[:-1]) * (KIB if size.endswith("K") else KIB * KIB)
        rows += [{**row, "buffer_bytes": count} for row in found if row["mode"] in ("stream", "refused")]
    return rows


def measure_mechanisms(context):
    sizes = context.pick("64K", "1K,8K,64K,512K,4M", "64:16M")
    return measure(context, [*only(MECHANISMS, latency="8", stream=sizes,
                                   cache=",".join(CACHE_SIZES)), "--working-set", str(WORKING_SET_BYTES)])


# --- The report


def section_copies(results):
    rows = select(results["copies"], mode="stream")
    lines = [line(ROUTINES[name], select(rows, mechanism=name), "bytes") for name in ROUTINES
             if select(rows, mechanism=name)]
    winners = []
    for size in sorted({row["bytes"] for row in rows}):
        winners.append((size, ROUTINES[best(select(rows, bytes=size))["mechanism"]]))
    changes = [winner for index, winner in enumerate(winners) if index == 0 or winners[index - 1][1] != winner[1]]
    return Section(
        "Copy routines (Fig. 2)",
        "The string instruction was fastest up to 2 KB, streaming MMX stores above, and memcpy nowhere.",
        "The fastest routine is " + ", ".join(f"{name} from {bytes_text(size)} on" for size, name in changes) + ".",
        "Today's memcpy chooses by length among vector instructions and rep movsb itself, which processors have made "
        "fast. Streaming stores still save the read of lines that are overwritten, and still cost a barrier, which "
        "short copies notice. The data comes from another process' view of the same memory here.",
        [Figure("smp-copies", "Copy routines, into memory that both processes map", "bytes of a copy",
                "bandwidth, MB/s", lines, x_is_bytes=True)])


def section_buffers(results):
    rows = select(results["buffers"], mode="stream")
    tops = {name: best(select(rows, mechanism=name))["buffer_bytes"] for name in ("double-buffer", "message-queue")}
    return Section(
        "Size of buffers and cells (Fig. 3)",
        "Two shared buffers were fastest with 8 KB each. Queues gained up to cells of 1 MB, with the bend at 32 KB.",
        f"Two shared buffers are fastest with {bytes_text(tops['double-buffer'])} each, the queue with cells of "
        f"{bytes_text(tops['message-queue'])}.",
        "A hand-over between processors costs about as many nanoseconds as it did, while a copy takes a tenth. So "
        "buffers must be longer before hand-overs do not matter, and second-level caches, which are larger now, hold "
        "them.",
        [Figure("smp-buffers", "Transfers of 4 MiB over the size of buffers and cells", "bytes of a buffer or cell",
                "bandwidth, MB/s",
                [line(MECHANISMS[name][0], select(rows, mechanism=name), "buffer_bytes") for name in tops],
                x_is_bytes=True)])


def usable(rows):
    return [name for name in MECHANISMS if select(rows, mechanism=name, mode="stream")]


def section_bandwidth(results):
    rows = results["mechanisms"]
    stream = select(rows, mode="stream")
    largest = max(row["bytes"] for row in stream)
    order = sorted(usable(rows), key=lambda name: -median_of(stream, mechanism=name, bytes=largest))
    return Section(
        "Bandwidth of all mechanisms (Fig. 4)",
        "Shared buffers and the kernel module were fastest, at about 500 MB/s, and the network card slowest.",
        f"With {bytes_text(largest)} the order is: " + ", ".join(
            f"{MECHANISMS[name][0]} ({text_of(median_of(stream, mechanism=name, bytes=largest))} MB/s)"
            for name in order) + ".",
        "One copy into mapped memory, which the paper leaves out because MPI's buffers may be anywhere, is what ARMCI "
        "can do: its memory is shared from the beginning. Two processors that copy at the same time reach about as "
        "much. The kernel's copy maps pages for each call, and needs no memory that is shared.",
        [Figure("smp-bandwidth", "Bandwidth between two processes of a node", "bytes of a transfer",
                "bandwidth, MB/s", [line(MECHANISMS[name][0], select(stream, mechanism=name), "bytes")
                                    for name in usable(rows)], x_is_bytes=True, y_scale="log")])


def impact(slowdown):
    return f"{'high' if slowdown >= HIGH_SLOWDOWN else 'low'} ({slowdown:.2f}x)"


def section_cache(results):
    cache = select(results["mechanisms"], mode="cache")
    sizes = sorted({row["bytes"] for row in cache})
    table = []
    for name in usable(results["mechanisms"]):
        cells = [MECHANISMS[name][0]]
        for size in sizes:
            row = select(cache, mechanism=name, bytes=size)[0]
            cells += [impact(row["source_slowdown"]), impact(row["destination_slowdown"])]
        table.append(cells)
    high = [cells[0] for cells in table if cells[-2].startswith("high") and cells[-1].startswith("high")]
    return Section(
        "What a transfer does to the caches (Fig. 5, Table IV)",
        "The side that copies lost its data from the second-level cache, except by streaming stores; the other side "
        "kept it. Message queues disturbed both sides, the network card none.",
        f"After {bytes_text(sizes[-1])}, both sides lose cache by: {', '.join(high) or 'none'}.",
        "Caches are larger than the paper's 512 KB, so a transfer of 64 KiB disturbs nobody much. A mechanism in "
        "which both sides copy disturbs both. TCP is no network card: the kernel copies on both sides.", [],
        [Table(f"Time to read {bytes_text(WORKING_SET_BYTES)} again after one transfer, beside the same from the cache "
               f"(from {HIGH_SLOWDOWN} on: high)",
               ["mechanism", *(f"{side}, {bytes_text(size)}" for size in sizes for side in ("source", "destination"))],
               table)])


def section_summary(results):
    rows = results["mechanisms"]
    stream = select(rows, mode="stream")
    largest = max(row["bytes"] for row in select(rows, mode="cache"))
    size = min((row["bytes"] for row in stream), key=lambda count: abs(count - largest))
    table = []
    for name, (title, one_sided) in MECHANISMS.items():
        refused = select(rows, mechanism=name, mode="refused")
        if refused:
            table.append([title, f"not available: {refused[0]['note']}", *[""] * 5])
            continue
        set_up = select(rows, mechanism=name, mode="set-up")[0]
        cache = select(rows, mechanism=name, mode="cache", bytes=largest)[0]
        table.append([
            title, text_of(median_of(rows, mechanism=name, mode="latency", bytes=8)),
            text_of(median_of(stream, mechanism=name, bytes=size)), text_of(set_up["median"]),
            text_of(set_up["tear_down_us"]),
            f"{impact(cache['source_slowdown'])}, {impact(cache['destination_slowdown'])}",
            "yes" if one_sided and not name.startswith("ofi-") else "no",
        ])
    missing = []
    for module, device in MODULES.items():
        reason = (f"{device} is here, but transfer_mechanisms has no code for it" if os.path.exists(device)
                  else f"the module is not loaded: no {device}")
        missing.append(module)
        table.append([module, f"not available: {reason}", *[""] * 5])
    latency = {name: median_of(rows, mechanism=name, mode="latency", bytes=8) for name in usable(rows)}
    fastest = min(latency, key=latency.get)
    return Section(
        "Summary (Tables II, III and V)",
        "Latency was from 1.5 \u00b5s (shared buffer) to 20.2 \u00b5s (ptrace), bandwidth from 172 to 514 MB/s. Only "
        "the kernel module and the network card suited passive targets.",
        f"The lowest latency is that of {MECHANISMS[fastest][0]} ({text_of(latency[fastest])} \u00b5s). Not available: "
        f"{', '.join(missing)}.",
        "Mapped memory needs neither a system call nor the other process, so the library uses it inside nodes, and "
        "process_vm for memory that is not shared. ptrace stops its target, as it did. The kernel has had process_vm "
        "since 2011, which makes modules like Kaput unnecessary for copies.", [],
        [Table(f"Summary; latency of 8 B, bandwidth of {bytes_text(size)}, cache after {bytes_text(largest)}",
               ["mechanism", "latency, \u00b5s", "MB/s", "set-up, \u00b5s", "tear-down, \u00b5s",
                "cache: source, destination", "target does nothing"], table)])


def sections(results):
    found = []
    for make, needed in ((section_copies, "copies"), (section_buffers, "buffers"), (section_bandwidth, "mechanisms"),
                         (section_cache, "mechanisms"), (section_summary, "mechanisms")):
        if needed in results:
            found.append(make(results))
    return found


STUDY = Study(
    "smp", "Data transfer inside a node",
    "D. Buntinas, G. Mercier, W. Gropp, Data Transfers between Processes in a SMP System: Performance Study and "
    "Application to MPI, 2006.",
    [
        Part("copies", "copy routines", {"smoke": 2, "quick": 10, "full": 5}, measure_copies),
        Part("buffers", "sizes of shared buffers and cells", {"smoke": 2, "quick": 10, "full": 5}, measure_buffers),
        Part("mechanisms", "all mechanisms", {"smoke": 8, "quick": 40, "full": 15}, measure_mechanisms),
    ],
    sections)
