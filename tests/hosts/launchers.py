# SPDX-License-Identifier: BSD-3-Clause
"""Starting jobs on the hosts of a lab, as users of MPICH, Open MPI and Slurm do, and what jobs leave
on the hosts."""

import os
import sys

import hosts_path
import jobs
import services

RANKS_PER_HOST = 2


def names_of(count):
    return [f"host{number + 1}" for number in range(count)]


def mpich_by_ssh(hosts, program, _settings):
    ranks = str(RANKS_PER_HOST * hosts)
    return ["mpiexec.mpich", "-launcher", "ssh", "-hosts", ",".join(names_of(hosts)),
            "-ppn", str(RANKS_PER_HOST), "-n", ranks, *program]


def open_mpi_by_ssh(hosts, program, settings):
    places = ",".join(f"{name}:{RANKS_PER_HOST}" for name in names_of(hosts))
    exported = [word for name in (*settings, jobs.MARKER) for word in ("-x", name)]
    return ["mpirun.openmpi", "--allow-run-as-root", "--host", places,
            "-n", str(RANKS_PER_HOST * hosts), *exported, *program]


def by_slurm(plugin):
    def command(hosts, program, _settings):
        return ["srun", f"--mpi={plugin}", "-N", str(hosts), f"--ntasks-per-node={RANKS_PER_HOST}", *program]

    return command


# By the MPI that the programs are built for.
LAUNCHERS = {
    "mpich": {"ssh": mpich_by_ssh, "srun": by_slurm("pmi2")},
    "openmpi": {"ssh": open_mpi_by_ssh, "srun": by_slurm("pmix")},
}


def start(lab, build, launcher, hosts, program, settings):
    """Starts a job on so many hosts, from the first of them. `launcher` is of LAUNCHERS."""
    settings = {"UCX_NET_DEVICES": "eth0", **settings}
    repaired = os.path.join(build, "tests", "hosts", "libhosts_finalize.so")
    if os.path.exists(repaired):
        program = ["env", f"LD_PRELOAD={repaired}", *program]
    nsenter, *command = lab.hosts[0].command(*launcher(hosts, program, settings))
    return jobs.Job(nsenter, command, {"SLURM_CONF": services.shared("slurm.conf"), **settings})


# Prints what is in this host's files, System V objects, and sockets that have a name or listen.
LIST = """
import left_behind
for found in sorted(left_behind.everything()):
    print(found)
for family in ("tcp", "tcp6"):
    with open(f"/proc/net/{family}") as table:
        for row in list(table)[1:]:
            if row.split()[3] == "0A":
                print("socket that listens,", family, row.split()[1])
"""


def things_on(host):
    """Everything on a host that a job could leave there."""
    listing = host.output_of(sys.executable, "-B", "-c", f"import sys; sys.path.append({hosts_path.HERE!r}); "
                             f"import hosts_path{LIST}")
    return {f"{host.name}: {line}" for line in listing.splitlines()}


class Leftovers:
    """Looks for what has come to the hosts since it was made: files, sockets, processes."""

    def __init__(self, hosts):
        self.hosts = hosts
        self.before = self.everything()

    def everything(self):
        found = set()
        for host in self.hosts:
            found |= things_on(host)
            found |= {f"{host.name}: process {pid} {what}" for pid, what in host.processes().items()}
        return found

    def complaints(self):
        """Waits a while, because launchers and daemons are not yet at rest when a job has ended."""
        new = set()

        def are_gone():
            nonlocal new
            new = self.everything() - self.before
            return not new

        jobs.wait_until(are_gone, jobs.GONE_WITHIN_S)
        return [f"left behind on {what}" for what in sorted(new)]
