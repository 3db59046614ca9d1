#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tasks of unequal length, which ranks take from a shared counter when they are free.

mpiexec -n 4 python3 examples/python/task_counter.py [--tasks N]

Counts the primes below N * 1000, a thousand numbers at a time. The result is added up where it is
needed by accumulate, without a reduction of MPI.
"""

import argparse
import sys

import numpy as np

import armci

CHUNK = 1000


def count_primes(first, last):
    """How many primes there are from first to last - 1."""
    is_prime = np.ones(last - first, bool)
    is_prime[: max(2 - first, 0)] = False
    for factor in range(2, int(last**0.5) + 1):
        is_prime[max(factor * factor, -(-first // factor) * factor) - first :: factor] = False
    return int(is_prime.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tasks", type=int, default=200, help="thousands of numbers (200)")
    tasks = parser.parse_args().tasks
    with armci.init() as job, armci.zeros(1, np.int64) as counter, armci.zeros(
        job.size + 1, np.int64
    ) as result:
        while (task := counter.fetch_add(0)) < tasks:
            found = count_primes(task * CHUNK, (task + 1) * CHUNK)
            result.accumulate(0, found)
            result.accumulate(job.rank + 1, 1)
        result.sync()
        primes, *taken = result.get().tolist()
        status = int(primes != count_primes(0, tasks * CHUNK) or sum(taken) != tasks)
        if job.rank == 0:
            print(
                f"{primes} primes below {tasks * CHUNK}; tasks by rank: {taken}: "
                + ("wrong" if status else "right")
            )
        result.sync()
    return status


if __name__ == "__main__":
    sys.exit(main())
