#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what armci-info prints about the network and the configuration, and which arguments it refuses.

usage: run_info.py MPIEXEC ARMCI_INFO OTHER_VERSION
"""

import json
import os
import subprocess
import sys
import tempfile

MPIEXEC, INFO, OTHER_VERSION = sys.argv[1:4]
NODES = {"ARMCI_NODE_SIZE": "1"}
complaints = []
# Empty where the system does not tell it, as in some containers.
CONGESTION_CONTROL = ""
if os.path.exists("/proc/sys/net/ipv4/tcp_congestion_control"):
    with open("/proc/sys/net/ipv4/tcp_congestion_control", encoding="ascii") as setting:
        CONGESTION_CONTROL = setting.read().strip()


def run(*command, **settings):
    """Exit status, standard output, standard error."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
    environment.update(settings)
    command = ["timeout", "--kill-after=5", "1200", *command]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def expect(condition, what, job):
    if not condition:
        complaints.append(f"{what}; status {job[0]}\n{job[1]}{job[2]}")


def expect_texts(job, status, *texts):
    expect(job[0] == status, f"status {status}", job)
    for text in texts:
        expect(text in job[1] + job[2], f"says {text!r}", job)


def check_providers():
    expect_texts(run(INFO, "--providers"), 0, "between nodes: ", "taking all nodes to be on this host")
    job = run(INFO, "--providers", ARMCI_PROVIDER="sockets", ARMCI_INTERFACE="lo")
    expect_texts(job, 0, "between nodes: sockets on lo (")
    job = run(INFO, "--providers", ARMCI_INTERFACE="pigeon0")
    expect_texts(job, 1, 'no usable interface "pigeon0" here, but ', "lo")
    job = run(INFO, "--providers", ARMCI_PROVIDER="carrier_pigeon")
    expect_texts(job, 1, 'no provider "carrier_pigeon"')
    if not os.path.exists("/sys/class/cxi"):
        cause = "no adapter for it here (/sys/class/cxi)"
        expect_texts(run(INFO, "--providers"), 0, f"  not used: cxi: {cause}")
        job = run(INFO, "--providers", ARMCI_PROVIDER="cxi")
        expect_texts(job, 1, 'no provider "cxi"', f"cxi: {cause}")
    job = run(INFO, "--providers", ARMCI_ROUTE="bad")
    expect_texts(job, 1, 'ARMCI_ROUTE="bad" is not ')


def check_jobs():
    job = run(MPIEXEC, "-n", "2", INFO, ARMCI_PROVIDER="sockets", ARMCI_INTERFACE="lo", **NODES)
    expect_texts(job, 0, "provider sockets", "between nodes: sockets on lo, in use",
                 "node memory: ", "huge pages")
    if CONGESTION_CONTROL:
        expect_texts(job, 0, f"  TCP congestion control: {CONGESTION_CONTROL}")
    if os.path.exists("/dev/shm"):
        job = run(MPIEXEC, "-n", "2", INFO, ARMCI_PROVIDER="shm", **NODES)
        expect("provider shm" in job[1] + job[2] and "congestion" not in job[1], "none of other networks", job)
    job = run(MPIEXEC, "-n", "2", INFO, ARMCI_PROVIDER="carrier_pigeon")
    expect_texts(job, 1, "2 ranks on 1 node", 'no provider "carrier_pigeon"')
    # On several ranks it prints once.
    job = run(MPIEXEC, "-n", "2", INFO, "--markdown")
    expect_texts(job, 0, "# Tuning")
    expect(job[1].count("# Tuning") == 1, "the page once", job)


def check_json():
    job = run(MPIEXEC, "-n", "2", INFO, "--json", ARMCI_PROVIDER="sockets", ARMCI_INTERFACE="lo", ARMCI_STATS="no", **NODES)
    document = json.loads(job[1])
    expect(job[0] == 0 and document["node_count"] == 2, "two nodes", job)
    expect([rank["node"] for rank in document["ranks"]] == [0, 1], "the node of each rank", job)
    expect(document["ranks"][0]["routes"][0] == "l" and document["ranks"][0]["routes"][1] in "rs", "routes", job)
    network = document["network"]
    expect(network["in_use"] and network["provider"] == "sockets" and len(network["interfaces"]) == 1, "network", job)
    expect(network["tcp_congestion_control"] == CONGESTION_CONTROL, "TCP's congestion control", job)
    variables = {row["name"]: row for row in document["configuration"]}
    expect(variables["ARMCI_STATS"]["value"] == "0" and variables["ARMCI_STATS"]["source"] == "environment",
           "the value of a variable, and its source", job)
    expect(f"armci-ofi {document['version']} (" in run(INFO, "--version")[1], "the version", job)
    job = run(INFO, "--json", ARMCI_PROVIDER="carrier_pigeon")
    network = json.loads(job[1])["network"]
    expect(job[0] == 1 and not network["provider"] and 'no provider "carrier_pigeon"' in network["error"],
           "why there is no network", job)


