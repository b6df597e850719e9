# SPDX-License-Identifier: BSD-3-Clause
"""Event counts over time: marks, CNPs, pauses, drops, retransmissions."""

import numpy as np

import marks
import sampling
import style
from chart import Chart, panels
from senders import changes, span
from units import fmt

# (column with the count, table with this column, title of the panel)
KINDS = (("ecn_marked", "ports", "Packets marked CE by the switch"), ("cnp_forged", "ports", "CNPs forged by the switch"),
         ("cnp_rx", "series", "CNPs received by the boards"), ("pause_tx", "ports", "Pause frames sent by switches"),
         ("dropped", "ports", "Packets dropped by switches"), ("retransmitted", "series", "Packets retransmitted by the boards"))
BINS = 200


def make(folder):
    begin, end = span(folder)
    found = []
    for column, where, what in KINDS:
        table = getattr(folder, where)
        if table is not None and column in table and np.nansum(table[column]) > 0:
            found.append((column, table, what))
    if not found:
        return
    figure, axes = panels(len(found), 0.95)
    text = []
    for i, (a, (column, table, what)) in enumerate(zip(axes, found)):
        left, width, sums = sampling.counted(table["time_s"], table[column], begin, end, BINS)
        colour = style.BAD if column in ("dropped", "retransmitted") else style.series_colour(i)
        a.bar(left, sums, width, align="edge", color=colour, linewidth=0)
        a.set_title(f"{what}: {fmt(float(np.nansum(table[column])))}")
        a.set_ylim(0, float(sums.max()) * 1.15)
        a.locator_params(axis="y", nbins=3, integer=True)
        marks.time_axis(a, begin, end)
        text.append(f"{what}: {fmt(float(np.nansum(table[column])))}.")
    figure.supylabel(f"count in {fmt(width * 1e3, 3)} ms", fontsize=10, color=style.INK)
    marks.draw_changes(axes, changes(folder, begin, end), label=False)
    axes[-1].set_xlabel("time (s)")
    yield Chart("events", "Marks, pauses and losses", figure, " ".join(text))
