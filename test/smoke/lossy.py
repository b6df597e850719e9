# SPDX-License-Identifier: BSD-3-Clause
"""RC over a link that drops, corrupts, duplicates and reorders packets in both directions. All bytes must be
correct, and every message must arrive exactly once."""

import json
import socket
import threading

import harness
from harness import board, qp, receiver, ring

FAULTS = {"tx_drop": "1%", "rx_drop": "1%", "tx_corrupt": "0.5%", "tx_duplicate": "1%", "tx_reorder": "1%"}


class Lossy(harness.TestCase):
    def lossy(self, qps, mtu, seed=1, **receiver_keys):
        # Faults are injected at both ends of the ring: into the board's packets at one end, and into the
        # responses at the other.
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
            # The port sent the QP's packets and the ARP packets. The faults dropped some of these
            # packets and duplicated others.
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
        """The QP sends more WRITEs with immediate than the receiver has posted receives. The QP fails when
        its RNR retries are exhausted."""
        traffic = {"message_size": "4KiB", "messages": 50, "verb": "write_imm"}
        config = ring([board(qp(traffic=traffic, rnr_retry=3))], [receiver(memory="1MiB", receives=20, rnr_timer=1)])
        run = self.run_softfeb(config, status=1)
        sent = run.qps()[0]
        self.assertEqual((sent["messages_completed"], run.check("messages_completed")["value"]), (20, 30))
        self.assertEqual(sent["messages_failed"], sent["messages_posted"] - 20)
        self.assertEqual((sent["first_failure_status"], sent["rnr_rx"]), (12, 4))
        self.assertIn("receiver not ready", run.result["messages"][0])

    def test_same_seed_same_losses(self):
        """With the same seed, two runs lose the same packets. UC is used, because the order of its packets
        does not depend on responses."""
        traffic = {"message_size": "16KiB", "messages": 500}
        config = ring([board(qp(traffic=traffic, transport="UC"))], [receiver(memory="1MiB")],
                      feb={"faults": {"seed": 5, "tx_drop": "2%"}})
        runs = [self.run_softfeb(config, status=1) for _ in range(2)]
        maps = [r.result["receivers"][0]["qps"][0]["missing_ranges"] for r in runs]
        self.assertEqual(maps[0], maps[1])
        self.assertGreater(len(maps[0]), 10)

    def test_goodput_of_uc(self):
        """With UC, the goodput counts what the receiver accepted after the warm-up. For a receiver outside
        the process, the goodput is unknown."""
        traffic = {"message_size": "4KiB", "rate": "100Mb/s"}
        away = {"ip": "10.0.0.9", "mac": "02:00:00:00:00:09", "qpn": 5, "rkey": 1, "address": 0, "length": "1MiB"}
        config = ring([board(qp(traffic=traffic, transport="UC")), board(qp(to=away, traffic=traffic, transport="UC"), name="feb1",
                                                                         ip="10.0.0.3/24")],
                      [receiver(memory="1MiB")], feb={"faults": {"seed": 5, "tx_drop": "20%"}}, duration="3s", warmup="1s")
        run = self.run_softfeb(config, status=1)
        lost, unknown = run.qps()
        got = run.result["receivers"][0]
        self.assertLess(lost["measured_payload_bytes"], got["completed_payload_bytes"])
        self.assertAlmostEqual(lost["goodput_gbps"], lost["measured_payload_bytes"] * 8e-9 / lost["measured_s"], places=9)
        self.assertLessEqual(lost["measured_s"], run.result["measured_s"])
        # About 6,000 messages are sent, and each is lost independently of the others. Five standard
        # deviations of the lost share are 2.6 %.
        self.assertAlmostEqual(lost["goodput_gbps"] / lost["tx_payload_gbps"], 0.8, delta=0.04)
        self.assertGreater(unknown["tx_payload_gbps"], 0)
        self.assertIsNone(unknown["goodput_gbps"])
        self.assertIsNone(unknown["measured_payload_bytes"])
        boards = run.result["boards"]
        # The board's goodput excludes one packet, which may have been on the link at the end of the warm-up.
        left_out = 4096 * 8e-9 / lost["measured_s"]
        self.assertAlmostEqual(boards[0]["goodput_gbps"], lost["goodput_gbps"] - left_out, places=9)
        self.assertEqual([boards[1]["goodput_gbps"], boards[1]["summary"]["goodput_gbps"], run.result["goodput_gbps"]], [None] * 3)
        self.assertAlmostEqual(run.result["tx_payload_gbps"], lost["tx_payload_gbps"] + unknown["tx_payload_gbps"])
        self.assertRegex(run.out, r"\nfeb1 +0x100 +\d+ +0 +[0-9.]+ M +- ")
        self.assertIn("excluding 1 UC queue pair whose receiver does not report", run.out)

    def sink(self, report):
        """Starts a fake rdma-sink, which serves one session, receives no data and reports `report`. Returns its URL."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        listener.settimeout(harness.LIMIT)

        def serve():
            with listener.accept()[0] as link, link.makefile("rw", encoding="utf-8") as lines:
                qps = len(json.loads(lines.readline())["qps"])
                welcome = {"version": 1, "ip": "10.0.0.2", "mac": "02:00:00:00:00:02", "slots": 16,
                           "qps": [{"qpn": 17 + i, "psn": 0, "rkey": 1, "address": 0, "length": 1 << 20} for i in range(qps)]}
                for answer in (welcome, report):
                    print(json.dumps(answer), file=lines, flush=True)
                    lines.readline()

        server = threading.Thread(target=serve)
        server.start()
        self.addCleanup(server.join)
        return f"sink://127.0.0.1:{listener.getsockname()[1]}"

    def test_goodput_of_uc_that_a_receiver_elsewhere_reports(self):
        report = {"held": True, "problems": [], "timed_by": "receiver", "duration_s": 2.0, "goodput_gbps": 0.4, "payload_bytes": 100,
                  "qps": [{"payload_bytes": 75}, {"payload_bytes": 25}]}
        traffic = {"message_size": "4KiB", "messages": 100}
        for change, goodput in (({}, [0.3, 0.1]), ({"timed_by": "client"}, [None] * 2), ({"qps": 7}, [None] * 2),
                                ({"duration_s": -1}, [None] * 2), ({"goodput_gbps": 1e300}, [None] * 2),
                                ({"qps": [{"payload_bytes": "75"}, {"payload_bytes": 1e300}]}, [0, None])):
            with self.subTest(**change):
                url = self.sink({**report, **change})
                run = self.run_softfeb(ring([board(qp(to=url, transport="UC", count=2, traffic=traffic))], []))
                for q, want in zip(run.qps(), goodput):
                    self.assertEqual(q["goodput_gbps"] and round(q["goodput_gbps"], 9), want)
                    self.assertEqual(q["measured_s"] == 2.0, want is not None)
                total = run.result["goodput_gbps"]
                self.assertEqual(total and round(total, 9), None if None in goodput else 0.4)

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
