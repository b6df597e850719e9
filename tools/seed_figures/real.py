# SPDX-License-Identifier: BSD-3-Clause
"""Figures in real time (--real), which depend on this machine. No check depends on them."""

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import rows
from .runs import Failed

RDMA = Path("/sys/class/infiniband")
SIZES = ("64B", "256B", "1KiB")


class Unavailable(Exception):
    """Raised if this machine cannot measure a figure. The text gives the reason."""


@dataclass(frozen=True)
class RealRow:
    seed: str
    name: str
    expected: str
    measure: object  # function that takes the path of softfeb; returns the measured value as text, or raises Unavailable


def run(softfeb, file, *overrides):
    """Runs conf/lab/FILE.yaml in real time, and returns the result."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "result.json"
        command = [softfeb, "lab", "--quiet", "-c", rows.CONF / f"{file}.yaml", "--json", target, "--set", "run.web=off"]
        for text in overrides:
            command += ["--set", text]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 3:  # the environment lacks something
            raise Unavailable(done.stderr.strip().splitlines()[0])
        if done.returncode not in (0, 1) or not target.exists():
            raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr.strip()}")
        return json.loads(target.read_text())


def notification(softfeb):
    """Returns, for each message size, the median time in us from the port's receive burst to the notification."""
    found = []
    for size in SIZES:
        # At this rate, one core keeps up, so that the measured times do not include waiting times in queues.
        result = run(softfeb, "seed004-latency", f"boards.nanet.qps.0.traffic.message_size={size}",
                     "boards.nanet.qps.0.traffic.rate=100kmsg/s", "run.duration=2s", "latency.sample=1")
        found.append(rows.stage(result, "received", "notified")["p50"] / 1000)
    return ", ".join(f"{v:.2f}" for v in found)


def needs_rdma(_softfeb):
    devices = sorted(d.name for d in RDMA.iterdir()) if RDMA.exists() else []
    if not devices:
        raise Unavailable("not measured: this machine has no RDMA device on which rdma-sink could receive; tools/softroce-vm boots a "
                          "guest that has one")
    raise Unavailable(f"not measured by this tool: start rdma-sink on {', '.join(devices)} and send to it with softfeb run "
                      "(doc/rdma-sink.md); its report has the figures")


ROWS = (
    RealRow(rows.NANET, "Fig. 7: from receive burst to notification with 64 B, 256 B and 1 KiB, median (µs)", "< 1", notification),
    RealRow(rows.THESIS, "Tab. 5.1: CPU time by message size, RoCE and UDP", "reported", needs_rdma),
    RealRow(rows.THESIS, "Tab. 5.6: shared receive queue (rdma-sink --srq)", "reported", needs_rdma),
    RealRow(rows.THESIS, "Fig. 5.3: solicited events (rdma-sink --solicited)", "reported", needs_rdma),
)


def table(softfeb):
    lines = ["| system | figure in real time | expected | ours |", "|---|---|---|---|"]
    for row in ROWS:
        try:
            ours = row.measure(softfeb)
        except Unavailable as reason:
            ours = str(reason)
        lines.append(f"| {row.seed} | {row.name} | {row.expected} | {ours} |")
    return "\n".join(lines)
