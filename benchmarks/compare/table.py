#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes one Markdown table of results of armci-bench (--json) of several libraries.

    table.py --of ours a/ours.*.json --of ComEx a/peer.*.json --of ARMCI-MPI b/peer.*.json

A column for each library, a line for each row that any of them has. The figure is the median over
the runs of the median time in microseconds, and behind it the smallest and largest of these
medians. A column with less runs than --least (default 3) is refused: its range would say nothing.
"""

import argparse
import json
import sys

import ratios


def load(paths):
    documents = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            documents.append(json.load(file))
    return documents


def cell(row):
    if row is None:
        return "-"
    if row.problem:
        return row.problem
    return (f"{ratios.format_time(row.time())} ({ratios.format_time(min(row.medians))}"
            f"-{ratios.format_time(max(row.medians))})")


def make_table(columns):
    """`columns`: a name and the collected rows for each library. Returns the lines."""
    keys = []
    for _, rows in columns:
        keys += [key for key in rows if key not in keys]
    lines = ["| operation | mode | bytes | layout | "
             + " | ".join(name for name, _ in columns) + " |",
             "|---" * (4 + len(columns)) + "|"]
    for key in keys:
        operation, mode, layout, size, _ = key
        cells = [operation, mode, str(size), layout] + [cell(rows.get(key)) for _, rows in columns]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--of", nargs="+", action="append", required=True,
                        metavar=("NAME", "JSON"),
                        help="a column: its name, and a file for each run")
    parser.add_argument("--least", type=int, default=3, metavar="RUNS")
    options = parser.parse_args(arguments)
    columns = []
    for name, *paths in options.of:
        if len(paths) < options.least:
            print(f"table.py: {name} has {len(paths)} runs, less than {options.least}; "
                  "measure more rounds, or lower --least", file=sys.stderr)
            return 1
        columns.append((name, ratios.collect(load(paths))))
    print("\n".join(make_table(columns)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
