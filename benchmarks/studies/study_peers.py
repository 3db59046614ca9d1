# SPDX-License-Identifier: BSD-3-Clause
"""This library beside others with ARMCI's interface, and beside the limits of the machine: the tables of
docs/performance.md."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time

from library.context import HOSTS, ON_HOSTS, SHARED_MEMORY, Failed
from library.numbers import bytes_text, summary, text_of
from library.peers import OURS, PEERS
from library.rows import median_of, select
from library.study import NotAvailable, Part, Section, Study, Table

# A run of a peer that has not ended by then has no figures.
LIMIT_S = 40
# Where ranks outnumber processors, a sample is long beside the kernel's slices of a few ms: which
# ranks run at once is chance in each slice.
LONG_SAMPLE_MS = 200
# Rounds of a full run. Where a host moves the processors of a virtual machine, each run has one of two speeds. A
# median of few runs has that of either by chance, so parts whose runs are short have many.
ROUNDS = 5
MANY_ROUNDS = 9
RAW = ["--ops", "raw-put,raw-get,raw-rmw", "--sizes", "8,256,4K,16K,64K,1M"]

# Options of armci-bench. Each list of them is one run, so that a row that fails takes few others with it.
NODE = [
    ["--ops", "put,get,acc", "--sizes", "8,256,4K,64K,1M"],
    ["--ops", "put-strided,get-strided,acc-strided", "--sizes", "1M", "--runs", "8,128,4K,64K"],
    ["--ops", "put-vector,get-vector,acc-vector", "--runs", "8,128"],
    ["--ops", "fetch-add,lock,barrier,fence"],
]
COLD = [["--ops", "put,get,acc", "--sizes", "1K,4K,16K", "--working-set", "48M"]]
NETWORK = [
    ["--ops", "put,get,acc", "--sizes", "8,256,4K,16K,64K,1M"],
    ["--ops", "fetch-add,lock"],
    ["--ops", "put-strided,get-strided,acc-strided", "--sizes", "64K,1M", "--runs", "128,4K"],
]
WINDOWS = [["--ops", "put,get", "--sizes", "8,4K", "--window", "64"]]
COLLECTIVE = [["--ops", "barrier"]]
MIXED_PLACES = ["--sizes", "256", "--working-set", "16M", "--place-order", "mixed"]
ONE_TARGET = ["--ops", "acc", "--sizes", "64K"]
ONE_COUNTER = ["--ops", "fetch-add-contended"]
ALLOCATION = [["--ops", "malloc,malloc-write"]]
FAIRNESS = ["--ops", "fairness", "--target-wait", "armci"]
WAITS = {"armci": "waits in ARMCI", "mpi": "waits in MPI", "busy": "computes", "asleep": "sleeps"}


def limit_of(context, name):
    return context.limit_s if name == OURS or context.extent == "smoke" else LIMIT_S


def job(context, name, place, options, ranks=2):
    """The document of a run of armci-bench with that library."""
    peer = PEERS[name]
    program = (context.program("tools", "armci-bench", "armci-bench") if name == OURS
               else context.peers[name])
    nodes = place.hosts or 1
    document = context.bench_document(place, program, options, peer.settings, ranks + nodes * peer.ranks_kept,
                                      limit_of(context, name))
    if name == OURS:
        context.machine = context.machine or document["machine"]
    return document


def congestion_control(rows):
    """A sentence on that of the hosts, if it was recorded."""
    names = sorted({row.get("congestion_control", "") for row in rows} - {""})
    return f" TCP's congestion control is {', '.join(names)}." if names else ""


def row_of(name, document, found, **setting):
    row = {**setting, "library": name, "version": document["machine"]["library"],
           "congestion_control": document["machine"].get("tcp_congestion_control", ""),
           **{key: found[key] for key in ("operation", "mode", "layout", "bytes")}, "unit": "us"}
    if found["status"] != "ok":
        return {**row, "problem": found["status"]}
    return {**row, "values": found["values_us"], "fairness": found.get("fairness", "")}


def together(rows):
    """One row for each that several rounds have measured, of the medians of the rounds."""
    merged = {}
    for row in rows:
        key = tuple(row[name] for name in row if name not in ("values", "fairness", "problem"))
        merged.setdefault(key, []).append(row)
    result = []
    for found in merged.values():
        row = {name: value for name, value in found[0].items() if name not in ("values", "fairness")}
        problems = [one["problem"] for one in found if "problem" in one]
        if problems:
            result.append({**row, "problem": problems[0]})
            continue
        values = [value for one in found for value in one["values"]]
        fairness = [one["fairness"] for one in found if one["fairness"] != ""]
        result.append({**row, "problem": "", **summary(values),
                       "fairness": summary(fairness)["median"] if fairness else ""})
    return result


def libraries(context):
    missing = [PEERS[name].title for name in PEERS if name != OURS and name not in context.peers]
    if len(missing) == len(PEERS) - 1:
        raise NotAvailable("no other library was given (--peer)")
    return [OURS, *context.peers]


def compare(context, place, runs, modes, job_ranks=2, wait=None, extra=(), repeats=7, sample_ms=3,
            rounds=ROUNDS, **setting):
    """All libraries in turn, round by round. `rounds` is the number of them in a full run."""
    rows = []
    given_up = []
    effort = ["--repeat", context.pick("2", "5", str(repeats)), "--min-time", context.pick("1", "2", str(sample_ms))]
    for _ in range(context.pick(1, 1, rounds)):
        for name in libraries(context):
            # One that serves only in its own calls is measured where the target makes such calls.
            peer_wait = wait or ("" if PEERS[name].serves("mpi") else "armci")
            if peer_wait and not PEERS[name].serves(peer_wait):
                continue
            for options in runs:
                if (name, options) in given_up:
                    continue
                choice = [*options, *effort, *(["--modes", modes] if modes else []),
                          *(["--target-wait", peer_wait] if peer_wait else []), *extra]
                try:
                    document = job(context, name, place, choice, job_ranks)
                    rows += [row_of(name, document, found, **setting) for found in document["rows"]]
                except Failed as failure:
                    if name == OURS:
                        raise
                    # Others may hang or fail. They are not tried again, and the page says so.
                    given_up.append((name, options))
                    print(f"    {PEERS[name].title}: {str(failure)[-300:]}", file=sys.stderr, flush=True)
                    rows.append({**setting, "library": name, "version": "", "operation": options[1], "mode": "",
                                 "layout": "", "bytes": "", "unit": "us", "problem": "did not finish"})
    return together(rows)


def measure_node(context):
    rows = compare(context, SHARED_MEMORY, context.pick(NODE[:1], NODE, NODE), "latency", rounds=MANY_ROUNDS)
    program = context.program("benchmarks", "kernel_benchmark")
    text = context.run([program, "--benchmark_filter=^MemcpyOf/", "--benchmark_format=json",
                        "--benchmark_repetitions=" + context.pick("1", "3", "5"),
                        "--benchmark_min_time=" + context.pick("0.01", "0.05", "0.1")])
    by_size = {}
    for found in json.loads(text)["benchmarks"]:
        if found["run_type"] == "iteration":
            size = int(found["name"].split("/")[1])
            by_size.setdefault(size, []).append(found["real_time"] / 1000)
    return rows + [{"library": "memcpy", "operation": "memcpy", "mode": "latency", "layout": "contiguous", "bytes": size,
                    "unit": "us", "problem": "", **summary(times)} for size, times in by_size.items()]


def measure_cold(context):
    rows = compare(context, SHARED_MEMORY, COLD, "latency,stream", rounds=MANY_ROUNDS)
    program = context.program("benchmarks", "transfer_mechanisms", "transfer_mechanisms")
    text = context.run([program, "--only", "mapped-put,mapped-put-nt", "--latency-sizes", "8", "--stream-sizes",
                        "1K,4K,16K", "--cache-sizes", "64K", "--repeat", context.pick("2", "7", "15"), "--csv", "-"])
    lines = text.strip().splitlines()
    columns = lines[0].split(",")
    limits = {"mapped-put": "memcpy", "mapped-put-nt": "streaming stores"}
    for line in lines[1:]:
        found = dict(zip(columns, line.split(",")))
        if found["operation"] in limits and found["mode"] == "stream" and found["status"] == "ok":
            rows.append({"library": limits[found["operation"]], "operation": "memcpy", "mode": "stream",
                         "layout": "contiguous", "bytes": int(found["bytes"]), "unit": "us", "problem": "",
                         "median": float(found["median_us"]), "quartile_1": float(found["quartile_1_us"]),
                         "quartile_3": float(found["quartile_3_us"]), "samples": int(found["samples"])})
    return rows


def measure_fairness(context):
    rows = []
    for ranks in context.pick([2], [2, 4], [2, 4, 8]):
        for name in libraries(context):
            try:
                document = job(context, name, SHARED_MEMORY,
                               [*FAIRNESS, "--min-time", context.pick("5", "200", "200"),
                                "--repeat", context.pick("1", "3", "5")], ranks)
            except Failed as failure:
                if name == OURS:
                    raise
                print(f"    {PEERS[name].title}: {str(failure)[-300:]}", file=sys.stderr, flush=True)
                continue
            rows += [row_of(name, document, found, ranks=ranks) for found in document["rows"]]
    return together(rows)


def measure_network(wait):
    def measure(context):
        # In the first tenth of a second of a job the kernel still moves threads between processors.
        rows = compare(context, HOSTS, context.pick(NETWORK[:2], NETWORK, NETWORK), "latency", wait=wait,
                       repeats=21, wait_of_target=wait)
        if wait == "busy":
            return rows
        effort = ["--repeat", context.pick("2", "5", "7"), "--min-time", context.pick("1", "2", "3")]
        document = job(context, OURS, HOSTS, [*RAW, *effort])
        return rows + together([row_of("raw", document, found, wait_of_target=wait) for found in document["rows"]])
    return measure


def measure_windows(context):
    return compare(context, HOSTS, WINDOWS, "window", wait="armci", rounds=MANY_ROUNDS)


def measure_collective(context):
    rows = []
    for ranks in (2, 4):
        rows += compare(context, HOSTS, COLLECTIVE, None, ranks, rounds=MANY_ROUNDS, ranks=ranks)
    return rows


def measure_several(context):
    # A run of each operation, because others may not finish one of them.
    mixed = [["--ops", operation, *MIXED_PLACES] for operation in ("put", "get", "acc")]
    rows = []
    for runs, pattern in ((mixed, "pair"), ([ONE_TARGET], "half")):
        rows += compare(context, HOSTS, runs, "stream", 4, "armci", ("--pattern", pattern),
                        sample_ms=LONG_SAMPLE_MS)
    return rows + compare(context, HOSTS, [ONE_COUNTER], None, 4, sample_ms=LONG_SAMPLE_MS)


def measure_allocation(context):
    rows = []
    for place, title in ((SHARED_MEMORY, "one node"), (HOSTS, "two hosts")):
        rows += compare(context, place, ALLOCATION, None, place_name=title)
    return rows


def processor_seconds(context, name, options):
    """Processor seconds of a whole job, and the bytes of its timed operations."""
    peer = PEERS[name]
    program = context.program("tools", "armci-bench", "armci-bench") if name == OURS else context.peers[name]
    with tempfile.TemporaryDirectory(dir=context.build) as folder:
        path = os.path.join(folder, "rows.json")
        command = [sys.executable, "-B", ON_HOSTS, context.build, f"2x{1 + peer.ranks_kept}", "0", "0",
                   program, *options, "--json", path]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
        environment.update(peer.settings)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.monotonic()
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True,
                                  timeout=limit_of(context, name), check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"{PEERS[name].title}: not finished in time") from None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise Failed(f"{PEERS[name].title}: {done.stderr[-500:]}")
        with open(path, encoding="utf-8") as file:
            row = json.load(file)["rows"][0]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, row["samples"] * row["iterations"] * row["bytes"], time.monotonic() - begin, row


def measure_processor(context):
    """A long and a short job; their difference is that of transfers alone."""
    rows = []
    for operation in context.pick(["put"], ["put", "get"], ["put", "get"]):
        for name in libraries(context):
            wait = "asleep" if PEERS[name].serves("asleep") else "armci"
            options = ["--ops", operation, "--sizes", "1M", "--modes", "stream", "--min-time", "20", "--target-wait", wait]
            found = []
            for _ in range(context.pick(1, 2, 5)):
                try:
                    short = processor_seconds(context, name, [*options, "--repeat", context.pick("1", "5", "5")])
                    long = processor_seconds(context, name, [*options, "--repeat", context.pick("21", "55", "105")])
                except Failed as failure:
                    if name == OURS:
                        raise
                    print(f"    {failure}", file=sys.stderr, flush=True)
                    break
                moved = (long[1] - short[1]) / 1e9
                if moved > 0:
                    found.append(((long[0] - short[0]) / moved, long[1] / long[3]["samples"] / long[3]["iterations"] /
                                  long[3]["median_us"]))
            row = {"library": name, "operation": operation, "mode": "stream", "layout": "contiguous", "bytes": 1 << 20,
                   "target": wait, "unit": "s/GB"}
            if found:
                rows.append({**row, "problem": "", **summary([one[0] for one in found]),
                             "mbytes_per_s": summary([one[1] for one in found])["median"]})
            else:
                rows.append({**row, "problem": "did not finish"})
    return rows


# --- The report


def present(rows):
    """Columns: this library, then the others that were measured."""
    return [name for name in PEERS if select(rows, library=name)]


def text_of_cell(row, wanted="median"):
    if row is None:
        return "-"
    if row["problem"]:
        return row["problem"]
    if wanted == "median":
        return f"{text_of(row['median'])} ({text_of(row['quartile_1'])}-{text_of(row['quartile_3'])})"
    return text_of(row[wanted])


def cell(rows, name, key):
    found = select(rows, library=name, **key)
    return found[0] if found else None


def name_of(row):
    size = f" {bytes_text(row['bytes'])}" if row["bytes"] else ""
    layout = "" if row["layout"] in ("contiguous", "long") else f", {row['layout']}"
    return f"{row['operation']}{size}{layout}"


def ratio_text(rows, names, key):
    """This library's time over the best of the others'."""
    ours = cell(rows, OURS, key)
    times = [found["median"] for name in names if name != OURS
             for found in [cell(rows, name, key)] if found and not found["problem"]]
    if not ours or ours["problem"] or not times or min(times) <= 0:
        return "-"
    return f"{ours['median'] / min(times):.2f}"


def table(rows, title, limits=None, with_mode=False, keep=()):
    """`limits`: column title to a function of a row's key that returns the row of the limit."""
    limits = limits or {}
    names = present(rows)
    keys = []
    for row in rows:
        key = {name: row[name] for name in ("operation", "mode", "layout", "bytes", *keep)}
        if row["library"] == OURS and key not in keys:
            keys.append(key)
    lines = []
    for key in keys:
        first = name_of(key) + (f", {key['mode']}" if with_mode else "")
        lines.append([first, *[text_of_cell(cell(rows, name, key)) for name in names],
                      *[text_of_cell(find(key)) for find in limits.values()], ratio_text(rows, names, key)])
    return Table(title, ["operation", *[PEERS[name].title for name in names], *limits, "ratio"], lines)


