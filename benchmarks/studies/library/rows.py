# SPDX-License-Identifier: BSD-3-Clause
"""Rows of results: making them of what armci-bench measured, and choosing among them."""

from library.numbers import bandwidth, summary
from library.study import Line


def bandwidth_row(measured, **setting):
    """A row of several runs of one row of armci-bench: its bandwidth in MB/s."""
    first = measured[0]
    values = [value for row in measured for value in row["values_us"]]
    return {**setting, "operation": first["operation"], "mode": first["mode"], "bytes": first["bytes"],
            "block_bytes": first["run_bytes"], "dims": first["dims"], "route": first.get("route", ""),
            "unit": "MB/s", **bandwidth(first["bytes"], values)}


def time_row(measured, **setting):
    """The same with its time in microseconds."""
    first = measured[0]
    values = [value for row in measured for value in row["values_us"]]
    return {**setting, "operation": first["operation"], "mode": first["mode"], "bytes": first["bytes"],
            "block_bytes": first["run_bytes"], "dims": first["dims"], "route": first.get("route", ""),
            "unit": "us", **summary(values)}


def join(runs, make, **setting):
    """Rows of several runs of armci-bench with the same options, row by row."""
    return [make([run[index] for run in runs], **setting) for index in range(len(runs[0]))]


def select(rows, **wanted):
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def median_of(rows, **wanted):
    """The median of the one row that is like this, or None."""
    found = select(rows, **wanted)
    return found[0]["median"] if found else None


def line(label, rows, x):
    return Line(label, [(row[x], row["median"], row["quartile_1"], row["quartile_3"]) for row in rows])


def lines_by(rows, name, x, label=str):
    """A line for each value that the rows have under that name."""
    values = list(dict.fromkeys(row[name] for row in rows))
    return [line(label(value), select(rows, **{name: value}), x) for value in values]


def best(rows):
    return max(rows, key=lambda row: row["median"])
