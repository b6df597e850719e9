# SPDX-License-Identifier: BSD-3-Clause
"""The distribution of the throughput, from the samples of the time series without the beginning and the end of the run."""

import numpy as np

import boxes
import labfigures
import style
from chart import Chart, panels
from markup import is_number
from senders import senders, span
from units import fmt, number

FEW = 8     # maximum number of boards for which each board has a box
LEAST = 10  # minimum number of samples for meaningful quantiles
EDGE = 1.0  # seconds that are omitted at the beginning and at the end of a run in real time
ROUNDING = 1e-6


def measured(folder):
    """Returns (begin, end) of the part of the run that counts. This part begins after the warm-up. If the run is in real time and lasts at
    least three seconds, its first and its last second do not count. The same rule applies to receivers[].goodput_gbps."""
    result = folder.result
    warmup = number((folder.config.get("run") or {}).get("warmup")) if result.get("warmup_excluded") else None
    begin, end = warmup or 0.0, result.get("duration_s")
    end = end if is_number(end) else span(folder)[1]
    lab = labfigures.runs(result)
    real = not lab or result.get("lab", {}).get("time") == "real"
    if real and end >= max(begin, EDGE) + 2 * EDGE:
        return max(begin, EDGE), end - EDGE
    return begin, end


def samples(board, begin, end):
    """Returns the board's throughput in the samples that lie between `begin` and `end`, while it was sending."""
    inside = (board.times - board.length >= begin - ROUNDING) & (board.times <= end + ROUNDING)
    return board.sent_gbps[inside & board.sending() & ~np.isnan(board.sent_gbps)]


def total(boards, begin, end):
    """Returns the sum of the throughput of all boards, for each sample between `begin` and `end`."""
    sums = {}
    for b in boards:
        inside = (b.times - b.length >= begin - ROUNDING) & (b.times <= end + ROUNDING)
        for t, rate in zip(b.times[inside], np.nan_to_num(b.sent_gbps[inside])):
            sums[t] = sums.get(t, 0.0) + rate
    return np.array(list(sums.values()))


def make(folder):
    boards = [b for b in senders(folder) if b.first is not None]
    begin, end = measured(folder)
    each = [(b.name, values) for b in boards if len(values := samples(b, begin, end)) >= LEAST]
    if not each:
        return
    if len(boards) > FEW:
        each = [("each board", np.concatenate([values for _, values in each]))]
    if len(boards) > 1:
        each.append(("all together", total(boards, begin, end)))
    figure, (axes,) = panels(1, 2.2)
    boxes.draw(axes, [values for _, values in each],
               [style.series_colour(i) if name != "all together" else style.MUTED for i, (name, _) in enumerate(each)])
    axes.set_xticks(range(len(each)), [name for name, _ in each])
    axes.set_xlim(-0.6, len(each) - 0.4)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("Gb/s")
    axes.set_title("Throughput (BTH to pad)")
    text = (f"From {fmt(begin, 4)} s to {fmt(end, 4)} s, {fmt(len(each[0][1]))} samples for {each[0][0]}. "
            + " ".join(boxes.words(name, values, "Gb/s") for name, values in each))
    yield Chart("distribution", "Distribution of the throughput", figure, text, [boxes.LEGEND])
