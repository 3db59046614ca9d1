#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs jobs on two hosts whose networks are not as one would like: interfaces that connect nothing,
firewalls, IPv6.

usage: run_networks.py mpich BUILD [CASE...]     BUILD is the build folder for that MPI

The launcher and MPI have a network of their own, eth0, so that only this library meets the others.
Exit status 77 where hosts cannot be made or a program is missing.
"""

# promise: lost.refused, lost.silent-server
import os
import sys
import time
from dataclasses import dataclass, field

import hosts_path
import jobs
import lab
import launchers
import services

HOSTS = 2
LINK_SECONDS = 4
# What a job may take in addition, on a machine that is busy: to start, and to end.
SLACK_S = 20
# A job that has not ended after this time hangs.
LIMIT_S = 100
MIX = ["tests/faults/faults_mix", "5", "7"]
ENDLESS_MIX = ["tests/faults/faults_mix", "0", "7"]
# Its ranks wait until they are told to use the network for the first time.
FIRST_CONTACT = ["tests/faults/faults_first_contact"]

# How a firewall treats a packet that it does not let pass, in the words of nft.
REJECTIONS = {"reset": "reject with tcp reset", "drop": "drop", "icmp": "reject with icmpx admin-prohibited"}

# Firewalls let these ports pass: that of sshd, and those that are set for MPI and for this library.
OPEN_PORTS = "{ 22, 20000-22999 }"
MPI_PORTS = {"MPIEXEC_PORT_RANGE": "20000:20999", "UCX_TCP_PORT_RANGE": "21000-21999"}
OWN_PORTS = {"ARMCI_PORT_RANGE": "22000-22999"}


def eth0(cluster, *more):
    cluster.connect("eth0", lab.IPV4, *more)
    cluster.name_hosts([lab.IPV4])


def data(cluster, *networks):
    cluster.connect("data", *(networks or [lab.IPV4_DATA]))


def refuse(cluster, numbers, interface, rejection, which="tcp flags & (syn | ack) == syn"):
    """Of such packets, none comes in by the interface of these hosts; as a rule no new connection."""
    for number in numbers:
        for rule in (
            "add table inet firewall",
            "add chain inet firewall input { type filter hook input priority 0; policy accept; }",
            f"add rule inet firewall input iifname {interface} tcp dport {OPEN_PORTS} accept",
            f"add rule inet firewall input iifname {interface} {which} {REJECTIONS[rejection]}",
        ):
            cluster.hosts[number].run("nft", rule)


def apart(addresses, place):
    """Interfaces that connect nothing, which the system lists before eth0 or after it."""

    def make(cluster):
        if place == "after":
            eth0(cluster)
        for host, address in zip(cluster.hosts, addresses):
            if address:
                cluster.add_interface(host, "mgmt0", address)
        if place == "before":
            eth0(cluster)

    return make


def two(*networks):
    def make(cluster):
        eth0(cluster)
        data(cluster, *networks)

    return make


def firewall(rejection, numbers, *networks):
    def make(cluster):
        two(*networks)(cluster)
        refuse(cluster, numbers, "data", rejection)

    return make


def other_names(cluster):
    """The interfaces of one network have another name on each host."""
    two()(cluster)
    for host, name in zip(cluster.hosts, ("fast0", "data7")):
        host.run("ip", "link", "set", "data", "down")
        host.run("ip", "link", "set", "data", "name", name)
        host.run("ip", "link", "set", name, "up")
        if not jobs.wait_until(lambda h=host, n=name: h.is_up(n), jobs.TIME_LIMIT_S):
            raise RuntimeError(f"{name} of {host.name} does not come up")


def routed(cluster):
    """The hosts' addresses have no prefix in common, and a way to each other."""
    eth0(cluster)
    cluster.connect("data")
    addresses = ("10.1.0.1/24", "10.2.0.1/24")
    for host, own, other in zip(cluster.hosts, addresses, reversed(addresses)):
        host.run("ip", "addr", "add", own, "dev", "data")
        host.run("ip", "route", "add", other.replace(".1/", ".0/"), "dev", "data")


def few_ports(rejection):
    def make(cluster):
        eth0(cluster)
        refuse(cluster, range(HOSTS), "eth0", rejection)

    return make


def ipv6_only(cluster):
    cluster.connect("eth0", lab.IPV6)
    cluster.name_hosts([lab.IPV6])


