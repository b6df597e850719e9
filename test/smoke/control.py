# SPDX-License-Identifier: BSD-3-Clause
"""Tests slow control as a client sees it: registers over real UDP, bursts, access control, floods."""

import csv
import os
import random
import signal
import socket
import struct
import time

import harness
import srp_client
from harness import CONF, ROOT
from srp_client import CHECKER, DECERR, REGISTERS, STREAM, BusError, Closed, Frames, Rssi, Srp, Verbs

REGMAP = ROOT / "test/vectors/control/regmap_board.csv"
SCRATCH = 0x00000004
CLIENT_IP = 0x00110004
CLOSE_CONN = 0x00120000
LOCAL_IP = 0x00110FF4
HOST = 0xC0A80264  # 192.168.2.100


setUpModule = harness.own_network


def rows():
    with open(REGMAP, newline="", encoding="utf-8") as f:
        return [{**r, "address": int(r["address"], 16), "bit": int(r["bit_offset"]), "bits": int(r["bit_size"])}
                for r in csv.DictReader(f)]


def resident(pid):
    """Returns the resident memory of a process in bytes."""
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Control(harness.TestCase):
    def serve(self, config=CONF / "stand-in.yaml", *args, host="127.0.0.1"):
        """Starts softfeb and waits until it responds. The test stops softfeb at its end."""
        run = self.start(config, *args)
        self.addCleanup(self.end, run)
        end = time.monotonic() + harness.LIMIT / 2
        while True:
            try:
                Srp(host, open_within=0.3).close()
                return run
            except Closed:
                if run.process.poll() is not None or time.monotonic() > end:
                    self.fail(run.finish().err)

    @staticmethod
    def end(run):
        if run.process.poll() is None:
            run.process.kill()
        if not run.process.stdout.closed:
            run.process.communicate()

    def stop(self, run, status=0):
        run.signal(signal.SIGINT)
        ended = run.finish()
        self.assertEqual(ended.status, status, ended.err[-3000:] + ended.out[-2000:])
        return ended

    def test_every_register_of_the_map_answers(self):
        run = self.serve()
        with Srp() as srp:
            for row in rows():
                size = (row["bit"] + row["bits"] + 31) // 32 * 4
                with self.subTest(row["path"]):
                    if row["mode"] != "WO":
                        self.assertEqual(len(srp.read(row["address"], size)), size)
                    if row["mode"] == "RW":
                        srp.write(row["address"], srp.read(row["address"], size))
                    if row["mode"] == "WO":
                        srp.write(row["address"], b"\0" * size)
            for hole in (0x90000000, 0x00150F50, 0x000FFFFC, 0xFFFFFFFC):
                with self.assertRaises(BusError, msg=f"{hole:#x}") as e:
                    srp.read(hole)
                self.assertEqual(e.exception.status & 3, DECERR)
            self.assertEqual(srp.get(CLIENT_IP), 0)
        ended = self.stop(run)
        control = ended.result["boards"][0]["control"]
        self.assertGreater(control["accesses"], 379)
        self.assertEqual((control["malformed"], control["bus_errors"]), (0, 4))
        self.assertEqual(control["registers"]["connections"], 2)

    def test_reads_in_a_burst_and_words_that_are_kept(self):
        self.serve()
        with Srp() as srp:
            readable = [r for r in rows() if r["mode"] != "WO"]
            begun = [srp.begin(0, r["address"], (r["bit"] + r["bits"] + 31) // 32 * 4) for r in readable[:260]]
            for request in begun:
                srp.end(request)
            srp.set(SCRATCH, 0xC6C2F69E)
            words = struct.pack("<256I", *range(256))
            memory = next(r["address"] for r in rows() if r["path"].endswith("AppMem.DataBlock"))
            srp.write(memory, words)
            self.assertEqual(srp.read(memory, 1024), words)
            srp.post(SCRATCH, struct.pack("<I", 7))
            self.assertEqual(srp.get(SCRATCH), 7)

    def burst(self, srp, key, expected, length=4096, count=1000):
        srp_client.dispatch(srp, length, count, 0x1234, 0x7F0000000000, 256, 0x11, key)
        self.assert_completes(srp, expected)

    def assert_completes(self, srp, expected):
        end = time.monotonic() + 20
        while srp.get(CHECKER + 0xF00) < expected and time.monotonic() < end:
            srp.link.pump(0.02)
        self.assertEqual((srp.get(CHECKER + 0xF00), srp.get(CHECKER + 0xF04)), (expected, 0))

    def test_queue_pair_through_the_registers_and_a_thousand_writes(self):
        run = self.serve()
        with Srp() as srp:
            srp.write(CLIENT_IP, HOST.to_bytes(4, "big"))
            verbs = Verbs(srp)
            session = verbs.connect(0x11, 0x123456, 0x654321, 4096 * 256)
            self.burst(srp, session[1], 1000)
            self.assertEqual(verbs.pd(1, 1)[0], 0, "a second PD")
            self.burst(srp, session[1], 2000, length=9000)
            verbs.disconnect(*session)
            session = verbs.connect(0x12, 1, 0xFFFFF0, 4096 * 256)
            self.burst(srp, session[1], 3000)
            verbs.disconnect(*session)
        ended = self.stop(run)
        self.assert_held(ended)
        made, got = ended.qps()[0], ended.result["receivers"][0]
        self.assertEqual((made["made_by"], made["messages_completed"], made["messages_failed"]), ("bus", 3000, 0))
        self.assertEqual(made["tx_payload_bytes"], 2000 * 4096 + 1000 * 9000)
        self.assertEqual((got["messages"], got["immediates"], got["bytes_wrong"]), (3000, 3000, 0))

    def test_why_connections_closed_is_in_the_result(self):
        run = self.serve()
        client, (registers, stream) = srp_client.start_stay()
        time.sleep(1.2)  # longer than the null timeout, so the link stays up only if the client sends NUL segments
        client.kill()
        client.communicate()
        time.sleep(1.5)  # longer than the null timeout (1 s), so the board closes the links
        with Srp() as srp, self.assertRaises(Closed):
            srp.write(CLOSE_CONN, struct.pack("<I", 1 << 1))
        goes = Srp()
        goes.close()
        with Srp() as srp:
            stays = "{}:{}".format(*srp.link.socket.getsockname())
            ended = self.stop(run)
        for link, peer in (("registers", registers), ("stream", stream)):
            self.assert_null_timeout(ended, link, peer, "socket")
        link = ended.result["boards"][0]["control"]["registers"]
        by_peer = {c["peer"]: c for c in link["closed"]}
        self.assertEqual((by_peer[stays]["code"], by_peer[stays]["reason"]), ("shutdown", "shutdown: softfeb ended"))
        self.assertRegex(by_peer[stays]["at"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual([c["code"] for c in link["closed"]],
                         ["peer_reset", "null_timeout", "close_register", "peer_reset", "shutdown"])
        self.assertEqual(link["closed_by_reason"], {"peer_reset": 2, "null_timeout": 1, "close_register": 1, "shutdown": 1})
        self.assertEqual(sum(link["closed_by_reason"].values()), link["connections"])

    def test_the_log_of_many_closed_connections_is_short(self):
        run = self.serve()
        for _ in range(40):
            time.sleep(0.06)  # keeps the rate of connections below max_connects_per_second
            Srp().close()
        ended = self.stop(run)
        link = ended.result["boards"][0]["control"]["registers"]
        self.assertEqual((link["closed_by_reason"], len(link["closed"])), ({"peer_reset": 41}, 16))
        lines = [line for line in ended.err.splitlines() if "connection closed" in line]
        self.assertLess(len(lines), 20, ended.err)
        held_back = sum(int(line.split()[0]) for line in ended.err.splitlines() if " more connections closed" in line)
        self.assertEqual(len(lines) + held_back, 41, ended.err)

    def test_board_of_the_tree_serves_while_it_sends(self):
        run = self.serve(CONF / "board.yaml")
        with Srp() as srp:
            self.assertEqual(srp.read(CLIENT_IP), HOST.to_bytes(4, "big"))
            session = Verbs(srp).connect(0x11, 0x123456, 0x654321, 4096 * 256)
            srp_client.dispatch(srp, 4096, 1000, 0x1234, 0x7F0000000000, 256, 0x11, session[1])
            for row in (r for r in rows() if ".Dcqcn." in r["path"] and r["mode"] == "RW" and r["bits"] >= 8):
                value = srp.get(row["address"], row["bit"], row["bits"]) // 2
                srp.set(row["address"], value, row["bit"], row["bits"])  # set() also reads the value back
            self.assert_completes(srp, 1000)
        ended = self.stop(run)
        self.assert_held(ended)
        self.assertEqual([qp.get("made_by") for qp in ended.qps()], [None, "bus"])
        self.assertGreater(ended.qps()[0]["messages_completed"], 0)
        self.assertIn("by bus", ended.out)
        self.assertIn("registers and stream at 127.0.0.1 UDP 8192 and 8193", ended.err)

    def test_messages_end_a_run_whose_board_is_served(self):
        run = self.run_softfeb(CONF / "board.yaml", "--messages", "50", "--set", "boards.feb0.qps.0.traffic.rate=max")
        self.assertEqual(run.qps()[0]["messages_completed"], 50)

    def test_stream_of_frames(self):
        self.serve()
        sizes = []
        with Srp() as srp, Rssi("127.0.0.1", STREAM, max_segment=8964) as stream:
            frames = Frames(lambda frame: sizes.append((len(frame), frame[8:16])))
            stream.on_segment = frames.take
            stream.open()
            self.assertEqual((stream.max_segment, stream.max_outstanding), (8192, 32))
            srp.set(0x80000000, 0xFFF)
            srp.write(0x80000004, struct.pack("<I", 10))
            end = time.monotonic() + 10
            while len(sizes) < 10 and time.monotonic() < end:
                stream.pump(0.01)
            srp.link.pump(0.01)
            self.assertEqual(sizes, [(0xFFF * 8, struct.pack("<Q", 1))] * 10)

    def test_only_the_networks_of_the_list_may_connect(self):
        run = self.serve(CONF / "stand-in.yaml", "--set", "boards.feb0.control.allow=[127.0.0.1/32]")
        with self.assertRaises(Closed):
            Srp(source="127.0.0.2", open_within=0.5)
        with Srp(source="127.0.0.1") as srp:
            srp.get(SCRATCH)
        control = self.stop(run).result["boards"][0]["control"]
        self.assertGreater(control["registers"]["not_allowed"], 2)

    def test_clients_come_and_go(self):
        run = self.serve()
        first = Srp()
        first.set(SCRATCH, 1)
        # A second client can take over when the first client has been connected for some seconds, so no client waits forever.
        with Srp(open_within=5) as second:
            self.assertEqual(second.get(SCRATCH), 1)
            second.set(SCRATCH, 2)
        # If a client disappears silently, the link is free again after the null timeout.
        third = Srp(open_within=5)
        third.link.socket.close()
        with Srp(open_within=5) as fourth:
            self.assertEqual(fourth.get(SCRATCH), 2)
        self.stop(run)
        run = self.serve()
        with Srp() as srp:
            self.assertNotEqual(srp.get(SCRATCH), 2, "another process")
            self.stop(run)
            with self.assertRaises(Closed):
                srp.get(SCRATCH)

    def test_garbage_and_floods_leave_the_connection_alone(self):
        run = self.serve(CONF / "stand-in.yaml", "--set", "boards.feb0.control.max_connects_per_second=20")
        generator = random.Random(4)
        with Srp() as srp:
            srp.set(SCRATCH, 5)
            before = resident(run.process.pid)
            floods = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(20)]
            for s in floods:
                s.connect(("127.0.0.1", REGISTERS))
            syn = bytearray(struct.pack("!BBBBBBHHHHBBBBI", 0x80, 24, 1, 0, 0x1C, 32, 1464, 20, 5, 1000, 15, 2, 0, 3, 0))
            syn += struct.pack("!H", srp_client.checksum(bytes(syn) + b"\0\0"))
            for turn in range(100):
                for s in floods:
                    s.send(bytes(syn))
                    s.send(generator.randbytes(generator.randrange(0, 1400)))
                    s.send(bytes([0x40, 8]) + generator.randbytes(6 + generator.randrange(0, 64)))
                srp.link.pump(0.002)
                self.assertEqual(srp.get(SCRATCH), 5, f"after {turn}")
            self.assertLess(resident(run.process.pid) - before, 16 << 20)
            for s in floods:
                s.close()
        self.stop(run)

    def test_a_camera_of_boards(self):
        begun = time.monotonic()
        run = self.serve(CONF / "camera-control.yaml", host="127.0.0.143")
        print(f"143 boards: the last one answers after {time.monotonic() - begun:.2f} s, "
              f"{resident(run.process.pid) / 1e6:.0f} MB resident")
        for n in (1, 2, 77, 143):
            with Srp(f"127.0.0.{n}") as srp:
                srp.set(SCRATCH, n)
        addresses = set()
        for n in (1, 2, 77, 143):
            with Srp(f"127.0.0.{n}") as srp:
                self.assertEqual(srp.get(SCRATCH), n)
                addresses.add(srp.read(LOCAL_IP))
        self.assertEqual(addresses, {bytes([10, 10, 0, n]) for n in (1, 2, 77, 143)})
        self.stop(run)

    def test_an_address_that_is_taken_is_said(self):
        taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(taken.close)
        taken.bind(("127.0.0.1", STREAM))
        run = self.run_softfeb(CONF / "stand-in.yaml", "--duration", "1", status=3)
        self.assertIn("127.0.0.1:8193", run.err)


if __name__ == "__main__":
    harness.main()
