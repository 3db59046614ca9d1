# SPDX-License-Identifier: BSD-3-Clause
"""Results in the output folder: for each part a JSON file, which later runs read, and a CSV file."""

import csv
import json
import os


class Store:
    def __init__(self, folder, extent):
        self.folder = folder
        self.extent = extent
        os.makedirs(folder, exist_ok=True)

    def path(self, study, part, ending):
        return os.path.join(self.folder, f"{study.name}.{part.name}.{ending}")

    def load(self, study, part):
        """The record of the part, or None if it was not measured with this extent."""
        path = self.path(study, part, "json")
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        return record if record["extent"] == self.extent else None

    def save(self, study, part, record):
        """`record` has rows, or says why there are none."""
        with open(self.path(study, part, "json"), "w", encoding="utf-8") as file:
            json.dump({"study": study.name, "part": part.name, "extent": self.extent, **record}, file, indent=1)
        rows = record["rows"]
        columns = list(dict.fromkeys(name for row in rows for name in row))
        with open(self.path(study, part, "csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, columns or ["note"])
            writer.writeheader()
            writer.writerows(rows or [{"note": record["not_available"]}])
