#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The experiments of conf/lab/cc in virtual time, compared with what the algorithms' models and fixed points predict."""

import harness

BASE_RTT_US = 8.8  # of swift.yaml without queues: four times 500 ns, two full packets, two acknowledgements


class Experiments(harness.TestCase):
    def lab(self, name, *overrides):
        """Figures and result of a run, whose own checks must hold."""
        result = self.dir / "result.json"
        command = ["lab", "-c", str(harness.CONF / "lab/cc" / f"{name}.yaml"), "--virtual", "--json", str(result)]
        for o in overrides:
            command += ["--set", o]
        run = harness.Softfeb(command, self.dir, result).finish(280)
        self.assertEqual(run.status, 0, f"\n{run.err[-3000:]}\n{run.out[-5000:]}")
        figures = run.result["lab"]["figures"]
        for b in figures["conservation"]:
            self.assertEqual(b["left"], b["right"], b)
        self.assertEqual(figures["totals"]["retransmitted"], 0)
        return figures, run.result

    def jain(self, figures):
        return next(w["jain_min"] for w in figures["windows"] if w["window_ms"] == 100)

    def port(self, figures):
        return next(w["port_used_mean"] for w in figures["windows"] if w["window_ms"] == 100)

    def test_timely(self):
        figures, _ = self.lab("timely")
        self.assertLessEqual(self.jain(figures), 0.90)

    def test_patched_timely(self):
        # RTT* = t_low (1 + delta / (beta_patched R)); queue = C (RTT* - RTT without queue + serialization).
        figures, _ = self.lab("patched-timely")
        self.assertAlmostEqual(figures["queue_bytes_mean"], 71_500, delta=0.05 * 71_500)
        figures, _ = self.lab("patched-timely", "boards.fast.count=5", "boards.slow.count=5", "boards.slow.ip=10.0.0.11/24",
                              "boards.fast.congestion.initial_rate=1.4Gb/s", "boards.slow.congestion.initial_rate=600Mb/s")
        self.assertAlmostEqual(figures["queue_bytes_mean"], 135_100, delta=0.05 * 135_100)

    def test_swift(self):
        for boards, rtt_us in (2, 38.4), (10, 63.0), (100, 112.0):
            with self.subTest(boards=boards):
                figures, _ = self.lab("swift", f"boards.feb.count={boards}")
                self.assertAlmostEqual(figures["queue_bytes_mean"] / 1250 + BASE_RTT_US, rtt_us, delta=0.1 * rtt_us)

    def test_hpcc(self):
        figures, _ = self.lab("hpcc", "boards.feb.count=16")
        self.assertLessEqual(self.port(figures), 0.965)
        self.assertGreaterEqual(self.port(figures), 0.94)

    def test_hpcc_alone(self):
        _, result = self.lab("hpcc", "boards.feb.count=1", "run.duration=20ms")
        # W = eta B T, of which 1036 of 1154 bytes of a packet's wire time are counted.
        window = 0.95 * 12.5e9 * 13e-6 * 1036 / 1154
        self.assertAlmostEqual(result["boards"][0]["qps"][0]["congestion"]["window_bytes"], window, delta=0.02 * window)


if __name__ == "__main__":
    harness.main()
