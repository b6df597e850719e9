# SPDX-License-Identifier: BSD-3-Clause
"""Reduces the number of points of long series for drawing, but keeps their extremes visible."""

import numpy as np

COLUMNS = 900  # about the width of a chart in pixels


def intervals(times):
    """Returns the length of the interval that ends at each sample. The first interval begins at
    time 0, but its length is limited to the median of the other intervals."""
    if len(times) == 0:
        return times
    usual = np.median(np.diff(times)) if len(times) > 1 else times[0]
    first = min(times[0], usual) if times[0] > 0 else usual
    return np.concatenate(([first], np.diff(times)))


def binned(times, values, begin, end, columns=COLUMNS, weights=None):
    """Divides the time into equal bins. Returns (middle of the bins, mean, minimum, maximum), without empty bins. If there
    are no more samples than bins, returns the samples themselves."""
    keep = ~np.isnan(values) & (times >= begin) & (times <= end)
    times, values = times[keep], values[keep]
    weights = np.ones(len(times)) if weights is None else weights[keep]
    if len(times) <= columns or end <= begin:
        return times, values, values, values
    index = np.minimum(((times - begin) / (end - begin) * columns).astype(int), columns - 1)
    total = np.bincount(index, weights, columns)
    mean = np.bincount(index, values * weights, columns)
    low, high = np.full(columns, np.inf), np.full(columns, -np.inf)
    np.minimum.at(low, index, values)
    np.maximum.at(high, index, values)
    has = total > 0
    middle = begin + (np.arange(columns) + 0.5) * (end - begin) / columns
    return middle[has], mean[has] / total[has], low[has], high[has]


def counted(times, counts, begin, end, columns=200):
    """Divides the time into equal bins. Returns (left edges of the bins, their width, the sum of the counts in each bin)."""
    keep = ~np.isnan(counts) & (times >= begin) & (times <= end)
    width = (end - begin) / columns if end > begin else 1.0
    index = np.clip(np.ceil((times[keep] - begin) / width).astype(int) - 1, 0, columns - 1)
    return begin + np.arange(columns) * width, width, np.bincount(index, counts[keep], columns)


def runs(mask):
    """Returns [(first index, last index)] of each sequence of adjacent true entries."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(int), [0]))))
    return [(a, b - 1) for a, b in zip(edges[::2], edges[1::2])]
