# SPDX-License-Identifier: BSD-3-Clause
"""One report of all studies: Markdown, and HTML that has its figures inside."""

import base64
import html
import os
import textwrap

WIDTH = 100
DIGEST_BEGIN = "<!-- Made by benchmarks/studies/run.sh --report --docs: -->"
DIGEST_END = "<!-- Until here. -->"
STYLE = """body { font-family: sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; } td, th { border: 1px solid #bbb; padding: 0.2em 0.6em; }
td { text-align: right; } td:first-child { text-align: left; } img { max-width: 100%; }"""


def blocks_of(heading, facts, studies):
    """The report as a list of (kind, content). `studies` has (study, sections, notes)."""
    blocks = [("title", heading), *[("text", fact) for fact in facts]]
    for study, sections, notes in studies:
        blocks.append(("study", study.title))
        if study.source:
            blocks.append(("text", f"After {study.source}"))
        blocks += [("text", note) for note in notes]
        for section in sections:
            blocks.append(("section", section.title))
            for label, text in (("The paper", section.paper), ("Here", section.here), ("Why", section.why)):
                if text and study.source:
                    blocks.append(("labelled", (label, text)))
                elif text:
                    blocks.append(("text", text))
            blocks += [("figure", figure) for figure in section.figures]
            for table in section.tables:
                blocks.append(("table", table))
    return blocks


def fill(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def table_text(table):
    return "\n".join([
        "| " + " | ".join(table.columns) + " |",
        "|" + "---|" * len(table.columns),
        *("| " + " | ".join(row) + " |" for row in table.rows),
    ])


def replace_digest(page, table):
    """`page` with that table between the marks that say where it belongs."""
    before, begin, rest = page.partition(DIGEST_BEGIN)
    _, end, after = rest.partition(DIGEST_END)
    if not begin or not end:
        raise ValueError(f"there is no place for the table, between {DIGEST_BEGIN} and {DIGEST_END}")
    return before + begin + "\n\n" + table_text(table) + "\n\n" + end + after


def markdown(blocks, figures):
    """`figures` is the folder of the figures, as seen from the report."""
    lines = []
    for kind, content in blocks:
        if kind in ("title", "study", "section"):
            lines.append({"title": "# ", "study": "## ", "section": "### "}[kind] + content)
        elif kind == "text":
            lines.append(fill(content))
        elif kind == "labelled":
            lines.append(fill(f"**{content[0]}.** {content[1]}"))
        elif kind == "figure":
            lines.append(f"![{content.title}]({figures}/{content.name}.svg)")
        else:
            lines.append(fill(f"{content.title}:"))
            lines.append(table_text(content))
    return "\n\n".join(lines) + "\n"


def table_html(table):
    head = "".join(f"<th>{html.escape(column)}</th>" for column in table.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>\n" for row in table.rows)
    return f"<p>{html.escape(table.title)}:</p>\n<table>\n<tr>{head}</tr>\n{rows}</table>"


def figure_html(figure, folder):
    with open(os.path.join(folder, f"{figure.name}.svg"), "rb") as file:
        data = base64.b64encode(file.read()).decode()
    return f'<p><img alt="{html.escape(figure.title)}" src="data:image/svg+xml;base64,{data}"></p>'


def html_page(blocks, figures):
    """`figures` is the folder that the figures are read from."""
    parts = []
    for kind, content in blocks:
        if kind in ("title", "study", "section"):
            tag = {"title": "h1", "study": "h2", "section": "h3"}[kind]
            parts.append(f"<{tag}>{html.escape(content)}</{tag}>")
        elif kind == "text":
            parts.append(f"<p>{html.escape(content)}</p>")
        elif kind == "labelled":
            parts.append(f"<p><b>{content[0]}.</b> {html.escape(content[1])}</p>")
        elif kind == "figure":
            parts.append(figure_html(content, figures))
        else:
            parts.append(table_html(content))
    title = html.escape(blocks[0][1])
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
            f"<style>{STYLE}</style></head><body>\n" + "\n".join(parts) + "\n</body></html>\n")
