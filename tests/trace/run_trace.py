#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs jobs with ARMCI_TRACE and checks the files: viewers can read them, and that every chunk of a
transfer is there once at each stage, in order. How much overlaps is not judged: that is the machine's.

usage: run_trace.py MPIEXEC TRANSFERS PROVIDER
"""

import json
import os
import subprocess
import sys
import tempfile
from decimal import Decimal

MPIEXEC, TRANSFERS, PROVIDER = sys.argv[1:4]
BYTES = 8 << 20
NUMBERS_OF_RANK = 100  # of its process and threads
KEPT = (1 << 17) - 1  # events of a thread
complaints = []
case = ""
counters = {}  # of the last job, by rank and name: times and values


def expect(condition, what):
    if not condition:
        complaints.append(f"{case}: {what}")


def run(name, what, directory, command=None, node_size=1, **settings):
    """Exit status and standard error of a job of two ranks, on two nodes as a rule."""
    global case
    case = name
    command = command or [MPIEXEC, "-n", "2", TRANSFERS]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment.update(ARMCI_NODE_SIZE=str(node_size), ARMCI_PROVIDER=PROVIDER, **settings)
    command = ["timeout", "--kill-after=5", "1200", *command, what]
    done = subprocess.run(command, env=environment, cwd=directory, capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stderr


class Event:
    """One that has a length; times are exact."""

    def __init__(self, rank, first, begin, end):
        self.rank = rank
        self.thread = first["tid"]
        self.category = first["cat"]
        self.name = first["name"]
        self.begin = begin
        self.end = end
        self.arguments = first["args"]
        self.arrow = first.get("bind_id")
        self.arrow_ends = {key for key in ("flow_out", "flow_in") if first.get(key)}
        expect((self.arrow is None) == (not self.arrow_ends), f"{first} has an arrow with one end")

    def __str__(self):
        return f"{self.name} {self.arguments} of rank {self.rank} at {self.begin}..{self.end}"


def read(path, rank):
    """The events of a file, and its names of processes and threads.

    Perfetto puts a thread into the process of its number and takes 0 for the kernel's, so all numbers are of one
    process of the job only; the numbers of what overlaps are the process's own."""
    events, names, open_events, used = [], [], {}, set()
    process = NUMBERS_OF_RANK * (rank + 1)
    with open(path, encoding="utf-8") as file:
        try:
            lines = json.load(file, parse_float=Decimal)
        except ValueError as error:
            expect(False, f"{path}: {error}")
            return events, names
    for line in lines:
        expect(line["pid"] == process, f"{line} is of process {process}")
        expect(process <= line["tid"] < process + NUMBERS_OF_RANK, f"{line} is of a thread of process {process}")
        if line["ph"] == "M":
            names.append(line)
        elif line["ph"] == "C":
            (series, value), = line["args"].items()
            counters.setdefault((rank, f"{line['name']} {series}"), []).append((line["ts"], value))
        elif line["ph"] == "X":
            expect(line["dur"] >= 0, f"{line} ends after it begins")
            events.append(Event(rank, line, line["ts"], line["ts"] + line["dur"]))
        elif line["ph"] == "b":
            expect("id" not in line and line["id2"]["local"] not in used, f"{line} has a number of its own")
            used.add(line["id2"]["local"])
            open_events[line["id2"]["local"]] = line
        else:
            expect(line["ph"] == "e", f"{line} is of a known kind")
            first = open_events.pop(line["id2"]["local"])
            expect((first["cat"], first["name"]) == (line["cat"], line["name"]), f"{line} ends {first}")
            expect(first["ts"] <= line["ts"], f"{first} ends after it begins")
            events.append(Event(rank, first, first["ts"], line["ts"]))
            events[-1].thread = None
    expect(not open_events, "what begins ends")
    return events, names


