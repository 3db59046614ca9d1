#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of armci-plot. Exit status 77: matplotlib is missing, so that it could not be tested."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "armci-plot")
FIXTURE = os.path.join(HERE, "fixture.csv")
SYSTEM_PYTHON = "/usr/bin/python3"  # the one that Debian's packages are for
SKIPPED = 77


def load_program():
    loader = importlib.machinery.SourceFileLoader("armci_plot", PROGRAM)
    spec = importlib.util.spec_from_loader("armci_plot", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


armci_plot = load_program()


class ArmciPlotTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, *arguments):
        """Returns exit status, standard output, standard error."""
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = armci_plot.main(list(arguments))
            except SystemExit as end:
                status = end.code
        return status, output.getvalue(), errors.getvalue()

    def draw(self, *arguments):
        """Draws, and returns the text of the SVG."""
        base = self.path("figure")
        status, output, errors = self.run_program(*arguments, "--output", base)
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(output.split(), [base + ".png", base + ".svg"])
        with open(base + ".png", "rb") as file:
            content = file.read()
        self.assertEqual(content[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(content), 5000)
        with open(base + ".svg", encoding="utf-8") as file:
            return file.read()

    def assert_fails(self, expected, *arguments):
        status, _, errors = self.run_program(*arguments, "--output", self.path("none"))
        self.assertNotEqual(status, 0)
        self.assertIn(expected, errors)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("none")], [])

    # -- Figures --

    def test_bandwidth_over_run_length(self):
        svg = self.draw("bandwidth-run", FIXTURE, "--where", "operation=put-strided")
        self.assertIn(">stream<", svg)
        self.assertIn(">stream-serial<", svg)
        self.assertIn("bytes of a contiguous block", svg)
        self.assertIn("bandwidth, MB/s", svg)

    def test_latency_over_size_of_two_files(self):
        svg = self.draw("latency-size", f"before={FIXTURE}", f"after={FIXTURE}",
                        "--where", "operation=put", "--title", "Small puts")
        self.assertIn(">before<", svg)
        self.assertIn(">after<", svg)
        self.assertIn(">Small puts<", svg)

    def test_bandwidth_over_size(self):
        svg = self.draw("bandwidth-size", FIXTURE, "--where", "operation=put,raw-put",
                        "--where", "mode=stream", "--y", "log")
        self.assertIn(">put<", svg)
        self.assertIn(">raw-put<", svg)

    def test_hidden_part_over_size(self):
        path = self.path("overlap.csv")
        with open(FIXTURE, encoding="utf-8") as file:
            header = file.readline().strip()
        added = ",transfer_us,compute_us,hidden,compute_slowdown,transfer_slowdown\n"
        rows = []
        for size, hidden in ((4096, "0.25"), (65536, "0.75")):
            start = f'overlap-put,%s,{size},"contiguous",{size},1,1,,,1,rma,ok,15,500,21,20,30,0.04,'
            rows.append(start % "origin" + f"0,46511,12.5,12.4,{hidden},1.02,\n")
            rows.append(start % "target" + "195,46511,20.1,,,1.13,1.05\n")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines([header + added] + rows)
        svg = self.draw("hidden-size", path)
        self.assertIn("part of transfer or computation that costs no time", svg)
        figure = armci_plot.FIGURES["hidden-size"]
        rows = [row for row in armci_plot.read_rows(path, "overlap") if figure.wanted(row)]
        self.assertEqual(armci_plot.make_series(rows, figure),
                         {"overlap-put origin": [(4096, 0.25), (65536, 0.75)]})
        # The transfers into a target that computes have a bandwidth, the origin's have none.
        figure = armci_plot.FIGURES["bandwidth-size"]
        rows = [row for row in armci_plot.read_rows(path, "overlap") if figure.wanted(row)]
        self.assertEqual(armci_plot.make_series(rows, figure),
                         {"overlap-put target": [(4096, 195), (65536, 195)]})
        self.assert_fails("none of the rows belongs", "hidden-size", FIXTURE)

    def canvas_of(self, line_count):
        series = {f"put-strided window blocks of {line} by 2 ranks": [(8, 1), (16, line + 1)]
                  for line in range(line_count)}
        canvas = armci_plot.draw(series, armci_plot.FIGURES["bandwidth-run"], "title", False)
        armci_plot.load_matplotlib()
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        FigureCanvasAgg(canvas).draw()
        return canvas

    def test_legend_leaves_the_axes_their_room(self):
        for line_count in (1, 6, 7, 24, 40, 41, 100):
            with self.subTest(line_count=line_count):
                canvas = self.canvas_of(line_count)
                axes = canvas.axes[0]
                legend = axes.get_legend().get_window_extent()
                inside = axes.get_window_extent()
                self.assertGreaterEqual(inside.width, 6.5 * canvas.dpi)
                self.assertGreaterEqual(inside.height, 4 * canvas.dpi)
                self.assertGreaterEqual(legend.y0, 0)
                self.assertLessEqual(legend.y1, canvas.bbox.y1)
                self.assertLessEqual(legend.x1, canvas.bbox.x1)
                if line_count > 6:
                    self.assertGreaterEqual(legend.x0, inside.x1)

    def distribution_file(self, values):
        path = self.path("series.csv")
        with open(FIXTURE, encoding="utf-8") as file:
            header = file.readline().strip()
        with open(path, "w", encoding="utf-8") as file:
            file.write(header + ",quartile_1_us,quartile_3_us,marks,series,values_us\n")
            for operation in ("put", "get"):
                file.write(f'{operation},latency,8,"contiguous",8,1,1,,,1,rma,ok,15,500,1,0.9,2,0.1,8,100,'
                           f"0.9,1.9,noisy two-speeds,10,{values}\n")
        return path

    def test_distribution(self):
        path = self.distribution_file("1 1.9 1 1.8 1 2 1 1 1 0.9")
        svg = self.draw("distribution", path)
        self.assertIn(">put: 1 \u00b5s<", svg)
        self.assertIn(">get: 1 \u00b5s<", svg)
        rows = armci_plot.read_rows(path, "series")
        self.assertEqual(armci_plot.make_distributions(rows)[1],
                         ("get", [1, 1.9, 1, 1.8, 1, 2, 1, 1, 1, 0.9]))
        self.assert_fails("without the column values_us", "distribution", FIXTURE)
        self.assert_fails("are not numbers", "distribution", self.distribution_file("1 fast"))
        self.assert_fails("the median is 0", "distribution", self.distribution_file("0 0 1"))

    # -- Lines --

    def series(self, figure, **conditions):
        rows = armci_plot.read_rows(FIXTURE, "fixture")
        chosen = armci_plot.FIGURES[figure]
        rows = armci_plot.select(rows, [(name, [value]) for name, value in conditions.items()])
        return armci_plot.make_series([row for row in rows if chosen.wanted(row)], chosen)

    def test_lines_hold_the_right_points(self):
        self.assertEqual(self.series("bandwidth-run", operation="put-strided"), {
            "stream": [(8, 838.6), (128, 2013.8), (1024, 2556.3)],
            "stream-serial": [(8, 579.2), (128, 1157.9)],  # the third one was wrong
        })

    def test_lines_are_told_apart_by_what_differs(self):
        self.assertEqual(set(self.series("bandwidth-size", mode="stream")), {
            "put", "raw-put", "put-strided blocks of 8", "put-strided blocks of 128",
            "put-strided blocks of 1K", "put-vector segments of 64", "put-vector segments of 1K"})
        self.assertEqual(set(self.series("latency-size")), {"put", "fetch-add"})

    def test_single_line_is_named_after_its_operation(self):
        self.assertEqual(set(self.series("bandwidth-run", operation="put-vector")),
                         {"put-vector stream"})

    def test_bytes_are_short(self):
        cases = {8: "8", 1000: "1000", 1024: "1K", 64000: "62.5K", 8386816: "8M", 2 ** 41: "2048G"}
        for count, expected in cases.items():
            self.assertEqual(armci_plot.format_bytes(count), expected)

    # -- Errors --

    def test_unknown_figure_and_column(self):
        self.assert_fails("invalid choice: 'speed'", "speed", FIXTURE)
        self.assert_fails("--where speed: there is no such column", "bandwidth-size", FIXTURE,
                          "--where", "speed=8")
        self.assert_fails("COLUMN=VALUE", "bandwidth-size", FIXTURE, "--where", "mode")

    def test_empty_selection(self):
        self.assert_fails("no row left; there are", "bandwidth-size", FIXTURE,
                          "--where", "operation=acc")
        self.assert_fails("none of the rows belongs", "bandwidth-run", FIXTURE,
                          "--where", "operation=put")

    def test_unusable_files(self):
        self.assert_fails("No such file", "bandwidth-size", self.path("absent.csv"))
        for content, expected in (("a,b\n1,2\n", "not a CSV file of armci-bench: no column"),
                                  ("", "no column"), (b"\xff\xfe".decode("latin-1"), "no column")):
            with open(self.path("other.csv"), "w", encoding="utf-8") as file:
                file.write(content)
            self.assert_fails(expected, "bandwidth-size", self.path("other.csv"))
        with open(FIXTURE, encoding="utf-8") as file:
            lines = file.readlines()
        with open(self.path("failed.csv"), "w", encoding="utf-8") as file:
            file.writelines(line for line in lines if ",ok," not in line)
        self.assert_fails("no row in these files is a result", "bandwidth-size",
                          self.path("failed.csv"))
        with open(self.path("broken.csv"), "w", encoding="utf-8") as file:
            file.writelines(line.replace(",0.372,", ",fast,") for line in lines)
        self.assert_fails("'fast' in column mbytes_per_s is not a number", "bandwidth-size",
                          self.path("broken.csv"))

    def test_output_that_cannot_be_written(self):
        status, _, errors = self.run_program("bandwidth-size", FIXTURE, "--output",
                                             self.path("absent/figure"))
        self.assertEqual(status, 1)
        self.assertIn("figure.png: No such file or directory", errors)

    def test_missing_matplotlib_is_named(self):
        with open(self.path("matplotlib.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError('not here')\n")
        result = subprocess.run(
            [sys.executable, PROGRAM, "bandwidth-size", FIXTURE, "--output", self.path("none")],
            env=dict(os.environ, PYTHONPATH=self.folder), capture_output=True, text=True,
            check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("python3-matplotlib", result.stderr)
        self.assertFalse(os.path.exists(self.path("none.png")))


if __name__ == "__main__":
    if importlib.util.find_spec("matplotlib") is None:
        if os.path.exists(SYSTEM_PYTHON) and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, os.path.abspath(__file__)])
        print("skipped: there is no matplotlib (Debian's package is python3-matplotlib)")
        sys.exit(SKIPPED)
    unittest.main()
