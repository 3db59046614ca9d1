# SPDX-License-Identifier: BSD-3-Clause
"""Draws each kind of figure."""

import statistics

from armci_plot.arrangement import MAX_PANELS, Arrangement
from armci_plot.canvas import (CHARACTER_INCHES, COLOURS, add_legend, grid_shape, new_canvas, set_byte_ticks,
                               set_heading, set_number_ticks, set_value_axis, style_of, wrapped)
from armci_plot.figures import ratio_of, time_of
from armci_plot.rows import PlotError, describe, differing, make_label, make_labels

MAX_STRIPS = 40  # below each other
HEADINGS = {"file": "file", "operation": "operation", "mode": "mode", "type": "type", "run": "block length",
            "size": "size", "dims": "dimensions", "window": "window", "actors": "ranks"}


def draw_line(axes, points, style):
    x, y = [point[0] for point in points], [point[1] for point in points]
    errors = [[abs(point[1] - point[side]) if point[side] is not None else 0 for point in points] for side in (2, 3)]
    axes.errorbar(x, y, yerr=errors if any(map(any, errors)) else None, markersize=4, linewidth=1.3, elinewidth=0.8,
                  capsize=1.8, capthick=0.8, **style)


def draw(lines, figure, title, log_y=None, panels_by=None):
    """All lines, on as many pages as their panels need. log_y and panels_by replace what would be chosen."""
    arrangement = Arrangement(lines, panels_by)
    values = [value for line in lines for point in line.points for value in point[1:] if value is not None]
    if log_y is None:
        log_y = figure.log_y
    if log_y is None:
        log_y = min(values) > 0 and max(values) > 20 * min(values)
    if log_y and min(values) <= 0:
        raise PlotError("a logarithmic axis cannot show 0; use --y linear")
    panels = list(arrangement.panels(lines).items())
    pages = -(-len(panels) // MAX_PANELS)
    canvases = []
    for page in range(pages):
        shown = panels[page * MAX_PANELS:(page + 1) * MAX_PANELS]
        canvas, grid = draw_panels(shown, arrangement, figure)
        set_byte_ticks(grid[0][0], [point[0] for line in lines for point in line.points], 6 if len(panels) > 1 else 12)
        set_value_axis(grid[0][0], values, log_y)
        set_heading(canvas, title + (f" ({page + 1} of {pages})" if pages > 1 else ""))
        members = [line for _, lines_of_panel in shown for line in lines_of_panel]
        entries = legend_entries(arrangement, members)
        if len(panels) == 1 or len(entries) > 1:
            add_legend(canvas, entries)
        canvases.append(canvas)
    return canvases


def draw_panels(panels, arrangement, figure):
    rows, columns = grid_shape(len(panels))
    width, height = (3.1, 2.35) if columns > 1 else (6.4, 4.3)
    canvas = new_canvas(columns * width + 0.3, rows * height + 0.6)
    grid = canvas.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes, (key, members) in zip(grid.flat, panels):
        for line in members:
            draw_line(axes, line.points, style_of(*arrangement.style(line)))
        axes.grid(True, which="major", alpha=0.3)
        if figure.value is ratio_of:
            axes.axhline(1, color="0.3", linewidth=1)
        if key:
            axes.set_title(wrapped(canvas, ", ".join(filter(None, key)), width, "medium"), fontsize="medium")
    for axes in grid.flat[len(panels):]:
        axes.set_visible(False)
        axes.set_in_layout(False)
    # A panel above an empty place is the lowest of its column.
    for axes in grid.flat[len(panels) - columns:len(panels)] if rows > 1 else ():
        axes.tick_params(labelbottom=True)
    canvas.supxlabel(figure.x_title, fontsize="medium")
    canvas.supylabel(wrapped(canvas, figure.y_title, canvas.get_figheight(), "medium"), fontsize="medium")
    return canvas, grid


def legend_entries(arrangement, lines):
    """Of the colours and line styles that these lines have."""
    if not arrangement.styles_by:
        return [(label, style_of(index)) for index, label in arrangement.shown_colours(lines)]
    entries = []
    if arrangement.colours_by:
        entries.append((heading(arrangement.colours_by), None))
        entries += [(label, dict(style_of(index), marker="")) for index, label in arrangement.shown_colours(lines)]
    entries.append((heading(arrangement.styles_by), None))
    entries += [(label, dict(style_of(0, index, True), color="0.3")) for index, label in arrangement.shown_styles(lines)]
    return entries


def heading(names):
    return ", ".join(HEADINGS[name] for name in names)


def draw_times(rows, title):
    """A line for each row, with its median as a dot and its quartiles as a bar; files beside each other."""
    described = [describe(row) for row in rows]
    names = ["operation", *(name for name in differing(described) if name in ("mode", "actors"))]
    files = list(dict.fromkeys(row["file"] for row in rows))
    alike = {}  # except in what most rows have no use for
    for row, words in zip(rows, described):
        alike.setdefault((make_label(words, names), row["layout"]), []).append((row, words))
    places = {}
    for (_, layout), members in alike.items():
        further = [name for name in differing([words for _, words in members]) if name != "file"]
        for row, words in members:
            places.setdefault(f"{make_label(words, names + further)}: {layout}", []).append(row)
    canvas = new_canvas(7.5 + CHARACTER_INCHES * max(map(len, places)), 1.3 + 0.12 * (1 + len(files)) * len(places))
    axes = canvas.subplots()
    seen = []
    for place, members in enumerate(places.values()):
        for row in members:
            median, lower, upper = time_of(row)
            colour = files.index(row["file"])
            y = place + 0.5 * ((colour + 0.5) / len(files) - 0.5)
            axes.errorbar([median], [y], xerr=[[median - (lower or median)], [(upper or median) - median]],
                          markersize=5, capsize=2, **dict(style_of(colour), linestyle="none"))
            seen += [value for value in (median, lower, upper) if value]
    if not seen:
        raise PlotError("all these times are 0")
    margin = (max(seen) / min(seen)) ** 0.04 * 1.05
    axes.set_xscale("log")
    axes.set_xlim(min(seen) / margin, max(seen) * margin)
    set_number_ticks(axes.xaxis, min(seen) / margin, max(seen) * margin)
    axes.set_yticks(range(len(places)), list(places), fontsize="small")
    axes.set_ylim(len(places) - 0.5, -0.5)  # the first row on top
    axes.set_xlabel("time of one operation, \u00b5s")
    set_heading(canvas, title)
    axes.grid(True, axis="x", which="major", alpha=0.3)
    if len(files) > 1:
        add_legend(canvas, [(file, dict(style_of(index), linestyle="none")) for index, file in enumerate(files)])
    return canvas


def make_distributions(rows):
    """Label and values of each row: medians of its series, or its samples."""
    distributions = []
    for row, name in zip(rows, make_labels(rows)):
        try:
            values = [float(value) for value in row["values_us"].split()]
        except ValueError:
            raise PlotError(f"{row['file']}: '{row['values_us']}' in column values_us are not numbers") from None
        distributions.append((name, values))
    return distributions


def draw_distributions(distributions, title):
    """A strip for each row: its values as dots, quartiles and median as a box, all as parts of the median."""
    columns = -(-len(distributions) // MAX_STRIPS)
    rows = -(-len(distributions) // columns)
    label_width = CHARACTER_INCHES * max(len(name) + 12 for name, _ in distributions)
    canvas = new_canvas((max(4, 8 / columns) + label_width) * columns, 1.5 + 0.3 * rows)
    grid = canvas.subplots(1, columns, sharex=True, squeeze=False)
    parts = []
    for name, values in distributions:
        median = statistics.median(values)
        if median <= 0:
            raise PlotError(f"{name}: the median is 0, of which nothing can be a part")
        parts.append((f"{name}: {median:.4g} \u00b5s", sorted(value / median for value in values)))
    everything = [value for _, values in parts for value in values if value > 0]
    low, high = min(0.8, *everything) / 1.05, max(1.25, *everything) * 1.05
    for column, axes in enumerate(grid.flat):
        draw_strips(axes, parts[column * rows:(column + 1) * rows])
        axes.set_ylim(rows - 0.5, -0.5)  # the first row on top
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        set_number_ticks(axes.xaxis, low, high)
        axes.grid(True, axis="x", which="major", alpha=0.3)
    canvas.supxlabel("time as a part of the row's median (grey: within 15 %)", fontsize="medium")
    set_heading(canvas, title)
    return canvas


def draw_strips(axes, named_parts):
    axes.axvspan(0.85, 1.15, color="0.92", zorder=0)
    for line, (_, parts) in enumerate(named_parts):
        box = axes.boxplot([parts], positions=[line], vert=False, widths=0.6, whis=(0, 100), showfliers=False,
                           manage_ticks=False)
        for part in box["boxes"] + box["whiskers"] + box["caps"]:
            part.set_color("0.5")
        # Dots that would cover each other lie at three heights.
        axes.plot(parts, [line + 0.15 * (index % 3 - 1) for index in range(len(parts))], "o", markersize=4,
                  alpha=0.6, color=COLOURS[0])
    axes.set_yticks(range(len(named_parts)), [name for name, _ in named_parts], fontsize="small")
