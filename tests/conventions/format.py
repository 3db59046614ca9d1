#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that C and C++ files are formatted as clang-format does it with the project's .clang-format.

usage: format.py          names the places that are not, and fails if there are any
       format.py --fix    formats in place

Each release of clang-format breaks some lines elsewhere, so one of them decides: Debian 12's.
"""

import re
import shutil
import subprocess
import sys

import tree

VERSION = 14
SKIPPED = 77


def find_program():
    """The program, or why there is none."""
    others = []
    for name in (f"clang-format-{VERSION}", "clang-format"):
        program = shutil.which(name)
        if program is None:
            continue
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        major = re.search(r"version (\d+)", said)
        if major and int(major.group(1)) == VERSION:
            return program, None
        others.append(said.strip())
    return None, f"needs clang-format {VERSION}, found {', '.join(others) or 'none'}"


def main(arguments):
    if arguments not in ([], ["--fix"]):
        print(__doc__, file=sys.stderr)
        return 2
    program, reason = find_program()
    if program is None:
        print(f"skipped: {reason}")
        return SKIPPED
    how = ["-i"] if arguments else ["--dry-run", "--Werror"]
    names = [tree.name(path) for path in tree.files_with(".c", ".cpp", ".h")]
    status = subprocess.run([program, *how, "--style=file", *names], cwd=tree.ROOT, check=False).returncode
    if status != 0:
        print("`python3 -B tests/conventions/format.py --fix` formats all files")
    return 1 if status != 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
