# SPDX-License-Identifier: BSD-3-Clause
"""Tests softfeb as a service. softfeb must tell the service manager when it is ready and
when it ends, and regularly that it still works. Its lines in the journal must have levels. After
SIGKILL, it must start again with the same configuration."""

import ctypes
import json
import os
import re
import resource
import signal
import socket
import subprocess
import time
import unittest
import urllib.request
from pathlib import Path

import harness
from harness import board, qp, receiver, ring

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 0x40000
# The ports are not the default ones, so that other tests may run at the same time.
CONTROL = {"listen": "127.0.0.1", "registers_port": 18475, "stream_port": 18476}
LIBC = ctypes.CDLL(None, use_errno=True)


class Manager:
    """Stands in for systemd: receives the notifications of a service of Type=notify."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.seen = []  # (time, line) for each line of the notifications

    def listen(self, seconds):
        """Receives notifications for `seconds`."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                text = self.socket.recv(4096).decode()
            except TimeoutError:
                return
            self.seen += [(time.monotonic(), line) for line in text.splitlines()]

    def lines(self):
        return [line for _, line in self.seen]

    def wait_for(self, line, limit=harness.LIMIT):
        end = time.monotonic() + limit
        while line not in self.lines():
            if time.monotonic() > end:
                raise AssertionError(f"no {line} within {limit} s, only {self.lines()[-20:]}")
            self.listen(0.1)


def small(**keys):
    """A board that sends slowly to a receiver, and serves registers and metrics."""
    config = ring([board(qp(traffic={"rate": "10Mb/s"}, **harness.PATIENT), control=CONTROL)], [receiver()], **keys)
    config["run"]["web"] = "127.0.0.1:18474"
    return config