def lost(rows):
    """Sentences on runs that have no figures."""
    found = list(dict.fromkeys((PEERS[row["library"]].title, row["operation"]) for row in rows
                               if row.get("problem") == "did not finish"))
    return " ".join(f"{title} did not finish {operation} within {LIMIT_S} s." for title, operation in found)


def count_best(tables):
    """In how many rows this library is the fastest, of those that have a ratio."""
    ratios = [float(row[-1]) for found in tables for row in found.rows if row[-1] != "-"]
    return sum(ratio <= 1 for ratio in ratios), len(ratios)


def section(title, text, rows, tables, command):
    best, every = count_best(tables)
    said = f"This library is the fastest in {best} of {every} rows." if every else ""
    return Section(title, here=" ".join(part for part in (text, said, lost(rows)) if part),
                   why=f"The options of `armci-bench` are: {command}.", tables=tables)


def options_text(runs, modes, extra=""):
    texts = ["`" + " ".join([*options, *(["--modes", modes] if modes else []), extra]).strip() + "`" for options in runs]
    return ", and ".join(texts)


def section_columns(results):
    """What the columns of all tables are."""
    names = [name for name in PEERS if any(select(rows, library=name) for rows in results.values())]
    versions = dict.fromkeys(row["version"] for rows in results.values() for row in rows
                             if row["library"] in PEERS and any(map(str.isdigit, row.get("version", ""))))
    return Section("The columns",
                   "The same program, `armci-bench`, measured all libraries in turn, round by round. A figure is the median of "
                   "the samples of all rounds, with the first and the third quartile behind it in parentheses. The "
                   "ratio is this library's median divided by the lowest of the others': below 1, this library is the "
                   f"fastest. A full run has {ROUNDS} rounds; those inside a node, of windows and of barriers have "
                   f"{MANY_ROUNDS}. " +
                   " ".join(PEERS[name].about for name in names) +
                   " The versions are " + ", ".join(versions) + ".",
                   why="`benchmarks/studies/run.sh --peer NAME=FOLDER peers` repeats all of it. A part of it is "
                       "named as, for example, `peers/node`; `--list` names them.")


