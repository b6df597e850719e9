# SPDX-License-Identifier: BSD-3-Clause
"""Shared code of the smoke tests: starts softfeb with a configuration, reads its result, and parses captures without a library."""

import ctypes
import hashlib
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
SOFTFEB = os.environ.get("SOFTFEB", str(ROOT / "build/app/softfeb/softfeb"))
SKIPPED = 77  # exit status for a skipped test in meson
LIMIT = 60  # seconds, far longer than any run here takes


class Run:
    """A softfeb process that has ended: its exit status, its output, and its result (None if it wrote
    none)."""

    def __init__(self, status, out, err, result):
        self.status, self.out, self.err, self.result = status, out, err, result

    def qps(self):
        return [qp for board in self.result["boards"] for qp in board["qps"]]

    def check(self, name):
        return next(c for c in self.result["checks"] if c["name"] == name)


class Softfeb:
    """A running softfeb process, for tests that interact with it."""

    def __init__(self, args, cwd, json_file=None, prefix=()):
        self.json_file = json_file
        self.process = subprocess.Popen([*prefix, SOFTFEB, *args], cwd=cwd, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def signal(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def finish(self, timeout=LIMIT):
        try:
            out, err = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            raise AssertionError(f"softfeb did not end within {timeout} s\n{out}\n{err}") from None
        result = None
        if self.json_file is not None and self.json_file.exists():
            result = json.loads(self.json_file.read_text())
        return Run(self.process.returncode, out, err, result)


class TestCase(unittest.TestCase):
    """Each test has its own directory, self.dir, in which softfeb runs."""

    longMessage = True

    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="softfeb-smoke-"))
        self.addCleanup(shutil.rmtree, self.dir, True)

    def config(self, config, name="run.yaml"):
        """Returns the path of a configuration. Text or a dictionary is first written to a file (JSON is YAML)."""
        if isinstance(config, Path):
            return config
        path = self.dir / name
        path.write_text(config if isinstance(config, str) else json.dumps(config, indent=1))
        return path

    def start(self, config, *args, prefix=()):
        result = self.dir / "result.json"
        return Softfeb(["run", "-c", str(self.config(config)), "--json", str(result), *args], self.dir, result, prefix)

    def run_softfeb(self, config, *args, status=0, timeout=LIMIT):
        run = self.start(config, *args).finish(timeout)
        self.assertEqual(run.status, status, f"\n{run.err[-3000:]}\n{run.out[-3000:]}")
        return run

    def assert_null_timeout(self, run, link, peer, way):
        """Checks that the result and the log report that the connection of `peer` on `link` ended with a null
        timeout."""
        closed = run.result["boards"][0]["control"][link]["closed"]
        last = next((c for c in closed if c["peer"] == peer), None)
        self.assertIsNotNone(last, closed)
        self.assertEqual((last["way"], last["code"]), (way, "null_timeout"), closed)
        self.assertEqual(last["reason"], "null timeout: nothing received for 1.000 s")
        self.assertIn(last["last_heard"]["segment"], ("ACK", "NUL", "data"))
        self.assertGreaterEqual(last["last_heard"]["ago_s"], 1.0)
        self.assertGreaterEqual(last["up_s"], last["last_heard"]["ago_s"])
        self.assertIn(f"board feb0: {link}: {peer}: connection closed after ", run.err)
        self.assertIn("null timeout: nothing received for 1.000 s; last heard: ", run.err)

    def assert_held(self, run):
        self.assertEqual(run.result["verdict"], "held")
        self.assertEqual([c for c in run.result["checks"] if not c["held"]], [])


def ring(boards, receivers, workers=2, feb=None, nic=None, mtu=4200, **run):
    """Returns a configuration with ports `feb` and `nic` at the ends of a ring. Boards use the first worker, receivers the last."""
    def seated(endpoints, port, worker):
        return [{"port": port, "worker": worker, **e} for e in endpoints]

    return {
        "run": run,
        "eal": {"hugepages": "no"},
        "workers": {"count": workers, "idle": "sleep"},
        "ports": [{"name": "feb", "device": "net_ring:link", "mtu": mtu, **(feb or {})},
                  {"name": "nic", "device": "net_ring:link", "mtu": mtu, **(nic or {})}],
        "boards": seated(boards, "feb", 0),
        "receivers": seated(receivers, "nic", workers - 1),
    }


