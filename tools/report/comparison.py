# SPDX-License-Identifier: BSD-3-Clause
"""The runs of `softfeb lab compare`: result.json of the comparison, and a folder of results for each run."""

import os

from folder import Folder


class Run:
    """A run: its entry in result.json, and its folder (None if the run was not completed)."""

    def __init__(self, path, entry):
        self.entry = entry
        self.name = str(entry.get("name"))
        self.done = entry.get("verdict") is not None
        self.folder = Folder(os.path.join(path, self.name)) if self.done and self.name == os.path.basename(self.name) else None

    @property
    def title(self):
        """The name of the run, followed by the name of its algorithm if the two differ."""
        algorithm = self.entry.get("algorithm")
        return self.name if algorithm in (None, self.name) else f"{self.name} ({algorithm})"

    def figure(self, *path):
        """Returns a member of the run's `figures`, or None."""
        value = self.entry.get("figures")
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value


def is_comparison(folder):
    return isinstance(folder.result.get("runs"), list)


def runs(folder):
    """Returns all runs, in the order of the command line. Computed once for all charts."""
    if "runs" not in folder.made:
        folder.made["runs"] = [Run(folder.path, e) for e in folder.result["runs"] if isinstance(e, dict)]
    return folder.made["runs"]


def drawn(folder):
    """Returns the runs that have time series."""
    return [r for r in runs(folder) if r.folder is not None and r.folder.series is not None]
