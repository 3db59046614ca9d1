#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No file of src/ calls a function of MPI that polls until other ranks have called it, where there
is one that does not: see core/job/mpi_collectives.h."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLLS = re.compile(
    r"\bMPI_(Barrier|Bcast|Reduce|Allreduce|Gatherv?|Allgatherv?|Scatterv?|Alltoall[vw]?|Scan|"
    r"Exscan|Comm_dup|Wait|Waitall)\("
)


def main() -> int:
    files = sorted((ROOT / "src").rglob("*.[ch]*"))
    found = [
        f"{path.relative_to(ROOT)}:{number}: MPI_{match.group(1)} polls; use core::mpi"
        for path in files
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (match := POLLS.search(line.split("//")[0]))
    ]
    print("\n".join(found) if found else f"{len(files)} files do not poll in MPI")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
