# SPDX-License-Identifier: BSD-3-Clause
"""Tipparaju's thesis on pipelined put and get: times of the stages, number and size of buffers, what
the pipeline gains, and buffers that fit the request."""

import json
import math

from library.context import LINK_10G, LINK_1G, LINK_LONG, LOOPBACK, in_rounds
from library.numbers import bytes_text, percent, summary, text_of
from library.rows import bandwidth_row, best, join, line, lines_by, median_of, select, time_row
from library.study import Figure, Part, Section, Study, Table

KIB = 1024
PLACES = {"loopback": LOOPBACK, "10g": LINK_10G, "1g": LINK_1G, "1g-1ms": LINK_LONG}
CHUNK_BYTES = 256 * KIB
BLOCK_BYTES = 512
TRANSFER_BYTES = 8 << 20
# Receive buffers are no limit in these measurements.
ENOUGH_RECEIVED = {"ARMCI_RECV_BUFFER_COUNT": "64"}


def settings_of(count, buffer_bytes):
    return {"ARMCI_ROUTE": "server", "ARMCI_BUFFER_COUNT": str(count), "ARMCI_BUFFER_SIZE": str(buffer_bytes),
            **ENOUGH_RECEIVED}


def effort(context):
    return ["--repeat", context.pick("2", "3", "5"), "--min-time", context.pick("1", "5", "15"),
            "--target-wait", "asleep"]


# --- Stages


def stage_bytes(context):
    return [size * KIB for size in context.pick([64, 256], [16, 64, 256, 1024], [16, 32, 64, 128, 256, 512, 1024])]


def measure_stages(place):
    def measure(context):
        sizes = stage_bytes(context)
        options = ["--ops", "raw-put", "--sizes", ",".join(map(str, sizes)), "--modes", "stream",
                   "--repeat", context.pick("2", "5", "11"), "--min-time", context.pick("1", "5", "20")]
        return [time_row([row], place=place.name) for row in context.bench(place, options)]
    return measure


def measure_memory(context):
    """What happens to a buffer without a network."""
    sizes = stage_bytes(context)
    program = context.program("benchmarks", "studies", "stage_times")
    text = context.run([program, ",".join(map(str, sizes)), str(BLOCK_BYTES), context.pick("5", "21", "51"),
                        "tcp;ofi_rxm,shm,verbs;ofi_rxm"])
    rows = []
    for found in json.loads(text):
        row = {"stage": found["stage"], "bytes": found["bytes"], "provider": found.get("provider", ""), "unit": "us"}
        rows.append({**row, **summary(found["values_us"])} if "values_us" in found
                    else {**row, "refused": found["refused"]})
    return rows


# --- Number and size of buffers


def bench_strided(context, place, settings):
    options = ["--ops", "put-strided,get-strided", "--sizes", str(TRANSFER_BYTES), "--runs", str(BLOCK_BYTES),
               "--dims", "2", "--modes", "stream", *effort(context)]
    return context.bench(place, options, settings)


def spans(events, name):
    """(begin, end, bytes) of the spans of that name, in microseconds, by the number of their chunk."""
    found = {}
    begun = {}
    for event in events:
        if event.get("name") != name:
            continue
        if event["ph"] == "X":
            arguments = event["args"]
            found[arguments["chunk"]] = (event["ts"], event["ts"] + event["dur"], arguments["bytes"])
        elif event["ph"] == "b":
            begun[event["id2"]["local"]] = event
        elif event["ph"] == "e":
            begin = begun[event["id2"]["local"]]
            found[begin["args"]["chunk"]] = (begin["ts"], event["ts"], begin["args"]["bytes"])
    return found


def measure_held(context, place):
    """How long a buffer is held, and the stages, from the timeline of puts that have one buffer."""
    options = ["--ops", "put-strided", "--sizes", str(TRANSFER_BYTES), "--runs", str(BLOCK_BYTES), "--modes", "stream",
               "--repeat", "3", "--min-time", context.pick("1", "30", "60"), "--target-wait", "asleep"]
    origin, target = context.timeline(place, options, settings_of(1, CHUNK_BYTES))
    packed, sent, unpacked = spans(origin, "pack"), spans(origin, "transmit"), spans(target, "unpack")
    full = max(length for _, _, length in packed.values())
    whole = [number for number, (_, _, length) in packed.items() if length == full and number in sent]
    times = {
        "pack": [packed[n][1] - packed[n][0] for n in whole],
        "held": [sent[n][1] - packed[n][0] for n in whole],
        "unpack": [end - begin for begin, end, length in unpacked.values() if length == full],
    }
    return [{"place": place.name, "stage": stage, "bytes": full, "unit": "us", **summary(values)}
            for stage, values in times.items()]