def check_names(events, names, rank, expected):
    processes = [n["args"]["name"] for n in names if n["name"] == "process_name"]
    expect(len(processes) == 1 and processes[0].startswith(f"rank {rank} on "), f"{processes}")
    threads = {n["tid"]: n["args"]["name"] for n in names if n["name"] == "thread_name"}
    places = {n["tid"]: n["args"]["sort_index"] for n in names if n["name"] == "thread_sort_index"}
    expect(set(places) == set(threads) and threads.get(min(places, key=places.get, default=None)) == "program",
           f"the program is the first of {threads}: {places}")
    places = [n["args"]["sort_index"] for n in names if n["name"] == "process_sort_index"]
    expect(places == [rank], f"the place of rank {rank}: {places}")
    expect(sorted(threads.values()) == sorted(expected), f"threads {threads}")
    expect({e.thread for e in events} - {None} <= set(threads), "every thread has a name")


def check_nesting(events):
    """In a thread, events are in each other or apart; viewers draw nothing else."""
    for thread in {e.thread for e in events} - {None}:
        around = []
        of_thread = [e for e in events if e.thread == thread]
        for event in sorted(of_thread, key=lambda e: (e.begin, -e.end)):
            while around and around[-1].end <= event.begin:
                around.pop()
            expect(not around or event.end <= around[-1].end, f"{event} is within {around[-1:]}")
            around.append(event)


def read_all(directory, ranks=(0, 1), threads=("data server", "program")):
    events = []
    counters.clear()
    files = sorted(os.listdir(directory))
    expect(files == ["t.0.json", "t.1.json"], f"{files}")
    if not files:
        return events
    for rank in ranks:
        of_rank, names = read(os.path.join(directory, f"t.{rank}.json"), rank)
        check_names(of_rank, names, rank, threads)
        check_nesting(of_rank)
        events += of_rank
    return events


def chunks(events, rank, category, key, *names):
    """Of one rank, by number or offset."""
    found = {}
    for event in events:
        if event.rank == rank and event.category == category and event.name in names and \
                key in event.arguments:
            number = event.arguments[key]
            expect(number not in found, f"{event} is there once")
            found[number] = event
    return found


def check_stages(packed, sent, unpacked, total):
    expect(len(packed) > 8, f"{len(packed)} chunks")
    for what, stage in ("pack", packed), ("transmit", sent), ("unpack", unpacked):
        expect(set(stage) == set(packed), f"{what}: {sorted(stage)}, packed: {sorted(packed)}")
        got = sum(e.arguments["bytes"] for e in stage.values())
        expect(got == total, f"{what}: {got} bytes of {total}")
    for number in set(packed) & set(sent) & set(unpacked):
        pack, transmit, unpack = packed[number], sent[number], unpacked[number]
        expect(pack.arguments["bytes"] == transmit.arguments["bytes"] == unpack.arguments["bytes"],
               f"equal bytes: {pack}, {transmit}, {unpack}")
        expect(pack.end <= transmit.begin <= transmit.end, f"{pack} before {transmit}")
        expect(pack.end <= unpack.begin <= unpack.end, f"{pack} before {unpack}")
        expect(pack.arrow is not None and pack.arrow == unpack.arrow, f"an arrow from {pack} to {unpack}")
        expect((pack.arrow_ends, unpack.arrow_ends) == ({"flow_out"}, {"flow_in"}), f"{pack}, {unpack}")
    arrows = [pack.arrow for pack in packed.values()]
    expect(len(set(arrows)) == len(arrows), "each chunk has an arrow of its own")


def check_calls(events, *functions):
    for function in functions:
        calls = [e for e in events if e.category == "call" and e.name == function]
        expect(len(calls) == 1, f"{len(calls)} calls of {function}")
        for call in calls:
            expect(call.rank == 0 and call.arguments == {"bytes": BYTES, "rank": 1}, f"{call}")


def check_start_and_end(events):
    """The calls that start and end the library are there, and all that a program's thread does lies between."""
    for rank in 0, 1:
        first, last = ([e for e in events if e.rank == rank and e.category == "call" and e.name == function]
                       for function in ("ARMCI_Init", "ARMCI_Finalize"))
        expect(len(first) == 1 and len(last) == 1, f"rank {rank}: {len(first)} ARMCI_Init, {len(last)} ARMCI_Finalize")
        if not first or not last:
            continue
        waits = [e for e in events if e.thread == first[0].thread and e.rank == rank and e.category == "wait"]
        expect(any(wait.end <= first[0].end for wait in waits), f"rank {rank} waits in ARMCI_Init")
        for wait in waits:
            expect(first[0].begin <= wait.begin and wait.end <= last[0].end, f"{wait} is outside of {first[0]}, {last[0]}")


