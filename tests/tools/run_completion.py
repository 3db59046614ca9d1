#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Completion in bash, --help and the manual page of each tool name the same options.

usage: run_completion.py COMPLETION MANUAL_PAGES TOOL...

MANUAL_PAGES is a folder, which is empty or missing where there is no pandoc to make them.
"""

import os
import re
import subprocess
import sys

COMPLETION, MANUAL_PAGES, *TOOLS = sys.argv[1:]
complaints = []


def expect(condition, what):
    if not condition:
        complaints.append(what)


def complete(tool, *words):
    """What bash would offer for the last word."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _armci_tools "$1" "${@: -1}"; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", script, "bash", COMPLETION, tool, *words], capture_output=True, text=True,
                          check=False)
    expect(done.stderr == "", f"{tool} {words}: {done.stderr}")
    return done.stdout.split()


def options_in(text):
    """The long options that begin an entry."""
    return set(re.findall(r"^ +(?:-[a-z], ?)?(--[a-z][a-z-]*)", text, re.MULTILINE))


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def check_options(tool):
    name = os.path.basename(tool)
    shown = options_in(output_of(tool, "--help").stdout)
    expect({"--help", "--version", "--json"} <= shown, f"{name}: options that all tools have: {sorted(shown)}")
    offered = complete(tool, "--")
    expect(sorted(shown) == sorted(offered), f"{name}: --help has {sorted(shown)}, but completion {sorted(offered)}")
    # Each completion runs the program, which takes a quarter of a second.
    for option in sorted(shown)[::5]:
        expect(option in complete(tool, option[:-1]), f"{name}: {option[:-1]} is completed to {option}")
    page = os.path.join(MANUAL_PAGES, name + ".1")
    if os.path.exists(page):
        with open(page, encoding="utf-8") as file:
            described = options_in(file.read().replace("\\", ""))
        expect(described == shown, f"{name}: the page has {sorted(described)}, but --help {sorted(shown)}")


def check_version(tool):
    done = output_of(tool, "--version")
    expect(done.returncode == 0 and re.search(r"armci-ofi \d+\.\d+\.\d+", done.stdout) and done.stderr == "",
           f"{tool} --version: {done}")


def check_words(bench, plot):
    """Each word that is offered is one that the tool takes."""
    for option in ("--ops", "--modes", "--pattern", "--target-wait", "--handles", "--raw-peer", "--type", "--local",
                   "--local-memory", "--segment-order", "--place-order"):
        words = complete(bench, option, "")
        expect(len(words) > 1, f"armci-bench {option}: {words}")
        if option in ("--ops", "--modes"):
            words = [",".join(words)]
        for word in words:
            done = output_of(bench, option, word, "--version")
            expect(done.returncode == 0, f"armci-bench {option} {word}: {done.stderr}")
    help_text = output_of(bench, "--help").stdout
    about_patterns = help_text[help_text.index("--pattern"):help_text.index("--target RANK")]
    shown = set(re.findall(r"^ +([a-z]+)  ", about_patterns, re.MULTILINE))
    expect(shown == set(complete(bench, "--pattern", "")), f"--pattern: --help has {shown}")
    about_ops = help_text[help_text.index("--ops"):help_text.index("--sizes")]
    offered = complete(bench, "--ops", "")
    for word in sorted(set(re.findall(r"[a-z]+(?:-[a-z]+)*", about_ops)) - set(offered)):
        expect(output_of(bench, "--ops", word, "--version").returncode != 0, f"armci-bench --ops {word} is not offered")
    expect(complete(bench, "--ops", "put,get-s") == ["put,get-strided"], "the last of a list is completed")
    expect(complete(bench, "--scale", "") == [], "a number is not completed")
    figures = complete(plot, "")
    help_text = " ".join(output_of(plot, "--help").stdout.split())
    for figure in ("latency-size", "bandwidth-size", "ratio-size", "times", "distribution"):
        expect(figure in figures and figure in help_text, f"armci-plot {figure}")
    for word in complete(plot, "times", "--panels", ""):
        done = output_of(plot, "times", "/nonexistent", "--panels", word)
        expect(done.returncode != 2, f"armci-plot --panels {word}: {done.stderr}")


def check_files(tools):
    folder, name = os.path.split(os.path.abspath(__file__))
    for tool, option in ((tools["armci-bench"], "--csv"), (tools["armci-tune"], "--json"), (tools["armci-plot"], "--output")):
        path = os.path.join(folder, name[:-3])
        expect(complete(tool, option, path) == [path + ".py"], f"{tool} {option} completes files")


by_name = {os.path.basename(tool): tool for tool in TOOLS}
for one in TOOLS:
    check_options(one)
    check_version(one)
check_words(by_name["armci-bench"], by_name["armci-plot"])
check_files(by_name)
for complaint in complaints:
    print(f"FAIL {complaint}")
print(f"{len(complaints)} complaints")
sys.exit(1 if complaints else 0)
