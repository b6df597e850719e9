# SPDX-License-Identifier: BSD-3-Clause
"""Tests how a run begins and how it ends, and what softfeb prints."""

import datetime
import json
import re
import signal
import time

import harness
from harness import board, qp, receiver, ring

PROGRESS = re.compile(r"^ *\d+\.\d s +\d+\.\d+ Mpps +\d+\.\d+ Gb/s payload  \d+ messages  \d+ retransmitted", re.M)


def endless(rate="100Mb/s", **run):
    return ring([board(qp(traffic={"rate": rate}))], [receiver(memory="1MiB")], **run)


class Ends(harness.TestCase):
    def test_by_duration(self):
        for given in ("1.5", "1500ms"):
            run = self.run_softfeb(endless(), "--duration", given)
            self.assert_held(run)
            self.assertGreaterEqual(run.result["duration_s"], 1.5)
            self.assertLess(run.result["duration_s"], 2.5)
            self.assertEqual(run.result["config"]["run"]["duration"], "1500ms")

    def test_by_messages(self):
        run = self.run_softfeb(endless(), "--messages", "77")
        self.assert_held(run)
        self.assertEqual(run.qps()[0]["messages_completed"], 77)
        self.assertEqual(run.result["receivers"][0]["messages"], 77)

    def test_boards_join_and_leave(self):
        def paced(name, ip, **times):
            return board(qp(traffic={"rate": "100Mb/s"}), name=name, ip=ip, **times)
        boards = [paced("all", "10.0.0.1/24"), paced("early", "10.0.0.3/24", stop="300ms"),
                  paced("late", "10.0.0.4/24", start="700ms")]
        run = self.run_softfeb(ring(boards, [receiver(memory="1MiB")]), "--duration", "1")
        self.assert_held(run)
        done = {b["name"]: b["qps"][0]["messages_completed"] for b in run.result["boards"]}
        for name in ("early", "late"):
            self.assertGreater(done[name], 0)
            self.assertLess(done[name], 0.6 * done["all"], done)

    def test_overrides_win_in_order(self):
        run = self.run_softfeb(endless(), "--set", "boards.feb0.qps.0.traffic.messages=3", "--set", "run.seed=9",
                               "--set", "boards.feb0.qps.0.traffic.messages=5")
        self.assertEqual(run.qps()[0]["messages_completed"], 5)
        self.assertEqual(run.result["config"]["run"]["seed"], 9)

    def test_by_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            softfeb = self.start(endless(warmup="200ms"))
            for line in softfeb.process.stderr:
                if PROGRESS.match(line):
                    break
            softfeb.signal(number)
            run = softfeb.finish()
            self.assertEqual(run.status, 0, run.err)
            self.assert_held(run)
            self.assertTrue(run.result["interrupted"])
            sent = run.qps()[0]
            self.assertGreater(sent["messages_completed"], 100)
            self.assertEqual(sent["messages_posted"], sent["messages_completed"])
            self.assertEqual(run.result["receivers"][0]["messages"], sent["messages_completed"])
            (self.dir / "result.json").unlink()

    def test_by_signal_before_the_start(self):
        softfeb = self.start(endless(start_at="2199-01-01T00:00:00Z", warmup="1s"))
        self.wait_for_start(softfeb)
        softfeb.signal(signal.SIGTERM)
        run = softfeb.finish(20)
        self.assertEqual(run.status, 0, run.err)
        self.assertTrue(run.result["interrupted"])
        self.assertEqual((run.result["duration_s"], run.result["measured_s"]), (0, 0))
        self.assertEqual(run.qps()[0]["tx_packets"], 0)

    def test_by_signal_while_the_receiver_is_away(self):
        """After a signal, softfeb waits for outstanding requests. A second signal ends the wait. Simultaneous signals count as one."""
        away = {"ip": "10.0.0.9", "mac": "02:00:00:00:00:09", "qpn": 5, "rkey": 1, "address": 4096, "length": "1MiB"}
        config = ring([board(qp(to=away, timeout=0))], [receiver(memory="1MiB")], drain_timeout="30s")
        del config["receivers"][0]["memory"]
        softfeb = self.start(config)
        self.wait_for_start(softfeb)
        softfeb.signal()
        time.sleep(0.005)
        softfeb.signal()
        time.sleep(1)
        self.assertIsNone(softfeb.process.poll())
        softfeb.signal()
        run = softfeb.finish(20)
        self.assertEqual(run.status, 1, run.err)
        self.assertEqual(run.qps()[0]["first_failure_status"], 5)

    def wait_for_start(self, softfeb):
        for line in softfeb.process.stderr:
            if line.startswith("memory: "):
                time.sleep(0.2)
                return
        self.fail(softfeb.finish().err)


