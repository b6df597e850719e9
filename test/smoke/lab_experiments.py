#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The experiments of conf/lab in virtual time, shortened: their figures and checks, byte by byte the same twice."""

import csv
import math
import unittest
from pathlib import Path

import harness

LIMIT = 280  # seconds, allowing for a busy machine
SHORT_INCAST = ("run.duration=1200ms", "boards.feb.stop=[1200ms, 900ms, 500ms]")


PRIORITIES = """
run: {duration: 20ms, series_interval: 1ms}
workers: {count: 2}
network:
  switches: [{name: tor, buffer: 64MiB, priorities: 8}]
  links:
    - {ends: [high, tor], rate: 10Gb/s, delay: 500ns}
    - {ends: [low, tor], rate: 10Gb/s, delay: 500ns}
    - {ends: [tor, daq], rate: 10Gb/s, delay: 500ns}
boards:
  - {name: high, ip: 10.0.0.1/24, dscp: 40, stop: 10ms, qps: [{to: daq, traffic: {message_size: 64KiB}}]}
  - {name: low, ip: 10.0.0.2/24, dscp: 8, qps: [{to: daq, traffic: {message_size: 64KiB}}]}
receivers:
  - {name: daq, ip: 10.0.0.101/24, dscp: 56, memory: 1MiB}
"""


