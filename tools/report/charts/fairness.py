# SPDX-License-Identifier: BSD-3-Clause
"""Jain's index of each window, with its limit."""

import numpy as np

import marks
import style
from chart import Chart, legend_above, panels
from senders import changes, span
from units import fmt


def judged(rows):
    return (rows["steady"] > 0) & (rows["boards_sending"] >= 2) & ~np.isnan(rows["jain"])


def long_windows(axes, rows):
    """Draws a horizontal line over the duration of each window. Windows that count in the check have thicker lines."""
    counts = judged(rows)
    has = ~np.isnan(rows["jain"]) & (rows["boards_sending"] >= 2)
    for mask, width, label in ((has & ~counts, 1.2, "not steady (does not count)"), (counts, 3.0, "steady")):
        if np.any(mask):
            part = rows.where(mask)
            axes.hlines(part["jain"], part["from_s"], part["to_s"], color=style.SERIES[0], linewidth=width, label=label,
                        linestyle="-" if width > 2 else (0, (2, 1)), zorder=3)


def short_windows(axes, rows):
    has = ~np.isnan(rows["jain"]) & (rows["boards_sending"] >= 2)
    part = rows.where(has)
    axes.plot((part["from_s"] + part["to_s"]) / 2, part["jain"], ".", color=style.SERIES[1], markersize=2.5, alpha=0.7,
              zorder=2, label="each window")


def floor(values, limit):
    """Returns the lower end of the axis. It is as close to 1 as the values and the limit allow."""
    least = min([float(np.min(values)) if len(values) else 1.0] + ([limit] if limit is not None else []))
    return max(0.0, 1.0 - (1.0 - least) * 1.25 - 0.002)


def words(rows, size, limit):
    counts = judged(rows)
    if not np.any(counts):
        return f"No window of {fmt(size)} ms counts: there was no steady state of two boards or more."
    values = rows["jain"][counts]
    below = "" if limit is None else f", {int(np.count_nonzero(values < limit))} below the limit of {fmt(limit)}"
    return (f"{fmt(int(counts.sum()))} windows of {fmt(size)} ms in steady states: Jain's index at least "
            f"{fmt(float(values.min()), 5)}, median {fmt(float(np.median(values)), 5)}{below}.")


def make(folder):
    windows = folder.windows
    if windows is None or not np.any(windows["boards_sending"] >= 2):
        return
    begin, end = span(folder)
    sizes = sorted(set(windows["window_ms"].tolist()), reverse=True)
    figure, axes = panels(len(sizes), 1.7)
    text = []
    for a, size in zip(axes, sizes):
        rows = windows.where(windows["window_ms"] == size)
        marks.time_axis(a, begin, end)
        (long_windows if size == max(sizes) else short_windows)(a, rows)
        limit = folder.limit("fairness_jain" if size == max(sizes) else f"fairness_jain_{size:g}ms")
        has = rows["jain"][~np.isnan(rows["jain"]) & (rows["boards_sending"] >= 2)]
        a.set_ylim(floor(has, limit), 1.0005 + 0.02 * (1 - floor(has, limit)))
        if limit is not None:
            marks.limit_line(a, limit, f"limit {fmt(limit)}", below=True)
        a.set_ylabel("Jain's index")
        legend_above(a, f"Windows of {fmt(size)} ms")
        text.append(words(rows, size, limit))
    marks.draw_changes(axes, changes(folder, begin, end))
    axes[-1].set_xlabel("time (s)")
    yield Chart("fairness", "Fairness", figure, " ".join(text),
                ["1 means equal shares for all sending boards; 1/n means that one of n boards gets everything."])
