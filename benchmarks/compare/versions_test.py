#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of versions.py."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import versions  # noqa: E402


def bench(time, status="ok", operation="put"):
    return {"rows": [{"operation": operation, "mode": "latency", "layout": "contiguous", "bytes": 8, "actors": 1,
                      "status": status, **({"median_us": time} if status == "ok" else {})}]}


def kernel(time, unit="ns"):
    return {"benchmarks": [{"name": "Copy/8", "run_type": "iteration", "real_time": time, "time_unit": unit},
                           {"name": "Copy/8_mean", "run_type": "aggregate", "real_time": 1e9, "time_unit": "ns"}]}


class VersionsTest(unittest.TestCase):
    def compare(self, base, head, kind="node", *options):
        """Exit status and output for the documents of the rounds of both versions."""
        with tempfile.TemporaryDirectory() as folder:
            for name, documents in (("base", base), ("head", head)):
                os.mkdir(os.path.join(folder, name))
                for number, document in enumerate(documents, 1):
                    with open(os.path.join(folder, name, f"{kind}.{number}.json"), "w", encoding="utf-8") as file:
                        json.dump(document, file)
            output = io.StringIO()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                status = versions.main([os.path.join(folder, "base"), os.path.join(folder, "head"), *options])
            return status, output.getvalue()

    def test_slower_beyond_noise_is_named_and_fails(self):
        status, text = self.compare([bench(10), bench(10.5), bench(9.9)], [bench(12), bench(12.5), bench(11.9)])
        self.assertEqual(status, 1)
        self.assertIn("1 of 1 rows are slower: node: put latency contiguous 8", text)
        row = next(line for line in text.splitlines() if line.startswith("node: put"))
        self.assertEqual(row.split()[-5:], ["10", "12", "1.20", "6%", "SLOWER"])

    def test_one_round_within_the_base_is_noise(self):
        status, text = self.compare([bench(10), bench(12), bench(9.9)], [bench(12), bench(12.5), bench(11.9)])
        self.assertEqual(status, 0)
        self.assertIn("0 of 1 rows are slower", text)

    def test_small_differences_are_not_named(self):
        base, head = [bench(10), bench(10), bench(10.1)], [bench(10.3), bench(10.3), bench(10.4)]
        self.assertEqual(self.compare(base, head)[0], 0)
        self.assertEqual(self.compare(base, head, "node", "--least", "1")[0], 1)

    def test_two_rounds_name_nothing(self):
        status, text = self.compare([bench(10)] * 2, [bench(20)] * 2)
        self.assertEqual(status, 0)
        self.assertIn("2.00", text)
        self.assertNotIn("SLOWER", text)

    def test_faster(self):
        status, text = self.compare([bench(10)] * 3, [bench(5)] * 3)
        self.assertEqual(status, 0)
        self.assertIn("0.50", text)
        self.assertIn("faster", text)

    def test_kernels_have_their_units_and_no_aggregates(self):
        status, text = self.compare([kernel(1000)] * 3, [kernel(2, "us")] * 3, "kernels")
        self.assertEqual(status, 1)
        self.assertIn("1 of 1 rows are slower: kernels: Copy/8", text)

    def test_wrong_data_is_an_error(self):
        status, text = self.compare([bench(1)], [bench(1, status="wrong data")])
        self.assertEqual(status, 2)
        self.assertIn("put latency contiguous 8: wrong data", text)

    def test_a_lost_row_is_an_error_and_a_new_one_is_not(self):
        both = {"rows": bench(1)["rows"] + bench(1, operation="get")["rows"]}
        status, text = self.compare([both], [bench(1)])
        self.assertEqual(status, 2)
        self.assertIn("the head has no row node: get", text)
        status, text = self.compare([bench(1)], [both])
        self.assertEqual(status, 0)
        self.assertIn("only the head has node: get", text)

    def test_nothing_in_common(self):
        self.assertEqual(self.compare([bench(1)], [])[0], 2)


if __name__ == "__main__":
    unittest.main()
