# SPDX-License-Identifier: BSD-3-Clause
"""Tests fault rules: each example of conf/faults runs, every rule is hit as often as expected, and the
capture contains the expected packets."""

import pathlib

import harness
import yaml
from harness import board, qp, receiver, ring
from scapy.all import IP, rdpcap

CONF = pathlib.Path(__file__).resolve().parents[2] / "conf" / "faults"
# For each example, the expected number of hits of each of its rules.
HITS = {"corrupt": [1, 1, 1, 1], "delay": [1], "drop": [1, 1, 1, 2], "duplicate": [3], "every": [8], "mark-ce": [8], "reorder": [1, 1],
        "replay": [1], "responses": [1, 1, 1], "rounds": [1, 1], "set-fields": [1, 1, 1], "truncate": [1]}


class Packet:
    """A RoCEv2 packet of the capture."""

    def __init__(self, frame):
        self.frame = bytes(frame)
        self.ip = frame[IP]
        self.bth = self.frame[42:54]
        self.opcode = self.bth[0]
        self.psn = int.from_bytes(self.bth[9:12], "big")
        self.payload = self.frame[70:-4] if self.opcode in (6, 10) else self.frame[54:-4]


class Faults(harness.TestCase):
    def run_example(self, name):
        """Runs conf/faults/NAME.yaml. Sets `packets` to the requests that left the board's port, and
        `responses` to the responses that the board received."""
        # BaseLoader reads all scalars as text. Other loaders follow YAML 1.1 and would read the key `on` as true.
        config = yaml.load((CONF / f"{name}.yaml").read_text(), yaml.BaseLoader)
        config["ports"][0]["capture"] = {"file": "feb.pcap"}
        run = self.run_softfeb(config)
        self.assert_held(run)
        rules = run.result["ports"][0]["faults"]["rules"]
        self.assertEqual([r["hits"] for r in rules], HITS[name])
        self.assertEqual([r["refused"] for r in rules], [0] * len(rules))
        self.assertEqual(run.check("fault_rules"), {"name": "fault_rules", "held": True, "value": 0, "limit": 0})
        self.assertEqual(run.qps()[0]["messages_completed"], 64)
        frames = [f for f in rdpcap(str(self.dir / "feb.pcap")) if IP in f]
        self.packets = [Packet(f) for f in frames if f[IP].src == "10.0.0.1"]
        self.responses = [Packet(f) for f in frames if f[IP].src == "10.0.0.2"]
        return run

    def places(self, psn):
        return [i for i, p in enumerate(self.packets) if p.psn == psn]

    def of(self, psn):
        return [self.packets[i] for i in self.places(psn)]

    def test_every_example_has_a_test(self):
        self.assertEqual({p.stem for p in CONF.glob("*.yaml")}, set(HITS))

    def test_drop(self):
        run = self.run_example("drop")
        # The rule drops the first transmission and the first retransmission of PSN 4, so the first
        # packet with PSN 4 leaves after the first packet with PSN 5.
        self.assertGreater(self.places(4)[0], self.places(5)[0])
        self.assertGreater(self.places(123)[0], self.places(124)[0])
        self.assertGreater(run.qps()[0]["retransmitted_packets"], 0)

    def test_every(self):
        run = self.run_example("every")
        for psn in range(31, 255, 32):
            self.assertGreater(self.places(psn)[0], self.places(psn + 1)[0])
        self.assertGreater(run.qps()[0]["retransmitted_packets"], 0)

    def test_duplicate(self):
        run = self.run_example("duplicate")
        for psn in (10, 11, 12):
            first = self.places(psn)[0]
            self.assertEqual([p.frame for p in self.packets[first:first + 3]], [self.packets[first].frame] * 3)
        self.assertGreaterEqual(run.result["receivers"][0]["duplicate"], 6)

    def test_reorder(self):
        self.run_example("reorder")
        at = self.places(10)[0]
        self.assertEqual([p.psn for p in self.packets[at - 4:at + 1]], [9, 11, 12, 13, 10])
        self.assertGreater(len(self.places(255)), 0)

    def test_delay(self):
        self.run_example("delay")
        at = self.places(31)[0]
        self.assertGreater(at, self.places(32)[0])

    def test_corrupt(self):
        run = self.run_example("corrupt")
        self.assertEqual(run.result["receivers"][0]["icrc_errors"], 3)
        spoilt, good = self.of(20)[0], self.of(20)[-1]
        self.assertEqual([i for i, (a, b) in enumerate(zip(spoilt.payload, good.payload)) if a != b], [3])
        spoilt, good = self.of(40)[0], self.of(40)[-1]
        self.assertEqual(spoilt.payload, good.payload)
        # The fault rule changed the PSN of the first transmission of PSN 80 to 64, with a valid iCRC. The
        # receiver takes this packet for a duplicate.
        self.assertEqual(self.packets[self.places(81)[0] - 1].psn, 64)
        self.assertGreaterEqual(run.result["receivers"][0]["duplicate"], 1)

    def test_truncate(self):
        self.run_example("truncate")
        short, whole = self.of(30)[0], self.of(30)[-1]
        self.assertEqual((len(short.frame), short.frame[54:]), (len(whole.frame) - 4, whole.frame[54:-4]))

    def test_mark_ce(self):
        run = self.run_example("mark-ce")
        marked = [p for p in self.packets if p.ip.tos & 3 == 3]
        self.assertEqual([p.psn for p in marked], list(range(0, 32, 4)))
        self.assertEqual(run.result["receivers"][0]["ecn_ce"], 8)
        self.assertGreater(run.qps()[0]["cnp_rx"], 0)

    def test_set_fields(self):
        self.run_example("set-fields")
        plain = self.of(0)[0].ip
        self.assertEqual([self.of(psn)[0].ip.tos for psn in (1, 2)], [plain.tos & ~3, 46 << 2 | plain.tos & 3])
        self.assertEqual(self.of(3)[0].ip.ttl, 1)
        for psn in (1, 2, 3):
            ip = self.of(psn)[0].ip
            rebuilt = IP(bytes(ip)[:20])
            del rebuilt.chksum
            self.assertEqual(IP(bytes(rebuilt)).chksum, ip.chksum)

    def test_replay(self):
        self.run_example("replay")
        at = self.places(64)[0]
        self.assertEqual(self.packets[at + 1].frame, self.of(3)[0].frame)

    def test_responses(self):
        run = self.run_example("responses")
        # The rule dropped one NAK, so the board received one fewer than the receiver sent.
        self.assertEqual(run.result["receivers"][0]["nak_sequence_tx"], run.qps()[0]["nak_rx"]["sequence"] + 1)

    def test_rounds(self):
        run = self.run_example("rounds")
        # PSN 6 leaves before PSN 5. The number of other packets that leave before PSN 5 depends on when the
        # NAK arrives.
        self.assertGreater(self.places(5)[0], self.places(6)[0])
        self.assertGreater(run.qps()[0]["retransmitted_packets"], 0)

    def test_a_rule_that_is_never_hit_fails_the_run(self):
        rules = [{"on": {"qp": 0, "psn": "+1000"}, "do": "drop"}]
        config = ring([board(qp(traffic={"message_size": "4KiB", "messages": 10}))], [receiver(memory="1MiB")],
                      feb={"faults": {"rules": rules}})
        run = self.run_softfeb(config, status=1)
        self.assertEqual(run.check("fault_rules")["value"], 1)
        self.assertRegex(run.result["messages"][0], r":\d+: ports\.0\.faults\.rules\.0: the fault rule was never hit")

    def test_a_full_store_refuses(self):
        rules = [{"on": {"qp": 0, "psn": "+0..+9"}, "do": {"delay": "1ms"}}]
        config = ring([board(qp(traffic={"message_size": "4KiB", "messages": 10}, transport="RC", retry_count=7, timeout=8))],
                      [receiver(memory="1MiB")], feb={"faults": {"rules": rules, "held_packets": 4}})
        run = self.run_softfeb(config)
        rule = run.result["ports"][0]["faults"]["rules"][0]
        self.assertEqual(rule["hits"] + rule["refused"], 10)
        self.assertGreaterEqual(rule["hits"], 4)
        self.assertGreater(rule["refused"], 0)

    def test_rules_do_not_move_the_random_faults(self):
        """Fault rules do not change which packets the random faults drop. UC is used, because the order of
        its packets does not depend on responses."""
        def lost(rules):
            traffic = {"message_size": "1KiB", "messages": 500}
            config = ring([board(qp(pmtu=1024, traffic=traffic, transport="UC"))], [receiver(memory="1MiB")],
                          feb={"faults": {"seed": 5, "tx_drop": "2%", "rules": rules}})
            run = self.run_softfeb(config, status=1)
            ranges = run.result["receivers"][0]["qps"][0]["missing_ranges"]
            return {m for first, last in (r if isinstance(r, list) else (r["first"], r["last"]) for r in ranges)
                    for m in range(first, last + 1)}

        without = lost([])
        self.assertGreater(len(without), 3)
        self.assertEqual(lost([{"on": {"qp": 0, "psn": "+100"}, "do": "drop"}]), without | {100})


if __name__ == "__main__":
    harness.main()