def check_counters(names):
    for rank, name, ends_at_zero in names:
        values = [value for _, value in sorted(counters.get((rank, name), []))]
        expect(len(values) > 1 and min(values) >= 0, f"{name} of rank {rank}: {values}")
        expect(not ends_at_zero or values[-1:] == [0], f"{name} of rank {rank} ends at 0: {values[-1:]}")


def check_server_route(name, last_stage="unpack", **settings):
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run(name, "move", directory, ARMCI_TRACE=os.path.join(directory, "t"),
                             ARMCI_ROUTE="server", ARMCI_BUFFER_COUNT="4", ARMCI_BUFFER_SIZE="128K",
                             **settings)
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        events = read_all(directory)
    check_calls(events, "ARMCI_PutS", "ARMCI_AccS", "ARMCI_GetS")
    check_start_and_end(events)
    packed = chunks(events, 0, "pack", "chunk", "pack")
    sent = chunks(events, 0, "transmit", "chunk", "transmit")
    put = chunks(events, 1, "execute", "chunk", "unpack", last_stage)
    added = chunks(events, 1, "execute", "chunk", "accumulate")
    expect(any(e.name == last_stage for e in put.values()), f"chunks with {last_stage}")
    check_stages(packed, sent, {**put, **added}, 2 * BYTES)
    check_counters([(0, "bytes under way", True), (0, "buffer bytes free", False),
                    (0, "receive buffers granted", False), (1, "server receive buffers free", False)])
    for stage in put, added:
        got = sum(e.arguments["bytes"] for e in stage.values())
        expect(got == BYTES, f"{got} bytes of each")
    check_stages(chunks(events, 1, "pack", "offset", "pack"),
                 chunks(events, 1, "transmit", "offset", "transmit"),
                 chunks(events, 0, "execute", "offset", "unpack"), BYTES)


def check_rma():
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run("rma", "move", directory, ARMCI_TRACE=os.path.join(directory, "t"),
                             ARMCI_ROUTE="rma")
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        events = read_all(directory)
    check_calls(events, "ARMCI_PutS", "ARMCI_AccS", "ARMCI_GetS")
    check_start_and_end(events)
    for name in "rma write", "rma read":
        got = sum(e.arguments["bytes"] for e in events if e.name == name)
        expect(got == BYTES, f"{name}: {got} bytes")


def check_inside_node():
    """Copies inside a node, by the calling thread, which makes them in the call."""
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run("inside a node", "move", directory, node_size=2,
                             ARMCI_TRACE=os.path.join(directory, "t"))
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        events = read_all(directory, threads=("program",))
    for function, name in ("ARMCI_PutS", "copy of a put"), ("ARMCI_AccS", "accumulate"), ("ARMCI_GetS", "copy of a get"):
        copies = [e for e in events if e.category == "copy" and e.name == name]
        calls = [e for e in events if e.name == function]
        expect(len(copies) == len(calls) == 1, f"{name}: {len(copies)} in {len(calls)} calls")
        for copy, call in zip(copies, calls):
            expect(copy.rank == 0 and copy.arguments == {"bytes": BYTES, "rank": 1}, f"{copy}")
            expect(call.begin <= copy.begin <= copy.end <= call.end, f"{copy} in {call}")


def check_copy_engine_inside_node():
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run("engine inside a node", "copies", directory, node_size=2,
                             ARMCI_TRACE=os.path.join(directory, "t"), ARMCI_COPY_ENGINE="thread")
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        events = read_all(directory, threads=("program",))
    for name in "copy of a put", "accumulate", "copy of a get":
        copies = [e for e in events if e.category == "copy" and e.name == "by the copy engine: " + name]
        expect([e.arguments for e in copies] == [{"bytes": BYTES, "rank": 1}], f"{name}: {copies}")


