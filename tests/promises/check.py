#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that every sentence of the public headers and of docs/semantics.md that promises something
names a test, and that this test runs on every route.

usage: check.py SOURCE LISTING PROGRAMS CTEST

SOURCE is the project's folder; in the folder LISTING, the program CTEST lists the project's tests;
PROGRAMS has a line "program TAB source file" for each source of a test program. README.md tells the
form of the tables and of the tags.
"""

import argparse
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field

import sentences

ROUTES = ("local", "rma", "server", "auto")
NIGHTLY = "nightly"
NAME = r"[a-z0-9]+(?:[.-][a-z0-9]+)*"
TAG = re.compile(rf"^\s*(?://|#|/?\*)\s*promise: ({NAME}(?:, {NAME})*)\s*(?:\*/)?$")
COMMENT = re.compile(r"^\s*(//|/?\*)")
PYTHON_COMMENT = re.compile(r"^\s*#")
GTEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)")
# A line of a table in tests/errors/calls.
CALL = re.compile(r"^\s*(?:CASE\(\w+, \w+, (\w+)\)|(?:CHECK|CHECK_EARLY|CHECK_LATE|HARMLESS)\()")


# ---- Tables ----


@dataclass
class Promise:
    routes: frozenset = frozenset(ROUTES)
    nightly: bool = False
    known_open: bool = False
    tests: list = field(default_factory=list)


def parse_routes(text, where):
    """ "none (why)" or "local server, nightly (why)"."""
    found = re.fullmatch(r"([a-z ]+)(, nightly)? \(.+\)", text)
    words = found.group(1).split() if found else []
    if words == ["none"]:
        words = []
    elif not words or not set(words) <= set(ROUTES):
        sys.exit(f"{where}: routes are none or some of {' '.join(ROUTES)}, and a reason: {text}")
    return frozenset(words), bool(found.group(2))


def read_table(path, promises):
    """The file that the table is about, and its sentences; adds to the promises."""
    about = None
    quoted = []
    declared = {}
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        quote = [line[1:] for line in lines if line.startswith(">")]
        rest = [line for line in lines if not line.startswith(">")]
        if not lines:
            continue
        where = f"{path.name}: {lines[0]}"
        if not quote and rest[0].startswith("file: "):
            about = rest[0].removeprefix("file: ")
            continue
        if not quote or not rest:
            sys.exit(f"{where}: an entry has a quoted sentence and what it promises")
        quoted.append(sentences.normal(" ".join(quote)))
        names = []
        for line in rest:
            key, _, value = line.partition(": ")
            if key == "promise":
                names = value.split(", ")
                for name in names:
                    if not re.fullmatch(NAME, name):
                        sys.exit(f"{where}: {name} is no name of a promise")
                    promises.setdefault(name, Promise())
            elif key == "routes" and names:
                for name in names:
                    declared[name] = parse_routes(value, where)
            elif key == "open" and names and value:
                for name in names:
                    promises[name].known_open = True
            elif key != "none" or not value or names:
                sys.exit(f"{where}: no line of an entry: {line}")
    for name, (routes, nightly) in declared.items():
        promises[name].routes = routes
        promises[name].nightly = nightly
    return about, quoted


def check_sentences(source, about, quoted, table):
    found = sentences.of_file(source / about)
    complaints = [f"{table}: {about} has no such sentence (any more):\n    > {sentence}"
                  for sentence in (Counter(quoted) - Counter(found)).elements()]
    complaints += [f"{about}: {table} does not say what this sentence promises:\n    > {sentence}"
                   for sentence in (Counter(found) - Counter(quoted)).elements()]
    return complaints


# ---- Tags ----


@dataclass
class Tagged:
    """A tested promise: a case of a file, or everything that the file's programs do."""

    name: str
    file: pathlib.Path
    line: int
    gtest: str = ""
    shape: str = ""


def read_tags(file):
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    comment = PYTHON_COMMENT if file.suffix in (".py", ".sh") else COMMENT
    for number, line in enumerate(lines):
        found = TAG.match(line)
        if not found:
            if comment.match(line) and "promise: " in line:
                sys.exit(f"{file}:{number + 1}: a tag has a line of its own, and names with commas")
            continue
        code = next((after for after in lines[number + 1 :]
                     if after.strip() and not comment.match(after)), "")
        test = GTEST.match(code)
        call = CALL.match(code)
        for name in found.group(1).split(", "):
            tagged = Tagged(name, file, number + 1)
            if test:
                suite = test.group(1) + ("/0" if code.startswith("TYPED_") else "")
                tagged.gtest = f"{suite}.{test.group(2)}"
            elif call:
                tagged.shape = (call.group(1) or "ANY").lower()
            yield tagged