def board(*qps, name="feb0", ip="10.0.0.1/24", **keys):
    return {"name": name, "ip": ip, "qps": list(qps), **keys}


def receiver(name="daq", ip="10.0.0.2/24", **keys):
    return {"name": name, "ip": ip, **keys}


# Keys of a queue pair that is not meant to fail: a message fails only after 4 s without an answer.
# The default is 0.5 s, which is too short if another test on the same machine takes the CPU from a
# worker for that time.
PATIENT = {"timeout": 17, "retry_count": 7}


def qp(to="daq", pmtu=4096, traffic=None, **keys):
    return {"to": to, "pmtu": pmtu, "traffic": traffic or {}, **keys}


def random_file(path, size, seed=1):
    """Writes pseudorandom bytes, which are the same in every run. Returns their SHA-256."""
    digest, left, block = hashlib.sha256(), size, hashlib.sha256(str(seed).encode()).digest()
    with open(path, "wb") as out:
        while left > 0:
            block = hashlib.sha256(block).digest()
            part = hashlib.shake_256(block).digest(min(left, 1 << 20))
            out.write(part)
            digest.update(part)
            left -= len(part)
    return digest.hexdigest()


def sha256(path):
    with open(path, "rb") as f:
        digest = hashlib.sha256()
        while part := f.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


FIRST, MIDDLE, LAST, LAST_IMM, ONLY, ONLY_IMM = 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B
ACKNOWLEDGE, CNP, UC = 0x11, 0x81, 0x20


class Packet:
    """A captured frame. Parses the fields of RoCE frames that the tests need."""

    def __init__(self, time_ns, frame):
        self.time_ns, self.frame = time_ns, frame
        at, self.vlan = 14, None
        self.ethertype = struct.unpack_from("!H", frame, 12)[0]
        if self.ethertype == 0x8100:
            tag, self.ethertype = struct.unpack_from("!HH", frame, 14)
            self.vlan, self.pcp, at = tag & 0xFFF, tag >> 13, 18
        self.ip_at, self.opcode, self.syndrome = at, None, None
        if self.ethertype == 0x0800:
            protocol, udp, end = frame[at + 9], at + 20, at + struct.unpack_from("!H", frame, at + 2)[0]
        elif self.ethertype == 0x86DD:
            protocol, udp, end = frame[at + 6], at + 40, at + 40 + struct.unpack_from("!H", frame, at + 4)[0]
        else:
            return
        if protocol != 17 or struct.unpack_from("!H", frame, udp + 2)[0] != 4791:
            return
        self.udp_at, self.bth_at, self.end = udp, udp + 8, end
        bth = frame[udp + 8:udp + 20]
        self.opcode, self.pad = bth[0], bth[1] >> 4 & 3
        self.dest_qp, self.psn = int.from_bytes(bth[5:8], "big"), int.from_bytes(bth[9:12], "big")
        self.syndrome = frame[udp + 20] if self.opcode == ACKNOWLEDGE else None

    def icrc(self):
        return self.frame[self.end - 4:self.end]

    def icrc_by_annex_a17(self):
        """Computes the iCRC. Fields that routers may change are replaced by ones, as are the 8 bytes of the LRH, which RoCE v2 lacks."""
        masked = bytearray(self.frame[self.ip_at:self.end - 4])
        udp = self.udp_at - self.ip_at
        if self.ethertype == 0x0800:
            ones = [1, 8, 10, 11]
        else:
            masked[0] |= 0x0F
            ones = [1, 2, 3, 7]
        for i in (*ones, udp + 6, udp + 7, udp + 12):
            masked[i] = 0xFF
        return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


def read_pcap(path, any_resolution=False):
    data = Path(path).read_bytes()
    magic, = struct.unpack_from("<I", data)
    assert magic == 0xA1B23C4D or any_resolution, f"{path}: not a pcap with nanoseconds"
    at, packets = 24, []
    while at < len(data):
        seconds, ns, kept, _ = struct.unpack_from("<IIII", data, at)
        packets.append(Packet(seconds * 10**9 + ns, data[at + 16:at + 16 + kept]))
        at += 16 + kept
    return packets


def own_network():
    """Moves this process to its own network namespace, if permitted. Boards serve slow control on UDP port 8192, which may be in use on
    this host."""
    if ctypes.CDLL(None).unshare(0x40000000) == 0:  # CLONE_NEWNET
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def main():
    unittest.main(verbosity=2)
