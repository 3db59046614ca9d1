#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts, made of network namespaces, with a bad link between them or networks that do not connect
them.

usage: run_links.py MPIEXEC MIX [all | CASE...]   (beside MIX is the program of late_server)

The launcher and MPI have a network of their own, so that only this library meets the link. Needs root
and ip, for bad links also tc; exit status 77 where they, or what they ask of the kernel, are not there.
"""

# promise: lost.node, lost.silent-server, lost.other-network
import os
import subprocess
import sys
import time

import faults_path
import jobs

LINK_SECONDS = 4
# Long enough for a rank to look whether it reaches the server that does not answer.
LATE_SECONDS = 2 * LINK_SECONDS
BRIDGE_ADDRESS = "172.17.0.1"  # as of containers on every host
RANKS = 4  # two on each host

NAME = f"armci-{os.getpid()}"
HOSTS = [f"{NAME}-a", f"{NAME}-b"]
SWITCH = f"{NAME}-s"


def address(network, host):
    """Addresses of networks for examples in documents, which no host has."""
    return f"{'198.51.100' if network == 'data' else '203.0.113'}.{host + 1}"


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def inside(namespace, *command):
    run("ip", "netns", "exec", namespace, *command)


def is_up(namespace, network):
    """The kernel reports that some time after both ends are up."""
    command = ["ip", "-netns", namespace, "-brief", "link", "show", "dev", network]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[1] == "UP"


class Hosts:
    """Two namespaces with a control network (a direct wire) and a data network with a switch
    between, where it can be cut without either host's own interface going down."""

    def __enter__(self):
        try:
            for namespace in [*HOSTS, SWITCH]:
                run("ip", "netns", "add", namespace)
                inside(namespace, "ip", "link", "set", "lo", "up")
            inside(SWITCH, "ip", "link", "add", "bridge", "type", "bridge")
            inside(SWITCH, "ip", "link", "set", "bridge", "up")
            wire = ["type", "veth", "peer", "name", "control", "netns", HOSTS[1]]
            inside(HOSTS[0], "ip", "link", "add", "control", *wire)
            for number, host in enumerate(HOSTS):
                port = ["type", "veth", "peer", "name", f"port{number}", "netns", SWITCH]
                inside(host, "ip", "link", "add", "data", *port)
                inside(SWITCH, "ip", "link", "set", f"port{number}", "master", "bridge", "up")
                for network in ("control", "data"):
                    inside(host, "ip", "addr", "add", address(network, number) + "/24", "dev", network)
                    inside(host, "ip", "link", "set", network, "up")
            self.wait_for("control", "data")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for namespace in [*HOSTS, SWITCH]:
            subprocess.run(["ip", "netns", "del", namespace], stderr=subprocess.DEVNULL, check=False)

    def add_bridges(self):
        """Each host has one of its own, up because something is in it, with the same address."""
        for host in HOSTS:
            inside(host, "ip", "link", "add", "docker0", "type", "bridge")
            inside(host, "ip", "addr", "add", f"{BRIDGE_ADDRESS}/16", "dev", "docker0")
            inside(host, "ip", "link", "add", "inner", "type", "veth", "peer", "name", "outer")
            inside(host, "ip", "link", "set", "outer", "master", "docker0")
            for name in ("inner", "outer", "docker0"):
                inside(host, "ip", "link", "set", name, "up")
        self.wait_for("docker0")

    def add_apart(self):
        """Each host has an interface to one network, which is up; but these are two networks."""
        for number, host in enumerate(HOSTS):
            inside(host, "ip", "link", "add", "apart", "type", "veth", "peer", "name", "nowhere")
            inside(host, "ip", "addr", "add", f"192.0.2.{number + 1}/24", "dev", "apart")
            for name in ("apart", "nowhere"):
                inside(host, "ip", "link", "set", name, "up")
        self.wait_for("apart")

    def add_unconnected(self):
        """Each host has an interface whose network the other has no way to. Returns their addresses."""
        addresses = ("192.0.2.1", "198.18.0.2")
        for own, host in zip(addresses, HOSTS):
            inside(host, "ip", "link", "add", "apart", "type", "veth", "peer", "name", "nowhere")
            inside(host, "ip", "addr", "add", f"{own}/24", "dev", "apart")
            for name in ("apart", "nowhere"):
                inside(host, "ip", "link", "set", name, "up")
        self.wait_for("apart")
        return addresses

    def wait_for(self, *networks):
        ends = [(host, network) for host in HOSTS for network in networks]
        if not jobs.wait_until(lambda: all(is_up(*end) for end in ends), jobs.TIME_LIMIT_S):
            raise RuntimeError("an interface of a namespace does not come up")

    def make_bad(self):
        """Packets are late, and some are dropped. Returns a description."""
        shapes = {
            "2 ms of delay and 1 % of loss": ["netem", "delay", "2ms", "loss", "1%"],
            "a slow link with a queue that overflows (there is no netem)": [
                *("tbf", "rate", "100mbit", "burst", "8k", "limit", "40k"),
            ],
        }
        for words, shape in shapes.items():
            try:
                for port in ("port0", "port1"):
                    inside(SWITCH, "tc", "qdisc", "replace", "dev", port, "root", *shape)
                return words
            except subprocess.CalledProcessError as error:
                reason = error.stderr
        raise RuntimeError(reason)

    def dropped(self):
        """Packets that the switch has dropped so far."""
        text = subprocess.run(
            ["ip", "netns", "exec", SWITCH, "tc", "-s", "qdisc"],
            check=True, stdout=subprocess.PIPE, text=True,
        ).stdout
        words = text.replace(",", "").split()
        return sum(int(words[i + 1]) for i, word in enumerate(words) if word == "(dropped")

    def cut(self):
        inside(SWITCH, "ip", "link", "set", "port1", "down")

    def start(self, mpiexec, arguments, settings):
        hosts = ",".join(address("control", number) for number in range(2))
        names = " ".join(f"{address('control', n)}={host}" for n, host in enumerate(HOSTS))
        launcher = os.path.join(faults_path.HERE, "enter_host.sh")
        return jobs.Job(
            "ip",
            [
                *("netns", "exec", HOSTS[0], mpiexec, "-launcher", "ssh", "-launcher-exec", launcher),
                *("-iface", "control", "-hosts", hosts, "-ppn", str(RANKS // 2), "-n", str(RANKS)),
                *arguments,
            ],
            {
                "ARMCI_INTERFACE": "data",
                "UCX_NET_DEVICES": "control",
                "TEST_HOSTS": names,
                **settings,
            },
        )


def bad_link(mpiexec, program, route):
    with Hosts() as hosts:
        how = hosts.make_bad()
        job = hosts.start(mpiexec, [program, "25", "7"], {"ARMCI_ROUTE": route})
        status = job.finish()
        dropped = hosts.dropped()
    complaints = [] if status == 0 else [f"exit status {status}"]
    if dropped == 0:
        complaints.append("no packet was lost")
    complaints += [f"unexpected: {message}" for message in jobs.messages_in(job.err)]
    complaints += [f"left behind: {pid} {name}" for pid, name in job.survivors().items()]
    return [(f"bad_link,route={route} ({how}; {dropped} packets lost)", complaints, job.err)]


def cut_link(mpiexec, program, route):
    with jobs.Record() as record, Hosts() as hosts:
        settings = {
            "ARMCI_ROUTE": route,
            "ARMCI_LOST_LINK_SECONDS": str(LINK_SECONDS),
            "TEST_RECORD": record.path,
        }
        job = hosts.start(mpiexec, [program, "0", "7"], settings)
        complaints = record.complaints(RANKS)
        begin = time.monotonic()
        hosts.cut()
        status = job.finish()
        seconds = time.monotonic() - begin
    if status is None:
        complaints.append(f"the job did not end within {jobs.TIME_LIMIT_S} s")
    elif status == 0:
        complaints.append("exit status 0")
    texts = [m.text for m in jobs.messages_in(job.err) if m.kind == "Error"]
    if not any(
        "(ARMCI_LOST_LINK_SECONDS)" in text or text.startswith("libfabric ") for text in texts
    ):
        complaints.append("no message tells of the link")
    complaints += [f"left behind: {pid} {name}" for pid, name in job.survivors().items()]
    return [(f"cut_link,route={route} ({seconds:.1f} s)", complaints, job.err)]


def late_server(mix):
    return os.path.join(os.path.dirname(mix), "faults_late_server")


def goes_well(name, job):
    status = job.finish()
    complaints = [] if status == 0 else [f"exit status {status}"]
    complaints += [f"unexpected: {m}" for m in jobs.messages_in(job.err) if m.kind == "Error"]
    return [(name, complaints, job.err)]


def is_reported(name, job, *fragments):
    """The job ends by itself with a message of rank 0, which contains these in this order."""
    return is_reported_by(name, job, {"0": fragments})


def is_reported_by(name, job, fragments):
    """The same of one of several ranks, each with a message of its own. Ranks that notice at the same
    time may each report it."""
    status = job.finish()
    complaints = []
    if status is None:
        complaints.append(f"the job did not end within {jobs.TIME_LIMIT_S} s")
    elif status == 0:
        complaints.append("exit status 0")
    reports = {m.rank: m for m in jobs.messages_in(job.err) if m.kind == "Error"}
    if not reports:
        complaints.append(f"no error of rank {' or '.join(fragments)}")
    for rank, message in reports.items():
        words = [*fragments.get(rank, ["nothing that this rank may report"]), "Set ARMCI_INTERFACE"]
        complaints += jobs.compare([jobs.Expected("Error", rank, "", words)], [message])
    complaints += [f"left behind: {pid} {what}" for pid, what in job.survivors().items()]
    return [(name, complaints, job.err)]


def bridges(mpiexec, program):
    with Hosts() as hosts:
        hosts.add_bridges()
        return goes_well("bridges", hosts.start(mpiexec, [program, "5", "7"], {"ARMCI_INTERFACE": ""}))


def same_address(mpiexec, program):
    with Hosts() as hosts:
        hosts.add_bridges()
        job = hosts.start(mpiexec, [program, "5", "7"], {"ARMCI_INTERFACE": "docker0"})
        reports = ["(rank 0, interface docker0)", "(rank 2, interface docker0)", BRIDGE_ADDRESS]
        return is_reported("same_address", job, "ARMCI_Init", *reports)


def loopback(mpiexec, program):
    with Hosts() as hosts:
        job = hosts.start(mpiexec, [program, "5", "7"], {"ARMCI_INTERFACE": "lo"})
        return is_reported("loopback", job, "ARMCI_Init", "(rank 0, interface lo)", "127.0.0.1")


def apart(mpiexec, program, route):
    with Hosts() as hosts:
        hosts.add_apart()
        settings = {
            "ARMCI_INTERFACE": "apart",
            "ARMCI_LOST_LINK_SECONDS": str(LINK_SECONDS),
            "ARMCI_ROUTE": route,
        }
        job = hosts.start(mpiexec, [late_server(program), "0"], settings)
        # The first ranks of both nodes wait for each other at a barrier of ARMCI_Init.
        reports = {
            "0": ["ARMCI_Init", "the data server of node 1", "(rank 2 on ", "192.0.2.2)", "over apart"],
            "2": ["ARMCI_Init", "the data server of node 0", "(rank 0 on ", "192.0.2.1)", "over apart"],
        }
        return is_reported_by(f"apart,route={route}", job, reports)


def unreachable(mpiexec, program, route):
    """The system refuses at once: there is no route to the other host's address."""
    with Hosts() as hosts:
        addresses = hosts.add_unconnected()
        settings = {"ARMCI_INTERFACE": "apart", "ARMCI_ROUTE": route}
        job = hosts.start(mpiexec, [late_server(program), "0"], settings)
        reports = {
            rank: [
                "libfabric ",
                f"with node {peer} (rank {2 * peer} on ",
                f", {addresses[peer]})",
                "nreachable",
                f"interface apart ({addresses[1 - peer]})",
            ]
            for rank, peer in (("0", 1), ("2", 0))
        }
        return is_reported_by(f"unreachable,route={route}", job, reports)


def late(mpiexec, program, provider):
    with Hosts() as hosts:
        settings = {
            "ARMCI_LOST_LINK_SECONDS": str(LINK_SECONDS),
            "ARMCI_NODE_SIZE": "1",
            "ARMCI_PROGRESS_THREAD": "0",
            "ARMCI_PROVIDER": provider,
        }
        job = hosts.start(mpiexec, [late_server(program), str(LATE_SECONDS)], settings)
        return goes_well(f"late_server,provider={provider or 'default'}", job)


# Cases after the second run only when they are named, or with "all".
CASES = {
    "bad_link": lambda *job: bad_link(*job, "alternate"),
    "cut_link": lambda *job: cut_link(*job, "alternate"),
    "bad_link,route=server": lambda *job: bad_link(*job, "server"),
    "bad_link,route=rma": lambda *job: bad_link(*job, "rma"),
    "cut_link,route=server": lambda *job: cut_link(*job, "server"),
    "cut_link,route=rma": lambda *job: cut_link(*job, "rma"),
    "bridges": bridges,
    "same_address": same_address,
    "loopback": loopback,
    "apart": lambda *job: apart(*job, "server"),
    "apart,route=rma": lambda *job: apart(*job, "rma"),
    "unreachable": lambda *job: unreachable(*job, "server"),
    "unreachable,route=rma": lambda *job: unreachable(*job, "rma"),
    "late_server": lambda *job: late(*job, ""),
    "late_server,provider=sockets": lambda *job: late(*job, "sockets"),
}
IN_SHORT = ["bad_link", "cut_link"]


def why_not(names):
    """What is missing to run these cases, or nothing."""
    if os.geteuid() != 0:
        return "namespaces need root"
    try:
        with Hosts() as hosts:
            if any(name.startswith("bad_link") for name in names):
                hosts.make_bad()
    except FileNotFoundError as error:
        return f"there is no program {error.filename}"
    except (subprocess.CalledProcessError, RuntimeError) as error:
        return f"the system refuses a namespace, a bridge or a queue: {error}"
    return ""


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    mpiexec, program, *wanted = sys.argv[1:]
    names = list(CASES) if "all" in wanted else wanted or IN_SHORT
    missing = why_not(names)
    if missing:
        print(f"skipped: {missing}")
        return jobs.EXIT_SKIPPED
    verdicts = []
    for name in names:
        verdicts += [jobs.report(*result) for result in CASES[name](mpiexec, program)]
    return jobs.sum_up(verdicts)


if __name__ == "__main__":
    sys.exit(main())
