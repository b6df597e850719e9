# SPDX-License-Identifier: BSD-3-Clause
"""Ports of threshold switches: throughput, threshold, and the CNPs that the switch forges."""

import numpy as np

import marks
import sampling
import style
import topology
from chart import Chart, legend_above, panels
from senders import changes, span
from units import fmt, number

MOST = 4  # maximum number of ports with a panel


def forging_ports(folder):
    """Returns [(port, threshold in Gb/s)] of the ports that forged CNPs, in descending order of the number of CNPs."""
    found = []
    for name, rows in folder.each_port().items():
        forge = (topology.switches(folder).get(name.partition(".")[0]) or {}).get("forge")
        limit = number(forge.get("threshold")) if isinstance(forge, dict) else None
        if limit is not None and np.nansum(rows.get("cnp_forged")) > 0:
            found.append((name, limit))
    return sorted(found, key=lambda p: -float(np.nansum(folder.each_port()[p[0]]["cnp_forged"])))[:MOST]


def panel(axes, rows, limit, begin, end):
    marks.band(axes, *sampling.binned(rows["time_s"], rows["tx_gbps"], begin, end, 300), style.SERIES[0], "throughput (mean; shade: range)")
    axes.set_ylim(0, 1.15 * max(limit, float(np.nanmax(rows["tx_gbps"]))))
    marks.limit_line(axes, limit, f"threshold {fmt(limit, 3)} Gb/s")
    marks.time_axis(axes, begin, end)
    marks.strip(axes, rows["time_s"], np.nan_to_num(rows["cnp_forged"]), style.INK)
    axes.set_ylabel("Gb/s on the wire")


def legend(axes, name):
    from matplotlib.lines import Line2D
    handles, labels = axes.get_legend_handles_labels()
    handles.append(Line2D([], [], color=style.INK, marker="|", linestyle="", markersize=7))
    legend_above(axes, name, handles=handles, labels=[*labels, "CNPs forged"])


def words(name, rows, limit):
    return (f"{name}: {fmt(float(np.nanmean(rows['tx_gbps'])), 4)} Gb/s on average, threshold {fmt(limit, 3)} Gb/s, "
            f"{fmt(float(np.nansum(rows['cnp_forged'])))} CNPs forged.")


def make(folder):
    ports = forging_ports(folder)
    if not ports:
        return
    begin, end = span(folder)
    figure, axes = panels(len(ports), 2.4)
    for a, (name, limit) in zip(axes, ports):
        panel(a, folder.each_port()[name], limit, begin, end)
        legend(a, name)
    marks.draw_changes(axes, changes(folder, begin, end), label=False)
    axes[-1].set_xlabel("time (s)")
    yield Chart("threshold", "Threshold switch", figure, " ".join(words(n, folder.each_port()[n], limit) for n, limit in ports),
                ["Strokes at the foot of a panel are CNPs; with many CNPs, darker means more."])
