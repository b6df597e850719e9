#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scan the trigger rate of a camera, and draw which rates its read-out can carry.

The camera is conf/lab/advcam.yaml: 143 boards answer each trigger, and one server with a 100 Gb/s
port builds the events. Each rate is a run in virtual time, so the results are the same on every
machine. Some triggers are lost in the dead time of the camera. Above a certain rate, the
boards become busy, because the port to the server is full.

    examples/python/rate_scan.py --rates 2 5 10 15 20 25 --out rate_scan.png
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import softfeb

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

CAMERA = Path(__file__).resolve().parents[2] / "conf/lab/advcam.yaml"
DEAD_TIME_S = 7e-6  # of the camera's trigger, as in the configuration


@dataclass
class Point:
    """The results at one trigger rate, in kHz and microseconds."""

    offered: float
    accepted: float
    complete: float
    busy: float
    p50: float
    p99: float


def measure(config: Path, rate_khz: float, boards: int, duration_ms: float) -> Point:
    """Run the camera at one rate."""
    source = {"kind": "random", "type": "subarray", "rate": f"{rate_khz * 1e3:.0f}Hz"}
    result = softfeb.lab(
        config,
        duration=duration_ms * 1e-3,
        set={"triggers.camera.sources": [source], "boards.feb.count": boards},
    )
    assert result.triggers is not None  # the configuration has triggers
    trigger = result.triggers[0]
    events = result.receivers[0].events
    assert events is not None
    seconds = result.duration_s
    return Point(
        offered=trigger.sources[0].candidates / seconds * 1e-3,
        accepted=trigger.accepted / seconds * 1e-3,
        complete=events.complete / seconds * 1e-3,
        busy=trigger.busy_share or 0.0,
        p50=events.latency.p50_us,
        p99=events.latency.p99_us,
    )


def draw(points: list[Point], file: Path) -> None:
    """Draw rates and latencies."""
    offered = [p.offered for p in points]
    figure, (rates, latency) = plt.subplots(
        2, 1, figsize=(7, 7), sharex=True, layout="constrained"
    )
    scale = [max(offered) * i / 100 for i in range(101)]
    expected = [rate / (1 + rate * 1e3 * DEAD_TIME_S) for rate in scale]
    rates.plot(scale, expected, "--", color="0.6", label="expected from the dead time alone")
    rates.plot(offered, [p.accepted for p in points], "o-", label="accepted triggers")
    rates.plot(offered, [p.complete for p in points], "x", color="k", label="complete events")
    rates.set(ylabel="rate (kHz)", ylim=(0, None), title="Trigger rate of the camera")
    rates.legend(loc="upper left", frameon=False)
    share = rates.twinx()
    share.fill_between(offered, [p.busy * 100 for p in points], color="C3", alpha=0.2, lw=0)
    share.set(ylim=(0, 100))
    share.set_ylabel("time with a busy board (%)", color="C3")
    latency.plot(offered, [p.p99 for p in points], "s-", color="C1", label="99th percentile")
    latency.plot(offered, [p.p50 for p in points], "o-", color="C0", label="median")
    latency.set(xlabel="offered rate (kHz)", ylabel="trigger to complete event (µs)")
    latency.set(yscale="log", xlim=(0, None))
    latency.legend(loc="upper left", frameon=False)
    figure.savefig(file, dpi=120)


def main() -> None:
    """Scan the rates that the command line gives."""
    parser = argparse.ArgumentParser(description="Scans the trigger rate of a camera.")
    parser.add_argument("--config", type=Path, default=CAMERA, help="camera (default: advcam)")
    parser.add_argument(
        "--rates",
        type=float,
        nargs="+",
        default=[2, 5, 8, 11, 14, 16, 17, 18, 19, 20, 22, 25],
        help="kHz",
    )
    parser.add_argument("--boards", type=int, default=143, help="number of boards")
    parser.add_argument("--duration", type=float, default=30, help="ms at each rate")
    parser.add_argument("--out", type=Path, default=Path("rate_scan.png"), help="picture")
    arguments = parser.parse_args()
    points = []
    print("offered kHz  accepted kHz  complete kHz  busy %  p50 us  p99 us")
    for rate in sorted(arguments.rates):
        p = measure(arguments.config, rate, arguments.boards, arguments.duration)
        print(
            f"{p.offered:11.2f}  {p.accepted:12.2f}  {p.complete:12.2f}  {p.busy * 100:6.1f}  "
            f"{p.p50:6.0f}  {p.p99:6.0f}",
            flush=True,
        )
        points.append(p)
    draw(points, arguments.out)
    print(f"wrote {arguments.out}")


if __name__ == "__main__":
    main()
