#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Shortened experiments of conf/lab that reproduce published figures."""

import unittest

import harness
from lab_case import LabCase


class Experiments(LabCase):
    def node_goodput(self, run):
        return sum(r["goodput_gbps"] for r in run.result["receivers"])

    def test_seed001_lossy(self):
        run = self.lab("seed001-lossy")
        self.assert_held(run)
        receiver, windows = self.windows_of(run)
        lost = self.totals(run)["lost"]
        self.assertGreater(lost, 10)
        self.assertEqual(windows["missing"], lost)
        self.assertEqual((windows["closed"], windows["not_sent"], windows["late"], windows["inconsistent"]), (2500, 0, 0, 0))
        self.assertGreater(receiver["duplicate"], 0)
        self.assertGreater(receiver["out_of_order"], 0)
        # Missing messages are found in two ways: by the receiver's windows, and from the PSNs of each of its
        # QPs. The two results must agree.
        by_psn = {str(i): q["missing_ranges"] for i, q in enumerate(receiver["qps"]) if "missing_ranges" in q}
        self.assertEqual(windows["missing_ranges"], by_psn)
        self.assertEqual(windows["goodput_bytes"], windows["marked"] * 4096)
        # n messages span only n - 1 periods, so the goodput may be slightly above the configured rate.
        self.assertLess(receiver["goodput_gbps"], 4 * 16.384 * 1.001)
        self.assertGreater(receiver["goodput_gbps"], 4 * 16.384 * 0.99)
        fails = self.lab("seed001-lossy", "receivers.node.windows.loss_limit=0", "run.messages=1000", status=1)
        self.assertFalse(fails.check("loss node")["held"])
        self.assertEqual([c["name"] for c in fails.result["checks"] if not c["held"]], ["loss node"])

    def test_seed003_latency(self):
        """As in Fig. 7, notification by the receiver instead of the sender saves the same time at every
        message size."""
        figures = {}
        for size in ("256B", "1KiB", "4KiB", "32KiB"):
            for notify in ("receiver", "sender"):
                run = self.lab("seed003-latency", f"boards.feb.qps.0.traffic.transfer={size}",
                               f"boards.feb.qps.0.traffic.notify={notify}")
                self.assert_held(run)
                figures[size, notify] = self.transfers_of(run)[0]["latency_us"]
            self.assertAlmostEqual(figures[size, "sender"] - figures[size, "receiver"], 1.02, delta=0.1)
        self.assertAlmostEqual(figures["1KiB", "receiver"], 4.21, delta=0.01)
        self.assertAlmostEqual(figures["1KiB", "sender"], 5.23, delta=0.01)
        self.assertLess(figures["32KiB", "sender"] / figures["32KiB", "receiver"], 1.04)

    def stage(self, run, begin, end):
        return next(s for s in run.result["latency"]["stages"] if (s["from"], s["to"]) == (begin, end))

    def test_seed004_loop(self):
        run = self.lab("seed004-loop")
        self.assert_held(run)
        latency = run.result["latency"]
        self.assertEqual([latency[k] for k in ("sample", "messages", "overflows", "lost_stamps", "incomplete")], [1, 10000, 0, 0, 0])
        loop = self.stage(run, "sent", "received")
        self.assertEqual([loop[k] for k in ("count", "min", "p50", "p999", "max")], [10000, *[409.6] * 4])
        self.assertEqual([n for _, n in loop["buckets"]], [10000])
        self.assertLess(loop["buckets"][0][0], 409.6)
        # A frame that occupies 1,122 bytes on the wire takes 897.6 ns at 10 Gb/s.
        self.assertEqual(self.stage(run, "crafted", "sent")["max"], 897.6)
        late = self.lab("seed004-loop", "run.messages=100", "receivers.host.response_delay=1us", "latency.sample=2")
        self.assertEqual(late.result["latency"]["sample"], 2)
        before, after = (self.stage(r, "sent", "completed")["min"] for r in (run, late))
        self.assertAlmostEqual(after - before, 1000, delta=0.01)
        none = self.lab("seed004-loop", "run.messages=100", "latency.sample=0")
        self.assertNotIn("latency", none.result)

    def test_seed004_latency(self):
        for size, goodput in (("256B", 7.23), ("1KiB", 9.13)):
            run = self.lab("seed004-latency", f"boards.nanet.qps.0.traffic.message_size={size}", "run.duration=1ms")
            self.assert_held(run)
            self.assertAlmostEqual(self.goodput(run)["nanet"], goodput, delta=0.01 * goodput)
            names = [(s["from"], s["to"]) for s in run.result["latency"]["stages"]]
            for step in (("sent", "switch_1_in"), ("switch_1_in", "switch_1_out"), ("switch_1_out", "received")):
                self.assertIn(step, names)
            self.assertEqual(self.stage(run, "sent", "switch_1_in")["max"], 204.8)

    def test_seed000_mtu(self):
        """The goodput depends only on the ratio of payload to headers. The runs are too short for the experiment's check of the port's
        utilization."""
        for pmtu in (256, 1024, 4096):
            run = self.lab("seed000-mtu", f"boards.feb.qps.0.pmtu={pmtu}", "run.duration=20ms")
            self.assertAlmostEqual(self.goodput(run)["feb"], 10 * pmtu / (pmtu + 82), delta=0.01)

    def test_seed000_victim(self):
        without = self.lab("seed000-victim", "boards.feb.dcqcn.dcqcn_bypass=true", "run.duration=100ms")
        self.assert_held(without)
        self.assertAlmostEqual(self.goodput(without)["victim"], 3.3, delta=0.1)
        with_it = self.lab("seed000-victim", "run.duration=100ms")
        self.assert_held(with_it)
        self.assertAlmostEqual(self.goodput(with_it)["victim"], 8, delta=0.05)

    def test_seed000_no_dcqcn(self):
        run = self.lab("seed000-no-dcqcn", "run.duration=1s", "boards.feb.stop=1s")
        self.assert_held(run)
        self.assertAlmostEqual(self.windows(run, 10)["jain_mean"], 0.35, delta=0.07)

    def test_seed000_latency(self):
        study = self.sweep("-c", str(harness.CONF / "lab" / "seed000-latency.yaml"), "--json", str(self.dir / "sweep.json"))
        self.assertEqual(study.status, 0, f"\n{study.err}\n{study.out}")
        latency = [p["latency_us"] for p in study.result["points"]]
        self.assertEqual(sorted(latency), latency)
        self.assertAlmostEqual(latency[-1] / latency[0], 4, delta=0.1)
        self.assertIn("latency_us", study.out)

    def test_seed001_sizes(self):
        for size, expected in (("4KiB", 97.57), ("16KiB", 97.92), ("1MiB", 98.04)):
            run = self.lab("seed001-sizes", f"boards.feb.qps.0.traffic.message_size={size}", "run.duration=20ms")
            self.assertAlmostEqual(self.node_goodput(run), expected, delta=0.05)

    def test_seed001_qps(self):
        run = self.lab("seed001-qps", "run.duration=40ms")
        self.assertAlmostEqual(self.node_goodput(run), 97.9, delta=0.1)
        self.assertEqual(len(run.result["boards"][0]["qps"]), 750)

    def test_seed001_many_to_one(self):
        run = self.lab("seed001-many-to-one", "run.duration=40ms")
        self.assertAlmostEqual(self.node_goodput(run), 90.1, delta=0.1)
        self.assertEqual(self.windows_of(run)[1]["missing"], 0)

    def test_seed001_one_to_many(self):
        run = self.lab("seed001-one-to-many", "run.duration=40ms")
        for receiver in run.result["receivers"]:
            self.assertAlmostEqual(receiver["goodput_gbps"], 24.48, delta=0.05)
            self.assertEqual(receiver["windows"]["missing"], 0)

    def test_seed001_n_to_n(self):
        # A quarter of the queue pairs is enough, because test_many_to_many already covers address resolution for all of them.
        run = self.lab("seed001-n-to-n", "boards.feb.count=100", "boards.feb.qps.0.count=100", "receivers.daq.count=100")
        self.assert_held(run)
        self.assertEqual(run.check("messages_arrived")["value"], 0)
        self.assertEqual(sum(r["messages"] for r in run.result["receivers"]),
                         sum(b["summary"]["messages_posted"] for b in run.result["boards"]))

    def test_repeated(self):
        """The seed affects the queue and the time to converge. The goodput depends only on the values of the
        DCQCN registers."""
        study = self.sweep("-c", str(harness.CONF / "lab" / "repeated.yaml"), "--json", str(self.dir / "sweep.json"))
        self.assertEqual(study.status, 0, f"\n{study.err}\n{study.out}")
        points = study.result["points"]
        self.assertEqual([p["values"]["run.seed"] for p in points], ["1", "2", "3"] * 4)
        groups = [points[i:i + 3] for i in range(0, 12, 3)]
        for group in groups[1:]:
            self.assertGreater(len({p["queue_bytes_max"] for p in group}), 1)
        for shorter, longer in zip(groups, groups[1:]):
            self.assertGreater(min(p["goodput_gbps"] for p in shorter), max(p["goodput_gbps"] for p in longer))

    def test_seed004_sizes(self):
        study = self.sweep("-c", str(harness.CONF / "lab" / "seed004-sizes.yaml"), "--json", str(self.dir / "sweep.json"),
                           "--set", "run.duration=2ms", "--set", "lab.checks={dropped: 0, retransmitted: 0, bytes_wrong: 0}")
        self.assertEqual(study.status, 0, f"\n{study.err}\n{study.out}")
        goodput = [p["goodput_gbps"] for p in study.result["points"]]
        self.assertEqual(len(goodput), 14)
        for i, expected in ((2, 7.23), (4, 9.13), (9, 7.95), (11, 9.39)):
            self.assertAlmostEqual(goodput[i], expected, delta=0.01 * expected)

    def test_seed004_registers_of_the_lab(self):
        """Two boards with two ports each send bursts with gaps."""
        run = self.lab("seed004-sizes", "boards.feb.count=2", "boards.feb.ports=2", "boards.feb.traffic_gen.packet_count=1000",
                       "boards.feb.traffic_gen.gap=1000", "run.duration=20ms", "lab.checks={dropped: 0}")
        self.assertEqual([b["name"] for b in run.result["boards"]], ["feb-0.0", "feb-0.1", "feb-1.0", "feb-1.1"])
        for board in run.result["boards"]:
            sent = board["traffic_gen"]
            self.assertEqual(sent["datagrams"], 1000)
            wire = 1090 * 0.8e-9
            self.assertAlmostEqual(sent["seconds"], 999 * (wire + 6.4e-6) + wire, delta=1e-12)
        streams = run.result["receivers"][0]["streams"]
        self.assertEqual([s["datagrams"] for s in streams["by_stream"]], [1000] * 4)

    def test_lofar(self):
        run = self.lab("lofar")
        self.assert_held(run)
        windows = self.windows_of(run)[1]
        self.assertEqual(windows["streams"], 1627)
        self.assertEqual((windows["closed"], windows["full"], windows["missing"]), (48, 47, 0))   # the last window is incomplete
        self.assertAlmostEqual(self.node_goodput(run), 10.17, delta=0.01)
        # Every message must be posted when it is due. Messages of stream i of n are due i/n of a period after
        # each multiple of the period.
        period, end = 20_971_520_000, 10**12
        due = {n: sum(1 + (end - period * i // n) // period for i in range(n)) for n in (20, 21)}
        for board in run.result["boards"]:
            summary = board["summary"]
            self.assertEqual(summary["messages_posted"], due[summary["qps"]])
        posted = next(s for s in run.result["latency"]["stages"] if (s["from"], s["to"]) == ("triggered", "posted"))
        self.assertEqual((posted["count"], posted["max"]), (53 * due[20] + 27 * due[21], 0))


if __name__ == "__main__":
    unittest.main()