class Experiments(harness.TestCase):
    def lab(self, name, *overrides, status=0, args=(), seconds=LIMIT):
        """A finished run of an experiment of the tree."""
        conf = name if isinstance(name, Path) else harness.CONF / "lab" / f"{name}.yaml"
        result = self.dir / "result.json"
        command = ["lab", "-c", str(conf), "--virtual", "--json", str(result), *args]
        for o in overrides:
            command += ["--set", o]
        run = harness.Softfeb(command, self.dir, result).finish(seconds)
        self.assertEqual(run.status, status, f"\n{run.err[-3000:]}\n{run.out[-5000:]}")
        if run.result is not None:
            self.assertEqual(run.result["lab"]["time"], "virtual")
            for b in run.result["lab"]["figures"]["conservation"]:
                self.assertEqual(b["left"], b["right"], b)
            self.assertEqual(run.result["lab"]["figures"]["memory_wrong"], 0)
        return run

    def windows(self, run, length):
        return next(w for w in run.result["lab"]["figures"]["windows"] if w["window_ms"] == length)

    def totals(self, run):
        return run.result["lab"]["figures"]["totals"]

    def test_incast(self):
        run = self.lab("incast", *SHORT_INCAST)
        self.assert_held(run)
        for check in ("fairness_jain", "port_used", "dropped", "retransmitted", "bytes_wrong", "memory_untouched",
                      "packets_conserved", "payload_conserved"):
            self.assertTrue(run.check(check)["gated"] if "gated" in run.check(check) else True, check)
        self.assertGreaterEqual(run.result["fairness_jain"], 0.99)
        self.assertGreaterEqual(self.windows(run, 100)["port_used_min"], 0.95)
        self.assertEqual(self.windows(run, 100)["steady_windows"], 6)
        changes = run.result["lab"]["figures"]["changes"]
        self.assertEqual([c["sending"] for c in changes], [3, 2, 1])
        self.assertEqual([c["stopping"] for c in changes], [[], ["feb-2"], ["feb-1"]])
        self.assertNotIn(None, [c["converged_ms"] for c in changes])
        self.assertGreater(run.result["switches"][0]["ecn_marked"], 0)
        self.assertEqual(len(run.result["switches"][0]["ports"]), 4)

    def test_incast_without_dcqcn(self):
        """One key changed: what it does to the others on the way."""
        with_it = self.lab("incast", "run.duration=400ms", "boards.feb.stop=400ms")
        without = self.lab("incast-no-dcqcn", "run.duration=400ms", "boards.feb.stop=400ms")
        self.assert_held(without)
        self.assertGreater(self.totals(without)["pause_tx"], 10 * self.totals(with_it)["pause_tx"] + 100)
        self.assertGreater(without.result["lab"]["figures"]["queue_bytes_mean"],
                           2 * with_it.result["lab"]["figures"]["queue_bytes_mean"])

    def test_firmware_defaults(self):
        run = self.lab("incast-firmware-defaults", "run.duration=600ms", "boards.feb.stop=600ms")
        self.assert_held(run)
        self.assertNotIn("port_used", [c["name"] for c in run.result["checks"]])
        self.assertLess(self.windows(run, 100)["port_used_min"], 0.95)

    def test_rate_tracking(self):
        run = self.lab("rate-tracking", "run.duration=300ms", "changes.0.at=150ms")
        self.assert_held(run)
        self.assertIsNotNone(run.check("rate_tracking")["value"])
        self.assertLessEqual(run.check("rate_tracking")["value"], 0.01)

    def test_sawtooth(self):
        run = self.lab("sawtooth", "run.duration=500ms")
        self.assert_held(run)
        self.assertIsNotNone(run.check("sawtooth")["value"])

    def test_threshold(self):
        run = self.lab("threshold", "run.duration=400ms")
        self.assert_held(run)
        self.assertGreater(self.totals(run)["cnp_forged"], 0)
        self.assertEqual(self.totals(run)["ecn_marked"], 0)
        self.assertEqual(self.totals(run)["cnp_tx"], 0)

    def completion_times(self, run):
        """The completion times of the run, which are those of its boards together."""
        times = run.result["completion_times"]
        self.assertEqual(times["backlog"], 0)
        self.assertEqual(times["messages"], sum(c["messages"] for c in times["classes"]))
        self.assertEqual(times["messages"], sum(b["completion_times"]["messages"] for b in run.result["boards"]))
        self.assertEqual({k: v for k, v in times.items() if k != "backlog"}, run.result["lab"]["figures"]["completion_times"])
        return times

    def test_hadoop(self):
        """Ten boards load a port by half with messages of Hadoop's lengths."""
        run = self.lab("hadoop")
        self.assert_held(run)
        times = self.completion_times(run)
        # 0.5 of 10 Gb/s for 200 ms; the standard deviation of the lengths is six times their mean.
        expected = 0.5 * 1.25e9 * 4096 / 4178 / 120420.75 * 0.2
        self.assertAlmostEqual(times["messages"], expected, delta=4 * expected ** 0.5)
        self.assertAlmostEqual(times["shorter_half"]["messages"], times["messages"] / 2, delta=2 * expected ** 0.5)
        shares = [c["messages"] / times["messages"] for c in times["classes"]]
        for share, exact in zip(shares, (0.703, 0.182, 0.09, 0.025)):
            self.assertAlmostEqual(share, exact, delta=0.05)
        for c in times["classes"]:
            self.assertGreaterEqual(c["slowdown"]["p50"], 1)
            self.assertLessEqual(c["slowdown"]["p50"], c["slowdown"]["p99"])
        self.assertLess(times["shorter_half"]["slowdown"]["p50"], 10)
        self.assertIn("up to 10 kB", run.out)
        again = self.lab("hadoop")
        self.assertEqual(again.result, run.result)
        other = self.lab("hadoop", "boards.feb.qps.0.traffic.seed=2")
        self.assertNotEqual(self.completion_times(other), times)

    def test_hadoop_on_an_idle_network(self):
        """A message that nothing delays has a slowdown of 1, however long it is."""
        run = self.lab("hadoop", "boards.feb.count=1", "boards.feb.qps.0.traffic.arrivals.load=0.1%", "run.duration=10s",
                       "boards.feb.dcqcn=off")
        times = self.completion_times(run)
        self.assertGreater(times["messages"], 60)
        for c in times["classes"][:2]:
            self.assertAlmostEqual(c["slowdown"]["p50"], 1, delta=0.001)

    def test_lossy(self):
        run = self.lab("lossy", "run.duration=400ms", "boards.feb.stop=400ms")
        self.assert_held(run)
        self.assertGreater(self.totals(run)["dropped"], 0)
        self.assertGreater(self.totals(run)["retransmitted"], 0)
        self.assertEqual(self.totals(run)["pause_tx"], 0)

    def test_lossy_without_dcqcn(self):
        """Unfair, on and off; the same network with DCQCN is neither."""
        run = self.lab("lossy-no-dcqcn")
        self.assert_held(run)
        for check in ("fairness_jain", "fairness_jain_10ms", "starvation"):
            self.assertTrue(run.check(check)["gated"], check)
        self.assertLess(self.windows(run, 10)["jain_min"], 0.4)
        self.assertGreater(self.windows(run, 100)["port_used_min"], 0.95)
        with_it = self.lab("lossy", "run.duration=500ms", "boards.feb.stop=500ms")
        self.assertGreater(self.windows(with_it, 100)["jain_min"], 0.99)
        self.assertEqual(with_it.result["lab"]["figures"]["starvation_ms"], 0)
        fails = self.lab("lossy-no-dcqcn", "boards.feb.dcqcn=firmware", status=1)
        self.assertFalse(fails.check("fairness_jain_10ms")["held"])

    def goodput(self, run):
        return {b["name"]: b["goodput_gbps"] for b in run.result["boards"]}

    def test_victim(self):
        run = self.lab("victim")
        self.assert_held(run)
        self.assertAlmostEqual(self.goodput(run)["victim"], 8, delta=0.05)
        self.assertGreaterEqual(run.check("demand_met")["value"], 0.99)
        self.assertEqual(self.totals(run)["pause_tx"], 0)
        # The checks are meaningful: they fail without DCQCN.
        fails = self.lab("victim", "boards.feb.dcqcn=off", "run.duration=200ms", status=1)
        self.assertEqual({c["name"] for c in fails.result["checks"] if not c["held"] and c.get("gated", True)},
                         {"demand_met", "pause_tx"})

    def test_victim_without_dcqcn(self):
        run = self.lab("victim-no-dcqcn")
        self.assert_held(run)
        self.assertAlmostEqual(self.goodput(run)["victim"], 3.3, delta=0.1)
        self.assertLess(run.check("demand_met")["value"], 0.45)
        self.assertEqual(run.check("demand_met")["limit"], 0.5)
        self.assertGreater(self.totals(run)["pause_tx"], 1000)
        self.assertEqual(self.totals(run)["dropped"], 0)
        fails = self.lab("victim-no-dcqcn", "lab.checks.demand_met=at least 50%", "run.duration=100ms", status=1)
        self.assertFalse(fails.check("demand_met")["held"])

    def test_marked_acknowledgements_are_counted(self):
        """Answers that are marked, by the receiver here: ACKs and NAKs count, CNPs do not."""
        run = self.lab("incast", "run.duration=20ms", "boards.feb.stop=20ms", "receivers.daq.ecn=ce")
        for b in run.result["boards"]:
            self.assertGreater(b["ecn_ce"], 100)
            self.assertEqual(b["ecn_ce"], sum(q["ack_rx"] + q["responses_ignored"] for q in b["qps"]))
            self.assertGreater(sum(q["cnp_rx"] for q in b["qps"]), 0)
        run = self.lab("incast", "run.duration=5ms", "boards.feb.stop=5ms")
        self.assertEqual([b["ecn_ce"] for b in run.result["boards"]], [0, 0, 0])

    def assert_many_to_many(self, count, *overrides):
        run = self.lab("many-to-many", *overrides)
        self.assert_held(run)
        self.assertEqual([b["summary"]["qps"] for b in run.result["boards"]], [count] * count)
        self.assertEqual(run.check("neighbours_resolved")["value"], 0)
        for b in run.result["boards"]:
            self.assertEqual((b["unresolved_qps"], b["arp_requests_tx"]), (0, count))
            self.assertLess(b["resolution_ms"], 10)
            self.assertGreater(b["summary"]["messages_completed"], count)

    def test_many_to_many(self):
        self.assert_many_to_many(200)

    def test_many_to_many_over_ipv6(self):
        self.assert_many_to_many(100, "boards.feb.count=100", "boards.feb.qps.0.count=100", "receivers.daq.count=100",
                                 "boards.feb.ip=fd00::1:0/64", "receivers.daq.ip=fd00::2:0/64")

    def windows_of(self, run, receiver=0):
        """The map of missing data of a receiver, whose counters must agree."""
        r = run.result["receivers"][receiver]
        w = r["windows"]
        self.assertEqual(w["closed"], w["full"] + w["gap"] + w["forced"] + w["end"])
        self.assertEqual(w["messages"], w["marked"] + w["duplicate_messages"] + w["late"] + w["wrong_immediate"])
        self.assertEqual(w["marked"] + w["missing"] + w["not_sent"], w["closed"] * w["streams"])
        listed = sum(b - a + 1 for ranges in w["missing_ranges"].values() for a, b in ranges)
        self.assertEqual(listed + w["missing_unlisted"], w["missing"] + w["not_sent"])
        return r, w

    def events_of(self, run):
        """The builder of a run in which every event is complete."""
        self.assert_held(run)
        trigger, = run.result["triggers"]
        events = run.result["receivers"][0]["events"]
        for source in trigger["sources"]:
            self.assertEqual(source["candidates"], source["accepted"] + source["dead_time"] + source["busy"])
        self.assertEqual((events["triggers"], events["complete"]), (trigger["accepted"], trigger["accepted"]))
        self.assertEqual(sum(events["rejected"].values()), 0)
        self.assertEqual(events["latency"]["count"], trigger["accepted"])
        for board in run.result["boards"]:
            self.assertEqual((board["events"]["sent"], board["events"]["lost"]), (trigger["accepted"], 0))
        return trigger, events

    def test_advcam(self):
        few = "boards.feb.events.images=4"   # drawing all images takes longer than the run
        trigger, events = self.events_of(self.lab("advcam", few, "run.duration=10ms"))
        self.assertGreater(trigger["accepted"], 60)
        self.assertEqual(events["fragments"]["accepted"], 143 * trigger["accepted"])
        self.assertEqual(events["payload_bytes"], 143 * trigger["accepted"] * 4704)
        # A single event in the queue of the server's port.
        run = self.lab("advcam", few, "run.duration=3ms", "triggers.camera.sources.0={kind: periodic, rate: 10kHz, phase: 50us}")
        trigger, events = self.events_of(run)
        self.assertEqual(trigger["accepted"], 30)
        queue = run.result["lab"]["figures"]["queue_bytes_max"]
        # More than the messages, because their headers wait too; less than their bytes on the wire.
        self.assertGreater(queue, 143 * 4768)
        self.assertLess(queue, 143 * 4952)
        # 64 ns, 1 us, 4 us at 10 Gb/s, and 57 us at 100 Gb/s.
        self.assertLess(events["latency"]["max_us"], 64)
        self.assertGreater(events["latency"]["min_us"], 57)

    def test_live_time(self):
        """A dead time that vetoed triggers do not extend leaves 1/(1 + rate * dead_time) of them."""
        trigger, _ = self.events_of(self.lab("advcam", "boards.feb.count=1", "run.duration=1s"))
        source, = trigger["sources"]
        self.assertEqual(source["busy"], 0)
        share = 1 / (1 + 10e3 * 7e-6)
        self.assertLess(abs(source["accepted"] - 10e3 * share), 3 * math.sqrt(10e3 * share**3))

    def test_busy_boards_veto_triggers(self):
        few = "boards.feb.events.images=4"
        run = self.lab("advcam", few, "boards.feb.count=20", "boards.feb.events.fifo=8", "boards.feb.events.busy_at=4",
                       "triggers.camera.sources.0.rate=1MHz", "triggers.camera.dead_time=700ns", "run.duration=1ms")
        trigger, _ = self.events_of(run)
        self.assertGreater(trigger["sources"][0]["busy"], 100)
        self.assertGreater(trigger["busy_share"], 0.1)
        # Without a veto, boards lose events, and only loss_limit fails the run.
        sets = [few, "boards.feb.count=20", "boards.feb.events={trigger: camera, to: builder, busy: drop, fifo: 2, slot: 8KiB, images: 4}",
                "triggers.camera.sources.0.rate=1MHz", "triggers.camera.dead_time=0", "run.duration=1ms"]
        run = self.lab("advcam", *sets, "receivers.builder.events.loss_limit=0", status=1)
        self.assertEqual([c["name"] for c in run.result["checks"] if not c["held"]], ["events builder"])
        run = self.lab("advcam", *sets, "receivers.builder.events.loss_limit=100%")
        events = run.result["receivers"][0]["events"]
        self.assertGreater(events["loss"], 0.1)
        self.assertGreater(sum(b["events"]["lost"] for b in run.result["boards"]), 100)
        self.assertEqual(events["opened"] + events["unseen"], events["triggers"])

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
        # The receiver also numbers messages by their PSNs.
        by_psn = {str(i): q["missing_ranges"] for i, q in enumerate(receiver["qps"]) if "missing_ranges" in q}
        self.assertEqual(windows["missing_ranges"], by_psn)
        self.assertEqual(windows["goodput_bytes"], windows["marked"] * 4096)
        self.assertLess(receiver["goodput_gbps"], 4 * 16.384 * 1.001)   # one period less than messages
        self.assertGreater(receiver["goodput_gbps"], 4 * 16.384 * 0.99)
        fails = self.lab("seed001-lossy", "receivers.node.windows.loss_limit=0", "run.messages=1000", status=1)
        self.assertFalse(fails.check("loss node")["held"])
        self.assertEqual([c["name"] for c in fails.result["checks"] if not c["held"]], ["loss node"])

    def test_windows_by_stream_and_late(self):
        """A ring as deep as the windows that are open, regions by stream, and a stream that stops early."""
        run = self.lab("seed001-lossy", "receivers.node.windows={layout: stream, ring: 4, depth: 4, loss_limit: 5%}",
                       "run.messages=500", "network.links.0.faults={drop: 1%, duplicate: 1%, reorder: 1%, reorder_by: 500us}",
                       "boards.feb.qps.0.traffic.messages=400")
        _, windows = self.windows_of(run)
        self.assertGreater(windows["late"], 0)
        self.assertGreater(windows["missing"], self.totals(run)["lost"])

    def transfers_of(self, run):
        transfers = run.result["receivers"][0]["transfers"]
        table = transfers["registration"]
        self.assertEqual(table["registered"], table["complete"] + table["abandoned"] + table["open"])
        return transfers, table

    def test_transfer(self):
        run = self.lab("transfer")
        self.assert_held(run)
        transfers, table = self.transfers_of(run)
        self.assertEqual((transfers["posted"], transfers["notified"], table["complete"]), (200, 200, 200))
        self.assertEqual((table["packets"], table["placed"], table["bytes"]), (12800, 12800, 200 << 20))
        self.assertLess(table["memory_bytes"], 100_000)
        self.assertEqual(run.check("transfers_notified")["value"], 0)
        hasty = self.lab("transfer", "receivers.host.registration={escape: 0}", "boards.feb.link_rate=20Gb/s",
                         "network.links.0.faults={reorder: 1%, reorder_by: 100us}", "lab.checks={unresolved_qps: 0}", status=1)
        self.assertGreater(hasty.check("transfers_notified")["value"], 0)
        plain = self.lab("transfer", "boards.feb.qps.0.traffic.registered=false")
        self.assert_held(plain)
        transfers, table = self.transfers_of(plain)
        self.assertEqual((transfers["notified"], table["unregistered"]), (0, 12800))

    def test_transfers_over_uc_wait_for_their_first_segment(self):
        run = self.lab("transfer", "boards.feb.qps.0.transport=UC",
                       "network.links.0.faults={drop: 0.01%, reorder: 1%, reorder_by: 10us}", "network.links.0.faults_back={drop: 0, reorder: 0}",
                       "receivers.host.registration={entry_timeout: 2ms, escape_timeout: 200us}", "lab.checks={unresolved_qps: 0}", status=1)
        transfers, table = self.transfers_of(run)
        self.assertEqual((table["invalid"], table["conflict"]), (0, 0))
        self.assertGreater(table["abandoned"], 0)
        self.assertGreater(table["escaped"], 0)
        self.assertEqual(transfers["notified"], table["complete"])
        self.assertIsNone(transfers["latency_us"])

    def test_seed003_latency(self):
        """Fig. 7: registration saves the same time at every size."""
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

    def test_seed000_mtu(self):
        """The headers alone determine the goodput. Like the next ones, too short for the check of the port's use."""
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

    def node_goodput(self, run):
        return sum(r["goodput_gbps"] for r in run.result["receivers"])

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

    def test_lofar(self):
        run = self.lab("lofar")
        self.assert_held(run)
        self.assertEqual(self.windows_of(run)[1]["streams"], 1627)
        self.assertAlmostEqual(self.node_goodput(run), 10.17, delta=0.01)

    def test_receives_are_refilled(self):
        run = self.lab("seed001-lossy", "run.messages=500", "receivers.node.receives={count: 10, rate: 10kmsg/s}",
                       "receivers.node.windows.loss_limit=60%", "network.links.0.faults.drop=0",
                       "network.links.0.faults.duplicate=0", "network.links.0.faults.reorder=0")
        receiver, windows = self.windows_of(run)
        self.assertEqual(windows["missing"], receiver["no_receive"])
        self.assertAlmostEqual(windows["marked"], 100 * 260, delta=200)

    def test_seed001_n_to_n(self):
        # A quarter of the queue pairs; test_many_to_many resolves the addresses of all.
        run = self.lab("seed001-n-to-n", "boards.feb.count=100", "boards.feb.qps.0.count=100", "receivers.daq.count=100")
        self.assert_held(run)
        self.assertEqual(run.check("messages_arrived")["value"], 0)
        self.assertEqual(sum(r["messages"] for r in run.result["receivers"]),
                         sum(b["summary"]["messages_posted"] for b in run.result["boards"]))

    def test_funnel(self):
        run = self.lab("funnel", "run.duration=400ms")
        self.assert_held(run)
        self.assertGreaterEqual(run.result["fairness_jain"], 0.99)

    def test_camera(self):
        run = self.lab("camera", "run.duration=100ms")
        self.assert_held(run)
        self.assertEqual(len(run.result["boards"]), 143)
        self.assertGreater(min(b["goodput_gbps"] for b in run.result["boards"]), 9)

    def uc(self, faults=None, **run):
        """Two boards that send UC as fast as they can into one port, and lose half of it at least."""
        config = {
            "lab": {"bottleneck": "tor.daq"}, "run": {"duration": "30ms", "series_interval": "1ms", **run},
            "network": {"switches": [{"name": "tor", "buffer": "256KiB"}],
                        "links": [{"ends": ["feb", "tor"], "rate": "10Gb/s", "delay": "500ns", "faults": faults or {}},
                                  {"ends": ["tor", "daq"], "rate": "10Gb/s", "delay": "500ns"}]},
            "boards": [harness.board(harness.qp(transport="UC", traffic={"message_size": "16KiB"}), name="feb", count=2)],
            "receivers": [harness.receiver(ip="10.0.0.101/24", memory="1MiB")]}
        return self.lab(self.config(config), status=1, args=("--report", str(self.dir / "report"), "--no-pictures"))

    def test_goodput_of_uc(self):
        """What the receiver took, never more than the link carries; what was sent has another name."""
        carried = 10 * 16384 / (4 * 4178 + 16)  # Gb/s of payload: path MTU 4096, a RETH in the first of four packets
        # A lost packet ends its message.
        for faults in ({}, {"drop": "0.1%"}):
            for run in ({}, {"warmup": "7ms"}):
                with self.subTest(faults=faults, **run):
                    self.assert_goodput_of_uc(self.uc(faults, **run), carried, bool(run))

    def assert_goodput_of_uc(self, run, carried, warmup):
        result, received = run.result, run.result["receivers"][0]
        self.assertGreater(received["missing"], 0)
        self.assertEqual(received["completed_payload_bytes"], received["messages"] * 16384)
        self.assertGreater(result["tx_payload_gbps"], 1.9 * carried)
        self.assertGreater(result["goodput_gbps"], 0.9 * carried)
        self.assertLessEqual(result["goodput_gbps"], carried)
        self.assertLess(result["goodput_gbps"], result["tx_payload_gbps"])
        self.assertAlmostEqual(result["goodput_gbps"], sum(b["goodput_gbps"] for b in result["boards"]))
        measured = 0
        for q in run.qps():
            self.assertAlmostEqual(q["goodput_gbps"], q["measured_payload_bytes"] * 8e-9 / q["measured_s"], places=9)
            self.assertAlmostEqual(q["tx_payload_gbps"], carried, delta=0.001 * carried)
            self.assertLessEqual(q["measured_s"], result["measured_s"])
            measured += q["measured_payload_bytes"]
        if warmup:
            self.assertLess(measured, 0.8 * received["completed_payload_bytes"])
            self.assertLess(result["measured_s"], 0.024)
        else:
            self.assertEqual(measured, received["completed_payload_bytes"])
        sent, got = self.sums_of_series()
        self.assertAlmostEqual(got, received["completed_payload_bytes"], delta=1)
        self.assertAlmostEqual(sent, sum(q["tx_counted_bytes"] for q in run.qps()), delta=1)
        line = next(line for line in run.out.splitlines() if "Gb/s of payload over" in line)
        self.assertLessEqual(float(line.split()[0]), round(carried, 3))

    def sums_of_series(self):
        """Bytes sent (BTH to pad) and delivered, of all rows."""
        before, sent, got = {}, 0.0, 0.0
        with open(self.dir / "report" / "series.csv", newline="", encoding="utf-8") as f:
            for row in csv.DictReader(f):
                length = float(row["time_s"]) - before.get(row["board"], 0)
                before[row["board"]] = float(row["time_s"])
                sent += float(row["sent_gbps"]) * length / 8e-9
                got += float(row["goodput_gbps"]) * length / 8e-9
        return sent, got

    def test_the_same_seed_gives_the_same_bytes(self):
        lossy = harness.CONF / "lab" / "lossy.yaml"
        runs = []
        for seed in (7, 7, 8):
            report = self.dir / f"report-{len(runs)}"
            self.lab(lossy, "run.duration=30ms", "boards.feb.stop=30ms", f"run.seed={seed}", "run.series_interval=1ms",
                     "network.switches.tor.queues.0.pmax=50%", args=("--report", str(report), "--no-pictures"))
            runs.append({f.name: f.read_bytes() for f in sorted(report.iterdir())})
        self.assertLessEqual({"config.yaml", "result.json", "series.csv", "ports.csv", "windows.csv"}, set(runs[0]))
        self.assertEqual(runs[0], runs[1])
        self.assertNotEqual(runs[0]["ports.csv"], runs[2]["ports.csv"])

    def test_the_series_add_up_to_the_result(self):
        report = self.dir / "report"
        run = self.lab("incast", "run.duration=300ms", "boards.feb.stop=300ms", "run.series_interval=1ms",
                       args=("--report", str(report), "--no-pictures"))
        with open(report / "ports.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        for port in run.result["switches"][0]["ports"]:
            own = [r for r in rows if r["port"] == port["name"]]
            self.assertEqual(sum(int(r["ecn_marked"]) for r in own), port["ecn_marked"])
            self.assertEqual(sum(int(r["pause_tx"]) for r in own), port["pause_tx"])
            self.assertEqual(max(int(r["queue_bytes_peak"]) for r in own), port["queue_bytes_max"])
        with open(report / "windows.csv", newline="") as f:
            rows = [r for r in csv.DictReader(f) if r["window_ms"] == "100"]
        self.assertEqual(len(rows), 3)
        self.assertEqual([r["steady"] for r in rows], ["0", "0", "1"])
        self.assertEqual(float(rows[2]["jain"]), run.result["fairness_jain"])
        self.assertEqual({r["boards_sending"] for r in rows}, {"3"})

    def test_strict_priorities_show_the_queues_that_starve(self):
        study = self.config(PRIORITIES)
        report = self.dir / "report"
        run = self.lab(study, args=("--report", str(report), "--no-pictures"))
        tor = run.result["switches"][0]
        self.assertNotIn("cch_hops", tor)
        port = next(p for p in tor["ports"] if p["name"] == "tor.daq")
        low, high = port["queues"][1], port["queues"][5]
        self.assertEqual([q["queue"] for q in port["queues"]], list(range(8)))
        self.assertEqual(sum(q["tx_packets"] for q in port["queues"]), port["tx_packets"])
        self.assertEqual(sum(q["tx_wire_bytes"] for q in port["queues"]), port["tx_wire_bytes"])
        self.assertGreater(low["starved_ms"], 5)
        self.assertLess(high["starved_ms"], 0.1)
        # Responses have the highest level.
        self.assertGreater(next(p for p in tor["ports"] if p["name"] == "tor.high")["queues"][7]["tx_packets"], 0)
        with open(report / "queues.csv", newline="", encoding="utf-8") as f:
            rows = [r for r in csv.DictReader(f) if r["port"] == "tor.daq"]
        for q in port["queues"]:
            own = [r for r in rows if r["queue"] == str(q["queue"])]
            self.assertEqual(sum(int(r["tx_packets"]) for r in own), q["tx_packets"])
        while_both = [r for r in rows if 0.003 < float(r["time_s"]) <= 0.009]
        self.assertEqual({r["tx_packets"] for r in while_both if r["queue"] == "1"}, {"0"})
        self.assertTrue(all(float(r["tx_gbps"]) > 9.9 for r in while_both if r["queue"] == "5"))

    def test_a_check_that_does_not_hold_fails(self):
        run = self.lab("incast-no-dcqcn", "run.duration=20ms", "boards.feb.stop=20ms", "lab.checks={pause_tx: 0}", status=1)
        self.assertEqual(run.result["verdict"], "failed")
        self.assertFalse(run.check("pause_tx")["held"])
        self.assertIn("FAILED", run.out)

    def sweep(self, *args):
        return harness.Softfeb(["lab", "sweep", *args], self.dir, self.dir / "sweep.json").finish(LIMIT)

    def test_sweep(self):
        study = self.config(f"""
base: {harness.CONF / "lab" / "incast.yaml"}
set:
  run.duration: 30ms
  boards.feb.stop: 30ms
  lab.checks: {{}}
  lab.sweep:
    - {{key: network.switches.tor.queues.0.kmin, values: [40KiB, 80KiB]}}
    - {{key: boards.feb.dcqcn.rate_inc_interval, values: [30us, 300us]}}
""", "study.yaml")
        report = self.dir / "report"
        run = self.sweep("-c", str(study), "--json", str(self.dir / "sweep.json"), "--report", str(report), "--no-pictures")
        self.assertEqual(run.status, 0, f"\n{run.err}\n{run.out}")
        self.assertEqual(len(run.result["points"]), 4)
        with open(report / "sweep.csv", newline="") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual(list(rows[0]), ["network.switches.tor.queues.0.kmin", "boards.feb.dcqcn.rate_inc_interval",
                                         "jain_min", "port_used_min", "queue_bytes_max", "queue_bytes_mean", "dropped",
                                         "pause_tx", "convergence_ms", "retransmitted", "demand_met", "goodput_gbps",
                                         "latency_us"])
        self.assertEqual([tuple(r.values())[:2] for r in rows],
                         [("40KiB", "30us"), ("40KiB", "300us"), ("80KiB", "30us"), ("80KiB", "300us")])
        self.assertEqual(len({r["queue_bytes_max"] for r in rows}) > 1, True, rows)
        for r, p in zip(rows, run.result["points"]):
            self.assertEqual(int(r["queue_bytes_max"]), p["queue_bytes_max"])
            self.assertIn(r["queue_bytes_max"], run.out)
            self.assertAlmostEqual(float(r["goodput_gbps"]), p["goodput_gbps"], places=6)
            self.assertTrue(7 < p["goodput_gbps"] < 9.81, p)
            self.assertIsNone(p["latency_us"])
        self.assertNotIn("latency_us", run.out)

    def test_a_study_of_nothing_is_refused(self):
        run = self.sweep("-c", str(harness.CONF / "lab" / "incast.yaml"))
        self.assertEqual(run.status, 2)
        self.assertIn("lab.sweep", run.err)


if __name__ == "__main__":
    unittest.main()
