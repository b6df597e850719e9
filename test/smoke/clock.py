# SPDX-License-Identifier: BSD-3-Clause
"""Checks rates and start times with an independent clock: the kernel's time stamps of packets on a veth pair. Requires root."""

import datetime
import math
import socket
import statistics
import struct
import subprocess
import sys
import time

import harness
import kernel_ports
from harness import board, qp

SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
# At the rate of 12.5 MB/s, PACKETS_PER_S packets of 4096 bytes are sent per second.
WAIT_S, RUN_S, PACKETS_PER_S = 10, 10, 3051.7578125


def record(interface, seconds):
    """Records UC packets for `seconds`. Then prints by how much the wall clock was slewed, and the kernel's
    time stamp (ns) of each packet."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    s.bind((interface, 0))
    s.settimeout(0.2)
    clocks = (time.CLOCK_REALTIME, time.CLOCK_MONOTONIC_RAW)
    begin = [time.clock_gettime_ns(c) for c in clocks]
    end, stamps = time.monotonic() + seconds, []
    print("ready", flush=True)
    while time.monotonic() < end:
        try:
            frame, auxiliary, _, _ = s.recvmsg(64, 64)
        except TimeoutError:
            continue
        if len(frame) > 42 and frame[42] >> 5 == harness.UC >> 5:
            stamps += [sec * 10**9 + ns for _, kind, data in auxiliary if kind == SO_TIMESTAMPNS
                       for sec, ns in [struct.unpack("qq", data)]]
    wall, raw = (time.clock_gettime_ns(c) - b for c, b in zip(clocks, begin))
    print(wall / raw - 1)
    print("\n".join(map(str, stamps)))


class TrueTime(harness.TestCase):
    def test_rate_and_start_on_the_capture_s_clock(self):
        """After 10 s of waiting, traffic begins within 100 µs of `start_at`. Over 10 s, its rate is correct
        to within 50 ppm.

        Preemption delays packets. For each second, the test therefore uses only the packet with the smallest
        delay relative to the schedule.
        """
        link = kernel_ports.Link()
        self.addCleanup(link.close)
        starts, rate_errors = [], []
        # One good start time and one good rate in five runs are enough: a busy machine can spoil some
        # measurements, but a wrong clock would spoil all.
        for _ in range(5):
            first, rate_error = self.measure(link)
            starts.append(first)
            rate_errors.append(rate_error)
            if min(map(abs, rate_errors)) < 50e-6 and min(map(abs, starts)) < 100e3:
                return
        self.fail("starts " + ", ".join(f"{s / 1e3:+.1f} us" for s in starts) +
                  "; rates " + ", ".join(f"{-e * 1e6:+.2f} ppm" for e in rate_errors))

    def measure(self, link):
        """Returns the start time (ns after `start_at`) and the relative error of the rate in one run."""
        code = f"import sys; sys.path.insert(0, {str(harness.ROOT / 'test/smoke')!r}); import clock; " \
               f"clock.record({link.far!r}, {WAIT_S + RUN_S + 3})"
        recorder = subprocess.Popen(["ip", "netns", "exec", link.namespace, sys.executable, "-c", code],
                                    stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: recorder.poll() is None and recorder.kill())
        self.assertEqual(recorder.stdout.readline(), "ready\n")
        start = math.ceil(time.time() + WAIT_S)
        at = datetime.datetime.fromtimestamp(start, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        to = {"ip": "10.0.0.2", "mac": "02:00:00:00:00:09", "qpn": 5, "rkey": 1, "address": 4096, "length": "64KiB"}
        config = {
            "run": {"start_at": at, "duration": f"{RUN_S}s"},
            "eal": {"hugepages": "no"},
            "workers": {"count": 1, "idle": "sleep"},
            "ports": [{"name": "feb", "device": f"net_af_packet:{link.near}", "mtu": 9000}],
            "boards": [{"port": "feb", **board(qp(to=to, transport="UC", traffic={"message_size": "4KiB", "rate": "100Mb/s"}))}],
        }
        run = self.start(config, prefix=link.prefix).finish(WAIT_S + RUN_S + 20)
        self.assertEqual(run.status, 0, run.err)
        slew, *stamps = recorder.communicate(timeout=30)[0].split()
        stamps = [int(s) for s in stamps]
        self.assertEqual(len(stamps), run.qps()[0]["tx_packets"])
        late = [stamp - start * 10**9 - n / PACKETS_PER_S * 1e9 for n, stamp in enumerate(stamps)]
        second = int(PACKETS_PER_S)
        first = min(late[:second])
        # A worker that is preempted for more than 100 ms does not catch up, which makes the rate of that
        # interval wrong. The median of rates over three seconds excludes such intervals.
        earliest = [min(late[i:i + second]) for i in range(0, len(late) - second + 1, second)]
        rate_error = statistics.median(b - a for a, b in zip(earliest, earliest[3:])) / (3e9 * second / PACKETS_PER_S) - float(slew)
        print(f"# start {first / 1e3:+.1f} us, rate {-rate_error * 1e6:+.2f} ppm, {len(stamps)} packets, "
              f"wall clock slewed by {float(slew) * 1e6:+.2f} ppm", file=sys.stderr)
        return first, rate_error


if __name__ == "__main__":
    harness.main()
