# SPDX-License-Identifier: BSD-3-Clause
"""Runs a job of several ranks from outside: it has a time limit, knows all its processes, and reads
the library's messages from its output."""

import functools
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

# A job that has not ended after this many seconds hangs: no load of the machine makes it take so long.
TIME_LIMIT_S = 600
# Processes that were asked to end may take this long, on a machine that is busy.
GONE_WITHIN_S = 60
# Jobs at a time: they wait most of the time.
JOBS_AT_A_TIME = 3
# Exit status of a script that could not run any case; ctest knows it.
EXIT_SKIPPED = 77
# Every process of a job inherits this variable; its value identifies the job.
MARKER = "TEST_JOB_ID"

MESSAGE = re.compile(r"^(?:\[(?P<rank>\d+)\] )?ARMCI (?P<kind>Error|Warning): (?P<text>.*)$")

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@dataclass
class Message:
    """One line of the library on standard error."""

    kind: str
    rank: str  # empty without a number
    text: str

    def __str__(self):
        prefix = f"[{self.rank}] " if self.rank else ""
        return f"{prefix}ARMCI {self.kind}: {self.text}"


@dataclass
class Expected:
    """The expectation of one such line: how the text begins, and the fragments it contains in this order."""

    kind: str
    rank: str
    begin: str
    fragments: list = field(default_factory=list)

    def fits(self, message):
        if (message.kind, message.rank) != (self.kind, self.rank):
            return False
        if not message.text.startswith(self.begin):
            return False
        place = len(self.begin)
        for fragment in self.fragments:
            place = message.text.find(fragment, place)
            if place < 0:
                return False
            place += len(fragment)
        return True

    def __str__(self):
        return f"{Message(self.kind, self.rank, self.begin)} … {' … '.join(self.fragments)}"


def messages_in(text):
    found = (MESSAGE.match(line) for line in text.splitlines())
    return [Message(m["kind"], m["rank"] or "", m["text"]) for m in found if m]


def compare(expected, messages):
    """Complaints, if not each message is expected and each expectation met exactly once."""
    complaints = []
    left = list(messages)
    for one in expected:
        fitting = [message for message in left if one.fits(message)]
        if fitting:
            left.remove(fitting[0])
        else:
            complaints.append(f"no such message: {one}")
    complaints += [f"unexpected message: {message}" for message in left]
    return complaints


def wait_until(condition, seconds):
    """Whether the condition, asked again and again, became true within the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


# The library's settings that ctest gives a script, for jobs that should have them.
SETTINGS = {name: value for name, value in os.environ.items() if name.startswith("ARMCI_")}


@functools.cache
def mpich_version(mpiexec):
    """The version of MPICH's launcher, such as "4.0.2"; empty for others."""
    about = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"HYDRA[^:]*:\s+Version:\s+(\S+)", about.stdout)
    return found[1] if found else ""


def may_hide_kills(mpiexec):
    """Whether this launcher often ends with status 0 though a rank was killed, whatever the program:
    that of MPICH 4.2 does, that of 4.0 does not."""
    return mpich_version(mpiexec).startswith("4.2.")


