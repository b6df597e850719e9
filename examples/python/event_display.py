#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Display an event of a camera: its image, the waveforms of the brightest pixels, and latencies.

Without a file, the script first runs the camera of conf/lab/advcam.yaml in virtual time. The
event builder of this camera writes an event file (doc/events.md).

    examples/python/event_display.py                     # run the camera, show its brightest event
    examples/python/event_display.py run.h5 --event 17   # show an event of a file
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
import softfeb

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

CAMERA = Path(__file__).resolve().parents[2] / "conf/lab/advcam.yaml"


def record(config: Path, file: Path, duration_ms: float, boards: int) -> None:
    """Run the camera and write its events to a file."""
    settings = {"receivers.builder.events.out": str(file), "boards.feb.count": boards}
    result = softfeb.lab(config, duration=duration_ms * 1e-3, set=settings)
    events = result.receivers[0].events
    assert events is not None  # the receiver builds events
    print(f"{events.complete} of {events.triggers} events are complete")


def choose(events: softfeb.EventFile, number: int | None) -> softfeb.Event:
    """Return the event with this number or, if `number` is None, the brightest of 100 complete
    events."""
    if number is not None:
        found = [event for event in events if event.number == number]
        if not found:
            raise SystemExit(f"the file has no event {number}")
        return found[0]
    complete = [event for event in events if event.status == "complete"][:100]
    if not complete:
        raise SystemExit("the file has no complete event")
    return max(complete, key=lambda event: float(np.nanmax(events.charges(event))))


def draw(events: softfeb.EventFile, event: softfeb.Event, file: Path) -> None:
    """Draw the event."""
    figure, axes = plt.subplot_mosaic(
        [["image", "waveforms"], ["image", "latency"]],
        figsize=(11, 6),
        width_ratios=[3, 2],
        layout="constrained",
    )
    image = axes["image"]
    image.set_facecolor("0.85")
    picture = image.imshow(
        events.camera_image(event), origin="lower", cmap="inferno", interpolation="nearest"
    )
    figure.colorbar(picture, ax=image, label="charge (counts · ns)", shrink=0.8)
    image.set(xlabel="pixel (grey: no data)", ylabel="pixel")
    image.set_title(f"Event {event.number}, {event.boards} boards, {event.status}")

    waveforms, charges = events.waveforms(event), events.charges(event)
    order = np.argsort(np.nan_to_num(charges, nan=-np.inf), axis=None)[::-1][:3]
    for index in order:
        board, channel = divmod(int(index), charges.shape[1])
        axes["waveforms"].plot(
            waveforms[board, channel], lw=1.2, label=f"board {board}, channel {channel}"
        )
    axes["waveforms"].set(xlabel="sample (ns)", ylabel="counts", title="Brightest pixels")
    axes["waveforms"].legend(frameon=False, fontsize="small")

    latencies = [e.latency_ns * 1e-3 for e in events if e.latency_ns >= 0]
    axes["latency"].hist(latencies, bins=40, color="0.5")
    if event.latency_ns >= 0:
        axes["latency"].axvline(event.latency_ns * 1e-3, color="C3", label="this event")
        axes["latency"].legend(frameon=False, fontsize="small")
    axes["latency"].set(xlabel="trigger to complete event (µs)", ylabel="events")
    axes["latency"].set_title(f"Latency of {len(latencies)} events")
    figure.savefig(file, dpi=120, bbox_inches="tight")


def main() -> None:
    """Display an event."""
    parser = argparse.ArgumentParser(description="Displays an event of a camera.")
    parser.add_argument("file", nargs="?", type=Path, help="event file (default: run the camera)")
    parser.add_argument("--event", type=int, help="number of the event (default: the brightest)")
    parser.add_argument("--config", type=Path, default=CAMERA, help="camera that is run")
    parser.add_argument("--boards", type=int, default=143, help="boards of the camera that is run")
    parser.add_argument("--duration", type=float, default=10, help="ms to run the camera")
    parser.add_argument("--out", type=Path, default=Path("event.png"), help="picture")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = arguments.file or Path(folder, "events.h5")
        if arguments.file is None:
            record(arguments.config, file, arguments.duration, arguments.boards)
        with softfeb.EventFile(file) as events:
            event = choose(events, arguments.event)
            draw(events, event, arguments.out)
    print(f"event {event.number}: wrote {arguments.out}")


if __name__ == "__main__":
    main()
