#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares transfers by the Python package with the same ones by armci-bench, in turn.

benchmarks/python/overhead.py [--rounds N] [--sizes 8,1M] ARMCI_BENCH

Both run as two ranks. Rank 0 puts to, gets from and adds to the memory of rank 1, contiguous
float64, each operation complete at the target before the next starts. The package is found as
`import armci` finds it (PYTHONPATH), and must be built with the same MPI as ARMCI_BENCH. MPIEXEC
starts the jobs ("mpiexec -n" by default). Prints medians of the rounds and what Python adds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

OPERATIONS = ("put", "get", "acc")
SECONDS = 0.4  # for each size and operation
SAMPLES = 40
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec -n").split()


def parse_size(text):
    return (
        int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}[text[-1]] if text[-1] in "KM" else int(text)
    )


def median_us(call):
    """Median of the samples, each of as many calls as take some milliseconds."""
    calls = 1
    while True:
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        took = time.perf_counter() - begin
        if took > SECONDS / SAMPLES:
            break
        calls *= 2
    samples = []
    for _ in range(SAMPLES):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        samples.append((time.perf_counter() - begin) / calls * 1e6)
    return statistics.median(samples)


def rank(sizes):
    """What each rank of the Python job does; rank 0 prints {"put 8": microseconds, ...}."""
    import numpy as np

    import armci

    with armci.init() as job:
        times = {}
        for size in sizes:
            n = size // 8
            with armci.zeros((2, n), blocks=(2, 1)) as array:
                if job.rank == 0:
                    value, out = np.ones(n), np.zeros(n)

                    def put():
                        array[1, :] = value
                        array.fence(1)

                    def get():
                        array.get((1, slice(None)), out=out)

                    def get_new():
                        return array[1, :]

                    def acc():
                        array.accumulate((1, slice(None)), value, 2.0)
                        array.fence(1)

                    for call in (put, get, get_new, acc):
                        times[f"{call.__name__} {size}"] = median_us(call)
                array.sync()
        if job.rank == 0:
            print(json.dumps(times))


def run_python(sizes):
    texts = ",".join(map(str, sizes))
    command = [*MPIEXEC, "2", sys.executable, "-B", __file__, "--rank", "--sizes", texts, "-"]
    job = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(job.stdout)


def run_bench(bench, sizes):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.json")
        command = [*MPIEXEC, "2", bench, "--json", path, "--sizes", ",".join(map(str, sizes))]
        command += ["--ops", "put,get,acc", "--modes", "latency"]
        # As the Python job: memory of NumPy, and a target that waits in the library.
        command += ["--local-memory", "malloc", "--target-wait", "armci"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["rows"]
    return {f"{row['operation']} {row['bytes']}": row["median_us"] for row in rows}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("bench", metavar="ARMCI_BENCH", help="the program armci-bench")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, in turn (5)")
    parser.add_argument("--sizes", default="8,64K,1M", help="bytes (8,64K,1M)")
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [parse_size(text) for text in options.sizes.split(",")]
    if options.rank:
        rank(sizes)
        return
    ours, theirs = [], []
    for _ in range(options.rounds):
        theirs.append(run_bench(options.bench, sizes))
        ours.append(run_python(sizes))
    print(f"{'operation':>18} {'bytes':>9} {'C, us':>9} {'Python, us':>11} {'more':>7}")
    for size in sizes:
        for label, python, c in (
            ("put", "put", "put"),
            ("get into out", "get", "get"),
            ("get, new array", "get_new", "get"),
            ("accumulate", "acc", "acc"),
        ):
            in_c = statistics.median(run[f"{c} {size}"] for run in theirs)
            in_python = statistics.median(run[f"{python} {size}"] for run in ours)
            more = (in_python / in_c - 1) * 100
            print(f"{label:>18} {size:>9} {in_c:>9.3f} {in_python:>11.3f} {more:>6.1f}%")


if __name__ == "__main__":
    main()
