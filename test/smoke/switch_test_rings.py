# SPDX-License-Identifier: BSD-3-Clause
"""Tests `softfeb switch-test` over rings. A simulated switch runs in real time; each figure must agree with
the switch's file, or be undecided.

A busy machine may leave figures undecided, but must not make them wrong."""

import collections
import json

import harness

SETS = harness.CONF / "switch-test"
ATTEMPTS = 3
# For each set of expectations, the tests for which it was made, and the number of its expectations that hold
# on an otherwise idle machine.
RUNS = {
    "v1-plain": ("dscp,buffer,burst,incast,codepoints", 7),
    "v3-dynamic": ("buffer,ecn", 8),
    "v4-lossless": ("dscp,xoff,ecn,codepoints", 10),
    "v6-scheduler": ("dscp,scheduler", 12),
}


class SwitchTestOverRings(harness.TestCase):
    def measure(self, name, *args):
        return harness.Softfeb(["switch-test", "-c", str(SETS / f"{name}.yaml"), "--set", "switch_test.rig=rings", "--profile", "quick",
                                "--json", "result.json", *args], self.dir, self.dir / "result.json").finish(timeout=150)

    def outcomes(self, name, only):
        run = self.measure(name, "--only", only, "--expect", str(SETS / "expect" / f"{name}.yaml"))
        wrong = [(run.result["expectations"][v["expectation"]], v) for v in run.result["verdicts"] if v["outcome"] == "failed"]
        self.assertEqual(wrong, [], json.dumps(wrong, indent=1) + run.out[-3000:])
        self.assertEqual(run.status, 0, run.err[-2000:])
        return collections.Counter(v["outcome"] for v in run.result["verdicts"])

    def check(self, name):
        only, enough = RUNS[name]
        for _ in range(ATTEMPTS):
            outcomes = self.outcomes(name, only)
            if outcomes["held"] >= enough:
                return
        self.skipTest(f"the machine is too busy: of {enough} expectations, only {outcomes['held']} hold, and {outcomes['undecided']} are undecided")

    def test_plain(self):
        self.check("v1-plain")

    def test_dynamic(self):
        self.check("v3-dynamic")

    def test_lossless(self):
        self.check("v4-lossless")

    def test_the_whole_quick_profile(self):
        run = self.measure("v4-lossless")
        self.assertEqual(run.status, 0, run.err[-2000:])
        self.assertEqual(len(run.result["tests"]), 21)  # the preflight, and all tests except soak
        self.assertFalse(run.result["interrupted"])
        for test in run.result["tests"]:
            self.assertTrue(test["status"] == "measured" or test["reason"], test)

    def test_scheduler(self):
        self.check("v6-scheduler")


if __name__ == "__main__":
    harness.main()
