# SPDX-License-Identifier: BSD-3-Clause
"""The style of the charts. Each colour has a counterpart for dark pages. The style sheet of the page is generated from the same table,
and the colours of inline SVG refer to the style sheet."""

import matplotlib

matplotlib.use("Agg")

# {name: (colour on white, colour on dark)}. The colours of series are those of Okabe and Ito, which colour-blind readers can distinguish.
# Charts never rely on colour alone.
COLOURS = {
    "paper": ("#ffffff", "#15191e"),
    "ink": ("#1b1f24", "#e8ebee"),
    "muted": ("#56606b", "#a9b3bd"),
    "grid": ("#dde2e7", "#333b44"),
    "c0": ("#0072b2", "#56b4e9"),
    "c1": ("#d55e00", "#ff9248"),
    "c2": ("#009e73", "#3fd0a4"),
    "c3": ("#a3478f", "#e495d2"),
    "c4": ("#9a7400", "#e8bf3a"),
    "c5": ("#4c5c9a", "#9fb0f5"),
    "c6": ("#7a4a2b", "#d3a17f"),
    "c7": ("#2b8a9e", "#6fd6ea"),
    "bad": ("#b3261e", "#ff8a80"),
    "good": ("#1b6e3c", "#6fd39a"),
}

PAPER, INK, MUTED, GRID, BAD, GOOD = (COLOURS[n][0] for n in ("paper", "ink", "muted", "grid", "bad", "good"))
SERIES = [COLOURS[f"c{i}"][0] for i in range(8)]
HEAT = "cividis"  # its brightness is uniform, so it suits colour-blind readers and grey print
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
