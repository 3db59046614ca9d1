#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs studies and writes their report. run.sh builds the programs before."""

import argparse
from dataclasses import dataclass
import datetime
import os
import subprocess
import sys
import time

from library import figures, report
from library.context import Context, Failed
from library.results import Store
from library.study import NotAvailable, Study, Table
from library.peers import OURS, PEERS
import study_nemesis
import study_overlap
import study_peers
import study_pipeline
import study_sci
import study_smp

STUDIES = [study_smp.STUDY, study_sci.STUDY, study_overlap.STUDY, study_nemesis.STUDY, study_pipeline.STUDY,
           study_peers.STUDY]
# The pages of docs/ and their headings.
PAGES = {"studies": "Studies", "performance": "Performance"}
ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="run.sh", description="Repeats experiments of the papers that the design follows.",
        epilog="A part whose results are in the output folder is not measured again. So a run can be "
        "interrupted, and be done in parts.")
    parser.add_argument("studies", nargs="*", metavar="STUDY[/PART]", help="default: all; --list names them")
    extent = parser.add_mutually_exclusive_group()
    extent.add_argument("--quick", dest="extent", action="store_const", const="quick",
                        help="fewer settings and samples: some minutes")
    extent.add_argument("--smoke", dest="extent", action="store_const", const="smoke",
                        help="only whether everything works: its times mean nothing")
    parser.add_argument("--build", required=True, metavar="DIR",
                        help="a build with tests, tools and benchmarks (run.sh makes one if it is not given)")
    parser.add_argument("--output", metavar="DIR", help="default: build/studies, and the extent if it is not full")
    parser.add_argument("--again", action="store_true", help="measure also what has been measured")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the report anew")
    parser.add_argument("--docs", action="store_true",
                        help="write the pages of docs/ that have been measured, and the table of README.md, too")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PROGRAM",
                        help="an armci-bench of another library, for the study peers: "
                        + ", ".join(f"{name} ({peer.title})" for name, peer in PEERS.items() if name != OURS))
    parser.add_argument("--list", action="store_true", help="print studies, parts and expected times, and stop")
    options = parser.parse_args()
    options.extent = options.extent or "full"
    options.peers = {}
    for word in options.peer:
        name, _, program = word.partition("=")
        if name not in PEERS or name == OURS or not os.access(program, os.X_OK):
            parser.error(f"--peer {word}: no known name, or no program")
        options.peers[name] = os.path.abspath(program)
    return options


def chosen_parts(words, extent):
    """(study, part) of what the words name, without what the extent leaves out."""
    every = [(study, part) for study in STUDIES for part in study.parts if extent in part.seconds]
    if not words:
        return every
    known = {study.name for study in STUDIES} | {f"{study.name}/{part.name}" for study, part in every}
    for word in words:
        if word not in known:
            sys.exit(f"run.sh: there is no study {word}; --list names them")
    return [(study, part) for study, part in every if study.name in words or f"{study.name}/{part.name}" in words]


def duration(seconds):
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def commit():
    found = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True,
                           check=False)
    return found.stdout.strip() if found.returncode == 0 else "no git"


def measure(context, store, study, part):
    """Whether the part has not failed."""
    begin = time.monotonic()
    record = {"rows": [], "date": datetime.datetime.now().strftime("%Y-%m-%d"), "commit": commit()}
    try:
        record["rows"] = part.measure(context)
        if not record["rows"]:
            raise Failed("no rows")
        outcome = f"{len(record['rows'])} rows"
    except NotAvailable as reason:
        record["not_available"] = str(reason)
        outcome = f"not available: {reason}"
    except Failed as failure:
        print(f"    failed: {failure}", file=sys.stderr, flush=True)
        return False
    record["machine"] = context.machine
    record["seconds"] = round(time.monotonic() - begin, 1)
    store.save(study, part, record)
    print(f"    {outcome} in {duration(record['seconds'])}", flush=True)
    return True


def run_parts(options, store):
    """The names of the parts that failed."""
    context = Context(os.path.abspath(options.build), options.extent, options.peers)
    chosen = chosen_parts(options.studies, options.extent)
    due = [(study, part) for study, part in chosen if options.again or store.load(study, part) is None]
    left = sum(part.seconds[options.extent] for _, part in due)
    print(f"studies: {len(due)} of {len(chosen)} parts to measure, about {duration(left)}", flush=True)
    failed = []
    for number, (study, part) in enumerate(due, 1):
        print(f"[{number}/{len(due)}] {study.name}/{part.name}: {part.what} "
              f"(about {duration(part.seconds[options.extent])}; all that is left {duration(left)})", flush=True)
        if not measure(context, store, study, part):
            failed.append(f"{study.name}/{part.name}")
        left -= part.seconds[options.extent]
    return failed