def check_many():
    """The newest events stay, and both the file and a warning say how many are missing. The file that replaces the first
    is at the same place, though the path is relative and the program has changed its directory."""
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "elsewhere"))
        status, errors = run("many", "many", directory, ARMCI_TRACE="t")
        expect(status == 0, f"status {status}\n{errors}")
        expect(os.listdir(os.path.join(directory, "elsewhere")) == [], "no files elsewhere")
        expect("[0] ARMCI Warning: ARMCI_TRACE: " in errors and errors.count("ARMCI") == 2,
               f"one warning\n{errors}")
        counters.clear()
        events, names = read(os.path.join(directory, "t.0.json"), 0)
    kept = len(events) + sum(len(values) for values in counters.values())
    expect(kept >= KEPT, f"{kept} events")
    labels = [n["args"] for n in names if n["name"] == "process_labels"]
    expect(len(labels) == 1 and labels[0]["dropped"] > 0, f"{labels}")
    for label in labels:
        expect(label["labels"] == f"{label['dropped']} earlier events dropped", f"{label}")
    expect(any(e.name == "ARMCI_Barrier" or e.name.startswith("wait for ") for e in events),
           "the end of the job")


def check_two_clocks():
    """Ranks whose clocks are far apart, as those of two hosts are, have one time in the files."""
    apart_s = 1000
    own_clock = ["unshare", "--time", "--monotonic", str(apart_s)]
    alone = ["unshare", "--user", "--map-root-user"]
    if subprocess.run([*alone, *own_clock, "true"], capture_output=True, check=False).returncode != 0:
        print("not tested: clocks that differ: this system has no user or time namespaces")
        return
    with tempfile.TemporaryDirectory() as directory:
        # One program for both ranks, because arguments follow the last only.
        script = f'test "${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}" = 0 || exec {" ".join(own_clock)} "$@"; exec "$@"'
        status, errors = run("two clocks", "move", directory,
                             [*alone, MPIEXEC, "-n", "2", "sh", "-c", script, "sh", TRANSFERS],
                             ARMCI_TRACE=os.path.join(directory, "t"), ARMCI_ROUTE="server")
        expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
        events = read_all(directory)
    first = min((e.begin for e in events), default=0)
    last = max((e.end for e in events), default=0)
    expect(last - first < apart_s * 1000000 / 2, f"all is between {first} and {last}")


def check_failure():
    """The rank that ends the job writes its events; others may have no time for that."""
    with tempfile.TemporaryDirectory() as directory:
        status, errors = run("fail", "fail", directory, ARMCI_TRACE=os.path.join(directory, "t"),
                             ARMCI_ROUTE="server")
        expect(status != 0 and "ARMCI Error: on purpose" in errors, f"status {status}\n{errors}")
        events = read_all(directory, ranks=(0,))
    got = sum(e.arguments["bytes"] for e in chunks(events, 0, "pack", "chunk", "pack").values())
    expect(got == BYTES, f"{got} bytes")


def check_one_rank_cannot_write():
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, "t.1.json"))
        status, errors = run("not writable", "move", directory, ARMCI_TRACE="t")
        expect(status != 0, f"status {status}")
        path = os.path.join(os.path.realpath(directory), "t.1.json")
        expect(f'[1] ARMCI Error: ARMCI_Init: ARMCI_TRACE="t": {path} cannot be written (Is a directory)' in errors and
               "unset it" in errors, errors)


def check_off():
    for settings in {}, {"ARMCI_TRACE": ""}:
        with tempfile.TemporaryDirectory() as directory:
            status, errors = run(f"off {settings}", "move", directory, **settings)
            expect(status == 0 and "ARMCI" not in errors, f"status {status}\n{errors}")
            expect(os.listdir(directory) == [], f"{os.listdir(directory)}")


check_server_route("server")
check_server_route("engine", "unpack by the copy engine", ARMCI_COPY_ENGINE="thread",
                   ARMCI_COPY_ENGINE_MIN="32K")
check_rma()
check_inside_node()
check_copy_engine_inside_node()
check_many()
check_two_clocks()
check_failure()
check_one_rank_cannot_write()
check_off()
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
