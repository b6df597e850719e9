# SPDX-License-Identifier: BSD-3-Clause
"""Runs experiments in virtual time. There are as many simultaneous runs as CPUs."""

import itertools
import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent


class Failed(Exception):
    """Raised if a run gave no result."""


@dataclass(frozen=True)
class Job:
    """A run of conf/lab/FILE.yaml. With `report`, the run also writes its time series, for a picture."""
    file: str
    overrides: tuple = ()
    report: bool = False


def points(file):
    """Returns {key: value} for each run of the sweep of conf/lab/FILE.yaml. The last key varies fastest."""
    with open(ROOT / "conf/lab" / f"{file}.yaml", encoding="utf-8") as f:
        document = yaml.safe_load(f)
    axes = document["set"]["lab.sweep"] if "base" in document else document["lab"]["sweep"]
    values = itertools.product(*([(axis["key"], value) for value in axis["values"]] for axis in axes))
    return [dict(point) for point in values]


def override(key, value):
    """Returns KEY=VALUE for --set. Booleans are written as in YAML, true and false."""
    return f"{key}={json.dumps(value) if isinstance(value, bool) else value}"


def sweep(file):
    """Returns the jobs of the sweep of conf/lab/FILE.yaml."""
    return [Job(file, tuple(override(k, v) for k, v in point.items())) for point in points(file)]


class Runs:
    def __init__(self, softfeb, folder):
        self._softfeb, self._folder = softfeb, folder
        self._temporary = tempfile.TemporaryDirectory()
        self._pool = ThreadPoolExecutor(os.cpu_count())
        self._started = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._pool.shutdown(cancel_futures=True)
        self._temporary.cleanup()

    def start(self, jobs):
        """Starts the jobs that have not been started yet."""
        for job in jobs:
            if job not in self._started:
                self._started[job] = self._pool.submit(self._run, job, Path(self._temporary.name) / str(len(self._started)))

    def result(self, job):
        """Waits for the run, and returns its result document (doc/result.md). Raises Failed if the run gave no result."""
        return json.loads((self.folder(job) / "result.json").read_text())

    def folder(self, job):
        """Returns the folder of the run, which contains result.json and, with `report`, the time series."""
        return self._started[job].result()

    def _run(self, job, folder):
        folder.mkdir()
        command = [self._softfeb, "lab", "--virtual", "--quiet", "-c", self._folder / f"{job.file}.yaml"]
        command += ["--report", folder, "--no-pictures"] if job.report else ["--json", folder / "result.json"]
        for text in job.overrides:
            command += ["--set", text]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        # Exit status 1 is accepted: a check of the experiment failed, but there is a result, and the table shows it.
        if done.returncode not in (0, 1) or not (folder / "result.json").exists():
            raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr.strip()}")
        return folder
