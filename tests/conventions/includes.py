#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that each file of src/ includes what declares the types that it names, itself or through the files
that it includes.

A unity build compiles several files as one, and precompiled headers have much of the standard library. Both
hide an include that is missing, and a plain build, which is CMake's default, then fails. Types that a file only
declares need no include. Not checked are names that several files define, types that a header names and another
one declares, functions and constants; of the standard library, only the names of STANDARD are.
"""

import collections
import re
import sys

import tree

SOURCE = tree.ROOT / "src"

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^\s*#\s*include[^\n]*', re.DOTALL | re.MULTILINE)
# A definition in a namespace begins its line. Others, inside a class, only tell that a name has several.
DEFINED = re.compile(
    r"^([ \t]*)(?:(?:struct|class|union|enum(?: class)?)\s+(?:\w+\([^)]*\)\s+|[A-Z_]+\s+|\[\[[^\]]*\]\]\s+)?"
    r"([A-Z]\w*)\b(?!\s*::)(?:\s+final)?[^;(){}]*\{|using ([A-Z]\w+) =)",
    re.MULTILINE,
)
# Also the parameters of templates.
DECLARED = re.compile(r"\b(?:struct|class|typename|enum)(?:\.\.\.)?\s+([A-Z]\w+)(?:\s*:\s*\w+)?\s*[;,>=]")
NAMED = re.compile(r"\b[A-Z]\w*[a-z]\w*\b")

SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)
# Names of the standard library, and the headers that declare them.
STANDARD = [
    (("size_t",), {"cstddef", "cstdio", "cstdlib", "cstring", "ctime", "pthread.h", "rdma/fabric.h", "rdma/fi_domain.h",
                   "rdma/fi_endpoint.h", "sched.h", "string", "sys/mman.h", "sys/socket.h", "unistd.h"}),
    (("std::memcpy", "std::memset", "std::memcmp", "std::memmove", "std::strlen", "std::strcmp", "std::strncpy",
      "std::strerror"), {"cstring"}),
    (("std::min", "std::max", "std::clamp", "std::sort", "std::find_if", "std::any_of", "std::all_of", "std::fill"),
     {"algorithm"}),
    (("std::move", "std::exchange", "std::pair", "std::swap"), {"utility"}),
    (("std::unique_ptr", "std::make_unique"), {"memory"}),
    (("std::snprintf", "std::fprintf", "std::printf", "std::fopen"), {"cstdio"}),
    (("std::bit_ceil", "std::bit_width", "std::bit_cast", "std::countr_zero", "std::has_single_bit"), {"bit"}),
    *(((f"std::{name}",), {name}) for name in ("array", "atomic", "optional", "span", "string", "vector")),
    (("std::function",), {"functional"}),
]
STANDARD = [(re.compile(r"(?<![\w:.>])(?:" + "|".join(names) + r")(?!\w)"), headers) for names, headers in STANDARD]

FEWEST = 1000  # names, of some 2500: with fewer, an expression above no longer fits the sources


def closure(name, includes, known):
    """The file itself and all that it includes, directly or not."""
    if name not in known:
        reached, to_do = {name}, [name]
        while to_do:
            for target in includes.get(to_do.pop(), ()):
                if target not in reached:
                    reached.add(target)
                    to_do.append(target)
        known[name] = reached
    return known[name]


def main():
    code, includes, system_includes, owners = {}, {}, {}, collections.defaultdict(set)
    declared = collections.defaultdict(set)
    for path in sorted(SOURCE.rglob("*.[ch]*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(SOURCE).as_posix()
        text = path.read_text(encoding="utf-8")
        includes[name] = INCLUDE.findall(text)
        system_includes[name] = set(SYSTEM_INCLUDE.findall(text))
        code[name] = NO_CODE.sub(" ", text)
        for match in DEFINED.finditer(code[name]):
            owners[match.group(2) or match.group(3)].add(name if match.group(1) == "" else "")
        for match in DECLARED.finditer(code[name]):
            declared[name].add(match.group(1))
    only_owner = {word: next(iter(files)) for word, files in owners.items() if len(files) == 1 and "" not in files}
    known, complaints, checked = {}, [], 0
    for name, text in code.items():
        reached = closure(name, includes, known)
        # A source file that names a type uses it, as a rule. A header may only pass it on.
        declares = reached if name.endswith(".h") else (name,)
        may_name = set().union(*(declared[file] for file in declares))
        for word in sorted(set(NAMED.findall(text))):
            owner = only_owner.get(word)
            if owner is None or not owner.endswith(".h"):
                continue
            checked += 1
            if owner not in reached and word not in may_name:
                complaints.append(f'src/{name}: names {word} without "{owner}"')
        has = set().union(*(system_includes.get(file, ()) for file in reached))
        for names, headers in STANDARD:
            found = names.search(text)
            checked += 1 if found else 0
            if found and not has & headers:
                complaints.append(f"src/{name}: names {found.group()} without <{sorted(headers)[0]}>")
    print("\n".join(complaints) if complaints else f"{len(code)} files include what declares {checked} names")
    return 1 if complaints or checked < FEWEST else 0


if __name__ == "__main__":
    sys.exit(main())
