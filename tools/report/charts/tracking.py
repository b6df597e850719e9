# SPDX-License-Identifier: BSD-3-Clause
"""Measured rate against the Rc register."""

import numpy as np

import marks
import sampling
import style
from chart import Chart, panels
from senders import senders
from units import fmt

FEW = 8
POINTS = 6000


def pairs(board):
    """Returns (mean Rc, sent rate) in Gb/s for each interval between two samples. Omits intervals in which the board did not send
    throughout."""
    rc = (board.rc_gbps[1:] + board.rc_gbps[:-1]) / 2
    sent = board.sent_gbps[1:]
    whole = (board.times[:-1] > board.first) & (board.times[1:] < board.last) & ~np.isnan(rc) & (sent > 0)
    return rc[whole], sent[whole]


def make(folder):
    """Makes the chart, but only for experiments with the check rate_tracking. In other experiments, boards may send less than Rc allows."""
    if folder.limit("rate_tracking") is None:
        return
    boards = [b for b in senders(folder)[:FEW] if b.first is not None and np.any(~np.isnan(b.rc_gbps))]
    if not boards:
        return
    figure, axes = panels(2, 2.6, shared=False, ratios=[1.7, 1.0])
    limit = folder.limit("rate_tracking")
    top, text = 0.0, []
    for i, b in enumerate(boards):
        rc, sent = pairs(b)
        keep = slice(None, None, max(1, len(rc) // POINTS))
        axes[0].plot(rc[keep], sent[keep], ".", markersize=2.5, alpha=0.5, color=style.series_colour(i), label=b.name,
                     rasterized=len(rc) > 2000)
        error = 100 * (sent - rc) / rc
        t = b.times[1:][(b.times[:-1] > b.first) & (b.times[1:] < b.last) & (b.sent_gbps[1:] > 0)]
        axes[1].plot(t[:len(error)][keep], error[keep], ".", markersize=2, alpha=0.5, color=style.series_colour(i),
                     rasterized=len(rc) > 2000)
        top = max(top, float(rc.max(initial=0)), float(sent.max(initial=0)))
        text.append(f"{b.name}: median difference between sent rate and Rc {fmt(float(np.median(error)), 2)} %.")
    line = np.array([0, top * 1.05])
    axes[0].fill_between(line, line * (1 - limit), line * (1 + limit), color=style.SERIES[2], alpha=0.2, linewidth=0,
                         label=f"± {fmt(100 * limit)} %")
    axes[0].plot(line, line, color=style.INK, linewidth=0.8)
    axes[0].set(xlim=line, ylim=line, xlabel="Rc, mean of the samples at both ends (Gb/s)", ylabel="sent (Gb/s)")
    legend = axes[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=5, markerscale=3, borderaxespad=0.1)
    for h in legend.legendHandles:
        h.set_alpha(1)
    axes[1].axhspan(-100 * limit, 100 * limit, color=style.SERIES[2], alpha=0.2, linewidth=0)
    axes[1].set(xlabel="time (s)", ylabel="difference (%)")
    axes[0].set_title("Rate register and measured rate")
    axes[1].set_title("Difference over time")
    yield Chart("tracking", "Rate tracking", figure, " ".join(text),
                ["Each point is an interval between two samples, in which Rc may have changed. The check itself integrates Rc "
                 "exactly, using the times of the CNPs."])