def measure_depth(place):
    def measure(context):
        counts = context.pick([1, 4], [1, 2, 3, 4, 8, 16], [1, 2, 3, 4, 5, 6, 8, 16, 32])
        runs = in_rounds(context.pick(1, 3, 5), counts,
                         lambda count: bench_strided(context, place, settings_of(count, CHUNK_BYTES)))
        rows = measure_held(context, place)
        for count, found in zip(counts, runs):
            rows += join(found, bandwidth_row, place=place.name, buffers=count, buffer_bytes=CHUNK_BYTES)
        return rows
    return measure


def measure_sizes(place):
    def measure(context):
        sizes = [size * KIB for size in context.pick([64, 256], [32, 128, 256, 512], [16, 32, 64, 128, 256, 512, 1024])]
        settings = [(size, count) for size in sizes for count in context.pick([4], [1, 4], [1, 4])]
        runs = in_rounds(context.pick(1, 3, 3), settings,
                         lambda setting: bench_strided(context, place, settings_of(setting[1], setting[0])))
        rows = []
        for (size, count), found in zip(settings, runs):
            rows += join(found, bandwidth_row, place=place.name, buffers=count, buffer_bytes=size)
        return rows
    return measure


# --- What the pipeline gains


def measure_shapes(place):
    def measure(context):
        sizes = context.pick("64K", "256K,1M,4M", "64K,256K,512K,1M,2M,4M")
        common = ["--sizes", sizes, "--modes", "stream,stream-serial", "--interleave", *effort(context)]
        route = {"ARMCI_ROUTE": "server"}
        kinds = (["--ops", "put,get"], ["--ops", "put-strided,get-strided", "--dims", "2,3", "--runs", "128"])
        runs = in_rounds(context.pick(1, 3, 5), kinds, lambda kind: context.bench(place, [*kind, *common], route))
        return [row for found in runs for row in join(found, bandwidth_row, place=place.name)]
    return measure


# --- Buffers that fit the request

FIT_COUNT = 4
FIT_SIZES = {12: 16, 28: 32, 60: 64, 124: 128}  # KiB of a transfer: of the buffer that just holds it


def measure_fit(context):
    """Several transfers at once. With buffers of one size, as many are under way as there are buffers,
    whatever their length. So small buffers stand for large ones of which most is not used."""
    sizes = context.pick([12], [12, 60], list(FIT_SIZES))
    settings = [(size, how) for size in sizes for how in ("fixed", "fitting")]

    def run(setting):
        size, how = setting
        buffer_bytes = CHUNK_BYTES if how == "fitting" else FIT_SIZES[size] * KIB
        options = ["--ops", "put-strided", "--sizes", f"{size}K", "--runs", str(BLOCK_BYTES), "--modes", "window",
                   *effort(context)]
        return context.bench(LOOPBACK, options, settings_of(FIT_COUNT, buffer_bytes))

    rows = []
    for (size, how), found in zip(settings, in_rounds(context.pick(1, 2, 3), settings, run)):
        rows += join(found, bandwidth_row, buffers=how, transfer_bytes=size * KIB)
    return rows


# --- The report


def named(rows, place):
    return select(rows, place=place.name)


def with_name(results, prefix):
    """(place, rows) of the parts of that kind which were measured."""
    return [(place, results[f"{prefix}-{key}"]) for key, place in PLACES.items() if f"{prefix}-{key}" in results]