def settings_of(job):
    settings = {}
    for line in job[2].splitlines():
        words = line.split()
        if len(words) > 3 and words[1] == "=":
            settings[words[0]] = words[2]
    return settings


def check_verbose():
    """Values in force, where a variable leaves the choice to the library."""
    job = run(MPIEXEC, "-n", "2", INFO, ARMCI_VERBOSE="1", ARMCI_PROVIDER="sockets",
              ARMCI_SERVERS_PER_NODE="3", ARMCI_BUFFER_COUNT="5", **NODES)
    expect_texts(job, 0, "ranks on 2 nodes, provider sockets on ", "(environment: 3)")
    settings = settings_of(job)
    for name, value in {
        "ARMCI_PROVIDER": "sockets",
        "ARMCI_BUFFER_COUNT": "5",
        "ARMCI_RECV_BUFFER_COUNT": "10",
        "ARMCI_SERVERS_PER_NODE": "1",
    }.items():
        expect(settings.get(name) == value, f"{name} = {value}", job)
    expect("auto" not in settings.get("ARMCI_BUFFER_SIZE", "auto"), "a size of buffers", job)
    expect(not settings.get("ARMCI_INTERFACE", "(").startswith("("), "an interface", job)
    for size, count in {"64K": "20", "2M": "16", "4M": "10"}.items():
        job = run(MPIEXEC, "-n", "2", INFO, ARMCI_VERBOSE="1", ARMCI_PROVIDER="tcp",
                  ARMCI_BUFFER_COUNT="5", ARMCI_BUFFER_SIZE=size, **NODES)
        expect(settings_of(job).get("ARMCI_RECV_BUFFER_COUNT") == count,
               f"{count} receive buffers of {size}", job)


def check_passed_over():
    """A job of several nodes reports what it does not use: on request, and by itself only idle adapters."""
    if os.path.exists("/sys/class/cxi") or os.path.exists("/sys/class/infiniband"):
        return
    line = "  not used: cxi: no adapter for it here"
    job = run(MPIEXEC, "-n", "2", INFO, **NODES)
    expect_texts(job, 0, line)
    expect("idle" not in job[2] and line not in job[2], "no warning", job)
    job = run(MPIEXEC, "-n", "2", INFO, ARMCI_VERBOSE="1", **NODES)
    expect(job[2].count(line) == 1, "the line once", job)


def check_idle_adapter():
    """A host with an adapter, according to the kernel, whose provider libfabric does not offer."""
    pretend = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
               "mount -t tmpfs none /sys/class && mkdir -p /sys/class/cxi/cxi7 && exec \"$@\"", "sh"]
    if run(*pretend, "true")[0] != 0:
        print("not tested: adapters that lie idle: this system has no user namespaces")
        return
    cause = "cxi: adapter cxi7 is here, but "
    job = run(*pretend, INFO, "--providers")
    expect_texts(job, 0, f"  not used: {cause}")
    job = run(*pretend, MPIEXEC, "-n", "2", INFO, **NODES)
    expect_texts(job, 0, f"a better network lies idle: {cause}")
    expect(job[2].count("lies idle") == 1, "one warning", job)
    named = {"ARMCI_PROVIDER": "sockets", "ARMCI_INTERFACE": "lo"}
    job = run(*pretend, MPIEXEC, "-n", "2", INFO, **NODES, **named)
    expect_texts(job, 0, "provider sockets")
    expect("lies idle" not in job[2], "no warning where a provider is named", job)