def all_tags(source):
    for file in sorted((source / "tests").rglob("*")):
        if file.suffix in (".c", ".cpp", ".h", ".py", ".sh") and file.parent.name != "promises":
            yield from read_tags(file)


# ---- Tests ----


def matches(filter_text, name):
    positive, _, negative = filter_text.partition("-")
    chosen = any(fnmatch.fnmatchcase(name, p) for p in (positive or "*").split(":"))
    return chosen and not any(fnmatch.fnmatchcase(name, n) for n in negative.split(":") if n)


class Test:
    """One of ctest's."""

    def __init__(self, description):
        properties = {p["name"]: p["value"] for p in description.get("properties", [])}
        self.name = description["name"]
        self.command = description.get("command", [])
        self.nightly = NIGHTLY in properties.get("LABELS", [])
        self.environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        self.filter = next((word.removeprefix("--gtest_filter=") for word in self.command
                            if word.startswith("--gtest_filter=")), "*")

    def route(self):
        """The route that it surely tests, or none."""
        config = dict(pair.split("=", 1) for pair in
                      re.sub(r"^[^[]*\[?|\]$", "", self.name).split(",") if "=" in pair)
        ranks = int(config.get("np", 2))
        size = self.environment.get("ARMCI_NODE_SIZE", config.get("node"))
        # Other memory and failing networks take routes of their own.
        special = self.environment.get("TEST_MEMORY") == "attached" or "ARMCI_FAULTS" in self.environment
        if size is None or special or ranks < 2:
            return None
        if size in ("0", "all") or int(size) >= ranks:
            return "local"
        route = self.environment.get("ARMCI_ROUTE")
        return route if route in ROUTES else None

    def runs(self, tagged, programs):
        files = {tagged.file, *programs.get(tagged.file, ())}
        if not any(str(file) in self.command for file in files):
            return False
        if tagged.gtest:
            return matches(self.filter, tagged.gtest)
        if tagged.shape:
            return any(tagged.shape in word.split(",") for word in self.command)
        return True


def read_programs(path):
    """Programs by source file."""
    programs = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        program, _, source = line.partition("\t")
        programs.setdefault(pathlib.Path(source), set()).add(pathlib.Path(program))
    return programs


def read_tests(ctest, listing_folder):
    listing = subprocess.run([ctest, "--show-only=json-v1"], cwd=listing_folder, check=True,
                             stdout=subprocess.PIPE, text=True)
    return [Test(test) for test in json.loads(listing.stdout)["tests"]]


def open_points(name, promise, tests, programs):
    """Describes what the promise lacks; empty if nothing."""
    if not promise.tests:
        return f"{name}: no test"
    running = [test for test in tests if (promise.nightly or not test.nightly)
               and any(test.runs(tagged, programs) for tagged in promise.tests)]
    missing = promise.routes - {test.route() for test in running}
    if missing:
        return f"{name}: no test on {' '.join(route for route in ROUTES if route in missing)}"
    return "" if running else f"{name}: its tests are not run"


# ---- All ----


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "listing", "programs"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("ctest")
    arguments = parser.parse_args()
    source = arguments.source.resolve()

    promises = {}
    complaints = []
    sentence_count = 0
    for table in sorted((source / "tests/promises/tables").glob("*.txt")):
        about, quoted = read_table(table, promises)
        complaints += check_sentences(source, about, quoted, table.relative_to(source))
        sentence_count += len(quoted)
    tag_count = 0
    for tagged in all_tags(source):
        tag_count += 1
        if tagged.name in promises:
            promises[tagged.name].tests.append(tagged)
        else:
            complaints.append(f"{tagged.file.relative_to(source)}:{tagged.line}: "
                              f"no table has the promise {tagged.name}")
    programs = read_programs(arguments.programs)
    tests = read_tests(arguments.ctest, arguments.listing)
    known_open = []
    for name, promise in promises.items():
        text = open_points(name, promise, tests, programs)
        if promise.known_open and text:
            known_open.append(f"known to be open: {text}")
        elif promise.known_open:
            complaints.append(f"{name}: is not open any more: remove the line from its table")
        elif text:
            complaints.append(text)

    print(f"{sentence_count} sentences, {len(promises)} promises, {tag_count} tags in tests, "
          f"{len(known_open)} promises open")
    for text in known_open + complaints:
        print(text)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
