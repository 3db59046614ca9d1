#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of ratios.py."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import ratios  # noqa: E402
import table  # noqa: E402


def entry(time, status="ok", operation="put"):
    row = {"operation": operation, "mode": "latency", "layout": "contiguous", "bytes": 8,
           "actors": 1, "status": status}
    if status == "ok":
        row.update({"median_us": time, "min_us": time / 2})
    return row


def rows(times, **details):
    return ratios.collect([{"rows": [entry(time, **details)]} for time in times])


class RatiosTest(unittest.TestCase):
    def compare(self, ours, peer):
        lines, slower, all_right = ratios.compare(ours, peer)
        return lines[1:], slower, all_right

    def test_row_is_the_median_of_the_runs(self):
        (row,) = rows([5.0, 1.0, 3.0]).values()
        self.assertEqual(row.time(), 3.0)

    def test_faster_row_is_not_marked(self):
        lines, slower, all_right = self.compare(rows([1.0, 1.0]), rows([2.0, 2.0]))
        self.assertEqual(lines[0].split()[-2:], ["0.50", "0.50"])
        self.assertEqual(slower, [])
        self.assertTrue(all_right)

    def test_slower_row_is_marked_and_no_failure(self):
        lines, slower, all_right = self.compare(rows([3.0, 3.1]), rows([2.0, 2.1]))
        self.assertTrue(lines[0].endswith("SLOWER"), lines[0])
        self.assertEqual(slower, lines)
        self.assertTrue(all_right)

    def test_overlapping_ranges_are_called_noise(self):
        lines, slower, _ = self.compare(rows([1.9, 3.0, 3.1]), rows([2.0, 2.1, 2.2]))
        self.assertTrue(lines[0].endswith("slower, within noise"), lines[0])
        self.assertEqual(len(slower), 1)

    def test_fastest_sample_ahead_is_called_noise(self):
        ours = ratios.collect([{"rows": [dict(entry(3.0), min_us=0.9)]}])
        lines, slower, _ = self.compare(ours, rows([2.0]))
        self.assertTrue(lines[0].endswith("slower, within noise"), lines[0])
        self.assertEqual(len(slower), 1)

    def test_modes_and_figures_of_overlap_rows_do_not_mix(self):
        def overlap_rows(factor):
            origin = dict(entry(4.0 * factor, operation="overlap-put"), mode="origin",
                          transfer_us=2.0, compute_us=2.0, hidden=0.5, compute_slowdown=1.0)
            target = dict(entry(3.0 * factor, operation="overlap-put"), mode="target",
                          transfer_us=2.0, compute_slowdown=1.0, transfer_slowdown=1.5)
            return ratios.collect([{"rows": [origin, target]}])
        lines, slower, all_right = self.compare(overlap_rows(1), overlap_rows(2))
        self.assertEqual([line.split()[1] for line in lines], ["origin", "target"])
        self.assertEqual([line.split()[-2] for line in lines], ["0.50", "0.50"])
        self.assertEqual(slower, [])
        self.assertTrue(all_right)

    def test_wrong_row_of_ours_fails(self):
        lines, _, all_right = self.compare(rows([1.0], status="wrong"), rows([1.0]))
        self.assertIn("ours: wrong", lines[0])
        self.assertFalse(all_right)

    def test_one_wrong_run_spoils_the_row(self):
        ours = ratios.collect([{"rows": [entry(1.0)]}, {"rows": [entry(0, status="wrong")]}])
        self.assertFalse(self.compare(ours, rows([1.0]))[2])

    def test_failing_peer_is_shown_and_no_failure(self):
        lines, slower, all_right = self.compare(rows([1.0]), rows([1.0], status="stalled"))
        self.assertIn("peer: stalled", lines[0])
        self.assertEqual(slower, [])
        self.assertTrue(all_right)

    def test_missing_rows(self):
        lines, _, all_right = self.compare(rows([1.0]), rows([1.0], operation="get"))
        self.assertIn("peer: no such row", lines[0])
        self.assertIn("ours: no row get", lines[1])
        self.assertFalse(all_right)

    def test_exit_status_from_files(self):
        machine = {"date": "now", "hosts": ["here"], "cpu": "some", "cpu_count": 2,
                   "library": "some ARMCI", "rank_count": 2, "node_count": 1, "provider": "none",
                   "environment": {"ARMCI_ROUTE": "rma"}}
        with tempfile.TemporaryDirectory() as folder:
            paths = {}
            for name, row in (("fast", entry(1.0)), ("slow", entry(2.0)),
                              ("wrong", entry(0, status="wrong"))):
                paths[name] = os.path.join(folder, name)
                with open(paths[name], "w", encoding="utf-8") as file:
                    json.dump({"machine": machine, "rows": [row]}, file)
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                self.assertEqual(ratios.main(["--ours", paths["slow"], "--peer", paths["fast"]]), 0)
                self.assertEqual(ratios.main(["--ours", paths["wrong"], "--peer", paths["fast"]]),
                                 1)
            self.assertIn("slower than the peer in 1 of 1 rows", output.getvalue())
            self.assertIn("ARMCI_ROUTE=rma", output.getvalue())


class TableTest(unittest.TestCase):
    def test_cells_are_medians_with_their_ranges(self):
        lines = table.make_table([("ours", rows([0.25, 0.5, 0.375])),
                                  ("other", rows([2.0, 1.0, 3.0]))])
        self.assertEqual(lines[0].split(" | ")[4:], ["ours", "other |"])
        self.assertEqual(lines[2], "| put | latency | 8 | contiguous | 0.375 (0.250-0.500)"
                                   " | 2.000 (1.000-3.000) |")

    def test_missing_and_wrong_rows_are_shown(self):
        lines = table.make_table([("ours", rows([1.0], status="wrong")),
                                  ("other", rows([1.0], operation="get"))])
        self.assertTrue(lines[2].endswith("| wrong | - |"), lines[2])
        self.assertIn("| get |", lines[3])

    def test_too_few_runs_are_refused(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(table.main(["--of", "ours", "one.json"]), 1)
        self.assertIn("ours has 1 runs", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
