# SPDX-License-Identifier: BSD-3-Clause
"""The state of congestion control apart from the rate: round-trip time and target delay, window, and utilization. These quantities
are drawn only for algorithms that have them, which excludes DCQCN."""

import numpy as np

import marks
import sampling
import style
from chart import Chart, legend_above, panels
from .many_boards import grid
from senders import changes, senders, span
from units import fmt, scaled_bytes

FEW = 8
UNITS = {"rtt_us": "µs", "window_bytes": "bytes", "utilization": ""}
TITLES = {"rtt_us": "Round-trip time", "window_bytes": "Congestion window", "utilization": "Utilization U"}


def values_of(board, name):
    """Returns the values of a quantity. They are NaN while the board does not send, because its state is then out of date."""
    return np.where(board.sending(), getattr(board, name), np.nan)


def has(boards, name):
    return any(np.any(~np.isnan(values_of(b, name))) for b in boards)


def scale(boards, name):
    """Returns (divisor, unit), with which the axis shows readable numbers."""
    if name != "window_bytes":
        return 1, UNITS[name]
    return scaled_bytes([float(np.nanmax(values_of(b, name))) for b in boards if has([b], name)])


def lines(axes, boards, name, divisor, begin, end):
    """Draws a line for each board. The line of the target delay is dashed."""
    for i, b in enumerate(boards):
        if not has([b], name):
            continue
        colour = style.series_colour(i)
        marks.band(axes, *sampling.binned(b.times, values_of(b, name) / divisor, begin, end, weights=b.length), colour, b.name)
        if name == "rtt_us" and has([b], "target_delay_us"):
            t, mean, _, _ = sampling.binned(b.times, values_of(b, "target_delay_us"), begin, end, weights=b.length)
            axes.plot(t, mean, color=colour, linewidth=1.1, linestyle=(0, (5, 3)), zorder=2.5)


def spread(axes, boards, name, divisor, begin, end):
    """Draws the quantiles of many boards."""
    values = grid(boards, name, begin, end) / divisor
    known = ~np.all(np.isnan(values), axis=0)
    t = (begin + (np.arange(values.shape[1]) + 0.5) * (end - begin) / values.shape[1])[known]
    q = np.nanquantile(values[:, known], [0, 0.1, 0.5, 0.9, 1], axis=0)
    axes.fill_between(t, q[0], q[4], color=style.SERIES[0], alpha=0.15, linewidth=0, label="minimum to maximum")
    axes.fill_between(t, q[1], q[3], color=style.SERIES[0], alpha=0.3, linewidth=0, label="10 % to 90 %")
    axes.plot(t, q[2], color=style.SERIES[0], label="median")


def legend(axes, title, dashed):
    from matplotlib.lines import Line2D
    handles, labels = axes.get_legend_handles_labels()
    if dashed:
        handles.append(Line2D([], [], color=style.MUTED, linewidth=1.1, linestyle=(0, (5, 3))))
        labels.append("target delay")
    legend_above(axes, title, columns=9, handles=handles, labels=labels)


def words(boards, names):
    text = []
    for b in boards[:FEW]:
        parts = [f"{TITLES[n].lower()} {fmt(float(np.nanmean(values_of(b, n))), 3)} {UNITS[n]}".strip()
                 for n in names if has([b], n)]
        if parts:
            text.append(f"{b.name}: {', '.join(parts)} on average.")
    return " ".join(text)


def make(folder):
    boards = senders(folder)
    names = [n for n in TITLES if has(boards, n)]
    if not names:
        return
    begin, end = span(folder)
    few = len(boards) <= FEW
    figure, axes = panels(len(names), 1.7)
    for a, name in zip(axes, names):
        marks.time_axis(a, begin, end)
        divisor, unit = scale(boards, name)
        (lines if few else spread)(a, boards, name, divisor, begin, end)
        a.set_ylim(bottom=0)
        a.margins(y=0.12)
        a.set_ylabel(unit)
        legend(a, TITLES[name], few and name == "rtt_us" and has(boards, "target_delay_us"))
    marks.draw_changes(axes, changes(folder, begin, end), label=False)
    axes[-1].set_xlabel("time (s)")
    yield Chart("control", "Round-trip time and window", figure, words(boards, names),
                ["State of congestion control at each sample, as the mean over the board's queue pairs whose algorithm has the quantity. "
                 "The window counts BTH to pad."])
