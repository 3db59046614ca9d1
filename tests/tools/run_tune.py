#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""armci-tune writes a profile that armci-info --explain and armci_scale read back, and both tools refuse invalid arguments.

usage: run_tune.py MPIEXEC ARMCI_TUNE ARMCI_INFO ARMCI_SCALE

Nothing here depends on how long anything takes.
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile

MPIEXEC, TUNE, INFO, SCALE = sys.argv[1:5]
complaints = []


def run(program, *arguments, ranks=2, **settings):
    """Exit status, standard output, standard error of a job on virtual nodes of one rank."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment.update({"ARMCI_NODE_SIZE": "1", **settings})
    command = ["timeout", "--kill-after=5", "1200", MPIEXEC, "-n", str(ranks), program, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def expect(condition, what, job):
    if not condition:
        status, output, errors = job
        complaints.append(f"{what}; status {status}\n{output}{errors}")


def expect_success(job, what, *texts):
    expect(job[0] == 0, f"{what}: succeeds", job)
    for text in texts:
        expect(text in job[1], f"{what}: says {text!r}", job)


def expect_refusal(job, what, status, text):
    expect(job[0] == status, f"{what}: status {status}", job)
    expect(text in job[2], f"{what}: says {text!r}", job)
    expect("Warning" not in job[2], f"{what}: nothing else", job)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def barrier_us(output):
    """The virtual time of a barrier in the output of armci_scale."""
    return next((float(line.split(";")[2]) for line in output.splitlines() if ";barrier;" in line), 0)


def check_profiles(directory):
    profile = os.path.join(directory, "profile")
    # A site's file names the profile that is made here, and is not there yet.
    site = os.path.join(directory, "site.conf")
    write(site, f"ARMCI_PROFILE = {profile}\n")
    job = run(TUNE, "--quick", "--force", "--output", profile, ARMCI_CONFIG=site)
    expect_success(job, "armci-tune", "shortest block that goes by it", f"ARMCI_PROFILE={profile}")
    if not os.path.exists(profile):
        complaints.append("armci-tune wrote no profile")
        return
    with open(profile, encoding="utf-8") as file:
        text = file.read()

    job = run(INFO, "--explain", "put,1000,128,1", ARMCI_PROFILE=profile)
    expect_success(job, "explain with a profile", "put of 1000 blocks of 128 bytes", "route: ",
                   "rma: ", "server: ", "buffers: ", f"costs: profile {profile}")
    expect("Warning" not in job[2], "a profile just written is fine", job)

    barriers = []  # in virtual time
    for latency_us in "1", "1e5":
        other = os.path.join(directory, "simulated")
        name = "rma.put.latency_us = "
        write(other, "\n".join(name + latency_us if line.startswith(name) else line for line in text.splitlines()) + "\n")
        done = subprocess.run([SCALE, "--nodes", "4", "--profile", other], capture_output=True, text=True, check=False)
        job = (done.returncode, done.stdout, done.stderr)
        expect_success(job, f"a simulated job, latency {latency_us} us", "4;barrier;", "4;exchange;", "4;counter;")
        barriers.append(barrier_us(done.stdout))
    expect(barriers[0] + 1e5 < barriers[1], f"the profile's latency is in the barrier: {barriers}", job)

    # The costs in the file decide: first RMA costs most, then least.
    lines = text.splitlines()
    for value, route in (("1e8", "server"), ("0", "rma")):
        other = os.path.join(directory, route)
        changed = [
            f"{line.split(' = ')[0]} = {value}" if line.startswith("rma.") else line
            for line in lines
        ]
        write(other, "\n".join(changed) + "\n")
        job = run(INFO, "--explain", "get,100,2K,1", ARMCI_PROFILE=other)
        expect_success(job, f"RMA costs {value}", f"route: {route}, because ")

    # Large gets go by remote put where reads take longer than writes. What was measured may be nothing at
    # all on a machine with other work.
    other = os.path.join(directory, "slow-reads")
    given = {"rma.get.": "1000", "rma.put.": "0"}
    changed = [f"{line.split(' = ')[0]} = {given[line[:8]]}" if line[:8] in given else line for line in lines]
    write(other, "\n".join(changed) + "\n")
    job = run(INFO, "--explain", "get,1,64M,1", ARMCI_PROFILE=other)
    expect_success(job, "slow reads", "route: rma, because the target's data server writes",
                   "because reads are slower here than writes", "by put: ")
    job = run(INFO, "--explain", "get,1,64M,1", ARMCI_PROFILE=other, ARMCI_GET_BY_PUT_MIN="65M")
    expect("data server writes blocks" not in job[1], "ARMCI_GET_BY_PUT_MIN raises the size", job)
    job = run(INFO, "--explain", "get,1,64K,1", ARMCI_GET_BY_PUT_MIN="64K")
    expect_success(job, "ARMCI_GET_BY_PUT_MIN", "(ARMCI_GET_BY_PUT_MIN)")

    # A limit given by a variable has priority.
    job = run(INFO, "--explain", "get,100,2K,1", ARMCI_PROFILE=os.path.join(directory, "rma"),
              ARMCI_RMA_MIN_BLOCK="4K")
    expect_success(job, "ARMCI_RMA_MIN_BLOCK", "route: server, because ", "(ARMCI_RMA_MIN_BLOCK)")

    # Rank 0 warns once, and the job continues with costs of its own.
    provider = next(line for line in lines if line.startswith("provider = "))
    broken = {
        "is for provider another": text.replace(provider, "provider = another"),
        "says version 99": text.replace("version = 1\n", "version = 99\n"),
        "no usable number for": text.replace("pack.8.run_us = ", "pack.8.run_us = x"),
    }
    for reason, content in broken.items():
        path = os.path.join(directory, "broken")
        write(path, content)
        job = run(INFO, "--explain", "put,10,100,1", ARMCI_PROFILE=path)
        expect_success(job, reason, "measured at start")
        expect(job[2].count("ARMCI Warning") == 1 and reason in job[2], f"warns: {reason}", job)


def check_rows(directory):
    """The measurements as CSV and as JSON."""
    path = os.path.join(directory, "tune.json")
    job = run(TUNE, "--quick", "--force", "--csv", "-", "--json", path)
    expect(job[0] == 0, "succeeds", job)
    lines = list(csv.DictReader(io.StringIO(job[1])))
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    rows = document["rows"]
    expect(len(lines) == len(rows) > 10, "as many lines as rows", job)
    expect({row["operation"] for row in rows} == {"put", "get", "acc"}, "all operations", job)
    expect({row["use"] for row in rows} == {"fit", "check"}, "what each is used for", job)
    for line, row in zip(lines, rows):
        expect(row["min_us"] <= row["quartile_1_us"] <= row["median_us"] <= row["quartile_3_us"] <= row["max_us"],
               f"the order of {row}", job)
        for name, at_least in (("p95_us", 20), ("p99_us", 100)):
            expect((row[name] is not None) == (row["samples"] >= at_least), f"{name} of {row}", job)
            expect((line[name] != "") == (row[name] is not None), f"{name} of {line}", job)
        expect(row[name] is None or row["median_us"] <= row["p95_us"] <= row["p99_us"] <= row["max_us"],
               f"the order of percentiles of {row}", job)
        expect(float(line["median_us"]) > 0 and abs(float(line["median_us"]) / row["median_us"] - 1) < 1e-4,
               f"the same median in {line} and {row}", job)
    chosen = [row for row in rows if "chosen_over_better" in row]
    expect(chosen and all(row["chosen_over_better"] >= 0 for row in chosen), "what is chosen", job)
    expect("version = 1\n" in document["profile"], "the profile", job)
    job = run(TUNE, "--quick", "--force", "--json", "-", "--csv", "-")
    expect_refusal(job, "two documents", 2, "only one can go to standard output")
    job = run(TUNE, "--quick", "--force", "--json", os.path.join(directory, "no", "file"))
    expect_refusal(job, "no directory for JSON", 1, "cannot be written: No such file")


def check_refusal(directory):
    """The machine decides whether so short a measurement is good enough; the consequences are fixed."""
    profile = os.path.join(directory, "doubtful")
    job = run(TUNE, "--quick", "--output", profile)
    expect(job[0] in (0, 3), "a status of its own for a refusal", job)
    expect((job[0] == 0) == os.path.exists(profile), "a profile only where it is accepted", job)
    if job[0] == 3:
        for text in ("no profile, because these measurements are not good enough:\n  ", "--seconds 60"):
            expect(text in job[2], f"a refusal says {text!r}", job)
        expect("profile written" not in job[1], "no profile is announced", job)
    # Existing files stay.
    write(profile, "an older profile\n")
    job = run(TUNE, "--quick", "--output", profile)
    with open(profile, encoding="utf-8") as file:
        expect((file.read() == "an older profile\n") == (job[0] == 3), "a refusal replaces nothing", job)


def check_arguments(directory):
    for request, reason in (
        ("put,10,100", "give OP,ROWS,RUN,TARGET"),
        ("put,10,100,0,0", "give OP,ROWS,RUN,TARGET"),
        ("move,10,100,1", '"move" is not put, get or acc'),
        ("put,0,100,1", '"0" is no number of rows'),
        ("put,10,0,1", '"0" is no number of bytes'),
        ("put,10,-8,1", '"-8" is no number of bytes'),
        ("put,9000000000000,9000000000,1", "so many bytes cannot be"),
        ("put,10,100,1", '"1" is no rank of this job'),
        ("put,10,100,-1", '"-1" is no rank'),
    ):
        expect_refusal(run(INFO, "--explain", request, ranks=1), f"--explain {request}", 2, reason)
    expect_success(run(INFO, "--explain", "acc,5,1K,1"), "acc", "acc of 5 blocks of 1024 bytes",
                   "route: server, because only", "us; accumulates never go by rma\n")
    expect_success(run(INFO, "--explain", "get,5,8,0"), "local", "route: local, because")
    for request, reason in (
        ("move,10,100,1", '"move" is not put, get or acc'),
        ("acc,1000,127,1", "the bytes of a block must be a multiple of 8"),
        ("put,100000,1G,1", "at most 128 MiB"),
        ("get,1,134217729,1", "at most 128 MiB"),
    ):
        job = run(INFO, "--learn", request)
        expect_refusal(job, f"--learn {request}", 2, f"armci-info: --learn {request}: ")
        expect_refusal(job, f"--learn {request}", 2, reason)
        expect(job[1] == "", f"--learn {request}: no figures", job)
    expect_success(run(INFO, "--learn", "acc,100,1K,1"), "what is learned", "learned: ")

    expect_refusal(run(TUNE, "--speed", ranks=1), "unknown option", 2, "not expected: --speed")
    for seconds in ("0", "x", "-1", "100000"):
        expect_refusal(run(TUNE, "--seconds", seconds, ranks=1), f"--seconds {seconds}", 2,
                       f"--seconds: cannot use the value '{seconds}'")
    expect_refusal(run(TUNE, "--output", ranks=1), "no file", 2, "--output: 1 required FILE missing")
    expect_refusal(run(TUNE, "--output", os.path.join(directory, "no", "file"), ranks=1), "no directory", 1,
                   "cannot be written: No such file")
    expect_refusal(run(TUNE, ranks=1), "one rank", 1, "all ranks share a node")
    expect_refusal(run(TUNE, ARMCI_NODE_SIZE="0"), "one node", 1, "ARMCI_NODE_SIZE=1")
    expect_success(run(TUNE, "--help", ranks=1), "help", "usage: mpiexec -n 2 armci-tune")


def check_lost_output():
    for redirection, reason in (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"):
        for arguments in ("--version",), ("--help",):
            job = run("sh", "-c", f'exec "$@" {redirection}', "sh", TUNE, *arguments, ranks=1)
            expect_refusal(job, f"{arguments} {redirection}", 1, f"armci-tune: standard output cannot be written: {reason}\n")


def main():
    with tempfile.TemporaryDirectory() as directory:
        check_profiles(directory)
        check_rows(directory)
        check_refusal(directory)
        check_arguments(directory)
        check_lost_output()
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
