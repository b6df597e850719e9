# SPDX-License-Identifier: BSD-3-Clause
"""Samples of a process: its memory, descriptors, threads and CPU time, from /proc."""

import csv
import os
import time
from dataclasses import dataclass, fields

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Sample:
    """One row of samples.csv. Memory is in KiB."""

    t: float
    """seconds since the first sample"""
    rss: int
    pss: int
    anonymous: int
    """memory that belongs to no file: heap, stacks, packets and payload"""
    heap: int
    """resident part of the heap that the C library grows with brk()"""
    descriptors: int
    threads: int
    cpu: float
    """CPU time in seconds"""
    progress: float = 0
    """seconds since traffic began, as softfeb counts them (virtual or real)"""
    metrics_ms: float = 0
    """duration of a request GET /metrics"""
    slow_control_ms: float = 0
    """duration of the longest register access since the previous sample"""
    slow_control_median_ms: float = 0
    stream_gap_ms: float = 0
    """longest time between two samples of the page's event stream since the previous sample"""
    packets: int = 0
    """packets that all boards have sent"""
    retransmitted: int = 0


def kibibytes(text, name):
    """Returns the value of a line such as `Rss:  12 kB`."""
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(name + ":"))


def heap_of(pid):
    """Returns the resident KiB of [heap]."""
    inside = False
    with open(f"/proc/{pid}/smaps", encoding="ascii", errors="replace") as f:
        for line in f:
            if line.endswith("[heap]\n"):
                inside = True
            elif inside and line.startswith("Rss:"):
                return int(line.split()[1])
    return 0


def sample(pid, began):
    """Takes a sample of a process. Raises OSError if the process has ended."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as f:
        memory = f.read()
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
        stat = f.read().rsplit(")", 1)[1].split()
    return Sample(t=round(time.monotonic() - began, 3), rss=kibibytes(memory, "Rss"), pss=kibibytes(memory, "Pss"),
                  anonymous=kibibytes(memory, "Anonymous"), heap=heap_of(pid), descriptors=len(os.listdir(f"/proc/{pid}/fd")),
                  threads=int(stat[17]), cpu=(int(stat[11]) + int(stat[12])) / TICKS)


NAMES = [f.name for f in fields(Sample)]


class Record:
    """samples.csv. Each row is in the file as soon as it has been added."""

    def __init__(self, path):
        self._file = open(path, "w", newline="", encoding="ascii")
        self._csv = csv.writer(self._file)
        self._csv.writerow(NAMES)
        self.samples = []

    def add(self, row):
        self.samples.append(row)
        self._csv.writerow([getattr(row, n) for n in NAMES])
        self._file.flush()

    def close(self):
        self._file.close()


def load(path):
    """Reads samples.csv."""
    kinds = {f.name: f.type for f in fields(Sample)}
    with open(path, newline="", encoding="ascii") as f:
        return [Sample(**{n: kinds[n](float(v)) for n, v in row.items()}) for row in csv.DictReader(f)]
