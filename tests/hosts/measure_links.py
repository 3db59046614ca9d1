#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures strided transfers between two hosts on links of different speed and delay: with the costs
of the start, with learned costs, and on either fixed route.

usage: measure_links.py mpich BUILD [LINK...]     LINK is RATE,DELAY, as 1gbit,200us

It prints each time beside the best one and beside that with the costs of the start. Times depend on
what else the machine does, so they decide nothing: it fails only if a job does. The kernel's netem
delays frames. Where there is none, the program hosts_delay_link does, which takes part of a
processor. Exit status 77 where hosts cannot be made or a program is missing.
"""

import csv
import os
import subprocess
import sys

import hosts_path
import jobs
import lab
import launchers
import services

HOSTS = 2
LIMIT_S = 1200
RELAY = ("tests", "hosts", "hosts_delay_link")
RATES = ("100mbit", "1gbit", "10gbit")
DELAYS = ("0", "200us", "2ms")
LINKS = [f"{rate},{delay}" for delay in DELAYS for rate in RATES]
BENCH = ["tools/armci-bench/armci-bench", "--ops", "put-strided,get-strided", "--dims", "2",
         "--sizes", "64K,1M", "--runs", "64,512,4K,16K", "--modes", "stream", "--min-time", "100"]
SETTINGS = {
    "prior": {"ARMCI_COSTS": "prior"},
    "learned": {"ARMCI_COSTS": "learned"},
    "rma": {"ARMCI_ROUTE": "rma"},
    "server": {"ARMCI_ROUTE": "server"},
}


def has_netem(host):
    try:
        host.run("tc", "qdisc", "replace", "dev", "eth0", "root", "netem", "delay", "1us")
    except subprocess.CalledProcessError:
        return False
    host.run("tc", "qdisc", "del", "dev", "eth0", "root")
    return True


def choose_cubic(host):
    """With BBR, equal transfers take times that differ by a factor of two (docs/running.md)."""
    setting = "net.ipv4.tcp_congestion_control"
    try:
        host.run("sysctl", "-w", f"{setting}=cubic")
    except subprocess.CalledProcessError:
        used = host.output_of("sysctl", "-n", setting).strip()
        print(f"{host.name}: the system refuses cubic (net.ipv4.tcp_allowed_congestion_control), "
              f"so it uses {used}")


class Link:
    """What is between two hosts."""

    def __init__(self, cluster, build):
        self.cluster = cluster
        self.relay = None
        self.relay_program = os.path.join(build, *RELAY)
        self.wires = [f"eth0.{host.number + 1}" for host in cluster.hosts]
        for host in cluster.hosts:
            choose_cubic(host)
        self.has_netem = has_netem(cluster.hosts[0])
        if not self.has_netem:
            print("the kernel has no netem: hosts_delay_link delays frames")

    def shape(self, rate, delay):
        how = ("tbf", "rate", rate, "burst", "256k", "latency", "50ms")
        if self.has_netem and delay != "0":
            how = ("netem", "delay", delay, "rate", rate, "limit", "100000")
        for host in self.cluster.hosts:
            host.run("tc", "qdisc", "replace", "dev", "eth0", "root", *how)
        self.stop_relay()
        if not self.has_netem and delay != "0":
            self.start_relay(delay)

    def start_relay(self, delay):
        """Instead of the switch."""
        for wire in self.wires:
            lab.run("ip", "link", "set", wire, "nomaster")
        microseconds = int(delay.removesuffix("us")) if delay.endswith("us") else 1000 * int(delay.removesuffix("ms"))
        self.relay = subprocess.Popen([self.relay_program, str(microseconds), *self.wires],
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if self.relay.stdout.readline() != b"up\n":
            raise RuntimeError(f"{self.relay_program} does not start")

    def stop_relay(self):
        if self.relay is not None:
            self.relay.kill()
            self.relay.communicate()
            self.relay = None
            for wire in self.wires:
                lab.run("ip", "link", "set", wire, "master", "eth0")


def measure(cluster, build, setting):
    """The median times in microseconds by row, and complaints."""
    table = os.path.join(lab.SHARED, "rows.csv")
    if os.path.exists(table):
        os.unlink(table)
    program = [os.path.join(build, BENCH[0]), *BENCH[1:], "--csv", table]
    launcher = launchers.LAUNCHERS["mpich"]["ssh"]
    job = launchers.start(cluster, build, launcher, HOSTS, program, SETTINGS[setting])
    status = job.finish(LIMIT_S)
    if status != 0:
        return {}, [f"{setting}: status {status}"]
    with open(table, encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        f"{row['operation']} {row['bytes']} in {row['run_bytes']}": float(row["median_us"])
        for row in rows if row["status"] == "ok"
    }, []


def compare(times):
    """Lines of the times of one link, by setting and row."""
    lines = []
    for row in times["prior"]:
        us = {setting: times[setting][row] for setting in SETTINGS}
        best = min(us.values())
        lines.append(
            f"  {row:32}" + "".join(f" {setting} {value:10.1f}" for setting, value in us.items())
            + f"  learned/best {us['learned'] / best:5.2f}  learned/prior {us['learned'] / us['prior']:5.2f}"
        )
    return "\n".join(lines)


def measure_link(link, build, shape):
    link.shape(*shape.split(","))
    times = {}
    complaints = []
    for setting in SETTINGS:
        times[setting], failed = measure(link.cluster, build, setting)
        complaints += failed
    if not complaints:
        print(f"{shape}:\n{compare(times)}", flush=True)
    return complaints


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in launchers.LAUNCHERS:
        print(__doc__, file=sys.stderr)
        return 2
    _mpi, build, *wanted = sys.argv[1:]
    missing = lab.why_not((*services.SSH_PROGRAMS, "tc", os.path.join(build, *RELAY)))
    if missing:
        print(f"skipped: {missing}")
        return jobs.EXIT_SKIPPED
    lab.enter()
    verdicts = []
    with lab.Lab(HOSTS) as cluster:
        cluster.connect("eth0", lab.IPV4)
        cluster.name_hosts([lab.IPV4])
        services.start_ssh(cluster)
        link = Link(cluster, build)
        for shape in wanted or LINKS:
            verdicts.append(jobs.report(shape, measure_link(link, build, shape), ""))
        link.stop_relay()
    return jobs.sum_up(verdicts)


if __name__ == "__main__":
    sys.exit(main())
