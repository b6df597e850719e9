#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run boards for hours or weeks. Raise an alarm if a rate falls, or if a check or softfeb fails.

The script watches the live figures. It writes a line per minute to a CSV file, so that nothing is
lost if the machine fails. An alarm is printed, and can run a command, for example to send a mail.
Ctrl-C and SIGTERM end the run; the script then draws the figures that it has recorded.

    examples/python/long_run.py --config conf/board.yaml --at-least 0.45 --duration 86400 \\
        --on-alarm 'mail -s "softfeb: $ALARM" shifter@example.org </dev/null'
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import softfeb

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BOARD = Path(__file__).resolve().parents[2] / "conf/board.yaml"


@dataclass
class Alarm:
    """Raises an alarm for each board whose goodput is too low. Raises no further alarm for this
    board until it has recovered."""

    at_least: float
    """smallest goodput of a board, in Gb/s"""
    patience: float
    """seconds for which a board's goodput may be below ``at_least``"""
    command: str = ""
    """command to run on an alarm, with the message in the variable ALARM"""
    count: int = 0
    _low_since: dict[str, float] = field(default_factory=dict)
    _raised: set[str] = field(default_factory=set)

    def watch(self, t: float, boards: Sequence[str], goodput: Sequence[float | None]) -> None:
        """Raise an alarm if a board has been below the limit for too long."""
        for board, gbps in zip(boards, goodput):
            if gbps is None or gbps >= self.at_least:
                self._low_since.pop(board, None)
                if board in self._raised:
                    self._raised.discard(board)
                    print(f"{clock()} {board} has recovered: {gbps} Gb/s", flush=True)
                continue
            low = t - self._low_since.setdefault(board, t)
            if low >= self.patience and board not in self._raised:
                self._raised.add(board)
                self.ring(
                    f"{board}: below {self.at_least} Gb/s for {low:.1f} s, now {gbps:.3f} Gb/s"
                )

    def ring(self, message: str) -> None:
        """Raise an alarm."""
        self.count += 1
        print(f"{clock()} ALARM: {message}", flush=True)
        if self.command:
            subprocess.run(self.command, shell=True, env={**os.environ, "ALARM": message})


def clock() -> str:
    """Return the time of day."""
    return datetime.datetime.now().isoformat(" ", "seconds")


class Log:
    """Stores the mean goodput of each interval in a CSV file and in memory."""

    def __init__(self, file: Path, interval: float) -> None:
        self._file = open(file, "w", newline="", encoding="utf-8")
        self._csv = csv.writer(self._file)
        self._interval, self._due = interval, interval
        self._sums: list[float] = []
        self._samples = 0
        self.boards: list[str] = []
        self.t: list[float] = []
        self.means: list[list[float]] = []

    def begin(self, boards: Sequence[str]) -> None:
        """Write the header line of the file."""
        self.boards = list(boards)
        self.means = [[] for _ in boards]
        self._sums = [0.0] * len(boards)
        self._csv.writerow(["time", "t_s", *boards])

    def add(self, t: float, goodput: Sequence[float | None]) -> None:
        """Add a sample."""
        self._sums = [total + (gbps or 0.0) for total, gbps in zip(self._sums, goodput)]
        self._samples += 1
        if t < self._due:
            return
        means = [total / self._samples for total in self._sums]
        self._csv.writerow([clock(), f"{t:.1f}", *(f"{m:.4f}" for m in means)])
        self._file.flush()
        self.t.append(t)
        for series, mean in zip(self.means, means):
            series.append(mean)
        self._due = (t // self._interval + 1) * self._interval
        self._sums, self._samples = [0.0] * len(self._sums), 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def draw(self, at_least: float, file: Path) -> None:
        """Draw the goodput over time."""
        unit, seconds = ("h", 3600.0) if self.t and self.t[-1] > 7200 else ("s", 1.0)
        figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
        for board, means in zip(self.boards, self.means):
            axes.plot([t / seconds for t in self.t], means, lw=1.2, label=board)
        axes.axhline(at_least, color="C3", ls="--", lw=1, label="alarm below")
        axes.set(xlabel=f"time ({unit})", ylabel="goodput (Gb/s)", ylim=(0, None))
        axes.set_title("Goodput of the boards")
        axes.legend(frameon=False, loc="best")
        figure.savefig(file, dpi=120)


def watch(job: softfeb.Job[softfeb.Result], log: Log, alarm: Alarm) -> None:
    """Watch the live figures until the run ends, or until Ctrl-C."""
    boards = job.live.boards
    print(f"{clock()} {', '.join(boards)}: {job.live.url}, process {job.pid}", flush=True)
    log.begin(boards)
    try:
        for sample in job.samples():
            log.add(sample.t, sample.goodput)
            alarm.watch(sample.t, boards, sample.goodput)
        job.wait()
    except KeyboardInterrupt:
        print(f"{clock()} ending the run", flush=True)
        job.stop()
    finally:
        log.close()


def main() -> int:
    """Run the boards and watch their figures."""
    parser = argparse.ArgumentParser(description="Runs boards and raises an alarm.")
    parser.add_argument("--config", default=BOARD, help="configuration (default: board.yaml)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--duration", type=float, help="seconds (default: until Ctrl-C)")
    parser.add_argument("--at-least", type=float, default=0.45, help="Gb/s of each board")
    parser.add_argument("--patience", type=float, default=5, help="seconds below it")
    parser.add_argument("--on-alarm", default="", help="command to run, with $ALARM")
    parser.add_argument("--interval", type=float, default=60, help="seconds of a line of the log")
    parser.add_argument("--log", type=Path, default=Path("long_run.csv"), help="CSV file")
    parser.add_argument("--out", type=Path, default=Path("long_run.png"), help="picture")
    a = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends the run as Ctrl-C does
    alarm = Alarm(a.at_least, a.patience, a.on_alarm)
    settings = dict(pair.split("=", 1) for pair in a.set)
    log = Log(a.log, a.interval)
    try:
        with softfeb.start_run(a.config, set=settings, duration=a.duration, live=True) as job:
            watch(job, log, alarm)
        result = job.result
        print(f"{clock()} {result.verdict} after {result.duration_s:.0f} s", flush=True)
        for message in result.messages if result.verdict == "failed" else []:
            alarm.ring(message)
    except softfeb.SoftfebError as error:  # softfeb has died, or does not answer
        alarm.ring(str(error))
    log.draw(a.at_least, a.out)
    print(f"{alarm.count} alarms")
    print(f"wrote {a.log} and {a.out}")
    return 1 if alarm.count else 0


if __name__ == "__main__":
    sys.exit(main())
