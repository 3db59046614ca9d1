# SPDX-License-Identifier: BSD-3-Clause
"""What jobs could leave behind on a machine: files, System V objects, named sockets. jobs.Job
finds their processes."""

import os

import jobs

DIRECTORIES = ("/dev/shm", "/tmp")
# What MPI has there: mpiexec of MPICH 4.2 leaves it when a job is aborted; Open MPI while a job runs.
OF_MPI = ("hydra_hwloc_xmlfile_", "ompi.", "pmix-", "vader_segment.")


def files():
    return {
        os.path.join(d, name)
        for d in DIRECTORIES
        if os.path.isdir(d)
        for name in os.listdir(d)
        if not name.startswith(OF_MPI)
    }


def system_v():
    """Segments that processes are attached to are in use, not left."""
    found = set()
    for kind in ("shm", "sem", "msg"):
        try:
            with open(f"/proc/sysvipc/{kind}", encoding="ascii") as table:
                heading, *rows = [line.split() for line in table]
        except FileNotFoundError:
            continue  # a kernel without them
        for row in rows:
            if kind != "shm" or row[heading.index("nattch")] == "0":
                found.add(f"System V {kind} {row[1]}")
    return found


def named_sockets():
    """Sockets that no process uses; sockets without a name end with their processes."""
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as table:
        rows = [line.split(maxsplit=7) for line in table.readlines()[1:]]
    ours = [row for row in rows if len(row) == 8 and "armci" in row[7]]
    somebodys = held() if ours else set()
    return {f"socket {row[7].strip()}" for row in ours if f"socket:[{row[6]}]" not in somebodys}


def held():
    """Files and sockets that a living process has open or mapped."""
    found = set()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/maps", encoding="utf-8", errors="replace") as maps:
                found |= {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
            for number in os.listdir(f"/proc/{entry}/fd"):
                found.add(os.readlink(f"/proc/{entry}/fd/{number}"))
        except OSError:
            continue  # ended meanwhile, or another user's
    return found


def everything():
    return files() | system_v() | named_sockets()


def since(before):
    """New objects that no process uses. Waits a while, because short-lived files of others are new, too."""
    new = everything() - before
    jobs.wait_until(lambda: not (new & everything() - held()), jobs.GONE_WITHIN_S)
    return sorted(new & everything() - held())


def held_files(job):
    """The job's own files in the directories, except those that have no name any more."""
    found = set()
    for pid in job.processes():
        try:
            with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
                found |= {line.split(maxsplit=5)[5].strip() for line in maps if line.count("/")}
        except OSError:
            continue
    return sorted(name for name in found if name in files())
