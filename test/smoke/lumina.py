# SPDX-License-Identifier: BSD-3-Clause
"""Tests the scenarios of Lumina (conf/faults/lumina) with softfeb's own receiver. Each fault rule must be hit
as often as expected, and the receiver and the board must follow the InfiniBand specification."""

import sys

import harness
import yaml

sys.path.insert(0, str(harness.ROOT / "test" / "support"))

import lumina_checks as checks  # noqa: E402

CONF = harness.CONF / "faults" / "lumina"
# Number of hits of each rule in each scenario.
HITS = {"mixed-events": [1, 1, 1, 1], "go-back-n": [1], "go-back-n-twice": [1, 1], "go-back-n-corrupt": [1], "retransmission-time": [1, 1, 1],
        "cnp-every-50": [20], "cnp-scope": [400], "many-losses": [1] * 12, "mig-req": [100] * 8}
TIMEOUT = 4096 << 14  # nanoseconds


class Lumina(harness.TestCase):
    def run_scenario(self, name, change=lambda config: None):
        """Runs conf/faults/lumina/NAME.yaml. Sets `packets` to the packets of each queue pair, as the board's port saw them."""
        # BaseLoader reads all scalars as text. Other loaders follow YAML 1.1 and would read the key `on` as
        # true.
        config = yaml.load((CONF / f"{name}.yaml").read_text(), yaml.BaseLoader)
        config["ports"][0]["capture"] = {"file": "feb.pcap", "packets": 100_000}
        change(config)
        run = self.run_softfeb(config)
        self.assert_held(run)
        rules = run.result["ports"][0]["faults"]["rules"]
        self.assertEqual(([r["hits"] for r in rules], {r["refused"] for r in rules}), (HITS[name], {0}))
        self.assertEqual({qp["messages_completed"] for qp in run.qps()}, {1})
        packets = checks.read([(p.time_ns, p.frame) for p in harness.read_pcap(self.dir / "feb.pcap")], "10.0.0.1")
        self.packets = [checks.of_qp(packets, qp["dest_qpn"], qp["qpn"]) for qp in run.qps()]
        return run

    def recoveries(self, qp=0, total=1000, damaged=()):
        return checks.check_go_back_n(self.packets[qp], 0, total, damaged)

    def test_every_scenario_has_a_test(self):
        self.assertEqual({p.stem for p in CONF.glob("*.yaml")}, set(HITS))

    def test_mixed_events(self):
        run = self.run_scenario("mixed-events")
        self.assertEqual([checks.check_cnps(p) for p in self.packets], [(1, 1), (1, 1), (0, 0), (0, 0)])
        self.assertEqual([[r.psn for r in self.recoveries(q)] for q in range(4)], [[], [], [3], [5]])
        self.assertEqual([qp["timeouts"] for qp in run.qps()], [0] * 4)

    def test_go_back_n(self):
        run = self.run_scenario("go-back-n")
        recovery, = self.recoveries()
        self.assertEqual((recovery.psn, run.qps()[0]["timeouts"]), (100, 0))
        # Lumina measures two intervals between these times: NAK generation (from `noticed` to `nak`) and NAK
        # response (from `nak` to `resent`).
        self.assertLessEqual(recovery.noticed, recovery.nak)
        self.assertLessEqual(recovery.nak, recovery.resent)
        print(f"NAK after {(recovery.nak - recovery.noticed) / 1e3:.0f} us, sent again {(recovery.resent - recovery.nak) / 1e3:.0f} us later")

    def test_go_back_n_twice(self):
        run = self.run_scenario("go-back-n-twice")
        recovery, = self.recoveries()
        self.assertEqual((recovery.psn, run.qps()[0]["timeouts"], run.result["receivers"][0]["nak_sequence_tx"]), (100, 1, 1))
        self.assertGreaterEqual(recovery.resent - recovery.nak, TIMEOUT)

    def test_go_back_n_corrupt(self):
        run = self.run_scenario("go-back-n-corrupt")
        recovery, = self.recoveries(damaged={(100, 1)})
        self.assertEqual((recovery.psn, run.qps()[0]["timeouts"], run.result["receivers"][0]["icrc_errors"]), (100, 0, 1))

    def test_retransmission_time(self):
        run = self.run_scenario("retransmission-time")
        self.assertEqual(self.recoveries(), [])
        self.assertEqual((run.qps()[0]["timeouts"], run.qps()[0]["nak_rx"]["sequence"]), (3, 0))
        sent = {}
        for p in self.packets[0]:
            if p.request:
                sent.setdefault(p.psn, p.ns)
        self.assertGreaterEqual(sent[999] - sent[998], 3 * TIMEOUT)

    def test_cnp_every_50(self):
        run = self.run_scenario("cnp-every-50")
        self.assertEqual(checks.check_cnps(self.packets[0]), (20, 20))
        self.assertEqual([p.psn for p in self.packets[0] if p.request and p.marked], list(range(49, 1000, 50)))
        self.assertEqual((run.result["receivers"][0]["ecn_ce"], run.result["receivers"][0]["cnp_tx"]), (20, 20))

    def test_cnp_scope(self):
        """The minimum interval between CNPs applies either to each queue pair, or to all queue pairs between
        two addresses together."""
        for scope in ("qp", "ip_pair"):
            def change(config, scope=scope):
                config["receivers"][0]["cnp"]["scope"] = scope
            run = self.run_scenario("cnp-scope", change)
            cnps = [checks.check_cnps(p)[1] for p in self.packets]
            most = 1 + run.result["duration_s"] / 0.01
            self.assertLessEqual(max(cnps) if scope == "qp" else sum(cnps), most)
            if scope == "qp":
                # Each queue pair gets a mark every 0.8 ms for 82 ms. The CNPs of a queue pair do not have to
                # wait for the CNPs of other queue pairs.
                self.assertGreater(min(cnps), 2)

    def test_many_losses(self):
        run = self.run_scenario("many-losses")
        self.assertEqual([[r.psn for r in self.recoveries(q, 100)] for q in range(36)], [[4]] * 12 + [[]] * 24)
        others = run.qps()[12:]
        self.assertEqual({(q["retransmitted_packets"], q["timeouts"], q["nak_rx"]["sequence"]) for q in others}, {(0, 0, 0)})

    def test_mig_req(self):
        run = self.run_scenario("mig-req")
        self.assertEqual([{p.frame[43] & 0x40 for p in packets if p.request} for packets in self.packets], [{0x40}] * 8 + [{0}] * 8)
        self.assertEqual({q["retransmitted_packets"] for q in run.qps()}, {0})
        self.assertEqual(run.result["receivers"][0]["icrc_errors"], 0)


if __name__ == "__main__":
    harness.main()
