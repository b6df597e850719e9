# SPDX-License-Identifier: BSD-3-Clause
"""Shared code of the tests of the live page: starts a run that serves the page, and sends requests to the
page."""

import http.client
import json
import socket
import sys
import time
from pathlib import Path

for folder in ("smoke", "support"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))
import harness  # noqa: E402
from free_ports import free_port  # noqa: E402

WAIT = 60  # seconds; a step takes about one second if the machine is not busy


def wait_for(what, condition, seconds=WAIT):
    """Waits until `condition` returns a true value, and returns this value."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"after {seconds} s still not: {what}"
        time.sleep(0.1)


def congested(boards=2, **run):
    """Returns a configuration with boards that send over a ring, where packets are CE-marked. Only feb0 serves registers."""
    dcqcn = {"algorithm": "firmware", "line_rate": "200Mb/s", "bucket": "64KiB"}
    traffic = {"message_size": "64KiB"}
    first = harness.board(harness.qp(traffic=traffic), name="feb0", ip="10.0.0.1/16", dcqcn=dcqcn,
                          control={"listen": "127.0.0.1", "registers_port": free_port(socket.SOCK_DGRAM),
                                   "stream_port": free_port(socket.SOCK_DGRAM)})
    rest = [harness.board(harness.qp(traffic=traffic), name=f"feb{i}", ip=f"10.0.1.{i}/16", dcqcn=dcqcn)
            for i in range(1, boards)]
    config = harness.ring([first, *rest], [harness.receiver(ip="10.0.0.200/16", memory="64KiB")], feb={"faults": {"tx_mark_ce": "5%"}}, **run)
    return config


def swift(boards=2):
    """Returns a configuration with boards that use Swift (RTT, target delay and window). A QP of the last board uses TIMELY."""
    traffic = {"message_size": "64KiB", "rate": "100Mb/s"}
    many = [harness.board(harness.qp(traffic=traffic), name=f"feb{i}", ip=f"10.0.1.{i + 1}/16",
                          congestion={"algorithm": "swift", "base_target": "10ms"})  # a long delay, because workers sleep when idle
            for i in range(boards)]
    many[-1]["qps"].append(harness.qp(traffic=traffic, congestion="timely"))
    return harness.ring(many, [harness.receiver(ip="10.0.0.200/16", memory="64KiB")])


def camera(boards=143):
    """Returns a configuration with many boards, which send at low rates."""
    traffic = {"message_size": "4KiB", "rate": "500kb/s"}
    many = harness.board(harness.qp(traffic=traffic), name="feb", ip="10.0.0.1/16", count=boards,
                         dcqcn={"algorithm": "firmware", "line_rate": "1Mb/s", "rmin": "1Mb/s"})
    return harness.ring([many], [harness.receiver(ip="10.0.2.200/16", memory="64KiB")])


class Served(harness.TestCase):
    def serve(self, config, *args, port=None):
        """Starts softfeb and waits until it takes samples."""
        self.port = port or free_port()
        path = self.config(config)
        softfeb = harness.Softfeb(["run", "-c", str(path), "--web", f"127.0.0.1:{self.port}", "-q", *args], self.dir)
        self.addCleanup(self.stop, softfeb)
        wait_for("samples", lambda: self.sampled(softfeb))
        return softfeb

    def serve_lab(self, topology, *args, port=None):
        """Starts a lab in real time and waits until it takes samples."""
        self.port = port or free_port()
        softfeb = harness.Softfeb(["lab", "-c", str(topology), "--web", f"127.0.0.1:{self.port}", *args], self.dir)
        self.addCleanup(self.stop, softfeb)
        wait_for("samples", lambda: self.sampled(softfeb))
        return softfeb

    def state(self):
        return self.get("/api/state")["state"]

    def sampled(self, softfeb):
        assert softfeb.process.poll() is None, softfeb.process.communicate()
        try:
            return len(json.loads(self.ask("GET", "/api/history")[2])) > 2
        except OSError:
            return False

    @staticmethod
    def stop(softfeb):
        if softfeb.process.poll() is None:
            softfeb.signal()
            softfeb.finish()

    def ask(self, method, path, body=None, **headers):
        """Sends a request. Returns (status, header fields, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def get(self, path):
        status, _, body = self.ask("GET", path)
        self.assertEqual(status, 200, body)
        return json.loads(body)

    def change(self, status=200, **body):
        got, _, text = self.ask("POST", "/api/dcqcn", json.dumps(body), Content_Type="application/json")
        self.assertEqual(got, status, text)
        return json.loads(text)
