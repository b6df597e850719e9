#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare two congestion controls in the same network, and draw how they share a port.

Three boards send to one port of a switch (conf/lab/incast.yaml). One board stops after a third of
the time, and another after two thirds.

    examples/python/compare_algorithms.py --algorithms dcqcn swift --out comparison.png
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib
import softfeb

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

INCAST = Path(__file__).resolve().parents[2] / "conf/lab/incast.yaml"
FIGURES = [
    ("goodput_gbps_run", "goodput (Gb/s)", 1.0),
    ("jain_min", "smallest Jain index", 1.0),
    ("queue_bytes_mean_run", "mean queue (KiB)", 1 / 1024),
    ("queue_bytes_max", "longest queue (KiB)", 1 / 1024),
    ("rtt_us", "mean RTT (us)", 1.0),
    ("pause_tx", "pause frames", 1.0),
    ("dropped", "packets dropped", 1.0),
]


def columns(rows: list[dict[str, Any]], key: str, value: str) -> dict[str, list[list[float]]]:
    """Return the times in ms and the values of each board or port: ``{name: [times, values]}``."""
    series: dict[str, list[list[float]]] = defaultdict(lambda: [[], []])
    for row in rows:
        if row[value] is not None:
            series[row[key]][0].append(row["time_s"] * 1e3)
            series[row[key]][1].append(row[value])
    return series


def draw(reports: dict[str, softfeb.Report], bottleneck: str, file: Path) -> None:
    """Draw the boards' rates and the queue, with a column for each algorithm."""
    figure, axes = plt.subplots(
        2,
        len(reports),
        figsize=(5 * len(reports), 6),
        sharex=True,
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for (name, report), (rates, queue) in zip(reports.items(), axes.T):
        for board, (times, sent) in columns(report.rows(), "board", "sent_gbps").items():
            rates.plot(times, sent, lw=1, label=board)
        rates.set(title=name, ylim=(0, None))
        peaks = columns(report.rows("ports"), "port", "queue_bytes_peak")
        if bottleneck in peaks:
            times, sizes = peaks[bottleneck]
            queue.plot(times, [size / 1024 for size in sizes], color="0.3", lw=1)
        queue.set(xlabel="time (ms)", ylim=(0, None))
    axes[0][0].set_ylabel("sending rate (Gb/s)")
    axes[1][0].set_ylabel(f"peak queue of {bottleneck} (KiB)")
    axes[0][0].legend(frameon=False, loc="upper left")
    figure.savefig(file, dpi=120)


def main() -> None:
    """Compare the algorithms that the command line names."""
    parser = argparse.ArgumentParser(description="Compares congestion controls in a network.")
    parser.add_argument("--config", type=Path, default=INCAST, help="network (default: incast)")
    parser.add_argument("--algorithms", nargs="+", default=["dcqcn", "swift"], help="names")
    parser.add_argument("--duration", type=float, default=600, help="ms")
    parser.add_argument("--out", type=Path, default=Path("comparison.png"), help="picture")
    arguments = parser.parse_args()
    time = arguments.duration
    settings: dict[str, Any] = {"run.series_interval": f"{time / 300:g}ms"}
    if arguments.config == INCAST:
        settings["boards.feb.stop"] = [f"{part * time / 3:g}ms" for part in (3, 2, 1)]
    with tempfile.TemporaryDirectory() as folder:
        result = softfeb.compare(
            arguments.config,
            algorithms=arguments.algorithms,
            duration=time * 1e-3,
            set=settings,
            report=folder,
            pictures=False,
        )
        print(f"{result.title:24}" + "".join(f"{run.name:>12}" for run in result.runs))
        for member, label, factor in FIGURES:
            values = [run.raw[member] for run in result.runs]
            cells = ["-" if v is None else f"{v * factor:.4g}" for v in values]
            print(f"{label:24}" + "".join(f"{cell:>12}" for cell in cells))
        for run in result.runs:
            if run.error:
                print(f"{run.name}: {run.error}")
        reports = {
            run.name: softfeb.Report(Path(folder, run.name))
            for run in result.runs
            if not run.error
        }
        draw(reports, result.bottleneck, arguments.out)
    print(f"wrote {arguments.out}")


if __name__ == "__main__":
    main()