class Service(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.count = 0

    def start_service(self, config, *args, environment=(), stderr=None, prefix=()):
        """Starts softfeb as a service. Returns the process and the Manager that receives its
        notifications."""
        self.count += 1
        manager = Manager(self.dir / f"notify{self.count}")
        self.addCleanup(manager.socket.close)
        with open(self.dir / f"log{self.count}", "w") as log:
            process = subprocess.Popen(
                [*prefix, harness.SOFTFEB, "run", "-c", str(self.config(config)), "--json", "result.json", *args], cwd=self.dir,
                env={**os.environ, "NOTIFY_SOCKET": manager.path, **dict(environment)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=stderr or log)
        self.addCleanup(lambda: (process.poll() is None and process.kill(), process.wait()))
        return process, manager

    def log(self):
        return (self.dir / f"log{self.count}").read_text()

    def ready(self, process, manager):
        end = time.monotonic() + harness.LIMIT
        while "READY=1" not in manager.lines():
            manager.listen(0.1)
            self.assertIsNone(process.poll(), f"it ended instead of serving\n{self.log()}")
            self.assertLess(time.monotonic(), end, self.log())

    def stop(self, process, status=0):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(harness.LIMIT), status, self.log())

    def test_the_manager_learns_readiness_health_and_the_end(self):
        process, manager = self.start_service(small(), environment={"WATCHDOG_USEC": "1500000"})
        self.ready(process, manager)
        self.assertEqual(manager.lines().count("READY=1"), 1)
        # this request succeeds only if softfeb serves its page
        with urllib.request.urlopen("http://127.0.0.1:18474/metrics", timeout=10) as answer:
            self.assertIn(b"softfeb_info", answer.read())
        manager.wait_for("WATCHDOG=1")
        manager.listen(2)
        pings = [at for at, line in manager.seen if line == "WATCHDOG=1"]
        self.assertLess(max(b - a for a, b in zip(pings, pings[1:])), 1.5, "the watchdog would have ended it")
        status = [line for line in manager.lines() if line.startswith("STATUS=")]
        self.assertTrue(any(re.match(r"STATUS=1 board, 1 receiver: .* Gb/s of payload", line) for line in status), status)
        self.stop(process)
        manager.listen(0.1)
        self.assertEqual(manager.lines().count("STOPPING=1"), 1)
        self.assertIn("STATUS=writing the result", manager.lines())
        self.assertEqual(json.loads((self.dir / "result.json").read_text())["verdict"], "held")

    def test_a_worker_that_hangs_is_not_healthy(self):
        process, manager = self.start_service(small(), environment={"WATCHDOG_USEC": "600000"})
        self.ready(process, manager)
        manager.wait_for("WATCHDOG=1")
        workers = [int(t) for t in os.listdir(f"/proc/{process.pid}/task")
                   if "worker" in Path(f"/proc/{process.pid}/task/{t}/comm").read_text()]
        self.assertEqual(len(workers), 2)
        if LIBC.ptrace(PTRACE_SEIZE, workers[0], None, None) != 0:
            self.skipTest("this machine does not permit ptrace")
        LIBC.ptrace(PTRACE_INTERRUPT, workers[0], None, None)
        manager.listen(0.5)  # discard the notifications that were sent earlier
        del manager.seen[:]
        manager.listen(1)
        self.assertEqual(manager.lines(), [], "a worker hangs")
        LIBC.ptrace(PTRACE_DETACH, workers[0], None, None)
        manager.wait_for("WATCHDOG=1")
        self.stop(process)

    def test_a_service_that_cannot_start_is_never_ready(self):
        config = small()
        config["ports"][0]["device"] = "net_af_packet:no-such-if"
        process, manager = self.start_service(config)
        self.assertIn(process.wait(harness.LIMIT), (2, 3), self.log())
        manager.listen(0.1)
        self.assertNotIn("READY=1", manager.lines())

    def journal(self, seconds, *args):
        """Runs softfeb with a journal, and stops it `seconds` after it is ready. Returns the lines
        that it writes. Each line begins with its level."""
        log = self.dir / f"journal{self.count}"
        with open(log, "w") as out:
            file = os.fstat(out.fileno())
            process, manager = self.start_service(small(), *args, stderr=out,
                                                  environment={"JOURNAL_STREAM": f"{file.st_dev}:{file.st_ino}"})
            manager.wait_for("READY=1")
            manager.listen(seconds)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(harness.LIMIT), 0)
        lines = log.read_text().splitlines()
        self.assertEqual([line for line in lines if not re.match(r"<[3-6]>\S", line) and not re.match(r"<[3-6]> ", line)], [])
        return lines

    def test_the_journal_gets_levels(self):
        lines = self.journal(1.6)
        self.assertTrue(any(re.match(r"<5>port feb: net_ring", line) for line in lines), lines)
        self.assertTrue(any(re.match(r"<5>live page: ", line) for line in lines), lines)
        self.assertTrue(any(re.match(r"<6>.* s .* Mpps", line) for line in lines), lines)
        lines = self.journal(1.6, "--log-level", "notice")
        self.assertTrue(any(line.startswith("<5>live page: ") for line in lines), lines)
        self.assertFalse(any(line.startswith("<6>") for line in lines), lines)
        self.assertEqual(self.journal(0, "--log-level", "error"), [])

    def check_restart(self, config, prefix=()):
        """Kills the service, and starts it again with the same configuration."""
        for end in (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM):
            process, manager = self.start_service(config, prefix=prefix)
            self.ready(process, manager)
            process.send_signal(end)
            status = process.wait(harness.LIMIT)
            self.assertEqual(status, -signal.SIGKILL if end == signal.SIGKILL else 0, self.log())

    def test_restart_after_sigkill(self):
        """After a restart, the UDP ports of slow control and the TCP port of the live page must be available
        again."""
        self.check_restart(small())

    def test_restart_with_memif(self):
        config = small()
        for port, role in zip(config["ports"], ("server", "client")):
            port["device"] = f"net_memif:{self.dir}/m.sock,{role}"
        self.check_restart(config)

    def test_restart_with_vhost(self):
        """Without a guest, the port has no link, so the board waits. After a restart of softfeb, a guest must
        be able to connect."""
        path = self.dir / "v.sock"
        config = {**small(), "receivers": []}
        config["ports"] = [{"name": "feb", "device": f"net_vhost:{path},server", "mtu": 1500}]
        config["boards"] = [board(name="feb0", port="feb")]

        def guest_connects():
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as guest:
                return guest.connect_ex(str(path)) == 0
        for end in (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM):
            process, _ = self.start_service(config)
            limit = time.monotonic() + harness.LIMIT
            while not guest_connects() or "waiting for its link" not in self.log():
                self.assertIsNone(process.poll(), self.log())
                self.assertLess(time.monotonic(), limit, self.log())
                time.sleep(0.1)
            process.send_signal(end)
            self.assertEqual(process.wait(harness.LIMIT), -signal.SIGKILL if end == signal.SIGKILL else 1, self.log())
        self.assertIn("stopped by a signal before traffic began", self.log())

    @unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/dev/net/tun"), "needs root and /dev/net/tun")
    def test_restart_with_a_tap(self):
        config = {**small(), "receivers": []}
        config["run"].update(connect_timeout="0s", web="off")
        config["ports"] = [{"name": "feb", "device": "net_tap:feb0"}]
        config["boards"] = [board(name="feb0", port="feb")]
        self.check_restart(config, prefix=["unshare", "--net"])

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_restart_with_huge_pages(self):
        free = int(re.search(r"HugePages_Free: +(\d+)", Path("/proc/meminfo").read_text()).group(1))
        if free < 150:
            self.skipTest("needs 150 free huge pages")
        # Use a private mount namespace, so that other programs do not see the mount.
        if LIBC.unshare(CLONE_NEWNS) != 0 or LIBC.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) != 0:
            self.skipTest("this machine does not permit mounts")
        pages = self.dir / "pages"
        pages.mkdir()
        if LIBC.mount(b"none", str(pages).encode(), b"hugetlbfs", 0, None) != 0:
            self.skipTest("this machine does not permit hugetlbfs")
        self.addCleanup(lambda: LIBC.umount2(str(pages).encode(), 2))
        config = small()
        config["eal"] = {"hugepages": "auto", "memory": "256MiB", "prefix": f"softfeb-test-{os.getpid()}", "args": [f"--huge-dir={pages}"]}
        self.check_restart(config)
        self.assertIn("memory: huge pages", self.log())


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()