class Beginnings(harness.TestCase):
    def test_at_a_time_of_the_clock(self):
        at = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(seconds=3)
        config = endless(start_at=at.strftime("%Y-%m-%dT%H:%M:%SZ"), duration="500ms")
        config["ports"][0]["capture"] = {"file": "feb.pcap", "packets": 50, "snaplen": 64}
        run = self.run_softfeb(config)
        self.assert_held(run)
        first = next(p for p in harness.read_pcap(self.dir / "feb.pcap") if p.opcode == harness.FIRST)
        late = first.time_ns / 1e9 - at.timestamp()
        self.assertGreaterEqual(late, -0.001)
        self.assertLess(late, 0.5)

    def test_a_receiver_that_does_not_come(self):
        """softfeb opens the port and retries for `connect_timeout`. The progress messages and the error report the state of the link."""
        config = endless(connect_timeout="6s")
        config["boards"][0]["qps"][0]["to"] = "perftest://127.0.0.1:9"
        softfeb = self.start(config)
        run = softfeb.finish(20)
        self.assertEqual(run.status, 3, run.err)
        told = re.findall(r"receiver does not respond yet; port feb: link up, .* Gb/s; retrying for (\d+) s", run.err)
        self.assertEqual(told, ["6", "1"])
        self.assertRegex(run.err, r"connection refused;.*\n *gave up after [67] s \(run.connect_timeout\); port feb: link up")

    def test_warm_up_is_not_measured(self):
        run = self.run_softfeb(endless(rate="200Mb/s", warmup="1s", duration="2s"))
        sent = run.qps()[0]
        self.assertTrue(run.result["warmup_excluded"])
        self.assertGreater(run.result["duration_s"], 1.9)
        self.assertLess(run.result["measured_s"], run.result["duration_s"] - 0.5)
        # Only messages that complete within the measured time count. The number of their bytes is at most the
        # rate times this time, plus one message in flight at the beginning and one at the end. After a
        # preemption, a worker also sends the packets that were due in the meantime.
        due = run.result["measured_s"] * 1.01 + max(w["stolen_s"] for w in run.result["workers"])
        self.assertLess(sent["measured_payload_bytes"], 200e6 / 8 * due + 2 * 65536)
        self.assertLess(sent["measured_payload_bytes"], sent["tx_payload_bytes"])
        self.assertAlmostEqual(sent["goodput_gbps"], sent["measured_payload_bytes"] * 8e-9 / sent["measured_s"], places=9)

    def test_over_before_the_warm_up(self):
        run = self.run_softfeb(endless(warmup="20s"), "--messages", "100")
        self.assert_held(run)
        self.assertFalse(run.result["warmup_excluded"])
        self.assertEqual(run.qps()[0]["measured_payload_bytes"], 100 * 65536)
        self.assertIn("during its warm-up", run.result["messages"][0])


class Output(harness.TestCase):
    def test_progress_once_a_second(self):
        run = self.run_softfeb(endless(), "--duration", "3.5")
        self.assertEqual(len(PROGRESS.findall(run.err)), 3, run.err)
        self.assertNotIn("\r", run.err)
        self.assertIn("All checks held.", run.out)
        for told in ("port feb: net_ring", "steering", "lcore", "idle workers sleep"):
            self.assertIn(told, run.err)

    def test_quiet(self):
        run = self.run_softfeb(endless(), "--duration", "1.5", "--quiet")
        self.assertEqual((run.out, run.err), ("", ""))
        run = self.run_softfeb(endless(quiet=True), "--duration", "1.5")
        self.assertEqual((run.out, run.err), ("", ""))

    def test_json_on_standard_output(self):
        config = self.config(endless())
        run = harness.Softfeb(["run", "-c", str(config), "--messages", "10", "--json", "-"], self.dir).finish()
        self.assertEqual(run.status, 0, run.err)
        self.assertEqual(json.loads(run.out)["verdict"], "held")
        self.assertEqual(sorted(p.name for p in self.dir.iterdir()), ["run.yaml"])


if __name__ == "__main__":
    harness.main()
