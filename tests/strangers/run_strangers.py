#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs whose ports a stranger reaches: they go on, their results are right, and nobody else's.

usage: run_strangers.py MPIEXEC MIX STRANGER [all | PROVIDER...]

The stranger finds all ports at which processes of the job listen, and does to each what libfabric and
TCP allow. Exit status 77 if no provider is here.
"""

# promise: strangers.job
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

PROVIDERS = ["tcp;ofi_rxm", "tcp", "net", "sockets"]
# It waits without end for what a caller has to say, with all its connections (SECURITY.md).
STOPPED_BY_SILENCE = ["sockets"]
RANKS = 4
SKIPPED = 77


def ports_of(pids):
    """The ports at which these processes listen over TCP."""
    inodes = set()
    for pid in pids:
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                inodes.update(re.findall(r"^socket:\[(\d+)\]$", os.readlink(f"/proc/{pid}/fd/{name}")))
            except OSError:
                pass
    ports = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table, encoding="ascii") as lines:
            for line in list(lines)[1:]:
                words = line.split()
                # Others of theirs are MPI's.
                address = socket.inet_ntoa(bytes.fromhex(words[1].split(":")[0])[:4][::-1])
                if words[3] == "0A" and words[9] in inodes and address == "127.0.0.1":
                    ports[int(words[1].split(":")[1], 16)] = address
    return ports


def shout(address, port):
    """Bytes that are of no protocol, and connections that say nothing."""
    silent = []
    for length in (0, 0, 0, 1, 40, 4000):
        caller = socket.create_connection((address, port), timeout=10)
        try:
            caller.sendall(random.randbytes(length))
        except OSError:
            pass
        silent.append(caller)
    return silent


def read_record(name):
    with open(name, encoding="ascii") as lines:
        return {int(line.split()[1]) for line in lines}


def run(mpiexec, mix, stranger, provider, old_token):
    """Returns what was wrong, or an empty text; None if the provider is not here."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record")
        stop = os.path.join(folder, "stop")
        open(record, "w", encoding="ascii").close()
        environment = dict(os.environ, ARMCI_NODE_SIZE="2", ARMCI_PROVIDER=provider, ARMCI_STATS="1",
                           ARMCI_INTERFACE="127.0.0.1", ARMCI_HANG_SECONDS="300", UCX_TLS="sm,self",
                           ARMCI_BUFFER_SIZE="262144",  # stranger.c, kLongestFrame
                           TEST_RECORD=record, TEST_STOP=stop)
        output = os.path.join(folder, "output")
        with open(output, "w", encoding="utf-8") as log:
            job = subprocess.Popen([mpiexec, "-n", str(RANKS), mix, "0", "5"], env=environment, stdout=log,
                                   stderr=subprocess.STDOUT)
        silent = []
        strangers = []
        wrong = ""
        while job.poll() is None and len(read_record(record)) < RANKS:
            time.sleep(0.05)
        if job.poll() is None:
            ports = ports_of(read_record(record))
            if len(ports) < RANKS:
                wrong = f"only {len(ports)} ports found"
            for port, address in ports.items():
                if provider not in STOPPED_BY_SILENCE:
                    silent += shout(address, port)
                strangers.append(subprocess.Popen([stranger, provider, address, str(port), str(old_token)]))
            while job.poll() is None and None in [process.poll() for process in strangers]:
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
            if job.poll() is not None:
                # A stranger does not end when its job is gone.
                wrong += " the job has ended"
                for process in strangers:
                    process.kill()
            results = [process.wait() for process in strangers]
            if not wrong and any(result not in (0, SKIPPED) for result in results):
                wrong = f"strangers ended with {results}"
        open(stop, "w", encoding="ascii").close()
        status = job.wait()
        with open(output, encoding="utf-8") as log:
            text = log.read()
        for caller in silent:
            caller.close()
        if re.search(r"no usable|not available|not offer|has no provider|no network", text) and not strangers:
            return None
        if status != 0 or "FAILED" in text:
            wrong += f" status {status}"
        elif "dropped, as not from this job" not in text:
            wrong += " nothing was counted"
        return wrong + "\n" + text if wrong else ""


def main():
    mpiexec, mix, stranger, *providers = sys.argv[1:]
    providers = PROVIDERS if providers in ([], ["all"]) else providers
    # An old job had this token, and today's has another one.
    old_token = random.getrandbits(64)
    tried = 0
    for provider in providers:
        wrong = run(mpiexec, mix, stranger, provider, old_token)
        print(f"{provider}: {'not here' if wrong is None else 'well' if not wrong else wrong}")
        tried += wrong is not None
        if wrong:
            return 1
    return 0 if tried > 0 else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