def sections(results):
    found = [section_columns(results)] if results else []
    if "node" in results:
        rows = results["node"]

        def memcpy(key):
            same = key["layout"] == "contiguous" and key["operation"] in ("put", "get")
            return cell(rows, "memcpy", {"bytes": key["bytes"]}) if same else None
        found.append(section("Inside a node, two ranks",
                             "Each operation is complete at its target before the next one starts. Memory stays in the "
                             "caches. The limit is a call of `memcpy` in a process of its own.", rows,
                             [table(rows, "Microseconds of an operation", {"memcpy": memcpy})],
                             options_text(NODE, "latency")))
    if "cold" in results:
        rows = results["cold"]
        limits = {name: (lambda key, name=name: cell(rows, name, {"bytes": key["bytes"]})
                         if key["mode"] == "stream" and key["operation"] != "acc" else None)
                  for name in ("memcpy", "streaming stores")}
        found.append(section("Data that no cache holds",
                             "Each operation works on the next place of 48 MiB on each side. In mode latency a fence "
                             "follows each. ComEx's fence inside a node does nothing, so it does not wait until the "
                             "processor's stores are complete.", rows,
                             [table(rows, "Microseconds of an operation", limits, with_mode=True)],
                             options_text(COLD, "latency,stream")))
    if "fairness" in results:
        rows = results["fairness"]
        names = present(rows)
        lines = []
        for ranks in sorted({row["ranks"] for row in rows}):
            line = [str(ranks)]
            for name in names:
                row = cell(rows, name, {"ranks": ranks})
                line.append("-" if row is None else row["problem"] or
                            f"{text_of(1e6 / row['median'])}/s, {row['fairness']:.2f}")
            lines.append(line)
        found.append(Section("One mutex for all ranks of a node",
                             "The first figure is the rate of all ranks together. The second one is how often the rank "
                             "that got the mutex least often had it, divided by that of the one that had it most often. "
                             "A mutex is handed over in the order in which ranks ask for it, but a rank that does not run "
                             "cannot ask. Where ranks outnumber processors, one that runs alone takes the mutex as often "
                             "as it likes.", why=f"The options are: `{' '.join(FAIRNESS)} --min-time 200`.",
                             tables=[Table("Locks and unlocks, and fairness", ["ranks", *[PEERS[name].title for name in names]],
                                           lines)]))
    for wait in ("armci", "mpi", "busy"):
        if f"network-{wait}" in results:
            rows = results[f"network-{wait}"]
            raw = {"put": "raw-put", "get": "raw-get", "fetch-add": "raw-rmw"}

            def limit(key, rows=rows):
                same = key["operation"] in raw and key["layout"] in ("contiguous", "long")
                return cell(rows, "raw", {"operation": raw[key["operation"]], "bytes": key["bytes"]}) if same else None
            limits = {"libfabric alone": limit} if select(rows, library="raw") else {}
            found.append(section(f"Between two hosts; the target {WAITS[wait]}",
                                 {"armci": "The hosts are namespaces of this machine, with TCP between them. Ranks, data "
                                           "servers and the kernel's network share two processors, so this says more "
                                           "about processors than about networks. Libfabric alone has a target that polls."
                                           + congestion_control(rows),
                                  "mpi": "The target polls in `MPI_Barrier` and keeps a processor busy.",
                                  "busy": "The target calls no library, and both processors are busy. ComEx TS and "
                                          "ARMCI-MPI do not serve then."}[wait], rows,
                                 [table(rows, "Microseconds of an operation", limits)],
                                 options_text(NETWORK, "latency", f"--target-wait {wait}")))
    if "windows" in results:
        rows = results["windows"]
        found.append(section("Between two hosts; 64 non-blocking operations under way", "", rows,
                             [table(rows, "Microseconds for each operation")],
                             options_text(WINDOWS, "window", "--target-wait armci")))
    if "several" in results:
        rows = results["several"]
        found.append(section("Between two hosts; four ranks",
                             "Two ranks are on each host. Puts, gets and accumulates of 256 bytes go from two ranks at once "
                             "to two of the other host, to places in no order. Accumulates of 64 KiB go from two ranks to "
                             "one place in the memory of one rank. Contended fetch-and-adds are of all ranks to one counter. "
                             f"In a full run a sample takes {LONG_SAMPLE_MS} ms: four ranks that poll share two "
                             "processors, and which of them run at once is chance for some milliseconds.",
                             rows, [table(rows, "Microseconds for each operation of a rank")],
                             ", and ".join(options_text([options], mode, how) for options, mode, how in (
                                 (["--ops", "OPERATION", *MIXED_PLACES], "stream", "--pattern pair --target-wait armci"),
                                 (ONE_TARGET, "stream", "--pattern half --target-wait armci"), (ONE_COUNTER, None, "")))))
    if "collective" in results:
        rows = results["collective"]
        found.append(section("Between two hosts; barriers", "Half of the ranks are on each host.", rows,
                             [Table("Microseconds of a barrier", ["ranks", *[PEERS[name].title for name in present(rows)], "ratio"],
                                    [[str(ranks), *[text_of_cell(cell(rows, name, {"ranks": ranks})) for name in present(rows)],
                                      ratio_text(rows, present(rows), {"ranks": ranks})]
                                     for ranks in sorted({row["ranks"] for row in rows})])],
                             options_text(COLLECTIVE, None)))
    if "allocation" in results:
        rows = results["allocation"]
        tables = []
        for place in dict.fromkeys(row["place_name"] for row in rows):
            tables.append(table(select(rows, place_name=place), f"Microseconds, {place}"))
        found.append(section("Allocation", "Each rank allocates 1 MiB, and frees it. With malloc-write it also writes every "
                             "byte of the given size.", rows, tables, options_text(ALLOCATION, None)))
    if "processor" in results:
        rows = results["processor"]
        names = present(rows)
        lines = []
        for operation in dict.fromkeys(row["operation"] for row in rows):
            for what, wanted in (("processor seconds for each GB", "median"), ("MB/s", "mbytes_per_s")):
                lines.append([f"{operation} 1 MiB, {what}",
                              *[text_of_cell(cell(rows, name, {"operation": operation}), wanted) for name in names]])
        cost = " and ".join(f"{text_of(median_of(rows, library=OURS, operation=operation))} s for each GB of {operation}"
                            for operation in dict.fromkeys(row["operation"] for row in rows))
        found.append(Section("Processor time",
                             "The figures are of the whole job: all ranks, data servers and progress ranks, in user and "
                             "system mode. A long and a short job were compared, so that start and end do not count. The "
                             f"target sleeps, or waits in ARMCI where a library serves only in calls. This library takes {cost}.",
                             why="The options of `armci-bench` are: `--sizes 1M --modes stream --min-time 20`.",
                             tables=[Table("Contiguous transfers between two hosts",
                                           ["", *[PEERS[name].title for name in names]], lines)]))
    return found