@dataclass
class Case:
    """`make` connects the hosts. The job must end well, and say `says` if that is given; or, if
    `reports` has fragments of messages, it must end within ARMCI_LOST_LINK_SECONDS with a message
    that has one line of them, in their order. If `disturb` is given, it is called when all ranks are
    in the midst of the program. A job that ends well warns of `warns`, if that is given, and nothing
    else."""

    make: object
    settings: dict = field(default_factory=dict)
    reports: list = field(default_factory=list)
    by_slurm: bool = False
    program: list = field(default_factory=lambda: MIX)
    disturb: object = None
    says: str = ""
    warns: str = ""

    def run(self, build):
        with lab.Lab(HOSTS) as cluster:
            self.make(cluster)
            services.start_ssh(cluster)
            if self.by_slurm:
                services.start_slurm(cluster, launchers.RANKS_PER_HOST)
            before = launchers.Leftovers(cluster.hosts)
            complaints, text, seconds = self.run_job(cluster, build)
            return complaints + before.complaints(), text, seconds

    def run_job(self, cluster, build):
        settings = {"ARMCI_LOST_LINK_SECONDS": str(LINK_SECONDS), **self.settings}
        launcher = launchers.LAUNCHERS["mpich"]["srun" if self.by_slurm else "ssh"]
        with jobs.Record(lab.SHARED) as record:
            settings["TEST_RECORD"] = record.path
            settings["TEST_GO"] = f"{record.path}.go"
            program = [os.path.join(build, self.program[0]), *self.program[1:]]
            begin = time.monotonic()
            job = launchers.start(cluster, build, launcher, HOSTS, program, settings)
            if self.disturb is not None:
                if record.complaints(HOSTS * launchers.RANKS_PER_HOST):
                    job.kill()
                begin = time.monotonic()
                self.disturb(cluster)
                with open(settings["TEST_GO"], "x", encoding="ascii"):
                    pass
            status = job.finish(LIMIT_S)
            seconds = time.monotonic() - begin
        complaints = self.judge(status, seconds, jobs.messages_in(job.err))
        if self.says not in job.err:
            complaints.append(f"it does not say: {self.says}")
        return complaints, job.out + job.err, seconds

    def judge(self, status, seconds, messages):
        if status is None:
            return [f"the job did not end within {LIMIT_S} s"]
        if not self.reports:
            complaints = [] if status == 0 else [f"exit status {status}"]
            expected = [message for message in messages if self.warns and self.warns in str(message)]
            if self.warns and not expected:
                complaints.append(f"it does not warn: {self.warns}")
            return complaints + [f"unexpected: {message}" for message in messages if message not in expected]
        complaints = ["exit status 0"] if status == 0 else []
        if seconds > LINK_SECONDS + SLACK_S:
            complaints.append(f"it took {seconds:.0f} s to end")
        errors = [message for message in messages if message.kind == "Error"]
        wanted = [jobs.Expected("Error", error.rank, "", fragments) for error in errors for fragments in self.reports]
        if not any(one.fits(error) for one in wanted for error in errors):
            complaints.append("no message of " + " or ".join(" … ".join(fragments) for fragments in self.reports))
        return complaints


OVER_DATA = {"ARMCI_INTERFACE": "data"}
RAILS = {"ARMCI_INTERFACE": "eth0,data"}
LEFT_OUT = 'ARMCI_INTERFACE: interface "data" is left out'
TALKING = {"ARMCI_VERBOSE": "1"}
# Which hosts a firewall protects.
SIDES = {"both": (0, 1), "first": (0,), "second": (1,)}


DATA_PLACES = {f"host{n + 1}": lab.IPV4_DATA.address(n) for n in range(HOSTS)}


def unreached(network):
    """What messages say about the data servers: whose they are, their address and port."""
    ranks = launchers.RANKS_PER_HOST
    return [
        [f"node {n} (rank {n * ranks} on host{n + 1}, {network.address(n)})", "at port "] for n in range(HOSTS)
    ]



# The addresses of mgmt0, by host.
UNCONNECTED = {
    "other_networks": ("10.1.0.1/24", "10.2.0.1/24"),
    "same_network": ("10.1.0.1/24", "10.1.0.2/24"),
    "first_host": ("10.1.0.1/24", ""),
    "second_host": ("", "10.1.0.1/24"),
}

