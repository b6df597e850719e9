# SPDX-License-Identifier: BSD-3-Clause
"""Tests triggers that arrive as messages. `softfeb trigger` in another namespace sends them to boards of a
lab behind a kernel interface. Requires root."""

import datetime
import json
import os
import subprocess
import sys
import unittest

import events
import harness
from harness import SOFTFEB, Softfeb, TestCase
from kernel_ports import Link

SOURCES = [{"kind": "random", "type": "subarray", "rate": "500Hz", "pile_up": "5%", "pile_up_window": "20us"},
           {"kind": "periodic", "type": "flatfield", "rate": "100Hz", "phase": "3ms"}]


def lab(sources=SOURCES, events=None, receivers=None, faults=None, **run):
    """Returns a lab with four boards, an event builder and a kernel interface on one switch."""
    return {
        "run": {"drain_timeout": "5s", "number": 9, **run},
        "eal": {"hugepages": "no"},
        "workers": {"count": 2, "idle": "sleep"},
        "ports": [{"name": "host", "device": "net_af_packet:near", "mtu": 4200}],
        "network": {"switches": [{"name": "tor", "buffer": "4MiB"}],
                    "links": [*({"ends": [e, "tor"], "rate": "1Gb/s"} for e in ("feb", "builder")),
                              {"ends": ["host", "tor"], "rate": "1Gb/s", "faults": faults or {}}]},
        "triggers": [{"name": "camera", "mode": "message", "dead_time": "7us", "sources": sources}],
        "boards": [{"name": "feb", "count": 4, "ip": "10.0.0.101/24", "dcqcn": "off",
                    "events": {"trigger": "camera", "to": "builder", "images": 2, "fifo": 256, "slots": 512, "slot": "8KiB", **(events or {})}}],
        "receivers": [{"name": "builder", "ip": "10.0.0.200/24", "events": {"timeout": "200ms", **(receivers or {})}}],
    }


class TriggerMessages(TestCase):
    def setUp(self):
        super().setUp()
        self.link = Link()
        self.addCleanup(self.link.close)

    def run_both(self, config, duration="1s", status=0):
        """Runs the boards and `softfeb trigger` at the same time. Returns the results of the two
        processes."""
        at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=8)
        config["run"].update(start_at=at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), duration="10s")
        path = str(self.config(config))
        boards = Softfeb(["lab", "-c", path, "--json", "result.json", "--web", "off"], self.dir, self.dir / "result.json", self.link.prefix)
        sent = subprocess.run(["ip", "netns", "exec", self.link.namespace, SOFTFEB, "trigger", "-c", path, "--duration", duration,
                               "--json", "sent.json"], cwd=self.dir, capture_output=True, text=True, timeout=60)
        self.assertEqual(sent.returncode, 0, sent.stderr)
        run = boards.finish()
        self.assertEqual(run.status, status, f"{run.err}\n{run.out}")
        return json.loads((self.dir / "sent.json").read_text()), run

    def test_the_same_sequence_as_computed(self):
        sent, run = self.run_both(lab())
        trigger = run.result["triggers"][0]
        self.assertEqual(trigger["accepted"], sent["accepted"])
        self.assertEqual(run.result["receivers"][0]["events"]["complete"], sent["accepted"])
        self.assertLess(run.result["ended"]["seconds"] if "ended" in run.result else 0, 9)
        for board in run.result["boards"]:
            messages = board["events"]["trigger_messages"]
            self.assertEqual((messages["accepted"], messages["lost"], messages["malformed"]), (sent["accepted"], 0, 0))
            self.assertGreater(messages["ends"], 0)
        computed = self.run_softfeb(events.camera(sources=SOURCES, builders=1, time="1s"))
        computed = computed.result["triggers"][0]
        self.assertEqual(computed["accepted"], sent["accepted"])
        self.assertEqual(computed["sources"], sent["sources"])

    def test_busy_boards_veto(self):
        config = lab(sources=[{"kind": "periodic", "rate": "4kHz"}], events={"fifo": 500, "busy_at": 8})
        config["network"]["links"][0]["rate"] = "100Mb/s"
        sent, run = self.run_both(config)
        self.assertGreater(sent["busy_messages"], 10)
        self.assertGreater(sent["sources"][0]["busy"], 100)
        self.assertGreater(sent["busy_share"], 0)
        self.assertEqual(run.result["receivers"][0]["events"]["complete"], sent["accepted"])
        for board in run.result["boards"]:
            self.assertEqual(board["events"]["lost"], 0)

    def test_lost_messages_are_counted(self):
        sent, run = self.run_both(lab(faults={"drop": "5%"}, receivers={"loss_limit": "100%"}))
        lost = [b["events"]["trigger_messages"]["lost"] for b in run.result["boards"]]
        self.assertGreater(min(lost), 0)
        for board, n in zip(run.result["boards"], lost):
            self.assertEqual(board["events"]["trigger_messages"]["accepted"], sent["accepted"] - n)
        built = run.result["receivers"][0]["events"]
        self.assertGreater(built["timeout"] + built["end"], 0)


class Refused(TestCase):
    def trigger(self, config, *args):
        return subprocess.run([SOFTFEB, "trigger", "-c", str(self.config(config)), *args], cwd=self.dir, capture_output=True, text=True,
                              timeout=30)

    def test_what_cannot_be_sent(self):
        clock = lab()
        clock["triggers"][0]["mode"] = "clock"
        done = self.trigger(clock)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("triggers: no triggers are sent as messages; fix: write `mode: message`", done.stderr)
        done = self.trigger(clock, "--trigger", "camera")
        self.assertIn('"camera" is computed by the boards', done.stderr)
        done = self.trigger(lab(), "--trigger", "telescope")
        self.assertIn('there are no triggers "telescope"', done.stderr)


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit(harness.SKIPPED)
    unittest.main()
