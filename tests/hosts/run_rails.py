#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hosts with two networks of limited rate, over which long transfers are divided. Prints how much
faster they are over both than over one, for each operation; on a machine with other work, that is
less than it could be. A case passes if all data is right and both rails carry their part of it.

usage: run_rails.py mpich BUILD [CASE...]     BUILD is the build folder for that MPI

The launcher and MPI have a network of their own, eth0. Exit status 77 where hosts cannot be made or
a program is missing.
"""

import csv
import io
import os
import re
import sys
from dataclasses import dataclass

import hosts_path
import jobs
import lab
import launchers
import services

HOSTS = 2
LIMIT_S = 300
NETWORKS = (lab.Network("198.51.100.", 24), lab.Network("203.0.113.", 24))
INTERFACES = ("rail0", "rail1")
OPERATIONS = "put,get,acc,put-strided,get-strided,acc-strided"
BENCH = [
    "tools/armci-bench/armci-bench", "--ops", OPERATIONS, "--modes", "stream,latency", "--sizes", "64M",
    "--runs", "4K", "--repeat", "5", "--min-time", "1", "--target-wait", "asleep", "--busy-limit", "200",
    "--csv", "-",
]


def shape(cluster, interface, rate):
    """What leaves each host by this interface has that rate, as a token bucket."""
    for host in cluster.hosts:
        host.run("tc", "qdisc", "replace", "dev", interface, "root", "tbf", "rate", rate,
                 "burst", "256k", "latency", "20ms")


def measure(cluster, build, interfaces, faults):
    """MB/s by operation, of one origin that works on one target on the other host; and what part of
    the bytes each interface has carried, if there are several."""
    program = [os.path.join(build, BENCH[0]), *BENCH[1:]]
    settings = {"ARMCI_INTERFACE": ",".join(interfaces), "ARMCI_FAULTS": faults, "ARMCI_STATS": "1"}
    job = launchers.start(cluster, build, one_each, HOSTS, program, settings)
    status = job.finish(LIMIT_S)
    if status != 0:
        raise RuntimeError(f"armci-bench over {interfaces}: exit status {status}\n{job.out}{job.err}")
    rows = csv.DictReader(io.StringIO(job.out))
    # A blocking get is complete when it returns, so its stream is its latency.
    speeds = {row["operation"]: float(row["mbytes_per_s"]) for row in rows
              if row["mode"] == ("latency" if row["operation"].startswith("get") else "stream")}
    line = re.search("bytes of long transfers by rail: (.*)", job.err)
    carried = [int(entry.split()[1]) for entry in line.group(1).split(",")] if line else []
    return speeds, [part / sum(carried) for part in carried]


def one_each(hosts, program, _settings):
    return ["mpiexec.mpich", "-launcher", "ssh", "-hosts", ",".join(launchers.names_of(hosts)),
            "-ppn", "1", "-n", str(hosts), *program]


@dataclass
class Case:
    """The rates of the two rails, and what part of the bytes each must carry at least."""

    rates: tuple
    parts: tuple
    faults: str = ""  # ARMCI_FAULTS

    def run(self, build):
        with lab.Lab(HOSTS) as cluster:
            cluster.connect("eth0", lab.IPV4)
            cluster.name_hosts([lab.IPV4])
            services.start_ssh(cluster)
            for interface, network, rate in zip(INTERFACES, NETWORKS, self.rates):
                cluster.connect(interface, network)
                shape(cluster, interface, rate)
            alone = [measure(cluster, build, [interface], self.faults)[0] for interface in INTERFACES]
            both, parts = measure(cluster, build, INTERFACES, self.faults)
        for operation, speed in both.items():
            speeds = [one[operation] for one in alone]
            print(f"  {operation}: {speeds[0]:.1f} and {speeds[1]:.1f} MB/s alone, {speed:.1f} together: "
                  f"{speed / sum(speeds):.3f} of their sum, {speed / speeds[0]:.2f} times the first", flush=True)
        if len(parts) != len(INTERFACES):
            return ["there is only one rail"]
        return [f"{interface} has carried {part:.3f} of the bytes, less than {least}"
                for interface, part, least in zip(INTERFACES, parts, self.parts) if part < least]


CASES = {
    "equal": Case(("1gbit", "1gbit"), (0.3, 0.3)),
    "second_slower": Case(("1gbit", "500mbit"), (0.5, 0.2)),
    "second_faster": Case(("500mbit", "1gbit"), (0.2, 0.5)),
    # As over efa and cxi, and over verbs.
    "keys_differ": Case(("1gbit", "1gbit"), (0.3, 0.3), "mr_local,rail_keys"),
    "only_order": Case(("1gbit", "1gbit"), (0.3, 0.3), "mr_local,rail_keys,no_delivery"),
}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in launchers.LAUNCHERS:
        print(__doc__, file=sys.stderr)
        return 2
    _mpi, build, *wanted = sys.argv[1:]
    missing = lab.why_not((*services.SSH_PROGRAMS, "tc"))
    if missing:
        print(f"skipped: {missing}")
        return jobs.EXIT_SKIPPED
    lab.enter()
    return jobs.sum_up([jobs.report(name, CASES[name].run(build), "") for name in wanted or CASES])


if __name__ == "__main__":
    sys.exit(main())
