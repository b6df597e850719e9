# SPDX-License-Identifier: BSD-3-Clause
"""The rates of many boards: their spread over time, and a coloured row for each board."""

import numpy as np

import marks
import sampling
import style
from chart import Chart, legend_above, panels
from senders import changes, senders, span
from units import fmt

COLUMNS = 300


def grid(boards, column, begin, end):
    """Returns a matrix with one row per board and one column per time bin; NaN if a bin has no sample."""
    columns = int(min(COLUMNS, max(len(b.times) for b in boards)))
    out = np.full((len(boards), columns), np.nan)
    for row, b in zip(out, boards):
        values = getattr(b, column)
        keep = ~np.isnan(values)
        index = np.clip(np.ceil((b.times[keep] - begin) / (end - begin) * columns - 1e-9).astype(int) - 1, 0, columns - 1)
        weight = np.bincount(index, b.length[keep], columns)
        total = np.bincount(index, (values * b.length)[keep], columns)
        has = weight > 0
        row[has] = total[has] / weight[has]
    return out


def spread(axes, rates, begin, end):
    """Draws the quantiles of the boards over time."""
    middle = begin + (np.arange(rates.shape[1]) + 0.5) * (end - begin) / rates.shape[1]
    has = ~np.all(np.isnan(rates), axis=0)
    q = np.nanquantile(rates[:, has], [0, 0.1, 0.5, 0.9, 1], axis=0)
    t = middle[has]
    axes.fill_between(t, q[0], q[4], color=style.SERIES[0], alpha=0.15, linewidth=0, label="minimum to maximum")
    axes.fill_between(t, q[1], q[3], color=style.SERIES[0], alpha=0.3, linewidth=0, label="10 % to 90 %")
    axes.plot(t, q[2], color=style.SERIES[0], label="median")
    axes.set_ylim(0, float(q[4].max()) * 1.1 or 1)
    axes.set_ylabel("Gb/s per board")
    return q


def rows(figure, axes, rates, boards, begin, end):
    image = axes.imshow(rates, aspect="auto", interpolation="nearest", cmap=style.HEAT, origin="upper", vmin=0,
                        extent=(begin, end, len(boards) - 0.5, -0.5))
    step = max(1, int(np.ceil(len(boards) / 16)))
    ticks = range(0, len(boards), step)
    axes.set_yticks(list(ticks), [boards[i].name for i in ticks])
    axes.grid(False)
    axes.set_title("Throughput of each board")
    bar = figure.colorbar(image, ax=axes, fraction=0.03, pad=0.01)
    bar.set_label("Gb/s")
    bar.outline.set_visible(False)


def make(folder):
    boards = senders(folder)
    if len(boards) <= 8:
        return
    begin, end = span(folder)
    sent = grid(boards, "sent_gbps", begin, end)
    figure, axes = panels(3, 1.6, ratios=[1.0, 1.0, 2.4])
    total = np.nansum(sent, axis=0)
    middle = begin + (np.arange(sent.shape[1]) + 0.5) * (end - begin) / sent.shape[1]
    has = ~np.all(np.isnan(sent), axis=0)
    axes[0].plot(middle[has], total[has], color=style.INK)
    axes[0].set_title(f"All {len(boards)} boards together")
    axes[0].set_ylim(0, float(np.nanmax(total)) * 1.1 or 1)
    axes[0].set_ylabel("Gb/s")
    cnps = sum(b.cnps for b in boards)
    q = spread(axes[1], sent, begin, end)
    legend_above(axes[1], "Spread over the boards")
    rows(figure, axes[2], sent, boards, begin, end)
    for a in axes:
        marks.time_axis(a, begin, end)
    marks.draw_changes(axes[:2], changes(folder, begin, end))
    axes[-1].set_xlabel("time (s)")
    text = (f"{len(boards)} boards sent {fmt(float(np.nanmean(total[has])), 4)} Gb/s together on average; in the middle of "
            f"the run the slowest {fmt(float(q[0][q.shape[1] // 2]), 3)}, the median {fmt(float(q[2][q.shape[1] // 2]), 3)}, "
            f"the fastest {fmt(float(q[4][q.shape[1] // 2]), 3)} Gb/s; {fmt(cnps)} CNPs.")
    yield Chart("rates", "Rates of the boards", figure, text,
                [f"Means over {fmt((end - begin) / sent.shape[1] * 1e3, 3)} ms; rates count BTH to pad."])
