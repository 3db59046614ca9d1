#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs under limits of the system: either all results are right, or a message names the limit.

usage: run_limits.py MPIEXEC MIX FORBID [CASE...]

Cases that need what this machine does not grant say so and are skipped.
"""

# promise: attach.no-access, attach.one-rank
import os
import socket
import subprocess
import sys
from dataclasses import dataclass, field

import faults_path  # noqa: F401
import jobs

RANKS = 4
ROUNDS = "20"
ONE_NODE = {"ARMCI_NODE_SIZE": "0"}
NODES = {"ARMCI_NODE_SIZE": "2", "ARMCI_ROUTE": "alternate"}
SMALL_HEAP = {"ARMCI_HEAP_SIZE": "256M"}
CGROUP_ROOT = "/sys/fs/cgroup"
GROUP_MIB = 1536


def limited(shell_words):
    """A rank begins in this shell; without the capabilities that overrule limits, if it has any."""
    drop = "-ipc_lock,-sys_resource"
    shell = ["sh", "-c", shell_words + ' && exec "$0" "$@"']
    return ["setpriv", "--bounding-set", drop, *shell] if os.geteuid() == 0 else shell


@dataclass
class Case:
    """`before` starts the ranks, `around` starts mpiexec. Without a message the job must
    do its work, without an error or warning."""

    name: str
    settings: dict
    before: list = field(default_factory=list)
    around: list = field(default_factory=list)
    arguments: tuple = ()
    message: tuple = ()
    says: str = ""  # other words on standard error
    possible: callable = lambda: ""

    def run(self, mpiexec, program):
        missing = self.possible()
        if missing:
            return [(self.name, None, missing)]
        command = ["-n", str(RANKS), *self.before, program, ROUNDS, "3", *self.arguments]
        command = [*self.around, mpiexec, *command]
        complaints, text = jobs.run_and_judge(command[0], command[1:], self.settings, self.judge)
        if self.says not in text:
            complaints.append(f'not a word of "{self.says}"')
        return [(self.name, complaints, text)]

    def judge(self, status, _output, messages):
        if not self.message:
            wrong = [f"unexpected: {message}" for message in messages]
            return wrong + ([f"exit status {status}"] if status != 0 else [])
        complaints = ["exit status 0"] if status == 0 else []
        if not any(all(part in str(m) for part in self.message) for m in messages):
            complaints.append(f"no message with {self.message}")
        return complaints


# --- What the machine must allow ---


def needs_mounts():
    probe = subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "x", "/dev/shm"], stderr=subprocess.PIPE,
        text=True, check=False,
    )
    return probe.stderr.strip()


def needs_memory(wanted):
    with open("/proc/meminfo", encoding="ascii") as file:
        kibibytes = dict(line.split()[:2] for line in file)["MemAvailable:"]
    return "" if int(kibibytes) << 10 >= wanted else f"fewer than {wanted} bytes are available"


def needs_start(mpiexec, program, before):
    """Whether the job runs there with a small heap: MPI takes address space, too."""
    settings = {**ONE_NODE, "ARMCI_HEAP_SIZE": "16M"}
    job = jobs.Job(mpiexec, ["-n", str(RANKS), *before, program, "1", "3"], settings)
    return "" if job.finish() == 0 else "MPI does not run under this limit"


def needs_networks():
    probe = subprocess.run([*LINK_LOCAL, "true"], stderr=subprocess.PIPE, text=True, check=False)
    return probe.stderr.strip()


def memory_group():
    """A control group of this script's own with a limit, and where its processes are written; made
    where it does not exist."""
    with open("/proc/self/cgroup", encoding="ascii") as file:
        groups = dict(line.strip().split(":", 2)[1:] for line in file)
    name = f"armci-faults-{os.getpid()}"
    if "memory" in groups:
        path = f"{CGROUP_ROOT}/memory{groups['memory'].rstrip('/')}/{name}"
        return path, f"{path}/memory.limit_in_bytes"
    path = f"{CGROUP_ROOT}{groups.get('', '/').rstrip('/')}/{name}"
    return path, f"{path}/memory.max"


def needs_group():
    path, limit = memory_group()
    try:
        os.makedirs(path, exist_ok=True)
        with open(limit, "w", encoding="ascii") as file:
            file.write(str(GROUP_MIB << 20))
    except OSError as error:
        return str(error)
    return ""


def remove_group():
    path, _ = memory_group()
    if os.path.isdir(path):
        jobs.wait_until(lambda: not open(f"{path}/cgroup.procs", encoding="ascii").read(), jobs.GONE_WITHIN_S)
        os.rmdir(path)


IN_GROUP = ["sh", "-c", f'echo $$ > {memory_group()[0]}/cgroup.procs && exec "$0" "$@"']
# Each rank on a host of its own, whose interface has only an address that no other host can use.
LINK_LOCAL = [
    *("unshare", "-n", "sh", "-c"),
    "ip link set lo up && ip link add data type veth peer name other && ip link set other up && "
    'ip link set data up && ip -6 addr add fe80::1/64 dev data nodad && exec "$0" "$@"',
]
# This script listens there.
LISTENER = socket.create_server(("", 0))
TAKEN_PORT = LISTENER.getsockname()[1]
SMALL_SHM = [
    *("unshare", "-m", "sh", "-c"),
    'mount -t tmpfs -o size=64m x /dev/shm && exec "$0" "$@"',
]


def cases(mpiexec, program, forbid):
    attached = {"TEST_MEMORY": "attached"}
    return [
        Case("memlock 0, one node", ONE_NODE, limited("ulimit -l 0")),
        Case("memlock 0, nodes", NODES, limited("ulimit -l 0")),
        Case(
            "little address space, nodes",
            {**NODES, "ARMCI_VERBOSE": "1"},
            limited("ulimit -v 4000000"),
            says="because of the limits on this process (ulimit -v or -f)",
        ),
        Case("little address space, one node", ONE_NODE, limited("ulimit -v 4000000")),
        Case(
            "arrays larger than little address space",
            NODES,
            limited("ulimit -v 4000000"),
            arguments=("1000",),
            message=("ARMCI_Malloc", "address space left", "ulimit -v", "instead of"),
            possible=lambda: needs_memory(8 << 30),
        ),
        Case(
            "less address space than the library needs",
            ONE_NODE,
            limited("ulimit -v 300000"),
            message=("Error", "ARMCI_Init", "no common free range", "ulimit -v, which is 300000 KiB"),
            possible=lambda: needs_start(mpiexec, program, limited("ulimit -v 300000")),
        ),
        Case(
            "too little address space for the heap asked for",
            {**NODES, "ARMCI_HEAP_SIZE": "8G"},
            limited("ulimit -v 4000000"),
            message=("Error", "no common free range", "ulimit -v", "lower ARMCI_HEAP_SIZE"),
        ),
        Case(
            "files of a limited size",
            {**NODES, "ARMCI_VERBOSE": "1"},
            limited("ulimit -f 1000000"),
            says="because of the limits on this process (ulimit -v or -f)",
        ),
        Case(
            "files too small for the heap asked for",
            {**NODES, **SMALL_HEAP},
            limited("ulimit -f 100000"),
            message=("Error", "memfd_create", "File too large", "ulimit -f", "ARMCI_HEAP_SIZE"),
        ),
        Case(
            "enough address space for a small heap",
            {**NODES, **SMALL_HEAP},
            limited("ulimit -v 4000000"),
        ),
        *(
            Case(
                f"hosts without addresses, interface {interface or 'default'}",
                {"ARMCI_INTERFACE": interface},
                LINK_LOCAL,
                message=("Error", "no network between", *says, "of IPv4, or of IPv6 except link-local ones"),
                possible=needs_networks,
            )
            for interface, says in (
                ("", ["no interface but loopback has an address"]),
                ("data", ['no usable interface "data"', "data has no address"]),
            )
        ),
        Case("/dev/shm of 64 MB, one node", ONE_NODE, around=SMALL_SHM, possible=needs_mounts),
        Case("/dev/shm of 64 MB, nodes", NODES, around=SMALL_SHM, possible=needs_mounts),
        Case("no access to other processes", ONE_NODE, [forbid, "process_vm"]),
        Case(
            "no access to other processes, attached memory",
            {**ONE_NODE, **attached},
            [forbid, "process_vm"],
            message=("Error", "ARMCIX_Attach", "process_vm_readv is refused", "seccomp"),
        ),
        *(
            Case(
                f"no anonymous files, {name}",
                settings,
                [forbid, "memfd_create"],
                message=("Error", "ARMCI_Init", "memfd_create", "Operation not permitted", "seccomp"),
            )
            for name, settings in (("one node", ONE_NODE), ("nodes", NODES))
        ),
        Case(
            "no random numbers",
            NODES,
            [forbid, "getrandom"],
            message=("Error", "ARMCI_Init", "getrandom", "Operation not permitted", "allow that call"),
        ),
        Case(
            "no access to other processes, attached memory, one rank on a node",
            {"ARMCI_NODE_SIZE": "1", "ARMCI_ROUTE": "alternate", **attached},
            [forbid, "process_vm"],
        ),
        Case("attached memory", {**NODES, **attached}),
        Case(
            "no memory that may be registered, though the provider needs it",
            {**NODES, "ARMCI_FAULTS": "mr_local,mr_count=0,mr_refused=both"},
            message=("Error", "ARMCI_Init", "cannot start", "FI_LOG_LEVEL", "ARMCI_PROVIDER"),
        ),
        Case(
            "all ports taken",
            {**NODES, "ARMCI_PORT_RANGE": f"{TAKEN_PORT}-{TAKEN_PORT}"},
            message=("Error", "ARMCI_Init", "cannot start", "perhaps all ports of ARMCI_PORT_RANGE are in use"),
        ),
        Case("enough open files", {**NODES, "TEST_DESCRIPTORS": "60"}),
        Case("enough open files above the soft limit", {**NODES, "TEST_SOFT_DESCRIPTORS": "0"}),
        *(
            Case(
                f"{files} more open files",
                {**NODES, "TEST_DESCRIPTORS": str(files)},
                message=("Error", "open files", "ulimit -n"),
            )
            for files in (4, 8, 12, 16)
        ),
        Case("a control group with enough memory", NODES, around=IN_GROUP, possible=needs_group),
        Case(
            "a control group with too little memory",
            NODES,
            around=IN_GROUP,
            arguments=(str(GROUP_MIB),),
            message=("ARMCI_Malloc", "the control group (", "bytes available"),
            possible=needs_group,
        ),
        # Enough only because freed memory, which is kept otherwise, goes back first.
        Case(
            "a control group with enough memory after a use of some",
            {**ONE_NODE, "TEST_FREED_MIB": str(GROUP_MIB * 4 // 19 // RANKS)},
            around=IN_GROUP,
            arguments=(str(GROUP_MIB * 15 // 19 // RANKS),),
            possible=needs_group,
        ),
        # Enough for each of the nodes, but not for both.
        Case(
            "a control group with too little memory for its nodes",
            NODES,
            around=IN_GROUP,
            arguments=(str(GROUP_MIB * 3 // 10),),
            message=("ARMCI_Malloc", "the control group (", "bytes available", "promised"),
            possible=needs_group,
        ),
    ]


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    mpiexec, program, forbid, *wanted = sys.argv[1:]
    known = cases(mpiexec, program, forbid)
    chosen = [case for case in known if not wanted or case.name in wanted]
    try:
        return jobs.run_all([lambda case=case: case.run(mpiexec, program) for case in chosen])
    finally:
        remove_group()


if __name__ == "__main__":
    sys.exit(main())
