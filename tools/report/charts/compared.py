# SPDX-License-Identifier: BSD-3-Clause
"""Several congestion controls side by side: a panel for each, all with the same axes."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

import comparison
import marks
import sampling
import style
import topology
from chart import Chart, legend_above
from .many_boards import grid
from markup import is_number
from senders import senders, span
from units import fmt

FEW = 8          # maximum number of boards for which each board has a line
COLUMNS = 5      # maximum number of panels in a row
LEGEND = 6       # maximum number of names in a row of a legend
# Line styles and hatches, with which runs can be distinguished without colours.
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (5, 1, 1, 1)), (0, (2.5, 1)), (0, (4, 1, 1, 1, 1, 1)))
HATCHES = ("", "////", "....", "xxxx", "----", "\\\\\\\\")
BINS = 300
LENGTHS = ("up to 10 kB", "10 to 100 kB", "100 kB to 1 MB", "above 1 MB", "shorter half", "all")


def panels(runs, height=2.1):
    """Returns a figure with a panel for each run. The panels share both axes."""
    rows = -(-len(runs) // COLUMNS)
    columns = -(-len(runs) // rows)  # makes the rows about equally long
    figure, axes = plt.subplots(rows, columns, sharex=True, sharey=True, squeeze=False, constrained_layout=True,
                                figsize=(style.WIDTH, height * rows + 0.5))
    figure.set_constrained_layout_pads(w_pad=0.03, h_pad=0.05)
    flat = list(axes.flat)
    for unused in flat[len(runs):]:
        unused.set_visible(False)
    for a, run in zip(flat, runs):
        a.set_title(run.name)
        a.xaxis.set_major_locator(MaxNLocator(3))
        a.tick_params(labelsize=8.5)
    for a in flat[max(0, len(runs) - columns):len(runs)]:
        a.xaxis.set_tick_params(labelbottom=True)
    return figure, flat[:len(runs)]


def time_span(runs):
    """Returns the beginning and the end of the traffic of all runs. Outstanding requests after the end do not count."""
    ends = [r.folder.result.get("duration_s") for r in runs]
    return 0.0, max(end if is_number(end) else span(r.folder)[1] for r, end in zip(runs, ends))


def finish(figure, axes, begin, end, what, bottom=0):
    for a in axes:
        marks.time_axis(a, begin, end)
    if bottom is not None:
        axes[0].set_ylim(bottom=bottom)
    figure.supylabel(what, fontsize=10, color=style.INK)
    figure.supxlabel("time (s)", fontsize=10, color=style.INK)


def lines(axes, boards, column, begin, end):
    """Draws a line for each board or, if there are many boards, their spread."""
    if len(boards) > FEW:
        values = grid(boards, column, begin, end)
        known = ~np.all(np.isnan(values), axis=0)
        t = (begin + (np.arange(values.shape[1]) + 0.5) * (end - begin) / values.shape[1])[known]
        q = np.nanquantile(values[:, known], [0, 0.1, 0.5, 0.9, 1], axis=0)
        axes.fill_between(t, q[0], q[4], color=style.SERIES[0], alpha=0.15, linewidth=0)
        axes.fill_between(t, q[1], q[3], color=style.SERIES[0], alpha=0.3, linewidth=0)
        axes.plot(t, q[2], color=style.SERIES[0], linewidth=1.2)
        return
    for i, b in enumerate(boards):
        values = np.where(b.sending(), getattr(b, column), np.nan)
        t, mean, _, _ = sampling.binned(b.times, values, begin, end, BINS, weights=b.length)
        axes.plot(t, mean, color=style.series_colour(i), linewidth=1.1)


def plain_log(axis):
    """Labels a logarithmic axis with numbers instead of powers of ten."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: fmt(float(value), 3)))
    axis.set_minor_formatter(NullFormatter())


def logarithmic(axes, series, least):
    """Makes the shared y-axis logarithmic if the largest values, for example after an incast, would make the usual values invisible.

    `series` contains the values of each run. A logarithmic axis begins at `least`. Returns a note about the logarithmic axis, or an empty
    text if the axis is linear."""
    usual = max(float(np.nanmedian(values)) for values in series)
    if max(float(np.nanmax(values)) for values in series) < 20 * max(usual, least):
        return ""
    axes[0].set_yscale("log")
    plain_log(axes[0].yaxis)
    axes[0].set_ylim(bottom=least)
    return " The axis is logarithmic."


def which_boards(runs):
    most = max(len(senders(r.folder)) for r in runs)
    return ("The line is the median of the boards, the bands are 10 % to 90 % and minimum to maximum." if most > FEW
            else "Each line is a board.")


