#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests conf/nanet.yaml, in which registers control the traffic generators of four ports that send streams of
datagrams."""

import json
import shutil
import subprocess
import time
import unittest

import febctl
import harness
import metrics
from febctl import FEBCTL, free_port_pair
from free_ports import free_port
from harness import CONF, LIMIT

PACKETS, SIZE, GAP = 1000, 1024, 1000
CLOCK = 6.4e-9


class Nanet(harness.TestCase):
    def card(self, *overrides):
        """Starts softfeb with four idle generators, and waits until its registers respond."""
        self.port = free_port_pair()
        args = ["--set", "eal.hugepages=no", "--set", "boards.feb.traffic_gen.start=false", "--set", "run.duration=600s",
                "--set", f"boards.feb.control.registers_port={self.port}", "--set", f"boards.feb.control.stream_port={self.port + 1}"]
        for o in overrides:
            args += ["--set", o]
        run = self.start(CONF / "nanet.yaml", "-q", *args)
        self.addCleanup(self.end, run)
        end = time.monotonic() + LIMIT / 2
        while self.febctl_once("read", "AxiVersion.UpTimeCnt").returncode == 3:
            self.assertIsNone(run.process.poll())
            self.assertLess(time.monotonic(), end, "softfeb does not respond")
        return run

    @staticmethod
    def end(run):
        if run.process.poll() is None:
            run.process.kill()
        if not run.process.stdout.closed:
            run.process.communicate()

    def febctl_once(self, *args):
        argv = [FEBCTL, "--ip", "127.0.0.1", "--port", str(self.port), "--stream-port", str(self.port + 1), "--timeout", "3",
                *map(str, args)]
        return subprocess.run(argv, text=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)

    def febctl(self, *args):
        done = self.febctl_once(*args)
        self.assertEqual(done.returncode, 0, f"{args}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def value(self, name):
        return int(json.loads(self.febctl("--json", "read", name))[0]["value"])

    def burst(self, port, **registers):
        for name, value in registers.items():
            self.febctl("write", f"TrafficGen[{port}].{name}", value)
        self.febctl("write", f"TrafficGen[{port}].Start", 1)
        end = time.monotonic() + LIMIT / 2
        while self.value(f"TrafficGen[{port}].Busy") and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(self.value(f"TrafficGen[{port}].Sent"), registers["PacketCount"])

    def stop(self, run):
        run.signal()
        ended = run.finish()
        self.assertEqual(ended.status, 0, ended.err[-3000:] + ended.out[-2000:])
        self.assert_held(ended)
        return ended

    def test_registers_send_a_thousand_datagrams(self):
        capture = self.dir / "udp.pcap"
        run = self.card(f"ports.p1.capture={{file: {capture}, direction: tx}}")
        self.burst(1, PacketSize=SIZE, Gap=GAP, PacketCount=PACKETS)
        result = self.stop(run).result
        for i in range(4):
            sent, streams = result["boards"][i]["traffic_gen"], result["receivers"][i]["streams"]
            self.assertEqual((sent["datagrams"], sent["writes"]), (PACKETS if i == 1 else 0, 0))
            self.assertEqual((streams["datagrams"], streams["other_port"]), (PACKETS if i == 1 else 0, 0))
        self.assertEqual([s["datagrams"] for s in streams_of(result, 1)], [PACKETS / 4] * 4)
        wire = (SIZE + 66) * 0.8e-9
        expected = (PACKETS - 1) * (wire + GAP * CLOCK) + wire
        self.assertGreater(result["boards"][1]["traffic_gen"]["seconds"], expected - 1e-9)
        self.decode(capture)

    def decode(self, capture):
        if shutil.which("tshark") is None:
            self.skipTest("no tshark")
        fields = ["ip.dst", "udp.dstport", "udp.length", "ip.checksum.status", "udp.payload"]
        argv = ["tshark", "-r", str(capture), "-Y", "udp", "-o", "ip.check_checksum:TRUE", "-T", "fields"]
        for f in fields:
            argv += ["-e", f]
        rows = [line.split("\t") for line in subprocess.check_output(argv, text=True, stderr=subprocess.DEVNULL).splitlines()]
        self.assertEqual(len(rows), PACKETS)
        for n, (ip, port, length, checksum, payload) in enumerate(rows):
            self.assertEqual((ip, int(port), int(length), checksum), ("10.0.0.102", 6000 + n % 4, 8 + SIZE, "1"))
            self.assertEqual(bytes.fromhex(payload.replace(":", "")), bytes((n + k) % 256 for k in range(SIZE)))

    def test_metrics_follow_a_burst(self):
        page = free_port()
        run = self.card(f"run.web={page}")
        gen = lambda name, i=1: f'softfeb_traffic_gen_{name}{{board="feb.{i}"}}'
        stream = lambda name, reason: f'softfeb_stream_{name}_total{{receiver="gpu1",reason="{reason}"}}'
        before = metrics.wait(run, page, lambda m: gen("running") in m)
        self.assertEqual([before[gen(name)] for name in ("running", "bursts_total", "datagrams_total")], [0, 0, 0])
        self.febctl("write", "TrafficGen[1].PacketSize", SIZE)
        self.febctl("write", "TrafficGen[1].Gap", 10 * GAP)
        # Without PacketCount, the generator runs until Stop is written.
        self.febctl("write", "TrafficGen[1].Start", 1)
        metrics.wait(run, page, lambda m: m[gen("running")] == 1 and m[gen("datagrams_total")] > 0)
        self.febctl("write", "TrafficGen[1].Stop", 1)
        sent = self.value("TrafficGen[1].Sent")
        received = 'softfeb_stream_datagrams_total{receiver="gpu1"}'
        after = metrics.wait(run, page, lambda m: m[gen("running")] == 0 and m[received] == m[gen("datagrams_total")] == sent)
        self.assertEqual(after[gen("datagram_bytes_total")], SIZE * sent)
        self.assertEqual([after[gen("bursts_total", i)] for i in range(4)], [0, 1, 0, 0])
        result = self.stop(run).result
        self.assertEqual([b["traffic_gen"]["bursts"] for b in result["boards"]], [0, 1, 0, 0])
        streams = result["receivers"][1]["streams"]
        self.assertEqual(after['softfeb_stream_bytes_total{receiver="gpu1"}'], streams["bytes"])
        for reason in ("no_buffer", "too_long", "empty", "other_port"):
            self.assertEqual(after[stream("dropped_datagrams", reason)], streams[reason])
        # the result is written after the registers were read, so it may count more buffers
        for reason in ("full", "timeout", "end"):
            self.assertLessEqual(after[stream("closed_buffers", reason)], streams[reason])
        self.assertGreater(after[stream("closed_buffers", "timeout")] + after[stream("closed_buffers", "full")], 0)

    def test_registers_send_a_thousand_writes(self):
        run = self.card()
        self.burst(3, Mode=0, PacketSize=SIZE, Gap=GAP, Streams=4, PacketCount=PACKETS)
        result = self.stop(run).result
        self.assertEqual(result["boards"][3]["traffic_gen"]["writes"], PACKETS)
        receiver = result["receivers"][3]
        self.assertEqual((receiver["messages"], receiver["missing"], receiver["bytes_wrong"]), (PACKETS, 0, 0))
        self.assertEqual([q["messages"] for q in receiver["qps"]], [PACKETS / 4] * 4)

    def test_four_ports(self):
        # With a longer timeout, buffers fill up before they time out, even on a busy machine.
        changes = ["eal.hugepages=no", "run.duration=500ms", "boards.feb.control.listen=none", "boards.feb.control.in_band=true",
                   *(f"receivers.gpu{i}.streams.timeout=1s" for i in range(4))]
        result = self.run_softfeb(CONF / "nanet.yaml", "-q", *(a for c in changes for a in ("--set", c))).result
        for i in range(4):
            sent, streams = result["boards"][i]["traffic_gen"], result["receivers"][i]["streams"]
            self.assertGreater(streams["datagrams"], 0)
            self.assertLessEqual(streams["datagrams"] + streams["no_buffer"], sent["datagrams"])
            self.assertEqual(streams["bytes"], 8192 * streams["datagrams"])
            self.assertGreater(streams["full"], 0)
            self.assertEqual([s["port"] for s in streams_of(result, i)], [6000, 6001, 6002, 6003])
            times = [e["time_us"] for e in streams["events"]]
            self.assertEqual(times, sorted(times))


def streams_of(result, receiver):
    return result["receivers"][receiver]["streams"]["by_stream"]


del febctl  # otherwise its test cases would also run here

if __name__ == "__main__":
    unittest.main()
