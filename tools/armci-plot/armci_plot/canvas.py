# SPDX-License-Identifier: BSD-3-Clause
"""What drawings have in common: sizes, axes, legends, files."""

import math
import sys
import textwrap

from armci_plot.rows import PlotError, format_bytes, format_number

# Distinguishable also by those who confuse colours, and in print.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#888888")
MARKERS = "osD^vP*X"
STYLES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)))
CHARACTER_INCHES = 0.072  # of small text, wider than most
LEGEND_LINE_INCHES = 0.21


def style_of(colour, style=0, has_styles=False):
    """By the numbers of a line's colour and style. A marker shows the same as the style, or as the colour."""
    marker = style if has_styles else colour + colour // len(COLOURS)
    return {"color": COLOURS[colour % len(COLOURS)], "linestyle": STYLES[style % len(STYLES)],
            "marker": MARKERS[marker % len(MARKERS)]}


def load_matplotlib():
    try:
        import matplotlib
    except ImportError as error:
        raise PlotError(f"matplotlib is missing for {sys.executable} ({error}); Debian's package is "
                        "python3-matplotlib") from None
    matplotlib.use("Agg")
    matplotlib.rcParams["text.parse_math"] = False  # names of files may have any character
    # Text stays text in SVG, and the same figure always gives the same file.
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "armci-plot"
    return matplotlib


def new_canvas(width, height):
    """The width and height of the panels; legends make it wider."""
    load_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas
    canvas = Canvas(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(canvas)
    canvas.get_layout_engine().set(w_pad=0.06, h_pad=0.06, wspace=0.03, hspace=0.05)
    return canvas


def add_legend(canvas, entries):
    """Right of everything. `entries`: labels with the style of their line, None for a heading."""
    from matplotlib.lines import Line2D
    height = canvas.get_figheight()
    columns = max(1, math.ceil(len(entries) * LEGEND_LINE_INCHES / (height - 0.3)))
    handles = [Line2D([], [], markersize=4.5, linewidth=1.3, **(style or {"linestyle": "none"})) for _, style in entries]
    # It would leave out labels that begin with "_".
    legend = canvas.legend(handles, [" "] * len(entries), loc="upper left", fontsize="small", frameon=False, ncol=columns,
                           borderaxespad=0, handlelength=2.8)
    for text, (label, style) in zip(legend.get_texts(), entries):
        text.set_text(label)
        text.set_weight("normal" if style else "bold")
    canvas.draw_without_rendering()
    centre_over_panels(canvas)
    # Viewers of SVG may have a wider font.
    needed = 1.06 * legend.get_window_extent().width / canvas.dpi + 0.15
    before = canvas.get_figwidth()
    width = before + needed
    for text in headings(canvas):
        text.set_x(text.get_position()[0] * before / width)
    canvas.set_size_inches(width, height)
    canvas.get_layout_engine().set(rect=(0, 0, before / width, 1))
    legend.set_bbox_to_anchor(((before + 0.1) / width, 1 - 0.15 / height), transform=canvas.transFigure)


def headings(canvas):
    return [text for text in (canvas._suptitle, canvas._supxlabel) if text is not None]


def centre_over_panels(canvas):
    """The heading and the title of the x axis, as far as they have room there."""
    places = [axes.get_position() for axes in canvas.axes if axes.get_visible()]
    centre = (min(place.x0 for place in places) + max(place.x1 for place in places)) / 2
    for text in headings(canvas):
        half = text.get_window_extent().width / canvas.bbox.width / 2
        text.set_x(min(centre, max(0.99 - half, 0.5)))


def grid_shape(count):
    columns = count if count < 3 else 2 if count == 4 else 4 if count % 3 and (count % 4 == 0 or count > 15) else 3
    return -(-count // columns), columns


def wrapped(canvas, text, inches, size):
    """In lines that are at most so long, or of 12 characters."""
    from matplotlib.font_manager import FontProperties
    renderer, font = canvas.canvas.get_renderer(), FontProperties(size=size)
    limit = 0.94 * inches * canvas.dpi  # viewers of SVG may have a wider font
    for characters in range(max(12, len(text)), 11, -1):
        lines = textwrap.wrap(text, characters)
        if all(renderer.get_text_width_height_descent(line, font, False)[0] <= limit for line in lines):
            break
    return "\n".join(lines)


def set_heading(canvas, text):
    """Above the panels."""
    canvas.suptitle(wrapped(canvas, text, canvas.get_figwidth(), "large"), fontsize="large")


def set_byte_ticks(axes, x, most):
    """Powers of two at equal distances."""
    lowest, highest = math.floor(math.log2(min(x))), math.ceil(math.log2(max(x)))
    step = max(1, math.ceil((highest - lowest + 1) / most))
    axes.set_xscale("log", base=2)
    axes.set_xticks([2.0 ** power for power in range(lowest, highest + 1, step)])
    axes.set_xticks([], minor=True)
    axes.xaxis.set_major_formatter(lambda value, _: format_bytes(value))
    margin = max(0.4, 0.04 * (highest - lowest))
    axes.set_xlim(2 ** (math.log2(min(x)) - margin), 2 ** (math.log2(max(x)) + margin))


def set_number_ticks(axis, low, high):
    """Of a logarithmic axis: some of 1, 2, 5, 10, ... between the bounds, and always at least two."""
    from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator
    ticks = []
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), tuple(1 + 0.1 * i for i in range(90)),
                    tuple(1 + 0.01 * i for i in range(900))):
        ticks = [factor * 10.0 ** power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                 for factor in factors if low <= factor * 10.0 ** power * 1.0001 and factor * 10.0 ** power <= high * 1.0001]
        if len(ticks) >= 3:
            break
    ticks = ticks[::max(1, math.ceil(len(ticks) / 8))]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_major_formatter(lambda value, _: format_number(float(f"{value:.4g}")))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def set_value_axis(axes, values, log):
    if not log:
        top = max(values) * 1.08 or 1
        axes.set_ylim(-0.03 * top if min(values) <= 0 else 0, top)
        axes.yaxis.set_major_formatter(lambda value, _: format_number(float(f"{value:.6g}")))
        return
    low, high = min(values), max(values)
    margin = (high / low) ** 0.06 * 1.02
    axes.set_yscale("log")
    axes.set_ylim(low / margin, high * margin)
    set_number_ticks(axes.yaxis, low / margin, high * margin)


def save(canvas, base):
    for extension, metadata in (("png", {}), ("svg", {"Date": None})):
        path = f"{base}.{extension}"
        try:
            canvas.savefig(path, dpi=150, metadata=metadata)
        except OSError as error:
            raise PlotError(f"{path}: {error.strerror}") from None
        print(path)
