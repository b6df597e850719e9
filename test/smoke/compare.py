#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests `softfeb lab compare`, which runs one experiment with several algorithms. Checks the table, the
result and the page, and that wrong input is refused."""

import csv
import json

import harness
from report import Page

LAB = """
lab:
  title: Two boards & one port
  bottleneck: tor.daq
  checks: {dropped: 0, queue_bytes_max: %s}
network:
  switches: [{name: tor, buffer: 4MiB}]
  links:
    - {ends: [feb, tor], rate: 10Gb/s, delay: 500ns}
    - {ends: [tor, daq], rate: 10Gb/s, delay: 500ns}
run: {duration: 20ms}
boards:
  - name: feb
    count: 2
    ip: 10.0.0.1/24
    congestion: {algorithm: swift, initial_cwnd: 4}
    qps: [{to: daq, pmtu: 4096, traffic: {%s}}]
receivers:
  - {name: daq, ip: 10.0.0.101/24}
"""


class Compare(harness.TestCase):
    def compare(self, algorithms, *args, status=0, queue="4MiB", traffic="message_size: 64KiB"):
        path = self.config(LAB % (queue, traffic), "lab.yaml")
        command = ["lab", "compare", "-c", str(path), "--json", str(self.dir / "result.json"), *args]
        if algorithms:
            command += ["--algorithms", algorithms]
        run = harness.Softfeb(command, self.dir, self.dir / "result.json").finish(100)
        self.assertEqual(run.status, status, f"\n{run.err}\n{run.out}")
        return run

    def test_result_and_table(self):
        run = self.compare("")  # without a list, all algorithms are compared
        self.assertEqual(run.result["verdict"], "held")
        self.assertEqual(run.result["bottleneck"], "tor.daq")
        runs = {r["name"]: r for r in run.result["runs"]}
        self.assertEqual([r["algorithm"] for r in run.result["runs"]], ["firmware", "timely", "patched_timely", "swift", "hpcc", "homa"])
        for name, r in runs.items():
            with self.subTest(name):
                self.assertEqual(r["verdict"], "held")
                self.assertGreater(r["goodput_gbps_run"], 0.5)
                self.assertLessEqual(r["queue_bytes_mean_run"], r["queue_bytes_max"])
                self.assertEqual(r["rtt_us"] is not None, name in ("timely", "patched_timely", "swift"))
                self.assertEqual(r["ecn_marked"] > 0, name == "dcqcn")
                self.assertEqual(r["figures"]["totals"]["retransmitted"], r["retransmitted"])
                self.assertTrue(all(c["held"] for c in r["checks"]))
        self.assertIn("network.switches.tor.int=on", runs["hpcc"]["switched_on"])
        self.assertEqual(runs["homa"]["switched_on"], ["network.switches.tor.priorities=8", "boards.feb.cc_header=on",
                                                       "receivers.daq.cc_header=on"])
        self.assertEqual(runs["swift"]["switched_on"], [])
        self.assertEqual(run.result["unfit"], [])
        lines = run.out.splitlines()
        heads = next(line for line in lines if line.startswith("Two boards"))
        self.assertEqual(heads.split()[-6:], list(runs))
        goodput = next(line for line in lines if line.startswith("goodput"))
        self.assertEqual([float(v) for v in goodput.split()[-6:]], [round(r["goodput_gbps_run"], 3) for r in run.result["runs"]])
        self.assertIn("hpcc: switched on network.switches.tor.int=on", run.out)
        self.assertIn("dcqcn: algorithm firmware", run.out)

    def test_algorithms_that_cannot_be_used_are_left_out(self):
        run = self.compare("", "--set", "network.links.1.rate=3Gb/s", "--set", "run.duration=1ms")
        self.assertEqual([u["name"] for u in run.result["unfit"]], ["hpcc"])
        self.assertEqual([r["name"] for r in run.result["runs"]], ["dcqcn", "timely", "patched_timely", "swift", "homa"])
        self.assertIn("hpcc: not compared, because it cannot be used: ", run.out)

    def test_the_runs_are_those_of_softfeb_lab(self):
        run = self.compare("hpcc,swift,homa", "--report", str(self.dir / "report"), "--no-pictures")
        for r in run.result["runs"]:
            alone = harness.Softfeb(["lab", "-c", str(self.dir / "report" / r["name"] / "config.yaml"), "--virtual", "--json",
                                     str(self.dir / "alone.json")], self.dir, self.dir / "alone.json").finish(100)
            self.assertEqual(alone.status, 0, alone.err)
            self.assertEqual(alone.result["lab"]["figures"], r["figures"])
            stored = json.loads((self.dir / "report" / r["name"] / "result.json").read_text())
            self.assertAlmostEqual(stored["goodput_gbps"], r["goodput_gbps_run"], delta=0.2)
            with open(self.dir / "report" / r["name"] / "ports.csv", newline="") as f:
                self.assertGreater(len(list(csv.DictReader(f))), 3 * 150)  # a point every 100 us

    def test_page(self):
        run = self.compare("swift,homa", "--report", str(self.dir / "report"),
                           traffic="lengths: hadoop, arrivals: {load: 40%}")
        self.assertIn("index.html", run.out)
        self.assertIn("slowdown p99, all messages", run.out)
        for folder in ("", "swift", "homa"):
            text = (self.dir / "report" / folder / "index.html").read_text()
            page = Page(text)
            self.assertEqual(page.wrong, [])
            self.assertNotIn("trouble", page.ids, text[text.find('id="trouble"'):][:2000])
        page = Page((self.dir / "report/index.html").read_text())
        charts = ["rates", "queue", "queue-shares", "fairness", "rtt", "completion"]
        self.assertEqual([i for i in page.ids if i in charts], charts)
        for link in ("swift/index.html", "homa/index.html", "queue.svg"):
            self.assertIn(link, page.links)
            self.assertTrue((self.dir / "report" / link).exists())
        words = " ".join(page.words)
        for said in ("Two boards & one port: 2 congestion controls", "All checks held", "switched on:",
                     "99th percentile, all", "Slowdowns by message length"):
            self.assertIn(said, words)

    def test_a_check_of_one_run_fails(self):
        run = self.compare("timely,swift", status=1, queue="100KiB")
        self.assertEqual([r["verdict"] for r in run.result["runs"]], ["failed", "held"])
        self.assertIn("softfeb: timely: check queue_bytes_max failed", run.err)
        self.assertNotIn("swift:", run.err)
        self.assertRegex(run.out, r"queue_bytes_max <= 100KiB +FAILED +held")

    def test_refused(self):
        for algorithms, args, words in (("swfit", (), "--algorithms: no algorithm \"swfit\"; fix: did you mean `swift`?"),
                                        ("swift,swift", (), "named twice"),
                                        ("./none.so", (), "boards.0.congestion.plugin: ./none.so"),
                                        ("timely", ("--set", "boards.feb.qps.0.transport=UC", "--set", "boards.feb.congestion=off"),
                                         "timely needs acknowledgements"),
                                        ("homa", ("--set", "network.switches.tor.dscp_to_queue={8: 3}"), "network.switches: the queues of switch \"tor\""),
                                        ("swift", ("--web",), "--web: a comparison runs in virtual time"),
                                        ("swift", ("--hold",), "fix: leave out --hold")):
            with self.subTest(algorithms=algorithms, args=args):
                run = self.compare(algorithms, *args, status=2)
                self.assertTrue(run.err.startswith("softfeb: "), run.err)
                self.assertIn(words, run.err)
                self.assertIn("; fix: ", run.err)
                self.assertEqual(run.out, "")


if __name__ == "__main__":
    harness.main()
