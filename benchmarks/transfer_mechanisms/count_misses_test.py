#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of count_misses.py, with a program in valgrind's place."""

import contextlib
import csv
import io
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import count_misses  # noqa: E402

# Says that the mechanism ran in processes 11 and 12, and leaves what cachegrind would.
VALGRIND = f"""#!{sys.executable}
import sys
pattern = next(word for word in sys.argv if word.startswith("--cachegrind-out-file=")).split("=")[1]
mechanism = sys.argv[sys.argv.index("--only") + 1]
print(mechanism, "source 11 destination 12")
for process, misses in ((11, 40), (12, 0)):
    with open(pattern.replace("%p", str(process)), "w") as file:
        file.write("events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\\n"
                   "fl=working_set.cpp\\nfn=another\\n7 1 2 3 4 5 600 7 8 9\\n"
                   "fn=transfer_mechanisms_read_again\\n"
                   f"20 9 9 9 9 9 {{misses}} 9 9 9\\n21 9 9 9 9 9 2 9 9 9\\nfn=another\\n"
                   "7 1 2 3 4 5 600 7 8 9\\nsummary: 1 1 1 1 1 1000 1 1 1\\n")
"""


class CountMissesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.valgrind = self.write("valgrind", VALGRIND)
        os.chmod(self.valgrind, 0o755)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_program(self, *arguments):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = count_misses.main(["program", "--count", "2", *arguments])
        return status, output.getvalue(), errors.getvalue()

    def test_misses_of_the_one_function_are_counted_for_each_transfer(self):
        status, output, errors = self.run_program("--valgrind", self.valgrind, "--sizes", "64,128")
        self.assertEqual((status, errors), (0, ""))
        line = next(line for line in output.splitlines() if line.startswith("mapped-put"))
        self.assertEqual(line.split(), ["mapped-put", "21.0", "1.0", "21.0", "1.0"])

    def test_columns_are_added_to_cache_rows(self):
        path = self.write("results.csv", "operation,mode,bytes,destination_misses,note\n"
                          "hand-over,cache,0,,\nmapped-put,cache,64,,\nmapped-put,stream,64,,\n"
                          "process-vm-put,cache,64,,\n")
        for _ in range(2):  # the second time they are there already
            status, _, errors = self.run_program("--valgrind", self.valgrind, "--sizes", "64",
                                                 "--csv", path)
            self.assertEqual((status, errors), (0, ""))
            with open(path, newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([row["source_simulated_misses"] for row in rows],
                             ["21.0", "21.0", "", ""])
            self.assertEqual([row["destination_simulated_misses"] for row in rows],
                             ["1.0", "1.0", "", ""])

    def test_errors_name_the_remedy(self):
        status, _, errors = self.run_program("--valgrind", os.path.join(self.folder, "absent"))
        self.assertEqual(status, 1)
        self.assertIn("Debian's package is valgrind", errors)
        failing = self.write("failing", "#!/bin/sh\necho broken >&2\nexit 3\n")
        os.chmod(failing, 0o755)
        status, _, errors = self.run_program("--valgrind", failing)
        self.assertEqual(status, 1)
        self.assertIn("did not run to its end:\nbroken", errors)
        other = self.write("other.csv", "a,b\n1,2\n")
        status, _, errors = self.run_program("--valgrind", self.valgrind, "--csv", other)
        self.assertEqual(status, 1)
        self.assertIn("not a CSV file of transfer_mechanisms", errors)


if __name__ == "__main__":
    unittest.main()
