#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Injects faults into softfeb's environment (doc/robustness.md): memory that runs out, full and read-only
disks, steps of the wall clock, threads that stand still, full rings, and clients that read slowly. softfeb
must either end with a clear error, or continue without losing acknowledged data."""

import contextlib
import ctypes
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

import frozen
import harness
import srp_client
from harness import board, qp, receiver, ring

PRELOAD = Path(os.environ.get("PRELOAD", ""))
THOROUGH = bool(os.environ.get("SOFTFEB_THOROUGH"))
SCRATCH = 0x00000004
CLONE_NEWNS, MS_REC, MS_PRIVATE, MS_RDONLY, MS_REMOUNT = 0x20000, 0x4000, 1 << 18, 1, 32

libc = ctypes.CDLL(None, use_errno=True)


def setUpModule():
    harness.own_network()
    # Use a private mount namespace, so that the file systems of the tests end with this process.
    if libc.unshare(CLONE_NEWNS) == 0:
        mount(None, "/", None, MS_REC | MS_PRIVATE)


def mount(source, target, kind, flags=0, data=None):
    encoded = [None if v is None else str(v).encode() for v in (source, target, kind)]
    if libc.mount(*encoded, flags, None if data is None else data.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"mount {target}")


def small(**run):
    """A short run over a ring with 200 messages, all of which must arrive."""
    return ring([board(qp(traffic={"message_size": "16KiB", "messages": 200}, **harness.PATIENT))], [receiver(memory="1MiB")], **run)


def endless(rate="20Mb/s", **keys):
    """A board that sends until the run ends. Over UC, its rate does not depend on how quickly the receiver
    answers, even if the machine is busy."""
    control = {"listen": "127.0.0.1", "registers_port": 8192, "stream_port": 8193}
    traffic = {"message_size": "16KiB", "rate": rate, "verb": "write_imm", "immediate": "counter"}
    return ring([board(qp(traffic=traffic, **{"transport": "UC", **keys}), control=control)], [receiver(memory="1MiB")])


class Robustness(harness.TestCase):
    def crash_free(self, run, statuses):
        """Checks that softfeb ended with one of `statuses`, and with a message if the status is 3."""
        self.assertIn(run.status, statuses, f"{run.err[-1500:]}\n{run.out[-500:]}")
        if run.status == 3:
            self.assertRegex(run.err.rstrip().rsplit("\n", 1)[-1], r"^softfeb: .{10,}", run.err[-1500:])

    def start_with(self, config, *args):
        """Like start(), but does not add --json if `args` contain it."""
        if "--json" not in args:
            return self.start(config, *args)
        return harness.Softfeb(["run", "-c", str(self.config(config)), *args], self.dir)

    # -- memory

    def preloaded(self, config, library, *args, **environment):
        if not (PRELOAD / library).exists():
            self.skipTest(f"{library} is missing; fix: run this test with meson")
        variables = ["env", f"LD_PRELOAD={PRELOAD / library}", *(f"{k}={v}" for k, v in environment.items())]
        return self.start(config, *args, prefix=variables)

    def test_an_allocation_that_fails_ends_in_an_error(self):
        """Makes either a single allocation fail, or all allocations from a certain one on. The small
        allocations fail at points from the command line to the end of the set-up. The large allocations (at
        least 4096 bytes) are those of DPDK, boards and receivers."""
        numbers = range(0, 12000, 97) if THOROUGH else (0, 40, 900, 2500)
        cases = [(n, 0, always) for n in numbers for always in (False, True)]
        cases += [(n, 4096, False) for n in (range(0, 700, 7) if THOROUGH else (0, 250, 450))]
        ends = {}
        for at, least, always in cases:
            with self.subTest(at=at, least=least, always=always):
                variables = {"FAIL_AT": at, "FAIL_LEAST": least, **({"FAIL_ALWAYS": 1} if always else {})}
                run = self.preloaded(small(), "libfailing_malloc.so", "-q", **variables).finish()
                ends[run.status] = ends.get(run.status, 0) + 1
                self.crash_free(run, (0, 3))
        print(f"exit status and number of runs: {ends}", flush=True)
        self.assertGreater(ends.get(3, 0), 3)

    def limited(self, megabytes, *args):
        """Runs softfeb with a limit for its address space."""
        limit = megabytes << 20
        json_file = self.dir / "result.json"
        done = subprocess.run([harness.SOFTFEB, "run", "-c", str(self.config(small())), "-q", *args], cwd=self.dir, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=harness.LIMIT, check=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        return harness.Run(done.returncode, done.stdout, done.stderr, json_file if json_file.exists() else None)

    def test_too_little_address_space(self):
        for megabytes in range(60, 1200, 20) if THOROUGH else (200, 500, 760):
            with self.subTest(megabytes=megabytes):
                run = self.limited(megabytes)
                self.crash_free(run, (0, 3))
                if run.status == 3 and "DPDK does not start" in run.err:
                    self.assertIn("ulimit -v", run.err)

    def test_memory_that_the_machine_does_not_have(self):
        for key, value, text in (("receivers.daq.memory", "64TiB", "memory"), ("eal.memory", "16MiB", "memory")):
            with self.subTest(key=key):
                run = self.start(small(), "-q", "--set", f"{key}={value}").finish()
                self.crash_free(run, (2, 3))
                self.assertIn(text, run.err)

    # -- disks

    def disk(self, size="256k"):
        """Mounts a small file system and returns its folder."""
        folder = self.dir / f"disk{len(list(self.dir.glob('disk*')))}"
        folder.mkdir()
        try:
            mount("tmpfs", folder, "tmpfs", 0, f"size={size}")
        except OSError as error:
            self.skipTest(f"no file system can be mounted here: {error}")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=False)
        return folder

    def full_disk(self):
        folder = self.disk()
        with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as f:
            while f.write(b"x" * 4096):
                pass
        return folder

    def test_full_disk(self):
        """If any file cannot be written, the run ends, its result is printed, all other files are
        written, and no incomplete file remains."""
        disk = self.full_disk()
        for name, args in (("result", ["--json", str(disk / "r.json")]), ("report", ["--report", str(disk / "report")]),
                           ("capture", ["--set", f"ports.feb.capture.file={disk / 'c.pcap'}"]),
                           ("memory", ["--set", f"receivers.daq.out={disk / 'o.bin'}"])):
            with self.subTest(name):
                run = self.start_with(small(), *args).finish()
                self.assertEqual(run.status, 3, run.err)
                self.assertIn("No space left on device", run.err)
                self.assertIn("free space", run.err)
                self.assertIn("All checks held", run.out)
                if name != "result":
                    self.assertEqual(run.result["verdict"], "held")
                self.assertEqual([p.name for p in disk.rglob("*.part")], [])

    def test_standard_output_that_is_full(self):
        for args in ([], ["--json", "-"]):
            with self.subTest(args=args), open("/dev/full", "wb") as full:
                done = subprocess.run([harness.SOFTFEB, "run", "-c", str(self.config(small())), *args], cwd=self.dir, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=harness.LIMIT, check=False)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("No space left on device", done.stderr)

    def test_a_study_on_a_full_disk_continues_when_there_is_room(self):
        disk = self.full_disk()
        sweep = ["lab", "sweep", "-c", str(harness.CONF / "lab/sweep.yaml"), "--out", str(disk / "study"), "--set", "run.duration=2ms",
                 "--set", "lab.sweep=[{key: run.seed, values: [1, 2]}]", "-q"]
        run = harness.Softfeb(sweep, self.dir).finish()
        self.assertEqual(run.status, 3, run.err)
        self.assertIn("No space left on device", run.err)
        (disk / "filler").unlink()
        run = harness.Softfeb(sweep, self.dir).finish()
        self.assertIn(run.status, (0, 1), run.err)
        self.assertEqual(len(list((disk / "study/points").glob("*.json"))), 2)

    def test_read_only_folders_are_noticed_before_the_run(self):
        disk = self.disk()
        mount("tmpfs", disk, "tmpfs", MS_REMOUNT | MS_RDONLY)
        for name, args in (("result", ["--json", str(disk / "r.json")]), ("report", ["--report", str(disk / "report")]),
                           ("capture", ["--set", f"ports.feb.capture.file={disk / 'c.pcap'}"]),
                           ("memory", ["--set", f"receivers.daq.out={disk / 'o.bin'}"])):
            with self.subTest(name):
                begun = time.monotonic()
                run = self.start_with(endless(), "--duration", "30", *args).finish()
                self.assertEqual(run.status, 3, run.err)
                self.assertIn("Read-only file system", run.err)
                self.assertIn("name", run.err)
                self.assertLess(time.monotonic() - begun, 20)

    # -- clocks

    def test_steps_of_the_wall_clock(self):
        """Rates, durations and connections follow the monotonic clock. The wall clock may therefore jump by
        hours in both directions."""
        step = self.dir / "step"
        step.write_text("0")
        run = self.preloaded(endless(), "libstepping_clock.so", "--duration", "3", STEP_FILE=step)
        self.connect().close()
        with srp_client.Srp() as srp:
            for seconds in (7200, -7200, 86400 * 400, 0):
                step.write_text(str(seconds))
                srp.set(SCRATCH, seconds & 0xFFFF)
                srp.link.pump(0.3)
                self.assertEqual(srp.get(SCRATCH), seconds & 0xFFFF)
        ended = run.finish()
        self.assertEqual(ended.status, 0, ended.err)
        self.assert_held(ended)
        self.assertAlmostEqual(ended.result["duration_s"], 3, delta=1)
        # A busy machine can delay packets, but nothing can make a board faster than its rate.
        self.assertTrue(0.4 * 0.02 < ended.result["goodput_gbps"] < 1.02 * 0.02, ended.result["goodput_gbps"])
        self.assertEqual(ended.result["boards"][0]["control"]["registers"]["closed"][0]["code"], "peer_reset")

    def connect(self):
        """Connects to the registers as soon as softfeb responds."""
        end = time.monotonic() + harness.LIMIT / 2
        while True:
            try:
                return srp_client.Srp(open_within=0.5)
            except srp_client.Closed:
                self.assertLess(time.monotonic(), end, "the board does not respond")

    # -- threads that stand still

    def workers(self, run):
        found = {int(m[1]): thread for name, thread in frozen.threads(run.process.pid).items()
                 if (m := re.fullmatch(r"(?:rte|dpdk)-worker-?(\d+)", name))}
        self.assertEqual(len(found), 2, frozen.threads(run.process.pid))
        return [found[n] for n in sorted(found)]

    @unittest.skipUnless(frozen.permitted(), "this process may not stop threads of its children")
    def test_threads_that_stand_still_for_a_second(self):
        """Stops the board's worker, the receiver's worker and the control thread, one after another, for a
        second each. Afterwards, every packet must be accounted for, every acknowledged message must have been
        received, and the slow-control client must still be connected."""
        run = self.start(endless(transport="RC", timeout=18, retry_count=7))
        srp = self.connect()
        names = ("the board's worker", "the receiver's worker", "the control thread")
        for name, thread in zip(names, [*self.workers(run), run.process.pid]):
            with self.subTest(name):
                with frozen.frozen(thread):
                    srp.set(SCRATCH, 1) if name != "the control thread" else None
                    # pump() sends NUL segments. The board must read the segments that are waiting
                    # before it checks its null timeout.
                    srp.link.pump(1.0)
                srp.set(SCRATCH, 22)
                self.assertEqual(srp.get(SCRATCH), 22)
        srp.close()
        run.signal(signal.SIGINT)
        ended = run.finish()
        self.assertEqual(ended.status, 0, ended.err[-2000:] + ended.out[-2000:])
        self.assert_held(ended)
        result = ended.result
        sent = sum(q["messages_completed"] for q in ended.qps())
        self.assertEqual(sum(r["messages"] for r in result["receivers"]), sent)
        self.assertGreater(result["workers"][0]["stolen_s"], 0.9)
        self.assertGreater(result["workers"][1]["stolen_s"], 0.9)
        closed = result["boards"][0]["control"]["registers"]["closed"]
        self.assertEqual([c["code"] for c in closed], ["peer_reset"], "the client closed its connection itself")

    @unittest.skipUnless(frozen.permitted(), "this process may not stop threads of its children")
    def test_a_receiver_that_stands_still_for_longer_than_the_retries_last(self):
        """The queue pair fails with an error that states the cause, as it would on an RDMA NIC. Every
        acknowledged message has arrived."""
        run = self.start(endless(transport="RC", timeout=12, retry_count=3))
        for line in run.process.stderr:  # softfeb reports its progress once a second
            if re.search(r" [1-9]\d* messages ", line):
                break
        with frozen.frozen(self.workers(run)[1]):
            time.sleep(1)
        run.signal(signal.SIGINT)
        ended = run.finish()
        self.assertEqual(ended.status, 1, ended.err[-2000:])
        one, = ended.qps()
        self.assertGreater(one["messages_completed"], 0)
        self.assertGreaterEqual(sum(r["messages"] for r in ended.result["receivers"]), one["messages_completed"])
        self.assertIn("timeouts exceeded", ended.out + ended.err)

    @unittest.skipUnless(frozen.permitted(), "this process may not stop threads of its children")
    def test_a_ring_that_is_full(self):
        """The receiver's worker is stopped and does not take packets from the ring, while UC packets arrive
        at a high rate. The ring fills. Packets that do not fit either wait at the sender or are counted as
        dropped, so that every packet is accounted for."""
        traffic = {"message_size": "4KiB", "rate": "1Gb/s", "verb": "write_imm", "immediate": "counter"}
        run = self.start(ring([board(qp(traffic=traffic, transport="UC"))], [receiver(memory="1MiB")], duration="3s"))
        end = time.monotonic() + harness.LIMIT / 2
        while len(frozen.threads(run.process.pid)) < 4:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        time.sleep(0.5)
        with frozen.frozen(self.workers(run)[1]):
            time.sleep(1)
        ended = run.finish()
        self.assertEqual(ended.status, 0, ended.err[-2000:] + ended.out[-2000:])
        self.assert_held(ended)
        sent = sum(q["messages_completed"] for q in ended.qps())
        self.assertEqual(sum(r["messages"] for r in ended.result["receivers"]), sent)

    # -- clients that read slowly

    def test_a_client_that_reads_slowly(self):
        """A browser that reads its events a few bytes at a time gets fewer of them; all other browsers get
        all events."""
        with socket.create_server(("127.0.0.1", 0)) as s:
            port = s.getsockname()[1]
        run = self.start(endless(), "--web", f"127.0.0.1:{port}", "--duration", "4")
        self.connect().close()
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.connect(("127.0.0.1", port))
            slow.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with socket.create_connection(("127.0.0.1", port)) as quick:
                quick.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                text, end = b"", time.monotonic() + 2
                while time.monotonic() < end:
                    slow.recv(64)
                    text += quick.recv(1 << 16)
            self.assertGreater(text.count(b"event: sample\n"), 5)
        ended = run.finish()
        self.assertEqual(ended.status, 0, ended.err)
        self.assert_held(ended)


if __name__ == "__main__":
    sys.exit(harness.main())