def check_delays():
    """Settings of the user with which a completed message over TCP may not have left."""
    for settings, found in (
        ({"FI_TCP_STAGING_SBUF_SIZE": "9000"}, "with FI_TCP_STAGING_SBUF_SIZE=9000, messages may leave only when"),
        ({"FI_TCP_IO_URING": "No"}, None),
        ({"FI_NET_STAGING_SBUF_SIZE": "9000"}, None),
    ):
        settings = {"FI_TCP_STAGING_SBUF_SIZE": "0", "FI_TCP_IO_URING": "0", **settings}
        job = run(MPIEXEC, "-n", "2", INFO, ARMCI_PROVIDER="tcp;ofi_rxm", **NODES, **settings)
        expect_texts(job, 0, "provider tcp;ofi_rxm")
        expect(job[2].count("messages may leave") == (found is not None), f"a warning or none: {settings}", job)
        expect(found is None or found in job[2], f"says {found!r}", job)


def check_configuration():
    job = run(INFO, "--config", ARMCI_STATS="yes")
    expect_texts(job, 0, "ARMCI_STATS = 1  (environment)")
    job = run(INFO, "--config", ARMCI_ROUTE="bad", ARMCI_PROFILE="/nonexistent")
    expect_texts(job, 1, "ARMCI_ROUTE = auto  (default)")
    expect(
        job[2].count("\n") == 2 and 'ARMCI_ROUTE="bad" is not ' in job[2], "both errors", job
    )


def object_of(kind, number, processors, node, inside="", attributes=""):
    """An object of hwloc's XML."""
    sets = "".join(f' {prefix}{name}="0x{value:08x}"' for name, value in (("cpuset", processors), ("nodeset", node))
                   for prefix in ("", "complete_"))
    return f'<object type="{kind}" os_index="{number}"{sets}{attributes}>{inside}</object>\n'


def device_of(number, names, vendor="17db"):
    """A PCI device with one device of the system for each name: those called hsn and eth are of the network."""
    bus = f"{0x41 + number:02x}"
    inside = "".join(f'<object type="OSDev" name="{name}" osdev_type="{2 if name[:3] in ("hsn", "eth") else 3}"/>'
                     for name in names)
    return (f'<object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[{bus}-{bus}]">'
            f'<object type="PCIDev" pci_busid="0000:{bus}:00.0" pci_type="0207 [{vendor}:0501] [{vendor}:0001] 00">'
            f"{inside}</object></object>\n")


def package_of(number, devices):
    """A package of two cores of two processors each, with a NUMA node and devices."""
    node = 1 << number
    inside = object_of("NUMANode", number, 15 << 4 * number, node)
    for core in (2 * number, 2 * number + 1):
        units = "".join(object_of("PU", unit, 1 << unit, node) for unit in (2 * core, 2 * core + 1))
        inside += object_of("Core", core, 3 << 2 * core, node, units)
    return object_of("Package", number, 15 << 4 * number, node, inside + devices)


def write_machine(path, packages, allowed=0xff):
    """Two packages, of whose eight processors some are allowed."""
    with open(path, "w", encoding="ascii") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n'
                   '<topology version="2.0">\n'
                   + object_of("Machine", 0, 255, 3, "".join(packages),
                               f' allowed_cpuset="0x{allowed:08x}" allowed_nodeset="0x00000003"')
                   + "</topology>\n")


NEAREST = "provider: cxi, each rank with the nearest adapter (names are hwloc's)\n"


