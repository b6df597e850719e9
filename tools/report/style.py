# SPDX-License-Identifier: BSD-3-Clause
"""The style of the charts. Their colours are those of the page (colours.py)."""

import matplotlib

from colours import COLOURS

matplotlib.use("Agg")

PAPER, INK, MUTED, GRID, BAD, GOOD = (COLOURS[n][0] for n in ("paper", "ink", "muted", "grid", "bad", "good"))
SERIES = [COLOURS[f"c{i}"][0] for i in range(8)]
HEAT = "cividis"  # its brightness changes uniformly, so it suits colour-blind readers and grey print
WIDTH = 9.0       # width of a chart in inches; the page scales charts to its full width


def use():
    matplotlib.rcParams.update({
        "figure.facecolor": PAPER, "savefig.facecolor": PAPER, "axes.facecolor": PAPER,
        "figure.dpi": 100, "savefig.dpi": 200,
        "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans"], "font.size": 10,
        "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": MUTED, "axes.titlecolor": INK,
        "xtick.color": MUTED, "ytick.color": MUTED, "xtick.labelcolor": INK, "ytick.labelcolor": INK,
        "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
        "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.8, "axes.axisbelow": True,
        "axes.spines.top": False, "axes.spines.right": False,
        "lines.linewidth": 1.5, "lines.solid_joinstyle": "round",
        "legend.frameon": False, "legend.fontsize": 9, "legend.handlelength": 1.8,
        "svg.fonttype": "none", "svg.hashsalt": "softfeb", "path.simplify": True,
        "axes.formatter.useoffset": False, "text.parse_math": False,
    })


def series_colour(i):
    return SERIES[i % len(SERIES)]
