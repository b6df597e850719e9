# SPDX-License-Identifier: BSD-3-Clause
"""A board on a kernel interface uses one address for everything: ARP, ping, slow control and RoCE. Requires root."""

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import harness
import kernel_ports
import srp_client
from harness import board
from kernel_ports import BOARD_MAC, Link

BOARD, CLIENT = "10.0.0.1", "10.0.0.2"
HOST_QPN, SQ_PSN = 0x11, 0x654321
LENGTH, COUNT, RKEY, ADDRESS = 4096, 100, 0x1234, 0x7F0000001000
WINDOW = 16  # requests that a board sends before the first acknowledgement, which never arrives in this test
SCRATCH_PAD, NOWHERE = 0x00000004, 0x00F00000
FRAME_SIZE, SEND_FRAME, APP_MEMORY = 0x80000000, 0x80000004, 0x80010000
CLIENT_REMOTE_IP = 0x00110004
WRITE_ONLY_IMMEDIATE = 0x0B


class RoceEars(threading.Thread):
    """Records the packets of one burst as they arrive at the client's interface."""

    def __init__(self, interface, count):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 20)
        self.socket.bind((interface, 0))
        self.socket.settimeout(10)
        self.count, self.packets = count, {}

    def run(self):
        end = time.monotonic() + 20
        while len(self.packets) < self.count and time.monotonic() < end:
            try:
                frame, address = self.socket.recvfrom(65536)
            except TimeoutError:
                return
            if address[2] == socket.PACKET_OUTGOING or frame[12:14] != b"\x08\x00" or frame[23] != 17:
                continue
            if struct.unpack("!H", frame[36:38])[0] != 4791:
                continue
            bth = frame[42:54]
            opcode, psn = bth[0], struct.unpack("!I", bth[8:12])[0] & 0xFFFFFF
            qpn = struct.unpack("!I", bth[4:8])[0] & 0xFFFFFF
            address, rkey, length = struct.unpack("!QII", frame[54:70])
            immediate, payload = frame[70:74], frame[74:74 + length]
            way = frame[6:12].hex(":"), socket.inet_ntoa(frame[26:30]), socket.inet_ntoa(frame[30:34])
            self.packets[psn] = (*way, opcode, qpn, address, rkey, length, immediate, payload)


def registers():
    """Accesses registers over slow control as the laboratory's scripts do. Returns "all right" or a
    description of the error."""
    with srp_client.Srp(BOARD) as srp:
        srp.set(SCRATCH_PAD, 0xC6C2F69E)
        block = bytes(range(256)) * 4  # does not fit into one RSSI segment
        srp.write(APP_MEMORY, block)
        assert srp.read(APP_MEMORY, len(block)) == block
        srp.write(CLIENT_REMOTE_IP, socket.inet_aton(CLIENT))
        assert srp.read(CLIENT_REMOTE_IP) == socket.inet_aton(CLIENT)
        started = [srp.begin(0, SCRATCH_PAD, 4) for _ in range(260)]
        assert all(srp.end(r) == struct.pack("<I", 0xC6C2F69E) for r in started)
        try:
            srp.read(NOWHERE)
            return "an address that is nobody's was answered"
        except srp_client.BusError as e:
            assert e.status == srp_client.DECERR, e
        verbs = srp_client.Verbs(srp)
        session = verbs.connect(HOST_QPN, 0x123456, SQ_PSN, LENGTH * COUNT)
        ears = RoceEars("far", WINDOW)
        ears.start()
        srp_client.dispatch(srp, LENGTH, COUNT, RKEY, ADDRESS, 16, session[3], session[1])
        while ears.is_alive():
            srp.link.pump(0.05)
        assert len(ears.packets) == WINDOW, f"{len(ears.packets)} RoCE packets came"
        check_burst(ears.packets)
    return "all right"


def check_burst(packets):
    for n, psn in enumerate(sorted(packets)):
        mac, source, dest, opcode, qpn, address, rkey, length, immediate, payload = packets[psn]
        assert (mac, source, dest) == (BOARD_MAC, BOARD, CLIENT), packets[psn][:3]
        assert (psn, opcode, qpn) == (SQ_PSN + n, WRITE_ONLY_IMMEDIATE, HOST_QPN), (psn, opcode, qpn)
        assert (address, rkey, length) == (ADDRESS + n % 16 * LENGTH, RKEY, LENGTH), (address, rkey, length)
        assert payload == bytes((n * LENGTH + i) % 256 for i in range(LENGTH))
        assert immediate in (b"\0\0\0\1", b"\1\0\0\0"), immediate


