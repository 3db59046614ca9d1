#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs cases of calls/ and checks what the library does about wrong calls.

usage: run_calls.py MPIEXEC BAD_CALL NODE_SIZE SHAPES [CASE...]

NODE_SIZE is the number of ranks per node of all cases with two ranks, 0 for all; SHAPES tells which
cases are wanted: a list of alone, node, nodes, any. Jobs get what else the environment says of the
library (ARMCI_ROUTE). Each case records what must happen
(calls/bad_call.h), and

- the library prints exactly the messages that were announced,
- the job ends with the announced status: any but 0 after an error, if nothing else was said,
- it ends within the time limit, and leaves no process behind.

Cases that can, share one job; what is said of the job holds for the child process of each then.
"""

import os
import subprocess
import sys
import tempfile

import jobs


class Record:
    """What a case expected, and if it ran in a child its output and exit status."""

    def __init__(self):
        self.expected = []
        self.statuses = set()
        self.output = []
        self.said = []
        self.ended = None

    def add(self, kind, *words):
        if kind == "expect":
            severity, rank, function, *fragments = words
            begin = f"{function}: " if function else ""
            self.expected.append(jobs.Expected(severity, rank, begin, fragments))
        elif kind == "status":
            self.statuses.add(int(words[0]))
        elif kind == "output":
            self.output.append(words[0])
        elif kind == "said":
            self.said.append("\t".join(words))
        elif kind == "ended":
            self.ended = int(words[0])
        else:
            raise ValueError(f"{kind} in the record of a case")

    def judge(self, status, output, messages):
        complaints = jobs.compare(self.expected, messages)
        lines = output.splitlines()
        complaints += [f"not printed: {line}" for line in self.output if line not in lines]
        if self.statuses:
            if {status} != self.statuses:
                complaints.append(f"exit status {status}, not {sorted(self.statuses)}")
        elif self.expected and status == 0:
            complaints.append("exit status 0 in spite of an error")
        elif not self.expected and status != 0:
            complaints.append(f"exit status {status}, not 0")
        return complaints


def read_records(path):
    """By case; the key is empty for cases with a job of their own."""
    records = {"": Record()}
    current = records[""]
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file.read().splitlines():
            kind, *words = line.split("\t")
            if kind == "case":
                current = records.setdefault(words[0], Record())
            else:
                current.add(kind, *words)
    return records


class Runner:
    def __init__(self, mpiexec, program, node_size, directory):
        self.mpiexec = mpiexec
        self.program = program
        self.node_size = node_size
        self.directory = directory

    def run(self, name, ranks, cases, judge):
        """The complaints, and the output of the job; judge(status, output, messages, records) returns
        the rest of the complaints."""
        path = os.path.join(self.directory, name)
        with open(path, "x", encoding="utf-8"):
            pass
        settings = {
            **jobs.SETTINGS,
            "ARMCI_NODE_SIZE": self.node_size,
            "TEST_RECORD": path,
        }
        return jobs.run_and_judge(
            self.mpiexec,
            ["-n", str(ranks), self.program, *cases],
            settings,
            lambda *result: judge(*result, read_records(path)),
        )

    def run_own(self, name, shape):
        def judge(status, output, messages, records):
            record = records[""]
            complaints = record.judge(status, output, messages)
            if not record.expected and not record.statuses and not name.startswith("lenient."):
                complaints.append("the case did not say what must happen")
            return complaints

        complaints, text = self.run(name, 1 if shape == "alone" else 2, [name], judge)
        return [(name, complaints, text)]

    def run_shared(self, names):
        # The job as a whole has no complaints.
        verdict = self.run("shared", 2, names, lambda *result: Record().judge(*result[:3]))
        records = read_records(os.path.join(self.directory, "shared"))
        verdicts = [("the job of the cases that share one", *verdict)]
        for name in names:
            record = records.get(name, Record())
            if record.ended is None:
                verdicts.append((name, ["the job ended before the case did"], ""))
                continue
            said = "\n".join(record.said)
            complaints = record.judge(record.ended, "", jobs.messages_in(said))
            verdicts.append((name, complaints, said))
        return verdicts


def list_cases(program, shapes):
    listing = subprocess.run([program, "--list"], check=True, stdout=subprocess.PIPE, text=True)
    cases = [line.split() for line in listing.stdout.splitlines()]
    return [case for case in cases if case[1] in shapes]


def main():
    if len(sys.argv) < 5:
        print(__doc__, file=sys.stderr)
        return 2
    mpiexec, program, node_size, shapes, *wanted = sys.argv[1:]
    cases = [c for c in list_cases(program, shapes.split(",")) if not wanted or c[0] in wanted]
    shared = [name for name, _, jobs_of in cases if jobs_of == "shared"]
    with tempfile.TemporaryDirectory() as directory:
        runner = Runner(mpiexec, program, node_size, directory)
        functions = [lambda: runner.run_shared(shared)] if shared else []
        functions += [
            lambda name=name, shape=shape: runner.run_own(name, shape)
            for name, shape, jobs_of in cases
            if jobs_of == "own"
        ]
        return jobs.run_all(functions)


if __name__ == "__main__":
    sys.exit(main())
