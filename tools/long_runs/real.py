# SPDX-License-Identifier: BSD-3-Clause
"""The long run in real time: an incast over rings, with slow control, the live page, a plug-in and faults."""

import contextlib
import http.client
import itertools
import json
import time
from pathlib import Path

import yaml

from . import clients, counters, plugin, process, program

CONFIG = Path(__file__).with_name("real.yaml")
INCREASES = ("10kb/s", "20kb/s", "40kb/s", "80kb/s")
CUTS = (0.05, 0.1, 0.2)
FRONT = {"feb-0": "127.0.77.1", "feb-1": "127.0.77.2"}


def changes(seconds, every=60):
    """Returns the section `changes`: parameters of DCQCN and of the plug-in, which change once a minute."""
    found = []
    for n, at in enumerate(range(every // 2, int(seconds), every)):
        found.append({"at": f"{at}s", "board": "feb", "dcqcn": {"algorithm": "firmware", "rai": INCREASES[n % len(INCREASES)]}})
        found.append({"at": f"{at + 5}s", "board": "plug", "congestion": {"plugin": "./equal.so", "cut": CUTS[n % len(CUTS)]}})
    return found


def prepare(folder, seconds):
    """Writes config.yaml, and compiles the plug-in that it uses."""
    folder.mkdir(parents=True, exist_ok=True)
    plugin.compile_tutorial(folder)
    # Append the section as text. If CONFIG were parsed and written again, a library for YAML 1.1
    # would read the keys `on` of rules as true.
    more = yaml.safe_dump({"changes": changes(seconds)}, sort_keys=False)
    (folder / "config.yaml").write_text(CONFIG.read_text(encoding="utf-8") + "\n" + more, encoding="utf-8")


class Soak:
    """A run, its clients and its samples."""

    def __init__(self, softfeb, folder, interval):
        self.folder, self.interval = folder, interval
        self.program = program.Program(softfeb, folder)
        self.counters = counters.Counters()
        self.missed = []
        self.rai, self.step = itertools.cycle(INCREASES), itertools.cycle(("50kb/s", "100kb/s", "200kb/s"))

    def connect(self):
        address = self.program.page()
        self.page = clients.Page(*address)
        self.wait_for_traffic()
        self.stream = clients.EventStream(*address)
        self.control = {board: clients.SlowControl(host) for board, host in FRONT.items()}
        for client in (self.stream, *self.control.values()):
            client.start()

    def wait_for_traffic(self, within=60):
        end = time.monotonic() + within
        while "running" not in self.page.request("/api/state")[0]:
            if self.program.ended() or time.monotonic() > end:
                raise program.Failed(f"softfeb does not begin to send:\n{self.program.tail()}")
            time.sleep(0.2)

    def read(self, row):
        """Reads /metrics and the figures of the clients into a row."""
        text, row.metrics_ms = self.page.request("/metrics")
        values = self.counters.read(text, row.t)
        row.progress = values.get("softfeb_traffic_seconds", 0)
        row.packets = int(counters.total(values, "softfeb_board_sent_packets_total"))
        row.retransmitted = int(counters.total(values, "softfeb_board_retransmitted_packets_total"))
        figures = [c.figures() for c in self.control.values()]
        row.slow_control_median_ms, row.slow_control_ms = (round(max(f[i] for f in figures), 3) for i in (0, 1))
        row.stream_gap_ms = round(self.stream.figures()[1], 3)
        row.metrics_ms = round(row.metrics_ms, 3)

    def use_page(self, number):
        """Opens the page's documents, and changes parameters on it now and then."""
        for path in ("/api/counters", "/api/links", "/api/state"):
            self.page.request(path)
        if number % 3 == 1:
            self.page.change("plug", step=next(self.step))
            self.page.change("feb-0", rai=next(self.rai))
        if number % 6 == 3:
            self.page.request("/")
            self.page.request("/api/history")

    def follow(self, seconds, say):
        """Takes samples until the time is over or softfeb ends."""
        began, number = time.monotonic(), 0
        record = process.Record(self.folder / "samples.csv")
        # After Ctrl-C, the run ends early. The checks then cover the time until Ctrl-C.
        with contextlib.closing(record), contextlib.suppress(KeyboardInterrupt):
            while time.monotonic() - began < seconds and not self.program.ended():
                # Descriptors are counted before the page gets requests, so only lasting connections are open.
                row = process.sample(self.program.pid, began)
                try:
                    self.read(row)
                    self.use_page(number)
                except (OSError, http.client.HTTPException) as error:
                    self.page.counts["lost_connections"] += 1
                    self.missed.append(f"{row.t:.0f} s: connection lost: {error}")
                except ValueError as error:
                    self.page.counts["wrong_answers"] += 1
                    self.missed.append(f"{row.t:.0f} s: wrong answer: {error}")
                record.add(row)
                say(row)
                number += 1
                time.sleep(max(0.0, min(number * self.interval, seconds) - (time.monotonic() - began)))
        return time.monotonic() - began

    def end(self, seconds):
        """Ends clients and softfeb, and writes run.json."""
        for client in (self.stream, *self.control.values()):
            client.stopping.set()
        for client in (self.stream, *self.control.values()):
            client.stop()
        early = self.program.ended()
        status = self.program.interrupt()
        everyone = {"page": self.page, "event stream": self.stream, **{f"slow control of {b}": c for b, c in self.control.items()}}
        run = {"kind": "real", "seconds": round(seconds, 1), "interval": self.interval, "status": status, "ended_early": early,
               "counters": {"watched": self.counters.watched, "readings": self.counters.readings, "wrong": self.counters.wrong},
               "clients": {n: c.counts for n, c in everyone.items()},
               "problems": self.missed + [f"{n}: {p}" for n, c in everyone.items() for p in getattr(c, "problems", [])]}
        (self.folder / "run.json").write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")


def run(softfeb, folder, seconds, interval, say):
    """Runs softfeb, and records the run in a folder. Raises program.Failed if softfeb fails."""
    prepare(folder, seconds)
    soak = Soak(softfeb, folder, interval)
    try:
        soak.connect()
        soak.end(soak.follow(seconds, say))
    finally:
        soak.program.kill()
