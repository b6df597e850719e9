# SPDX-License-Identifier: BSD-3-Clause
"""RC over a link that drops, corrupts, doubles and reorders, both ways: every byte right, every message once."""

import harness
from harness import board, qp, receiver, ring

FAULTS = {"tx_drop": "1%", "rx_drop": "1%", "tx_corrupt": "0.5%", "tx_duplicate": "1%", "tx_reorder": "1%"}


class Lossy(harness.TestCase):
    def lossy(self, qps, mtu, seed=1, **receiver_keys):
        # Packets of the board and its responses: both ends have faults.
        return ring([board(*qps)], [receiver(**receiver_keys)], feb={"faults": {"seed": seed, **FAULTS}},
                    nic={"faults": {"seed": seed + 1, **FAULTS}}, mtu=mtu)

    def test_file_arrives_whole(self):
        size = 16 << 20
        for pmtu, seed in ((1024, 3), (4096, 4)):
            digest = harness.random_file(self.dir / "sent.bin", size, seed)
            traffic = {"verb": "write_imm", "immediate": "counter", "payload": {"file": "sent.bin"}}
            config = self.lossy([qp(pmtu=pmtu, traffic=traffic, retry_count=7, timeout=8, ack_every=16)], 4200, seed,
                                out="received.bin")
            run = self.run_softfeb(config)
            self.assert_held(run)
            self.assertEqual(harness.sha256(self.dir / "received.bin"), digest)
            sent, got = run.qps()[0], run.result["receivers"][0]
            self.assertEqual((sent["messages_completed"], got["messages"], got["immediates"]), (256, 256, 256))
            self.assertEqual((got["missing"], got["bytes_wrong"]), (0, 0))
            faults = [p["faults"] for p in run.result["ports"]]
            for kind in ("tx_dropped", "tx_corrupted", "tx_duplicated", "tx_reordered", "rx_dropped"):
                self.assertGreater(faults[0][kind], 0, kind)
            self.assertGreater(sent["retransmitted_packets"], 0)
            self.assertGreater(sent["nak_rx"]["sequence"], 0)
            self.assertGreater(got["duplicate"], 0)
            self.assertEqual(sent["tx_packets"], sent["retransmitted_packets"] + 256 * 65536 // pmtu)
            # What the port put on the wire is what the QP sent, less and more what the faults did (and ARP).
            requests = sent["tx_packets"] - faults[0]["tx_dropped"] + faults[0]["tx_duplicated"]
            self.assertIn(run.result["ports"][0]["tx_packets"] - requests, range(0, 5))
            self.assertGreater(got["icrc_errors"], 0)

    def test_many_queue_pairs(self):
        traffic = {"message_size": "20KiB", "messages": 30, "verb": "write_imm"}
        qps = [qp(pmtu=1024, traffic=traffic, retry_count=7, timeout=9, count=50)]
        run = self.run_softfeb(self.lossy(qps, 1500, 11, memory="640KiB"))
        self.assert_held(run)
        self.assertEqual([q["messages_completed"] for q in run.qps()], [30] * 50)
        self.assertEqual([q["messages"] for q in run.result["receivers"][0]["qps"]], [30] * 50)

    def test_receiver_not_ready(self):
        """More immediates than receives: RNR NAKs, and at last the QP gives up."""
        traffic = {"message_size": "4KiB", "messages": 50, "verb": "write_imm"}
        config = ring([board(qp(traffic=traffic, rnr_retry=3))], [receiver(memory="1MiB", receives=20, rnr_timer=1)])
        run = self.run_softfeb(config, status=1)
        sent = run.qps()[0]
        self.assertEqual((sent["messages_completed"], run.check("messages_completed")["value"]), (20, 30))
        self.assertEqual(sent["messages_failed"], sent["messages_posted"] - 20)
        self.assertEqual((sent["first_failure_status"], sent["rnr_rx"]), (12, 4))
        self.assertIn("receiver not ready", run.result["messages"][0])

    def test_same_seed_same_losses(self):
        """UC, where no response changes the order of packets: the same seed drops the same packets."""
        traffic = {"message_size": "16KiB", "messages": 500}
        config = ring([board(qp(traffic=traffic, transport="UC"))], [receiver(memory="1MiB")],
                      feb={"faults": {"seed": 5, "tx_drop": "2%"}})
        runs = [self.run_softfeb(config, status=1) for _ in range(2)]
        maps = [r.result["receivers"][0]["qps"][0]["missing_ranges"] for r in runs]
        self.assertEqual(maps[0], maps[1])
        self.assertGreater(len(maps[0]), 10)

    def test_congestion_marks_and_notifications(self):
        traffic = {"message_size": "64KiB", "messages": 500, "rate": "500Mb/s"}
        config = ring([board(qp(traffic=traffic))], [receiver(memory="1MiB", cnp={"interval": "1ms"})],
                      feb={"faults": {"tx_mark_ce": "20%"}})
        run = self.run_softfeb(config)
        self.assert_held(run)
        got, marked = run.result["receivers"][0], run.result["ports"][0]["faults"]["tx_marked_ce"]
        self.assertEqual(got["ecn_ce"], marked)
        self.assertGreater(got["cnp_tx"], 10)
        self.assertLessEqual(got["cnp_tx"], run.result["duration_s"] * 1000 + 2)
        self.assertEqual(run.qps()[0]["cnp_rx"], got["cnp_tx"])


if __name__ == "__main__":
    harness.main()