def section_stages(results):
    memory = results["memory"]
    pack = select(memory, stage="pack")
    figure = Figure("pipeline-stages", f"Stages of a buffer, blocks of {BLOCK_BYTES} B", "bytes in the buffer",
                    "time, \u00b5s", [line("pack", pack, "bytes"), line("unpack", select(memory, stage="unpack"),
                                                                        "bytes")], x_is_bytes=True, y_scale="log")
    header = ["buffer", "pack, \u00b5s"]
    columns = []
    spread = []
    for place, rows in with_name(results, "stages"):
        sent = rows
        figure.lines.append(line(f"transmit, {place.name}", sent, "bytes"))
        header += [f"transmit, {place.name}, \u00b5s", "ratio"]
        columns.append(sent)
    table = []
    for packed in pack:
        cells = [bytes_text(packed["bytes"]), text_of(packed["median"])]
        for sent in columns:
            transmit = median_of(sent, bytes=packed["bytes"])
            ratio = (packed["median"] + transmit) / packed["median"]
            spread.append(ratio)
            cells += [text_of(transmit), text_of(ratio)]
        table.append(cells)
    found = (f"The ratio is between {text_of(min(spread))} and {text_of(max(spread))}."
             if spread else "Transmission was not measured.")
    return Section(
        "Time of the stages (Fig. 3.4)",
        "On Myrinet, transmission of a buffer took 0.8 to 1.9 times as long as packing it. The ratio (transmit + pack) "
        "/ pack fell from 2.9 for buffers of 60 KB to 1.8 for those of 395 KB, because packed data left the cache.",
        found + " Transmission is one of many RMA writes by libfabric alone, which follow each other.",
        "Processors pack some fifty times faster than those of 2001, and a link of 1 Gbit/s is as fast as Myrinet was. "
        "So the ratio is that of the link to the memory of the machine, and says little about the number of buffers: "
        "see the next section.",
        [figure], [Table("Median times by length of the buffer; ratio: (transmit + pack) / pack", header, table)])


def depths(place, rows, results):
    """What the two formulas give: the thesis' and the library's."""
    stage = {name: median_of(rows, stage=name) for name in ("pack", "held", "unpack")}
    key = next(key for key, value in PLACES.items() if value is place)
    sent = results.get(f"stages-{key}")
    if sent is None or stage["pack"] is None:
        return None
    transmit = median_of(sent, bytes=CHUNK_BYTES)
    slowest = max(stage["pack"], stage["unpack"], transmit)
    return {
        **stage, "transmit": transmit, "slowest": slowest,
        "thesis": math.ceil((stage["pack"] + transmit) / stage["pack"]),
        "held_rule": math.ceil(stage["held"] / slowest) + 1,
    }


def enough(rows):
    """The least number of buffers with which the third quartile is within 5 % of the best. The median
    changes with the speed that the host of a virtual machine gives a run."""
    limit = 0.95 * max(row["quartile_3"] for row in rows)
    return min(row["buffers"] for row in rows if row["quartile_3"] >= limit)


def section_depth(results):
    figures = []
    table = []
    sentences = []
    for place, rows in with_name(results, "depth"):
        puts, gets = select(rows, operation="put-strided"), select(rows, operation="get-strided")
        figure = Figure(f"pipeline-buffers-{place.name.replace(' ', '').replace('/', '').replace(',', '-')}",
                        f"Strided transfers of {bytes_text(TRANSFER_BYTES)} over the number of buffers, {place.name}",
                        f"buffers of {bytes_text(CHUNK_BYTES)}", "bandwidth, MB/s",
                        [line("put", puts, "buffers"), line("get", gets, "buffers")])
        rule = depths(place, rows, results)
        cells = [place.name, str(enough(puts)), str(enough(gets)), text_of(best(puts)["median"]),
                 text_of(best(gets)["median"])]
        if rule:
            figure.marks = [(rule["held_rule"], "held / slowest + 1")]
            if rule["thesis"] <= 32:
                figure.marks.append((rule["thesis"], "(pack + transmit) / pack"))
            cells += [text_of(rule["pack"]), text_of(rule["transmit"]), text_of(rule["held"]),
                      text_of(rule["slowest"]), str(rule["thesis"]), str(rule["held_rule"])]
            sentences.append(f"{enough(puts)} over {place.name}, where the thesis' formula gives {rule['thesis']}, and "
                             f"the time held by that of the slowest stage, plus one, {rule['held_rule']}")
        else:
            cells += ["-"] * 6
        figures.append(figure)
        table.append(cells)
    return Section(
        "Number of buffers (Fig. 3.5)",
        "Two buffers gave the bandwidth that more did not improve. The formula (transmit + pack) / pack, rounded, gave "
        "the same number.",
        "Buffers that are enough for puts, within 5 % of the best third quartile: " + "; ".join(sentences) + ".",
        "The thesis' formula keeps the packer busy. On a link that is slower than packing, all buffers beyond those "
        "that keep the link busy only wait in a queue. What is needed is the time for which a buffer is held, divided "
        "by the slowest stage, and one more for jitter. Over TCP a buffer is free when the kernel has copied it, so "
        "the kernel's own buffers do what further buffers would do. With an adapter that reports the arrival at the "
        "target, the latency belongs to the time held. The formulas agree where the link is as fast as packing.",
        figures,
        [Table("Buffers that are enough, and what the formulas give; times in \u00b5s for one buffer",
               ["link", "put: enough", "get: enough", "put, MB/s", "get, MB/s", "pack", "transmit", "held",
                "slowest stage", "(pack + transmit) / pack", "held / slowest + 1"], table)])