def clean_environment():
    """A job has only the settings of the library that it is given."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment["ASAN_OPTIONS"] = "detect_leaks=0"
    return environment


class Record:
    """A file, named by TEST_RECORD, to which each rank adds a line when it is in the middle of its
    work. It exists inside the with statement, in a directory of its own below `directory` (or where
    temporary ones usually are)."""

    def __init__(self, directory=None):
        self.parent = directory

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory(dir=self.parent)
        self.path = os.path.join(self.directory.name, "record")
        with open(self.path, "x", encoding="ascii"):
            pass
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def lines(self):
        with open(self.path, encoding="ascii") as file:
            return file.read().splitlines()

    def complaints(self, ranks):
        """Waits until all ranks are there."""
        if wait_until(lambda: len(self.lines()) == ranks, TIME_LIMIT_S):
            return []
        return ["the ranks did not begin to communicate"]


class Job:
    """mpiexec and everything it starts."""

    def __init__(self, mpiexec, arguments, settings=None, directory=None):
        self.id = uuid.uuid4().hex
        environment = clean_environment()
        environment.update(settings or {})
        environment[MARKER] = self.id
        # timeout(1) ends the job if this script itself is killed.
        command = ["timeout", "--kill-after=5", str(2 * TIME_LIMIT_S), mpiexec, *arguments]
        self.process = subprocess.Popen(
            command,
            env=environment,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    def processes(self):
        """The processes of the job that are alive, with their command lines."""
        wanted = f"{MARKER}={self.id}".encode()
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if wanted not in file.read().split(b"\0"):
                        continue
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    found[int(entry)] = file.read().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # ended meanwhile, or another user's
        return found

    def finish(self, limit_s=TIME_LIMIT_S):
        """Waits for the end. Returns the exit status, or None if there was none within the time."""
        try:
            self.out, self.err = self.process.communicate(timeout=limit_s)
            return self.process.returncode
        except subprocess.TimeoutExpired:
            self.kill()
            self.out, self.err = self.process.communicate()
            return None

    def survivors(self):
        """What is still alive although the job has ended. Kills it."""
        wait_until(lambda: not self.processes(), GONE_WITHIN_S)
        alive = self.processes()
        self.kill()
        return alive

    def kill(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def run_and_judge(mpiexec, arguments, settings, judge):
    """Runs a job to its end. judge(status, output, messages) returns complaints; so does this, and
    the text the job wrote to standard error."""
    job = Job(mpiexec, arguments, settings)
    status = job.finish()
    if status is None:
        complaints = [f"the job did not end within {TIME_LIMIT_S} s"]
    else:
        complaints = judge(status, job.out, messages_in(job.err))
        complaints += [f"left behind: {pid} {name}" for pid, name in job.survivors().items()]
    return complaints, job.err


PASSED, FAILED, SKIPPED = "ok  ", "FAIL", "skip"


def report(name, complaints, text):
    """Prints the verdict on a case, and returns it. Without complaints (None) the case could not be
    run, and the text says why."""
    if complaints is None:
        print(f"{SKIPPED} {name}: {text}", flush=True)
        return SKIPPED
    verdict = FAILED if complaints else PASSED
    lines = [f"{verdict} {name}"]
    lines += [f"       {complaint}" for complaint in complaints]
    if complaints and text:
        lines.append("       the job wrote to standard error:")
        lines += [f"       | {line}" for line in text.splitlines()]
    print("\n".join(lines), flush=True)
    return verdict


def sum_up(verdicts):
    """Prints how many cases ended how. The exit status of the script."""
    count = Counter(verdicts)
    skipped = f", {count[SKIPPED]} skipped" if count[SKIPPED] else ""
    print(f"{count[PASSED]} of {len(verdicts)} cases passed{skipped}")
    if count[FAILED] or not verdicts:
        return 1
    return 0 if count[PASSED] else EXIT_SKIPPED


def run_all(functions, at_a_time=JOBS_AT_A_TIME):
    """Calls the functions, a few at a time. Each returns a list of (name, complaints, text), one for
    each case it ran; prints them all. The exit status of the script."""
    verdicts = []
    with ThreadPoolExecutor(at_a_time) as pool:
        for results in pool.map(lambda function: function(), functions):
            verdicts += [report(*result) for result in results]
    return sum_up(verdicts)


def main(usage, cases, at_a_time=JOBS_AT_A_TIME):
    """Of a script with the arguments MPIEXEC PROGRAM [CASE...], whose cases have a name and
    run(mpiexec, program), which returns such a list."""
    if len(sys.argv) < 3:
        print(usage, file=sys.stderr)
        return 2
    mpiexec, program, *wanted = sys.argv[1:]
    chosen = [case for case in cases if not wanted or case.name in wanted]
    return run_all([lambda case=case: case.run(mpiexec, program) for case in chosen], at_a_time)
