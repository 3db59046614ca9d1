#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two versions of the library, row by row. scripts/compare-benchmarks.sh calls it.

    versions.py BASE_FOLDER HEAD_FOLDER

Each folder has one file for each round and kind of run: NAME.ROUND.json, by armci-bench (--json) or by a
program made with Google Benchmark. The figure of a row is the median over the rounds; the ratio is the
head's time divided by the base's, so that above 1 the head is slower. The noise of a row is how far its
rounds lie apart in either version, as a part of the median. A row is called slower or faster if the
medians differ by more than --least percent, and no round of one version reaches any round of the other.
Fewer than three rounds name no row, because chance alone would separate them.

Exit status: 0 if no row is slower, 1 if one is, 2 if rows are wrong or missing.
"""

import argparse
import glob
import json
import os
import statistics
import sys

KEY = ("operation", "mode", "layout", "bytes", "actors")
LEAST_ROUNDS = 3


class Broken(Exception):
    """A row that has no time."""


def rows_of(document):
    """(name, microseconds) of each row of one run."""
    if "benchmarks" in document:
        for entry in document["benchmarks"]:
            if entry.get("run_type", "iteration") != "iteration":
                continue
            if entry.get("error_occurred"):
                raise Broken(f"{entry['name']}: {entry.get('error_message', 'failed')}")
            yield entry["name"], entry["real_time"] / {"ns": 1000, "us": 1, "ms": 1e-3, "s": 1e-6}[entry["time_unit"]]
        return
    for entry in document["rows"]:
        name = " ".join(str(entry[part]) for part in KEY[:4])
        if entry["status"] != "ok":
            raise Broken(f"{name}: {entry['status']}")
        yield name, entry["median_us"]


def collect(folder):
    """{row: [microseconds, one for each round]} of the files of a folder."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        kind = os.path.basename(path).split(".")[0]
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        try:
            for name, microseconds in rows_of(document):
                found.setdefault(f"{kind}: {name}", []).append(microseconds)
        except Broken as broken:
            raise Broken(f"{path}: {broken}") from None
    return found


def noise(times):
    return (max(times) - min(times)) / statistics.median(times)


def judge(base, head, least):
    if min(len(base), len(head)) < LEAST_ROUNDS:
        return ""
    ratio = statistics.median(head) / statistics.median(base)
    if ratio > 1 + least and min(head) > max(base):
        return "SLOWER"
    if ratio < 1 / (1 + least) and max(head) < min(base):
        return "faster"
    return ""


def compare(base, head, least):
    """The lines of the table, and the names of slower rows."""
    width = max(len(name) for name in base)
    lines = [f"{'row':{width}}  {'base us':>10}  {'head us':>10}  {'ratio':>6}  {'noise':>6}"]
    slower = []
    for name, base_times in base.items():
        head_times = head[name]
        verdict = judge(base_times, head_times, least)
        lines.append(f"{name:{width}}  {statistics.median(base_times):10.4g}  {statistics.median(head_times):10.4g}"
                     f"  {statistics.median(head_times) / statistics.median(base_times):6.2f}"
                     f"  {100 * max(noise(base_times), noise(head_times)):5.0f}%  {verdict}".rstrip())
        if verdict == "SLOWER":
            slower.append(name)
    return lines, slower


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", help="folder of the base's results")
    parser.add_argument("head", help="folder of the head's results")
    parser.add_argument("--least", type=float, default=5, metavar="PERCENT",
                        help="smaller differences are not named (default 5)")
    options = parser.parse_args(arguments)
    try:
        base, head = collect(options.base), collect(options.head)
    except Broken as broken:
        print(f"versions.py: {broken}", file=sys.stderr)
        return 2
    # Rows that only one version has cannot be compared. A row that the head has lost is an error.
    lost = [name for name in base if name not in head]
    for name in lost:
        print(f"versions.py: the head has no row {name}", file=sys.stderr)
    for name in head:
        if name not in base:
            print(f"only the head has {name}")
    base = {name: times for name, times in base.items() if name in head}
    if not base:
        print("versions.py: no row is in both folders", file=sys.stderr)
        return 2
    lines, slower = compare(base, head, options.least / 100)
    print("\n".join(lines))
    print()
    print(f"{len(slower)} of {len(base)} rows are slower" + (": " + "; ".join(slower) if slower else ""))
    return 2 if lost else 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