# Rows of README.md: text, part, and what chooses among the part's rows.
DIGEST = [
    ("put of 8 bytes inside a node", "node", ("put", 8, "contiguous")),
    ("put of 1 MiB in blocks of 128 bytes inside a node", "node", ("put-strided", 1 << 20, "128 B")),
    ("lock and unlock inside a node", "node", ("lock", 0, "")),
    ("get of 8 bytes between nodes; the target waits in ARMCI", "network-armci", ("get", 8, "contiguous")),
    ("the same; the target computes", "network-busy", ("get", 8, "contiguous")),
    ("put of 1 MiB in blocks of 128 bytes between nodes; the target waits in ARMCI", "network-armci",
     ("put-strided", 1 << 20, "128 B")),
]


def digest(results):
    """The table of README.md: some rows, good and bad ones."""
    names = [name for name in PEERS if any(select(rows, library=name) for rows in results.values())]
    lines = []
    for text, part, (operation, size, layout) in DIGEST:
        rows = [row for row in results.get(part, []) if row["operation"] == operation and row["bytes"] == size
                and layout in row["layout"]]
        if not select(rows, library=OURS):
            return None
        cells = []
        for name in names:
            found = select(rows, library=name)
            cells.append("-" if not found else found[0]["problem"] or text_of(found[0]["median"]))
        lines.append([text, *cells])
    return Table("Microseconds", ["two ranks", *[PEERS[name].title for name in names]], lines)


