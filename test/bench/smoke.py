# SPDX-License-Identifier: BSD-3-Clause
"""Runs each command of softfeb-bench for a short time, to check that it works. The environment variable
SOFTFEB_BENCH contains the path of the program."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BENCH = os.environ["SOFTFEB_BENCH"]
BLINK = ["--runs", "1", "--duration", "2ms"]
TESTPMD = """#!/bin/sh
echo "  Tx-pps:            0          Tx-bps:            0"
echo "  Tx-pps:     20000000          Tx-bps:            0"
echo "  Tx-pps:     30000000          Tx-bps:            0"
"""


class Commands(unittest.TestCase):
    def bench(self, *arguments, path=None):
        env = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}") if path else None
        return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=60, check=False, env=env)

    def result(self, *arguments, path=None):
        r = self.bench(*arguments, path=path)
        self.assertEqual(r.returncode, 0, r.stderr)
        return json.loads(r.stdout)

    def test_craft(self):
        for options in (["--icrc", "full"], ["--transport", "uc", "--pmtu", "256"],
                        ["--workers", "2", "--qps", "100", "--active", "random", "--mixed-rates"]):
            r = self.result("craft", *options, *BLINK)
            for key in ("median_mpps", "min_mpps", "max_mpps", "runs", "median_payload_gbps", "bare", "engine_only",
                        "ratio_to_bare", "sampled", "sampling_ratio", "bytes_per_qp", "stolen_share"):
                self.assertIn(key, r)
            self.assertGreater(r["median_mpps"], 0)
            self.assertEqual(r["totals"]["refused"], 0)
        self.assertIn("ratio_to_one_worker", r)
        self.assertGreater(r["sampled"]["stamps"], 0)
        # Check the packets of all boards: the measured one and the reference boards.
        for board in (r, r["engine_only"], r["sampled"], r["few_qps"]):
            self.assertGreater(board["totals"]["packets"], 0)
            self.assertEqual((board["totals"]["refused"], board["totals"]["failed"]), (0, 0))

    def test_craft_without_a_port(self):
        r = self.result("craft", "--port", "none", "--no-pacing", *BLINK)
        self.assertNotIn("bare", r)
        self.assertGreater(r["totals"]["acks"], 0)

    def test_event_file(self):
        with tempfile.TemporaryDirectory() as folder:
            r = self.result("event-file", "--folder", folder, "--bytes", "8MiB", "--runs", "1")
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertEqual((r["written"], r["not_written"]), (r["events"], 0))
        self.assertEqual(r["bytes"], r["events"] * 143 * 4704)
        self.assertGreater(min(r["median_mb_per_s"], r["plain"]["median_mb_per_s"]), 0)

    def test_responder(self):
        r = self.result("responder", "--pmtu", "1024", *BLINK)
        self.assertEqual(r["totals"]["payload_bytes"], r["totals"]["bytes_checked"])
        self.assertGreater(r["totals"]["messages"], 0)

    def test_loop(self):
        r = self.result("loop", *BLINK)
        self.assertTrue(r["held"])
        self.assertEqual(r["totals"][0]["bytes_wrong"], 0)
        self.assertGreater(r["totals"][0]["messages"], 0)

    def test_latency(self):
        r = self.result("latency", "--pmtu", "256,4096", "--size", "1,5000", *BLINK)
        self.assertEqual([(x["pmtu"], x["message_bytes"]) for x in r["results"]],
                         [(256, 1), (256, 5000), (4096, 1), (4096, 5000)])
        self.assertGreater(r["results"][0]["latency_us"]["p50"]["median"], 0)

    def test_parts(self):
        self.assertGreater(self.result("crc", "--runs", "1", "--duration", "100us")["gbytes_per_s"]["4096"]["isal"]
                           ["median"], 0)
        r = self.result("dcqcn", "--runs", "1", "--duration", "100us")
        self.assertGreater(r["firmware_ns"]["packet_paced"]["median"], 0)

    def test_congestion(self):
        r = self.result("congestion", "--qps", "300", "--part", "100us", *BLINK)["algorithms"]
        for name in ("none", "firmware", "paper", "timely", "patched_timely", "swift", "hpcc"):
            self.assertIn(name, r)
        for name, a in r.items():
            for board in ("64_qps", "many_qps", "64_qps_without"):
                totals = a[board]["totals"]
                self.assertGreater(totals["packets"], 0, name)
                self.assertEqual((totals["refused"], totals["failed"]), (0, 0), name)
            self.assertGreater(a["ratio_to_64_qps"], 0)
            self.assertGreater(a["counted_bytes_per_qp"], 400)
        # TIMELY requests an acknowledgement every 16 KiB; Swift and HPCC request one with each packet.
        self.assertLess(r["none"]["acks_per_packet"], 0.1)
        self.assertAlmostEqual(r["timely"]["acks_per_packet"], 0.25, delta=0.05)
        for name in ("swift", "hpcc"):
            self.assertGreater(r[name]["acks_per_packet"], 0.9)
            self.assertGreater(r[name]["object_ns"]["ack"]["median"], 0)
            self.assertGreater(r[name]["64_qps_without"]["totals"]["acks"], 0.9 * r[name]["64_qps_without"]["totals"]["packets"])
        self.assertEqual(list(self.result("congestion", "--algorithms", "none,swift", "--qps", "64", *BLINK)["algorithms"]),
                         ["none", "swift"])

    def test_reaction(self):
        for options in (["--port", "ring"], ["--port", "null", "--transport", "uc", "--message", "1"]):
            r = self.result("reaction", "--runs", "1", "--duration", "10ms", *options)
            self.assertEqual(r["firmware_under_10_gbps"]["departures_before_model"]["max"], 0)
            c = r["paper_at_100_gbps"]
            for key in ("arrival_to_out_of_rx_burst_ns", "out_of_rx_burst_to_registered_ns", "arrival_to_new_spacing_ns"):
                self.assertIn(key, c)
            self.assertLessEqual(c["arrival_to_new_spacing_undisturbed_ns"]["count"]["max"],
                                 c["arrival_to_new_spacing_ns"]["count"]["max"])

    def test_references(self):
        with tempfile.TemporaryDirectory() as folder:
            testpmd = Path(folder) / "dpdk-testpmd"
            testpmd.write_text(TESTPMD)
            testpmd.chmod(0o755)
            r = self.result("references", "--seconds", "1", "--no-scapy", path=folder)
            self.assertEqual(r["testpmd_txonly"]["runs"], [20.0, 30.0])
            testpmd.write_text("#!/bin/sh\necho EAL: Error\n")
            r = self.bench("references", "--no-scapy", path=folder)
            self.assertEqual(r.returncode, 3)
            self.assertIn("EAL: Error; install the Debian package", r.stderr)

    def test_what_is_wrong_is_refused(self):
        for arguments in (["craft", "--pmtu", "1500"], ["craft", "--workers", "2", "--port", "none"],
                          ["loop", "--duration", "5"], ["latency", "--size", "0"], ["craft", "--qps", "0"], ["nothing"],
                          []):
            r = self.bench(*arguments)
            self.assertEqual(r.returncode, 2, arguments)
            self.assertNotEqual(r.stderr, "")
        r = self.bench("craft", "--port", "none", *BLINK, "--json", "/nowhere/x.json")
        self.assertEqual(r.returncode, 3)
        self.assertIn("/nowhere/x.json", r.stderr)


if __name__ == "__main__":
    unittest.main()
