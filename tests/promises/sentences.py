# SPDX-License-Identifier: BSD-3-Clause
"""Splits public headers and Markdown pages into the sentences that make promises."""

import re

# A word of a list of terms, and its meaning: "proc    A rank of world".
TERM = re.compile(r"^\S.*? {2,}\S")
HEADING = re.compile(r"^(-{4} .* -{4}|[A-Z][a-z]+)$")
BULLET = re.compile(r"^[*-] ")
# Not after an ellipsis.
SENTENCE_END = re.compile(r"(?:(?<=[^.][.?!])|(?<=[^.][.?!]\))|(?<=[.?!]\*\*))\s+")


def normal(text):
    return " ".join(text.split())


class Paragraphs:
    """Collects lines into paragraphs, and those into sentences."""

    def __init__(self):
        self.sentences = []
        self.lines = []

    def end(self):
        text = normal(" ".join(self.lines))
        self.lines = []
        if text:
            self.sentences += SENTENCE_END.split(text)

    def add(self, line):
        self.lines.append(line)

    def alone(self, line):
        self.end()
        self.sentences.append(normal(line))


def of_comment(paragraphs, text):
    term_indent = 0
    for line in text.splitlines():
        line = re.sub(r"^\s*\*(\s|$)", "", line).rstrip()
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if not bare or HEADING.match(bare):
            paragraphs.end()
        elif TERM.match(bare):
            paragraphs.end()
            paragraphs.add(bare)
            term_indent = indent
        elif indent < term_indent:  # the list is over
            paragraphs.end()
            paragraphs.add(bare)
            term_indent = 0
        else:
            paragraphs.add(bare)
    paragraphs.end()


def of_header(text):
    """Of its comments except the one that names its licence. A comment at the end of a line of code is quoted with
    that line."""
    paragraphs = Paragraphs()
    for found in re.finditer(r"/\*(.*?)\*/", text, re.DOTALL):
        if "SPDX-License-Identifier" in found.group(1):
            continue
        line_begin = text.rfind("\n", 0, found.start()) + 1
        code = text[line_begin : found.start()].strip()
        if code:
            paragraphs.alone(f"{code} {found.group(0)}")
        else:
            of_comment(paragraphs, found.group(1).lstrip("*"))
    return paragraphs.sentences


def of_markdown(text):
    """Sentences without headings. Each row of a table is a sentence, except its first two rows."""
    paragraphs = Paragraphs()
    table_row = 0
    for line in text.splitlines():
        bare = line.strip()
        table_row = table_row + 1 if bare.startswith("|") else 0
        if table_row:
            paragraphs.end()
            if table_row > 2:
                paragraphs.alone(bare)
        elif not bare or bare.startswith("#"):
            paragraphs.end()
        elif BULLET.match(bare):
            paragraphs.end()
            paragraphs.add(BULLET.sub("", bare))
        else:
            paragraphs.add(bare)
    paragraphs.end()
    return paragraphs.sentences


def of_file(path):
    text = path.read_text(encoding="utf-8")
    return of_markdown(text) if path.suffix == ".md" else of_header(text)