def rates(folder):
    runs = [r for r in comparison.drawn(folder) if senders(r.folder)]
    if not runs:
        return
    begin, end = time_span(runs)
    figure, axes = panels(runs)
    for a, run in zip(axes, runs):
        lines(a, senders(run.folder), "sent_gbps", begin, end)
    finish(figure, axes, begin, end, "sent (Gb/s)")
    text = " ".join(f"{r.title}: {fmt(r.entry.get('goodput_gbps_run'), 4)} Gb/s of payload by all boards." for r in runs)
    yield Chart("rates", "Rates of the boards", figure, text,
                [which_boards(runs) + " Rates count BTH to pad, retransmissions included."])


def bottleneck_rows(run):
    ports = run.folder.each_port()
    return ports.get(topology.bottleneck(run.folder))


def with_queues(folder):
    found = [(r, bottleneck_rows(r)) for r in comparison.drawn(folder)]
    return [(r, rows) for r, rows in found if rows is not None and "queue_bytes_peak" in rows]


def queue(folder):
    found = with_queues(folder)
    if not found:
        return
    runs = [r for r, _ in found]
    begin, end = time_span(runs)
    divisor, unit = 1024, "KiB"
    figure, axes = panels(runs)
    for a, (_, rows) in zip(axes, found):
        peak = sampling.binned(rows["time_s"], rows["queue_bytes_peak"] / divisor, begin, end, BINS)
        now = sampling.binned(rows["time_s"], rows["queue_bytes"] / divisor, begin, end, BINS)
        a.fill_between(peak[0], 0, peak[3], color=style.SERIES[0], alpha=0.25, linewidth=0)
        a.plot(now[0], now[1], color=style.SERIES[0], linewidth=1.1)
    finish(figure, axes, begin, end, f"queue ({unit})")
    note = logarithmic(axes, [rows["queue_bytes_peak"] / divisor for _, rows in found], 1024 / divisor)
    text = " ".join(f"{r.title}: {fmt(mean_queue(r), 3)} KiB on average, at most {fmt(longest_queue(r), 4)} KiB." for r in runs)
    yield Chart("queue", "Queue of the bottleneck", figure, text, ["Line: mean of the samples. Shade: peaks between two samples." + note])


def mean_queue(run):
    mean = run.entry.get("queue_bytes_mean_run")
    return None if mean is None else mean / 1024


def longest_queue(run):
    longest = run.entry.get("queue_bytes_max")
    return None if longest is None else longest / 1024


def queue_shares(folder):
    """Draws, over the length of the queue, the share of the time for which the queue is at least that long. All runs share one panel."""
    found = with_queues(folder)
    if not found or max(float(np.nanmax(rows["queue_bytes"])) for _, rows in found) <= 0:
        return
    figure, axes = plt.subplots(1, 1, figsize=(style.WIDTH, 2.9), constrained_layout=True)
    divisor = 1024
    for i, (run, rows) in enumerate(found):
        sizes = np.sort(rows["queue_bytes"][~np.isnan(rows["queue_bytes"])]) / divisor
        share = 100 * (1 - np.arange(len(sizes)) / len(sizes))
        axes.step(np.maximum(sizes, 0.01), share, where="pre", color=style.series_colour(i),
                  linestyle=DASHES[i % len(DASHES)], label=run.name)
    axes.set_xscale("log")
    plain_log(axes.xaxis)
    axes.set_xlim(left=0.1)
    axes.set_ylim(0, 102)
    axes.set(xlabel="queue (KiB)", ylabel="% of the time with\nat least this queue")
    legend_above(axes, columns=LEGEND)
    text = " ".join(f"{r.title}: half of the time at least {fmt(float(np.nanmedian(rows['queue_bytes'])) / divisor, 3)} KiB."
                    for r, rows in found)
    yield Chart("queue-shares", "How long the queue is, and how often", figure, text,
                ["From the samples of the time series, which include the end of the run, when the queue drains."])


