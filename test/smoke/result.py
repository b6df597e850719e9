# SPDX-License-Identifier: BSD-3-Clause
"""The result document contains every member that scripts use. Its numbers are consistent, and the file is replaced atomically."""

import json
import subprocess
import threading
import time

import harness
from harness import CONF, board, qp, receiver, ring

NUMBER = (int, float)
TOP = {"schema_version": int, "config": dict, "duration_s": NUMBER, "boards": list, "receivers": list, "switches": list,
       "checks": list, "verdict": str, "fairness_jain": (type(None), *NUMBER)}
QP = {"qpn": int, "tx_packets": int, "tx_payload_bytes": int, "goodput_gbps": NUMBER, "messages_completed": int,
      "messages_failed": int, "retransmitted_packets": int, "timeouts": int, "ack_rx": int, "nak_rx": dict, "rnr_rx": int,
      "cnp_rx": int, "rc_gbps": (type(None), *NUMBER), "rt_gbps": (type(None), *NUMBER), "alpha": (type(None), *NUMBER),
      "offered_gbps": (type(None), *NUMBER), "rate_error": (type(None), *NUMBER)}
RECEIVER = {"messages": int, "payload_bytes": int, "bytes_wrong": int, "missing": int, "duplicate": int, "out_of_order": int,
            "icrc_errors": int, "ecn_ce": int, "cnp_tx": int}
CHECK = {"name": str, "held": bool, "value": NUMBER, "limit": NUMBER}


