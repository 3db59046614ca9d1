#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs armci-trace on the timelines of a job, on large ones within little memory, on files of different runs, and on
files that are broken.

usage: run_trace.py MPIEXEC ARMCI_TRACE TRANSFERS PROVIDER
"""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

MPIEXEC, TRACE, TRANSFERS, PROVIDER = sys.argv[1:5]
BYTES = 8 << 20
complaints = []


def expect(condition, what):
    if not condition:
        complaints.append(what)


def run(*arguments, limits=()):
    """Exit status, standard output, standard error of armci-trace within these limits."""
    def set_limits():
        for limit, value in limits:
            resource.setrlimit(limit, (value, value))

    done = subprocess.run([TRACE, *arguments], capture_output=True, text=True, check=False, preexec_fn=set_limits)
    return done.returncode, done.stdout, done.stderr


def run_job(prefix):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment.update(ARMCI_TRACE=prefix, ARMCI_NODE_SIZE="1", ARMCI_PROVIDER=PROVIDER, ARMCI_ROUTE="server")
    subprocess.run([MPIEXEC, "-n", "2", TRANSFERS, "move"], env=environment, check=True)


def check_job():
    """A put, an accumulate and a get of 8 MiB each from rank 0 to rank 1: the sums are known."""
    with tempfile.TemporaryDirectory() as directory:
        prefix = os.path.join(directory, "t")
        run_job(prefix)
        merged = os.path.join(directory, "all.json")
        page = os.path.join(directory, "t.html")
        status, text, errors = run(prefix, "--json", f"{prefix}.summary", "--html", page, "--merge", merged)
        expect(status == 0 and errors == "", f"status {status}\n{errors}")
        with open(f"{prefix}.summary", encoding="utf-8") as file:
            summary = json.load(file)
        with open(page, encoding="utf-8") as file:
            expect(file.read().count("<svg") >= 6, "the page has plots")
        check_sums(summary, text)
        check_merged(merged, [f"{prefix}.{rank}.json" for rank in (0, 1)])
        again = json.loads(run(merged, "--json", "-")[1])
        expect(again == summary, "the merged file has the same sums")
        check_selection(merged, summary)
        check_mixed(prefix)


def check_sums(summary, text):
    calls = {row["name"]: row for row in summary["calls"]}
    for function in "ARMCI_PutS", "ARMCI_AccS", "ARMCI_GetS":
        expect(calls[function]["count"] == 1 and calls[function]["bytes"] == BYTES, f"{calls.get(function)}")
        expect(f"\n{function} " in text, f"{function} in\n{text}")
    stages = {row["name"]: row for row in summary["stages"]}
    for stage, bytes_of_stage in ("pack", 3 * BYTES), ("unpack", 2 * BYTES), ("accumulate", BYTES):
        expect(stages[stage]["bytes"] == bytes_of_stage, f"{stages[stage]}")
    expect(summary["traffic"] == [{"rank": 0, "target": 1, "transfers": 3, "bytes": 3 * BYTES}], f"{summary['traffic']}")
    expect(len(summary["slowest_transfers"]) == 3, f"{summary['slowest_transfers']}")
    expect([rank["rank"] for rank in summary["ranks"]] == [0, 1], f"{summary['ranks']}")
    expect(summary["ranks"][1]["server_ns"] > 0, "rank 1 has the data server that worked")
    expect(any(counter["name"] == "bytes under way" for counter in summary["counters"]), f"{summary['counters']}")


def check_merged(merged, files):
    lines = []
    for name in files:
        with open(name, encoding="utf-8") as file:
            lines += json.load(file)
    with open(merged, encoding="utf-8") as file:
        expect(json.load(file) == lines, "the merged file has all events of the files")


def check_selection(merged, summary):
    status, output, errors = run(merged, "--json", "-", "--ranks", "1")
    ranks = json.loads(output)["ranks"]
    expect(status == 0 and [rank["rank"] for rank in ranks] == [1], f"--ranks 1: {status} {ranks} {errors}")
    until = str(summary["begin_ns"] / 1e9)
    output = run(merged, "--json", "-", "--to", until)[1]
    expect(0 < json.loads(output)["events"] < summary["events"], f"--to {until}: {output[:200]}")


def check_mixed(prefix):
    """The same job once more, with one file of the run before."""
    shutil.copy(f"{prefix}.1.json", f"{prefix}.old")
    run_job(prefix)
    expect(run(prefix)[0] == 0, "the second run")
    shutil.move(f"{prefix}.old", f"{prefix}.1.json")
    status, text, errors = run(prefix)
    expect(status == 1 and text == "" and "different runs" in errors and errors.count("a run of 2 ranks: ") == 2,
           f"mixed: {status} {errors}")


def name_of(rank, ranks, run_id):
    process = 100 * (rank + 1)
    origin = f',"ranks":{ranks},"run":"{run_id}"' if ranks else ""
    return (f'{{"ph":"M","pid":{process},"tid":{process},"name":"process_name",'
            f'"args":{{"name":"rank {rank} on a"{origin}}}}}')


def check_runs():
    """A run of 4 ranks after one of 16 with the same ARMCI_TRACE."""
    with tempfile.TemporaryDirectory() as directory:
        def write(rank, ranks, run_id):
            with open(os.path.join(directory, f"t.{rank}.json"), "w", encoding="utf-8") as file:
                file.write("[\n" + name_of(rank, ranks, run_id) + ",\n" + event(rank, 1, 0) + "\n]\n")

        prefix = os.path.join(directory, "t")
        for rank in range(16):
            write(rank, *((4, "0xb") if rank < 4 else (16, "0xa")))
        merged = os.path.join(directory, "merged")
        status, text, errors = run(prefix, "--merge", merged)
        errors = errors.replace(directory + "/", "")
        expect(status == 1 and text == "" and "\n  a run of 16 ranks: 12 files from t.4.json to t.15.json\n"
               "  a run of 4 ranks: t.0.json, t.1.json, t.2.json and t.3.json\nRemove the files" in errors, f"{status} {errors}")
        expect(not os.path.exists(merged) and not os.path.exists(merged + ".part"), f"{os.listdir(directory)}")
        status, text, errors = run(prefix, "--ranks", "0-3", "--merge", merged)
        expect(status == 0 and errors == "" and "no file of" not in text, f"ranks of one run: {status} {text} {errors}")
        status, text, errors = run(merged)
        expect(status == 0 and "4 events of 4 ranks" in text and "no file of" not in text, f"merged: {text} {errors}")
        status, text, errors = run(*(f"{prefix}.{rank}.json" for rank in (4, 6)), "--ranks", "0-8")
        expect(status == 0 and "no file of ranks 0, 1, 2, 3, 5, 7, 8 of the job" in text, f"missing: {text} {errors}")
        expect(json.loads(run(f"{prefix}.1.json", "--json", "-")[1]).get("missing_ranks") == [0, 2, 3], "missing, as JSON")
        write(0, 0, "")
        status, text, errors = run(f"{prefix}.0.json", f"{prefix}.1.json")
        expect(status == 1 and "  a run of unknown ranks: " in errors, f"one of an older version: {status} {errors}")


def writer(directory):
    """A function that writes a text to a file of that name there, and returns the path."""
    def write(name, text):
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path
    return write


def check_repeated():
    """No event counts twice."""
    with tempfile.TemporaryDirectory() as directory:
        for rank in range(2):
            with open(os.path.join(directory, f"t.{rank}.json"), "w", encoding="utf-8") as file:
                file.write("[\n" + name_of(rank, 2, "0xa") + ",\n" + event(rank, 1, 0) + "\n]\n")
        prefix = os.path.join(directory, "t")
        first, second, merged = f"{prefix}.0.json", f"{prefix}.1.json", f"{prefix}.json"
        expect(run(prefix, "--merge", merged)[0] == 0, "merged")
        status, text, errors = run(first, second, merged)
        expect(status == 1 and text == "" and f"rank 0 is in {first} and in {merged}" in errors, f"{status} {errors}")
        status, text, errors = run(prefix, first, os.path.join(directory, ".", "t.1.json"), "--json", "-")
        expect(status == 0 and json.loads(text)["events"] == json.loads(run(prefix, "--json", "-")[1])["events"],
               f"named twice: {status} {text} {errors}")


def check_empty_selection():
    with tempfile.TemporaryDirectory() as directory:
        path = writer(directory)("t.0.json", "[\n" + name_of(0, 1, "0xa") + ",\n" + event(0, 2, 0) + "\n]\n")
        part = os.path.join(directory, "part")
        for choice in ("--ranks", "9"), ("--from", "5"), ("--from", "5", "--to", "2"):
            status, text, errors = run(path, *choice, "--merge", part)
            expect(status == 1 and text == "" and "no event is among those chosen" in errors and
                   "ranks 0 to 0, from 0.000002 s to 0.000003 s" in errors, f"{choice}: {status} {errors}")
        expect(os.listdir(directory) == ["t.0.json"], f"{os.listdir(directory)}")


def check_outputs():
    """No output takes the place of a file that is read, and one that fails leaves what was there."""
    with tempfile.TemporaryDirectory() as directory:
        write = writer(directory)

        def text_of(path):
            with open(path, encoding="utf-8") as file:
                return file.read()

        whole = "[\n" + event(0, 1, 1) + "\n]\n"
        first = write("t.0.json", whole)
        part = write("u.json.part", whole)
        link = os.path.join(directory, "link.json")
        os.symlink(first, link)
        for option in "--merge", "--html", "--json":
            for output in first, link, os.path.join(directory, ".", "t.0.json"):
                status, text, errors = run(first, option, output)
                expect(status == 1 and f"{output} cannot be written, because {first} is read" in errors and
                       text_of(first) == whole, f"{option} {output}: {status} {errors}")
        status, text, errors = run(part, "--merge", os.path.join(directory, "u.json"))
        expect(status == 1 and "choose another name" in errors and text_of(part) == whole, f"part: {status} {errors}")
        os.remove(part)
        merged = write("u.json", "old")
        wrong = write("wrong.json", "[\n" + event(0, 1, 1) + "\n" + event(0, 2, 1) + "\n]\n")
        expect(run(wrong, "--merge", merged)[0] == 1 and text_of(merged) == "old" and not os.path.exists(part),
               f"what was there stays: {os.listdir(directory)}")
        expect(run(first, "--merge", merged)[0] == 0 and text_of(merged) == whole and not os.path.exists(part),
               f"it is replaced: {os.listdir(directory)}")
        link = os.path.join(directory, "other.json")
        os.symlink(merged, link)
        expect(run(first, "--merge", link)[0] == 0 and os.path.islink(link) and text_of(merged) == whole, "a link stays")
        status, text, errors = run(first, "--html", "-")
        expect(status == 0 and text.startswith("<!DOCTYPE html>"), f"--html -: {status} {text[:80]} {errors}")
        both = os.path.join(directory, "both")
        status, text, errors = run(first, "--html", both, "--json", os.path.join(directory, ".", "both"))
        expect(status == 1 and "is named for two outputs" in errors and not os.path.exists(both), f"{status} {errors}")
        status, text, errors = run(first, "--merge", "/dev/stdout")
        expect(status == 0 and text.startswith("[\n"), f"standard output: {status} {text} {errors}")


def check_lost_output():
    """What cannot be printed is an error, also where standard output is closed. A reader may end."""
    def run_with(redirection, *arguments):
        command = ["sh", "-c", f'exec "$@" {redirection}', "sh", TRACE, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    with tempfile.TemporaryDirectory() as directory:
        path = writer(directory)("t.0.json", "[\n" + event(0, 1, 1) + "\n]\n")
        page = os.path.join(directory, "page")
        for arguments in (path,), (path, "--html", page), (path, "--json", "-"), (path, "--html", "-"), ("--help",):
            for redirection, reason in (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"):
                job = run_with(redirection, *arguments)
                expect(job == (1, f"armci-trace: standard output cannot be written: {reason}\n"),
                       f"{arguments} {redirection}: {job}")
        with open(page, encoding="utf-8") as file:
            expect(file.read().endswith("</html>\n"), "the page holds nothing else")
        for restore_signals, status in (True, -signal.SIGPIPE), (False, 1):
            reader, end = os.pipe()
            os.close(reader)
            done = subprocess.run([TRACE, path, "--html", "-"], stdout=end, stderr=subprocess.PIPE, check=False,
                                  restore_signals=restore_signals)
            os.close(end)
            expect((done.returncode, done.stderr) == (status, b""), f"a reader that has ended: {done}")
        job = run_with(">&-", path, "--merge", "/dev/stdout")
        expect(job[0] == 1 and "/dev/stdout cannot be written" in job[1], f"/dev/stdout: {job}")


def event(rank, number, target):
    process = 100 * (rank + 1)
    return (f'{{"ph":"X","pid":{process},"tid":{process},"ts":{number}.000,"dur":0.500,"cat":"call",'
            f'"name":"ARMCI_Put","args":{{"bytes":8,"rank":{target}}}}}')


def write_large(directory, ranks, events):
    for rank in range(ranks):
        with open(os.path.join(directory, f"t.{rank}.json"), "w", encoding="utf-8") as file:
            file.write("[\n" + ",\n".join(event(rank, i, (rank + 1) % ranks) for i in range(events)) + "\n]\n")


def check_memory(ranks=300, events=1500):
    """Memory and open files do not grow with the files: 57 MB of 300 ranks within 20 MB of data, and 10 open files."""
    with tempfile.TemporaryDirectory() as directory:
        write_large(directory, ranks, events)
        total = sum(entry.stat().st_size for entry in os.scandir(directory))
        limits = [(resource.RLIMIT_DATA, 20 << 20), (resource.RLIMIT_NOFILE, 10)]
        merged = os.path.join(directory, "merged")
        status, output, errors = run(os.path.join(directory, "t"), "--json", "-", "--merge", merged, limits=limits)
        expect(status == 0, f"status {status}: {errors}")
        expect(total > 2 * (20 << 20), f"{total} bytes are far more than the limit")
        if status == 0:
            summary = json.loads(output)
            expect(summary["events"] == ranks * events, f"{summary['events']} events")
            expect(len(summary["traffic"]) == ranks, f"{len(summary['traffic'])} pairs")
            expect(os.path.getsize(merged) > total - 10 * ranks, f"{os.path.getsize(merged)} bytes of {total}")


def check_broken_files():
    with tempfile.TemporaryDirectory() as directory:
        write = writer(directory)

        cut = write("cut.json", "[\n" + event(0, 1, 1) + ",\n" + event(0, 2, 1)[:50])
        status, text, errors = run(cut)
        expect(status == 0 and f"{cut} ends in the middle" in text, f"cut: {status}\n{text}{errors}")
        wrong = write("wrong.json", "[\n" + event(0, 1, 1) + "\n" + event(0, 2, 1) + "\n]\n")
        status, text, errors = run(wrong)
        expect(status == 1 and f"armci-trace: {wrong}, line 3, byte " in errors and text == "", f"wrong: {status} {errors}")
        status, text, errors = run(write("empty.json", ""))
        expect(status == 1 and "is empty" in errors, f"empty: {status} {errors}")
        status, text, errors = run(os.path.join(directory, "none"))
        expect(status == 1 and "no none.RANK.json" in errors.replace(directory + "/", ""), f"none: {status} {errors}")
        for name in directory, directory + "/":
            status, text, errors = run(name)
            expect(status == 1 and errors == f"armci-trace: {name} is a directory; name its files, or the value of "
                   f"ARMCI_TRACE: {directory}/t for {directory}/t.0.json\n", f"a directory: {status} {errors}")
        status, text, errors = run(cut, "--merge", "/dev/full")
        expect(status == 1 and "/dev/full cannot be written: No space left on device" in errors, f"full: {status} {errors}")
        status, text, errors = run(cut, "--html", directory)
        expect(status == 1 and f"{directory} cannot be written: Is a directory" in errors, f"directory: {status} {errors}")


def check_arguments():
    status, text, errors = run()
    expect(status == 2 and "name the files" in errors, f"{status} {errors}")
    status, text, errors = run("--ranks", "3-1", "x")
    expect(status == 2 and "--ranks" in errors, f"{status} {errors}")
    status, text, errors = run("--help")
    expect(status == 0 and text.startswith("usage: armci-trace"), f"{status} {text}")
    status, text, errors = run("--version")
    expect(status == 0 and text.startswith("armci-trace "), f"{status} {text}")


check_job()
check_runs()
check_repeated()
check_empty_selection()
check_outputs()
check_lost_output()
check_memory()
check_broken_files()
check_arguments()
print("\n".join(complaints))
sys.exit(1 if complaints else 0)
