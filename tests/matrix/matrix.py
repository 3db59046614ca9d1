#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The pass matrix of docs/compatibility.md: which multi-rank programs pass, by provider, version of
libfabric and MPI.

    matrix.py run BUILD [--mpiexec PROGRAM] [--binaries WORDS] [--update]
        Runs the programs of a build over each provider, and prints a row of the table. --update
        writes it into docs/compatibility.md. libfabric and MPI are those that the dynamic linker
        finds (LD_LIBRARY_PATH). WORDS say what the programs were built with, if not with these.
    matrix.py check
        Whether the table has the form that this program gives it.

A cell is "passed of run". A hyphen means that this libfabric has no such provider.
"""
import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "compatibility.md"
BEGIN = "<!-- The table is made by tests/matrix/matrix.py. -->\n"
PROVIDERS = ["tcp;ofi_rxm", "tcp", "sockets", "udp;ofi_rxd", "shm"]
RANKS = 2
# A program, and which of its tests: all kinds of operations, each on both routes.
PROGRAMS = [
    ("mp_transfer", "Contiguous*:Strided*:Vector*:NonBlocking*-*HundredThousandBlocks"),
    ("mp_sync", "Accumulate*:Fence*:Flag*:Mutex*:Rmw*"),
    ("mp_world", "Memory*:Group*:Message*"),
]
NO_PROVIDER = "no network between the nodes"
USED = re.compile(r"^\s*ARMCI_PROVIDER\s*=\s*(\S+)", re.MULTILINE)
FAILED = re.compile(r"^\[  FAILED  \]", re.MULTILINE)
HEAD = ["libfabric", "MPI", "programs built with"] + [f"`{name}`" for name in PROVIDERS]
CELL = re.compile(r"-|(\d+) of (\d+)")


def libfabric_version():
    library = ctypes.CDLL("libfabric.so.1")
    library.fi_version.restype = ctypes.c_uint32
    version = library.fi_version()
    return f"{version >> 16}.{version & 0xffff}"


def mpi_version(mpiexec):
    done = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=True)
    text = done.stdout + done.stderr
    open_mpi = re.search(r"\((?:Open MPI|OpenRTE)\) (\S+)", text)
    if open_mpi:
        return "Open MPI " + open_mpi[1]
    return "MPICH " + re.search(r"Version:\s*(\S+)", text)[1]


def environment(provider):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("ARMCI_", "FI_"))}
    return kept | {"ARMCI_PROVIDER": provider, "ARMCI_NODE_SIZE": "1", "ARMCI_ROUTE": "alternate",
                   "ARMCI_VERBOSE": "1", "TEST_EFFORT": "low"}


def run_provider(build, mpiexec, provider):
    passed = 0
    for program, tests in PROGRAMS:
        job = subprocess.run(
            [mpiexec, "-n", str(RANKS), str(build / "tests" / "mp" / program),
             "--gtest_filter=" + tests],
            env=environment(provider), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        used = USED.search(job.stdout)
        if NO_PROVIDER in job.stdout or (used and used[1] != provider):
            return "-"
        if job.returncode == 0 and used and not FAILED.search(job.stdout):
            passed += 1
        else:
            sys.stderr.write(f"{provider}: {program} failed, status {job.returncode}\n{job.stdout}")
    return f"{passed} of {len(PROGRAMS)}"


def make_row(build, mpiexec, binaries):
    names = [libfabric_version(), mpi_version(mpiexec)]
    return names + [binaries or "the same"] + [
        run_provider(build, mpiexec, provider) for provider in PROVIDERS]


def sort_key(row):
    return [int(number) for number in row[0].split(".")], row[1], row[2] != "the same", row[2]


def render(rows):
    lines = [HEAD] + sorted(rows, key=sort_key)
    text = ["| " + " | ".join(line) + " |\n" for line in lines]
    return "".join(text[:1] + ["|" + "---|" * len(HEAD) + "\n"] + text[1:])


def split_page():
    """The text before the table, its lines, and the text behind it."""
    before, found, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    if not found:
        sys.exit(f"matrix: {PAGE} has no line {BEGIN}")
    lines = rest.splitlines(keepends=True)
    end = next((i for i, line in enumerate(lines) if not line.startswith("|")), len(lines))
    return before + found, lines[:end], "".join(lines[end:])


def parse(lines):
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return rows[2:]


def update(row):
    before, lines, behind = split_page()
    rows = [old for old in parse(lines) if old[:3] != row[:3]] + [row]
    PAGE.write_text(before + render(rows) + behind, encoding="utf-8")


def check():
    _, lines, _ = split_page()
    rows = parse(lines)
    wrong = [] if "".join(lines) == render(rows) else ["the table was not written by this program"]
    for row in rows:
        for cell in row[3:]:
            matched = CELL.fullmatch(cell)
            if not matched or (matched[1] and int(matched[2]) != len(PROGRAMS)):
                wrong.append(f"{' '.join(row[:2])}: \"{cell}\" is no result")
    for what in ("1.17", "2.1", "2.5"):
        if what not in {row[0] for row in rows}:
            wrong.append(f"no row for libfabric {what}")
    for what in ("MPICH 4", "MPICH 5", "Open MPI 4"):
        if not any(row[1].startswith(what) for row in rows):
            wrong.append(f"no row for {what}")
    for line in wrong:
        print("matrix: " + line, file=sys.stderr)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run")
    run.add_argument("build", type=pathlib.Path)
    run.add_argument("--mpiexec", default="/usr/bin/mpiexec.mpich")
    run.add_argument("--binaries", default="")
    run.add_argument("--update", action="store_true")
    commands.add_parser("check")
    arguments = parser.parse_args()
    if arguments.command == "check":
        return check()
    row = make_row(arguments.build, arguments.mpiexec, arguments.binaries)
    print("| " + " | ".join(row) + " |")
    if arguments.update:
        update(row)
    return 0 if all(cell == "-" or cell.split()[0] == cell.split()[2] for cell in row[3:]) else 1


if __name__ == "__main__":
    sys.exit(main())
