# SPDX-License-Identifier: BSD-3-Clause
"""The pictures of doc/seed-figures.md, in the style of the reports."""

import tempfile
from pathlib import Path

from PIL import Image

import style
from chart import panels
from charts import rates, threshold
from folder import Folder

from . import rows
from .runs import Job

WIDTH = 1200  # pixels: full width of the page on a high-resolution screen
FINE = "run.series_interval=1ms"
THRESHOLD, ON_OFF = (Job(file, (FINE, "run.duration=500ms", "boards.feb.stop=500ms"), report=True)
                     for file in ("threshold", "seed000-no-dcqcn"))
JOBS = [THRESHOLD, ON_OFF]


def side_by_side():
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 2, figsize=(style.WIDTH, 2.6), constrained_layout=True)
    figure.set_constrained_layout_pads(w_pad=0.08)
    return figure, axes


def curve(axes, ticks, values, title, label, name=None, colour=0):
    """Draws a curve. The sizes on the x-axis are evenly spaced, because each is a multiple of the previous one."""
    axes.plot(range(len(ticks)), values, "o-", color=style.series_colour(colour), label=name)
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set_title(title)
    axes.set_xlabel(label)
    axes.margins(y=0.15)


def results(runs, jobs):
    return [runs.result(job) for job in jobs]


def swept(jobs):
    """Returns the values of the first key of a sweep, which label the ticks of the axis."""
    return [job.overrides[0].rpartition("=")[2] for job in jobs]


def mtu(runs):
    figure, (left, right) = side_by_side()
    curve(left, swept(rows.MTUS), rows.board_goodput("feb")(results(runs, rows.MTUS)), "Goodput (Gb/s)", "path MTU (bytes)")
    curve(right, swept(rows.LATENCY), [rows.latency(r) for r in results(runs, rows.LATENCY)], "Latency (µs)",
          "path MTU and message")
    right.set_ylim(bottom=0)
    return figure, "Goodput and latency against the path MTU"


def thesis(runs):
    figure, axes = side_by_side()
    for a, jobs, label in ((axes[0], rows.SIZES, "message size"), (axes[1], rows.QPS, "queue pairs")):
        curve(a, swept(jobs), rows.node_goodput(results(runs, jobs)), "Goodput (Gb/s)", label)
        a.set_ylim(97, 98.5)
    return figure, "Goodput against message size and number of queue pairs at 100 Gb/s"


def registration(runs):
    figure, (axes,) = panels(1, 2.2)
    found = results(runs, rows.NOTIFICATIONS)
    sizes = swept(rows.NOTIFICATIONS[::2])
    curve(axes, sizes, [rows.latency(r) for r in found[1::2]], "Latency (µs)", "transfer", "acknowledgement first", 1)
    curve(axes, sizes, [rows.latency(r) for r in found[::2]], "Latency (µs)", "transfer", "registration")
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure, "Latency of a notification against the size of the transfer"


def of_report(make, job, wanted):
    """Returns a function that makes a picture from a run: the first chart of `make`, which is a maker of the report tool."""
    def draw(runs):
        chart = next(iter(make(Folder(str(runs.folder(job))))))
        return chart, wanted
    return draw


PICTURES = (("seed000-mtu", mtu), ("seed000-no-dcqcn", of_report(rates.make, ON_OFF, "Three boards without DCQCN send in turns")),
            ("seed000-threshold", of_report(threshold.make, THRESHOLD, "Throughput, threshold and CNPs of a threshold switch")),
            ("seed001-goodput", thesis), ("seed003-latency", registration))


def save(drawn, folder):
    """Saves a picture as PNG in `folder`, and returns its path. `drawn` is a figure of matplotlib or a Chart of the report tool."""
    path = Path(folder) / "picture.png"
    if hasattr(drawn, "savefig"):
        drawn.savefig(path, metadata={"Software": None})
        return path
    drawn.save(folder)
    return Path(folder) / f"{drawn.name}.png"


def draw(runs, images):
    """Writes the pictures to the folder `images`. Returns [(file name, title, description)]."""
    style.use()
    made = []
    for name, maker in PICTURES:
        drawn, title = maker(runs)
        with tempfile.TemporaryDirectory() as folder:
            picture = Image.open(save(drawn, folder)).convert("RGB")
        height = round(picture.height * WIDTH / picture.width)
        picture.resize((WIDTH, height), Image.Resampling.LANCZOS).quantize(128).save(images / f"{name}.png", optimize=True)
        made.append((f"{name}.png", title, title))
    return made
