# SPDX-License-Identifier: BSD-3-Clause
"""Utilization of the switch ports."""

import numpy as np

import marks
import sampling
import style
import topology
from chart import Chart, legend_above, panels
from senders import changes, span
from units import fmt

MOST = 8  # maximum number of ports with a line of their own


def window_use(axes, folder):
    """Draws the utilization of the bottleneck in the windows that the checks use."""
    windows = folder.windows
    rows = windows.where(windows["window_ms"] == windows["window_ms"].max())
    rows = rows.where(~np.isnan(rows["port_used"]))
    if not len(rows):
        return None
    steady = rows["steady"] > 0
    for mask, width, label in ((~steady, 1.2, "not steady"), (steady, 3.0, "steady")):
        if np.any(mask):
            part = rows.where(mask)
            axes.hlines(100 * part["port_used"], part["from_s"], part["to_s"], color=style.SERIES[0], linewidth=width,
                        linestyle="-" if width > 2 else (0, (2, 1)), label=label, zorder=3)
    least = float(rows["port_used"][steady].min()) if np.any(steady) else None
    bottom = 100 * float(rows["port_used"].min())
    axes.set_ylim(max(0, min(bottom, 90) - 5), 102)
    limit = folder.limit("port_used")
    if limit is not None:
        axes.set_ylim(bottom=max(0, min(axes.get_ylim()[0], 100 * limit - 5)))
        marks.limit_line(axes, 100 * limit, f"limit {fmt(100 * limit)} %", below=True)
    axes.set_ylabel("% of its rate")
    size = rows["window_ms"][0]
    legend_above(axes, f"{topology.bottleneck(folder) or 'bottleneck'}, windows of {fmt(size)} ms")
    return least, size


def port_lines(axes, folder, begin, end):
    ports = folder.each_port()
    names = sorted(ports)
    mean = {n: float(np.nanmean(ports[n]["tx_gbps"])) for n in names}
    least = 0.01 * max(mean.values(), default=0)
    busiest = sorted((n for n in names if mean[n] > least), key=lambda n: -mean[n])[:MOST]
    styles = ("-", (0, (5, 2)), (0, (1, 1.2)))
    for i, n in enumerate(busiest):
        rows = ports[n]
        t, average, low, high = sampling.binned(rows["time_s"], rows["tx_gbps"], begin, end, 300)
        axes.plot(t, average, color=style.series_colour(i), linestyle=styles[i // 8 % 3], label=n)
    axes.set_ylim(bottom=0)
    axes.margins(y=0.1)
    axes.set_ylabel("Gb/s on the wire")
    legend_above(axes, "Sent by each port" if len(busiest) == len(names) else "Sent by the busiest ports",
                 columns=4 if len(busiest) > 4 else 8)
    return [(n, mean[n]) for n in busiest], len(names)


def make(folder):
    if folder.ports is None:
        return
    begin, end = span(folder)
    windowed = folder.windows is not None and "port_used" in folder.windows
    figure, axes = panels(1 + windowed, 1.9)
    text = []
    found = window_use(axes[0], folder) if windowed else None
    if found and found[0] is not None:
        text.append(f"In steady-state windows of {fmt(found[1])} ms the port was at least {fmt(100 * found[0], 4)} % used.")
    busiest, count = port_lines(axes[-1], folder, begin, end)
    text.append("Mean rates: " + ", ".join(f"{n} {fmt(v, 4)} Gb/s" for n, v in busiest) + ".")
    for a in axes:
        marks.time_axis(a, begin, end)
    marks.draw_changes(axes, changes(folder, begin, end))
    axes[-1].set_xlabel("time (s)")
    notes = [f"{len(busiest)} of {count} ports; the others sent less, most of them only acknowledgements."] if count > len(busiest) else []
    yield Chart("ports", "Port utilization", figure, " ".join(text), notes)
