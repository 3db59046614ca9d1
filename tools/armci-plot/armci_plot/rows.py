# SPDX-License-Identifier: BSD-3-Clause
"""Reads the results of armci-bench, CSV or JSON, and says in words what tells them apart."""

import csv
import decimal
import json
import math
import os

# What tells the lines of a figure apart, in the order in which a label names it. Not the route: the
# library may change it along a line.
DISTINCTIONS = ("file", "operation", "mode", "type", "run", "size", "dims", "window", "actors")
# Columns that a figure needs; files of other programs do not have them.
NEEDED = ("operation", "mode", "bytes", "layout", "run_bytes", "run_count", "dims", "type", "window",
          "actors", "status", "median_us", "mbytes_per_s")


class PlotError(Exception):
    """Something the user can put right."""


def number(row, column):
    try:
        value = float(row[column])
        if math.isfinite(value):
            return value
    except (TypeError, ValueError):
        pass
    raise PlotError(f"{row['file']}: '{row[column]}' in column {column} is not a number")


def optional_number(row, column):
    """None if the file has no such column, or the row no such figure."""
    return number(row, column) if row.get(column) else None


def format_bytes(count):
    """8, 1K, 62.5K, 8M: three digits, so that patches that were rounded down share a label."""
    units = ["G", "M", "K", ""]
    while count >= 1024 and len(units) > 1:
        count /= 1024
        units.pop()
    return f"{count:.0f}{units[-1]}" if count >= 1000 else f"{count:.3g}{units[-1]}"


def format_number(value):
    """0.1, 20, 10 000: without an exponent."""
    # Shortest digits that give the value, as f"{value:.10g}" has them, but all of their places.
    return f"{decimal.Decimal(f'{value:.10g}'):,f}".replace(",", "\u2009")


def split_label(argument):
    """FILE or LABEL=FILE."""
    label, equals, path = argument.partition("=")
    if equals and not os.path.exists(argument):
        return label, path
    return os.path.splitext(os.path.basename(argument))[0], argument


def read_rows(path, label):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            text = file.read()
            is_json = text.startswith("{")
            if text and not is_json and not text.endswith("\n"):
                raise ValueError("its last line does not end; is it cut off?")
            file.seek(0)
            columns, rows = read_json(file) if is_json else read_csv(file)
    except OSError as error:
        raise PlotError(f"{path}: {error.strerror}") from None
    except (ValueError, csv.Error) as error:
        raise PlotError(f"{path}: {error}") from None
    missing = [name for name in NEEDED if name not in columns]
    if missing:
        raise PlotError(f"{path}: not a file of armci-bench: no column {', '.join(missing)}")
    for row in rows:
        row["file"] = label
    return [row for row in rows if row["status"] == "ok"]


def read_csv(file):
    reader = csv.DictReader(file)
    rows = []
    for row in reader:
        # Files of a job that was ended may end so, perhaps in the middle of a number.
        if None in row or None in row.values():
            fields = sum(value is not None for name, value in row.items() if name) + len(row.get(None, ()))
            raise ValueError(f"line {reader.line_num} has {fields} fields, not {len(reader.fieldnames)}; is it cut off?")
        rows.append(row)
    return reader.fieldnames or (), rows


def read_json(file):
    """As the CSV file of the same run would be read."""
    document = json.load(file)
    settings = document.get("settings", {})
    rows = []
    for row in document.get("rows", ()):
        texts = {name: text_of(value) for name, value in row.items()}
        texts.setdefault("type", text_of(settings.get("type")) if "acc" in texts.get("operation", "") else "")
        texts.setdefault("window", text_of(settings.get("window")) if texts.get("mode") == "window" else "")
        rows.append(texts)
    # Rows that failed have fewer members.
    columns = set(NEEDED) if any(row.get("status", "ok") != "ok" for row in rows) else set()
    return columns.union(*rows), rows


def text_of(value):
    if value is None:
        return ""
    return " ".join(map(text_of, value)) if isinstance(value, list) else str(value)


def parse_condition(text):
    column, equals, values = text.partition("=")
    if not equals:
        raise PlotError(f"--where {text}: COLUMN=VALUE[,VALUE...] is wanted")
    return column, values.split(",")


def select(rows, conditions):
    for column, values in conditions:
        if rows and column not in rows[0]:
            known = ", ".join(name for name in rows[0] if name)
            raise PlotError(f"--where {column}: there is no such column; there are {known}")
        kept = [row for row in rows if row[column] in values]
        if rows and not kept:
            found = ", ".join(sorted({row[column] for row in rows}))
            raise PlotError(f"--where {column}={','.join(values)}: no row left; there are {found}")
        rows = kept
    return rows


def describe(row, without=None):
    """The distinctions of a row, as words for a label; empty where it has none of that kind."""
    words = {
        "file": row["file"],
        "operation": row["operation"],
        "mode": row["mode"],
        "type": row["type"],
        "window": row["window"] and f"{row['window']} at a time",
        "actors": "by 1 rank" if row["actors"] == "1" else f"by {row['actors']} ranks",
    }
    run = format_bytes(number(row, "run_bytes"))
    if row["layout"].startswith("vector"):
        words["run"] = f"segments of {run}"
        words["size"] = f"{row['run_count']} segments"
    else:
        words["size"] = format_bytes(number(row, "bytes"))
        if row["layout"][1:].startswith("-D"):
            words["run"] = f"blocks of {run}" if row["dims"] != "1" else "one block"
            words["dims"] = f"{row['dims']}-D"
    words.pop(without, None)
    return words


def differing(described):
    """The distinctions in which they differ."""
    return [name for name in DISTINCTIONS
            if len({words[name] for words in described if words.get(name)}) > 1]


def make_label(words, names):
    """With what differs only."""
    parts = [words[name] for name in names if words.get(name) and name != "file"]
    if not parts and "file" not in names:
        parts = [words["operation"], words["mode"]]
    label = " ".join(parts)
    if "file" in names:
        return f"{words['file']}: {label}" if label else words["file"]
    return label


def make_labels(rows):
    described = [describe(row) for row in rows]
    names = differing(described)
    return [make_label(words, names) for words in described]
