# SPDX-License-Identifier: BSD-3-Clause
"""What a study is: parts that measure, and sections that say what was found."""

from dataclasses import dataclass, field
from typing import Callable


class NotAvailable(Exception):
    """This machine does not have what a part needs. The text says what that is."""


@dataclass
class Part:
    """Measures one thing. `measure(context)` returns rows: dictionaries with equal keys."""

    name: str
    what: str  # in a few words, for who waits
    # Expected time by extent: "smoke", "quick", "full". An extent that is not there leaves it out.
    seconds: dict
    measure: Callable


@dataclass
class Line:
    """Points of a figure: (x, median, first quartile, third quartile)."""

    label: str
    points: list


@dataclass
class Figure:
    name: str  # of its files, without an ending
    title: str
    x: str
    y: str
    lines: list
    x_is_bytes: bool = False
    x_scale: str = "log2"  # or "linear"
    y_scale: str = "linear"  # or "log"
    marks: list = field(default_factory=list)  # (x, label): vertical lines


@dataclass
class Table:
    title: str
    columns: list
    rows: list  # of texts


@dataclass
class Section:
    """One question. The texts are sentences; numbers in them come from the results. An empty text is
    left out."""

    title: str
    paper: str = ""  # what the paper found
    here: str = ""  # what was found here
    why: str = ""  # why they differ, or do not
    figures: list = field(default_factory=list)
    tables: list = field(default_factory=list)


@dataclass
class Study:
    """`sections(results)` gets the rows of each part by the part's name, without those that were not
    measured, and returns what can be said with these."""

    name: str
    title: str
    source: str  # the paper, or nothing
    parts: list
    sections: Callable
    page: str = "studies"  # of docs/, on which it is reported
    digest: Callable = None  # gets results, too, and returns the table of README.md, or None
