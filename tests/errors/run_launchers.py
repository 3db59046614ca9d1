#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Starts programs by launchers that their MPI does not know, so that each process is rank 0 of 1,
and checks that one process says so, and none where nothing is wrong. Some launchers bind ranks to
different numbers of processors; such jobs run, too.

usage: run_launchers.py MPIEXEC BAD_CALL [CASE...]

Launchers that are not installed are played by their variables.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import jobs

PROGRAM = ["lenient.no_mutexes_wanted"]
SHARED = "because ranks outnumber the 1 processor that they may use together"
STEP = "SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=4"
BATCH = "SLURM_JOB_ID=7 SLURM_NTASKS=4 SLURM_PROCID=0"
# Each by its name, so that one of them is the other MPI's.
LAUNCHERS = {
    "OMPI_COMM_WORLD_SIZE": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root"],
    "PMI_SIZE": ["mpiexec.mpich"],
}


def mpi_library(program):
    """The MPI that the program is linked with."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.search(r"=> (\S*/libmpi\S*)", text)[1]


def other_launcher(program):
    """Of the MPI that is not the program's: its variable and its command."""
    is_mpich = "mpich" in mpi_library(program)
    name = "OMPI_COMM_WORLD_SIZE" if is_mpich else "PMI_SIZE"
    return name, LAUNCHERS[name]


@dataclass
class Case:
    """`script` is run by a shell, in which "$@" is the program; "$mpi" is its MPI's library, and
    "$mpiexec" its launcher. `named` is what the one warning must name; empty: there is none."""

    name: str
    script: str
    named: str = ""

    def run(self, mpiexec, program):
        settings = {"TEST_RECORD": os.devnull, "mpi": mpi_library(program), "mpiexec": mpiexec}
        arguments = ["-c", self.script, "sh", program, *PROGRAM]
        complaints, text = jobs.run_and_judge("sh", arguments, settings, judge_by(self.named))
        return [(self.name, complaints, text)]


class OtherLauncher:
    name = "the launcher of another MPI"

    def run(self, _mpiexec, program):
        variable, command = other_launcher(program)
        if shutil.which(command[0]) is None:
            return [(self.name, None, f"there is no {command[0]}")]
        complaints, text = jobs.run_and_judge(
            command[0],
            [*command[1:], "-n", "2", program, *PROGRAM],
            {"TEST_RECORD": os.devnull},
            judge_by(f"{variable}=2"),
        )
        return [(self.name, complaints, text)]


class BoundRanks:
    """Two ranks, each bound to one processor: ranks outnumber processors only if it is the same one."""

    name = "ranks that are bound to a processor each"

    def run(self, mpiexec, program):
        processors = sorted(os.sched_getaffinity(0))[:2]
        if len(processors) < 2:
            return [(self.name, None, "there is one processor only")]
        found = []
        for first, second in (processors, processors[:1] * 2):
            ranks = ["-n", "1", "taskset", "-c", str(first), program, *PROGRAM, ":",
                     "-n", "1", "taskset", "-c", str(second), program, *PROGRAM]
            settings = {"TEST_RECORD": os.devnull, "ARMCI_VERBOSE": "1"}
            complaints, text = jobs.run_and_judge(mpiexec, ranks, settings, judge_by(""))
            if (SHARED in text) != (first == second):
                complaints.append(f"processors {first} and {second}: a line about them is wrong")
            found.append((self.name, complaints, text))
        return found


def judge_by(named):
    def judge(status, _output, messages):
        begin = "the launcher has started several processes ("
        fragments = [named, "rank 0 of 1", "mpiexec", "srun --mpi"]
        expected = [jobs.Expected("Warning", "0", begin, fragments)] if named else []
        return jobs.compare(expected, messages) + ([f"exit status {status}"] if status != 0 else [])

    return judge


CASES = [
    Case(
        "srun for no MPI",
        f'for rank in 0 1 2 3; do {STEP} SLURM_PROCID=$rank "$@" & done; wait',
        named="SLURM_STEP_NUM_TASKS=4",
    ),
    Case(
        "srun for no MPI, with a shell between",
        f"{STEP} SLURM_PROCID=0 sh -c '\"$@\"; true' sh \"$@\"",
        named="SLURM_STEP_NUM_TASKS=4",
    ),
    Case("a program in a batch script", f'{BATCH} "$@"'),
    Case("mpiexec in a batch script", f'{BATCH} "$mpiexec" -n 2 "$@"'),
    Case("mpiexec of one rank in each task", f'{STEP} SLURM_PROCID=0 "$mpiexec" -n 1 "$@"'),
    # A shell that has loaded MPI's library stands for a rank that starts another program.
    Case(
        "a program that a rank starts",
        f"{STEP} SLURM_PROCID=0 LD_PRELOAD=$mpi sh -c 'unset LD_PRELOAD; \"$@\"; true' sh \"$@\"",
    ),
    # What ranks do together must not depend on how many processors each may use.
    Case(
        "ranks that are bound to different numbers of processors",
        f'ARMCI_NODE_SIZE=1 "$mpiexec" -n 1 taskset -c {min(os.sched_getaffinity(0))} "$@" : -n 1 "$@"',
    ),
    BoundRanks(),
    OtherLauncher(),
]


if __name__ == "__main__":
    sys.exit(jobs.main(__doc__, CASES))
