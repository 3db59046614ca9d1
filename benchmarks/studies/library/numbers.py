# SPDX-License-Identifier: BSD-3-Clause
"""Medians, quartiles, and figures as text."""

import statistics


def quartiles(values):
    """The first quartile, the median and the third quartile of at least one value."""
    ordered = sorted(values)
    if len(ordered) == 1:
        return ordered[0], ordered[0], ordered[0]
    return tuple(statistics.quantiles(ordered, n=4, method="inclusive"))


def summary(values):
    """What a row says about its samples."""
    first, median, third = quartiles(values)
    return {"median": median, "quartile_1": first, "quartile_3": third, "samples": len(values)}


def bandwidth(byte_count, times_us):
    """The summary of the MB/s of a transfer, from its times."""
    return summary([byte_count / us for us in times_us])


def text_of(number):
    """Three digits: 0.0123, 1.23, 12.3, 1230."""
    if number is None:
        return "-"
    if number == 0 or abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.3g}"


def bytes_text(count):
    """8, 1 KiB, 256 KiB, 8 MiB."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count:g} B"


def percent(ratio):
    """1.25 as +25 %."""
    return f"{100 * (ratio - 1):+.0f} %"
