#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Starts jobs with wrong and unusual values of the library's variables and checks its messages.

usage: run_configuration.py MPIEXEC BAD_CALL [CASE...]

A malformed value of a variable of this library ends the job at start. A malformed value of one shared
with other implementations and an unknown name give a warning, once per job. What is right, or known
from others, gives nothing. Where ranks have different values of a variable that is the job's, rank 0
warns and the job runs with its value. PROGRAM is cases of calls/ in which nothing is wrong.
"""

import os
import sys
from dataclasses import dataclass, field

import jobs

WRONG_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wrong.conf")
PROGRAM = ["lenient.no_mutexes_wanted", "lenient.domains_add_up"]


@dataclass
class Case:
    name: str
    settings: dict
    messages: list = field(default_factory=list)
    ranks: int = 1
    # Only this rank has the settings: "first" or "last".
    only: str = ""
    everywhere: dict = field(default_factory=dict)  # settings that all ranks have
    program: list = field(default_factory=lambda: PROGRAM)

    def fails(self):
        return any(message.kind == "Error" for message in self.messages)

    def run(self, mpiexec, program):
        plain = [program, *self.program]
        settings = {}
        if self.only:
            values = [f"{name}={value}" for name, value in self.settings.items()]
            parts = [["-n", "1", "env", *values, *plain], ["-n", str(self.ranks - 1), *plain]]
            first, second = parts if self.only == "first" else reversed(parts)
            arguments = [*first, ":", *second]
        else:
            settings = self.settings
            arguments = ["-n", str(self.ranks), *plain]
        complaints, text = jobs.run_and_judge(
            mpiexec, arguments, {**settings, **self.everywhere, "TEST_RECORD": os.devnull}, self.judge
        )
        return [(self.name, complaints, text)]

    def judge(self, status, _output, messages):
        complaints = jobs.compare(self.messages, messages)
        if (status != 0) != self.fails():
            complaints.append(f"exit status {status}")
        return complaints


def error(*fragments, rank="0"):
    return jobs.Expected("Error", rank, fragments[0], list(fragments[1:]))


def warning(*fragments):
    return jobs.Expected("Warning", "0", fragments[0], list(fragments[1:]))


def unusable(count, rank="0"):
    """The last line of the complaints about malformed values."""
    plural = "s" if count > 1 else ""
    return error("ARMCI_Init: ", f"{count} setting{plural} cannot be used", rank=rank)


def malformed(name, value, *fragments, ranks=1):
    return Case(
        f"{name}={value}",
        {name: value},
        [error(f'{name}="{value}" is not ', *fragments, "correct or unset it"), unusable(1)],
        ranks,
    )


def shared(name, value, *fragments, ranks=1):
    text = f'{name}="{value}" is not '
    return Case(f"{name}={value}", {name: value}, [warning(text, *fragments, "is used")], ranks)


def unknown(name, advice, ranks=1):
    text = f"unknown variable {name} has no effect"
    return Case(f"{name} (unknown)", {name: "1"}, [warning(text, advice)], ranks)


def between_nodes(name, settings, *messages):
    return Case(name, {"ARMCI_NODE_SIZE": "1", **settings}, list(messages), 2)


def no_network(*fragments):
    return error("ARMCI_Init: no network between the nodes", *fragments, "fi_info lists")


def differing(name, value_of_first, other, value_of_other):
    return warning(
        f"{name} is {value_of_first} on rank 0, but {value_of_other} on rank {other}; ",
        "all ranks take rank 0's",
        "the same environment",
        f"mpiexec -x {name}",
    )


def on_first_only(name, value, default, ranks=3):
    message = differing(name, f'"{value}"', 1, f'"{default}" (the default)')
    return Case(f"{name}={value} on rank 0 only", {name: value}, [message], ranks, "first")


def on_last_only(name, value, default, ranks=3):
    message = differing(name, f'"{default}" (the default)', ranks - 1, f'"{value}"')
    return Case(f"{name}={value} on the last rank only", {name: value}, [message], ranks, "last")


SIZE = "a number of bytes, with K, M or G"

CASES = [
    # Whole numbers.
    malformed("ARMCI_BUFFER_COUNT", "many", "auto or a whole number", "1..4096"),
    malformed("ARMCI_BUFFER_COUNT", "", "auto or a whole number", "1..4096"),
    malformed("ARMCI_BUFFER_COUNT", "8.5", "auto or a whole number", "1..4096"),
    malformed("ARMCI_BUFFER_COUNT", "0", "auto or a whole number", "1..4096"),
    malformed("ARMCI_FAULTS", "eagain=4/3", "a list of", "eagain=R/N", ranks=2),
    malformed("ARMCI_SERVERS_PER_NODE", "0", "a whole number", "1..1024"),
    malformed("ARMCI_PORT_RANGE", "22999-22000", "first-last", "1..65535"),
    malformed("ARMCI_NODE_SIZE", "-1", "a whole number", "0..1048576", ranks=2),
    malformed("ARMCI_SERVER_SPIN_US", "99999999999999999999", "a whole number", "0..1000000"),
    # Sizes.
    malformed("ARMCI_BUFFER_SIZE", "64X", SIZE, "4K..16M"),
    malformed("ARMCI_BUFFER_SIZE", "1K", SIZE, "4K..16M"),
    malformed("ARMCI_HEAP_SIZE", "9999999999G", SIZE, "0..65536G", ranks=2),
    # One of several words.
    malformed("ARMCI_ROUTE", "fastest", "one of auto|rma|server|alternate", ranks=2),
    malformed("ARMCI_SERVER_POLL", "always", "one of auto|spin|wait"),
    malformed("ARMCI_THREAD_LEVEL", "threads", "one of auto|single|funneled|serialized|multiple"),
    malformed("ARMCI_LOG_LEVEL", "WARN", "one of error|warn|info|debug"),
    # Yes or no.
    malformed("ARMCI_STATS", "perhaps", "one of 0|1|no|yes|", ranks=2),
    malformed("ARMCI_STATS", "nonsense", "one of 0|1|no|yes|"),
    malformed("ARMCI_CHECK", "perhaps", "one of 0|1|warn"),
    # A file that must be there.
    Case(
        "ARMCI_PROFILE (no such file)",
        {"ARMCI_PROFILE": "/nonexistent/profile"},
        [
            error('ARMCI_PROFILE="/nonexistent/profile" cannot be read (No such file', "correct"),
            unusable(1),
        ],
        ranks=2,
    ),
    Case(
        "ARMCI_PROFILE (a directory)",
        {"ARMCI_PROFILE": "/"},
        [error('ARMCI_PROFILE="/" cannot be read (Is a directory', "correct"), unusable(1)],
    ),
    # Configuration files.
    Case(
        "ARMCI_CONFIG (no such file)",
        {"ARMCI_CONFIG": "/nonexistent/file"},
        [
            error(
                "the configuration file /nonexistent/file cannot be read (No such file",
                "correct or unset ARMCI_CONFIG",
            ),
            unusable(1),
        ],
        ranks=2,
    ),
    Case(
        "ARMCI_CONFIG (a wrong value)",
        {"ARMCI_CONFIG": WRONG_FILE},
        [
            error(f'ARMCI_HANG_SECONDS="soon" ({WRONG_FILE}:3) is not ', "correct or unset it"),
            unusable(1),
        ],
        ranks=2,
    ),
    # A file that must be writable.
    Case(
        "ARMCI_TRACE (no such directory)",
        {"ARMCI_TRACE": "/nonexistent/t"},
        [
            error(
                'ARMCI_Init: ARMCI_TRACE="/nonexistent/t": /nonexistent/t.0.json cannot be written',
                "No such file",
                "directory that exists on every node",
                "unset it",
            )
        ],
        ranks=2,
    ),
    # All errors are reported at once, and no log level hides them.
    Case(
        "several at once",
        {"ARMCI_ROUTE": "x", "ARMCI_BUFFER_COUNT": "y", "ARMCI_LOG_LEVEL": "error"},
        [
            error('ARMCI_ROUTE="x" is not ', "correct or unset it"),
            error('ARMCI_BUFFER_COUNT="y" is not ', "correct or unset it"),
            unusable(2),
        ],
    ),
    Case(
        "on one rank only",
        {"ARMCI_STATS": "perhaps"},
        [error('ARMCI_STATS="perhaps" is not ', "one of 0|1|", rank="1"), unusable(1, rank="1")],
        ranks=2,
        only="last",
    ),
    # Settings of the job: one value for all ranks. Each of these has once caused a deadlock.
    on_first_only("ARMCI_STATS", "1", "0"),
    on_last_only("ARMCI_STATS", "1", "0"),
    on_first_only("ARMCI_CHECK", "1", "0"),
    on_last_only("ARMCI_CHECK", "1", "0"),
    on_first_only("ARMCI_NODE_SIZE", "1", "0"),
    on_last_only("ARMCI_NODE_SIZE", "1", "0"),
    on_first_only("ARMCI_DOMAINS", "node", "process", ranks=4),
    on_last_only("ARMCI_PROVIDER", "sockets", ""),
    on_last_only("ARMCI_HEAP_SIZE", "64M", "0"),
    Case(
        "several that differ",
        {"ARMCI_ROUTE": "rma", "ARMCI_DEBUG_ALLOC": "yes", "ARMCI_BUFFER_SIZE": "65536"},
        [
            differing("ARMCI_ROUTE", '"rma"', 1, '"auto" (the default)'),
            differing("ARMCI_DEBUG_ALLOC", '"1"', 1, '"0" (the default)'),
            differing("ARMCI_BUFFER_SIZE", '"64K"', 1, '"auto" (the default)'),
        ],
        ranks=2,
        only="first",
    ),
    Case(
        "the same in other words, and what each rank has for itself",
        {"ARMCI_STATS": "off", "ARMCI_SHM_LIMIT": "1G", "ARMCI_WAIT_SPIN_US": "5"},
        ranks=2,
        only="last",
    ),
    Case(
        "warnings of what differs hidden",
        {"ARMCI_STATS": "1", "ARMCI_LOG_LEVEL": "error"},
        ranks=2,
        only="first",
    ),
    Case(
        "a start that fails because of what differs",
        {"ARMCI_NODE_SIZE": "1", "ARMCI_PROVIDER": "carrier_pigeon"},
        [
            differing("ARMCI_NODE_SIZE", '"1"', 1, '"0" (the default)'),
            differing("ARMCI_PROVIDER", '"carrier_pigeon"', 1, '"" (the default)'),
            no_network('no provider "carrier_pigeon"'),
        ],
        ranks=2,
        only="first",
    ),
    # Names of earlier versions.
    Case(
        "ARMCI_RMA_MIN_RUN (an old name)",
        {"ARMCI_RMA_MIN_RUN": "4K"},
        [warning("ARMCI_RMA_MIN_RUN still works, but its name is now ARMCI_RMA_MIN_BLOCK; ")],
        ranks=3,
    ),
    Case(
        "ARMCI_RMA_MIN_RUN beside its present name",
        {"ARMCI_RMA_MIN_RUN": "4K", "ARMCI_RMA_MIN_BLOCK": "8K"},
        [warning("ARMCI_RMA_MIN_RUN has no effect beside ARMCI_RMA_MIN_BLOCK; unset it")],
        ranks=2,
    ),
    # One rank of the node warns of those that are late.
    Case(
        "ranks that are late at the end",
        {"ARMCI_FINALIZE_TIMEOUT_SECONDS": "1"},
        [warning("ARMCI_Finalize: of 4 ranks 3 (1, 2, 3) on ", "did not come within 1 s")],
        ranks=4,
        program=["lifecycle.last_rank_is_late"],
    ),
    # A thread level above MPI's, here MPI_THREAD_SINGLE: one rank that it concerns warns.
    Case("MPI's thread level", {"ARMCI_THREAD_LEVEL": "single"}, ranks=2),
    Case(
        "a thread level above MPI's",
        {"ARMCI_THREAD_LEVEL": "multiple"},
        [warning("ARMCI_THREAD_LEVEL=multiple: MPI provides MPI_THREAD_SINGLE", "MPI_Init_thread")],
        ranks=3,
    ),
    Case(
        "a thread level above MPI's on the last rank only",
        {"ARMCI_THREAD_LEVEL": "serialized"},
        [jobs.Expected("Warning", "2", "ARMCI_THREAD_LEVEL=serialized: MPI provides MPI_THREAD_S")],
        ranks=3,
        only="last",
    ),
    # Variables that other implementations have as well.
    shared("ARMCI_VERBOSE", "loud", "a whole number", "the default 0"),
    shared("ARMCI_DEBUG_ALLOC", "maybe", "0 or 1", "the default 0"),
    shared("ARMCI_SHM_LIMIT", "lots", SIZE, "the default 0", ranks=2),
    Case("ARMCI_IOV_METHOD (another implementation's)", {"ARMCI_IOV_METHOD": "AUTO"}),
    Case("COMEX_MAX_NB_OUTSTANDING (another implementation's)", {"COMEX_MAX_NB_OUTSTANDING": "8"}),
    Case(
        "ranks that nobody sets aside",
        {"GA_NUM_PROGRESS_RANKS_PER_NODE": "1"},
        [warning("GA_NUM_PROGRESS_RANKS_PER_NODE=1 has no effect", "needs no progress ranks")],
        ranks=2,
    ),
    # Unknown names.
    unknown("ARMCI_RUOTE", "did you mean ARMCI_ROUTE?", ranks=2),
    unknown("ARMCI_BUFFERSIZE", "did you mean ARMCI_BUFFER_SIZE?"),
    unknown("ARMCI_XYZZYPLUGH", "armci-info lists the known ones"),
    Case(
        "warnings hidden",
        {"ARMCI_RUOTE": "rma", "ARMCI_VERBOSE": "loud", "ARMCI_LOG_LEVEL": "error"},
    ),
    # Well formed, but not available.
    between_nodes(
        "a provider that does not exist",
        {"ARMCI_PROVIDER": "carrier_pigeon"},
        no_network('no provider "carrier_pigeon"', "it offers", "Set ARMCI_PROVIDER"),
    ),
    between_nodes(
        "an interface that does not exist",
        {"ARMCI_INTERFACE": "pigeon0"},
        no_network('no usable interface "pigeon0" here, but ', "lo", "ARMCI_INTERFACE"),
    ),
    between_nodes(
        "a second interface that does not exist",
        {"ARMCI_INTERFACE": "lo,pigeon0"},
        warning('ARMCI_INTERFACE: interface "pigeon0" is left out', "cannot use it", "the other interfaces"),
    ),
    between_nodes(
        "a first interface that does not exist",
        {"ARMCI_INTERFACE": "pigeon0,lo"},
        warning('ARMCI_INTERFACE: interface "pigeon0" is left out', "cannot use it", "the other interfaces"),
    ),
    between_nodes(
        "no interface that exists",
        {"ARMCI_INTERFACE": "pigeon0,pigeon1"},
        no_network('no usable interface "pigeon1" here, but ', "lo", "ARMCI_INTERFACE"),
    ),
    Case(
        "keys that differ on each interface, on one rank only",
        {"ARMCI_FAULTS": "rail_keys"},
        [error("ARMCI_Init: provider ", "one key on all interfaces", "another version of libfabric",
               "name one interface", rank="1")],
        2,
        "first",
        everywhere={"ARMCI_NODE_SIZE": "1", "ARMCI_INTERFACE": "lo,lo", "ARMCI_PROVIDER": "tcp"},
    ),
    between_nodes(
        "more interfaces than an endpoint may have rails",
        {"ARMCI_INTERFACE": "lo,lo,lo,lo,lo,lo,lo,lo,lo", "ARMCI_PROVIDER": "tcp"},
        warning("ARMCI_INTERFACE names 9 interfaces; the first 8 are used"),
    ),
    between_nodes(
        "no data server thread",
        {"ARMCI_PROGRESS_THREAD": "0"},
        warning("ARMCI_PROGRESS_THREAD=0: remote requests are served only while"),
    ),
    between_nodes(
        "more data servers than ranks to run them in",
        {"ARMCI_SERVERS_PER_NODE": "3"},
        warning("ARMCI_SERVERS_PER_NODE=3, but a node has only 1 rank to run", "each node has 1. "),
    ),
    Case(
        "as many data servers as ranks",
        {"ARMCI_SERVERS_PER_NODE": "2", "ARMCI_NODE_SIZE": "2"},
        ranks=4,
    ),
    Case(
        "data servers of nodes with unequally many ranks",
        {"ARMCI_SERVERS_PER_NODE": "2", "ARMCI_NODE_SIZE": "2"},
        [warning("ARMCI_SERVERS_PER_NODE=2, but a node has only 1 rank to run")],
        ranks=3,
    ),
    Case("many data servers on one node, which needs none", {"ARMCI_SERVERS_PER_NODE": "9"}, ranks=2),
    between_nodes(
        "a profile that is none",
        {"ARMCI_PROFILE": "/dev/null"},
        warning('ARMCI_PROFILE="/dev/null" is not used: it has no entry', "armci-tune, or unset it"),
    ),
    Case(
        "a profile on one node",
        {"ARMCI_PROFILE": "/dev/null"},
        ranks=2,
    ),
    Case(
        "more address space than the machine has",
        {"ARMCI_HEAP_SIZE": "65536G"},
        [error("", "ARMCI_HEAP_SIZE")],
    ),
    Case(
        "unusual but right",
        {
            "ARMCI_BUFFER_COUNT": "4",
            "ARMCI_BUFFER_SIZE": "8k",
            "ARMCI_STATS": "Off",
            "ARMCI_LOG_LEVEL": "info",
            "ARMCI_HEAP_SIZE": "64M",
        },
    ),
]


if __name__ == "__main__":
    sys.exit(jobs.main(__doc__, CASES))