def about(smoke, quick, full):
    """A smoke run is of the parts that differ in how they measure."""
    return {**({"smoke": smoke} if smoke else {}), "quick": quick, "full": full}


STUDY = Study(
    "peers", "This library and others", "",
    [Part("node", "operations inside a node", about(4, 40, 160), measure_node),
     Part("cold", "data that no cache holds", about(0, 20, 220), measure_cold),
     Part("fairness", "one mutex for all ranks", about(2, 30, 220), measure_fairness),
     Part("network-armci", "operations between hosts, target waits in ARMCI", about(6, 100, 190),
          measure_network("armci")),
     Part("network-mpi", "operations between hosts, target waits in MPI", about(0, 100, 170), measure_network("mpi")),
     Part("network-busy", "operations between hosts, target computes", about(0, 100, 150), measure_network("busy")),
     Part("windows", "windows of non-blocking operations between hosts", about(0, 30, 30), measure_windows),
     Part("several", "four ranks on two hosts", about(0, 60, 600), measure_several),
     Part("collective", "barriers between hosts", about(0, 30, 90), measure_collective),
     Part("allocation", "allocation", about(0, 30, 70), measure_allocation),
     Part("processor", "processor seconds for each GB", about(4, 60, 180), measure_processor)],
    sections, page="performance", digest=digest)