def section_sizes(results):
    figures = []
    sentences = []
    for place, rows in with_name(results, "sizes"):
        puts = select(rows, operation="put-strided")
        most = max(row["buffers"] for row in puts)
        top = best(select(puts, buffers=most))
        sentences.append(f"{place.name}: {bytes_text(top['buffer_bytes'])}")
        figures.append(Figure(
            f"pipeline-sizes-{place.name.replace(' ', '').replace('/', '')}",
            f"Strided puts of {bytes_text(TRANSFER_BYTES)} over the size of buffers, {place.name}", "bytes of a buffer",
            "bandwidth, MB/s",
            lines_by(puts, "buffers", "buffer_bytes", lambda n: f"{n} buffer{'s' if n > 1 else ''}"), x_is_bytes=True))
    return Section(
        "Size of buffers (Fig. 3.5)",
        "Buffers were of 400000 B. Smaller ones had lower bandwidth with one buffer, because nothing overlapped.",
        "The size with the highest bandwidth, with most buffers: " + "; ".join(sentences) + ".",
        "A small chunk costs a frame and a receive buffer. A large one leaves the second-level cache between packing "
        "and transmission, and its first and last chunk overlap with nothing. Where the link limits, all sizes from "
        "some point on are alike.", figures)


SHAPES = (("put", "contiguous", 1), ("put-strided", "2-D", 2), ("put-strided", "3-D", 3),
          ("get", "contiguous", 1), ("get-strided", "2-D", 2), ("get-strided", "3-D", 3))


def section_shapes(results):
    figures = []
    table = []
    gains = {"put": [], "get": []}
    for place, rows in with_name(results, "shapes"):
        for direction in ("put", "get"):
            figure = Figure(f"pipeline-{direction}-{place.name.replace(' ', '').replace('/', '')}",
                            f"{direction} by chunks that overlap, and one at a time, {place.name}",
                            "bytes of a transfer", "bandwidth, MB/s", [], x_is_bytes=True)
            for operation, name, dims in SHAPES:
                if not operation.startswith(direction):
                    continue
                both = {mode: [row for row in rows if row["operation"] == operation and row["mode"] == mode
                               and (dims == 1 or row["dims"] == dims)] for mode in ("stream", "stream-serial")}
                if not both["stream"] or not both["stream-serial"]:
                    continue
                figure.lines += [line(f"{name}, pipelined", both["stream"], "bytes"),
                                 line(f"{name}, one at a time", both["stream-serial"], "bytes")]
                last = max(both["stream"], key=lambda row: row["bytes"])
                alone = max(both["stream-serial"], key=lambda row: row["bytes"])
                gains[direction].append(last["median"] / alone["median"])
                table.append([place.name, direction, name, bytes_text(last["bytes"]), text_of(alone["median"]),
                              text_of(last["median"]), percent(last["median"] / alone["median"])])
            figures.append(figure)
    return Section(
        "Pipelined against one buffer (Fig. 3.6, 3.7, 4.6, 4.7)",
        "Puts gained 9 to 13 % on average and at most 24 %, gets 5 to 8.9 %.",
        f"The longest puts gain {percent(min(gains['put']))} to {percent(max(gains['put']))}, the longest gets "
        f"{percent(min(gains['get']))} to {percent(max(gains['get']))}.",
        "One buffer waits here for the data server's answer, as there for the acknowledgement. An answer costs a "
        "round trip and wakes a thread, which is long beside packing a chunk on a fast link, so the gain is larger "
        "than on Myrinet. Where transmission takes nearly all the time, little can be hidden behind it.",
        figures, [Table("Longest transfers: bandwidth in MB/s and gain",
                        ["link", "operation", "shape", "size", "one at a time", "pipelined", "gain"], table)])


