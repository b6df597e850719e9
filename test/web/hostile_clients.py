#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the live page and slow control with hostile clients (doc/security.md). During each attack, honest clients are served, boards keep
their rate, and memory and file descriptors stay bounded."""

import contextlib
import http.client
import json
import os
import random
import resource
import socket
import struct
import threading
import time

import live
import srp_client
from live import harness

SCRATCH = 0x00000004
RATE = 20e6  # in bits of payload per second; low enough for a busy machine
# Lowest rate during an attack, as a share of the rate before the attack. The limit is below 1,
# because a sample of the page is up to 0.1 s old, which is a sixth of the duration of an attack.
LEAST_SHARE = 0.7
SERVED = 64 + 1  # connections that the page serves or refuses at the same time (HttpLimits)
MEMORY = 48  # in megabytes; limit for the increase of memory during an attack
ATTACK = float(os.environ.get("SOFTFEB_ATTACK_SECONDS", "0.6"))  # duration of each attack in seconds
THOROUGH = ATTACK > 1
PATIENCE = 15  # seconds within which an honest client must be served, on a machine that also runs other tests


def setUpModule():
    harness.own_network()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def paced_board():
    """Returns the configuration of a board that sends at RATE over a ring and has slow control."""
    one = live.congested(boards=1)
    one["boards"][0].pop("dcqcn")
    one["boards"][0]["qps"][0]["traffic"] = {"message_size": "16KiB", "rate": f"{RATE / 1e6:.0f}Mb/s", "verb": "write_imm",
                                              "immediate": "counter"}
    # with UC, the rate does not depend on how soon a busy receiver answers
    one["boards"][0]["qps"][0]["transport"] = "UC"
    one["ports"][0].pop("faults")
    one["boards"][0]["control"]["max_connects_per_second"] = 20
    return one


class Sockets:
    """Sockets of an attacker, which are closed when the attack ends. Because of SO_LINGER, closed sockets
    leave nothing behind in the kernel."""

    def __init__(self, port):
        self.port, self.all = port, []

    def connect(self):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.settimeout(5)
        self.all.append(s)
        try:
            s.connect(("127.0.0.1", self.port))
        except OSError:
            return None
        s.setblocking(False)
        return s

    def close(self):
        for s in self.all:
            s.close()
        self.all.clear()


def send(s, data):
    """Sends as many bytes as the kernel accepts. Returns False if the server has closed the connection."""
    if s is None:
        return False
    try:
        s.send(data)
        return True
    except BlockingIOError:
        return True
    except OSError:
        return False


@contextlib.contextmanager
def attack(act):
    """Calls `act(stop)` in a thread during the block. An exception in the thread fails the test."""
    stop, failed = threading.Event(), []

    def run():
        try:
            act(stop)
        except BaseException as error:  # pylint: disable=broad-except
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    if failed:
        raise failed[0]


class HostileClients(live.Served):
    def setUp(self):
        super().setUp()
        config = paced_board()
        self.control_port = config["boards"][0]["control"]["registers_port"]
        self.run_ = self.serve(config)
        self.pid = self.run_.process.pid
        self.prefer()
        self.idle_descriptors, self.most_fds, self.most_memory = descriptors(self.pid), 0, 0
        self.quiet_rate, _ = self.measure()

    def prefer(self):
        """Gives softfeb's threads priority over the attackers, which may need all CPUs of this machine. The
        test then shows whether softfeb's own work for the attackers delays packets, and not whether the
        machine has enough CPUs."""
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with contextlib.suppress(PermissionError):
                os.setpriority(os.PRIO_PROCESS, int(thread), -15)

    def measure(self, honest=lambda: None):
        """Makes honest requests for the duration of an attack. Returns the rate at which the receiver gets
        payload, in bits per second, and the number of requests."""
        begun, first, served = time.monotonic(), self.sent_bytes(), 0
        while time.monotonic() < begun + ATTACK or served < 3:
            honest()
            last, ended = self.sent_bytes(), time.monotonic()
            served += 1
            self.most_fds = max(self.most_fds, descriptors(self.pid))
            self.most_memory = max(self.most_memory, resident(self.pid))
            time.sleep(0.01)
        return 8 * (last - first) / (ended - begun), served

    def sent_bytes(self):
        """Returns the number of payload bytes that the receiver has got. Reads the number from
        /metrics, as an honest client would."""
        begun = time.monotonic()
        # Honest clients use a different address than the attackers, as they would in a network.
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE, source_address=("127.0.0.2", 0))
        with contextlib.closing(connection):
            connection.request("GET", "/metrics")
            answer = connection.getresponse()
            status, text = answer.status, answer.read().decode()
        self.assertEqual(status, 200, text)
        self.assertLess(time.monotonic() - begun, PATIENCE)
        for line in text.split("\n"):
            if line.startswith('softfeb_receiver_payload_bytes_total{receiver="daq"}'):
                return float(line.split()[-1])
        raise AssertionError(text)

    def check_while(self, name, act, honest=lambda: None):
        """Attacks for a while, and checks that honest clients and boards are unaffected."""
        with self.subTest(name):
            before = resident(self.pid)
            self.most_fds, self.most_memory = 0, before
            # Other programs on this machine also delay packets, but seldom three times in a row.
            for _ in range(3):
                with attack(act):
                    rate, served = self.measure(honest)
                if rate > LEAST_SHARE * self.quiet_rate:
                    break
            grown = (self.most_memory - before) / 1e6
            print(f"{name}: {served} honest requests, {rate / self.quiet_rate:.2f} of the rate before, {self.most_fds} descriptors, "
                  f"+{grown:.1f} MB", flush=True)
            self.assertLessEqual(self.most_fds, self.idle_descriptors + SERVED + 2)
            self.assertLess(grown, MEMORY)
            self.assertGreater(rate, LEAST_SHARE * self.quiet_rate, "bits per second")

    def test_the_page(self):
        for name, act in (("slow requests", self.slow_requests), ("thousands of connections", self.many_connections),
                          ("half-open connections", self.half_open), ("long headers", self.long_headers),
                          ("endless bodies", self.endless_bodies), ("clients that never read", self.never_read),
                          ("streams that nobody reads", self.unread_streams), ("pipelined requests", self.pipelined)):
            self.check_while(name, act)
        self.assertIsNone(self.run_.process.poll())
        live.wait_for("the descriptors to be freed", lambda: descriptors(self.pid) <= self.idle_descriptors + 4)

    def slow_requests(self, stop):
        """Slow-loris: each of many clients occasionally sends one byte of a header."""
        sockets = Sockets(self.port)
        while not stop.wait(0.02):
            for _ in range(20):
                send(sockets.connect(), b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
            for s in sockets.all:
                send(s, b"x")
            if len(sockets.all) > 600:
                sockets.close()
        sockets.close()

    def many_connections(self, stop):
        sockets = Sockets(self.port)
        while not stop.is_set():
            for _ in range(200):
                sockets.connect()
            if len(sockets.all) >= 4000:
                sockets.close()
        print(f"  {len(sockets.all)} connections at the end")
        sockets.close()

    def half_open(self, stop):
        sockets = Sockets(self.port)
        while not stop.wait(0.01):
            for _ in range(50):
                s = sockets.connect()
                send(s, b"GET / HT")
                with contextlib.suppress(OSError, AttributeError):
                    s.shutdown(socket.SHUT_WR)
            if len(sockets.all) > 2000:
                sockets.close()
        sockets.close()

    def long_headers(self, stop):
        sockets = Sockets(self.port)
        while not stop.is_set():
            s = sockets.connect()
            send(s, b"GET / HTTP/1.1\r\nHost: localhost\r\n")
            for _ in range(100):
                if not send(s, b"X: " + b"x" * 16000):
                    break
            if len(sockets.all) > 100:
                sockets.close()
        sockets.close()

    def endless_bodies(self, stop):
        """Requests whose bodies are shorter than announced or longer than the limit, or consist of chunks
        without end."""
        head = b"POST /api/dcqcn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        sockets = Sockets(self.port)
        while not stop.is_set():
            for fields, part in ((b"Content-Length: 16000\r\n\r\n", b"{"), (b"Content-Length: 99999999999\r\n\r\n", b"[" * 4000),
                                 (b"Transfer-Encoding: chunked\r\n\r\n", b"fa0\r\n" + b"[" * 4000 + b"\r\n")):
                s = sockets.connect()
                send(s, head + fields)
                for _ in range(50):
                    if not send(s, part):
                        break
            if len(sockets.all) > 300:
                sockets.close()
        sockets.close()

    def never_read(self, stop):
        """Clients that request the largest documents and read nothing."""
        sockets = Sockets(self.port)
        request = b"".join(f"GET {p} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
                           for p in ("/api/history", "/metrics", "/page.js", "/chart.js")) * 20
        while not stop.wait(0.05):
            for _ in range(10):
                send(sockets.connect(), request)
            if len(sockets.all) > 400:
                sockets.close()
        sockets.close()

    def unread_streams(self, stop):
        sockets = Sockets(self.port)
        for _ in range(60):
            send(sockets.connect(), b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        stop.wait()
        sockets.close()

    def pipelined(self, stop):
        sockets = Sockets(self.port)
        s = sockets.connect()
        while not stop.is_set():
            if not send(s, b"GET /api/state HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100):
                s = sockets.connect()
            with contextlib.suppress(OSError, AttributeError):
                s.recv(1 << 20)
        sockets.close()

    def raw(self, text):
        """Sends `text` unchanged. Returns the status of the response, or 0 if the server does not respond."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as s:
            s.sendall(text if isinstance(text, bytes) else text.encode())
            answer = s.recv(65536)
        return int(answer.split(b" ")[1]) if answer.startswith(b"HTTP/1.1 ") else 0

    def test_requests_that_must_be_refused(self):
        get, post = "GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", "POST /api/dcqcn HTTP/1.1\r\nHost: {}\r\n{}Content-Length: 2\r\n\r\n{{}}"
        as_json = "Content-Type: application/json\r\n"
        for text, status in (
                # Host names that may belong to an attacker (DNS rebinding)
                ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421), ("GET / HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", 421),
                ("GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example:8080\r\n\r\n", 421), ("GET / HTTP/1.1\r\n\r\n", 421),
                ("GET / HTTP/1.1\r\nHost: localhost:99999999\r\n\r\n", 421), ("GET http://evil.example/ HTTP/1.1\r\nHost:\r\n\r\n", 421),
                # Pages of other sites
                (post.format("localhost", as_json + "Origin: http://evil.example\r\n"), 403),
                (post.format("localhost", as_json + "Origin: null\r\n"), 403),
                (post.format("localhost", as_json + "Origin: http://localhost.evil\r\n"), 403),
                (post.format("localhost", as_json + "Sec-Fetch-Site: cross-site\r\n"), 403),
                (post.format("localhost", as_json + "Sec-Fetch-Site: same-site\r\n"), 403),
                (post.format("localhost", "Content-Type: text/plain\r\n"), 415),
                (post.format("localhost", "Content-Type: application/x-www-form-urlencoded\r\n"), 415),
                (post.format("localhost", ""), 415),
                # Methods
                *((f"{m} / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405) for m in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH")),
                ("POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", 405),
                # Paths outside the page
                *((get.format(p), 404) for p in ("/../../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
                                                 "/page.css/../../x", "//etc/passwd", "/page.css%00", "/api/dcqcn/..%2f..", "/api/dcqcn/%zz",
                                                 "/.git/config", "/api/dcqcn/" + "a" * 4000)),
                # Data that is not HTTP
                ("nonsense\r\n\r\n", 400), ("GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400), ("GET /\r\n\r\n", 400),
                ("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),  # TLS
                ("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", 400),
                ("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
                ("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
                ("GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: localhost\r\nA\0b: c\r\n\r\n", 400),
                # Headers, paths and bodies that are too long
                ("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "x" * 9000 + "\r\n\r\n", 431), ("GET /" + "a" * 20000, 431),
                ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n{", 413),
        ):
            with self.subTest(text[:80]):
                self.assertEqual(self.raw(text), status)
        nested = "[" * 16000
        self.assertEqual(self.raw(f"POST /api/dcqcn HTTP/1.1\r\nHost: localhost\r\n{as_json}Content-Length: {len(nested)}\r\n\r\n{nested}"), 400)
        self.assertEqual(self.state(), "running")

    # -- slow control

    def syn_flood(self, stop):
        """Sends SYNs from more clients than the board answers."""
        syn = bytearray(struct.pack("!BBBBBBHHHHBBBBI", 0x80, 24, 1, 0, 0x1C, 32, 1464, 20, 5, 1000, 15, 2, 0, 3, 0))
        syn += struct.pack("!H", srp_client.checksum(bytes(syn) + b"\0\0"))
        self.flood(stop, lambda generator: bytes(syn))

    def forged_flood(self, stop):
        """Sends garbage, and segments that have valid headers but belong to no connection."""

        def datagram(generator):
            if generator.random() < 0.5:
                return generator.randbytes(generator.randrange(0, 1400))
            header = bytes([generator.choice([0x40, 0x50, 0x10, 0x48, 0xC0]), 8]) + generator.randbytes(4)
            return header + struct.pack("!H", srp_client.checksum(header + b"\0\0")) + generator.randbytes(64)

        self.flood(stop, datagram)

    def flood(self, stop, datagram):
        generator = random.Random(22)
        sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(200)]
        count = 0
        while not stop.wait(0.001):
            for s in generator.sample(sockets, 20):
                with contextlib.suppress(OSError):
                    s.sendto(datagram(generator), ("127.0.0.1", self.control_port))
                    count += 1
        print(f"  {count} datagrams")
        for s in sockets:
            s.close()

    def test_slow_control(self):
        with srp_client.Srp(port=self.control_port) as srp:
            srp.set(SCRATCH, 22)
            for name, act in (("SYNs", self.syn_flood), ("forged segments", self.forged_flood)):
                self.check_while(name + ", with a connection", act, lambda: self.assertEqual(srp.get(SCRATCH), 22))

        def connect():
            end = time.monotonic() + PATIENCE
            while True:
                try:
                    with srp_client.Srp(port=self.control_port, open_within=1) as other:
                        return self.assertEqual(other.get(SCRATCH), 22)
                except srp_client.Closed:
                    self.assertLess(time.monotonic(), end, "a client could not connect")

        self.check_while("forged segments, while clients connect", self.forged_flood, connect)
        # During a flood of SYNs, a client may have to wait until the flood ends (doc/security.md).
        with attack(self.syn_flood):
            time.sleep(ATTACK)
        connect()
        self.assertIsNone(self.run_.process.poll())



class HostilePeers(harness.TestCase):
    """Receivers whose TCP exchange is hostile. softfeb must end with an error that names the peer."""

    WELCOME = {"version": 1, "ip": "10.0.0.2", "mac": "02:00:00:00:00:02", "slots": 16,
               "qps": [{"qpn": 17, "psn": 0, "rkey": 1, "address": 0, "length": 1 << 20}]}

    def peer(self, *answers):
        """Serves one client. Sends an answer after each line, or immediately if the client does not speak
        first. Returns the address."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        listener.settimeout(harness.LIMIT)

        def serve():
            with contextlib.suppress(OSError), listener.accept()[0] as link:
                link.settimeout(harness.LIMIT)
                for answer in answers:
                    link.recv(1 << 16)
                    link.sendall(answer)
                if answers[-1].endswith(b"\n"):
                    link.recv(1 << 16)

        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        return f"127.0.0.1:{listener.getsockname()[1]}"

    def ends(self, url, statuses, limit_mb=400):
        """Runs softfeb with this peer. Checks its exit status, its message and its memory."""
        traffic = {"message_size": "4KiB", "messages": 3}
        config = harness.ring([harness.board(harness.qp(to=url, traffic=traffic, transport="RC" if url.startswith("perftest") else "UC"))], [])
        begun = time.monotonic()
        run = self.start(config, "-q", prefix=["/usr/bin/time", "-f", "resident %M"] if os.path.exists("/usr/bin/time") else [])
        ended = run.finish()
        self.assertIn(ended.status, statuses, ended.err[-1500:])
        self.assertLess(time.monotonic() - begun, harness.LIMIT)
        if "resident " in ended.err:
            self.assertLess(int(ended.err.rsplit("resident ", 1)[1]) / 1000, limit_mb)
        return ended

    def test_a_sink_that_answers_anything(self):
        welcome = json.dumps(self.WELCOME).encode() + b"\n"
        for name, answers in (("garbage", [b"\0\xff\xfe garbage\n"]), ("no object", [b"[1, 2]\n"]), ("no line", [b"{"]),
                              ("nothing", [b"\n"]), ("nested", [b"[" * 1_000_000 + b"]" * 1_000_000 + b"\n"]),
                              ("nested member", [welcome[:-2] + b', "x": ' + b"[" * 500_000 + b"]" * 500_000 + b"}\n"]),
                              ("numbers", [welcome.replace(b"17", b"1e999")]), ("negative", [welcome.replace(b"17", b"-17")]),
                              ("too many", [json.dumps({**self.WELCOME, "qps": self.WELCOME["qps"] * 10000}).encode() + b"\n"]),
                              ("other version", [welcome.replace(b'"version": 1', b'"version": 65535')]),
                              ("error", [b'{"error": "\\u001b[31mred\\u0000"}\n'])):
            if not THOROUGH and name not in ("garbage", "nested member", "too many", "error"):
                continue
            with self.subTest(name):
                run = self.ends("sink://" + self.peer(*answers), (1, 2, 3))
                self.assertIn("sink://127.0.0.1:", run.err)
                self.assertNotIn("\x1b", run.err)

    def test_a_sink_with_a_hostile_report(self):
        welcome = json.dumps(self.WELCOME).encode() + b"\n"
        for name, report in (("garbage", b"\xff\n"), ("nested", b'{"held": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}\n"),
                             ("wrong types", b'{"held": [], "qps": {"a": 1}, "problems": 7, "goodput_gbps": "x"}\n')):
            with self.subTest(name):
                self.ends("sink://" + self.peer(welcome, report), (0, 1, 2, 3))

    def test_a_sink_whose_line_does_not_end(self):
        self.ends("sink://" + self.peer(b"[" * (80 << 20)), (1,))

    def test_a_perftest_that_answers_anything(self):
        for name, answers in (("garbage", [b"\xff" * 64]), ("version", [b"999.99".ljust(16, b"\0")]), ("text", [b"HTTP/1.1 400 Bad\r\n\r\n"]),
                              ("keys", [b"6.06".ljust(16, b"\0"), b"\xff" * 4, b"\xff" * 4, b"9\0", b"z" * 108])):
            with self.subTest(name):
                run = self.ends("perftest://" + self.peer(*answers), (1, 2, 3))
                self.assertIn("perftest://127.0.0.1:", run.err)


if __name__ == "__main__":
    harness.main()
