#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""C = A * B on distributed matrices. Ranks take tiles of C from a counter: none waits for another.

mpiexec -n 4 python3 examples/python/matrix_product.py [--size N] [--tile T]
"""

import argparse
import sys

import numpy as np

import armci


def multiply(a, b, c, tile):
    """Computes C by tasks: each a row of tiles times a column. Returns how many the caller did."""
    n = c.shape[0]
    per_side = -(-n // tile)
    done = 0
    with armci.zeros(1, np.int64) as counter:
        while (task := counter.fetch_add(0)) < per_side**2:
            rows = slice(task // per_side * tile, (task // per_side + 1) * tile)
            columns = slice(task % per_side * tile, (task % per_side + 1) * tile)
            # Both are on their way at the same time.
            left, right = a.get_async((rows, ...)), b.get_async((..., columns))
            c[rows, columns] = left.result() @ right.result()
            done += 1
        c.sync()
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", type=int, default=600, help="rows and columns (600)")
    parser.add_argument("--tile", type=int, default=100, help="rows and columns of a tile (100)")
    options = parser.parse_args()
    n = options.size
    with armci.init() as job:
        with armci.Array((n, n)) as a, armci.Array((n, n)) as b, armci.zeros((n, n)) as c:
            # Each rank makes its own blocks: a[i, j] = i - j, and b is diagonal.
            rows, columns = a.distribution()
            a.local[...] = np.arange(rows.start, rows.stop)[:, None] - np.arange(
                columns.start, columns.stop
            )
            b.local[...] = np.eye(n)[b.distribution()] * 2
            a.sync()
            done = multiply(a, b, c, options.tile)
            is_right = np.array_equal(c.local, 2 * a.local)
            with armci.zeros(2, np.int64) as totals:
                totals.accumulate(..., [done, not is_right])
                totals.sync()
                tasks, wrong = totals.get()
        if job.rank == 0:
            print(f"{tasks} tasks on {job.size} ranks: " + ("wrong" if wrong else "right"))
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
