#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of armci-plot. Exit status 77: matplotlib is missing, so that it could not be tested."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import math
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
from armci_plot.rows import format_number  # beside the program, which has put its folder into sys.path


def series_of(rows, figure):
    """Points by the label of their line."""
    lines = armci_plot.make_lines(rows, figure)
    names = armci_plot.differing([line.words for line in lines])
    return {armci_plot.make_label(line.words, names): [point[:2] for point in line.points] for line in lines}


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

    def test_labels_are_plain_text(self):
        for figure in "latency-size", "times":
            svg = self.draw(figure, f"_before={FIXTURE}", f"$x_1$={FIXTURE}", "--title", "$y^2$ <b>")
            for text in "$y^2$ &lt;b&gt;", "_before", "$x_1$":
                self.assertIn(f">{text}<", svg)

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
        self.assertEqual(series_of(rows, figure),
                         {"overlap-put origin": [(4096, 0.25), (65536, 0.75)]})
        # The transfers into a target that computes have a bandwidth, the origin's have none.
        figure = armci_plot.FIGURES["bandwidth-size"]
        rows = [row for row in armci_plot.read_rows(path, "overlap") if figure.wanted(row)]
        self.assertEqual(series_of(rows, figure),
                         {"overlap-put target": [(4096, 195), (65536, 195)]})
        self.assert_fails("none of the rows belongs", "hidden-size", FIXTURE)

    # -- Layout --

    @staticmethod
    def many_rows(operations, runs, modes, files=("file",)):
        """As read from files, with times that differ, and with quartiles."""
        rows = []
        for file in files:
            for operation in operations:
                for run in runs:
                    for mode in modes:
                        for size in (65536, 1 << 20, 16 << 20):
                            median = size / 1000 * (1 + len(rows) % 7)
                            rows.append({
                                "file": file, "operation": operation, "mode": mode, "bytes": str(size),
                                "layout": f"2-D, {run} B x {size // run}", "run_bytes": str(run),
                                "run_count": str(size // run), "dims": "2", "type": "", "window": "",
                                "actors": "1", "route": "rma", "status": "ok", "median_us": str(median),
                                "quartile_1_us": str(median * 0.9), "quartile_3_us": str(median * 1.3),
                                "mbytes_per_s": str(size / median), "values_us": "1 2 3"})
        return rows

    def assert_well_laid_out(self, canvas):
        """Nothing is outside, panels and legend are apart, and no label covers another one."""
        canvas.draw_without_rendering()
        renderer = canvas.canvas.get_renderer()
        page = canvas.bbox
        panels = [axes for axes in canvas.axes if axes.get_visible()]
        boxes = [axes.get_tightbbox(renderer) for axes in panels]
        boxes += [text.get_window_extent(renderer) for text in (canvas._suptitle, canvas._supxlabel, canvas._supylabel)
                  if text is not None and text.get_text()]
        boxes += [legend.get_window_extent(renderer) for legend in canvas.legends]
        for box in boxes:
            self.assertGreaterEqual(min(box.x0, box.y0), -1)
            self.assertLessEqual(box.x1, page.x1 + 1)
            self.assertLessEqual(box.y1, page.y1 + 1)
        for index, box in enumerate(boxes):
            for other in boxes[:index]:
                self.assert_apart(box, other)
        for axes in panels:
            inside = axes.get_window_extent(renderer)
            self.assertGreaterEqual(inside.width, 1.9 * canvas.dpi)
            self.assertGreaterEqual(inside.height, 0.25 * canvas.dpi)
            for axis in (axes.xaxis, axes.yaxis):
                labels = [label.get_window_extent(renderer) for label in axis.get_ticklabels()
                          if label.get_visible() and label.get_text()]
                for index, box in enumerate(labels):
                    for other in labels[:index]:
                        self.assert_apart(box, other)

    def assert_apart(self, box, other):
        self.assertFalse(min(box.x1, other.x1) - max(box.x0, other.x0) > 1 and
                         min(box.y1, other.y1) - max(box.y0, other.y0) > 1, f"{box} covers {other}")

    def pages_of(self, figure, rows, **choices):
        return armci_plot.draw(armci_plot.make_lines(rows, figure), figure, "a title", **choices)

    def test_layout_of_few_and_many_lines(self):
        operations = ["put-strided", "get-strided", "overlap-acc-strided", "mpi-pack-put", "fetch-add-contended"]
        modes = ["latency", "stream", "window", "latency-serial", "stream-serial"]
        bandwidth = armci_plot.FIGURES["bandwidth-size"]
        for counts in ((1, 6, 1), (3, 3, 3), (5, 8, 5)):
            with self.subTest(counts=counts):
                rows = self.many_rows(operations[:counts[0]], [8 << i for i in range(counts[1])], modes[:counts[2]])
                pages = self.pages_of(bandwidth, rows)
                self.assertEqual(sum(len(axes.containers) for canvas in pages for axes in canvas.axes),
                                 math.prod(counts))
                for canvas in {pages[0], pages[-1]}:
                    self.assert_well_laid_out(canvas)
                    lines = [len(axes.containers) for axes in canvas.axes]
                    self.assertLessEqual(max(lines), 9)

    def test_layout_of_compared_files(self):
        rows = self.many_rows(["put-strided", "get-strided"], [8, 128, 1024], ["latency", "stream"],
                              ["a file with a rather long name", "another one"])
        files = ["a file with a rather long name", "another one"]
        figure = armci_plot.ratio_figure(files)
        for canvas in self.pages_of(figure, armci_plot.pair_rows(rows, files)):
            self.assert_well_laid_out(canvas)
        for canvas in self.pages_of(armci_plot.FIGURES["latency-size"], rows):
            self.assert_well_laid_out(canvas)
        self.assert_well_laid_out(armci_plot.draw_times(rows, "times"))

    def test_layout_of_long_headings(self):
        files = ["the library of a branch with buffers that are wider than those of others",
                 "the library before anybody made that change to its buffers"]
        rows = self.many_rows(["put-strided"], [8], ["latency"], files)
        heading = f"Strided puts: {files[0]} compared with {files[1]}"
        figure = armci_plot.ratio_figure(files)
        for page in (*armci_plot.draw(armci_plot.make_lines(armci_plot.pair_rows(rows, files), figure), figure, heading),
                     armci_plot.draw_times(rows, heading)):
            self.assert_well_laid_out(page)
            # A narrow page has wide margins of nothing, and a legend beside the heading.
            panel, = page.axes
            left, right = panel.get_position().x0, panel.get_position().x1
            self.assertAlmostEqual(page._suptitle.get_position()[0], (left + right) / 2, delta=0.2 * (right - left))

    def test_compared_files_do_not_share_colours_by_chance(self):
        rows = [row for operation, runs in (("put-strided", [8, 16, 32]), ("get-strided", [64, 128]))
                for row in self.many_rows([operation], runs, ["latency"], ["new", "old"])]
        page, = self.pages_of(armci_plot.FIGURES["latency-size"], rows)
        self.assert_well_laid_out(page)
        self.assertEqual([text.get_text() for text in page.legends[0].get_texts()],
                         ["block length", *(f"blocks of {run}" for run in (8, 16, 32, 64, 128)), "file", "new", "old"])

    def test_layout_of_distributions(self):
        for count in (1, 41):
            values = [(f"put-strided latency blocks of {index}", [1, 2, 2.5, 40]) for index in range(count)]
            with self.subTest(count=count):
                self.assert_well_laid_out(armci_plot.draw_distributions(values, "distributions"))

    def test_the_layout_test_finds_what_is_wrong(self):
        rows = self.many_rows(["put-strided", "get-strided"], [8, 128, 1024], ["latency", "stream"])
        canvas, = self.pages_of(armci_plot.FIGURES["bandwidth-size"], rows)
        canvas.legends[0].set_bbox_to_anchor((0.3, 0.9), transform=canvas.transFigure)
        with self.assertRaises(AssertionError):
            self.assert_well_laid_out(canvas)

    def test_panels_can_be_chosen(self):
        rows = self.many_rows(["put-strided", "get-strided"], [8, 128, 1024], ["latency", "stream"])
        for panels, count in ((["mode"], 2), (["operation", "run"], 6), ([], 1)):
            canvas, = self.pages_of(armci_plot.FIGURES["bandwidth-size"], rows, panels_by=panels)
            self.assertEqual(len(canvas.axes), count)
        self.assert_fails("speed is not one of", "bandwidth-size", FIXTURE, "--panels", "speed")

    # -- Bars and comparisons --

    def test_bars_are_the_quartiles(self):
        row, = self.many_rows(["put"], [8], ["latency"])[:1]
        median = float(row["median_us"])
        self.assertEqual(armci_plot.time_of(row), (median, median * 0.9, median * 1.3))
        bandwidth, low, high = armci_plot.FIGURES["bandwidth-size"].value(row)
        self.assertAlmostEqual(bandwidth, 65536 / median)
        self.assertAlmostEqual(low, 65536 / (median * 1.3))
        self.assertAlmostEqual(high, 65536 / (median * 0.9))
        # Files of older programs have none.
        row.update(quartile_1_us="", quartile_3_us="")
        self.assertEqual(armci_plot.time_of(row), (median, None, None))

    def test_ratio_of_two_files(self):
        path = self.path("faster.csv")
        with open(FIXTURE, encoding="utf-8") as file:
            lines = file.readlines()
        with open(path, "w", encoding="utf-8") as file:
            file.writelines([lines[0]] + [line.replace(",52.3,", ",26.15,") for line in lines[1:3]])
        rows = armci_plot.read_rows(path, "new") + armci_plot.read_rows(FIXTURE, "old")
        pairs = armci_plot.pair_rows(rows, ["new", "old"])
        line, = armci_plot.make_lines(pairs, armci_plot.ratio_figure(["new", "old"]))
        self.assertEqual(line.points, [(8, 1, None, None), (65536, 2, None, None)])
        svg = self.draw("ratio-size", f"new={path}", f"old={FIXTURE}")
        self.assertIn("above 1: new is faster", svg)
        self.assert_fails("two are wanted", "ratio-size", FIXTURE)
        self.assert_fails("two files have the label", "ratio-size", FIXTURE, FIXTURE)

    def test_all_figures_without_a_choice(self):
        status, output, errors = self.run_program(FIXTURE, "--output", self.path("all"))
        self.assertEqual((status, errors), (0, ""))
        names = [os.path.basename(line) for line in output.split() if line.endswith(".png")]
        self.assertEqual(names, ["all-latency-size.png", "all-bandwidth-size.png", "all-bandwidth-run.png",
                                 "all-times.png"])

    # -- JSON --

    def test_json_is_read_as_csv(self):
        rows = [{"operation": "acc", "mode": "window", "bytes": 64, "layout": "contiguous", "run_bytes": 64,
                 "run_count": 1, "dims": 1, "actors": 2, "status": "ok", "route": "rma", "median_us": 2.5,
                 "quartile_1_us": 2, "quartile_3_us": 3, "p95_us": None, "mbytes_per_s": 51.2, "values_us": [2, 3]},
                {"operation": "acc", "mode": "window", "bytes": 64, "layout": "contiguous", "run_bytes": 64,
                 "run_count": 1, "dims": 1, "actors": 2, "status": "wrong", "errors": 1}]
        path = self.path("bench.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"settings": {"type": "double", "window": 16}, "rows": rows}, file)
        row, = armci_plot.read_rows(path, "bench")
        self.assertEqual((row["type"], row["window"], row["median_us"], row["p95_us"], row["values_us"]),
                         ("double", "16", "2.5", "", "2 3"))
        self.draw("bandwidth-size", path)
        for text, expected in (('{"rows": [{}]}', "not a file of armci-bench: no column"), ("{", "Expecting")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            self.assert_fails(expected, "bandwidth-size", path)

    def test_points_as_json(self):
        status, output, _ = self.run_program("bandwidth-run", FIXTURE, "--where", "operation=put-vector", "--json", "-")
        self.assertEqual(status, 0)
        figure, = json.loads(output)["figures"]
        self.assertEqual(figure["figure"], "bandwidth-run")
        self.assertEqual(figure["lines"], [{"label": "put-vector stream", "points": [
            {"x": 64, "y": 354.8, "low": None, "high": None}, {"x": 1024, "y": 2226.1, "low": None, "high": None}]}])
        self.assert_fails("No such file", "bandwidth-run", FIXTURE, "--json", self.path("no/file"))

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

    def test_times_of_sizes_are_apart(self):
        with open(FIXTURE, encoding="utf-8") as file:
            header = file.readline()
        for name, factor in ("a", 1), ("b", 2):
            with open(self.path(f"{name}.csv"), "w", encoding="utf-8") as file:
                file.write(header)
                for operation, size, us in (("malloc-write", 1 << 20, 7), ("malloc-write", 64 << 20, 1475), ("barrier", 0, 1)):
                    file.write(f'{operation},latency,{size},"all ranks",{size},1,1,,,2,-,ok,15,300,{us * factor},1,2,0.1,0,1\n')
        svg = self.draw("times", self.path("a.csv"), self.path("b.csv"))
        for label in "malloc-write 1M: all ranks", "malloc-write 64M: all ranks", "barrier: all ranks":
            self.assertEqual(svg.count(f">{label}<"), 1, label)

    # -- Lines --

    def series(self, figure, **conditions):
        rows = armci_plot.read_rows(FIXTURE, "fixture")
        chosen = armci_plot.FIGURES[figure]
        rows = armci_plot.select(rows, [(name, [value]) for name, value in conditions.items()])
        return series_of([row for row in rows if chosen.wanted(row)], chosen)

    def test_lines_hold_the_right_points(self):
        self.assertEqual(self.series("bandwidth-run", operation="put-strided"), {
            "stream": [(8, 838.6), (128, 2013.8), (1024, 2556.3)],
            "stream-serial": [(8, 579.2), (128, 1157.9)],  # the third one was wrong
        })

    def test_lines_are_told_apart_by_what_differs(self):
        self.assertEqual(set(self.series("bandwidth-size", mode="stream")), {
            "put", "raw-put", "put-strided blocks of 8", "put-strided blocks of 128",
            "put-strided blocks of 1K", "put-vector 1000 segments"})
        self.assertEqual(set(self.series("latency-size")), {"put latency"})

    def test_single_line_is_named_after_its_operation(self):
        self.assertEqual(set(self.series("bandwidth-run", operation="put-vector")),
                         {"put-vector stream"})

    def test_numbers_have_no_exponent(self):
        for value, text in ((0, "0"), (0.00001, "0.00001"), (0.15, "0.15"), (20, "20"), (1e12, "1 000 000 000 000")):
            self.assertEqual(format_number(value), text.replace(" ", "\u2009"))

    def test_bytes_are_short(self):
        cases = {8: "8", 1000: "1000", 1024: "1K", 64000: "62.5K", 8386816: "8M", 2 ** 41: "2048G"}
        for count, expected in cases.items():
            self.assertEqual(armci_plot.format_bytes(count), expected)

    # -- Errors --

    def test_unknown_figure_and_column(self):
        self.assert_fails("'speed' is neither a figure", "speed", FIXTURE)
        self.assert_fails("--where speed: there is no such column", "bandwidth-size", FIXTURE,
                          "--where", "speed=8")
        self.assert_fails("COLUMN=VALUE", "bandwidth-size", FIXTURE, "--where", "mode")

    def test_empty_selection(self):
        self.assert_fails("no row left; there are", "bandwidth-size", FIXTURE,
                          "--where", "operation=acc")
        self.assert_fails("none of the rows belongs", "bandwidth-run", FIXTURE,
                          "--where", "operation=put")

    def test_unusable_files(self):
        absent = self.path("absent.csv")
        self.assert_fails(f"armci-plot: {absent}: No such file or directory\n", "bandwidth-size", absent)
        for content, expected in (("a,b\n1,2\n", "not a file of armci-bench: no column"),
                                  ("", "no column"), (b"\xff\xfe".decode("latin-1") + "\n", "no column")):
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
        with open(self.path("nan.csv"), "w", encoding="utf-8") as file:
            file.writelines(line.replace(",0.372,", ",nan,") for line in lines)
        self.assert_fails("'nan' in column mbytes_per_s is not a number", "bandwidth-size", self.path("nan.csv"))
        cut = self.path("cut.csv")
        for end in range(1, len(lines[-1]), 7):
            with open(cut, "w", encoding="utf-8") as file:
                file.write("".join(lines)[:-len(lines[-1])] + lines[-1][:end])
            self.assert_fails(f"{cut}: its last line does not end", "bandwidth-size", cut)
        with open(cut, "w", encoding="utf-8") as file:
            file.write("".join(lines)[:-1].rpartition(",")[0] + "\n")
        self.assert_fails(f"{cut}: line {len(lines)} has ", "bandwidth-size", cut)
        with open(cut, "w", encoding="utf-8") as file:
            file.write("".join(lines)[:-1] + ",1,2\n")
        columns = lines[0].count(",") + 1
        self.assert_fails(f"line {len(lines)} has {columns + 2} fields, not {columns}", "bandwidth-size", cut)

    def test_reader_of_the_points_may_end(self):
        with subprocess.Popen([sys.executable, "-B", PROGRAM, FIXTURE, "--json", "-"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as program:
            program.stdout.close()
            errors = program.stderr.read()
        self.assertEqual(errors, "armci-plot: standard output is closed\n")
        self.assertEqual(program.returncode, 1)

    def test_output_that_cannot_be_written(self):
        status, _, errors = self.run_program("bandwidth-size", FIXTURE, "--output",
                                             self.path("absent/figure"))
        self.assertEqual(status, 1)
        self.assertIn("figure.png: No such file or directory", errors)

    def test_standard_output_that_cannot_be_written(self):
        for output in ("--json", "-"), ("--output", self.path("figure")):
            for redirection, reason in ((">/dev/full", "standard output: No space left on device"),
                                        (">&-", "standard output is closed")):
                with self.subTest(output=output, redirection=redirection):
                    done = subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-B", PROGRAM,
                                           "times", FIXTURE, *output], capture_output=True, text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (1, f"armci-plot: {reason}\n"))

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