def section_fit(results):
    rows = results["fit"]
    figure = Figure("pipeline-fit", f"Puts of which 64 are under way, {FIT_COUNT} buffers, loopback",
                    "bytes of a transfer", "bandwidth, MB/s",
                    lines_by(rows, "buffers", "transfer_bytes", lambda how: f"buffers {how} the request"
                             if how == "fitting" else "one request in a buffer"), x_is_bytes=True)
    gain = [median_of(rows, buffers="fitting", transfer_bytes=size) / median_of(rows, buffers="fixed",
                                                                              transfer_bytes=size)
            for size in dict.fromkeys(row["transfer_bytes"] for row in rows)]
    return Section(
        "Buffers that fit the request (chapter 5)",
        "Buffers of 400000 B are nearly empty when a request is short. The thesis divides the memory on demand, waits "
        "for all requests when it is full, and has no measurements of it.",
        f"With {FIT_COUNT} buffers of {bytes_text(CHUNK_BYTES)}, pieces that fit give {percent(min(gain))} to "
        f"{percent(max(gain))} beside one request in each buffer.",
        "The buddy system packs several requests into a buffer and frees each by itself, so more are under way from "
        "the same registered memory. Nothing waits for all requests.", [figure])


def section_registration(results):
    rows = results["memory"]
    shown = [("touch", "", "give pages"), ("pin", "", "pin (mlock)"), ("unpin", "", "unpin")]
    table = []
    missing = []
    for provider in dict.fromkeys(row["provider"] for row in rows if row["provider"]):
        if any("refused" in row for row in select(rows, provider=provider)):
            missing.append(f"{provider} ({select(rows, provider=provider)[0]['refused']})")
        else:
            shown += [("register", provider, f"register, {provider}"), ("deregister", provider, f"end, {provider}")]
    sizes = list(dict.fromkeys(row["bytes"] for row in rows))
    for stage, provider, name in shown:
        found = select(rows, stage=stage, provider=provider)
        if any("refused" in row for row in found):
            missing.append(f"{name} ({found[0]['refused']})")
            continue
        table.append([name] + [text_of(median_of(found, bytes=size)) for size in sizes])
    largest = max(sizes)
    per_page = sum(median_of(rows, stage=stage, bytes=largest) or 0 for stage in ("touch", "pin")) / (largest / 4096)
    return Section(
        "Registration (Section 3.3)",
        "Registration and its end are slow, so memory for buffers was registered once, and user memory was copied.",
        f"New memory takes {text_of(per_page)} \u00b5s for a page of 4 KiB until it is pinned. "
        + (f"Not available: {', '.join(missing)}." if missing else ""),
        "These providers pin nothing, so registration is an entry in a table. What an adapter would need of the "
        "kernel is shown by mlock, without the adapter's own tables. It is why the library registers buffers once, "
        "and no more than are used.", [],
        [Table("Median times in \u00b5s, by length", ["", *map(bytes_text, sizes)], table)])


def sections(results):
    found = []
    for make, needed in ((section_stages, "memory"), (section_depth, "depth"), (section_sizes, "sizes"),
                         (section_shapes, "shapes"), (section_fit, "fit"), (section_registration, "memory")):
        if any(name == needed or name.startswith(f"{needed}-") for name in results):
            found.append(make(results))
    return found


ALL, QUICK, FULL = ("smoke", "quick", "full"), ("quick", "full"), ("full",)


def parts_of(prefix, what, make, seconds, places):
    return [Part(f"{prefix}-{key}", f"{what}, {PLACES[key].name}",
                 {extent: seconds[extent] for extent in extents}, make(PLACES[key]))
            for key, extents in places.items()]


STUDY = Study(
    "pipeline", "Pipelined transfers",
    "V. Tipparaju, Optimizing ARMCI Get and Put Operations on Myrinet/GM, 2001.",
    [
        Part("memory", "times of packing, pages and registration", {"smoke": 1, "quick": 3, "full": 10},
             measure_memory),
        *parts_of("stages", "transmission of one buffer", measure_stages, {"smoke": 1, "quick": 3, "full": 10},
                  {"loopback": ALL, "10g": QUICK, "1g": QUICK, "1g-1ms": FULL}),
        *parts_of("depth", "bandwidth over the number of buffers", measure_depth,
                  {"smoke": 4, "quick": 30, "full": 120},
                  {"loopback": ALL, "10g": QUICK, "1g": ALL, "1g-1ms": FULL}),
        *parts_of("sizes", "bandwidth over the size of buffers", measure_sizes,
                  {"smoke": 2, "quick": 25, "full": 80}, {"loopback": ALL, "10g": FULL, "1g": FULL}),
        *parts_of("shapes", "pipelined against one buffer", measure_shapes,
                  {"smoke": 2, "quick": 20, "full": 60}, {"loopback": ALL, "10g": FULL, "1g": QUICK}),
        Part("fit", "buffers that fit the request", {"smoke": 2, "quick": 6, "full": 20}, measure_fit),
    ],
    sections)
