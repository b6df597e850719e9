# SPDX-License-Identifier: BSD-3-Clause
"""Tests many boards, receivers and queue pairs. Messages, the map of missing messages, and goodput
must be correct."""

import harness
from harness import CONF

PMTU = 4096


class Many(harness.TestCase):
    def assert_whole(self, run, message_size):
        """Checks that the counters of each QP and the totals agree with the number of messages, and that nothing was lost."""
        per_message = -(-message_size // PMTU)
        for qp in run.qps():
            messages = qp["messages_completed"]
            self.assertGreater(messages, 0)
            self.assertEqual((qp["messages_posted"], qp["messages_failed"]), (messages, 0))
            self.assertEqual(qp["tx_packets"], messages * per_message)
            self.assertEqual(qp["tx_payload_bytes"], messages * message_size)
            self.assertEqual(qp["retransmitted_packets"], 0)
        for r in run.result["receivers"]:
            self.assertEqual((r["missing"], r["duplicate"], r["out_of_order"], r["bytes_wrong"], r["icrc_errors"]),
                             (0, 0, 0, 0, 0))
            self.assertEqual(r["messages"], r["immediates"])
            self.assertEqual(r["packets"], r["messages"] * per_message)
            self.assertEqual(r["payload_bytes"], r["messages"] * message_size)
            for key in ("messages", "packets", "payload_bytes"):
                self.assertEqual(r[key], sum(q[key] for q in r["qps"]))
        self.assertEqual(sum(r["messages"] for r in run.result["receivers"]),
                         sum(q["messages_completed"] for q in run.qps()))

    def assert_pairs(self, run):
        """Checks that each receiving QP got exactly the messages that its sending QP sent."""
        got = {(r["ip"], q["qpn"]): q["messages"] for r in run.result["receivers"] for q in r["qps"]}
        sent = {(q["dest_ip"], q["dest_qpn"]): q["messages_completed"] for q in run.qps()}
        self.assertEqual(got, sent)

    def test_one_board_to_four_receivers(self):
        run = self.run_softfeb(CONF / "four-receivers.yaml", "--duration", "2", "--set", "run.warmup=500ms")
        self.assert_held(run)
        self.assertEqual([r["name"] for r in run.result["receivers"]], [f"daq-{i}" for i in range(4)])
        self.assertEqual(len(run.qps()), 4)
        self.assertEqual({q["dest_ip"] for q in run.qps()}, {f"10.0.0.{i}" for i in range(11, 15)})
        self.assert_whole(run, 65536)
        self.assert_pairs(run)

    def test_four_boards_to_one_receiver(self):
        run = self.run_softfeb(CONF / "four-boards.yaml", "--duration", "2", "--set", "run.warmup=500ms")
        self.assert_held(run)
        self.assertEqual([b["name"] for b in run.result["boards"]], [f"feb-{i}" for i in range(4)])
        self.assertEqual([len(b["qps"]) for b in run.result["boards"]], [1] * 4)
        self.assertEqual(len({q["dest_qpn"] for q in run.qps()}), 4)
        self.assert_whole(run, 65536)
        self.assert_pairs(run)

    def test_many_boards_to_many_receivers(self):
        """10,000 queue pairs use a ring. Each neighbour is found with a single request, by ARP or by
        neighbour discovery."""
        for boards, receivers in (("10.0.1.0/16", "10.0.2.0/16"), ("fd00::1:0/64", "fd00::2:0/64")):
            with self.subTest(boards):
                traffic = {"message_size": "1KiB", "messages": 1}
                config = harness.ring([harness.board(harness.qp(count=100, pmtu=1024, traffic=traffic), name="feb", ip=boards,
                                                     count=100)],
                                      [harness.receiver(ip=receivers, count=100)])
                run = self.run_softfeb(config, "--set", "run.result_qps=0", timeout=100)
                self.assert_held(run)
                self.assertEqual(run.check("neighbours_resolved")["value"], 0)
                for b in run.result["boards"]:
                    self.assertEqual((b["unresolved_qps"], b["arp_requests_tx"]), (0, 100))
                    self.assertLess(b["resolution_ms"], 1000, "nobody had to be asked again")

    def test_two_thousand_queue_pairs(self):
        run = self.run_softfeb(CONF / "thesis-2000.yaml", "--duration", "4")
        self.assert_held(run)
        self.assertEqual(len(run.qps()), 2000)
        self.assertEqual({q["transport"] for q in run.qps()}, {"UC"})
        self.assert_whole(run, 16384)
        self.assert_pairs(run)
        # The total goodput is computed over the time from the first start to the last end of any queue pair.
        # It therefore cannot exceed the sum of the goodputs of the queue pairs.
        together = sum(q["goodput_gbps"] for q in run.qps())
        self.assertLessEqual(run.result["goodput_gbps"], together + 1e-9)
        self.assertGreater(run.result["goodput_gbps"], 0.98 * together)
        # The goodput of each QP follows from its measured time.
        for q in run.qps():
            if q["measured_s"]:
                self.assertAlmostEqual(q["goodput_gbps"], q["measured_payload_bytes"] * 8e-9 / q["measured_s"], places=9)
            self.assertLessEqual(q["measured_payload_bytes"], q["tx_payload_bytes"])

    def test_two_thousand_queue_pairs_of_which_packets_are_lost(self):
        """With UC, the sender does not notice losses. The receiver's map must list exactly the messages that lost a packet."""
        run = self.run_softfeb(CONF / "thesis-2000.yaml", "--messages", "20", "--set", "run.duration=30s",
                               "--set", "boards.camera.qps.0.traffic.rate=2Mb/s",
                               "--set", "ports.feb.faults={seed: 7, tx_drop: 1%}",
                               "--set", "ports.nic.capture={file: nic.pcap, packets: 170000, snaplen: 64, direction: rx}",
                               status=1)
        receiver = run.result["receivers"][0]
        dropped = run.result["ports"][0]["faults"]["tx_dropped"]
        self.assertEqual(receiver["packets"] + receiver["out_of_order"] + dropped, 2000 * 20 * 4)
        self.assertEqual(receiver["messages"] + receiver["missing"], 2000 * 20)
        self.assertGreater(receiver["missing"], dropped * 0.9)
        self.assertLessEqual(receiver["missing"], dropped)
        self.assertEqual(run.result["verdict"], "failed")
        self.assertEqual(run.check("messages_arrived")["value"], receiver["missing"])
        self.assertIn(f"{receiver['missing']} messages did not arrive", run.result["messages"][0])

        # Get the packets that arrived for each QP from the capture. Message m consists of PSN 4m to 4m+3.
        arrived = {}
        for p in harness.read_pcap(self.dir / "nic.pcap"):
            if p.opcode is not None:
                arrived.setdefault(p.dest_qp, set()).add(p.psn)
        for q in receiver["qps"]:
            whole = [m for m in range(20) if all(4 * m + k in arrived[q["qpn"]] for k in range(4))]
            missing = [m for first, last in q.get("missing_ranges", []) for m in range(first, last + 1)]
            self.assertEqual(sorted(whole + missing), list(range(20)), hex(q["qpn"]))
            self.assertEqual(q["messages"], len(whole))
            self.assertEqual(q.get("missing", 0), len(missing))


if __name__ == "__main__":
    harness.main()
