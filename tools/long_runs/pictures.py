# SPDX-License-Identifier: BSD-3-Clause
"""The charts of doc/soak.md, in the style of the reports."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "report"))

import matplotlib.pyplot as plt  # noqa: E402
from PIL import Image  # noqa: E402

import style  # noqa: E402

from . import verdict  # noqa: E402

WIDTH = 1200  # pixels: full width of the page on a high-resolution screen


def scaled(seconds):
    """Returns the unit in which a duration is drawn, and the length of this unit in seconds."""
    return ("h", 3600) if seconds > 3600 else ("min", 60) if seconds > 300 else ("s", 1)


def line(axes, x, y, colour, label=None, step=False):
    axes.plot(x, y, color=style.series_colour(colour), label=label, drawstyle="steps-post" if step else "default")


def memory(axes, x, samples):
    """Draws the resident memory, and the limits within which it must be at the end."""
    line(axes, x, [s.rss / 1024 for s in samples], 0, "resident memory")
    level = verdict.growth(samples, "rss")[0] / 1024
    axes.axhspan(level * (1 - verdict.GROWTH), level * (1 + verdict.GROWTH), color=style.GOOD, alpha=0.12, lw=0,
                 label=f"±{verdict.GROWTH:.0%} of the median of the second tenth")
    axes.set_ylim(level * 0.95, level * 1.05)
    axes.set_title("Memory (MiB)")
    axes.legend(loc="lower right")


def whole(axes, x, samples):
    """Draws numbers that must not change."""
    line(axes, x, [s.descriptors for s in samples], 0, "file descriptors", step=True)
    line(axes, x, [s.threads for s in samples], 1, "threads", step=True)
    axes.set_ylim(bottom=0, top=1.4 * max(s.descriptors for s in samples))
    axes.set_title("File descriptors and threads")
    axes.legend(ncols=2)


def traffic(axes, x, samples):
    line(axes, x, [s.packets / 1e6 for s in samples], 0, "sent (millions)")
    line(axes, x, [s.retransmitted / 1e3 for s in samples], 1, "of these, retransmissions (thousands)")
    axes.set_ylim(bottom=0)
    axes.set_title("Packets of the boards")
    axes.legend()


def latency(axes, x, samples):
    line(axes, x, [s.slow_control_ms for s in samples], 1, "register access, longest in 10 s")
    line(axes, x, [s.metrics_ms for s in samples], 2, "GET /metrics")
    line(axes, x, [s.slow_control_median_ms for s in samples], 0, "register access, median of 10 s")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(top=30 * max(max(s.slow_control_ms, s.metrics_ms) for s in samples))  # room for the legend
    axes.set_title("Response times of slow control and page (ms)")
    axes.legend(ncols=3, loc="upper right")


def draw(run, samples):
    """Returns the figure of a run."""
    style.use()
    panels = (memory, whole, traffic, latency) if run["kind"] == "real" else (memory, whole)
    times = [s.t if run["kind"] == "real" else s.progress for s in samples]
    unit, seconds = scaled(times[-1])
    figure, all_axes = plt.subplots(len(panels), 1, sharex=True, figsize=(style.WIDTH, 1.75 * len(panels) + 0.4), constrained_layout=True)
    for panel, axes in zip(panels, all_axes):
        panel(axes, [t / seconds for t in times], samples)
    all_axes[-1].set_xlabel(f"{'real' if run['kind'] == 'real' else 'virtual'} time ({unit})")
    return figure


def save(figure, path):
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    picture = Image.open(path).convert("RGB")
    height = round(picture.height * WIDTH / picture.width)
    picture.resize((WIDTH, height), Image.Resampling.LANCZOS).quantize(64).save(path, optimize=True)
