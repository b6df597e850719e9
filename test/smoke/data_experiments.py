#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests events, windows and transfers in the lab in virtual time."""

import math
import unittest

from lab_case import LabCase


class Experiments(LabCase):
    def events_of(self, run):
        """Returns the two members of the result that describe the trigger and the event builder. Checks that
        every event is complete."""
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
        # Use only a few images, because generating all images takes longer than the run.
        few = "boards.feb.events.images=4"
        run = self.lab("advcam", few, "run.duration=10ms")
        trigger, events = self.events_of(run)
        self.assertGreater(trigger["accepted"], 60)
        self.assertEqual(events["fragments"]["accepted"], 143 * trigger["accepted"])
        self.assertEqual(events["payload_bytes"], 143 * trigger["accepted"] * 4704)
        # A fragment counts as notified when the event to which it belongs is complete. The latency of a
        # fragment is therefore the latency of its event.
        stages = {(s["from"], s["to"]): s for s in run.result["latency"]["stages"]}
        whole = stages["triggered", "notified"]
        self.assertLessEqual(whole["count"], 143 * trigger["accepted"])
        # some fragments may be missing, because the table of sampled messages may overflow
        self.assertGreater(whole["count"], 0.9 * 143 * trigger["accepted"])
        self.assertAlmostEqual(whole["max"], 1000 * events["latency"]["max_us"], places=3)
        # in ns: the sum of the board's readout window and readout time
        self.assertGreaterEqual(stages["triggered", "posted"]["min"], 1064)
        # Boards that send at the same time fill the queue of the server's port with one event, that is 684 kB
        # including event headers.
        run = self.lab("advcam", few, "run.duration=3ms", "triggers.camera.sources.0={kind: periodic, rate: 10kHz, phase: 50us}")
        trigger, events = self.events_of(run)
        self.assertEqual(trigger["accepted"], 30)
        expected = 684_000 + 143 * 64
        self.assertAlmostEqual(run.result["lab"]["figures"]["queue_bytes_max"], expected, delta=0.01 * expected)
        # The latency of an event is the sum of the readout window (64 ns), the readout (1 us), the
        # transmission of a fragment at 10 Gb/s (4 us), and the transmission of the event at 100 Gb/s (57 us).
        self.assertLess(events["latency"]["max_us"], 64)
        self.assertGreater(events["latency"]["min_us"], 57)

    def test_files_of_the_report(self):
        folder = self.dir / "report"
        run = self.lab("advcam", "boards.feb.events.images=4", "boards.feb.count=5", "run.duration=5ms",
                       args=("--report", str(folder), "--no-pictures"))
        heading, *pixels = (folder / "camera.csv").read_text().splitlines()
        self.assertEqual(heading, "event,board,channel,charge")
        self.assertEqual([p.split(",")[1:3] for p in pixels], [[str(b), str(c)] for b in range(5) for c in range(49)])
        event = {int(p.split(",")[0]) for p in pixels}
        self.assertEqual(event, {run.result["triggers"][0]["accepted"] - 1})
        charges = [float(p.split(",")[3]) for p in pixels]
        self.assertGreater(max(charges), 5 * abs(sorted(charges)[len(charges) // 2]))
        heading, *rows = (folder / "latency.csv").read_text().splitlines()
        self.assertEqual(heading, "from,to,from_ns,to_ns,count")
        for s in run.result["latency"]["stages"]:
            found = [r.split(",") for r in rows if r.startswith(f"{s['from']},{s['to']},")]
            self.assertEqual([[float(low), int(n)] for _, _, low, _, n in found], s["buckets"])
            self.assertTrue(all(float(low) < float(high) for _, _, low, high, _ in found))

    def test_live_time(self):
        """Vetoed triggers do not extend the dead time. The accepted share of the triggers is therefore 1/(1 + rate * dead_time)."""
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
        # Without a veto, boards lose events. The run must then fail only because the loss exceeds loss_limit.
        sets = [few, "boards.feb.count=20", "boards.feb.events={trigger: camera, to: builder, busy: drop, fifo: 2, slot: 8KiB, images: 4}",
                "triggers.camera.sources.0.rate=1MHz", "triggers.camera.dead_time=0", "run.duration=1ms"]
        run = self.lab("advcam", *sets, "receivers.builder.events.loss_limit=0", status=1)
        self.assertEqual([c["name"] for c in run.result["checks"] if not c["held"]], ["events builder"])
        run = self.lab("advcam", *sets, "receivers.builder.events.loss_limit=100%")
        events = run.result["receivers"][0]["events"]
        self.assertGreater(events["loss"], 0.1)
        self.assertGreater(sum(b["events"]["lost"] for b in run.result["boards"]), 100)
        self.assertEqual(events["opened"] + events["unseen"], events["triggers"])

    def test_windows_by_stream_and_late(self):
        """The windows have a region per stream and a ring with a slot for each open window. One stream stops
        early."""
        run = self.lab("seed001-lossy", "receivers.node.windows={layout: stream, ring: 4, depth: 4, loss_limit: 5%}",
                       "run.messages=500", "network.links.0.faults={drop: 1%, duplicate: 1%, reorder: 1%, reorder_by: 500us}",
                       "boards.feb.qps.0.traffic.messages=400")
        _, windows = self.windows_of(run)
        self.assertGreater(windows["late"], 0)
        self.assertGreater(windows["missing"], self.totals(run)["lost"])

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

    def test_packets_in_any_order(self):
        """Packets that arrive late make the receiver discard messages, unless it accepts packets in any
        order."""
        overrides = ["run.messages=100", "boards.feb.qps.0.traffic={message_size: 64KiB, verb: write_imm, immediate: counter, rate: 1kmsg/s}",
                     "network.links.0.faults={drop: 0, duplicate: 0.1%, reorder: 1%, reorder_by: 120us}"]
        strict = self.lab("seed001-lossy", *overrides, "receivers.node.windows.loss_limit=100%")
        _, windows = self.windows_of(strict)
        self.assertGreater(windows["missing"], 100)
        run = self.lab("seed001-lossy", *overrides, "receivers.node.windows.loss_limit=0", "receivers.node.ordering=any")
        receiver, windows = self.windows_of(run)
        self.assertEqual((windows["missing"], windows["marked"]), (0, 100 * 100))
        table = receiver["ordering"]
        self.assertGreater(table["escaped"], 0)
        self.assertGreater(receiver["duplicate"], 0)
        self.assertEqual((table["registered"], table["complete"], table["open"]), (10_000, 10_000, 0))
        self.assertEqual(receiver["completed_payload_bytes"], 10_000 * 65536)
        # A lost packet affects only its own message.
        run = self.lab("seed001-lossy", *overrides, "receivers.node.windows.loss_limit=100%", "receivers.node.ordering=any",
                       "network.links.0.faults.drop=0.1%")
        receiver, windows = self.windows_of(run)
        self.assertGreater(receiver["ordering"]["abandoned"], 0)
        lost = self.totals(run)["lost"]
        self.assertTrue(0.9 * lost < windows["missing"] <= lost, (windows, lost))

    def test_receives_are_refilled(self):
        run = self.lab("seed001-lossy", "run.messages=500", "receivers.node.receives={count: 10, rate: 10kmsg/s}",
                       "receivers.node.windows.loss_limit=60%", "network.links.0.faults.drop=0",
                       "network.links.0.faults.duplicate=0", "network.links.0.faults.reorder=0")
        receiver, windows = self.windows_of(run)
        self.assertEqual(windows["missing"], receiver["no_receive"])
        self.assertAlmostEqual(windows["marked"], 100 * 260, delta=200)


if __name__ == "__main__":
    unittest.main()