def facts_of(records, extent):
    """Sentences on machine and versions."""
    machines = [record["machine"] for record in records if record.get("machine")]
    dates = sorted({record["date"] for record in records})
    commits = sorted({record["commit"] for record in records})
    facts = []
    if machines:
        machine = machines[0]
        facts.append(f"Machine: {machine['cpu_count']} processors ({machine['cpu']}), {machine['kernel']}. "
                     f"Versions: {machine['library']}, libfabric {machine['libfabric']}, {machine['mpi'].strip()}, "
                     f"compiler {machine['compiler']}; commit {', '.join(commits)}.")
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    facts.append(f"Measured on {days}, extent {extent}. Lines of figures are medians, and bars reach from the first "
                 "quartile to the third. Ranks, data servers and the kernel's network share the processors, so "
                 "compare figures with each other, and not with other machines. Where the host of a virtual machine moves "
                 "its processors, a run has one of two speeds, and quartiles lie far apart.")
    return facts


@dataclass
class Measured:
    """What there is of one study."""

    study: Study
    sections: list
    notes: list  # on parts without results
    records: list
    digest: Table  # or None

    def entry(self):
        """As report.blocks_of wants it."""
        return self.study, self.sections, self.notes


def collect(store):
    """What was measured, and all records."""
    found = []
    records = []
    for study in STUDIES:
        rows = {}
        own = []
        notes = []
        for part in study.parts:
            record = store.load(study, part)
            if record is None and store.extent not in part.seconds:
                continue
            if record is None:
                notes.append(f"Not measured: {part.what}.")
                continue
            own.append(record)
            if "not_available" in record:
                notes.append(f"Not available: {part.what}, because {record['not_available']}.")
            else:
                rows[part.name] = record["rows"]
        records += own
        if rows:
            digest = study.digest(rows) if study.digest else None
            found.append(Measured(study, study.sections(rows), notes, own, digest))
    return found, records


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(path)


def write_report(options, store):
    studies, records = collect(store)
    if not studies:
        sys.exit("run.sh: nothing was measured")
    draw_figures(studies, os.path.join(options.output, "figures"), ("svg", "png"))
    blocks = report.blocks_of("Studies", facts_of(records, options.extent), [one.entry() for one in studies])
    write(os.path.join(options.output, "report.md"), report.markdown(blocks, "figures"))
    write(os.path.join(options.output, "report.html"), report.html_page(blocks, os.path.join(options.output, "figures")))
    if options.docs:
        write_docs(studies, options.extent)


def draw_figures(studies, folder, endings):
    os.makedirs(folder, exist_ok=True)
    for measured in studies:
        for section in measured.sections:
            for figure in section.figures:
                figures.draw(figure, folder, endings)


def write_docs(studies, extent):
    """Each page of docs/ of which something was measured."""
    intro = ("`benchmarks/studies/run.sh` makes this page, all its figures and all its numbers from measurements. "
             "[benchmarks/studies](../benchmarks/studies/README.md) says how.")
    for page, heading in PAGES.items():
        chosen = [one for one in studies if one.study.page == page]
        if not chosen:
            continue
        if any(section.figures for one in chosen for section in one.sections):
            draw_figures(chosen, os.path.join(ROOT, "docs", page), ("svg",))
        records = [record for one in chosen for record in one.records]
        blocks = report.blocks_of(heading, [intro, *facts_of(records, extent)], [one.entry() for one in chosen])
        write(os.path.join(ROOT, "docs", f"{page}.md"), report.markdown(blocks, page))
    for one in studies:
        if one.digest:
            path = os.path.join(ROOT, "README.md")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            write(path, report.replace_digest(text, one.digest))


def main():
    options = parse_arguments()
    if options.list:
        for study, part in chosen_parts(options.studies, options.extent):
            print(f"{study.name + '/' + part.name:30} {duration(part.seconds[options.extent]):>7}  {part.what}")
        return 0
    options.output = options.output or os.path.join(
        ROOT, "build", "studies" if options.extent == "full" else f"studies-{options.extent}")
    store = Store(os.path.join(options.output, "data"), options.extent)
    try:
        figures.load()
    except figures.NoMatplotlib as missing:
        sys.exit(f"run.sh: {missing}")
    failed = [] if options.report else run_parts(options, store)
    write_report(options, store)
    if failed:
        print(f"studies: failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
