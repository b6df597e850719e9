# SPDX-License-Identifier: BSD-3-Clause
"""Events of a detector: the latency from the trigger to the complete event, and the camera image of one event."""

import numpy as np

import style
from chart import Chart, legend_above, panels
from units import fmt

BINS = 120


def builders(folder):
    """Returns [(receiver, latency histogram)] of the receivers that have complete events."""
    found = [(r.get("name", ""), (r.get("events") or {}).get("latency") or {}) for r in folder.result.get("receivers") or []]
    return [(name, latency) for name, latency in found if latency.get("buckets")]


def binned(latency):
    """Converts buckets of unequal width to bars of equal width. Returns (left edges, width, counts)."""
    begin, count = np.array(latency["buckets"], dtype=float).T
    low, high = latency["min_us"], max(latency["max_us"], latency["min_us"] * 1.001)
    edges = np.linspace(low, high, min(BINS, max(10, len(begin))) + 1)
    sums, _ = np.histogram(np.clip(begin, low, high), bins=edges, weights=count)
    return edges[:-1], edges[1] - edges[0], sums


def latency(folder):
    found = builders(folder)
    if not found:
        return
    figure, axes = panels(len(found), 2.2)
    text = []
    for a, (name, times) in zip(axes, found):
        left, width, counts = binned(times)
        a.bar(left, counts, width, align="edge", color=style.SERIES[0], linewidth=0)
        for i, (key, label) in enumerate((("p50_us", "median"), ("p99_us", "p99"), ("p999_us", "p99.9"))):
            a.axvline(times[key], color=style.SERIES[1], linestyle=((0, ()), (0, (4, 2)), (0, (1, 1.5)))[i],
                      label=f"{label} {fmt(times[key])} µs")
        a.set_ylabel("events")
        legend_above(a, f"{name}: {fmt(times['count'])} complete events")
        text.append(f"{name}: {fmt(times['count'])} complete events, latency {fmt(times['min_us'])} to {fmt(times['max_us'])} µs, "
                    f"median {fmt(times['p50_us'])}, p99 {fmt(times['p99_us'])} µs.")
    axes[-1].set_xlabel("from the trigger to the complete event (µs)")
    yield Chart("event-latency", "Latency of events", figure, " ".join(text))


def grid(boards, channels):
    """Returns (columns of modules, pixels per side of a module, x, y), where x and y are the positions of all pixels (doc/detector.md).
    Modules form a grid, and the pixels of a module form a square."""
    columns, side = int(np.ceil(np.sqrt(boards))), int(np.ceil(np.sqrt(channels)))
    board, channel = np.divmod(np.arange(boards * channels), channels)
    return columns, side, board % columns * side + channel % side, board // columns * side + channel // side


def image(folder):
    pixels = folder.camera
    if pixels is None:
        return
    boards, channels = int(pixels["board"].max()) + 1, int(pixels["channel"].max()) + 1
    columns, side, x, y = grid(boards, channels)
    rows = -(-boards // columns)
    picture = np.full((rows * side, columns * side), np.nan)
    picture[y, x] = pixels["charge"]
    figure, (axes,) = panels(1, 5.6)
    axes.set_facecolor(style.GRID)
    drawn = axes.imshow(picture, origin="lower", cmap="inferno", interpolation="nearest", vmin=max(0.0, float(np.nanmedian(picture))),
                        extent=(0, columns * side, 0, rows * side))
    for k in range(1, columns):
        axes.axvline(k * side, color="white", linewidth=0.35, alpha=0.35)
    for k in range(1, rows):
        axes.axhline(k * side, color="white", linewidth=0.35, alpha=0.35)
    axes.grid(visible=False)
    axes.set_xlabel("pixel")
    axes.set_ylabel("pixel")
    figure.colorbar(drawn, ax=axes, label="charge (counts · ns)")
    bright = int(np.nanargmax(pixels["charge"]))
    event = int(pixels["event"][0])
    text = (f"Event {event}: charge of {fmt(boards * channels)} pixels of {fmt(boards)} boards. The brightest is channel "
            f"{fmt(bright % channels)} of board {fmt(bright // channels)}.")
    yield Chart("camera", f"Camera image of event {event}", figure, text,
                [f"Each square of {side} × {side} pixels is a board. Charge is the sum of the samples above the median."])
