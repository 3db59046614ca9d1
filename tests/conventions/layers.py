#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the files of src/ include only what layers.txt allows, and that their includes have no cycles."""

import pathlib
import re
import sys

import tree

TABLE = pathlib.Path(__file__).parent / "layers.txt"
SOURCE = tree.ROOT / "src"

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
EXTERNAL = {"mpi.h": "<mpi>", "hwloc.h": "<hwloc>"}


class Layer:
    def __init__(self, folder, allowed):
        self.folder = folder
        self.allowed = allowed

    def may_include(self, target):
        return any(target == name or target.startswith(f"{name}/") for name in (self.folder, *self.allowed))


def read_table(complaints):
    layers = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        folder, *allowed = words
        for name in allowed:
            has_row = any(f"{row}/".startswith(f"{name}/") for row in layers)
            if not name.startswith("<") and not has_row:
                complaints.append(f"layers.txt: {folder} names {name}, which has no row above it")
        layers[folder] = Layer(folder, allowed)
    for folder in layers:
        if not (SOURCE / folder).is_dir():
            complaints.append(f"layers.txt: there is no folder src/{folder}")
    return layers


def row_of(folder, layers):
    """The row that a folder belongs to, or None."""
    for candidate in (folder, *(parent.as_posix() for parent in pathlib.PurePosixPath(folder).parents)):
        if candidate in layers:
            has_rows_below = any(name.startswith(f"{candidate}/") for name in layers)
            return None if has_rows_below and candidate != folder else candidate
    return None


def target_of(quoted, angled):
    """What an include is of, as layers.txt calls it; None if it is of the standard library."""
    if quoted is None:
        if angled.startswith("rdma/"):
            return "<libfabric>"
        return EXTERNAL.get(angled)
    if quoted.startswith("armci/"):
        return "<armci>"
    return pathlib.PurePosixPath(quoted).parent.as_posix()


def unit_of(name):
    """A .h and the .cpp of the same name are one unit."""
    return pathlib.PurePosixPath(name).with_suffix("").as_posix()


def reachable(unit, arrows):
    found, pending = set(), [unit]
    while pending:
        for target in arrows.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found


def cyclic_arrows(arrows):
    reached = {unit: reachable(unit, arrows) for unit in arrows}
    return [(unit, target) for unit in arrows for target in sorted(arrows[unit]) if unit in reached.get(target, ())]


def main():
    complaints = []
    layers = read_table(complaints)
    arrows = {folder: {} for folder in layers}
    used = set()
    for path in tree.files_with(".h", ".cpp", ".c"):
        if not path.is_relative_to(SOURCE):
            continue
        name = path.relative_to(SOURCE).as_posix()
        row = row_of(pathlib.PurePosixPath(name).parent.as_posix(), layers)
        if row is None:
            complaints.append(f"src/{name}: layers.txt has no row for its folder")
            continue
        targets = arrows[row].setdefault(unit_of(name), set())
        for quoted, angled in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = target_of(quoted or None, angled)
            if target is None:
                continue
            if not layers[row].may_include(target):
                complaints.append(f"src/{name}: includes {quoted or angled}, which layers.txt does not allow")
            used.update((row, allowed) for allowed in layers[row].allowed if f"{target}/".startswith(f"{allowed}/"))
            if quoted and row_of(target, layers) == row and unit_of(quoted) != unit_of(name):
                targets.add(unit_of(quoted))
    for layer in layers.values():
        cyclic = cyclic_arrows(arrows[layer.folder])
        print(f"{layer.folder}: {len(arrows[layer.folder])} units")
        for allowed in layer.allowed:
            if (layer.folder, allowed) not in used:
                print(f"    note: includes nothing of {allowed}, which layers.txt allows")
        complaints += (f"src/{unit}: its include of {target} lies on a cycle" for unit, target in cyclic)
    print("\n".join(complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
