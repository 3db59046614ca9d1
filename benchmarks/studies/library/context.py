# SPDX-License-Identifier: BSD-3-Clause
"""What parts measure with: programs of the build, where they run, and how much is measured."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from library.study import NotAvailable

ON_HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "on_hosts.py")
# Status of on_hosts.py where hosts cannot be made.
EXIT_NOT_AVAILABLE = 77
LIMIT_S = 170
# A smoke run says whether everything works, also on a machine with much other work.
SMOKE_LIMIT_S = 1000


@dataclass(frozen=True)
class Place:
    """Where two ranks or more run: on one node, on virtual nodes of this host, or on hosts of their
    own with links of a given speed."""

    name: str
    node_size: int = 0
    rate: str = ""
    delay: str = "0"
    hosts: int = 0  # how many, if there are more ranks than hosts


SHARED_MEMORY = Place("shared memory")
LOOPBACK = Place("loopback", node_size=1)
LINK_10G = Place("10 Gbit/s", rate="10gbit")
LINK_1G = Place("1 Gbit/s", rate="1gbit")
HOSTS = Place("hosts", rate="0", hosts=2)
LINK_LONG = Place("1 Gbit/s, 1 ms", rate="1gbit", delay="1ms")


class Failed(Exception):
    """A program failed, or gave wrong data."""


class Context:
    def __init__(self, build, extent, peers=None):
        self.build = build
        self.extent = extent
        self.peers = peers or {}  # programs by name (see peers.py)
        self.limit_s = SMOKE_LIMIT_S if extent == "smoke" else LIMIT_S
        self.machine = {}  # as armci-bench describes it

    def pick(self, smoke, quick, full):
        return {"smoke": smoke, "quick": quick, "full": full}[self.extent]

    def program(self, *path):
        found = os.path.join(self.build, *path)
        if not os.path.exists(found):
            raise NotAvailable(f"{found} is not built")
        return found

    def run(self, command, settings=None, limit_s=None):
        """Standard output of a program that must succeed. Settings of the caller's do not count."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
        environment.update(settings or {})
        limit_s = limit_s or self.limit_s
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False,
                                  timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise Failed(f"{' '.join(command)}: not finished after {limit_s} s") from None
        if done.returncode == EXIT_NOT_AVAILABLE and ON_HOSTS in command:
            raise NotAvailable(done.stderr.strip().splitlines()[-1])
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-2000:]}{done.stdout[-2000:]}")
        return done.stdout

    def run_at(self, place, ranks, program, settings=None, limit_s=None):
        """A job of that many ranks. On hosts of their own, one is on each unless the place says how many
        hosts there are."""
        settings = dict(settings or {})
        if place.rate:
            size = f"{place.hosts}x{ranks // place.hosts}" if place.hosts else str(ranks)
            hosts = [sys.executable, "-B", ON_HOSTS, self.build, size, place.rate, place.delay]
            return self.run([*hosts, *program], settings, limit_s)
        if place.node_size:
            settings["ARMCI_NODE_SIZE"] = str(place.node_size)
        return self.run(["mpiexec", "-n", str(ranks), *program], settings, limit_s)

    def bench_document(self, place, program, options, settings, ranks, limit_s=None):
        """What a run of armci-bench, built with whichever library, writes into its JSON file."""
        # Hosts have a /tmp of their own.
        with tempfile.TemporaryDirectory(dir=self.build) as folder:
            path = os.path.join(folder, "rows.json")
            self.run_at(place, ranks, [program, *options, "--json", path], settings, limit_s)
            with open(path, encoding="utf-8") as file:
                return json.load(file)

    def bench(self, place, options, settings=None, ranks=2):
        """The rows of a run of armci-bench. None may have failed."""
        program = self.program("tools", "armci-bench", "armci-bench")
        document = self.bench_document(place, program, options, settings, ranks)
        self.machine = self.machine or document["machine"]
        for row in document["rows"]:
            if row["status"] != "ok":
                raise Failed(f"armci-bench {' '.join(options)}: {row['operation']} {row['mode']}: {row['status']}")
        return document["rows"]

    def timeline(self, place, options, settings):
        """The events of each rank of a run of armci-bench: lists of dictionaries in Chrome's format."""
        program = self.program("tools", "armci-bench", "armci-bench")
        with tempfile.TemporaryDirectory(dir=self.build) as folder:
            base = os.path.join(folder, "timeline")
            self.run_at(place, 2, [program, *options], {**settings, "ARMCI_TRACE": base})
            ranks = []
            for rank in range(2):
                with open(f"{base}.{rank}.json", encoding="utf-8") as file:
                    ranks.append(json.load(file))
        return ranks


def in_rounds(rounds, settings, measure):
    """Calls measure(setting) for each setting in turn, several times, and returns the lists of what it
    returned. Slow changes of the machine then reach all settings alike."""
    found = [[] for _ in settings]
    for _ in range(rounds):
        for index, setting in enumerate(settings):
            found[index].append(measure(setting))
    return found
