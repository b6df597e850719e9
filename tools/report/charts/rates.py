# SPDX-License-Identifier: BSD-3-Clause
"""The rates of a few boards: the rate that congestion control allows, the rate sent, and CNPs."""

import numpy as np

import marks
import sampling
import style
from chart import Chart, legend_above, panels
from senders import changes, senders, span
from units import fmt

FEW = 8


def together(axes, boards, begin, end):
    """Draws Rc of all boards in one panel, to compare their shares. Without congestion control, draws their throughput."""
    for i, b in enumerate(boards):
        values = np.where(b.sending(), b.rc_gbps if has_rate(b) else b.sent_gbps, np.nan)
        t, mean, low, high = sampling.binned(b.times, values, begin, end, weights=b.length)
        marks.band(axes, t, mean, low, high, style.series_colour(i), b.name)


def has_rate(board):
    return bool(np.any(~np.isnan(board.rc_gbps)))


def one(axes, b, colour, begin, end):
    t, mean, low, high = sampling.binned(b.times, b.sent_gbps, begin, end, weights=b.length)
    # The value of a row is the mean since the previous row, so draw it as a step that ends at the row's time.
    axes.fill_between(t, 0, mean, step="pre" if len(t) == len(b.times) else "mid", color=colour, alpha=0.25, linewidth=0,
                      label="sent", zorder=1.8)
    if has_rate(b):
        rc = np.where(b.sending(), b.rc_gbps, np.nan)
        marks.band(axes, *sampling.binned(b.times, rc, begin, end, weights=b.length), colour, "Rc")
    axes.set_title(b.name)
    axes.set_ylim(bottom=0)
    axes.margins(y=0.12)


def legend_entries(axes, boards):
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    entries = [Patch(facecolor=style.MUTED, alpha=0.35, label="sent")]
    if any(has_rate(b) for b in boards):
        entries.append(Line2D([], [], color=style.MUTED, label="Rc (mean; shade: range)"))
    if any(b.cnps for b in boards):
        entries.append(Line2D([], [], color=style.INK, marker="|", linestyle="", markersize=7, label="CNPs received"))
    axes.legend(handles=entries, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1, ncol=3,
                columnspacing=1.4)


def words(boards, events):
    lines = [f"{b.name}: sent {fmt(b.mean_sent(), 3)} Gb/s on average from {fmt(round(b.first, 4), 3)} s to {fmt(b.last, 3)} s, "
             f"{fmt(b.cnps)} CNPs." for b in boards if b.first is not None]
    lines += [f"At {fmt(at, 3)} s {', '.join(names)} {'join' if sign > 0 else 'leave'}{'s' if len(names) == 1 else ''}."
              for at, sign, names in events]
    return " ".join(lines)


def make(folder):
    boards = senders(folder)
    if not 0 < len(boards) <= FEW:
        return
    begin, end = span(folder)
    events = changes(folder, begin, end)
    overlay = len(boards) > 1
    figure, axes = panels(len(boards) + overlay, 1.35, ratios=[1.5] * overlay + [1.0] * len(boards))
    for a in axes:
        marks.time_axis(a, begin, end)
        a.set_ylabel("Gb/s")
    if overlay:
        together(axes[0], boards, begin, end)
        axes[0].set_ylim(bottom=0)
        legend_above(axes[0], "Rc of all" if any(map(has_rate, boards)) else "Throughput of all")
    top = max((a.get_ylim()[1] for a in axes), default=1)
    for i, (a, b) in enumerate(zip(axes[overlay:], boards)):
        one(a, b, style.series_colour(i), begin, end)
        marks.strip(a, b.times, np.nan_to_num(b.cnp_rx), style.INK)
        top = max(top, a.get_ylim()[1])
    for a in axes:
        a.set_ylim(0, top * 1.02)
    legend_entries(axes[overlay], boards)
    marks.draw_changes(axes, events)
    axes[-1].set_xlabel("time (s)")
    notes = ["Rates count BTH to pad, retransmissions included. Strokes at the foot of a panel are CNPs; with many CNPs, "
             "darker means more."]
    yield Chart("rates", "Rates of each board", figure, words(boards, events), notes)
