# SPDX-License-Identifier: BSD-3-Clause
"""What each figure shows, and its lines."""

import statistics

from armci_plot.rows import DISTINCTIONS, describe, differing, number, optional_number


class Figure:
    """What one kind of figure shows."""

    def __init__(self, title, x, x_title, y_title, value, without, log_y, wanted):
        self.title = title
        self.x = x  # column
        self.x_title = x_title
        self.y_title = y_title
        self.value = value  # a row's figure with its quartiles, which may be None
        self.without = without  # the distinction that the x axis stands for
        self.log_y = log_y  # None: where the figures differ much
        self.wanted = wanted  # whether a row belongs here


def time_of(row):
    return number(row, "median_us"), optional_number(row, "quartile_1_us"), optional_number(row, "quartile_3_us")


def bandwidth_of(row):
    median, lower, upper = time_of(row)
    bandwidth = number(row, "mbytes_per_s")
    return bandwidth, upper and bandwidth * median / upper, lower and bandwidth * median / lower


def hidden_of(row):
    return number(row, "hidden"), None, None


def ratio_of(row):
    """How many times faster it is than the row of the last file; the widest range of the quartiles."""
    median, lower, upper = time_of(row)
    base_median, base_lower, base_upper = time_of(row["base"])
    known = lower and upper and base_lower and base_upper
    return base_median / median, known and base_lower / upper, known and base_upper / lower


def has_bandwidth(row):
    return number(row, "mbytes_per_s") > 0


FIGURES = {
    "latency-size": Figure("time over size", "bytes", "bytes of a transfer", "time of one operation, \u00b5s",
                           time_of, "size", True,
                           lambda row: row["mode"].startswith("latency") and has_bandwidth(row)),
    "bandwidth-size": Figure("bandwidth over size", "bytes", "bytes of a transfer", "bandwidth, MB/s",
                             bandwidth_of, "size", None, has_bandwidth),
    "bandwidth-run": Figure("bandwidth over block length", "run_bytes", "bytes of a contiguous block",
                            "bandwidth, MB/s", bandwidth_of, "run", None,
                            lambda row: has_bandwidth(row) and row["layout"] != "contiguous"),
    # Files of older programs do not have the column.
    "hidden-size": Figure("hidden part over size", "bytes", "bytes of a transfer",
                          "part of transfer or computation that costs no time", hidden_of, "size", False,
                          lambda row: bool(row.get("hidden"))),
}
# Not lines over an axis: each row's values beside each other, times of rows that move no data, and
# files compared with the last one.
DISTRIBUTION, TIMES, RATIO = "distribution", "times", "ratio-size"
NAMES = (*FIGURES, RATIO, TIMES, DISTRIBUTION)


def ratio_figure(files):
    first = files[0] if len(files) == 2 else "a file"
    return Figure(f"compared with {files[-1]}", "bytes", "bytes of a transfer",
                  f"rate of {first} / rate of {files[-1]} (above 1: {first} is faster)", ratio_of, "size", True,
                  has_bandwidth)


def pair_rows(rows, files):
    """Rows of all files but the last, each with its base: the row of the last file that measures the same."""
    def key(row):
        words = describe(row)
        return tuple(words.get(name) for name in DISTINCTIONS if name != "file") + (row["layout"], row["bytes"])
    bases = {key(row): row for row in rows if row["file"] == files[-1]}
    return [dict(row, base=bases[key(row)]) for row in rows if row["file"] != files[-1] and key(row) in bases]


class Line:
    def __init__(self, words):
        self.words = words
        self.points = []  # x, y, and the quartiles or None


def make_lines(rows, figure):
    """One for each set of distinctions, in the order of the rows; points that coincide become their median."""
    values = {}
    segments = {row["run_count"] for row in rows if row["layout"].startswith("vector")}
    for row in rows:
        words = describe(row, figure.without)
        if figure.without == "size" and len(segments) == 1 and row["layout"].startswith("vector"):
            words["run"] = f"{row['run_count']} segments"  # so that the length of segments makes the size
        line = values.setdefault(tuple(words.items()), {})
        line.setdefault(number(row, figure.x), []).append(figure.value(row))
    lines = []
    for words, points in values.items():
        line = Line(dict(words))
        for x, measured in sorted(points.items()):
            columns = [[value for value in column if value is not None] for column in zip(*measured)]
            line.points.append((x, *(statistics.median(column) if column else None for column in columns)))
        lines.append(line)
    return lines
