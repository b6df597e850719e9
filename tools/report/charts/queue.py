# SPDX-License-Identifier: BSD-3-Clause
"""The queues of the bottleneck and of other ports, with marking thresholds, buffer size, pauses and drops."""

import numpy as np

import marks
import sampling
import style
import topology
from chart import Chart, legend_above, panels
from senders import changes, span
from units import fmt, scaled_bytes

MOST = 5  # maximum number of ports with a panel


def shown_ports(folder):
    """Returns the ports to draw, and the longest queue of every port. The bottleneck comes first, then ports with the longest queues."""
    ports = folder.each_port()
    names = sorted(ports)
    peak = {n: float(np.nanmax(ports[n]["queue_bytes_peak"])) for n in names}
    first = topology.bottleneck(folder)
    busy = max(peak.values(), default=0)
    chosen = [n for n in sorted(names, key=lambda n: -peak[n]) if n != first and peak[n] > 0.02 * busy and peak[n] > 0]
    return ([first] if first in names else []) + chosen[:MOST - (first in names)], peak


def panel(axes, rows, name, unit, thresholds, begin, end):
    divisor, word = unit
    t = rows["time_s"]
    peak = sampling.binned(t, rows["queue_bytes_peak"] / divisor, begin, end)
    axes.fill_between(peak[0], 0, peak[3], color=style.SERIES[0], alpha=0.25, linewidth=0, step=None, label="peak")
    now = sampling.binned(t, rows["queue_bytes"] / divisor, begin, end)
    axes.plot(now[0], now[1], color=style.SERIES[0], linewidth=1.2, label="mean of the samples")
    top = float(np.max(peak[3])) if len(peak[0]) else 0.0
    near = [v / divisor for _, v, _ in thresholds if v / divisor <= 2.5 * top or top == 0]
    axes.set_ylim(0, 1.15 * max([top, *near, 1e-9]))
    for text, value, colour in thresholds:
        if value / divisor <= axes.get_ylim()[1]:
            marks.limit_line(axes, value / divisor, f"{text} {fmt(value / divisor, 3)} {word}", colour)
    axes.set_ylabel(f"queue ({word})")
    axes.set_title(name)


def events(axes, rows, begin, end):
    """Draws events at the foot of the panel: pauses that the switch sent and received, and drops."""
    kinds = (("pause_tx", style.SERIES[1], "pause sent"), ("pause_rx", style.SERIES[3], "pause received"),
             ("dropped", style.BAD, "drop"))
    met = []
    for column, colour, label in kinds:
        counts = np.nan_to_num(rows.get(column))
        if np.any(counts > 0):
            marks.strip(axes, rows["time_s"], counts, colour)
            met.append((colour, label))
    share = np.nan_to_num(rows.get("paused_share"))
    if np.any(share > 0):
        low, high = axes.get_ylim()
        t, mean, _, _ = sampling.binned(rows["time_s"], share, begin, end, 300)
        axes.fill_between(t, 0, mean, transform=axes.get_xaxis_transform(), color=style.SERIES[3], alpha=0.15, linewidth=0,
                          zorder=1)
        axes.set_ylim(low, high)
        met.append((style.SERIES[3], "share of time paused"))
    return met


def legend(axes, met):
    from matplotlib.lines import Line2D
    handles, labels = axes.get_legend_handles_labels()
    for colour, label in dict(((l, (c, l)) for c, l in met)).values():
        handles.append(Line2D([], [], color=colour, marker="|", linestyle="", markersize=7))
        labels.append(label)
    legend_above(axes, axes.get_title(loc="left"), handles=handles, labels=labels)


def words(folder, names, peak, thresholds):
    lines = []
    for n in names:
        rows = folder.each_port()[n]
        divisor, unit = scaled_bytes([peak[n]])
        lines.append(f"{n}: queue up to {fmt(peak[n] / divisor, 3)} {unit}, "
                     f"{fmt(float(np.nanmean(rows['queue_bytes'])) / divisor, 3)} {unit} on average; "
                     f"{fmt(float(np.nansum(rows['ecn_marked'])))} packets marked, {fmt(float(np.nansum(rows['dropped'])))} "
                     f"dropped, {fmt(float(np.nansum(rows['pause_tx'])))} pauses sent on this port.")
    lines += [f"{text} is {fmt(value)} bytes." for text, value, _ in thresholds]
    return " ".join(lines)


def make(folder):
    if folder.ports is None or "queue_bytes_peak" not in folder.ports:
        return
    names, peak = shown_ports(folder)
    if not names:
        return
    begin, end = span(folder)
    figure, axes = panels(len(names), 1.5, ratios=[1.6] + [1.0] * (len(names) - 1))
    met = []
    for a, name in zip(axes, names):
        rows = folder.each_port()[name]
        thresholds = topology.thresholds(folder, name)
        marks.time_axis(a, begin, end)
        panel(a, rows, name, scaled_bytes([peak[name]] + [v for _, v, _ in thresholds][:2]), thresholds, begin, end)
        met += events(a, rows, begin, end)
    marks.draw_changes(axes, changes(folder, begin, end))
    legend(axes[0], met)
    axes[-1].set_xlabel("time (s)")
    yield Chart("queue", "Switch queues", figure, words(folder, names, peak, topology.thresholds(folder, names[0])),
                ["Peaks are the largest values between two samples. Strokes at the foot mark events; with many events, darker means more."])
