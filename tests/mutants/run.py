#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants one mistake at a time in a copy of the sources and demands that a test named for it fails.

  run.py [NAME...]    these mutants, or all, in build/mutants; exit status 0 if each was caught
  run.py --list       the names, and what each mistake is
  run.py --check      only that each mutant applies and that its test exists (a second or less)

A mutant that only a time limit ends is not caught, unless it says so. README.md has the format.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = WORK / "build"
# Far above what any of the tests takes on a busy machine.
TIME_LIMIT_S = 600
# Folders of tests whose programs are known here.
TEST_SOURCES = {"unit": "tests/unit", "mp": "tests/mp"}


class Mistake(Exception):
    """A mutant that cannot be used as it is written."""


class Mutant:
    """One file of this folder."""

    def __init__(self, path):
        self.name = path.stem
        text = path.read_text()
        head, *changes = re.split(r"^<<<<\n", text, flags=re.MULTILINE)
        self.what = " ".join(line[2:] for line in head.splitlines() if line.startswith("# "))
        fields = dict(re.findall(r"^(file|test|hangs): (.+)$", head, flags=re.MULTILINE))
        if not self.what or not changes or "file" not in fields or "test" not in fields:
            raise Mistake(f"{self.name}: needs a sentence, file:, test: and at least one change")
        self.file = fields["file"]
        self.test = fields["test"].split()
        self.may_hang = "hangs" in fields
        self.changes = []
        for change in changes:
            parts = re.fullmatch(r"(.*?)^====\n(.*?)^>>>>\n\s*", change, re.MULTILINE | re.DOTALL)
            if parts is None or not parts[1].strip():
                raise Mistake(f"{self.name}: a change is <<<<, old text, ====, new text, >>>>")
            self.changes.append((parts[1].strip(), parts[2].strip()))

    def applied(self, text):
        """The text with the mistake. White space between words may differ from the mutant's."""
        for old, new in self.changes:
            pattern = r"\s+".join(re.escape(word) for word in old.split())
            text, count = re.subn(pattern, lambda _: new, text)
            if count != 1:
                raise Mistake(f"{self.name}: {self.file} has this text {count} times, not once: "
                              f"{' '.join(old.split())}")
        return text

    def check(self):
        """Checks that it applies to the sources, and that the test exists."""
        source = ROOT / self.file
        if not source.is_file():
            raise Mistake(f"{self.name}: there is no {self.file}")
        text = source.read_text()
        if self.applied(text) == text:
            raise Mistake(f"{self.name}: changes nothing")
        Test(self.test).check(self.name)


class Test:
    """The test that must fail: a line of words of which the first says what runs it."""

    def __init__(self, words):
        self.kind, *self.words = words

    def check(self, mutant):
        if self.kind in TEST_SOURCES:
            suite, _, case = self.words[-1].partition(".")
            # Prefix/Suite.Case/parameter, or Suite/number.Case of a list of types.
            suite = re.sub(r"/\d+$", "", suite).split("/")[-1]
            case = re.escape(case.split("/")[0]).replace(r"\*", r"\w*")
            pattern = re.compile(rf"TEST\w*\(\s*{re.escape(suite)},\s*{case}\)")
            sources = (ROOT / TEST_SOURCES[self.kind]).glob("*.cpp")
            if not any(pattern.search(source.read_text()) for source in sources):
                raise Mistake(f"{mutant}: there is no test {suite}.{case} in "
                              f"{TEST_SOURCES[self.kind]}")
        elif self.kind not in ("sim", "scale", "calls"):
            raise Mistake(f"{mutant}: test: unit, mp, sim, scale or calls, not {self.kind}")

    def target(self):
        return {"unit": "armci_unit_tests", "sim": "armci_sim", "scale": "armci_scale",
                "calls": "errors_bad_call"}.get(self.kind, f"mp_{self.words[0]}")

    def run(self, log):
        """Returns (exit status, None if the time limit ended it; seconds)."""
        environment = dict(os.environ)
        tests = BUILD / "tests"
        if self.kind == "unit":
            command = [tests / "unit" / "armci_unit_tests", f"--gtest_filter={self.words[0]}"]
        elif self.kind in ("sim", "scale"):
            command = [tests / "sim" / f"armci_{self.kind}", *self.words]
        elif self.kind == "calls":
            command = [sys.executable, "-B", TREE / "tests/errors/run_calls.py", mpiexec(),
                       tests / "errors" / "errors_bad_call", *self.words]
        else:
            program, ranks, *settings, name = self.words
            environment.update(setting.split("=", 1) for setting in settings)
            command = [mpiexec(), "-n", ranks, tests / "mp" / f"mp_{program}",
                       f"--gtest_filter={name}"]
        started = time.monotonic()
        with open(log, "wb") as out:
            process = subprocess.Popen([str(word) for word in command], env=environment, stdout=out,
                                       stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                       start_new_session=True)
            try:
                status = process.wait(TIME_LIMIT_S)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        return status, time.monotonic() - started

    def was_run(self, log):
        """Whether the log of a success shows that something was tested."""
        return self.kind in ("sim", "scale", "calls") or "[       OK ] " in log.read_text(errors="replace")


