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


@dataclass(frozen=True)
class Place:
    """Where two ranks or more run: on one node, on virtual nodes of this host, or on hosts of their
    own with links of a given speed."""

    name: str
    node_size: int = 0
    rate: str = ""
    delay: str = "0"


SHARED_MEMORY = Place("shared memory")
LOOPBACK = Place("loopback", node_size=1)
LINK_10G = Place("10 Gbit/s", rate="10gbit")
LINK_1G = Place("1 Gbit/s", rate="1gbit")
LINK_LONG = Place("1 Gbit/s, 1 ms", rate="1gbit", delay="1ms")


class Failed(Exception):
    """A program failed, or gave wrong data."""


class Context:
    def __init__(self, build, extent):
        self.build = build
        self.extent = extent
        self.machine = {}  # as armci-bench describes it

    def pick(self, smoke, quick, full):
        return {"smoke": smoke, "quick": quick, "full": full}[self.extent]

    def program(self, *path):
        found = os.path.join(self.build, *path)
        if not os.path.exists(found):
            raise NotAvailable(f"{found} is not built")
        return found

    def run(self, command, settings=None):
        """Standard output of a program that must succeed. Settings of the caller's do not count."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("ARMCI_")}
        environment.update(settings or {})
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False,
                                  timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"{' '.join(command)}: not finished after {LIMIT_S} s") from None
        if done.returncode == EXIT_NOT_AVAILABLE and ON_HOSTS in command:
            raise NotAvailable(done.stderr.strip().splitlines()[-1])
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-2000:]}{done.stdout[-2000:]}")
        return done.stdout

    def run_at(self, place, ranks, program, settings=None):
        """A job of that many ranks; on hosts of their own, one on each."""
        settings = dict(settings or {})
        if place.rate:
            hosts = [sys.executable, "-B", ON_HOSTS, self.build, str(ranks), place.rate, place.delay]
            return self.run([*hosts, *program], settings)
        if place.node_size:
            settings["ARMCI_NODE_SIZE"] = str(place.node_size)
        return self.run(["mpiexec", "-n", str(ranks), *program], settings)

    def bench(self, place, options, settings=None, ranks=2):
        """The rows of a run of armci-bench, as its JSON file has them. None may have failed."""
        program = self.program("tools", "armci-bench", "armci-bench")
        # Hosts have a /tmp of their own.
        with tempfile.TemporaryDirectory(dir=self.build) as folder:
            path = os.path.join(folder, "rows.json")
            self.run_at(place, ranks, [program, *options, "--json", path], settings)
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
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
