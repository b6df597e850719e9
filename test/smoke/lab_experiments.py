#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs shortened experiments of conf/lab in virtual time. Tests their figures and their checks, and that a
second run gives the same bytes."""

import csv
import unittest

import harness
from lab_case import LabCase

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


class Experiments(LabCase):
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
        """Runs the same incast with and without DCQCN. Without DCQCN, there are more pause frames and longer queues."""
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
        """Returns the completion times of the run. Checks that their counts are the sums over message classes and boards."""
        times = run.result["completion_times"]
        self.assertEqual(times["backlog"], 0)
        self.assertEqual(times["messages"], sum(c["messages"] for c in times["classes"]))
        self.assertEqual(times["messages"], sum(b["completion_times"]["messages"] for b in run.result["boards"]))
        self.assertEqual({k: v for k, v in times.items() if k != "backlog"}, run.result["lab"]["figures"]["completion_times"])
        return times

    def test_hadoop(self):
        """Ten boards load a port to half of its capacity. The lengths of the messages follow the Hadoop distribution."""
        run = self.lab("hadoop")
        self.assert_held(run)
        times = self.completion_times(run)
        # Expect as many messages as half of 10 Gb/s carries in 200 ms. The number of messages is checked, and
        # not the number of bytes, which varies much more: the standard deviation of the lengths is six times
        # their mean.
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
        """A message that is not delayed has a slowdown of 1, whatever its length."""
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
        """Without DCQCN, the boards get unequal shares and starve at times. With DCQCN, the shares are equal
        and no board starves."""
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

    def test_victim(self):
        run = self.lab("victim")
        self.assert_held(run)
        self.assertAlmostEqual(self.goodput(run)["victim"], 8, delta=0.05)
        self.assertGreaterEqual(run.check("demand_met")["value"], 0.99)
        self.assertEqual(self.totals(run)["pause_tx"], 0)
        # Without DCQCN, the experiment's checks must fail, because otherwise they would prove nothing about
        # DCQCN.
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
        """The receiver marks its responses. Boards count marked ACKs and NAKs, but not CNPs."""
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

    def test_funnel(self):
        run = self.lab("funnel", "run.duration=400ms")
        self.assert_held(run)
        self.assertGreaterEqual(run.result["fairness_jain"], 0.99)

    def test_camera(self):
        run = self.lab("camera", "run.duration=100ms")
        self.assert_held(run)
        self.assertEqual(len(run.result["boards"]), 143)
        self.assertGreater(min(b["goodput_gbps"] for b in run.result["boards"]), 9)

    def test_scale_bursts(self):
        """All boards answer a trigger at the same time. The queue of the switch port to the server holds the
        burst, and nothing is lost."""
        run = self.lab("scale/camera-bursts", "run.duration=10ms")
        self.assert_held(run)
        burst = 143 * 4864  # bytes of one burst; the port drains part of them while the burst arrives
        self.assertTrue(0.5 * burst < run.result["lab"]["figures"]["queue_bytes_max"] < burst)

    def test_scale_pods(self):
        run = self.lab("scale/pods", "run.duration=500us", "lab.checks={dropped: 0, pause_tx: 0}")
        self.assert_held(run)
        self.assertEqual(len(run.result["boards"]), 1152)
        # No address needs to be resolved, so no frame is flooded. Each server gets only the packets of its
        # nine boards.
        self.assertEqual(len({r["packets"] for r in run.result["receivers"]}), 1)

    def test_scale_incast(self):
        """Each of 4,000 boards sends. The 8,000 flows are counted individually."""
        run = self.lab("scale/incast", "run.duration=2ms")
        self.assert_held(run)
        self.assertEqual(sum(b["goodput_gbps"] > 0 for b in run.result["boards"]), 4000)
        self.assertGreater(self.totals(run)["pause_tx"], 0)

    def test_leaf_spine(self):
        run = self.lab("leaf-spine")
        self.assert_held(run)
        spread = run.result["lab"]["spread"]
        self.assertEqual(len(spread), 8)
        self.assertEqual([p["name"] for p in spread[3]["ports"]], [f"leaf-3.spine-{s}" for s in range(4)])
        # The ports of a leaf carry the packets that the leaf distributed and the ARP requests that it
        # flooded.
        ports = {p["name"]: p for s in run.result["switches"] for p in s["ports"]}
        for port in (p for s in spread for p in s["ports"]):
            self.assertGreaterEqual(ports[port["name"]]["tx_packets"], port["packets"])
            self.assertLess(ports[port["name"]]["tx_packets"] - port["packets"], 200)
        figures = run.result["lab"]["figures"]
        self.assertEqual(figures["spread_jain"], min(s["jain"] for s in spread))
        # With a single UDP source port, the queue pairs of a board do not differ in the fields of the hash,
        # so the load is spread unevenly.
        one_port = self.lab("leaf-spine", "boards.feb.udp_source_port=49152", status=1)
        self.assertLess(one_port.result["lab"]["figures"]["spread_jain"], 0.75)
        self.assertGreater(one_port.result["lab"]["figures"]["spread_max_mean"], 1.9)
        # A hash that includes DestQP distinguishes the queue pairs again. By chance, its values are less
        # evenly spread than those of the experiment, so the limit is lower.
        dest_qp = self.lab("leaf-spine", "boards.feb.udp_source_port=49152", "network.multipath.hash=[dest_qp, source_ip]",
                           "lab.checks.spread_jain=80%")
        self.assert_held(dest_qp)
        # Spraying uses all paths equally. They have the same delays and no queues, so no packet overtakes
        # another.
        sprayed = self.lab("leaf-spine", "network.multipath.mode=round_robin")
        self.assert_held(sprayed)
        self.assertGreater(sprayed.result["lab"]["figures"]["spread_jain"], 0.999)

    def test_parallel_links(self):
        config = {
            "lab": {"bottleneck": "b.daq"}, "run": {"duration": "5ms", "series_interval": "1ms"},
            "network": {"multipath": {"mode": "hash_threshold"},
                        "switches": [{"name": "a", "buffer": "4MiB"}, {"name": "b", "buffer": "4MiB"}],
                        "links": [{"ends": ["feb", "a"], "rate": "10Gb/s", "delay": "500ns"},
                                  {"ends": ["a", "b"], "rate": "10Gb/s", "delay": "500ns"},
                                  {"ends": ["b", "a"], "rate": "10Gb/s", "delay": "500ns"},
                                  {"ends": ["b", "daq"], "rate": "40Gb/s", "delay": "500ns"}]},
            "boards": [harness.board(harness.qp(count=16, traffic={"rate": "400Mb/s"}), name="feb", count=2)],
            "receivers": [harness.receiver(ip="10.0.0.101/24", memory="1MiB")]}
        run = self.lab(self.config(config), args=("--report", str(self.dir / "report"), "--no-pictures"))
        self.assert_held(run)
        spread = {s["switch"]: [p["name"] for p in s["ports"]] for s in run.result["lab"]["spread"]}
        self.assertEqual(spread, {"a": ["a.b", "a.b#2"], "b": ["b.a", "b.a#2"]})
        with open(self.dir / "report" / "ports.csv", encoding="ascii") as file:
            sent = {row["port"]: float(row["tx_gbps"]) for row in csv.DictReader(file) if row["time_s"] == "0.003000000"}
        self.assertGreater(sent["a.b"], 1)
        self.assertGreater(sent["a.b#2"], 1)

    def uc(self, faults=None, **run):
        """Runs two boards that send UC to one port as fast as they can, so that about half of the packets are lost."""
        config = {
            "lab": {"bottleneck": "tor.daq"}, "run": {"duration": "30ms", "series_interval": "1ms", **run},
            "network": {"switches": [{"name": "tor", "buffer": "256KiB"}],
                        "links": [{"ends": ["feb", "tor"], "rate": "10Gb/s", "delay": "500ns", "faults": faults or {}},
                                  {"ends": ["tor", "daq"], "rate": "10Gb/s", "delay": "500ns"}]},
            "boards": [harness.board(harness.qp(transport="UC", traffic={"message_size": "16KiB"}), name="feb", count=2)],
            "receivers": [harness.receiver(ip="10.0.0.101/24", memory="1MiB")]}
        return self.lab(self.config(config), status=1, args=("--report", str(self.dir / "report"), "--no-pictures"))

    def test_goodput_of_uc(self):
        """With UC, the goodput counts only what the receiver accepted, so it never exceeds the link's rate.
        The result reports the rate of the sent payload separately."""
        carried = 10 * 16384 / (4 * 4178 + 16)  # Gb/s of payload, with path MTU 4096 and a RETH in the first of four packets
        # If a packet is lost, the receiver discards the whole message of this packet.
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
        self.assertLessEqual(result["goodput_gbps"], sum(b["goodput_gbps"] for b in result["boards"]) + 1e-9)
        self.assertEqual(result["goodput_gbps"], received["goodput_gbps"])
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
        """Returns the number of bytes sent, from BTH to pad, and the number of bytes delivered, each summed over all rows of the series."""
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

    def test_link_faults(self):
        """Each fault rule of a link is hit exactly as often as configured, and two runs give the same
        bytes."""
        runs = []
        for i in range(2):
            report = self.dir / f"report-{i}"
            run = self.lab("link-faults", args=("--report", str(report), "--no-pictures"))
            runs.append({f.name: f.read_bytes() for f in sorted(report.iterdir())})
        self.assertEqual(runs[0], runs[1])
        self.assertEqual({(e["from"], e["to"]): [r["hits"] for r in e["rules"]] for e in run.result["lab"]["link_faults"]},
                         {("feb-0", "tor"): [1, 1], ("feb-1", "tor"): [3], ("tor", "daq"): [1, 1, 2, 1], ("daq", "tor"): [1, 1]})
        self.assertEqual({r["refused"] for e in run.result["lab"]["link_faults"] for r in e["rules"]}, {0})
        self.assertEqual((run.check("fault_rules")["held"], run.check("fault_rules")["value"]), (True, 0))
        network = run.result["lab"]["network"]
        # Three requests and an ACK were lost. The four additional frames are two duplicated requests and two
        # copies that the switch made of broadcasts.
        self.assertEqual((network["dropped_fault"], network["duplicated"], network["in_network"]), (4, 4, 0))
        received = run.result["receivers"][0]
        self.assertEqual((received["icrc_errors"], received["messages"], received["bytes_wrong"]), (1, 128, 0))

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
        # Responses use the highest priority.
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
