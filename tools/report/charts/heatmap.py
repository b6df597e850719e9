# SPDX-License-Identifier: BSD-3-Clause
"""A parameter study. Draws each metric as a map over two keys, or as a line over one key. If a study over one key repeats each point
with different random numbers, box plots replace the line."""

import re

import numpy as np

import boxes
import style
from chart import Chart
from units import fmt, number

# (column, title, whether higher values are better, divisor, unit). Columns that do not exist are not drawn.
MEASURES = (
    ("goodput_gbps", "Goodput", True, 1, "Gb/s"), ("latency_us", "Latency of transfers, mean", False, 1, "µs"),
    ("demand_met", "Demand met, worst board", True, 0.01, "%"),
    ("jain_min", "Jain's index, minimum", True, 1, ""), ("port_used_min", "Port use, minimum", True, 0.01, "%"),
    ("queue_bytes_max", "Queue, largest", False, 1024, "KiB"), ("queue_bytes_mean", "Queue, mean", False, 1024, "KiB"),
    ("convergence_ms", "Time to the new fair share", False, 1, "ms"), ("pause_tx", "Pause frames", False, 1, ""),
    ("dropped", "Packets dropped", False, 1, ""), ("retransmitted", "Packets retransmitted", False, 1, ""))
KNOWN = {m[0] for m in MEASURES}
REPEATS = "run.seed"  # the values of this key repeat each point with different random numbers


def levels(values):
    """Returns all values of an axis as texts, and the distinct values, which are sorted if they are numbers."""
    texts = [f"{v:g}" if isinstance(v, float) else str(v) for v in values.tolist()]
    distinct = list(dict.fromkeys(texts))
    if all(number(t) is not None for t in distinct):
        distinct.sort(key=number)
    return np.array(texts), distinct


def ticks(texts):
    """Returns (tick labels, unit). If all labels have the same unit, the unit is moved from the labels to the axis."""
    units = {re.sub(r"^[-+0-9.eE]*", "", t) for t in texts}
    if len(units) == 1 and (unit := units.pop()) and all(t != unit for t in texts):
        return [t[:-len(unit)] for t in texts], unit
    return texts, ""


def axis_name(sweep, key):
    """Returns the name of an axis: the last two parts of the key, and the unit of its values."""
    unit = ticks(levels(sweep[key])[1])[1]
    return ".".join([part for part in key.split(".") if not part.isdigit()][-2:]) + (f" ({unit})" if unit else "")


def cells(sweep, measure, x, y):
    """Returns the values of the map's cells, and the values of its axes. If the study has further axes, a cell is the mean over them."""
    (xs, xl), (ys, yl) = levels(sweep[x]), levels(sweep[y])
    out = np.full((len(yl), len(xl)), np.nan)
    for i, b in enumerate(yl):
        for j, a in enumerate(xl):
            here = sweep[measure][(xs == a) & (ys == b)]
            if np.any(~np.isnan(here)):
                out[i, j] = np.nanmean(here)
    return out, xl, yl


def heat(figure, axes, sweep, measure, x, y):
    column, title, higher, divisor, unit = measure
    values, xl, yl = cells(sweep, column, x, y)
    values = values / divisor
    map_ = style.HEAT if higher else style.HEAT + "_r"
    image = axes.imshow(values, aspect="auto", cmap=map_, origin="lower")
    xt, yt = ticks(xl)[0], ticks(yl)[0]
    level = max(map(len, xt)) * len(xt) < 44
    axes.set_xticks(range(len(xt)), xt, rotation=0 if level else 35, ha="center" if level else "right")
    axes.set_yticks(range(len(yt)), yt)
    axes.grid(False)
    axes.set_title(title + (f" ({unit})" if unit else ""))
    if len(xl) <= 8 and len(yl) <= 16:
        for (i, j), v in np.ndenumerate(values):
            if not np.isnan(v):
                shade = image.cmap(image.norm(v))
                light = 0.3 * shade[0] + 0.59 * shade[1] + 0.11 * shade[2] > 0.5
                axes.text(j, i, fmt(float(v), 4), ha="center", va="center", fontsize=8.5,
                          color="#010101" if light else "#fefefe")
    bar = figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02)
    bar.outline.set_visible(False)


