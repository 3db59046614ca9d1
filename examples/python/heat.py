#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The heat equation on a plate whose upper edge is hot, by Jacobi's method, and a picture of it.

mpiexec -n 4 python3 examples/python/heat.py [--size N] [--steps S] [--plot heat.png]

Each rank owns a block, and reads the rows and columns around it by their index, wherever they are.
"""

import argparse
import sys

import numpy as np

import armci

HOT = 100.0


def with_margin(part, n):
    """A block's index with one more cell on each side, where the plate has one."""
    return tuple(slice(max(s.start - 1, 0), min(s.stop + 1, n)) for s in part)


def step(old, new):
    """Each inner cell becomes the mean of its neighbours."""
    n = old.shape[0]
    part = old.distribution()
    if new.local.size == 0:
        return
    outer = with_margin(part, n)
    cells = old[outer]
    inner = tuple(slice(max(s.start, 1), min(s.stop, n - 1)) for s in part)
    rows, columns = (slice(i.start - o.start, i.stop - o.start) for i, o in zip(inner, outer))
    mean = (
        cells[rows.start - 1 : rows.stop - 1, columns]
        + cells[rows.start + 1 : rows.stop + 1, columns]
        + cells[rows, columns.start - 1 : columns.stop - 1]
        + cells[rows, columns.start + 1 : columns.stop + 1]
    ) / 4
    own = tuple(slice(i.start - s.start, i.stop - s.start) for i, s in zip(inner, part))
    new.local[own] = mean


def solve(n, steps):
    """The plate after so many steps; collective."""
    old, new = armci.zeros((n, n)), armci.zeros((n, n))
    if armci.rank() == 0:
        old[0] = HOT
        new[0] = HOT
    old.sync()
    for _ in range(steps):
        step(old, new)
        new.sync()
        old, new = new, old
    new.free()
    return old


def reference(n, steps):
    """The same with one NumPy array."""
    cells = np.zeros((n, n))
    cells[0] = HOT
    for _ in range(steps):
        cells[1:-1, 1:-1] = (
            cells[:-2, 1:-1] + cells[2:, 1:-1] + cells[1:-1, :-2] + cells[1:-1, 2:]
        ) / 4
    return cells


def plot(cells, blocks, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 5), layout="constrained")
    image = axes.imshow(cells, cmap="inferno", vmin=0, vmax=HOT)
    levels = [1, 5, 10, 25, 50, 75]
    lines = axes.contour(cells, levels=levels, colors="white", linewidths=0.6)
    middle = cells.shape[1] // 2  # labels stand where a line crosses this column, and not at the edge
    axes.clabel(
        lines, fontsize=7, manual=[(middle, np.argmax(cells[:, middle] < level)) for level in levels]
    )
    for block in blocks:
        rows, columns = block
        axes.plot(
            [columns.start - 0.5, columns.stop - 0.5, columns.stop - 0.5],
            [rows.stop - 0.5, rows.stop - 0.5, rows.start - 0.5],
            color="deepskyblue",
            linewidth=1,
            clip_on=True,
        )
    axes.set(
        title=f"Temperature; the blocks of {len(blocks)} ranks in blue",
        xlabel="column",
        ylabel="row",
    )
    axes.set_xlim(-0.5, cells.shape[1] - 0.5)
    axes.set_ylim(cells.shape[0] - 0.5, -0.5)
    figure.colorbar(image, label="degrees")
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--size", type=int, default=120, help="cells on each side of the plate (120)"
    )
    parser.add_argument("--steps", type=int, default=1000, help="(1000)")
    parser.add_argument("--plot", metavar="FILE", help="picture to write, by matplotlib")
    options = parser.parse_args()
    with armci.init() as job:
        plate = solve(options.size, options.steps)
        status = 0
        if job.rank == 0:
            cells = plate.get()
            status = int(not np.allclose(cells, reference(options.size, options.steps)))
            print(f"{options.steps} steps on {job.size} ranks: " + ("wrong" if status else "right"))
            if options.plot:
                plot(cells, [plate.distribution(rank) for rank in range(job.size)], options.plot)
        plate.sync()
        plate.free()
    return status


if __name__ == "__main__":
    sys.exit(main())
