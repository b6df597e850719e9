# SPDX-License-Identifier: BSD-3-Clause
"""Sends 10 Gb/s of payload over a ring. Checks that every byte and iCRC is correct, but only reports the rate."""

import os

import harness
from harness import CONF


class Throughput(harness.TestCase):
    def test_ten_gigabit(self):
        run = self.run_softfeb(CONF / "ring-10g.yaml")
        self.assert_held(run)
        result, got = run.result, run.result["receivers"][0]
        self.assertEqual({b["icrc"] for b in result["config"]["boards"]}, {"full"})
        self.assertEqual((got["bytes_wrong"], got["icrc_errors"], got["missing"]), (0, 0, 0))
        completed = sum(q["messages_completed"] for q in run.qps())
        self.assertEqual((got["messages"], got["payload_bytes"]), (completed, completed << 18))
        for q in run.qps():
            self.assertEqual(q["offered_gbps"], 2.5)
            self.assertAlmostEqual(q["goodput_gbps"], q["measured_payload_bytes"] * 8e-9 / q["measured_s"], places=9)
        asked = sum(q["offered_gbps"] for q in run.qps())
        print(f"\n{result['goodput_gbps']:.2f} of {asked:g} Gb/s of payload over {result['measured_s']:.2f} s, "
              f"{got['packets']} packets, {os.cpu_count()} CPUs, a worker not run for {100 * result['stolen_share']:.1f} % of the time")
        if result["goodput_gbps"] < 0.99 * asked:
            print("below what was asked for: " + ("this machine was busy" if result["stolen_share"] >= 0.01 else
                                                  "this machine's workers were not fast enough"))


if __name__ == "__main__":
    harness.main()
