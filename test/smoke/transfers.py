# SPDX-License-Identifier: BSD-3-Clause
"""Boards send files and patterns over rings to receivers of softfeb. Every byte must arrive."""

import harness
from harness import CONF, board, qp, receiver, ring


setUpModule = harness.own_network


class Transfers(harness.TestCase):
    def send_file(self, config, size, *args):
        digest = harness.random_file(self.dir / "sent.bin", size)
        run = self.run_softfeb(config, "--set", "boards.feb0.qps.0.traffic.payload.file=sent.bin", *args)
        self.assertEqual(harness.sha256(self.dir / "received.bin"), digest)
        self.assertEqual((self.dir / "received.bin").stat().st_size, size)
        self.assert_held(run)
        return run

    def test_demonstration_of_the_tree(self):
        size = (64 << 20) + 12345
        run = self.send_file(CONF / "demo.yaml", size, "--set", "receivers.daq.out=received.bin",
                             "--set", "boards.feb0.qps.0.traffic.messages=5000")
        sent, got = run.qps()[0], run.result["receivers"][0]
        messages = 1024 + 1
        self.assertEqual(sent["messages_completed"], messages)
        self.assertEqual((got["messages"], got["immediates"]), (messages, messages))
        self.assertEqual((sent["tx_payload_bytes"], got["payload_bytes"]), (size, size))
        self.assertEqual(got["packets"], 1024 * 16 + 4)
        self.assertEqual((got["missing"], got["duplicate"], got["out_of_order"], got["bytes_wrong"]), (0, 0, 0, 0))

    def test_board_of_the_tree(self):
        run = self.run_softfeb(CONF / "board.yaml", "--duration", "2", "--set", "boards.feb0.qps.0.traffic.rate=2Gb/s")
        self.assert_held(run)
        sent, got = run.qps()[0], run.result["receivers"][0]
        self.assertGreater(sent["messages_completed"], 1000)
        self.assertEqual(sent["messages_posted"], sent["messages_completed"])
        self.assertEqual(got["payload_bytes"], sent["messages_completed"] * 65536)

    def test_every_path_mtu_and_odd_sizes(self):
        qps = [qp(pmtu=p, traffic={"message_size": f"{size}B", "messages": 40, "verb": verb}, transport=transport)
               for p in (256, 512, 1024, 2048, 4096)
               for size, verb, transport in ((1, "write", "RC"), (4097, "write_imm", "RC"), (10003, "write", "UC"))]
        run = self.run_softfeb(ring([board(*qps)], [receiver(memory="64KiB")]))
        self.assert_held(run)
        for config, sent, got in zip(qps, run.qps(), run.result["receivers"][0]["qps"]):
            size = int(config["traffic"]["message_size"][:-1])
            packets = 40 * max(1, -(-size // config["pmtu"]))
            self.assertEqual((sent["tx_packets"], got["packets"]), (packets, packets), config)
            self.assertEqual((got["messages"], got["payload_bytes"]), (40, 40 * size), config)

    def test_messages_without_payload(self):
        traffic = {"message_size": "0B", "messages": 100, "verb": "write_imm"}
        run = self.run_softfeb(ring([board(qp(traffic=traffic))], [receiver(memory="4KiB")]))
        self.assert_held(run)
        self.assertEqual(run.qps()[0]["tx_packets"], 100)
        self.assertEqual(run.result["receivers"][0]["immediates"], 100)

    def test_windows_of_streams(self):
        """UC streams run for four seconds over a port that drops packets. Every message is counted either as
        marked in a window or as missing."""
        traffic = {"message_size": "8KiB", "verb": "write_imm", "immediate": "counter", "rate": "2kmsg/s"}
        run = self.run_softfeb(ring([board(qp(count=4, transport="UC", traffic=traffic))],
                                    [receiver(windows={"depth": 16, "loss_limit": "10%"})],
                                    feb={"faults": {"tx_drop": "1%"}}, duration="4s"))
        self.assert_held(run)
        got = run.result["receivers"][0]
        windows = got["windows"]
        self.assertGreater(windows["missing"], 0)
        self.assertEqual(windows["missing"] + windows["not_sent"], sum(
            last - first + 1 for ranges in windows["missing_ranges"].values() for first, last in ranges))
        # `got` is computed from PSNs, independently of the windows
        self.assertEqual(windows["missing"], got["missing"])
        self.assertEqual((windows["late"], windows["wrong_immediate"], windows["inconsistent"]), (0, 0, 0))
        # A busy machine sends less than configured. The goodput of a receiver with windows excludes the first and the last second.
        self.assertLess(got["goodput_gbps"], 4 * 2000 * 8192 * 8e-9 * 1.1)
        self.assertGreater(got["goodput_gbps"], 0.5 * run.result["goodput_gbps"])

    def test_registered_transfers(self):
        """Two QPs share the segments of each transfer, over a port that drops and reorders packets."""
        traffic = {"transfer": "256KiB", "segment": "16KiB", "messages": 800}
        run = self.run_softfeb(ring([board(qp(count=2, timeout=12, traffic=traffic))], [receiver()],
                                    feb={"faults": {"tx_drop": "0.1%", "tx_reorder": "0.1%"}}))
        self.assert_held(run)
        transfers = run.result["receivers"][0]["transfers"]
        self.assertEqual((transfers["posted"], transfers["notified"]), (100, 100))
        self.assertEqual(transfers["registration"]["bytes"], 100 << 18)
        self.assertGreater(transfers["latency_us"], 0)

    def test_payload_patterns(self):
        for payload in ("counter", "zero", "prbs31"):
            for icrc in ("known", "full"):
                with self.subTest(payload=payload, icrc=icrc):
                    traffic = {"message_size": "10001B", "messages": 100, "payload": payload}
                    run = self.run_softfeb(ring([board(qp(traffic=traffic), icrc=icrc)], [receiver(memory="1MiB")]))
                    self.assert_held(run)
                    self.assertEqual(run.result["receivers"][0]["icrc_errors"], 0)

    def test_psn_wraps(self):
        traffic = {"message_size": "64KiB", "messages": 100}
        for transport in ("RC", "UC"):
            run = self.run_softfeb(ring([board(qp(traffic=traffic, psn=0xFFFFF0, transport=transport))],
                                        [receiver(memory="1MiB")]))
            self.assert_held(run)
            self.assertEqual(run.result["receivers"][0]["packets"], 1600)

    def test_ipv6_in_a_vlan(self):
        config = ring([board(qp(), ip="fd00::1/64", vlan=100, pcp=3)],
                      [receiver(ip="fd00::2/64", vlan=100, pcp=5, out="received.bin")],
                      feb={"capture": {"file": "feb.pcap", "packets": 1000}})
        self.send_file(config, 1 << 20)
        packets = [p for p in harness.read_pcap(self.dir / "feb.pcap") if p.opcode is not None]
        self.assertEqual({(p.ethertype, p.vlan) for p in packets}, {(0x86DD, 100)})
        self.assertEqual({p.pcp for p in packets if p.opcode == harness.ACKNOWLEDGE}, {5})
        self.assertEqual({p.pcp for p in packets if p.opcode != harness.ACKNOWLEDGE}, {3})
        for p in packets:
            self.assertEqual(p.icrc(), p.icrc_by_annex_a17())

    def test_file_repeated_through_few_slots(self):
        size = 300_001
        harness.random_file(self.dir / "sent.bin", size)
        traffic = {"message_size": "64KiB", "payload": {"file": "sent.bin", "repeat": 3}}
        run = self.run_softfeb(ring([board(qp(traffic=traffic))], [receiver()]))
        self.assert_held(run)
        self.assertEqual(run.qps()[0]["messages_completed"], 3 * 5)
        self.assertEqual(run.result["receivers"][0]["payload_bytes"], 3 * size)


if __name__ == "__main__":
    harness.main()
