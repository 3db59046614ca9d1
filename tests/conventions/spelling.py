#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the spelling of documents and sources with codespell, which knows common misspellings.

spelling.txt lists words that codespell takes for misspellings and that are none here, one a line.
"""

import pathlib
import shutil
import subprocess
import sys

import tree

SKIPPED = 77
WORDS = pathlib.Path(__file__).parent / "spelling.txt"
SUFFIXES = (".md", ".h", ".c", ".cpp", ".py", ".pyi", ".ipynb", ".toml", ".sh", ".cmake", ".txt", ".pml", ".f90", ".F90", ".yml", ".in")


def main():
    program = shutil.which("codespell")
    if program is None:
        print("skipped: needs codespell (scripts/setup.sh test)")
        return SKIPPED
    names = [tree.name(path) for path in tree.files_with(*SUFFIXES) if path != WORDS]
    names += [name for name in ("LICENSE", "MAINTAINERS") if (tree.ROOT / name).exists()]
    # Pictures in notebooks are no words.
    ignored = ["--ignore-words", WORDS, "--ignore-regex", '"image/png": "[^"]*"']
    return subprocess.run([program, *ignored, *names], cwd=tree.ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
