# SPDX-License-Identifier: BSD-3-Clause
"""Several hosts on one machine, which share nothing but the network and the file system of the
project: each has its own interfaces, name, processes, System V objects, /dev/shm, /tmp and /run.

All of it lives inside namespaces of the script that called enter(), and ends with it, whatever ends
it. Needs root and the programs of NEEDED.
"""

import os
import shutil
import subprocess
import sys

import hosts_path
import jobs

INSIDE = "TEST_HOSTS_INSIDE"
NEEDED = ("unshare", "nsenter", "setpriv", "ip", "mount", "hostname")
# Seen by all hosts, as a file system of a cluster is.
SHARED = "/run/shared"
ROOT = os.path.realpath(os.path.join(hosts_path.HERE, os.pardir, os.pardir))


def why_not(programs=()):
    """What is missing for hosts on this machine, and for these programs; or nothing."""
    if os.geteuid() != 0:
        return "namespaces need root"
    for program in (*NEEDED, *programs):
        if shutil.which(program) is None:
            return f"there is no program {program} (scripts/setup.sh hosts)"
    refused = subprocess.run(
        ["unshare", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "ip", "link", "add",
         "name", "end1", "type", "veth", "peer", "name", "end2"],
        capture_output=True, text=True, check=False,
    )
    return f"the system refuses a namespace: {refused.stderr.strip()}" if refused.returncode else ""


def enter():
    """The rest of the script runs in namespaces of its own. The process that called this waits for
    it, and takes it along when it is killed."""
    if INSIDE in os.environ:
        run("mount", "-t", "tmpfs", "-o", "mode=755", "lab", "/run")
        os.mkdir(SHARED)
        run("ip", "link", "set", "lo", "up")
        return
    inside = ["unshare", "--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"]
    script = [sys.executable, "-B", *sys.argv]
    done = subprocess.run(
        ["setpriv", "--pdeathsig", "KILL", *inside, *script],
        env={**os.environ, INSIDE: "1"}, check=False,
    )
    sys.exit(done.returncode)


def run(*command, **options):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)


class Host:
    def __init__(self, number, kept):
        self.name = f"host{number + 1}"
        self.number = number
        self.process = subprocess.Popen(
            [
                *("unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child"),
                *("--mount-proc", os.path.join(hosts_path.HERE, "start_host.sh"), self.name, *kept),
            ],
            stdin=subprocess.DEVNULL,
        )

    def wait_until_up(self):
        up = os.path.join(SHARED, f"{self.name}.up")
        ended = self.process.poll
        if not jobs.wait_until(lambda: os.path.exists(up) or ended() is not None, jobs.TIME_LIMIT_S):
            raise RuntimeError(f"{self.name} does not start")
        if ended() is not None:
            raise RuntimeError(f"{self.name} has not started: status {ended()}")
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as children:
            self.first = int(children.read().split()[0])

    def command(self, *command):
        """The command, as it is to be run inside this host."""
        return ["nsenter", "-t", str(self.first), "-n", "-u", "-i", "-m", "-p", f"--wd={os.getcwd()}", *command]

    def run(self, *command, **options):
        run(*self.command(*command), **options)

    def output_of(self, *command):
        return subprocess.run(self.command(*command), check=True, capture_output=True, text=True).stdout

    def is_up(self, interface):
        """The kernel reports that some time after both ends are up."""
        return self.output_of("ip", "-br", "link", "show", "dev", interface).split()[1] == "UP"

    def processes(self):
        """The command lines of all processes of this host, by their numbers outside of it."""
        name_space = os.readlink(f"/proc/{self.first}/ns/pid")
        found = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{entry}/ns/pid") == name_space:
                    with open(f"/proc/{entry}/cmdline", "rb") as file:
                        found[int(entry)] = file.read().replace(b"\0", b" ").decode(errors="replace").strip()
            except OSError:
                continue  # ended meanwhile
        return {pid: what for pid, what in found.items() if what}


class Network:
    """The addresses of a network: `prefix` and a number. `mask` is the length of what all have in
    common."""

    def __init__(self, prefix, mask):
        self.prefix = prefix
        self.mask = mask

    def address(self, number):
        return f"{self.prefix}{number + 1}"


# Addresses that are reserved for examples, so no real host has them (RFC 5737, RFC 3849).
IPV4 = Network("192.0.2.", 24)
IPV4_DATA = Network("198.51.100.", 24)
IPV6 = Network("2001:db8::", 64)


class Lab:
    """So many hosts, without a network at first."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        with open(os.path.join(SHARED, "ssh_config"), "w", encoding="ascii") as file:
            file.write(
                f"IdentityFile {SHARED}/user_key\nStrictHostKeyChecking no\n"
                "UserKnownHostsFile /dev/null\nLogLevel ERROR\n"
            )
        self.name_hosts([])
        below_tmp = [path for path in {ROOT, os.getcwd()} if path.startswith(("/tmp/", "/var/tmp/"))]
        self.hosts = [Host(number, below_tmp) for number in range(self.count)]
        self.ports = []
        for host in self.hosts:
            host.wait_until_up()
            host.run("ip", "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for host in self.hosts:
            host.process.kill()
            host.process.wait()
        for port in self.ports:
            subprocess.run(["ip", "link", "del", port], stderr=subprocess.DEVNULL, check=False)
        for name in os.listdir(SHARED):
            path = os.path.join(SHARED, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)

    def name_hosts(self, networks):
        """By what addresses the hosts know each other's names."""
        lines = ["127.0.0.1 localhost", "::1 localhost"]
        lines += [f"{network.address(n)} host{n + 1}" for network in networks for n in range(self.count)]
        with open(os.path.join(SHARED, "hosts"), "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")

    def add_interface(self, host, name, *addresses):
        """Gives a host an interface that is up and has a wire to nowhere, with these addresses
        ("192.0.2.1/24"). Returns the name of the wire's other end, here."""
        port = f"{name}.{host.number + 1}"
        run("ip", "link", "add", "name", port, "type", "veth", "peer", "name", name, "netns", str(host.first))
        self.ports.append(port)
        for address in addresses:
            no_wait = ["nodad"] if ":" in address else []
            host.run("ip", "addr", "add", address, "dev", name, *no_wait)
        host.run("ip", "link", "set", name, "up")
        run("ip", "link", "set", port, "up")
        return port

    def connect(self, name, *networks):
        """Connects all hosts to a switch, by an interface of this name with an address in each of
        the networks."""
        run("ip", "link", "add", "name", name, "type", "bridge")
        self.ports.append(name)
        run("ip", "link", "set", name, "up")
        for host in self.hosts:
            addresses = [f"{network.address(host.number)}/{network.mask}" for network in networks]
            run("ip", "link", "set", self.add_interface(host, name, *addresses), "master", name)
        for host in self.hosts:
            if not jobs.wait_until(lambda: host.is_up(name), jobs.TIME_LIMIT_S):
                raise RuntimeError(f"{name} of {host.name} does not come up")