def known(values):
    return values[~np.isnan(values)]


def line(figure, axes, sweep, measure, x, _):
    column, title, _, divisor, unit = measure
    xs, xl = levels(sweep[x])
    values = [known(sweep[column][xs == a]) / divisor for a in xl]
    if any(len(v) > 1 for v in values) and all(len(v) for v in values):
        boxes.draw(axes, values, [style.SERIES[0]] * len(xl))
    else:
        axes.plot(range(len(xl)), [np.mean(v) if len(v) else np.nan for v in values], "o-", color=style.SERIES[0])
    axes.set_xticks(range(len(xl)), ticks(xl)[0])
    axes.set_title(title + (f" ({unit})" if unit else ""))
    axes.margins(y=0.15)


def best(sweep, axes_keys):
    """Describes the point with the highest Jain's index. Points without drops take precedence over all others."""
    if "jain_min" not in sweep or np.all(np.isnan(sweep["jain_min"])):
        return ""
    score = np.where(np.isnan(sweep["jain_min"]), -1, sweep["jain_min"]) - (np.nan_to_num(sweep.get("dropped")) > 0)
    i = int(np.argmax(score))
    where = ", ".join(f"{k} = {sweep[k].tolist()[i]}" for k in axes_keys)
    drops = " without drops" if "dropped" in sweep and sweep["dropped"][i] == 0 else ""
    return f"Fairest point{drops}: {where}, with a minimum index of {fmt(float(sweep['jain_min'][i]), 5)}."


def make(folder):
    import matplotlib.pyplot as plt
    sweep = folder.sweep
    if sweep is None:
        return
    first = next((i for i, n in enumerate(sweep.names) if n in KNOWN), len(sweep.names))
    keys = [k for k in sweep.names[:first] if len(levels(sweep[k])[1]) > 1] or sweep.names[:min(1, first)]
    measures = [m for m in MEASURES if m[0] in sweep and sweep[m[0]].dtype.kind == "f" and not np.all(np.isnan(sweep[m[0]]))
                and (np.nanmax(sweep[m[0]]) > 0)]
    if not keys or not measures:
        return
    repeats = len(levels(sweep[REPEATS])[1]) if REPEATS in keys and len(keys) > 1 else 1
    if repeats > 1:
        keys.remove(REPEATS)
    keys = sorted(keys, key=lambda k: -len(levels(sweep[k])[1]))
    rows = (len(measures) + 1) // 2
    tall = max(2.3, 0.9 + 0.32 * len(levels(sweep[keys[1]])[1])) if len(keys) > 1 else 2.2
    figure, axes = plt.subplots(rows, 2, squeeze=False, figsize=(style.WIDTH, tall * rows + 0.5), constrained_layout=True)
    figure.set_constrained_layout_pads(w_pad=0.08, h_pad=0.08)
    for a in axes.flat[len(measures):]:
        a.set_visible(False)
    for a, m in zip(axes.flat, measures):
        (heat if len(keys) > 1 else line)(figure, a, sweep, m, keys[0], keys[1] if len(keys) > 1 else None)
    figure.supxlabel(axis_name(sweep, keys[0]), fontsize=10, color=style.INK)
    if len(keys) > 1:
        figure.supylabel(axis_name(sweep, keys[1]), fontsize=10, color=style.INK)
    notes = [f"Means over {', '.join(keys[2:])}."] if len(keys) > 2 else []
    notes.append("Lighter is better in all maps." if len(keys) > 1 else "")
    if repeats > 1:
        notes.append(f"Each point was run {repeats} times with different random numbers (run.seed). "
                     + ("The maps show means." if len(keys) > 1 else boxes.LEGEND))
    yield Chart("sweep", "Parameter study", figure, f"{len(sweep)} points over {', '.join(keys)}. " + best(sweep, keys),
                [n for n in notes if n])
