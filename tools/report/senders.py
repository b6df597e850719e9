# SPDX-License-Identifier: BSD-3-Clause
"""The boards of a time series: their rates, and the times at which they were sending."""

import re

import numpy as np

import labfigures
from markup import is_number
from sampling import intervals

COUNTS = ("cnp_rx", "retransmitted")
SUMS = ("rc_gbps", "rt_gbps", "sent_gbps", "goodput_gbps")
# {attribute of Sender: (column if the series has a row per queue pair, column if it has a row per board)}. Only some algorithms have these
# quantities.
MEANS = {"rtt_us": ("rtt_us", "rtt_mean_us"), "target_delay_us": ("target_delay_us", "target_delay_mean_us"),
         "window_bytes": ("window_bytes", "window_mean_bytes"), "utilization": ("utilization", "utilization_mean")}


class Sender:
    """The time series of a board. Each value is a sum or a mean over the board's queue pairs."""

    def __init__(self, name, rows):
        self.name = name
        order = np.argsort(rows["time_s"], kind="stable")
        times, index = np.unique(rows["time_s"][order], return_inverse=True)
        self.times = times
        self.length = intervals(times)
        for column in SUMS + COUNTS:
            total, count = summed(rows.get(column, np.nan)[order], index, len(times))
            setattr(self, column, np.where(count > 0, total, np.nan))
        for name, columns in MEANS.items():
            column = next((c for c in columns if c in rows), name)
            total, count = summed(rows.get(column, np.nan)[order], index, len(times))
            setattr(self, name, np.where(count > 0, total / np.maximum(count, 1), np.nan))
        busy = np.flatnonzero(self.sent_gbps > 0)
        self.first = times[busy[0]] - self.length[busy[0]] if len(busy) else None
        self.last = times[busy[-1]] if len(busy) else None

    @property
    def cnps(self):
        return int(np.nansum(self.cnp_rx))

    def mean_sent(self):
        """Returns the mean rate in Gb/s while the board was sending."""
        if self.first is None:
            return 0.0
        during = (self.times > self.first) & (self.times <= self.last)
        return float(np.average(self.sent_gbps[during], weights=self.length[during]))

    def sending(self):
        """Returns a mask of the samples at which the board is sending. At other times, its congestion control state has no meaning."""
        return (self.times >= (self.first if self.first is not None else np.inf)) & (self.times <= self.last)


def summed(values, index, length):
    """Returns, for each of `length` indices, the sum and the number of the known values with this index."""
    known = ~np.isnan(values)
    return np.bincount(index, np.where(known, values, 0.0), length), np.bincount(index, known, length)


def natural(name):
    """Returns a key for sorting names, so that feb2 comes before feb10."""
    return [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", name)]


def senders(folder):
    """Returns the senders in the natural order of their names. Computed once for all charts."""
    if "senders" not in folder.made:
        folder.made["senders"] = by_board(folder.series)
    return folder.made["senders"]


def by_board(series):
    if series is None or "board" not in series:
        return []
    rows = series.by("board")
    return [Sender(name, rows[name]) for name in sorted(rows, key=natural)]


def span(folder):
    """Returns the beginning and the end of the time axis."""
    ends = [t["time_s"].max() for t in (folder.series, folder.ports) if t is not None and "time_s" in t]
    if folder.windows is not None:
        ends.append(folder.windows["to_s"].max())
    return 0.0, max(ends, default=1.0)


def changes(folder, begin, end):
    """Returns [(time, +1 or -1, [names])]. The named boards start after the beginning of the run (+1), or stop before its end (-1).

    The times come from the result of the lab if it contains them, and otherwise from the series."""
    told = labfigures.runs(folder.result)
    if told and "changes" in told[0][1]:
        all_ = [(c["at_s"], sign, c[key]) for c in told[0][1]["changes"] for sign, key in ((-1, "stopping"), (+1, "starting"))]
        return [(at, sign, names) for at, sign, names in all_ if names and begin < at < end]
    stopped = folder.result.get("duration_s")  # later samples only contain packets that were in flight at this time
    return seen(senders(folder), begin, min(end, stopped) if is_number(stopped) else end)


def seen(boards, begin, end):
    margin = 0.01 * (end - begin)
    events = {}
    for b in boards:
        if b.first is None:
            continue
        if b.first > begin + margin:
            events.setdefault((round(b.first / margin), +1), []).append((b.first, b.name))
        if b.last < end - margin:
            events.setdefault((round(b.last / margin), -1), []).append((b.last, b.name))
    return sorted((min(t for t, _ in who), sign, [n for _, n in who]) for (_, sign), who in events.items())
