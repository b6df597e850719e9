# SPDX-License-Identifier: BSD-3-Clause
"""Sends contradictory event data, in WRITEs with a valid iCRC, to an event builder in real time. Requires
root."""

import os
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
import zlib

import harness
from harness import TestCase
from kernel_ports import Link, checksum

RECEIVER_MAC, RECEIVER, BOARD = "02:00:00:00:01:01", "10.0.0.3", "10.0.0.11"
QPN, SLOT, PIECE, SLOTS = 0x800, 8192, 4096, 4
TOTAL = 300
REGION, RKEY = 0x10_0000_0000, 0x5F00_0000
UC_WRITE_ONLY_IMMEDIATE = 0x2B


def header(event, *, magic=b"SFEB", version=1, words=16, run=0, board=0, seconds=None, quarter=0, length=TOTAL, offset=0, total=TOTAL,
           payload=b"", crc=None, header_crc=0):
    seconds = int(time.time()) + 37 if seconds is None else seconds
    crc = zlib.crc32(payload) if crc is None else crc
    text = magic + struct.pack("<BBHIHBBQIIIIIHHIII", version, words, 0, run, board, 255, 0, event, seconds, quarter, length, offset,
                               total, 0, 0, 0, 0, crc)
    return text + struct.pack("<I", zlib.crc32(text) ^ header_crc)


class Forger:
    """Sends messages to the receiver's queue pair as if it were the board."""

    def __init__(self, interface):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.socket.bind((interface, 0))
        self.psn = 1000

    def send(self, message, event, address=None, immediate=None):
        address = REGION + event % SLOTS * SLOT if address is None else address
        immediate = event & 0xFFFFFFFF if immediate is None else immediate
        pad = -len(message) % 4
        bth = struct.pack("!BBHII", UC_WRITE_ONLY_IMMEDIATE, pad << 4, 0xFFFF, QPN, self.psn)
        self.psn += 1
        rest = bth + struct.pack("!QIII", address, RKEY, len(message), immediate) + message + bytes(pad)
        length = 8 + len(rest) + 4
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0x4000, 64, 17, 0) + socket.inet_aton(BOARD) + socket.inet_aton(RECEIVER)
        ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
        udp = struct.pack("!HHHH", 0xC000, 4791, length, 0)
        masked = bytearray(b"\xff" * 8 + ip + udp + rest)
        for at in (9, 16, 18, 19, 34, 35, 40):
            masked[at] = 0xFF
        self.socket.send(bytes.fromhex(RECEIVER_MAC.replace(":", "")) + bytes.fromhex("020000000002") + b"\x08\x00" + ip + udp + rest
                         + struct.pack("<I", zlib.crc32(masked)))


def forge(interface):
    """Sends a message for each reason for rejection, and then valid messages. Returns the number of messages."""
    to = Forger(interface)
    start = to.psn

    def data(event):
        return bytes((event + k) % 256 for k in range(TOTAL))

    def send(event, more=None, **fields):
        payload = data(event)
        to.send(header(event, payload=payload, **fields) + payload, event, **(more or {}))

    to.send(b"SFEB" + bytes(59), 4)
    send(4, magic=b"SFEC")
    send(4, version=2)
    send(4, words=15)
    send(4, header_crc=1)
    send(4, quarter=4_000_000_000)
    send(4, offset=PIECE, total=TOTAL)
    send(4, length=TOTAL - 1)
    send(4, crc=0)
    send(4, board=7)
    send(4, {"immediate": 5})
    send(4, {"address": REGION + SLOT})
    send((1 << 33) + 5, {"address": REGION})  # if accepted, this wrong number would close all earlier events
    send(4, offset=1, total=TOTAL + 1)
    send(0)
    send(1, seconds=int(time.time()) + 7200)  # as if the board's clock had jumped
    send(2, seconds=1)
    time.sleep(0.3)
    return to.psn - start


class ForgedEvents(TestCase):
    def test_counted_by_reason(self):
        link = Link()
        self.addCleanup(link.close)
        config = {
            "run": {"duration": "30s"}, "eal": {"hugepages": "no"}, "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "feb", "device": "net_null", "mtu": 4200}, {"name": "nic", "device": "net_af_packet:near", "mtu": 4200}],
            "triggers": [{"name": "camera", "sources": [{"kind": "periodic", "rate": "1Hz", "phase": "1s"}]}],
            "boards": [{"name": "feb", "port": "feb", "ip": f"{BOARD}/24", "dcqcn": "off", "neighbours": {RECEIVER: RECEIVER_MAC},
                        "events": {"trigger": "camera", "to": "builder", "kind": "counter", "size": {"min": TOTAL}, "transport": "UC",
                                   "slots": SLOTS, "slot": f"{SLOT}B", "piece": f"{PIECE}B"}}],
            "receivers": [{"name": "builder", "port": "nic", "ip": f"{RECEIVER}/24", "mac": RECEIVER_MAC, "check": "none",
                           "events": {"timeout": "10ms", "loss_limit": "100%"}}],
        }
        softfeb = self.start(config, prefix=link.prefix)
        time.sleep(3)
        sent = int(link.inside_of("forged_events", forge, link.far))
        softfeb.signal(signal.SIGINT)
        run = softfeb.finish()
        self.assertIn(run.status, (0, 1), run.err)
        events = run.result["receivers"][0]["events"]
        self.assertEqual(events["messages"], sent, events)
        rejected = {k: n for k, n in events["rejected"].items() if n != 0}
        self.assertEqual(rejected, {**dict.fromkeys(("short", "magic", "version", "header_size", "header_crc", "time", "bounds", "size",
                                                     "payload_crc", "wrong_source", "wrong_immediate"), 1), "wrong_address": 2})
        fragments = {k: n for k, n in events["fragments"].items() if n != 0}
        self.assertEqual(fragments, {"accepted": 3, "rejected_alignment": 1})
        self.assertEqual(events["early"], 1)
        self.assertEqual(events["complete"], 3)


if __name__ == "__main__":
    if os.getuid() != 0 or subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode != 0:
        print("skipped: network namespaces need root")
        sys.exit(harness.SKIPPED)
    unittest.main()