class Result(harness.TestCase):
    def assert_members(self, document, members):
        for name, kind in members.items():
            self.assertIn(name, document)
            self.assertIsInstance(document[name], kind, name)

    def test_members(self):
        run = self.run_softfeb(CONF / "four-boards.yaml", "--duration", "1.5", "--set", "run.warmup=500ms")
        result = run.result
        self.assert_members(result, TOP)
        self.assertEqual(result["schema_version"], 1)
        for b in result["boards"]:
            self.assert_members(b, {"name": str, "qps": list})
            for q in b["qps"]:
                self.assert_members(q, QP)
                self.assertEqual(set(q["nak_rx"]), {"sequence", "invalid_request", "remote_access", "remote_operational",
                                                    "invalid_rd_request"})
        for r in result["receivers"]:
            self.assert_members(r, RECEIVER)
        for c in result["checks"]:
            self.assert_members(c, CHECK)
            self.assertEqual(c["held"], c["value"] <= c["limit"])
        self.assertEqual(result["verdict"], "held")
        self.assert_latency(result)

    def assert_latency(self, result):
        """Checks the latencies of the sampled messages, whose times come from boards and receivers on several workers."""
        latency = result["latency"]
        self.assert_members(latency, {"sample": int, "messages": int, "overflows": int, "lost_stamps": int, "incomplete": int})
        stages = {(s["from"], s["to"]): s for s in latency["stages"]}
        for step in (("posted", "crafted"), ("crafted", "sent"), ("sent", "received"), ("received", "placed"), ("placed", "notified"),
                     ("triggered", "completed")):
            s = stages[step]
            self.assertEqual(s["count"], latency["messages"])
            self.assertEqual(sum(n for _, n in s["buckets"]), s["count"])
            self.assertEqual(sorted(s[k] for k in ("min", "p50", "p90", "p99", "p999", "max")),
                             [s[k] for k in ("min", "p50", "p90", "p99", "p999", "max")])
        self.assertGreater(latency["messages"], 0)
        self.assertGreater(stages["triggered", "completed"]["min"], 0)
        messages = sum(q["messages_completed"] for b in result["boards"] for q in b["qps"])
        self.assertAlmostEqual(latency["messages"], messages / 64, delta=0.5 * messages / 64)

    def test_figures_follow_from_one_another(self):
        run = self.run_softfeb(CONF / "four-boards.yaml", "--duration", "2", "--set", "run.warmup=500ms")
        result = run.result
        for b in result["boards"]:
            self.assertLessEqual(b["goodput_gbps"], sum(q["goodput_gbps"] for q in b["qps"]) + 1e-9)
            for q in b["qps"]:
                if q["measured_s"] == 0:  # on a very busy machine, no message may complete after the warm-up
                    self.assertEqual((q["goodput_gbps"], q["measured_payload_bytes"]), (0, 0))
                else:
                    self.assertAlmostEqual(q["goodput_gbps"], q["measured_payload_bytes"] * 8e-9 / q["measured_s"])
                self.assertEqual(q["offered_gbps"], 0.5)
                self.assertEqual(q["tx_payload_bytes"], q["messages_completed"] * 65536)
                self.assertLessEqual(q["measured_s"], result["measured_s"])
                if q["retransmitted_packets"] == 0:
                    self.assertEqual(q["ack_rx"], q["messages_completed"])
                # if a worker is preempted for longer than the timeout, the board retransmits, and the
                # receiver also acknowledges the duplicates
                else:
                    self.assertGreaterEqual(q["ack_rx"], q["messages_completed"])
        self.assertLessEqual(result["goodput_gbps"], sum(b["goodput_gbps"] for b in result["boards"]) + 1e-9)
        self.assertLessEqual(result["goodput_gbps"], sum(r["goodput_gbps"] for r in result["receivers"]) + 1e-9)
        payload = sum(q["measured_payload_bytes"] for b in result["boards"] for q in b["qps"])
        self.assertGreaterEqual(result["goodput_gbps"] * 1.001, payload * 8e-9 / result["measured_s"])
        self.assertGreaterEqual(result["duration_s"], 2)
        feb, nic = result["ports"]
        self.assertEqual((feb["tx_packets"], nic["tx_packets"]), (nic["rx_packets"], feb["rx_packets"]))
        self.assertEqual(feb["tx_packets"], sum(b["tx_frames"] for b in result["boards"]))
        self.assertEqual(feb["tx_packets"] + nic["tx_packets"], sum(w["tx_packets"] for w in result["workers"]))
        # The frames that a board sends are the packets of its QPs and its ARP requests.
        for b in result["boards"]:
            self.assertEqual(b["tx_frames"], sum(q["tx_packets"] for q in b["qps"]) + b["arp_requests_tx"])

    def assert_spread(self, spread, values):
        values = sorted(v for v in values if v is not None)
        if not values:
            return self.assertIsNone(spread)
        want = {"qps": len(values), "min": values[0], "p50": values[(len(values) - 1) // 2], "mean": sum(values) / len(values),
                "max": values[-1]}
        self.assertEqual(list(spread), list(want))
        for key, value in want.items():
            self.assertAlmostEqual(spread[key], value, msg=key)

    def troubled(self, **run):
        """Returns a configuration in which 60 QPs share a port that loses packets, and one more QP sends to a
        receiver that does not exist."""
        away = {"ip": "10.0.0.9", "mac": "02:00:00:00:00:09", "qpn": 5, "rkey": 1, "address": 0, "length": "1MiB"}
        few, paced = {"message_size": "20KiB", "messages": 12}, {"message_size": "20KiB", "messages": 12, "rate": "200Mb/s"}
        qps = [qp(pmtu=4096, traffic=few, retry_count=7, timeout=8, count=40), qp(to=away, timeout=6, retry_count=1, traffic={"messages": 10}),
               qp(pmtu=4096, traffic=paced, count=20, transport="UC")]
        return ring([board(*qps)], [receiver(memory="2MiB")], feb={"faults": {"seed": 5, "tx_drop": "1%"}}, **run)

    def test_summary_of_all_queue_pairs(self):
        result = self.run_softfeb(self.troubled(), status=1).result
        b, r = result["boards"][0], result["receivers"][0]
        s, qps = b["summary"], b["qps"]
        self.assertEqual((s["qps"], s["qps_listed"], len(qps)), (61, 61, 61))
        self.assertEqual(s["qps_failed"], sum(q["messages_completed"] != q["messages_posted"] for q in qps))
        self.assertGreaterEqual(s["qps_failed"], 1)
        for key in ("tx_packets", "tx_payload_bytes", "tx_counted_bytes", "messages_posted", "messages_completed", "messages_failed",
                    "retransmitted_packets", "timeouts", "ack_rx", "rnr_rx", "cnp_rx"):
            self.assertEqual(s[key], sum(q[key] for q in qps), key)
        self.assertEqual(s["nak_rx"], sum(sum(q["nak_rx"].values()) for q in qps))
        for key in ("goodput_gbps", "rate_error", "rc_gbps"):
            self.assert_spread(s[key], [q[key] for q in qps])
        self.assertEqual(s["rc_gbps"]["qps"], 20)
        self.assertEqual((r["summary"]["qps"], r["summary"]["qps_listed"], len(r["qps"])), (60, 60, 60))
        self.assertEqual(r["summary"]["qps_failed"], sum("missing" in q for q in r["qps"]))
        self.assert_spread(r["summary"]["messages"], [q["messages"] for q in r["qps"]])

    def test_only_queue_pairs_that_need_attention(self):
        result = self.run_softfeb(self.troubled(result_qps=60), status=1).result
        b, r = result["boards"][0], result["receivers"][0]
        s = b["summary"]
        self.assertEqual(result["config"]["run"]["result_qps"], 60)
        self.assertEqual(s["qps"], 61)
        self.assertEqual(s["qps_listed"], len(b["qps"]))
        self.assertEqual(s["qps_listed"], s["qps_failed"] + s["qps_in_trouble"])
        self.assertGreater(s["qps_in_trouble"], 0)
        self.assertLess(s["qps_listed"], 61)
        for q in b["qps"]:
            self.assertTrue(q["messages_failed"] or q["retransmitted_packets"] or q["timeouts"] or sum(q["nak_rx"].values()), q)
        for key in ("messages_failed", "retransmitted_packets", "timeouts"):
            self.assertEqual(s[key], sum(q[key] for q in b["qps"]), key)
        self.assertGreater(s["messages_completed"], sum(q["messages_completed"] for q in b["qps"]))
        qpns = [q["qpn"] for q in b["qps"]]
        self.assertEqual(qpns, sorted(qpns))
        # the number of QPs does not exceed the limit, so the result lists all of them
        self.assertEqual(len(r["qps"]), 60)

        # If the limit is lower than the number of QPs that need attention, failed QPs are selected first.
        result = self.run_softfeb(self.troubled(result_qps=1), status=1).result
        b, r = result["boards"][0], result["receivers"][0]
        self.assertGreater(b["summary"]["qps_in_trouble"], 0)
        self.assertEqual([(q["dest_ip"], q["first_failure_status"]) for q in b["qps"]], [("10.0.0.9", 20)])
        self.assertEqual([q["missing"] > 0 for q in r["qps"]], [True])
        self.assertEqual(r["missing"], 60 * 12 - r["messages"])

        self.assertEqual(self.run_softfeb(self.troubled(result_qps=0), status=1).qps(), [])

    def test_configuration_in_it_runs_again(self):
        run = self.run_softfeb(CONF / "four-boards.yaml", "--messages", "20")
        again = self.run_softfeb(run.result["config"])
        self.assert_held(again)
        self.assertEqual(again.result["config"], run.result["config"])
        self.assertEqual([q["messages_completed"] for q in again.qps()], [20] * 4)

    def test_failed_runs_write_it_too(self):
        away = {"ip": "10.0.0.9", "mac": "02:00:00:00:00:09", "qpn": 5, "rkey": 1, "address": 0, "length": "1MiB"}
        config = ring([board(qp(to=away, timeout=8, retry_count=1, traffic={"messages": 10}))], [receiver()])
        del config["receivers"]
        config["ports"] = [{"name": "feb", "device": "net_null", "mtu": 4200}]
        run = self.run_softfeb(config, status=1)
        self.assertEqual((run.result["verdict"], run.check("messages_completed")["held"]), ("failed", False))
        self.assertEqual(run.check("messages_completed")["value"], 10)
        self.assertEqual((run.qps()[0]["first_failure_status"], run.qps()[0]["timeouts"]), (20, 2))

    def test_appears_whole_or_not_at_all(self):
        """A reader of the file always sees a complete document, either the old or the new one."""
        target = self.dir / "result.json"
        seen, over = set(), threading.Event()

        def look():
            while not over.is_set():
                try:
                    seen.add(json.loads(target.read_text())["config"]["run"]["seed"])
                except FileNotFoundError:
                    pass
                time.sleep(0.0005)

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            for seed in (1, 2, 3):
                self.run_softfeb(CONF / "thesis-2000.yaml", "--messages", "1", "--set", f"run.seed={seed}")
        finally:
            over.set()
            watcher.join()
        self.assertLessEqual({1, 2}, seen)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["result.json"])

    def test_nothing_is_left_of_a_run_that_was_killed(self):
        softfeb = self.start(ring([board(qp(traffic={"rate": "10Mb/s"}))], [receiver()]))
        time.sleep(1)
        softfeb.process.kill()
        softfeb.finish()
        self.assertEqual([p.name for p in self.dir.iterdir()], ["run.yaml"])

    def test_standard_output_that_is_closed(self):
        """If standard output cannot be written, softfeb exits with status 3."""
        path = self.config(ring([board(qp(traffic={"messages": 10}))], [receiver()]))
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness.SOFTFEB, "run", "-c", path, "--json", "-"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=30, cwd=self.dir)
        self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == "__main__":
    harness.main()