CASES = {
    "eth0": Case(eth0),
    **{
        f"unconnected,{which},{place}": Case(apart(addresses, place))
        for which, addresses in UNCONNECTED.items()
        for place in ("before", "after")
    },
    **{
        f"firewall,{rejection},{side}": Case(firewall(rejection, numbers), OVER_DATA, unreached(lab.IPV4_DATA))
        for rejection in REJECTIONS
        for side, numbers in SIDES.items()
    },
    **{
        f"firewall,{rejection},provider=sockets": Case(
            firewall(rejection, (0, 1)), {**OVER_DATA, "ARMCI_PROVIDER": "sockets"}, unreached(lab.IPV4_DATA)
        )
        for rejection in REJECTIONS
    },
    **{
        f"firewall,{rejection},ipv6": Case(firewall(rejection, (1,), lab.IPV6), OVER_DATA, unreached(lab.IPV6))
        for rejection in REJECTIONS
    },
    # There is another network that all hosts have.
    **{
        f"firewall,{rejection},other_network": Case(
            firewall(rejection, (1,)), TALKING, says="network: 192.0.2.0/24 (eth0): "
        )
        for rejection in REJECTIONS
    },
    **{
        f"few_ports,{rejection}": Case(few_ports(rejection), MPI_PORTS, unreached(lab.IPV4))
        for rejection in REJECTIONS
    },
    # It is sshd's.
    "few_ports,taken": Case(
        eth0, {"ARMCI_PORT_RANGE": "22-22"}, [["cannot listen", "perhaps all ports of ARMCI_PORT_RANGE are in use"]]
    ),
    "few_ports,own_range": Case(few_ports("reset"), {**MPI_PORTS, **OWN_PORTS}),
    # The firewall comes while the job runs, for packets of all connections. The thread that watches
    # the other node finds that, or a rank whose operation fails.
    **{
        f"later,{rejection},{side}": Case(
            two(),
            OVER_DATA,
            [
                *([f"on {host}) has failed", f" at {address}:"] for host, address in DATA_PLACES.items()),
                *([*place, "over data: a firewall"] for place in unreached(lab.IPV4_DATA)),
            ],
            program=ENDLESS_MIX,
            disturb=lambda cluster, how=rejection, where=numbers: refuse(
                cluster, where, "data", how, "meta l4proto tcp"
            ),
        )
        for rejection in REJECTIONS
        for side, numbers in SIDES.items()
    },
    # The firewall comes after ARMCI_Init, for new connections.
    **{
        f"first_contact,{rejection},{side}{name}": Case(
            two(),
            {**OVER_DATA, **provider},
            unreached(lab.IPV4_DATA),
            program=FIRST_CONTACT,
            disturb=lambda cluster, how=rejection, where=numbers: refuse(cluster, where, "data", how),
        )
        for name, provider in {"": {}, ",provider=sockets": {"ARMCI_PROVIDER": "sockets"}}.items()
        for rejection in REJECTIONS
        for side, numbers in SIDES.items()
        if not name or side == "both"
    },
    "rails": Case(two(), {**RAILS, **TALKING}, says="ARMCI_INTERFACE              = eth0,data"),
    # A rail that connects nothing is left out, the first one, too.
    **{
        f"rails,firewall,{rejection}": Case(firewall(rejection, (1,)), RAILS, warns=LEFT_OUT)
        for rejection in REJECTIONS
    },
    **{
        f"rails,first_unconnected,{rejection},{side}": Case(
            firewall(rejection, numbers), {"ARMCI_INTERFACE": "data,eth0"}, warns=LEFT_OUT
        )
        for rejection in REJECTIONS
        for side, numbers in SIDES.items()
    },
    "rails,missing": Case(eth0, RAILS, warns=LEFT_OUT),
    "several_networks": Case(
        two(lab.IPV4_DATA, lab.IPV6), TALKING, says=": the first of 3 that all nodes have"
    ),
    "other_names": Case(other_names, TALKING, says="network: 198.51.100.0/24 (fast0, data7): "),
    "routed": Case(routed, {**OVER_DATA, **TALKING}, says="network: the networks of data: no prefix is common"),
    "ipv6,beside_ipv4": Case(lambda cluster: eth0(cluster, lab.IPV6)),
    "ipv6,data": Case(two(lab.IPV6), {**OVER_DATA, **TALKING}, says="network: 2001:db8::/64 (data): "),
    # By Slurm, because mpiexec of MPICH 4.0 knows IPv4 only.
    "ipv6,only": Case(ipv6_only, {"UCX_TCP_AF_PRIO": "inet6"}, by_slurm=True),
}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in launchers.LAUNCHERS:
        print(__doc__, file=sys.stderr)
        return 2
    _mpi, build, *wanted = sys.argv[1:]
    missing = lab.why_not((*services.SSH_PROGRAMS, *services.SLURM_PROGRAMS, "nft"))
    if missing:
        print(f"skipped: {missing}")
        return jobs.EXIT_SKIPPED
    lab.enter()
    verdicts = []
    for name in wanted or CASES:
        complaints, text, seconds = CASES[name].run(build)
        verdicts.append(jobs.report(f"{name} ({seconds:.1f} s)", complaints, text))
    return jobs.sum_up(verdicts)


if __name__ == "__main__":
    sys.exit(main())
