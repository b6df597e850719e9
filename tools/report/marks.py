# SPDX-License-Identifier: BSD-3-Clause
"""Elements that several charts share: marks where boards join or leave, limits, and events at the foot of a panel."""

import numpy as np

import sampling
import style


def time_axis(axes, begin, end):
    axes.set_xlim(begin, end)


def who(names):
    return names[0] if len(names) == 1 else f"{len(names)} boards"


def draw_changes(all_axes, events, label=True):
    """Draws vertical lines where boards join or leave, with labels above the data of the topmost panel."""
    if label and events:
        make_room(all_axes[0])
    for at, sign, names in events:
        for axes in all_axes:
            axes.axvline(at, color=style.MUTED, linewidth=1.0, linestyle=(0, (1, 2)), zorder=1.5)
        if label:
            text = ("+ " if sign > 0 else "− ") + who(names)
            all_axes[0].annotate(text, (at, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -2), ha="left", va="top",
                                 textcoords="offset points", fontsize=8.5, color=style.MUTED, zorder=5)


def make_room(axes, share=0.14):
    """Extends the axis to make room for labels above the data. The added part has no ticks."""
    low, high = axes.get_ylim()
    ticks = [t for t in axes.get_yticks() if low <= t <= high]
    axes.set_ylim(low, high + share * (high - low))
    axes.set_yticks(ticks)


def strip(axes, times, counts, colour, columns=240):
    """Draws events at the foot of a panel. A few events are drawn as separate strokes. Many events are drawn as bins; bins with more events
    are darker."""
    happened = counts > 0
    if np.count_nonzero(happened) <= columns / 2:
        rug(axes, times[happened], colour)
        return
    begin, end = axes.get_xlim()
    left, width, sums = sampling.counted(times, counts, begin, end, columns)
    top = sums.max()
    shades = np.minimum(5, np.ceil(5 * sums / top)).astype(int)  # five shades, because each shade is one SVG path
    for shade in range(1, 6):
        here = left[shades == shade]
        if len(here):
            axes.broken_barh([(x, width) for x in here], (0.0, 0.07), transform=axes.get_xaxis_transform(), color=colour,
                             alpha=0.15 + 0.17 * shade, linewidth=0, zorder=4)


def rug(axes, times, colour, most=400):
    """Draws short strokes at the foot of a panel, one per event. Events at the same place share a stroke."""
    if len(times) == 0:
        return
    low, high = axes.get_xlim()
    slot = (high - low) / most
    shown = np.unique(np.floor((times - low) / slot)) * slot + low + slot / 2
    axes.vlines(shown, 0.0, 0.06, transform=axes.get_xaxis_transform(), color=colour, linewidth=0.9, zorder=4)


def limit_line(axes, value, text, colour=None, below=False):
    """Draws a horizontal line with a label at the right edge of the panel. `below` puts the label under the line."""
    colour = colour or style.BAD
    axes.axhline(value, color=colour, linewidth=1.1, linestyle=(0, (5, 3)), zorder=2.5)
    axes.annotate(text, (1.0, value), xycoords=("axes fraction", "data"), xytext=(-3, -3 if below else 2),
                  textcoords="offset points", ha="right", va="top" if below else "bottom", fontsize=8.5, color=colour, zorder=5,
                  bbox={"facecolor": style.PAPER, "edgecolor": "none", "alpha": 0.75, "pad": 0.8})


def band(axes, middle, mean, low, high, colour, label, width=1.5, style_=("-")):
    """Draws a line. If each point is the mean of several samples, also draws the range of these samples."""
    if np.any(high > low):
        axes.fill_between(middle, low, high, color=colour, alpha=0.22, linewidth=0, zorder=2)
    axes.plot(middle, mean, color=colour, linewidth=width, linestyle=style_, label=label, zorder=3)
