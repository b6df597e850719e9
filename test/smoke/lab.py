#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests `softfeb lab` in real time, with the switches on a worker between boards and receivers. The tests
check only integrity and conservation of packets, because a busy machine cannot guarantee rates or times."""

import unittest

import harness
from harness import board, qp, receiver

TRAFFIC = {"message_size": "64KiB", "rate": "400Mb/s"}


def topology(switches=None, links=None, boards=3, **keys):
    """Returns a topology with the boards on one worker, and the network and the receiver on another."""
    feb = board(qp(traffic=TRAFFIC), name="feb", count=boards, worker=0)
    return {
        "lab": {"title": "smoke"},
        "run": {"duration": "1s"},
        "eal": {"hugepages": "no"},
        "workers": {"count": 2, "idle": "sleep"},
        "network": {
            "worker": 1,
            "switches": switches or [{"name": "tor", "buffer": "4MiB"}],
            "links": links or [{"ends": ["feb", "tor"], "rate": "10Gb/s", "delay": "500ns"},
                               {"ends": ["tor", "daq"], "rate": "10Gb/s", "delay": "500ns"}],
        },
        "boards": [feb],
        "receivers": [receiver(ip="10.0.0.101/24", worker=1, memory="1MiB")],
        **keys,
    }


class Lab(harness.TestCase):
    def lab(self, config, *args, status=0):
        result = self.dir / "result.json"
        command = ["lab", "-c", str(self.config(config)), "--json", str(result), *args]
        run = harness.Softfeb(command, self.dir, result).finish()
        self.assertEqual(run.status, status, f"\n{run.err[-3000:]}\n{run.out[-3000:]}")
        return run

    def assert_conserved(self, run):
        names = {c["name"] for c in run.result["checks"]}
        for name in ("packets_conserved", "packets_entered", "packets_delivered", "rings_conserved"):
            self.assertIn(name, names)
            self.assertTrue(run.check(name)["held"], run.result["messages"])

    def test_boards_through_a_switch(self):
        run = self.lab(topology())
        self.assertRegex(run.err, r"\d boards?, 0 receivers\n")
        self.assertIn("0 boards, 1 receiver, the network\n", run.err)
        self.assert_conserved(run)
        received = run.result["receivers"][0]
        self.assertGreater(received["messages"], 100)
        self.assertEqual((received["bytes_wrong"], received["missing"]), (0, 0))

    def test_many_boards_find_many_receivers(self):
        """The switch forwards each ARP request to all ports. It loses no copy, so no request has to be
        repeated."""
        config = topology(boards=20, switches=[{"name": "tor", "buffer": "16MiB"}])
        config["boards"][0]["qps"] = [qp(count=20, pmtu=1024, traffic={"message_size": "1KiB", "rate": "1Mb/s"})]
        config["receivers"] = [receiver(ip="10.0.0.101/24", worker=1, memory="1KiB", count=20)]
        run = self.lab(config)
        self.assert_conserved(run)
        self.assertEqual(run.check("neighbours_resolved")["value"], 0)
        self.assertEqual(run.result["lab"]["network"]["dropped_store"], 0)
        self.assertEqual({(b["arp_requests_tx"], b["unresolved_qps"]) for b in run.result["boards"]}, {(20, 0)})

    def test_one_worker_carries_it_all(self):
        config = topology()
        config["workers"]["count"] = 1
        config["network"]["worker"] = 0
        config["receivers"][0]["worker"] = 0
        run = self.lab(config)
        self.assert_conserved(run)
        self.assertGreater(run.result["receivers"][0]["messages"], 100)

    def test_a_lossy_link_loses_and_boards_send_again(self):
        links = [{"ends": ["feb", "tor"], "rate": "10Gb/s", "delay": "500ns",
                  "faults": {"drop": "1%", "duplicate": "1%", "corrupt": "1%", "reorder": "1%"}},
                 {"ends": ["tor", "daq"], "rate": "10Gb/s", "delay": "500ns"}]
        run = self.lab(topology(links=links))
        self.assert_conserved(run)
        received = run.result["receivers"][0]
        self.assertEqual((received["bytes_wrong"], received["missing"]), (0, 0))
        self.assertGreater(received["icrc_errors"], 0)
        self.assertGreater(sum(q["retransmitted_packets"] for q in run.qps()), 0)

    def test_rules_of_links_act_in_both_times(self):
        links = [{"ends": ["feb", "tor"], "rate": "10Gb/s", "delay": "500ns",
                  "faults": {"rules": [{"on": {"qp": "feb-0/0", "psn": "+4"}, "do": "drop"},
                                       {"on": {"qp": "feb-0/0", "psn": "+4", "iteration": 2}, "do": "drop"},
                                       {"on": {"qp": "any", "message": 3, "part": "last"}, "do": {"corrupt": {"at": "payload+9", "xor": 1}}},
                                       {"on": {"qp": "feb-2/0", "direction": "rx", "kind": "ack", "psn": "+15"}, "do": {"delay": "3ms"}}]}},
                 {"ends": ["tor", "daq"], "rate": "10Gb/s", "delay": "500ns",
                  "faults": {"rules": [{"on": {"qp": "feb-1/0", "psn": "+20"}, "do": {"reorder": 3}},
                                       {"on": {"qpn": 0x802, "to": "daq", "psn": "+30"}, "do": {"duplicate": 2}}]}}]
        config = topology(links=links, run={"messages": 20})
        config["boards"][0]["qps"] = [qp(transport="RC", retry_count=7, timeout=10, pmtu=4096, traffic={"message_size": "64KiB", "rate": "400Mb/s"})]
        run = self.lab(config)
        self.assert_conserved(run)
        received = run.result["receivers"][0]
        self.assertEqual((received["messages"], received["bytes_wrong"], received["icrc_errors"]), (60, 0, 3))
        want = {("feb-0-tor", "feb-0"): [1, 1, 1], ("feb-1-tor", "feb-1"): [1], ("feb-2-tor", "feb-2"): [1], ("feb-2-tor", "tor"): [1],
                ("tor-daq", "tor"): [1, 1]}
        for lab in (run.result["lab"], run.result["lab"]["virtual"]):
            self.assertEqual({(e["link"], e["from"]): [r["hits"] for r in e["rules"]] for e in lab["link_faults"]}, want)
            self.assertEqual({r["refused"] for e in lab["link_faults"] for r in e["rules"]}, {0})
        self.assertEqual((run.check("fault_rules")["value"], run.result["lab"]["network"]["dropped_fault"]), (0, 2))

    def test_a_link_rule_that_is_never_hit_fails_both_times(self):
        links = [{"ends": ["feb", "tor"], "rate": "10Gb/s", "faults": {"rules": [{"on": {"qp": "feb-0/0", "psn": "+100000"}, "do": "drop"}]}},
                 {"ends": ["tor", "daq"], "rate": "10Gb/s"}]
        run = self.lab(topology(links=links, run={"messages": 3}), status=1)
        self.assertEqual(run.check("fault_rules"), {"name": "fault_rules", "held": False, "value": 1, "limit": 0, "gated": True})
        virtual = run.result["lab"]["virtual"]
        self.assertEqual((virtual["verdict"], [c["value"] for c in virtual["checks"] if c["name"] == "fault_rules"]), ("failed", [1]))
        messages = [m for m in run.result["messages"] if "never hit" in m]
        self.assertEqual(len(messages), 2)
        self.assertRegex(messages[0], r":\d+: network\.links\.0\.faults\.rules\.0: the fault rule was never hit")
        self.assertTrue(messages[1].startswith("in virtual time: "))

    def test_rules_find_a_receiver_behind_a_port(self):
        links = [{"ends": ["feb", "tor"], "rate": "10Gb/s"},
                 {"ends": ["tor", "out"], "rate": "10Gb/s",
                  "faults": {"rules": [{"on": {"qp": "feb-1/0", "psn": "+4"}, "do": "drop"},
                                       {"on": {"qp": "any", "direction": "rx", "kind": "ack", "packet": 2}, "do": "drop"}]}}]
        config = topology(links=links, ports=[{"name": "out", "device": "net_ring:world", "mtu": 4200},
                                              {"name": "far", "device": "net_ring:world", "mtu": 4200}])
        config["receivers"][0]["port"] = "far"
        run = self.lab(config)
        self.assertEqual([[r["hits"] for r in e["rules"]] for e in run.result["lab"]["link_faults"]], [[1], [3]])

    def test_a_port_of_the_machine_is_a_station(self):
        """The receiver is outside the emulated network: a ring connects its port to a port of the network."""
        links = [{"ends": ["feb", "tor"], "rate": "10Gb/s", "delay": "500ns"},
                 {"ends": ["tor", "out"], "rate": "10Gb/s", "delay": "500ns"}]
        config = topology(links=links, ports=[{"name": "out", "device": "net_ring:world", "mtu": 4200},
                                              {"name": "far", "device": "net_ring:world", "mtu": 4200}])
        config["receivers"][0]["port"] = "far"
        run = self.lab(config)
        self.assert_conserved(run)
        received = run.result["receivers"][0]
        self.assertGreater(received["messages"], 100)
        self.assertEqual((received["bytes_wrong"], received["missing"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
