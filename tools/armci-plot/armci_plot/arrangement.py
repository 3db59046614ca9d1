# SPDX-License-Identifier: BSD-3-Clause
"""Divides many lines among panels, colours and line styles."""

from armci_plot.rows import differing, make_label

# Which of them make panels first, where there are too many lines for one. Files stay together.
PANELS_BY = ("operation", "type", "dims", "actors", "window", "size", "run", "mode")
MAX_LINES_WITHOUT_PANELS = 6
MAX_LINES_IN_PANEL = 9
MAX_PANELS = 24  # on a page
MAX_STYLES = 4


class Arrangement:
    """Which distinctions make panels, which colours, and which line styles."""

    def __init__(self, lines, panels_by=None):
        names = differing([line.words for line in lines])
        self.panels_by = [] if panels_by is None else [name for name in panels_by if name in names]
        if panels_by is None and len(lines) > MAX_LINES_WITHOUT_PANELS:
            for name in PANELS_BY:
                if self.largest_panel(lines) <= MAX_LINES_IN_PANEL and self.panels_by:
                    break
                self.panels_by += [name] if name in names else []
        self.colours_by = [name for name in names if name not in self.panels_by]
        self.styles_by = []
        if self.largest_panel(lines) > MAX_LINES_WITHOUT_PANELS or (self.panels_by and len(self.colours_by) > 1):
            # The last that a line style can show; mode before others, and files only if nothing else can be.
            for name in sorted(self.colours_by[::-1], key=lambda name: (name != "mode", name == "file")):
                count = len({line.words.get(name) for line in lines})
                if len(self.colours_by) > 1 and 1 < count <= MAX_STYLES:
                    self.styles_by = [name]
                    self.colours_by.remove(name)
                    break
        self.names = names
        self.colours = self.labels(lines, self.colours_by)
        self.styles = self.labels(lines, self.styles_by)

    def key(self, words, names):
        return tuple(words.get(name) or "" for name in names)

    def largest_panel(self, lines):
        return max(map(len, self.panels(lines).values()))

    def panels(self, lines):
        panels = {}
        for line in lines:
            panels.setdefault(self.key(line.words, self.panels_by), []).append(line)
        return panels

    def labels(self, lines, names):
        """By key, in the order of the lines."""
        return {self.key(line.words, names): self.label(line, names) for line in lines}

    def label(self, line, names):
        if len(names) == len(self.names) or not names:
            return make_label(line.words, names)
        return " ".join(filter(None, self.key(line.words, names))) or "contiguous"

    def style(self, line):
        """The numbers of its colour and of its line style, and whether there are several of these."""
        return (list(self.colours).index(self.key(line.words, self.colours_by)),
                list(self.styles).index(self.key(line.words, self.styles_by)), len(self.styles) > 1)

    def shown_colours(self, lines):
        """Numbers and labels of those that these lines have."""
        shown = {self.key(line.words, self.colours_by) for line in lines}
        return [(index, label) for index, (key, label) in enumerate(self.colours.items()) if key in shown]

    def shown_styles(self, lines):
        shown = {self.key(line.words, self.styles_by) for line in lines}
        return [(index, label) for index, (key, label) in enumerate(self.styles.items()) if key in shown]
