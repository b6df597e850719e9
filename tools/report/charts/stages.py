# SPDX-License-Identifier: BSD-3-Clause
"""Times of messages from stage to stage, as ranges on a logarithmic axis."""

import stages
import style
from chart import Chart, panels
from units import fmt

LEAST = 1.0  # ns; shorter times are drawn as if they had this value


def at(stage, percentile):
    return max(stage[percentile], LEAST)


def row(axes, y, stage):
    colour = style.SERIES[1 if stages.is_sum(stage) else 0]
    axes.plot([at(stage, "min"), at(stage, "max")], [y, y], color=colour, linewidth=1.2, solid_capstyle="butt")
    axes.plot([at(stage, "p50"), at(stage, "p99")], [y, y], color=colour, linewidth=7, alpha=0.35, solid_capstyle="butt")
    axes.plot([at(stage, "p999")], [y], "|", color=colour, markersize=11, markeredgewidth=1.5)
    axes.plot([at(stage, "p50")], [y], "o", color=colour, markersize=5)


def legend(axes):
    from matplotlib.lines import Line2D
    ink = style.MUTED
    handles = [Line2D([], [], color=ink, marker="o", linestyle="", markersize=5), Line2D([], [], color=ink, linewidth=7, alpha=0.35),
               Line2D([], [], color=ink, marker="|", linestyle="", markersize=11, markeredgewidth=1.5),
               Line2D([], [], color=ink, linewidth=1.2)]
    axes.legend(handles, ["median", "median to p99", "p99.9", "minimum to maximum"], loc="lower right", bbox_to_anchor=(1.0, 1.0),
                ncol=4, columnspacing=1.4, borderaxespad=0.1)


def make(folder):
    found = stages.stages(folder.result)
    found = [s for s in found if s["max"] > 0]
    if not found:
        return
    figure, (axes,) = panels(1, 0.4 + 0.27 * len(found))
    for i, stage in enumerate(found):
        row(axes, len(found) - 1 - i, stage)
    axes.set_yticks(range(len(found)), [stages.label(s) for s in reversed(found)])
    axes.set_ylim(-0.7, len(found) - 0.3)
    axes.set_xscale("log")
    axes.set_xlim(left=0.8 * min(at(s, "min") for s in found), right=1.3 * max(at(s, "max") for s in found))
    axes.xaxis.set_major_formatter(lambda ns, _: time(ns))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("time")
    legend(axes)
    text = " ".join(f"{stages.label(s)}: median {time(s['p50'])}, p99 {time(s['p99'])}." for s in found)
    yield Chart("stages", "Messages from stage to stage", figure, text,
                ["Blue: steps of the path in their order. Orange: sums of several steps."])


def time(ns):
    for limit, divisor, unit in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if ns < limit:
            return f"{fmt(float(ns / divisor), 4)} {unit}"
    return f"{fmt(float(ns / 1e9), 4)} s"
