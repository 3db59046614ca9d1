# SPDX-License-Identifier: BSD-3-Clause
"""The files of the project that its conventions are about."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]

FOLDERS = (".ci", "benchmarks", "cmake", "docs", "examples", "include", "python", "scripts", "src", "tests", "tools")
# Inputs of the fuzzers, which no person has written.
LEFT_OUT = (ROOT / "tests" / "fuzz" / "corpus",)


def files():
    """All files of the project's folders and of its root, in the order of their names. Not git's list:
    the project may also have been unpacked from an archive."""
    found = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return sorted(
        path
        for path in found
        if "__pycache__" not in path.parts and not any(path.is_relative_to(folder) for folder in LEFT_OUT)
    )


def files_with(*suffixes):
    return [path for path in files() if path.suffix in suffixes]


def name(path):
    """A file's name as messages show it: relative to the project's root."""
    return path.relative_to(ROOT).as_posix()