def largest_segment():
    """Makes the board send full segments on port 8193. Returns the negotiated size, and the size of the largest UDP payload."""
    sizes = []
    frames = srp_client.Frames(lambda frame: None)

    def take(payload):
        sizes.append(len(payload) + 8)
        frames.take(payload)

    stream = srp_client.Rssi(BOARD, 8193, max_segment=8964, on_segment=take)
    stream.open()
    with srp_client.Srp(BOARD) as srp:
        srp.write(FRAME_SIZE, struct.pack("<I", 0x1FFFF))
        srp.write(SEND_FRAME, struct.pack("<I", 1))
        end = time.monotonic() + 5
        while sum(sizes) < 100_000 and time.monotonic() < end:
            stream.pump(0.02)
            srp.link.pump(0.001)
    stream.close()
    return f"{stream.max_segment} {max(sizes, default=0)}"


class InBand(harness.TestCase):
    def link(self, mtu):
        link = Link(mtu)
        self.addCleanup(link.close)
        return link

    def started(self, link, mtu):
        config = {
            "eal": {"hugepages": "no"},
            "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "feb", "device": f"net_af_packet:{link.near}", "mtu": mtu}],
            "boards": [{"port": "feb", "mac": BOARD_MAC, **board(ip=f"{BOARD}/24"),
                        "control": {"listen": "none", "in_band": True}}],
            "run": {"duration": "60s"},
        }
        softfeb = self.start(config, prefix=link.prefix)
        self.addCleanup(lambda: softfeb.process.poll() is None and softfeb.process.kill())
        for line in softfeb.process.stderr:
            if line.startswith("memory: "):
                return softfeb
        self.fail(f"status {softfeb.finish().status} before it began")

    def inside(self, link, function, *args):
        module = "in_band" if function.__module__ == "__main__" else function.__module__
        code = f"import sys; sys.path.insert(0, {str(harness.ROOT / 'test/smoke')!r}); import {module}; " \
               f"print({module}.{function.__name__}(*{args!r}))"
        done = subprocess.run(["ip", "netns", "exec", link.namespace, sys.executable, "-c", code], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_everything_at_one_address(self):
        link = self.link(9000)
        softfeb = self.started(link, 9000)
        self.assertEqual(self.inside(link, kernel_ports.arp, link.far, BOARD, True), BOARD_MAC)
        self.assertEqual(self.inside(link, kernel_ports.ping, BOARD, 56, 5), "5")
        self.assertEqual(self.inside(link, registers), "all right")
        self.assertEqual(self.inside(link, kernel_ports.ping, BOARD, 56, 5), "5")
        softfeb.signal(signal.SIGTERM)
        softfeb.finish()

    def test_a_killed_client_is_in_the_result(self):
        link = self.link(9000)
        softfeb = self.started(link, 9000)
        client, peers = srp_client.start_stay(BOARD, ("ip", "netns", "exec", link.namespace))
        time.sleep(1.2)
        client.kill()
        client.communicate()
        time.sleep(1.5)  # longer than the null timeout (1 s), so the board closes the links
        softfeb.signal(signal.SIGTERM)
        ended = softfeb.finish()
        for name, peer in zip(("registers", "stream"), peers):
            self.assertTrue(peer.startswith(CLIENT + ":"), peers)
            self.assert_null_timeout(ended, name, peer, "in_band")

    def segments(self, mtu, wanted):
        link = self.link(mtu)
        softfeb = self.started(link, mtu)
        negotiated, largest = map(int, self.inside(link, largest_segment).split())
        self.assertEqual(negotiated, wanted)
        self.assertIn(largest, range(wanted - 15, wanted + 1))
        softfeb.signal(signal.SIGTERM)
        softfeb.finish()

    def test_jumbo_segments(self):
        self.segments(9000, 8192)

    def test_segments_that_fit_a_small_mtu(self):
        self.segments(1500, 1472)


if __name__ == "__main__":
    if os.getuid() != 0 or subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode != 0:
        print("skipped: network namespaces need root")
        sys.exit(harness.SKIPPED)
    harness.main()
