#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests febctl with `softfeb run -c conf/board.yaml`: registers, files, a burst to a receiver in
softfeb's process, and the data stream."""

import json
import os
import subprocess
import sys
import time

import harness
from harness import CONF, LIMIT

sys.path.insert(0, str(harness.ROOT / "test/support"))
from free_ports import free_port_pair  # noqa: E402

FEBCTL = os.environ.get("FEBCTL", str(harness.ROOT / "build/app/febctl/febctl"))


class Febctl(harness.TestCase):
    """All tests of this class use the same board. No test depends on values that another test writes."""

    @classmethod
    def setUpClass(cls):
        cls.port = free_port_pair()
        control = "boards.feb0.control"
        cls.softfeb = harness.Softfeb(
            ["run", "-c", str(CONF / "board.yaml"), "--set", f"{control}.registers_port={cls.port}", "--set",
             f"{control}.stream_port={cls.port + 1}", "--set", "eal.hugepages=no", "--set", "workers.idle=sleep", "-q"],
            harness.ROOT)
        end = time.monotonic() + 30
        while cls.febctl_once("read", "AxiVersion.UpTimeCnt").returncode == 3:
            assert cls.softfeb.process.poll() is None, cls.softfeb.process.communicate()
            assert time.monotonic() < end, "softfeb does not respond"

    @classmethod
    def tearDownClass(cls):
        cls.softfeb.signal()
        run = cls.softfeb.finish()
        assert run.status == 0, (run.status, run.err[-2000:])

    @classmethod
    def febctl_once(cls, *args, cwd=None):
        argv = [FEBCTL, "--ip", "127.0.0.1", "--port", str(cls.port), "--stream-port", str(cls.port + 1), "--timeout", "3", *args]
        return subprocess.run(argv, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=LIMIT, cwd=cwd)

    def febctl(self, *args, status=0):
        done = self.febctl_once(*map(str, args), cwd=self.dir)
        self.assertEqual(done.returncode, status, f"{args}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout if status == 0 else done.stdout + done.stderr

    def ask(self, *args, status=0):
        done = self.febctl_once("--json", *map(str, args), cwd=self.dir)
        self.assertEqual(done.returncode, status, f"{args}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return json.loads(done.stdout)

    def value(self, name):
        return self.ask("read", name)[0]["value"]

    def test_read_and_write(self):
        self.febctl("write", "AxiVersion.ScratchPad", "0xc6c2f69e")
        self.assertEqual(self.value("ScratchPad"), 0xC6C2F69E)
        self.assertEqual(self.ask("read", "0x4")[0]["words"], [0xC6C2F69E])
        self.assertEqual(self.value("UdpEngine.ClientRemotePort"), 4791)
        self.assertEqual(len(self.ask("read", "0x80010000:1024")[0]["words"]), 256)
        self.febctl("write", "0x80010000", "1,2,3", "AppMem.DataBlock[3]", "4")
        self.assertEqual(self.value("AppMem.DataBlock")[:5], [1, 2, 3, 4, 0])

    def test_neighbours_stay(self):
        before = self.value("Dcqcn.AlphaG")
        self.febctl("write", "Dcqcn.DecGain", "9")
        self.assertEqual((self.value("Dcqcn.AlphaG"), self.value("Dcqcn.DecGain")), (before, 9))

    def test_nothing_is_sent_that_is_wrong(self):
        self.febctl("write", "ScratchPad", "77")
        for words, hint in (
                (("ScratchPad", "1", "AxiVersion.UpTimeCnt", "2"), "read-only"),
                (("ScratchPad", "1", "AxiVersion.ScratchPat", "2"), "did you mean Root.Core.AxiVersion.ScratchPad"),
                (("ScratchPad", "0x100000000"), "32 bits"),
                (("ScratchPad", "1", "ScratchPad"), "no value")):
            self.assertIn(hint, self.febctl("write", *words, status=2))
        self.assertEqual(self.value("ScratchPad"), 77)

    def test_refused(self):
        self.assertIn("0x70000000", self.febctl("read", "0x70000000", status=1))

    def test_nobody_there(self):
        self.assertIn("127.0.0.1", self.febctl("--port", free_port_pair(), "--timeout", "0.5", "read", "0", status=3))

    def test_dump_and_load(self):
        self.febctl("write", "ScratchPad", "0x1234", "AppTx.FrameSize", "77")
        everything = self.ask("dump")
        self.assertGreater(len(everything), 300)
        self.assertEqual(everything["Root.Core.AxiVersion.ScratchPad"], 0x1234)
        self.febctl("dump", "--yaml", "-o", "board.yaml")
        self.febctl("write", "ScratchPad", "1", "AppTx.FrameSize", "1")
        self.febctl("load", "board.yaml")
        self.assertEqual((self.value("ScratchPad"), self.value("AppTx.FrameSize")), (0x1234, 77))

    def test_load_is_all_or_nothing(self):
        self.febctl("write", "ScratchPad", "5")
        (self.dir / "bad.yaml").write_text("AxiVersion:\n  ScratchPad: 6\nRoceDispatcher:\n  Lenn: 3\n")
        self.assertIn("bad.yaml:4: RoceDispatcher.Lenn", self.febctl("load", "bad.yaml", status=2))
        self.assertEqual(self.value("ScratchPad"), 5)

    def test_watch(self):
        lines = self.febctl("read", "ScratchPad", "--watch", "0.01", "--times", "3").split()
        self.assertEqual(lines.count("Root.Core.AxiVersion.ScratchPad"), 3)

    def test_status(self):
        text = self.febctl("status")
        for words in ("BuildStamp", "OPEN_S", "Dcqcn.Rc", "SuccessCounter"):
            self.assertIn(words, text)

    def test_burst(self):
        """Makes two connections, one after the other. The second connection must be able to
        use the board's resources that the first one has released."""
        for _ in range(2):
            side = ["--host", "192.168.2.100", "--qpn", "0x11", "--rkey", "0x1234", "--address", "0x7f0000000000",
                    "--length", "1MiB", "--psn", "0x654321"]
            made = self.ask("connect", *side)
            self.assertIn("febctl teardown", self.febctl("connect", *side, status=1))
            done = self.ask("dispatch", "--count", 500, "--reset")
            self.assertEqual((done["completed"], done["SuccessCounter"], done["length"]), (500, 500, 4096))
            self.assertEqual(self.value("RoceDispatcher.SQpn"), made["board"]["qpn"])
            self.assertEqual(self.ask("teardown")["qpn"], made["board"]["qpn"])
        self.febctl("dispatch", "--count", 3, "--limit", "2", status=1)

    def test_stream(self):
        for words in (65536, 4096, 1):
            got = self.ask("stream", "--seconds", "0.5", "--size", words)
            self.assertEqual((got["wrong"], got["damaged"], got["frame_bytes"]), (0, 0, 8 * words))
            self.assertGreater(got["frames"], 1)
        self.assertIs(self.value("AppTx.ContinuousMode"), False)


class StandIn(harness.TestCase):
    """A board without configured queue pairs: febctl creates them over the metadata bus."""

    def test_time_and_goodput_of_sessions(self):
        port, result = free_port_pair(), self.dir / "result.json"
        control = "boards.feb0.control"
        softfeb = harness.Softfeb(
            ["run", "-c", str(CONF / "stand-in.yaml"), "--json", str(result), "--set", f"{control}.registers_port={port}",
             "--set", f"{control}.stream_port={port + 1}", "--set", "eal.hugepages=no"], self.dir, result)
        self.addCleanup(lambda: softfeb.process.poll() is None and softfeb.process.kill())
        board = [FEBCTL, "--ip", "127.0.0.1", "--port", str(port), "--stream-port", str(port + 1), "--timeout", "3"]
        end = time.monotonic() + 30
        while subprocess.run([*board, "read", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
            self.assertIsNone(softfeb.process.poll())
            self.assertLess(time.monotonic(), end, "softfeb does not respond")
        time.sleep(1)  # idle time before and after the transfers must not count as measured time
        host = ["--host", "192.168.2.100", "--qpn", "0x11", "--rkey", "0x1234", "--address", "0x7f0000000000", "--length", "1MiB"]
        began = time.monotonic()
        for command in (["connect", *host], ["dispatch", "--count", "20000", "--reset"], ["teardown"]) * 2:
            done = subprocess.run([*board, *command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        took = time.monotonic() - began
        time.sleep(1)
        softfeb.signal()
        run = softfeb.finish()
        self.assertEqual(run.status, 0, run.err[-2000:] + run.out)
        made, = run.qps()
        self.assertEqual((made["made_by"], made["messages_completed"]), ("bus", 40000))
        self.assertLess(0, made["measured_s"])
        self.assertLess(made["measured_s"], took)
        # The measurement begins when the first messages complete, so these messages are not counted.
        self.assertLess(40000 * 4096 - made["measured_payload_bytes"], 64 * 4096)
        self.assertGreater(40000 * 4096, made["measured_payload_bytes"])
        self.assertAlmostEqual(made["goodput_gbps"], made["measured_payload_bytes"] * 8e-9 / made["measured_s"], places=9)
        self.assertGreater(made["tx_payload_gbps"], 0)
        whole, one = run.result, run.result["boards"][0]
        self.assertAlmostEqual(whole["measured_s"], made["measured_s"], places=9)
        self.assertEqual([whole["goodput_gbps"], one["goodput_gbps"]], [made["goodput_gbps"]] * 2)
        self.assertEqual(one["summary"]["goodput_gbps"]["max"], made["goodput_gbps"])
        self.assertIn(f"\n{made['goodput_gbps']:.3f} Gb/s of payload over {made['measured_s']:.3f} s", run.out)
        self.assertNotIn("No rate was measured", run.out)
        self.assertRegex(run.out, rf"feb0 .* M +{made['goodput_gbps']:.3f} .*by bus")


class Usage(harness.TestCase):
    """Tests that need no board."""

    def febctl(self, *args, status):
        done = subprocess.run([FEBCTL, *args], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT,
                              cwd=self.dir)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_help(self):
        for command in ("", "read", "write", "list", "dump", "load", "status", "connect", "dispatch", "teardown", "session", "stream"):
            self.assertIn("--help", self.febctl(*command.split(), "--help", status=0))

    def test_mistakes(self):
        self.assertIn("did you mean read", self.febctl("raed", status=2))
        self.assertIn("--ip", self.febctl("read", "ScratchPad", status=2))
        self.assertIn("IP address", self.febctl("--ip", "nobody", "read", "ScratchPad", status=2))
        self.assertIn("kcu105-rocev2-2026.05", self.febctl("--profile", "old", "list", status=2))
        self.febctl("--ip", "127.0.0.1", "read", status=2)
        for other in (("--limit", "5"), ("--wait",)):
            self.assertIn("--no-wait", self.febctl("--ip", "127.0.0.1", "dispatch", "--no-wait", *other, status=2))
        self.febctl("--ip", "127.0.0.1", "--port", "65536", "read", "0", status=2)

    def test_list(self):
        self.assertIn("0x00000004  Root.Core.AxiVersion.ScratchPad", self.febctl("list", status=0))
        self.assertEqual(len(json.loads(self.febctl("list", "AxiVersion", "--json", status=0))), 12)


if __name__ == "__main__":
    harness.main()