def fairness(folder):
    runs = [r for r in comparison.drawn(folder) if r.folder.windows is not None and np.any(r.folder.windows["boards_sending"] >= 2)]
    if not runs:
        return
    begin, end = time_span(runs)
    figure, axes = panels(runs)
    least = 1.0
    for a, run in zip(axes, runs):
        windows = run.folder.windows
        windows = windows.where((windows["boards_sending"] >= 2) & ~np.isnan(windows["jain"]))
        for size, colour in ((10, style.SERIES[1]), (100, style.SERIES[0])):
            rows = windows.where(windows["window_ms"] == size)
            if not len(rows):
                continue
            least = min(least, float(rows["jain"].min()))
            if size == 100:
                a.hlines(rows["jain"], rows["from_s"], rows["to_s"], color=colour, linewidth=2.5, zorder=3)
            else:
                a.plot((rows["from_s"] + rows["to_s"]) / 2, rows["jain"], ".", color=colour, markersize=2.5, zorder=2)
    finish(figure, axes, begin, end, "Jain's index", bottom=max(0.0, 1 - (1 - least) * 1.1 - 0.002))
    axes[0].set_ylim(top=1 + 0.02 * (1 - axes[0].get_ylim()[0]))
    text = " ".join(f"{r.title}: at least {fmt(r.entry.get('jain_min'), 5)} over 100 ms in steady states." if
                    r.entry.get("jain_min") is not None else f"{r.title}: no steady state of two boards or more." for r in runs)
    yield Chart("fairness", "Fairness", figure, text, ["Lines: windows of 100 ms. Dots: windows of 10 ms. 1 means equal shares."])


def has_rtt(run):
    return any(np.any(~np.isnan(b.rtt_us)) for b in senders(run.folder))


def round_trips(folder):
    runs = [r for r in comparison.drawn(folder) if has_rtt(r)]
    if not runs:
        return
    begin, end = time_span(runs)
    figure, axes = panels(runs)
    for a, run in zip(axes, runs):
        lines(a, [b for b in senders(run.folder) if np.any(~np.isnan(b.rtt_us))], "rtt_us", begin, end)
    finish(figure, axes, begin, end, "round-trip time (µs)")
    values = [np.concatenate([b.rtt_us for b in senders(r.folder)]) for r in runs]
    note = logarithmic(axes, values, max(1.0, 0.8 * min(float(np.nanmin(v)) for v in values)))
    text = " ".join(f"{r.title}: {fmt(r.entry.get('rtt_us'), 4)} µs on average." for r in runs)
    yield Chart("rtt", "Round-trip times", figure, text,
                [which_boards(runs) + " Only of algorithms that measure round-trip times." + note])


def groups(run):
    """Returns {group of message lengths: statistics of the run's messages in this group}, without empty groups."""
    times = run.figure("completion_times")
    if not times:
        return {}
    found = list(zip(LENGTHS, (times.get("classes") or []) + [times.get("shorter_half"), times]))
    return {name: g for name, g in found if g and g.get("messages")}


def of_group(group, key):
    """Returns (slowdown, True) for a statistic such as p99. If the slowdown is unknown, returns (completion time in us, False)."""
    if group.get("slowdown"):
        return group["slowdown"].get(key), True
    return (group.get("time_us") or {}).get(key), False


def completion(folder):
    runs = [r for r in comparison.runs(folder) if groups(r)]
    if not runs:
        return
    names = [n for n in LENGTHS if any(n in groups(r) for r in runs)]
    slowdown = all(of_group(g, "p50")[1] for r in runs for g in groups(r).values())
    figure, axes = plt.subplots(2, 1, sharex=True, sharey=True, figsize=(style.WIDTH, 4.6), constrained_layout=True)
    width = 0.8 / len(runs)
    values = []
    for a, key, title in zip(axes, ("p50", "p99"), ("Median", "99th percentile")):
        for i, run in enumerate(runs):
            bars = [(n, of_group(groups(run)[name], key)[0]) for n, name in enumerate(names) if name in groups(run)]
            x = [n - 0.4 + (i + 0.5) * width for n, _ in bars]
            a.bar(x, [v for _, v in bars], width * 0.92, color=style.series_colour(i), label=run.name, linewidth=0,
                  hatch=HATCHES[i % len(HATCHES)], edgecolor=style.PAPER)
            values += [v for _, v in bars]
        a.set_yscale("log")
        plain_log(a.yaxis)
        a.set_ylabel("slowdown" if slowdown else "time (µs)")
        a.xaxis.grid(False)
        legend_above(a, title, columns=LEGEND)
    axes[1].get_legend().remove()
    axes[0].set_ylim(0.8 * min(values) if not slowdown else 0.9, 1.5 * max(values))
    axes[1].set_xticks(range(len(names)), names)
    text = " ".join(f"{r.title}: 99th percentile {fmt(of_group(groups(r)['all'], 'p99')[0], 4)} for all messages." for r in runs)
    notes = ["Slowdown: time from arrival to the last byte, relative to an idle network." if slowdown
             else "Time from posting or arrival to acknowledgement."]
    yield Chart("completion", "Slowdowns by message length" if slowdown else "Completion times by message length", figure, text, notes)
