# SPDX-License-Identifier: BSD-3-Clause
"""With `idle: sleep`, a worker leaves the CPU to other processes while a board only answers
register polls, and wakes up when a packet arrives. Requires root."""

import os
import signal
import socket
import statistics
import struct
import sys
import time

import harness
import kernel_ports
import srp_client
from harness import board, receiver
from kernel_ports import BOARD_MAC, Link, checksum

BOARD = "10.0.0.1"
KERNEL = "10.0.0.9"  # address of the kernel on the same interface
POLLED = (0x00000000, 0x00000004, 0x00110004)  # FpgaVersion, ScratchPad, and a register whose reads involve the data path
POLL_S, POLLS_PER_S = 4, 5
ATTEMPTS = 5  # on a busy machine, a comparison of latencies in the microsecond range may fail


def poll(address, seconds):
    """Reads three registers POLLS_PER_S times per second, as PyRogue does. Returns the number of reads that were answered."""
    reads, end = 0, time.monotonic() + seconds
    with srp_client.Srp(address) as srp:
        while time.monotonic() < end:
            reads += sum(len(srp.read(register)) == 4 for register in POLLED)
            time.sleep(1 / POLLS_PER_S)
    return reads


def round_trips(address, idle, count):
    """Returns the lower quartile of the round-trip times (s) of ICMP echo requests. Each request is sent
    after a pause of `idle` seconds.

    A busy machine delays many replies, but hardly affects the lower quartile. If a worker slept for a fixed
    time, it would delay at least three out of four replies, and the lower quartile would therefore rise."""
    s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    s.settimeout(2)
    times = []
    for n in range(count + 1):
        header = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xFFFF, n)
        time.sleep(idle)
        sent = time.monotonic()
        s.sendto(header[:2] + struct.pack("!H", checksum(header)) + header[4:], (address, 0))
        while s.recv(2048)[20:28][:1] != b"\0":
            pass
        times.append(time.monotonic() - sent)
    return statistics.quantiles(times[1:], n=4)[0]  # the first round trip also includes address resolution


class Idle(harness.TestCase):
    def cpu_share(self, softfeb, seconds, meanwhile):
        """Returns the share of one CPU that softfeb uses while the function `meanwhile` polls for `seconds`.
        Checks that each register was read at least once per second."""
        ticks = os.sysconf("SC_CLK_TCK")
        def used():
            with open(f"/proc/{softfeb.process.pid}/stat", encoding="ascii") as stat:
                fields = stat.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / ticks
        before, began = used(), time.monotonic()
        answered = meanwhile()
        self.assertGreaterEqual(int(answered), len(POLLED) * seconds)
        return (used() - before) / (time.monotonic() - began)

    def started(self, config, prefix=()):
        softfeb = self.start({**config, "run": {"duration": "120s"}}, prefix=prefix)
        self.addCleanup(lambda: softfeb.process.poll() is None and softfeb.process.kill())
        for line in softfeb.process.stderr:
            if line.startswith("memory: "):
                time.sleep(0.5)
                return softfeb
        self.fail(f"status {softfeb.finish().status} before it began")

    def end(self, softfeb):
        softfeb.signal(signal.SIGTERM)
        self.assertEqual(softfeb.finish().status, 0)

    def test_polled_over_sockets(self):
        """Two workers at the ends of a ring use less than 5 % of a CPU while a client polls registers at an address of this host."""
        config = harness.ring([board(control={"listen": "127.0.0.1", "responder": "daq"})], [receiver()], workers=2)
        softfeb = self.started(config)
        share = self.cpu_share(softfeb, POLL_S, lambda: poll("127.0.0.1", POLL_S))
        print(f"# {share:.1%} of a CPU", file=sys.stderr)
        self.assertLess(share, 0.05)
        self.end(softfeb)

    def test_polled_at_the_board_s_own_address(self):
        """A worker at a kernel interface, which also carries slow control, uses less than 5 % of a CPU.

        After a pause of one second, the worker sleeps; after a pause of 0.2 ms, it still polls. A worker that
        sleeps may answer a packet at most 100 µs later than a worker that polls. The time that the machine's
        CPU needs to wake up is subtracted."""
        link = Link()
        self.addCleanup(link.close)
        kernel_ports.ip("-n", link.softfebs, "addr", "add", f"{KERNEL}/24", "dev", link.near)
        softfeb = self.started({
            "eal": {"hugepages": "no"},
            "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "feb", "device": f"net_af_packet:{link.near}", "mtu": 9000}],
            "boards": [{"port": "feb", "mac": BOARD_MAC,
                        **board(control={"listen": "none", "in_band": True, "allow": ["10.0.0.0/24"]})}],
        }, link.prefix)
        inside = lambda function, *args: link.inside_of("idle", function, *args)
        share = self.cpu_share(softfeb, POLL_S, lambda: inside(poll, BOARD, POLL_S))
        def later_after_rest(address):
            awake, asleep = (float(inside(round_trips, address, *rest)) for rest in ((0.0002, 200), (1, 8)))
            print(f"# {address} answered after {awake * 1e6:.0f} us, after a second of rest {asleep * 1e6:.0f} us", file=sys.stderr)
            return asleep - awake
        print(f"# {share:.1%} of a CPU", file=sys.stderr)
        later = []
        for _ in range(ATTEMPTS):
            later.append(later_after_rest(BOARD))
            # The CPUs of some machines take long to wake up from an idle state. The delay of the kernel's own
            # replies shows how long.
            if later[-1] >= 100e-6:
                later[-1] -= max(0.0, later_after_rest(KERNEL))
            if later[-1] < 100e-6:
                break
        self.assertLess(share, 0.05)
        self.assertLess(min(later), 100e-6)
        self.end(softfeb)


if __name__ == "__main__":
    harness.own_network()
    harness.main()
