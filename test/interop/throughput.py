#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures softfeb against the Soft-RoCE guest:  throughput.py --build DIR MODE [--runs N]

Prints a line for each path MTU and window: the median goodput of N runs, its range, the number of retransmitted packets, and the share of
time for which the worker was preempted. This is not a test.
"""

import argparse
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import softroce  # noqa: E402
from softfeb import CLOSED_LOOP, run_to_sink  # noqa: E402


def measure(lab, pmtu, window, runs):
    rates, again, stolen = [], 0, []
    for _ in range(runs):
        done, report = run_to_sink(lab, ["--memory", "8MiB"],
                                   {**CLOSED_LOOP, "qp.pmtu": pmtu, "qp.window_packets": window,
                                    "qp.ack_every": min(16, window), "run.messages": 1_000_000_000,
                                    "run.duration": "2s", "run.warmup": "500ms"})
        rates.append(done.json["goodput_gbps"])
        again += done.qp["retransmitted_packets"]
        stolen.append(sum(w["stolen_s"] for w in done.json["workers"]) / done.json["duration_s"])
    return statistics.median(rates), min(rates), max(rates), again, statistics.median(stolen)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=("tap", "vhostsrv"))
    p.add_argument("--build", required=True, type=lambda d: Path(d).resolve(), help="meson's build directory")
    p.add_argument("--runs", type=int, default=5)
    p.add_argument("--windows", type=int, nargs="+", default=[1, 16, 64, 256], help="packets on their way")
    a = p.parse_args()
    with softroce.start_guest(a.mode) as guest:
        lab = softroce.Lab(guest, a.build, a.build / "interop-logs" / f"{a.mode}-throughput")
        lab.dir.mkdir(parents=True, exist_ok=True)
        print("path      PMTU  window     Gb/s (least to most)    kpps  sent again  not run")
        for pmtu in (1024, 4096):
            for window in a.windows:
                median, least, most, again, stolen = measure(lab, pmtu, window, a.runs)
                print(f"{a.mode:<9} {pmtu:>4}  {window:>6}  {median:>7.3f} ({least:.3f} to {most:.3f})  "
                      f"{median * 1e6 / 8 / pmtu:>7.1f}  {again:>10}  {100 * stolen:>5.0f} %", flush=True)


if __name__ == "__main__":
    main()
