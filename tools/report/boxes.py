# SPDX-License-Identifier: BSD-3-Clause
"""Box plots: the box spans the quartiles, the whiskers 10 % to 90 %, and the points are the minimum and the maximum."""

import numpy as np

import style
from units import fmt

QUANTILES = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)
LEGEND = "Box: quartiles; line: median; whiskers: 10 % to 90 %; points: minimum and maximum."


def draw(axes, groups, colours):
    """Draws a box for each array of values in `groups`, at x = 0, 1, 2 and so on."""
    stats = []
    for values in groups:
        least, low, q1, median, q3, high, most = np.quantile(values, QUANTILES)
        stats.append({"med": median, "q1": q1, "q3": q3, "whislo": low, "whishi": high, "fliers": [least, most]})
    drawn = axes.bxp(stats, positions=range(len(groups)), widths=0.5, patch_artist=True,
                     flierprops={"marker": ".", "markersize": 4, "markeredgecolor": style.MUTED, "markerfacecolor": style.MUTED},
                     medianprops={"color": style.INK, "linewidth": 1.5}, whiskerprops={"color": style.MUTED},
                     capprops={"color": style.MUTED}, boxprops={"edgecolor": style.MUTED})
    for box, colour in zip(drawn["boxes"], colours):
        box.set_facecolor(colour)
        box.set_alpha(0.6)


def words(name, values, unit):
    low, median, high = (fmt(float(q), 4) for q in np.quantile(values, (0.1, 0.5, 0.9)))
    return f"{name}: median {median} {unit}, {low} to {high} {unit} in 80 % of the samples."
