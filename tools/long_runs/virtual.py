# SPDX-License-Identifier: BSD-3-Clause
"""The long run in virtual time: the incast with parameters that keep changing."""

import contextlib
import json
import re
import time
from pathlib import Path

import yaml

from . import process, program

CONFIG = Path(__file__).with_name("virtual.yaml")
SETTINGS = ({"rai": "250kb/s"}, {"rate_inc_interval": "1.5ms"}, {"rai": "1Mb/s"}, {"clamp_tgt_rate": False}, {"clamp_tgt_rate": True},
            {"rate_inc_interval": "6ms"}, {"rai": "500kb/s", "rate_inc_interval": "3ms"})
PROGRESS = re.compile(r"^ *([\d.]+) s +[\d.]+ Mpps.*?(\d+) retransmitted", re.M)


def changes(seconds, count=144):
    """Returns the section `changes`: parameters of DCQCN, which change between `count` equal
    parts of the run."""
    every = seconds / count
    return [{"at": f"{round(n * every)}s", "board": "feb", "dcqcn": {"algorithm": "firmware", **SETTINGS[n % len(SETTINGS)]}}
            for n in range(1, count) if round(n * every) > 0]


def prepare(folder, seconds):
    """Writes config.yaml."""
    folder.mkdir(parents=True, exist_ok=True)
    more = yaml.safe_dump({"run": {"duration": f"{seconds:.0f}s"}, "changes": changes(seconds)}, sort_keys=False)
    (folder / "config.yaml").write_text(CONFIG.read_text(encoding="utf-8") + "\n" + more, encoding="utf-8")


def read(row, log):
    """Reads softfeb's progress into a row."""
    with open(log, "rb") as f:
        f.seek(max(0, log.stat().st_size - 4096))
        lines = PROGRESS.findall(f.read().decode(errors="replace"))
    if lines:
        row.progress, row.retransmitted = float(lines[-1][0]), int(lines[-1][1])


def run(softfeb, folder, seconds, interval, say):
    """Runs softfeb, and records the run in a folder. Raises program.Failed if softfeb fails."""
    prepare(folder, seconds)
    runs = program.Program(softfeb, folder, "--virtual")
    runs.wait(0.5)  # a new process does not run softfeb's own code yet, so do not sample it
    began, number = time.monotonic(), 0
    record = process.Record(folder / "samples.csv")
    try:
        with contextlib.closing(record):
            while not runs.ended():
                with contextlib.suppress(OSError):  # raised if softfeb has just ended
                    row = process.sample(runs.pid, began)
                    read(row, runs.log)
                    record.add(row)
                    say(row)
                number += 1
                runs.wait(began + number * interval - time.monotonic())
        (folder / "run.json").write_text(json.dumps({"kind": "virtual", "seconds": round(time.monotonic() - began, 1), "interval": interval,
                                                     "status": runs.process.returncode, "ended_early": False}, indent=1) + "\n")
    finally:
        runs.kill()
