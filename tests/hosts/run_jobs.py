#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs jobs on several hosts by the launchers that users have: over ssh, and in Slurm.

usage: run_jobs.py mpich|openmpi BUILD [CASE...]     BUILD is the build folder for that MPI

Exit status 77 where hosts cannot be made or a daemon is missing.
"""

# promise: lost.ends-all
import os
import sys
import time
from dataclasses import dataclass

import hosts_path
import jobs
import lab
import launchers
import services

HOSTS = 4
MIX = "tests/faults/faults_mix"
# What the launchers of MPICH, Open MPI and Slurm print about a killed process.
OF_A_LAUNCHER = ("EXIT CODE: 9", "Killed (signal 9)", "exited on signal 9", ": Killed")


@dataclass
class Cluster:
    """Where the jobs run, and by what."""

    lab: lab.Lab
    build: str
    launcher: object

    def start(self, program, hosts, settings):
        program = [os.path.join(self.build, program[0]), *program[1:]]
        return launchers.start(self.lab, self.build, self.launcher, hosts, program, settings)


class Work:
    """A job that must end well."""

    def __init__(self, hosts, *program, **settings):
        self.hosts = hosts
        self.program = program
        self.settings = settings

    def run(self, cluster):
        job = cluster.start(self.program, self.hosts, self.settings)
        status = job.finish()
        complaints = [] if status == 0 else [f"exit status {status}"]
        if self.program[0] != MIX and "PASS" not in job.out:
            complaints.append("the program does not say PASS")
        complaints += [f"unexpected: {message}" for message in jobs.messages_in(job.err)]
        return complaints, job.out + job.err


class EndedJob:
    """A job that is ended in its midst by end(cluster, processes), which gets the ranks' processes.
    The messages must be as judge(errors, text) wants them."""

    def __init__(self, hosts, **settings):
        self.hosts = hosts
        self.settings = settings

    def run(self, cluster):
        with jobs.Record(lab.SHARED) as record:
            settings = {**self.settings, "TEST_RECORD": record.path}
            job = cluster.start([MIX, "0", "7"], self.hosts, settings)
            complaints = record.complaints(launchers.RANKS_PER_HOST * self.hosts)
            if complaints:
                job.kill()
            else:
                self.end(cluster, dict(line.split() for line in record.lines()))
            status = job.finish()
        if status == 0:
            complaints.append("exit status 0")
        errors = [message for message in jobs.messages_in(job.err) if message.kind == "Error"]
        return complaints + self.judge(errors, job.out + job.err), job.out + job.err


class KilledRank(EndedJob):
    """The job must end on all hosts, with a message that names the rank."""

    def __init__(self, hosts, rank):
        super().__init__(hosts)
        self.rank = rank

    def end(self, cluster, processes):
        host = cluster.lab.hosts[self.rank // launchers.RANKS_PER_HOST]
        host.run("kill", "-KILL", processes[str(self.rank)])

    def judge(self, errors, text):
        lost = [error for error in errors if f"rank {self.rank} (process " in error.text]
        complaints = [f"another error: {error}" for error in errors if error not in lost]
        if not lost and not any(words in text for words in OF_A_LAUNCHER):
            complaints.append("neither the library nor the launcher names the failed rank")
        return complaints


class Cancelled(EndedJob):
    """By scancel of Slurm, with statistics: ranks print them before they end."""

    launchers = ("srun",)

    def end(self, cluster, _processes):
        cluster.lab.hosts[0].run("scancel", "--user=root", env=services.of_slurm())

    def judge(self, errors, text):
        words = "ended by signal 15"
        complaints = [f"another error: {error}" for error in errors if words not in error.text]
        return complaints + ([] if f", {words}" in text else [f"no statistics, {words}"])


CASES = {
    "example": Work(4, "examples/halo2d", "240", "180", "100"),
    "mix": Work(3, MIX, "10", "7", ARMCI_ROUTE="alternate"),
    "mix,route=rma": Work(2, MIX, "10", "8", ARMCI_ROUTE="rma"),
    "mix,route=server": Work(4, MIX, "5", "9", ARMCI_ROUTE="server"),
    "transfer": Work(2, "tests/mp/mp_transfer", TEST_EFFORT="low", ARMCI_ROUTE="alternate"),
    "sync": Work(3, "tests/mp/mp_sync", TEST_EFFORT="low"),
    "world": Work(4, "tests/mp/mp_world", TEST_EFFORT="low", ARMCI_NODE_SIZE="2"),
    "global_arrays": Work(3, "tests/ga/ga_client_static"),
    "killed_rank,first": KilledRank(3, 0),
    "killed_rank,first_of_host": KilledRank(3, 2),
    "killed_rank,other": KilledRank(4, 7),
    "cancelled": Cancelled(3, ARMCI_STATS="1"),
}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in launchers.LAUNCHERS:
        print(__doc__, file=sys.stderr)
        return 2
    mpi, build, *wanted = sys.argv[1:]
    missing = lab.why_not((*services.SSH_PROGRAMS, *services.SLURM_PROGRAMS))
    if missing:
        print(f"skipped: {missing}")
        return jobs.EXIT_SKIPPED
    lab.enter()
    verdicts = []
    with lab.Lab(HOSTS) as hosts:
        hosts.connect("eth0", lab.IPV4)
        hosts.name_hosts([lab.IPV4])
        services.start_ssh(hosts)
        services.start_slurm(hosts, launchers.RANKS_PER_HOST)
        for way, launcher in launchers.LAUNCHERS[mpi].items():
            for name in wanted or CASES:
                if way not in getattr(CASES[name], "launchers", [way]):
                    continue
                begin = time.monotonic()
                before = launchers.Leftovers(hosts.hosts)
                complaints, text = CASES[name].run(Cluster(hosts, build, launcher))
                seconds = time.monotonic() - begin
                complaints += before.complaints()
                verdicts.append(jobs.report(f"{mpi} by {way}: {name} ({seconds:.1f} s)", complaints, text))
                services.await_slurm(hosts)
    return jobs.sum_up(verdicts)


if __name__ == "__main__":
    sys.exit(main())