def mpiexec():
    cache = (BUILD / "CMakeCache.txt").read_text()
    return re.search(r"^MPIEXEC_EXECUTABLE:\w+=(.*)$", cache, re.MULTILINE)[1]


def copy_sources():
    """Brings TREE up to date; what has not changed keeps its time, so that it is not compiled."""
    wanted = set()
    for folder, folders, files in os.walk(ROOT):
        here = pathlib.Path(folder)
        relative = here.relative_to(ROOT)
        if here == ROOT:
            folders[:] = [name for name in folders if name not in ("build", ".git", ".cache")]
        (TREE / relative).mkdir(parents=True, exist_ok=True)
        for name in files:
            wanted.add(relative / name)
            source, copy = here / name, TREE / relative / name
            content = source.read_bytes()
            if not copy.is_file() or copy.read_bytes() != content:
                shutil.copy(source, copy)
    for folder, _, files in os.walk(TREE):
        for name in files:
            copy = pathlib.Path(folder) / name
            if copy.relative_to(TREE) not in wanted:
                copy.unlink()


def build(target, log):
    with open(log, "ab") as out:
        return subprocess.run(["cmake", "--build", BUILD, "--parallel", str(os.cpu_count() or 1),
                               "--target", target], stdout=out, stderr=subprocess.STDOUT,
                              check=False).returncode == 0


def configure(log):
    # Each file on its own and little optimised, since most of the time goes into compiling one file
    # again; without assertions, as the library ships.
    with open(log, "wb") as out:
        subprocess.run(["cmake", "-G", "Ninja", "-S", TREE, "-B", BUILD, "--log-level=WARNING",
                        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
                        "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG", "-DARMCI_BUILD_TESTS=ON",
                        "-DMPI_C_COMPILER=/usr/bin/mpicc.mpich",
                        "-DMPI_Fortran_COMPILER=/usr/bin/mpifort.mpich",
                        "-DMPIEXEC_EXECUTABLE=/usr/bin/mpiexec.mpich"],
                       stdout=out, stderr=subprocess.STDOUT, check=True)


def run_unmutated(mutants):
    """Builds all, and runs each test once without a mistake; returns whether all passed."""
    log = WORK / "build.log"
    tests = {tuple(mutant.test): Test(mutant.test) for mutant in mutants}
    for target in sorted({test.target() for test in tests.values()}):
        print(f"building {target}", flush=True)
        if not build(target, log):
            print(f"run.py: {target} does not build without a mistake: {log}")
            return False
    good = True
    log = WORK / "unmutated.log"
    for words, test in tests.items():
        status, _ = test.run(log)
        if status != 0 or not test.was_run(log):
            print(f"run.py: fails or does not exist without a mistake: {' '.join(words)}\n"
                  f"{log.read_text(errors='replace')[-4000:]}")
            good = False
    return good


def run(mutant):
    """Returns (the outcome, whether the mutant is caught)."""
    copy = TREE / mutant.file
    right = copy.read_text()
    log = WORK / f"{mutant.name}.log"
    log.unlink(missing_ok=True)
    started = time.monotonic()
    try:
        copy.write_text(mutant.applied(right))
        test = Test(mutant.test)
        if not build(test.target(), log):
            return f"DOES NOT BUILD: {log}", False
        building = time.monotonic() - started
        status, seconds = test.run(log)
    finally:
        copy.write_text(right)
    times = f"{building:4.0f} s to build, {seconds:4.0f} s to find"
    if status is None:
        return f"{'hangs, as it may' if mutant.may_hang else 'HANGS'}, {times}", mutant.may_hang
    return ("SURVIVES" if status == 0 else "caught") + f", {times}", status != 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    try:
        mutants = [Mutant(path) for path in sorted(HERE.glob("*.mutant"))]
        unknown = set(arguments.names) - {mutant.name for mutant in mutants}
        if unknown or not mutants:
            raise Mistake(f"no such mutants: {' '.join(sorted(unknown)) or 'none at all'}")
        if arguments.names:
            mutants = [mutant for mutant in mutants if mutant.name in arguments.names]
        if arguments.list:
            for mutant in mutants:
                print(f"{mutant.name}: {mutant.what}")
            return 0
        problems = []
        for mutant in mutants:
            try:
                mutant.check()
            except Mistake as problem:
                problems.append(str(problem))
        if problems:
            raise Mistake("\n".join(problems))
    except Mistake as problem:
        print(problem, file=sys.stderr)
        return 2
    if arguments.check:
        print(f"{len(mutants)} mutants apply, and their tests exist")
        return 0
    copy_sources()
    configure(WORK / "build.log")
    if not run_unmutated(mutants):
        return 1
    survivors = 0
    width = max(len(mutant.name) for mutant in mutants)
    for mutant in mutants:
        outcome, is_caught = run(mutant)
        survivors += not is_caught
        print(f"{mutant.name:{width}}  {outcome}  ({' '.join(mutant.test)})", flush=True)
    print(f"{len(mutants)} mutants, {survivors} not caught; logs in {WORK}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
