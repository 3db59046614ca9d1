#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that each source file names its licence in its first line, or in its second after a "#!" line.

usage: licence.py          names the files that do not, and fails if there are any
       licence.py --add    adds the line where it is missing
"""

import sys

import tree

TAG = "SPDX-License-Identifier: BSD-3-Clause"

SUFFIXES_OF_COMMENTS = {
    "# {}": {".sh", ".py", ".pyi", ".toml", ".cmake", ".yml"},
    "// {}": {".cpp", ".h"},
    "/* {} */": {".c", ".pml", ".map"},
    "! {}": {".f90", ".F90"},
}
COMMENT_OF = {suffix: comment for comment, suffixes in SUFFIXES_OF_COMMENTS.items() for suffix in suffixes}


def comment_of(path, text):
    """How the file writes a comment of one line; None if it is not a source file."""
    if path.name == "CMakeLists.txt" or path.suffixes[-2:] == [".cmake", ".in"] or path.name == "Doxyfile.in":
        return "# {}"
    if path.suffix == "":
        return "# {}" if text.startswith("#!") else None
    # Headers that C programs include keep to the comments of C89.
    if path.suffix == ".h" and (tree.name(path).startswith("include/") or text.startswith("/*")):
        return "/* {} */"
    return COMMENT_OF.get(path.suffix)


def with_tag(path, text):
    """The text with the line that names the licence; None if it has the line or needs none."""
    comment = comment_of(path, text)
    if comment is None:
        return None
    lines = text.split("\n")
    first = 1 if text.startswith("#!") else 0
    if first < len(lines) and TAG in lines[first]:
        return None
    lines.insert(first, comment.format(TAG))
    return "\n".join(lines)


def main(arguments):
    if arguments not in ([], ["--add"]):
        print(__doc__, file=sys.stderr)
        return 2
    missing = 0
    for path in tree.files():
        try:
            text = with_tag(path, path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            continue
        if text is None:
            continue
        missing += 1
        if arguments:
            path.write_text(text, encoding="utf-8")
            print(f"{tree.name(path)}: added")
        else:
            print(f'{tree.name(path)}: has no line "{TAG}"')
    if missing and not arguments:
        print(f"{missing} files name no licence; `python3 -B tests/conventions/licence.py --add` adds it")
    return 1 if missing and not arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
