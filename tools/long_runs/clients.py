# SPDX-License-Identifier: BSD-3-Clause
"""Clients that use softfeb while it runs: slow control, and the live page."""

import http.client
import json
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "test/smoke"))

import srp_client  # noqa: E402

SCRATCH = 0x00000004
COMPLETED, WRONG = srp_client.CHECKER + 0xF00, srp_client.CHECKER + 0xF04


class Client(threading.Thread):
    """A client in a thread of its own. Repeats turn() until the client is stopped, and counts the results."""

    def __init__(self, **counts):
        super().__init__(daemon=True)
        self.stopping = threading.Event()
        self.counts = counts
        self.problems = []
        self._figures, self._lock = [], threading.Lock()

    def note(self, milliseconds):
        with self._lock:
            self._figures.append(milliseconds)

    def figures(self):
        """Returns the median and the maximum (ms) of the times noted since the previous call."""
        with self._lock:
            taken, self._figures = self._figures, []
        return (statistics.median(taken), max(taken)) if taken else (0.0, 0.0)

    def problem(self, text):
        if len(self.problems) < 100:
            self.problems.append(f"{time.strftime('%H:%M:%S')} {text}")

    def run(self):
        while not self.stopping.is_set():
            try:
                self.turn()
            except (srp_client.Closed, TimeoutError, OSError, http.client.HTTPException) as error:
                # A busy machine may not answer in time. The client connects again, as a real client does.
                self.counts["lost_connections"] += 1
                self.problem(f"connection lost: {type(error).__name__} {error}")
                self.stopping.wait(1)
            except (AssertionError, srp_client.BusError, ValueError) as error:
                self.counts["wrong_answers"] += 1
                self.problem(f"wrong answer: {type(error).__name__} {error}")
                self.stopping.wait(1)

    def stop(self):
        self.stopping.set()
        self.join(30)


class SlowControl(Client):
    """Reads and writes registers of a board, creates queue pairs and sends bursts, and connects again now and then."""

    CONNECTION, FIRST_BURST, BURST, PAUSE = 45, 3, 20, 0.2
    """in seconds: duration of a connection, time until its first burst, between two bursts, and between two accesses"""

    def __init__(self, host):
        super().__init__(connections=0, accesses=0, bursts=0, messages=0, lost_connections=0, wrong_answers=0)
        self.host, self.value = host, 0

    def access(self, what):
        began = time.monotonic()
        result = what()
        self.note((time.monotonic() - began) * 1e3)
        self.counts["accesses"] += 1
        return result

    def turn(self):
        with srp_client.Srp(self.host) as srp:
            self.counts["connections"] += 1
            end, burst = time.monotonic() + self.CONNECTION, time.monotonic() + self.FIRST_BURST
            while time.monotonic() < end and not self.stopping.is_set():
                self.value = self.value + 0x9E3779B1 & 0xFFFFFFFF
                self.access(lambda: srp.write(SCRATCH, self.value.to_bytes(4, "little")))
                got = self.access(lambda: srp.get(SCRATCH))
                assert got == self.value, f"the scratch pad reads {got:#x}, not {self.value:#x}"
                if time.monotonic() >= burst:
                    self.burst(srp)
                    burst = time.monotonic() + self.BURST
                srp.link.pump(self.PAUSE)

    def burst(self, srp, messages=16, length=4096):
        """Creates a queue pair through the registers, lets the board send a burst, and removes the queue pair."""
        before, wrong = srp.get(COMPLETED), srp.get(WRONG)
        verbs = srp_client.Verbs(srp)
        session = verbs.connect(0x11, 0x123456, 0x654321, length * 16, retry=7)  # on a busy machine, answers may be late
        try:
            srp_client.dispatch(srp, length, messages, 0x1234, 0x7F0000000000, 16, 0x11, session[1])
            end = time.monotonic() + 20
            while srp.get(COMPLETED) < before + messages and time.monotonic() < end:
                srp.link.pump(0.05)
            completed = srp.get(COMPLETED) - before
            assert completed == messages and srp.get(WRONG) == wrong, f"{completed} of {messages} messages of a burst completed"
        finally:
            verbs.disconnect(*session)
        self.counts["bursts"] += 1
        self.counts["messages"] += completed


class EventStream(Client):
    """Reads the page's event stream as a browser does. Connects again every few minutes."""

    CONNECTION = 600

    def __init__(self, host, port):
        super().__init__(connections=0, samples=0, lost_connections=0, wrong_answers=0)
        self.address = host, port

    def turn(self):
        link = http.client.HTTPConnection(*self.address, timeout=20)
        try:
            link.request("GET", "/events", headers={"Accept": "text/event-stream"})
            answer = link.getresponse()
            assert answer.status == 200, f"/events answers {answer.status}"
            self.counts["connections"] += 1
            self.follow(answer, time.monotonic() + self.CONNECTION)
        finally:
            link.close()

    def follow(self, answer, end):
        kind, t, last = "", -1.0, time.monotonic()
        while time.monotonic() < end and not self.stopping.is_set():
            line = answer.readline()
            if not line:
                raise http.client.RemoteDisconnected("the stream ended")
            if line.startswith(b"event:"):
                kind = line[6:].strip().decode()
            elif line.startswith(b"data:") and kind == "sample":
                now, sample = time.monotonic(), json.loads(line[5:])
                assert sample["t"] > t, f"a sample of {sample['t']} s follows one of {t} s"
                self.note((now - last) * 1e3)
                t, last = sample["t"], now
                self.counts["samples"] += 1


class Page:
    """Short requests to the page, each on a connection of its own."""

    def __init__(self, host, port):
        self.address = host, port
        self.counts = {"requests": 0, "changes": 0, "lost_connections": 0, "wrong_answers": 0}

    def request(self, path, body=None):
        """Returns the answer's text and the milliseconds that it took."""
        began = time.monotonic()
        link = http.client.HTTPConnection(*self.address, timeout=20)
        try:
            headers = {"Content-Type": "application/json"} if body else {}
            link.request("POST" if body else "GET", path, json.dumps(body) if body else None, headers)
            answer = link.getresponse()
            text = answer.read().decode()
        finally:
            link.close()
        self.counts["requests"] += 1
        if answer.status != 200:
            raise ValueError(f"{path} answers {answer.status}: {text[:300]}")
        return text, (time.monotonic() - began) * 1e3

    def change(self, board, **parameters):
        self.request("/api/dcqcn", {"board": board, "qps": "all", "set": parameters})
        self.counts["changes"] += 1
