#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts, made of network namespaces, with a bad link between them or networks that do not connect
them.

usage: run_links.py MPIEXEC MIX [all | CASE...]   (beside MIX are the other programs)

The launcher and MPI have a network of their own, so that only this library meets the link. Needs root
and ip, for bad links also tc, for blocked ones nft; exit status 77 where they, or what they ask of the kernel, are not there.
"""

# promise: lost.node, lost.refused, lost.silent-server, lost.other-network
import os
import re
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

    def block(self, verdict):
        """No new connection comes in over the data network: nft drops or rejects their packets. What
        is connected goes on."""
        for host in HOSTS:
            for rule in (
                "add table inet firewall",
                "add chain inet firewall input { type filter hook input priority 0; policy accept; }",
                f"add rule inet firewall input iifname data tcp flags & (syn | ack) == syn {verdict}",
            ):
                inside(host, "nft", rule)

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


def beside(mix, program):
    return os.path.join(os.path.dirname(mix), program)


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


def not_connected(name, job, peer, how):
    """Rank 0 reports that the other node's first rank, on this address, is not reached so."""
    reports = ["ARMCI_Init", "no network connects all nodes", "node 1 (rank 2 on ", f", {peer})", how]
    return is_reported(name, job, *reports, "at port ", "node 0 (rank 0 on ")


def apart(mpiexec, program):
    with Hosts() as hosts:
        hosts.add_apart()
        settings = {"ARMCI_INTERFACE": "apart", "ARMCI_LOST_LINK_SECONDS": str(LINK_SECONDS)}
        job = hosts.start(mpiexec, [program, "5", "7"], settings)
        return not_connected("apart", job, "192.0.2.2", "gives no answer")


def unreachable(mpiexec, program):
    """The system refuses at once: there is no route to the other host's address."""
    with Hosts() as hosts:
        addresses = hosts.add_unconnected()
        job = hosts.start(mpiexec, [program, "5", "7"], {"ARMCI_INTERFACE": "apart"})
        return not_connected("unreachable", job, addresses[1], "cannot be reached")


def chosen(mpiexec, program):
    """Without ARMCI_INTERFACE the job finds the network that connects the hosts, and says why."""
    with Hosts() as hosts:
        hosts.add_apart()
        hosts.add_bridges()
        job = hosts.start(mpiexec, [program, "5", "7"], {"ARMCI_INTERFACE": "", "ARMCI_VERBOSE": "1"})
        [(name, complaints, text)] = goes_well("chosen", job)
        if not re.search(r"network: (198\.51\.100|203\.0\.113)\.0/24 \((data|control)\): ", text):
            complaints.append("no word of the network that was chosen")
        return [(name, complaints, text)]


def first_contact(mpiexec, program, how, route):
    """The network fails when the library is up, and before ranks have used it to each other's data
    servers. The first ranks of the nodes keep their connections of ARMCI_Init."""
    with jobs.Record() as record, Hosts() as hosts:
        go = f"{record.path}.go"
        settings = {
            "ARMCI_LOST_LINK_SECONDS": str(LINK_SECONDS),
            "ARMCI_ROUTE": route,
            "TEST_RECORD": record.path,
            "TEST_GO": go,
        }
        job = hosts.start(mpiexec, [beside(program, "faults_first_contact")], settings)
        complaints = record.complaints(RANKS)
        if how == "unreachable":
            for number, host in enumerate(HOSTS):
                inside(host, "ip", "route", "add", "unreachable", address("data", 1 - number))
        else:
            hosts.block("drop" if how == "silent" else "reject with tcp reset")
        with open(go, "x", encoding="ascii"):
            pass
        reports = {}
        for rank in range(RANKS):
            peer = 1 - rank // 2
            server = f"node {peer} (rank {2 * peer} on "
            never = f"the data server of node {peer} has never answered"
            reports[str(rank)] = {
                "silent": [never, server, "cannot be reached at port ", "over data"],
                "refused": [never, server, "refuses connections at port ", "over data"],
                "unreachable": [server, f", {address('data', peer)})"],
            }[how]
        [(name, more, text)] = is_reported_by(f"first_contact,{how},route={route}", job, reports)
        return [(name, complaints + more, text)]


def late(mpiexec, program, provider):
    with Hosts() as hosts:
        settings = {
            "ARMCI_LOST_LINK_SECONDS": str(LINK_SECONDS),
            "ARMCI_NODE_SIZE": "1",
            "ARMCI_PROGRESS_THREAD": "0",
            "ARMCI_PROVIDER": provider,
        }
        job = hosts.start(mpiexec, [beside(program, "faults_late_server"), str(LATE_SECONDS)], settings)
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
    "apart": apart,
    "unreachable": unreachable,
    "chosen": chosen,
    "first_contact,silent": lambda *job: first_contact(*job, "silent", "server"),
    "first_contact,silent,route=rma": lambda *job: first_contact(*job, "silent", "rma"),
    "first_contact,refused": lambda *job: first_contact(*job, "refused", "server"),
    "first_contact,unreachable": lambda *job: first_contact(*job, "unreachable", "server"),
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
            if any(name.startswith(("first_contact,silent", "first_contact,refused")) for name in names):
                hosts.block("drop")
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
