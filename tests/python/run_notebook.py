#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Executes a notebook without a browser; fails if a cell raises, or if what it shows has changed.

usage: run_notebook.py NOTEBOOK             compares the texts that cells show with the stored ones
       run_notebook.py NOTEBOOK --update    stores what they show

Cells with the tag "varies" are executed, and not compared.
"""

import sys

import nbclient
import nbformat


def texts(cell):
    """What the cell shows as text."""
    shown = [
        output.get("text", "") or output.get("data", {}).get("text/plain", "")
        for output in cell.outputs
    ]
    return [text.strip() for text in shown]


def main(path, *options):
    stored = nbformat.read(path, as_version=4)
    notebook = nbformat.from_dict(stored)
    before = [texts(cell) for cell in stored.cells if cell.cell_type == "code"]
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if options == ("--update",):
        for cell in cells:
            cell.metadata.pop("execution", None)
        notebook.metadata = {"kernelspec": stored.metadata.get("kernelspec", {})}
        nbformat.write(notebook, path)
        return 0
    status = 0
    for cell, old in zip(cells, before):
        if "varies" not in cell.metadata.get("tags", []) and texts(cell) != old:
            print(f"the cell\n{cell.source}\nshows {texts(cell)}, and the notebook has {old}")
            status = 1
    print(f"{len(cells)} cells executed")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
