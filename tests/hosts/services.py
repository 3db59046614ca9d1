# SPDX-License-Identifier: BSD-3-Clause
"""Debian's daemons on the hosts of a lab: sshd, and Slurm with munge. They are configured in the
lab's own directory, and end with it."""

import os
import subprocess

import jobs
from lab import SHARED, run

SSH_PROGRAMS = ("sshd", "ssh", "ssh-keygen")
SLURM_PROGRAMS = ("munged", "slurmctld", "slurmd", "srun")


def shared(name):
    return os.path.join(SHARED, name)


def write(name, text):
    with open(shared(name), "w", encoding="ascii") as file:
        file.write(text)


def wait_for(what, command):
    """Until the command succeeds."""

    def succeeds():
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    if not jobs.wait_until(succeeds, jobs.TIME_LIMIT_S):
        raise RuntimeError(f"{what} does not answer")


def start_ssh(lab):
    """Each host accepts root from the others, by a key that is made for this."""
    for key in ("host_key", "user_key"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", shared(key))
    write(
        "sshd_config",
        f"HostKey {shared('host_key')}\nAuthorizedKeysFile {shared('user_key.pub')}\n"
        "PermitRootLogin yes\nStrictModes no\nUsePAM no\nUseDNS no\nPidFile none\nMaxStartups 100\n",
    )
    for host in lab.hosts:
        host.run("/usr/sbin/sshd", "-f", shared("sshd_config"), "-E", shared(f"{host.name}.sshd.log"))
    for host in lab.hosts:
        wait_for(f"sshd on {host.name}", lab.hosts[0].command("ssh", host.name, "true"))


def of_slurm():
    """The environment of Slurm's programs."""
    return {**os.environ, "SLURM_CONF": shared("slurm.conf")}


def start_slurm(lab, cpus):
    """The first host is also the controller's."""
    with open(shared("munge.key"), "wb") as file:
        file.write(os.urandom(128))
    os.chmod(shared("munge.key"), 0o600)
    names = f"host[1-{lab.count}]"
    write(
        "slurm.conf",
        f"""ClusterName=lab
SlurmctldHost=host1
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
CommunicationParameters=EnableIPv6
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SchedulerType=sched/builtin
SelectType=select/linear
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation={SHARED}/slurmctld
SlurmctldPidFile=/run/slurm/slurmctld.pid
SlurmctldLogFile={SHARED}/slurmctld.log
SlurmdSpoolDir=/run/slurm/spool
SlurmdPidFile=/run/slurm/slurmd.pid
SlurmdLogFile={SHARED}/%h.slurmd.log
KillWait=5
NodeName={names} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={names} Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE
""",
    )
    write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")
    os.mkdir(shared("slurmctld"))
    for host in lab.hosts:
        host.run("munged", "--force", "--key-file", shared("munge.key"))
    lab.hosts[0].run("slurmctld", env=of_slurm())
    for host in lab.hosts:
        host.run("slurmd", env=of_slurm())
    await_slurm(lab)


def await_slurm(lab):
    """Until all hosts may be given to a job."""
    idle = f'test "$(sinfo --noheader --states=idle --format=%D)" = {lab.count}'
    wait_for("Slurm", lab.hosts[0].command("env", f"SLURM_CONF={shared('slurm.conf')}", "sh", "-c", idle))
