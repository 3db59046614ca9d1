#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares results of armci-bench (--json) of two libraries, row by row.

The figure of a row is the median over the runs of the median time per operation; the ratio is ours
divided by the peer's, so that below 1 is faster. Exit status: 1 if one of our own rows gave wrong
results or is missing, 0 otherwise, however the times compare.
"""

import argparse
import json
import statistics
import sys

KEY = ("operation", "mode", "layout", "bytes", "actors")


class Row:
    """One row of the benchmark over all runs of one library."""

    def __init__(self):
        self.medians = []  # microseconds per operation, one entry for each run
        self.minima = []
        self.problem = ""  # status other than ok, in any run

    def add(self, entry):
        if entry["status"] == "ok":
            self.medians.append(entry["median_us"])
            self.minima.append(entry["min_us"])
        else:
            self.problem = entry["status"]

    def time(self):
        return statistics.median(self.medians)


def collect(documents):
    """Gathers the rows of several runs, in the order in which they were measured."""
    rows = {}
    for document in documents:
        for entry in document["rows"]:
            rows.setdefault(tuple(entry[name] for name in KEY), Row()).add(entry)
    return rows


def judge(ours, peer):
    """Says in a few words how two rows compare. It is noise when another round could turn the
    answer round: the runs' medians overlap, or our fastest sample beats the peer's."""
    if ours.time() <= peer.time():
        return ""
    if min(ours.medians) <= max(peer.medians) or min(ours.minima) <= min(peer.minima):
        return "slower, within noise"
    return "SLOWER"


def format_time(microseconds):
    return f"{microseconds:.3f}" if microseconds < 100 else f"{microseconds:.1f}"


def compare(ours_rows, peer_rows):
    """Returns the lines of the table, the lines of slower rows, and whether ours were all right."""
    head = (f"{'operation':19}  {'mode':14}  {'bytes':>9}  {'layout':26}  {'ours us':>9}"
            f"  {'peer us':>9}  {'ratio':>6}  {'of best':>7}")
    lines = [head]
    slower = []
    all_right = True
    for key, ours in ours_rows.items():
        operation, mode, layout, size, _ = key
        line = f"{operation:19}  {mode:14}  {size:9}  {layout:26}"
        peer = peer_rows.get(key)
        if ours.problem:
            all_right = False
            lines.append(f"{line}  ours: {ours.problem}")
        elif peer is None:
            lines.append(f"{line}  {format_time(ours.time()):>9}  peer: no such row")
        elif peer.problem:
            lines.append(f"{line}  {format_time(ours.time()):>9}  peer: {peer.problem}")
        else:
            verdict = judge(ours, peer)
            line += (f"  {format_time(ours.time()):>9}  {format_time(peer.time()):>9}"
                     f"  {ours.time() / peer.time():6.2f}"
                     f"  {min(ours.minima) / min(peer.minima):7.2f}  {verdict}").rstrip()
            lines.append(line)
            if verdict:
                slower.append(line)
    for key in peer_rows:
        if key not in ours_rows:
            all_right = False
            lines.append(f"ours: no row {' '.join(str(part) for part in key[:4])}")
    return lines, slower, all_right


def describe(title, documents):
    machine = documents[0]["machine"]
    text = f"{title}: {machine['library']}, {machine['rank_count']} ranks"
    if machine["node_count"]:
        nodes = "1 node" if machine["node_count"] == 1 else f"{machine['node_count']} nodes"
        text += f" on {nodes}, provider {machine['provider']}"
    settings = [f"{name}={value}" for name, value in machine["environment"].items()
                if name.startswith(("ARMCI_", "FI_"))]
    return ", ".join([text] + settings)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", nargs="+", required=True, metavar="JSON")
    parser.add_argument("--peer", nargs="+", required=True, metavar="JSON")
    options = parser.parse_args(arguments)

    documents = {}
    for name in ("ours", "peer"):
        documents[name] = []
        for path in getattr(options, name):
            with open(path, encoding="utf-8") as file:
                documents[name].append(json.load(file))
    lines, slower, all_right = compare(collect(documents["ours"]), collect(documents["peer"]))

    machine = documents["ours"][0]["machine"]
    print(f"{machine['date']}, {machine['hosts'][0]}, {machine['cpu_count']} x {machine['cpu']}")
    print(describe("ours", documents["ours"]))
    print(describe("peer", documents["peer"]))
    print("times per operation, medians; ratio = ours / peer (below 1: faster); "
          "of best = the same of the fastest samples")
    print()
    print("\n".join(lines))
    print()
    if slower:
        print(f"slower than the peer in {len(slower)} of {len(lines) - 1} rows:")
        print("\n".join(slower))
    else:
        print(f"in none of {len(lines) - 1} rows slower than the peer")
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
