#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program on hosts of their own on this machine, over links of a given speed.

usage: on_hosts.py BUILD HOSTS RATE DELAY PROGRAM [ARGUMENT...]

BUILD is the build folder, with the tests. HOSTS is how many hosts there are, with one rank on each, or
HOSTSxRANKS with so many ranks on each. RATE and DELAY are as tc takes them (1gbit, 200us); 0 leaves
the link as it is. The hosts are those of tests/hosts/lab.py: namespaces that end with this process. They
use the congestion control cubic, which is Linux's own default, where the system lets namespaces use it.
The exit status is the program's. It is 77, with the reason on standard error, where hosts or such links
cannot be made.
"""

import os
import signal
import stat
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3))
sys.path.insert(0, os.path.join(ROOT, "tests", "hosts"))
import lab  # noqa: E402

NOT_AVAILABLE = 77
INTERFACE = "eth0"


def shape(hosts, rate, delay):
    """Sets what leaves each host."""
    for host in hosts:
        if delay != "0":
            limit = () if rate == "0" else ("rate", rate)
            how = ("netem", "delay", delay, *limit, "limit", "100000")
        elif rate != "0":
            how = ("tbf", "rate", rate, "burst", "256k", "latency", "50ms")
        else:
            return
        host.run("tc", "qdisc", "replace", "dev", INTERFACE, "root", *how)


def choose_congestion_control(hosts):
    """A namespace may take what tcp_allowed_congestion_control has. armci-bench reports what it has."""
    folder = "/proc/sys/net/ipv4"
    for host in hosts:
        try:
            if "cubic" in host.output_of("cat", f"{folder}/tcp_allowed_congestion_control").split():
                host.run("sh", "-c", f"echo cubic >{folder}/tcp_congestion_control")
        except subprocess.CalledProcessError as refused:
            print(f"{host.name} keeps its congestion control: {(refused.stderr or '').strip()}", file=sys.stderr)


def write_shell(hosts):
    """What the launcher calls instead of ssh: [OPTION...] HOST COMMAND..."""
    path = os.path.join(lab.SHARED, "shell")
    cases = "".join(f"{host.name}) first={host.first} ;;\n" for host in hosts)
    with open(path, "w", encoding="ascii") as file:
        file.write(
            "#!/bin/sh\nwhile case $1 in -*) true ;; *) false ;; esac; do shift; done\n"
            f"name=$1\nshift\ncase $name in\n{cases}*) exit 255 ;;\nesac\n"
            'exec nsenter -t "$first" -n -u -i -m -p --wd="$PWD" -- /bin/sh -c "$*"\n'
        )
    os.chmod(path, stat.S_IRWXU)
    return path


def run(hosts, per_host, repair, program):
    # The launcher stays outside, from where it reaches all hosts in the same way; only its network is
    # the first host's.
    names = ",".join(host.name for host in hosts)
    launcher = ["mpiexec", "-launcher", "ssh", "-launcher-exec", write_shell(hosts), "-iface", INTERFACE,
                "-hosts", names, "-ppn", str(per_host), "-n", str(per_host * len(hosts)),
                "env", f"LD_PRELOAD={repair}"]
    command = ["nsenter", "-t", str(hosts[0].first), "-n", "-i", "--", *launcher, *program]
    return subprocess.run(command, env={**os.environ, "UCX_NET_DEVICES": INTERFACE}, check=False).returncode


def main():
    if len(sys.argv) < 6:
        print(__doc__, file=sys.stderr)
        return 2
    build, size, rate, delay = sys.argv[1:5]
    count, per_host = (int(number) for number in (size + "x1").split("x")[:2])
    # MPI's end hangs at times without it (tests/hosts/finalize.c).
    repair = os.path.join(build, "tests", "hosts", "libhosts_finalize.so")
    missing = lab.why_not(("tc", "mpiexec"))
    if not os.path.exists(repair):
        missing = f"there is no {repair}; build with -DARMCI_BUILD_TESTS=ON"
    if missing:
        print(missing, file=sys.stderr)
        return NOT_AVAILABLE
    lab.enter()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the lab is taken down
    with lab.Lab(count) as cluster:
        cluster.connect(INTERFACE, lab.IPV4)
        cluster.name_hosts([lab.IPV4])
        choose_congestion_control(cluster.hosts)
        try:
            shape(cluster.hosts, rate, delay)
        except subprocess.CalledProcessError as refused:
            print(f"tc cannot make such a link: {refused.stderr.strip()}", file=sys.stderr)
            return NOT_AVAILABLE
        return run(cluster.hosts, per_host, repair, sys.argv[5:])


if __name__ == "__main__":
    sys.exit(main())
