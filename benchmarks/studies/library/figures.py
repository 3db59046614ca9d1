# SPDX-License-Identifier: BSD-3-Clause
"""Draws figures as PNG and SVG: lines with quartiles as error bars, and the legend beside them."""

import os

from library.numbers import bytes_text

MARKERS = "osD^vP*X"
LEGEND_CHARACTER_INCHES = 0.075


class NoMatplotlib(Exception):
    pass


def load():
    try:
        import matplotlib
    except ImportError as error:
        raise NoMatplotlib(f"matplotlib is missing ({error}); Debian's package is python3-matplotlib") from None
    matplotlib.use("Agg")
    # Text stays text in SVG, and the same figure always gives the same file.
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "studies"
    return matplotlib


def plain(value, _position):
    return f"{value:g}"


def draw(figure, folder, endings):
    """Writes folder/NAME.svg and .png, whichever are asked for."""
    matplotlib = load()
    from matplotlib.figure import Figure as Canvas
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
    longest = max([len(line.label) for line in figure.lines] + [len(label) for _, label in figure.marks])
    canvas = Canvas(figsize=(6.2 + LEGEND_CHARACTER_INCHES * longest, 4), layout="constrained")
    axes = canvas.add_subplot()
    colours = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
    for index, line in enumerate(figure.lines):
        points = sorted(line.points)
        x = [point[0] for point in points]
        median = [point[1] for point in points]
        below = [max(0, point[1] - point[2]) for point in points]
        above = [max(0, point[3] - point[1]) for point in points]
        axes.errorbar(x, median, yerr=(below, above), label=line.label, color=colours[index % len(colours)],
                      marker=MARKERS[index % len(MARKERS)], markersize=4, linewidth=1.2, capsize=2,
                      linestyle=("-", "--", ":")[index // len(colours) % 3])
    for index, (x, label) in enumerate(figure.marks):
        axes.axvline(x, label=label, color="0.3", linestyle=("--", ":", "-.")[index % 3], linewidth=1)
    if figure.x_scale == "log2":
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: bytes_text(value)) if figure.x_is_bytes else FuncFormatter(plain))
    if figure.y_scale == "log":
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter(FuncFormatter(plain))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(figure.x)
    axes.set_ylabel(figure.y)
    axes.set_title(figure.title, fontsize="medium")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)
    for ending in endings:
        canvas.savefig(os.path.join(folder, f"{figure.name}.{ending}"), dpi=110,
                       metadata={"Date": None} if ending == "svg" else {})
