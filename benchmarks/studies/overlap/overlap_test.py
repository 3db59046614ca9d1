#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of overlap.py, with a program in mpiexec's place."""

import contextlib
import csv
import io
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import overlap  # noqa: E402

# Prints what the programs would, and leaves what cachegrind would: more misses with a transfer.
MPIEXEC = f"""#!{sys.executable}
import os, sys
if "--ops" in sys.argv:
    engine = os.environ.get("ARMCI_COPY_ENGINE", "none")
    print("operation,mode,bytes,hidden,compute_slowdown")
    print("overlap-put,origin,1024," + ("0.9" if engine == "thread" else "0.1") + ",1.05")
    print("overlap-put,target,1024,,1.2")
    sys.exit(0)
operation, size, rounds = sys.argv[-4:-1]
between_nodes = os.environ.get("ARMCI_NODE_SIZE") == "1"
for word in sys.argv:
    if word.startswith("--cachegrind-out-file="):
        with open(word.split("=")[1].replace("%p", "7"), "w") as file:
            file.write("events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\\n"
                       "fn=another\\n1 9 9 9 9 9 99 9 9 99\\nfn=computing_target_compute\\n"
                       f"2 9 9 9 9 9 {{40 if between_nodes and size != '0' else 8}} 9 9 4\\n"
                       "fn=another\\n"
                       "3 9 9 9 9 9 99 9 9 99\\n")
helps = os.environ.get("ARMCI_PROGRESS_THREAD") != "0"
misses = -1 if os.environ["COUNTER"].startswith("not") else 5
print(f"target 7 alone_us 100.0 during_us {{150 if helps else 100}}.0 round_us 300.0 "
      f"misses_alone {{misses}} misses_during {{misses}} {{os.environ['COUNTER']}}")
"""


class OverlapTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.mpiexec = os.path.join(self.folder, "mpiexec")
        with open(self.mpiexec, "w", encoding="utf-8") as file:
            file.write(MPIEXEC)
        os.chmod(self.mpiexec, 0o755)

    def run_study(self, counter, *arguments):
        output, errors = io.StringIO(), io.StringIO()
        os.environ["COUNTER"] = counter
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = overlap.main(["--quick", "--out", self.folder, "--mpiexec", self.mpiexec,
                                   *arguments])
        return status, output.getvalue(), errors.getvalue()

    def rows(self, name):
        with open(os.path.join(self.folder, name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_every_place_engine_and_helper_has_rows(self):
        status, output, errors = self.run_study("misses by perf_event_open")
        self.assertEqual(status, 0, errors)
        rows = self.rows("overlap.csv")
        self.assertEqual([(row["place"], row["engine"], row["mode"]) for row in rows],
                         [(place, engine, mode) for place in ("node", "network")
                          for engine in ("none", "thread") for mode in ("origin", "target")])
        self.assertEqual([row["hidden"] for row in rows if row["mode"] == "origin"],
                         ["0.1", "0.9", "0.1", "0.9"])
        rows = self.rows("target.csv")
        self.assertEqual([(row["helper"], row["operation"], row["slowdown"]) for row in rows],
                         [(helper, operation, "1.000" if helper == "nobody" else "1.500")
                          for helper in ("nobody", "thread", "engine")
                          for operation in ("put", "get", "acc")])
        self.assertEqual(rows[0]["misses_during"], "5")
        self.assertIn("computing x 1.500", output)

    def test_writes_only_what_is_asked_for(self):
        status, output, errors = self.run_study("misses by perf_event_open", "--only", "target",
                                                "--operations", "get,put", "--sizes", "8K,1M")
        self.assertEqual(status, 0, errors)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "overlap.csv")))
        self.assertNotIn("hides", output)
        self.assertEqual([(row["operation"], row["bytes"]) for row in self.rows("target.csv")],
                         [("get", "8192"), ("get", "1048576"), ("put", "8192"), ("put", "1048576")] * 3)
        status, output, errors = self.run_study("", "--only", "overlap")
        self.assertEqual(status, 0, errors)
        self.assertEqual(len(self.rows("overlap.csv")), 8)
        self.assertNotIn("target that computes", output)

    def test_says_why_there_are_no_misses(self):
        status, output, errors = self.run_study("not available: perf_event_open: no counters")
        self.assertEqual(status, 0, errors)
        row = self.rows("target.csv")[0]
        self.assertEqual((row["misses_alone"], row["misses_during"]), ("", ""))
        self.assertIn("no counters", row["counter"])
        self.assertIn("no counters", output)

    def test_counts_misses_in_the_simulator_where_there_are_no_counters(self):
        status, _, errors = self.run_study("not available: perf_event_open: no counters",
                                           "--simulate")
        self.assertEqual(status, 0, errors)
        row = self.rows("target.csv")[0]
        self.assertEqual((row["misses_alone"], row["misses_during"]), ("3", "11"))
        self.assertIn("cachegrind", row["counter"])

    def test_a_program_that_fails_is_reported(self):
        status, _, errors = self.run_study("", "--mpiexec", "false")
        self.assertEqual(status, 1)
        self.assertIn("ended with 1", errors)


if __name__ == "__main__":
    unittest.main()
