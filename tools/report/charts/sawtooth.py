# SPDX-License-Identifier: BSD-3-Clause
"""The last few teeth of each board's Rc, with their period and depth."""

import numpy as np

import marks
import style
from chart import Chart, panels
from senders import senders
from units import fmt

FEW = 6
TEETH = 6


def cuts(board):
    """Returns the indices of the samples at which Rc begins to fall while the board is sending."""
    rc = np.where(board.sending(), board.rc_gbps, np.nan)
    drop = np.diff(rc) < -0.002 * rc[:-1]
    return np.flatnonzero(drop & ~np.concatenate(([False], drop[:-1]))) + 1


def excerpt(board):
    """Returns (slice of the samples, cuts in this slice) of the last few teeth. Returns None if there are too few samples to show teeth."""
    at = cuts(board)
    if len(at) < 3 or np.median(np.diff(at)) < 5:
        return None
    last = at[-min(len(at), TEETH + 1)]
    first = max(0, last - int(np.median(np.diff(at)) * 0.5))
    end = min(len(board.times), at[-1] + int(np.median(np.diff(at)) * 0.5))
    return slice(first, end), at[(at >= first) & (at < end)]


def figures(board, at):
    """Returns the mean period in milliseconds, and the mean depth as a share of the peak."""
    period = float(np.mean(np.diff(board.times[at]))) * 1e3
    troughs = [np.nanmin(board.rc_gbps[a:a + 3]) for a in at]
    depth = float(np.mean([1 - low / board.rc_gbps[a - 1] for a, low in zip(at, troughs)]))
    return period, depth


def window(values):
    """Returns the limits of the y-axis. They enclose the teeth, and leave room for CNPs at the foot of the panel."""
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    height = max(high - low, 0.02 * high, 1e-6)
    return low - 0.25 * height, high + 0.12 * height


def make(folder):
    boards = [b for b in senders(folder)[:FEW] if np.any(~np.isnan(b.rc_gbps))]
    found = [(b, e) for b in boards if (e := excerpt(b)) is not None]
    if not found:
        return
    figure, axes = panels(len(found), 1.5, shared=False)
    text = []
    for i, (a, (b, (part, at))) in enumerate(zip(axes, found)):
        t = b.times[part]
        a.plot(t, b.rc_gbps[part], color=style.series_colour(i), zorder=3)
        a.plot(t, b.sent_gbps[part], color=style.MUTED, linewidth=0.8, zorder=2)
        marks.time_axis(a, t[0], t[-1])
        marks.rug(a, t[np.nan_to_num(b.cnp_rx[part]) > 0], style.INK)
        period, depth = figures(b, cuts(b))
        a.set_title(f"{b.name}: a cut every {fmt(period, 3)} ms, {fmt(100 * depth, 3)} % deep")
        a.set_ylabel("Gb/s")
        a.set_ylim(*window(np.concatenate((b.rc_gbps[part], b.sent_gbps[part]))))
        text.append(f"{b.name}: mean period {fmt(period, 3)} ms, mean depth {fmt(100 * depth, 3)} %.")
    from matplotlib.lines import Line2D
    axes[0].legend(handles=[Line2D([], [], color=style.series_colour(0), label="Rc"),
                            Line2D([], [], color=style.MUTED, linewidth=0.8, label="sent"),
                            Line2D([], [], color=style.INK, marker="|", linestyle="", markersize=7, label="CNP received")],
                   loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncol=3)
    axes[-1].set_xlabel("time (s)")
    yield Chart("sawtooth", "Sawtooth", figure, " ".join(text),
                ["The last teeth of each board. Period and depth are means over the samples of the whole run. If the sawtooth check "
                 "was active, the exact values are in the table of results."])