def check_places():
    """Where a job would be, on machines that are described."""
    job = run(INFO, "--places", "56,package:1 numa:4 core:16 pu:1")
    expect_texts(job, 0, "ranks: 56, each bound to one of 64 cores, evenly spread",
                 "provider: one over TCP, because hwloc knows no adapter of OpenFabrics or Slingshot there",
                 "data server in rank 14: thread on processor ", "buffers in NUMA node 1")
    expect(job[1].count("data server in rank ") == 4, "4 data servers", job)
    job = run(INFO, "--places", "6,package:1 numa:1 core:4 pu:2")
    expect_texts(job, 0, "ranks: 6, each bound to one of 8 processors", "data server in rank 0: thread on processor ")
    job = run(INFO, "--places", "9,package:2 numa:1 core:2 pu:2")
    expect_texts(job, 0, "ranks: 9, not bound, because ranks outnumber 8 processors",
                 "data server in rank 0: thread not bound, buffers in NUMA nodes 0, 1\n")
    job = run(INFO, "--places", "80,package:40 numa:1 core:2 pu:1", ARMCI_SERVERS_PER_NODE="40")
    expect_texts(job, 0, "data server in rank 64: thread not bound, buffers in NUMA node 32\n")
    expect_texts(run(INFO, "--places", "1"), 0, "ranks: 1, each bound to one of ", "data server in rank 0: ")
    job = run(INFO, "--places", "2,package:1 core:2 pu:1", ARMCI_SERVERS_PER_NODE="3")
    expect_texts(job, 0, "ARMCI_SERVERS_PER_NODE=3, but the node has only 2 ranks", "data server in rank 1: ")
    with tempfile.TemporaryDirectory(prefix="armci_info_") as directory:
        check_described_adapters(os.path.join(directory, "node.xml"))
    expect_texts(run(INFO, "--places", "4,no machine"), 1, '--places: hwloc cannot read "no machine"')
    expect_texts(run(INFO, "--places", "4", ARMCI_ROUTE="bad"), 1, 'ARMCI_ROUTE="bad" is not ')
    expect_texts(run(INFO, "--places", "4", ARMCI_NODE_SIZE="2"), 1, "--places: ARMCI_NODE_SIZE divides a host")
    for request in "0", "x", "4,", "-1", "4x", "65537", ",package:1":
        expect_texts(run(INFO, "--places", request), 2, f'--places: "{request}" is not RANKS[,MACHINE]')


def check_described_adapters(path):
    # One adapter has two names, hsn10 and cxi10. The network device eth9 is none of Slingshot's.
    packages = (package_of(0, device_of(0, ("hsn10", "cxi10"))), package_of(1, device_of(1, ("cxi9", "eth9"))))
    write_machine(path, packages)
    expect_job = (0, "ranks: 4, each bound to one of 4 cores, evenly spread in their order (a launcher may do "
                  "otherwise)\n" + NEAREST +
                  "adapter cxi9, next to processors 4-7: ranks 2, 3\n"
                  "adapter cxi10, next to processors 0-3: ranks 0, 1\n"
                  "data server in rank 0: cxi10, thread not bound, buffers in NUMA node 0\n"
                  "data server in rank 2: cxi9, thread not bound, buffers in NUMA node 1\n", "")
    job = run(INFO, "--places", f"4,{path}")
    expect(job == expect_job, "the places of 4 ranks", job)
    # Not the processors of this process, but those of the machine that takes the place of this one.
    job = run(INFO, "--places", "4", HWLOC_XMLFILE=path)
    expect(job == expect_job, "the places of 4 ranks on the machine of HWLOC_XMLFILE", job)
    job = run(INFO, "--places", f"2,{path}", ARMCI_SERVERS_PER_NODE="1", ARMCI_INTERFACE="cxi9")
    expect_texts(job, 0, "adapter cxi10, next to processors 0-3: rank 0\n", "not considered here: ARMCI_INTERFACE=cxi9",
                 "data server in rank 0: cxi10, thread on processor 2, buffers in NUMA node 0")
    expect(job[1].count("data server in rank ") == 1, "1 data server", job)
    # A control group leaves the second package, also to ranks that are not bound.
    write_machine(path, packages, 0xf0)
    for ranks, bound in (2, "each bound to one of 2 cores"), (5, "not bound, because ranks outnumber 4 processors"):
        numbers = ", ".join(map(str, range(ranks))) if ranks < 3 else f"0-{ranks - 1}"
        job = run(INFO, "--places", f"{ranks},{path}")
        expect_texts(job, 0, f"ranks: {ranks}, {bound}", f"adapter cxi9, next to processors 4-7: ranks {numbers}\n",
                     "adapter cxi10, next to processors 0-3: no rank\n",
                     "data server in rank 0: cxi9, thread not bound, buffers in NUMA node 1\n")
    # A card of another maker is not for the same provider.
    other = device_of(1, ("mlx5_0",), "15b3")
    write_machine(path, (package_of(0, device_of(0, ("hsn0",))), package_of(1, other)))
    job = run(INFO, "--places", f"4,{path}")
    expect_texts(job, 0, NEAREST, "adapter hsn0, next to processors 0-3: ranks 0-3\n", "data server in rank 0: hsn0")
    expect("mlx5_0" not in job[1] and job[1].count("data server") == 1, "one adapter, one data server", job)
    job = run(INFO, "--places", f"4,{path}", ARMCI_PROVIDER="verbs;ofi_rxm")
    expect_texts(job, 0, "provider: verbs;ofi_rxm, all ranks with one network\ndata server in rank 0: thread not bound")
    write_machine(path, (package_of(0, device_of(0, ("mlx5_1",), "15b3")), package_of(1, other)))
    job = run(INFO, "--places", f"4,{path}")
    expect_texts(job, 0, "provider: verbs;ofi_rxm, all ranks with one network\ndata server in rank 0: thread not bound")
    write_machine(path, (package_of(0, device_of(0, ("rdmap0",), "1d0f")), package_of(1, device_of(1, ("hfi1_0",)))))
    expect_texts(run(INFO, "--places", f"4,{path}", ARMCI_PROVIDER="efa"), 0, "provider: efa, each rank with the nearest",
                 "adapter rdmap0, next to processors 0-3: ranks 0-3\n")
    # A device without a place in the PCI bus is near all. Five adapters have five data servers.
    write_machine(path, (package_of(0, ""), package_of(1, ""), "".join(
        f'<object type="OSDev" name="cxi{number}" osdev_type="3"/>' for number in range(5))))
    job = run(INFO, "--places", f"8,{path}")
    expect_texts(job, 0, "adapter cxi0, next to processors 0-7: ranks ", "data server in rank 7: cxi4, ")
    expect(job[1].count("data server in rank ") == 5, "5 data servers", job)
    with open(path, "w", encoding="ascii") as file:
        file.write("no machine")
    expect_texts(run(INFO, "--places", f"4,{path}"), 1, f'--places: hwloc cannot read "{path}"', "lstopo")


def check_refusals():
    for arguments, reason in {
        ("--explain",): "--explain: 1 required OP,ROWS,RUN,TARGET missing",
        ("--explain", "put,1,8,0", "x"): "The following argument was not expected: x",
        ("--config", "x"): "The following argument was not expected: x",
        ("--config", "--version"): "Requires at most 1 options",
        ("--version", "x"): "The following argument was not expected: x",
        ("--pigeon",): "The following argument was not expected: --pigeon",
    }.items():
        expect_texts(run(INFO, *arguments), 2, f"armci-info: {reason}", "usage: armci-info")
        # Another rank's request is refused as well.
        job = run(INFO, *arguments, PMI_RANK="1")
        expect(job == (2, "", ""), "silence of rank 1", job)
    expect(run(INFO, "--version", PMI_RANK="1") == (0, "", ""), "silence of rank 1", job)
    expect_texts(run(INFO, "--help"), 0, "usage: armci-info")


def check_lost_output():
    """What cannot be printed is an error, also where standard output is closed. A reader may end."""
    for arguments in (), ("--json",), ("--config",), ("--explain", "put,1,8,0"), ("--markdown",), ("--help",):
        for redirection, reason in (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"):
            job = run("sh", "-c", f'exec "$@" {redirection}', "sh", INFO, *arguments)
            expect(job == (1, "", f"armci-info: standard output cannot be written: {reason}\n"),
                   f"{arguments} {redirection}", job)
    for arguments in ("--json",), ("--markdown",):
        reader, end = os.pipe()
        os.close(reader)
        done = subprocess.run([INFO, *arguments], stdout=end, stderr=subprocess.PIPE, text=True, check=False)
        os.close(end)
        expect(done.returncode != 0 and done.stderr == "", f"{arguments}: a reader that has ended",
               (done.returncode, "", done.stderr))
    job = run("sh", "-c", 'exec "$@" >&-', "sh", INFO, "--version", PMI_RANK="1")
    expect(job == (0, "", ""), "a rank that prints nothing", job)


def check_other_version():
    job = run(INFO, "--config", LD_PRELOAD=OTHER_VERSION)
    expect_texts(job, 1, "the libarmci.so that it finds is of 0.0.1-other: set LD_LIBRARY_PATH")
    expect(job[1] == "", "nothing of that library", job)


check_providers()
check_jobs()
check_json()
check_verbose()
check_passed_over()
check_idle_adapter()
check_delays()
check_configuration()
check_places()
check_refusals()
check_lost_output()
check_other_version()
for complaint in complaints:
    print(f"FAIL {complaint}")
print(f"{len(complaints)} complaints")
sys.exit(1 if complaints else 0)
